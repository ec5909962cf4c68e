//! Small networks that are given with their weights.

mod gradient;

use alloc::vec::Vec;

use crate::error::{Error, Result, check_length, product, zeros};
use crate::math::elementary::sigmoid;
use crate::stabilise;

/// A network of a few layers, with given weights: what makes a bias of a distance or of coordinates.
///
/// Sums are taken in f64, in the order of the weights, and nothing is rounded to f32 on the way.
///
/// ```
/// use posenc::Mlp;
///
/// // 1 → 2 → 1: relu(x) − relu(−x) + 0.5.
/// let network = Mlp::new(1)?.linear(&[1.0, -1.0], &[0.0, 0.0])?.relu().linear(&[1.0, -1.0], &[0.5])?;
/// let mut out = [0.0];
/// network.run(&[-3.0], &mut out)?;
/// assert_eq!((network.inputs(), network.outputs()), (1, 1));
/// assert_eq!(out, [-2.5]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mlp {
    inputs: usize,
    outputs: usize,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// `[outputs, inputs]` and one bias an output.
    Linear(Vec<f32>, Vec<f32>),
    Relu,
    Silu,
    LayerNorm {
        epsilon: f64,
        gain: Vec<f32>,
        shift: Vec<f32>,
    },
}

/// More than any such network has.
const MAX_WIDTH: usize = 1 << 20;

impl Mlp {
    /// No layers yet: what comes in goes out.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no inputs, or more than 2^20.
    pub fn new(inputs: usize) -> Result<Self> {
        if inputs == 0 || inputs > MAX_WIDTH {
            return Err(Error::Count { what: "network inputs", expected: "1 to 2^20", found: inputs });
        }
        Ok(Self { inputs, outputs: inputs, steps: Vec::new() })
    }

    /// A layer `W·x + b`: weights `[outputs, inputs]`, one output behind the other, and one bias an output (zeros, where
    /// a checkpoint has none).
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no outputs or more than 2^20, [`Error::Length`] if the weights have another size.
    pub fn linear(mut self, weights: &[f32], bias: &[f32]) -> Result<Self> {
        if bias.is_empty() || bias.len() > MAX_WIDTH {
            return Err(Error::Count { what: "network outputs", expected: "1 to 2^20", found: bias.len() });
        }
        let expected = product("network weights", &[bias.len(), self.outputs])?;
        check_length("network weights", expected, weights.len())?;
        self.steps.push(Step::Linear(weights.to_vec(), bias.to_vec()));
        self.outputs = bias.len();
        Ok(self)
    }

    /// The larger of each value and 0.
    #[must_use]
    pub fn relu(mut self) -> Self {
        self.steps.push(Step::Relu);
        self
    }

    /// `x/(1 + e^−x)` of each value.
    ///
    /// ```
    /// use posenc::Mlp;
    ///
    /// let mut out = [0.0];
    /// Mlp::new(1)?.silu().run(&[1.0], &mut out)?;
    /// assert!((out[0] - 1.0 / (1.0 + (-1.0_f64).exp())).abs() < 1e-15);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn silu(mut self) -> Self {
        self.steps.push(Step::Silu);
        self
    }

    /// Layer norm with a gain and a shift for each value.
    ///
    /// ```
    /// use posenc::Mlp;
    ///
    /// let mut out = [0.0; 2];
    /// Mlp::new(2)?.layer_norm(0.0, &[2.0, 1.0], &[0.0, 0.5])?.run(&[1.0, 3.0], &mut out)?;
    /// assert_eq!(out, [-2.0, 1.5]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if `epsilon` is negative or not finite, [`Error::Length`] if there is not one gain and one shift
    /// a value.
    pub fn layer_norm(mut self, epsilon: f64, gain: &[f32], shift: &[f32]) -> Result<Self> {
        stabilise::check_epsilon(epsilon)?;
        check_length("gain", self.outputs, gain.len())?;
        check_length("shift", self.outputs, shift.len())?;
        self.steps.push(Step::LayerNorm { epsilon, gain: gain.to_vec(), shift: shift.to_vec() });
        Ok(self)
    }

    /// How many values go in.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many values come out.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Runs rows of inputs, `[rows, inputs]`, through the layers: `[rows, outputs]`.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the inputs are not whole rows, or there is not a row of outputs for each.
    pub fn run(&self, inputs: &[f64], outputs: &mut [f64]) -> Result<()> {
        let rows = inputs.len() / self.inputs;
        check_length("network inputs", rows * self.inputs, inputs.len())?;
        check_length("network outputs", product("network outputs", &[rows, self.outputs])?, outputs.len())?;
        let mut values = Vec::new();
        let mut next = Vec::new();
        for (input, output) in inputs.chunks_exact(self.inputs).zip(outputs.chunks_exact_mut(self.outputs)) {
            values.clear();
            values.extend_from_slice(input);
            for step in &self.steps {
                step.run(&mut values, &mut next);
            }
            output.copy_from_slice(&values);
        }
        Ok(())
    }

    /// The outputs of a column of inputs, `[outputs, rows]`, each made into an f32.
    pub(crate) fn transposed(&self, inputs: &[f64], finish: impl Fn(f64) -> f64) -> Result<Vec<f32>> {
        let rows = inputs.len() / self.inputs;
        let mut outputs = zeros("network outputs", &[rows, self.outputs])?;
        self.run(inputs, &mut outputs)?;
        let column = |output: usize| outputs.iter().skip(output).step_by(self.outputs);
        Ok((0..self.outputs).flat_map(column).map(|&x| finish(x) as f32).collect())
    }
}

impl Step {
    fn run(&self, values: &mut Vec<f64>, next: &mut Vec<f64>) {
        match self {
            Self::Linear(weights, bias) => {
                let dot = |row: &[f32]| row.iter().zip(&*values).map(|(&w, &x)| f64::from(w) * x).sum::<f64>();
                next.clear();
                next.extend(weights.chunks_exact(values.len()).zip(bias).map(|(row, &b)| dot(row) + f64::from(b)));
                core::mem::swap(values, next);
            }
            Self::Relu => values.iter_mut().for_each(|x| *x = if *x < 0.0 { 0.0 } else { *x }),
            Self::Silu => values.iter_mut().for_each(|x| *x *= sigmoid(*x)),
            Self::LayerNorm { epsilon, gain, shift } => {
                stabilise::centre(values, *epsilon);
                values.iter_mut().zip(gain).for_each(|(x, &gain)| *x *= f64::from(gain));
                values.iter_mut().zip(shift).for_each(|(x, &shift)| *x += f64::from(shift));
            }
        }
    }
}

//! What the outputs of a network hand back to its parameters, layer by layer from the last to the first.

use alloc::vec::Vec;

use super::super::learned::add_rounded;
use super::{Mlp, Step};
use crate::Element;
use crate::error::{Result, check_length, product, zeros};
use crate::math::elementary::sigmoid;
use crate::stabilise;

impl Mlp {
    /// How many parameters all layers have.
    ///
    /// ```
    /// use posenc::Mlp;
    ///
    /// assert_eq!(Mlp::new(2)?.linear(&[0.0; 6], &[0.0; 3])?.silu().parameters(), 9);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.steps.iter().map(Step::parameters).sum()
    }

    /// Adds to `parameters_gradient` what the gradients of outputs, `[rows, outputs]`, hand back from rows of inputs,
    /// `[rows, inputs]`. It has one value for each parameter, in the order in which they were given: of each layer the
    /// weights, then the biases, or the gains, then the shifts. Summed in f64, rounded once; a rectifier at 0 lets nothing
    /// through.
    ///
    /// ```
    /// use posenc::Mlp;
    ///
    /// // y = 3·relu(2·x + 1) + 5 at x = 10.
    /// let network = Mlp::new(1)?.linear(&[2.0], &[1.0])?.relu().linear(&[3.0], &[5.0])?;
    /// let mut gradient = [0.0; 4];
    /// network.parameters_gradient(&[10.0], &[1.0_f32], &mut gradient)?;
    /// assert_eq!(gradient, [30.0, 3.0, 21.0, 1.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`](crate::Error::Length) if the inputs are not whole rows, there is not a row of gradients for each, or
    /// not a value for each parameter. Nothing is written then.
    pub fn parameters_gradient<T: Element>(
        &self,
        inputs: &[f64],
        gradient: &[T],
        parameters_gradient: &mut [f32],
    ) -> Result<()> {
        let rows = inputs.len() / self.inputs;
        check_length("network inputs", rows * self.inputs, inputs.len())?;
        check_length("output gradients", product("output gradients", &[rows, self.outputs])?, gradient.len())?;
        check_length("parameters gradient", self.parameters(), parameters_gradient.len())?;
        let mut sums: Vec<f64> = zeros("parameters gradient", &[parameters_gradient.len()])?;
        for (input, gradient) in inputs.chunks_exact(self.inputs).zip(gradient.chunks_exact(self.outputs)) {
            self.hand_back(input, gradient.iter().map(|x| x.to_double()).collect(), &mut sums);
        }
        parameters_gradient.iter_mut().zip(&sums).for_each(|(to, &sum)| add_rounded(to, sum));
        Ok(())
    }

    /// What the gradient of one row of outputs hands back.
    fn hand_back(&self, input: &[f64], mut gradient: Vec<f64>, sums: &mut [f64]) {
        let (mut values, mut next) = (input.to_vec(), Vec::new());
        let seen = self.steps.iter().map(|step| {
            let input = values.clone();
            step.run(&mut values, &mut next);
            input
        });
        let seen: Vec<Vec<f64>> = seen.collect();
        let mut rest = sums;
        for (step, input) in self.steps.iter().zip(seen).rev() {
            let (before, sums) = rest.split_at_mut(rest.len() - step.parameters());
            gradient = step.hand_back(input, gradient, sums);
            rest = before;
        }
    }
}

impl Step {
    fn parameters(&self) -> usize {
        match self {
            Self::Linear(weights, bias) => weights.len() + bias.len(),
            Self::Relu | Self::Silu => 0,
            Self::LayerNorm { gain, shift, .. } => gain.len() + shift.len(),
        }
    }

    /// Adds what the gradient of the outputs hands back to the parameters, and returns that of the inputs.
    fn hand_back(&self, mut input: Vec<f64>, mut gradient: Vec<f64>, sums: &mut [f64]) -> Vec<f64> {
        match self {
            Self::Linear(weights, _) => {
                let (of_weights, of_bias) = sums.split_at_mut(weights.len());
                let mut back = alloc::vec![0.0; input.len()];
                let lines = weights.chunks_exact(input.len()).zip(of_weights.chunks_exact_mut(input.len()));
                for (((row, sums), bias), &x) in lines.zip(of_bias).zip(&gradient) {
                    *bias += x;
                    sums.iter_mut().zip(&input).for_each(|(sum, &input)| *sum += x * input);
                    back.iter_mut().zip(row).for_each(|(back, &w)| *back += x * f64::from(w));
                }
                back
            }
            Self::Relu => {
                gradient.iter_mut().zip(&input).for_each(|(x, &input)| *x = if input > 0.0 { *x } else { 0.0 });
                gradient
            }
            Self::Silu => {
                for (x, &input) in gradient.iter_mut().zip(&input) {
                    let open = sigmoid(input);
                    *x *= open + input * open * (1.0 - open);
                }
                gradient
            }
            Self::LayerNorm { epsilon, gain, .. } => {
                let factor = stabilise::centre(&mut input, *epsilon);
                let (of_gain, of_shift) = sums.split_at_mut(gain.len());
                for ((of_gain, of_shift), (&x, &input)) in
                    of_gain.iter_mut().zip(of_shift).zip(gradient.iter().zip(&input))
                {
                    *of_gain += x * input;
                    *of_shift += x;
                }
                gradient.iter_mut().zip(gain).for_each(|(x, &gain)| *x *= f64::from(gain));
                let count = input.len() as f64;
                let mean = gradient.iter().sum::<f64>() / count;
                let along = gradient.iter().zip(&input).map(|(x, input)| x * input).sum::<f64>() / count;
                gradient.iter_mut().zip(&input).for_each(|(x, input)| *x = (*x - mean - input * along) * factor);
                gradient
            }
        }
    }
}

//! What scores hand back to the parameters of FIRE. The network is a straight line between its bends, so the sums of each
//! stretch are all that the units have to be asked about.

use alloc::vec;
use alloc::vec::Vec;

use super::super::learned::add_rounded;
use super::super::tile::Block;
use super::{Fire, is_on, middles};
use crate::Element;
use crate::error::{Result, check_length};

/// The gradients of [`FireWeights`](super::FireWeights), to which [`Fire::weights_gradient`] adds; sizes are the same.
///
/// ```
/// use posenc::{Fire, FireGradient, FireWeights};
///
/// let weights = FireWeights {
///     hidden: &[1.0], hidden_bias: &[0.5], output: &[2.0], output_bias: &[0.0], c: 1.0, threshold: 3.0,
/// };
/// let fire = Fire::new(weights, 100)?;
/// let (mut hidden, mut hidden_bias, mut output, mut output_bias) = ([0.0], [0.0], [0.0], [0.0]);
/// let (mut c, mut threshold) = (0.0, 0.0);
/// let gradient = FireGradient {
///     hidden: &mut hidden,
///     hidden_bias: &mut hidden_bias,
///     output: &mut output,
///     output_bias: &mut output_bias,
///     c: &mut c,
///     threshold: &mut threshold,
/// };
/// // One key at its query: the input of the network is 0 whatever c and the threshold are.
/// fire.weights_gradient(&[10.0_f32], [1, 1], 0, gradient)?;
/// assert_eq!((hidden, hidden_bias, output, output_bias), ([0.0], [20.0], [5.0], [10.0]));
/// assert_eq!((c, threshold), (0.0, 0.0));
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Debug)]
pub struct FireGradient<'a> {
    /// Of the weights of the hidden layer, one a unit.
    pub hidden: &'a mut [f32],
    /// Of the biases of the hidden layer, one a unit.
    pub hidden_bias: &'a mut [f32],
    /// Of the weights of the output layer, `[heads, units]`.
    pub output: &'a mut [f32],
    /// Of the biases of the output layer, one a head.
    pub output_bias: &'a mut [f32],
    /// Of the factor on distances.
    pub c: &'a mut f32,
    /// Of the threshold; a learned multiplier gets this times the initial length.
    pub threshold: &'a mut f32,
}

/// Sums over the scores whose inputs lie on one stretch between bends, or on one bend.
#[derive(Clone, Copy, Default)]
struct Piece {
    /// Of the gradients.
    gradient: f64,
    /// Of the gradients times the input of the network, …
    input: f64,
    /// … times the derivative of the input by `c`, …
    c: f64,
    /// … and by the threshold.
    threshold: f64,
}

/// What all heads hand back together.
struct Shared {
    hidden: Vec<f64>,
    hidden_bias: Vec<f64>,
    c: f64,
    threshold: f64,
}

impl Fire {
    /// Adds to the gradients of all parameters what the gradient of the scores, `[heads, queries, keys]`, hands back. Summed
    /// in f64, rounded once.
    ///
    /// Where the derivative has two sides: a unit whose sum is 0 is off, a query at the threshold is treated like those
    /// before it, and a `c` or a threshold of 0 stays.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); [`Error::Length`](crate::Error::Length) if a gradient has another size than its weights.
    /// Nothing is written then.
    pub fn weights_gradient<T: Element>(
        &self,
        gradient: &[T],
        size: [usize; 2],
        first_query: usize,
        weights_gradient: FireGradient<'_>,
    ) -> Result<()> {
        let ([queries, keys], heads, units) = (size, self.heads(), self.units.len());
        Block::new(heads, size, first_query).check(self, gradient)?;
        let FireGradient { hidden, hidden_bias, output, output_bias, c, threshold } = weights_gradient;
        for (what, expected, found) in [
            ("hidden gradient", units, hidden.len()),
            ("hidden bias gradient", units, hidden_bias.len()),
            ("output gradient", self.output.len(), output.len()),
            ("output bias gradient", heads, output_bias.len()),
        ] {
            check_length(what, expected, found)?;
        }
        if gradient.is_empty() {
            return Ok(());
        }
        let mut pieces: Vec<(f64, Piece)> = self.places().map(|input| (input, Piece::default())).collect();
        let mut shared = Shared { hidden: vec![0.0; units], hidden_bias: vec![0.0; units], c: 0.0, threshold: 0.0 };
        for (head, rows) in gradient.chunks_exact(queries * keys).enumerate() {
            pieces.iter_mut().for_each(|(_, piece)| *piece = Piece::default());
            for (query, row) in (first_query..).zip(rows.chunks_exact(keys)) {
                self.collect(query, row, &mut pieces);
            }
            self.hand_back(head, &pieces, &mut output[head * units..][..units], &mut shared);
            add_rounded(&mut output_bias[head], pieces.iter().map(|(_, piece)| piece.gradient).sum());
        }
        for (to, sums) in [(hidden, &shared.hidden), (hidden_bias, &shared.hidden_bias)] {
            to.iter_mut().zip(sums).for_each(|(to, &sum)| add_rounded(to, sum));
        }
        add_rounded(c, shared.c);
        add_rounded(threshold, shared.threshold);
        Ok(())
    }

    /// An input on each piece: on the stretches, with the bends between them.
    fn places(&self) -> impl Iterator<Item = f64> {
        let bends = self.bends.iter().copied().map(Some).chain([None]);
        middles(&self.bends).into_iter().zip(bends).flat_map(|(middle, bend)| [Some(middle), bend]).flatten()
    }

    /// Adds a row of gradients to the sums of the pieces.
    fn collect<T: Element>(&self, query: usize, row: &[T], pieces: &mut [(f64, Piece)]) {
        let (divisor, c, threshold) = (self.divisor(query), self.c.abs(), self.threshold.abs());
        let far = threshold.max(query as f64);
        let divisor_by_c = far / (1.0 + c * far);
        let divisor_by_threshold = if query as f64 <= threshold { c / (1.0 + c * threshold) } else { 0.0 };
        let mut at = 0;
        for (key, x) in row.iter().enumerate() {
            let (distance, gradient) = (key.abs_diff(query), x.to_double());
            let input = self.psi[distance] / divisor;
            at = self.stretch(input, at);
            let is_bend = at > 0 && input == self.bends[at - 1];
            let (_, piece) = &mut pieces[2 * at - usize::from(is_bend)];
            let distance = distance as f64;
            let by_c = (distance / (1.0 + c * distance) - input * divisor_by_c) / divisor;
            piece.gradient += gradient;
            piece.input += gradient * input;
            piece.c += gradient * by_c;
            piece.threshold -= gradient * input * divisor_by_threshold / divisor;
        }
    }

    /// What the pieces of a head hand back through each unit.
    fn hand_back(&self, head: usize, pieces: &[(f64, Piece)], output: &mut [f32], shared: &mut Shared) {
        let weights = &self.output[head * output.len()..][..output.len()];
        let signs = [self.c, self.threshold].map(|x| if x == 0.0 { 0.0 } else { 1.0_f64.copysign(x) });
        for (unit, ((&(w, b), &weight), output)) in self.units.iter().zip(weights).zip(output).enumerate() {
            let weight = f64::from(weight);
            let mut on = Piece::default();
            for (_, piece) in pieces.iter().filter(|(input, _)| is_on((w, b), *input)) {
                on.gradient += piece.gradient;
                on.input += piece.input;
                on.c += piece.c;
                on.threshold += piece.threshold;
            }
            add_rounded(output, w * on.input + b * on.gradient);
            shared.hidden[unit] += weight * on.input;
            shared.hidden_bias[unit] += weight * on.gradient;
            shared.c += signs[0] * weight * w * on.c;
            shared.threshold += signs[1] * weight * w * on.threshold;
        }
    }
}

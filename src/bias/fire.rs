//! Functional interpolation: a small network of the distance, as a fraction of how far the query stands.

mod gradient;

pub use gradient::FireGradient;

use alloc::vec::Vec;

use posenc_kernels::Level;

use super::forms::score_forms;
use super::rows::{Of, Rows, Shared};
use super::tile::{Block, LIMIT};
use crate::error::{Error, Result, check_length, product, zeros};
use crate::math::elementary::ln_1p;

/// What keeps the fraction finite for a query at 0.
const EPSILON: f64 = 1e-6;

/// More hidden units than any model has.
const MAX_WIDTH: usize = 1024;

/// The parameters of [`Fire`]: a network of one input, one hidden layer with a rectifier, and one output a head.
///
/// ```
/// use posenc::FireWeights;
///
/// // One hidden unit, two heads; c and the threshold as models begin.
/// let weights = FireWeights {
///     hidden: &[1.0],
///     hidden_bias: &[0.0],
///     output: &[0.5, -0.5],
///     output_bias: &[0.0, 1.0],
///     c: 0.1,
///     threshold: 512.0,
/// };
/// assert_eq!(weights.output.len(), weights.hidden.len() * weights.output_bias.len());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FireWeights<'a> {
    /// Weights of the hidden layer, one a unit.
    pub hidden: &'a [f32],
    /// Biases of the hidden layer, one a unit.
    pub hidden_bias: &'a [f32],
    /// Weights of the output layer, `[heads, units]`.
    pub output: &'a [f32],
    /// Biases of the output layer, one a head.
    pub output_bias: &'a [f32],
    /// The learned factor on distances; models begin with 0.1.
    pub c: f32,
    /// The position up to which all queries are treated alike: the learned multiplier times the initial length. Its sign
    /// does not count.
    pub threshold: f32,
}

/// `f(ψ(query − key) / (ψ(max(query, threshold)) + 10^−6))` with `ψ(x) = ln(|c·x| + 1)` and a network `f`.
///
/// Queries up to the threshold share one function of the distance; each one beyond it has its own. The network is a
/// straight line between the points where a unit switches, so a score costs the same for any number of units.
///
/// ```
/// use posenc::{Fire, FireWeights};
///
/// let weights = FireWeights {
///     hidden: &[1.0], hidden_bias: &[0.0], output: &[2.0], output_bias: &[0.5], c: 1.0, threshold: 3.0,
/// };
/// let fire = Fire::new(weights, 100)?;
/// let mut row = [0.0_f32; 4];
/// fire.write(&mut row, [1, 4], 3)?;                                    // the query at 3, a decode step
/// assert!((row[0] - 2.5).abs() < 1e-5 && row[3] == 0.5);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Values are worked out in f64 and rounded once. Keys after the query get the value of their distance and are meant to be
/// masked.
///
/// Source: Li et al., *Functional interpolation for relative positions improves long context transformers*, 2023.
#[derive(Clone, Debug, PartialEq)]
pub struct Fire {
    /// `ψ` of each distance.
    psi: Vec<f64>,
    c: f64,
    threshold: f64,
    /// Weight and bias of each hidden unit.
    units: Vec<(f64, f64)>,
    /// `[heads, units]`.
    output: Vec<f32>,
    /// Where the network bends, growing.
    bends: Vec<f64>,
    /// Slope and intercept between bends, `[heads, bends + 1]`.
    lines: Vec<(f64, f64)>,
    level: Level,
}

impl Fire {
    /// A bias of given parameters, for queries and keys at most `farthest` apart.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the layers do not fit together, [`Error::Count`] if there are no heads, no hidden units or more
    /// than 1024, or `farthest` is above 2^24 or does not fit the memory; [`Error::Number`] if `c` or the threshold is not
    /// finite.
    pub fn new(weights: FireWeights<'_>, farthest: usize) -> Result<Self> {
        let FireWeights { hidden, hidden_bias, output, output_bias, c, threshold } = weights;
        for (what, expected, found, most) in [
            ("hidden units", "1 to 1024", hidden.len(), MAX_WIDTH),
            ("heads", "1 to 65536", output_bias.len(), 1 << 16),
        ] {
            if found == 0 || found > most {
                return Err(Error::Count { what, expected, found });
            }
        }
        check_length("hidden biases", hidden.len(), hidden_bias.len())?;
        check_length("output weights", product("output weights", &[output_bias.len(), hidden.len()])?, output.len())?;
        for (what, found) in [("c", c), ("threshold", threshold)] {
            if !found.is_finite() {
                return Err(Error::Number { what, expected: "a finite number", found: found.into() });
            }
        }
        if farthest > LIMIT {
            return Err(Error::Count { what: "distance", expected: "at most 2^24", found: farthest });
        }
        let (c, threshold) = (f64::from(c), f64::from(threshold));
        let mut psi: Vec<f64> = zeros("distances", &[farthest + 1])?;
        psi.iter_mut().enumerate().for_each(|(distance, psi)| *psi = ln_1p(c.abs() * distance as f64));
        let units: Vec<(f64, f64)> = hidden.iter().zip(hidden_bias).map(|(&w, &b)| (w.into(), b.into())).collect();
        let mut bends: Vec<f64> = units.iter().filter(|(w, _)| *w != 0.0).map(|(w, b)| -b / w).collect();
        bends.sort_by(f64::total_cmp);
        let lines = lines(&units, &bends, output, output_bias);
        Ok(Self { psi, c, threshold, units, output: output.to_vec(), bends, lines, level: Level::detect() })
    }

    /// The same bias on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// How many heads there are.
    #[must_use]
    pub fn heads(&self) -> usize {
        self.lines.len() / (self.bends.len() + 1)
    }

    score_forms!(pub, Of, where);

    /// What `ψ` of a distance is divided by for a query.
    fn divisor(&self, query: usize) -> f64 {
        ln_1p(self.c.abs() * self.threshold.abs().max(query as f64)) + EPSILON
    }

    /// The number of bends up to an input, found from that of one nearby.
    #[inline(always)]
    fn stretch(&self, input: f64, mut at: usize) -> usize {
        while at > 0 && input < self.bends[at - 1] {
            at -= 1;
        }
        while at < self.bends.len() && input >= self.bends[at] {
            at += 1;
        }
        at
    }
}

/// Whether a unit lets an input through.
fn is_on((weight, bias): (f64, f64), input: f64) -> bool {
    weight * input + bias > 0.0
}

/// An input on each stretch between bends.
fn middles(bends: &[f64]) -> Vec<f64> {
    // The two outer ones reach to infinity.
    let inner = bends.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    let (first, last) = match bends {
        [] => (0.0, None),
        [first, .., last] => (first - 1.0 - first.abs(), Some(last + 1.0 + last.abs())),
        [only] => (only - 1.0 - only.abs(), Some(only + 1.0 + only.abs())),
    };
    core::iter::once(first).chain(inner).chain(last).collect()
}

/// Slope and intercept of each head between the bends, `[heads, bends + 1]`.
fn lines(units: &[(f64, f64)], bends: &[f64], output: &[f32], output_bias: &[f32]) -> Vec<(f64, f64)> {
    let middles = middles(bends);
    let mut lines = Vec::with_capacity(output_bias.len() * middles.len());
    for (row, &bias) in output.chunks_exact(units.len()).zip(output_bias) {
        for &x in &middles {
            let mut line = (0.0, f64::from(bias));
            for (&(w, b), &out) in units.iter().zip(row) {
                let out = f64::from(out);
                if is_on((w, b), x) {
                    line = (line.0 + out * w, line.1 + out * b);
                }
            }
            lines.push(line);
        }
    }
    lines
}

impl Rows for Fire {
    fn heads(&self) -> usize {
        self.heads()
    }

    fn shared(&self, query: usize) -> Shared {
        let last = self.threshold.abs() as usize;
        Shared { queries: if query <= last { (last - query).saturating_add(1) } else { 1 }, step: 1 }
    }

    #[inline(always)]
    fn fill(&self, head: usize, last_query: usize, first_key: usize, out: &mut [f32]) {
        let (divisor, stretches) = (self.divisor(last_query), self.bends.len() + 1);
        let lines = &self.lines[head * stretches..][..stretches];
        let mut at = 0;
        for (key, out) in (first_key..).zip(out) {
            let x = self.psi[key.abs_diff(last_query)] / divisor;
            at = self.stretch(x, at);
            let (slope, intercept) = lines[at];
            *out = (slope * x + intercept) as f32;
        }
    }

    fn check(&self, block: &Block) -> Result<()> {
        let last_query = block.first_query + block.queries - 1;
        let last_key = block.first_key + block.keys - 1;
        let found = last_query.saturating_sub(block.first_key).max(last_key.saturating_sub(block.first_query));
        if found >= self.psi.len() {
            return Err(Error::Count { what: "distance", expected: "one that the bias was made for", found });
        }
        Ok(())
    }

    fn level(&self) -> Level {
        self.level
    }
}

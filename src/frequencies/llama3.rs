//! The scaling of Llama-3.1: fast pairs stay, slow ones are divided, a few between them are blended.

use super::{Frequencies, check_context, check_factor};
use crate::error::{Error, Result};
use crate::math::{PI, Twofold};

/// With `turns_j = original_length · f_j/2π`, the turns of a pair within the trained context: `f_j` where they are more
/// than `high_freq_factor`, `f_j/factor` where they are fewer than `low_freq_factor`, and a blend between.
///
/// ```
/// use posenc::{Frequencies, Llama3};
///
/// // Llama-4-Scout, whose two bounds are the same: a pair either stays or is divided.
/// let plain = Frequencies::new(128, 500_000.0)?;
/// let scaled = plain.scaled(&Llama3::new(16.0).with_low_freq_factor(1.0).with_high_freq_factor(1.0).into())?;
/// for (scaled, plain) in scaled.as_slice().iter().zip(plain.as_slice()) {
///     assert!(scaled == plain || *scaled == plain / 16.0);
/// }
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: the reference code of Llama-3.1; `rope_type: llama3`. GGUF files hold the outcome as divisors, see
/// [`Scaling::Divisors`](super::Scaling::Divisors).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Llama3 {
    factor: f64,
    low: f64,
    high: f64,
    original_length: usize,
}

impl Llama3 {
    /// With the bounds of Llama-3.1: 1 turn and 4 turns within 8192 tokens.
    #[must_use]
    pub fn new(factor: f64) -> Self {
        Self { factor, low: 1.0, high: 4.0, original_length: 8192 }
    }

    /// Pairs that make fewer turns are divided.
    #[must_use]
    pub fn with_low_freq_factor(self, low: f64) -> Self {
        Self { low, ..self }
    }

    /// Pairs that make more turns stay. At least the low bound; the same is allowed.
    #[must_use]
    pub fn with_high_freq_factor(self, high: f64) -> Self {
        Self { high, ..self }
    }

    /// The length of the context before it was stretched (`original_max_position_embeddings`).
    ///
    /// ```
    /// use posenc::{Frequencies, Llama3};
    ///
    /// let scaled = Frequencies::new(128, 500_000.0)?.scaled(&Llama3::new(8.0).with_original_length(4096).into())?;
    /// assert_eq!(scaled.magnitude(), 1.0);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_original_length(self, original_length: usize) -> Self {
        Self { original_length, ..self }
    }

    pub(super) fn apply(self, plain: &Frequencies) -> Result<Frequencies> {
        let factor = Twofold::from(check_factor("llama3 factor", self.factor)?);
        let low = check_factor("low frequency factor", self.low)?;
        let high = check_factor("high frequency factor", self.high)?;
        if high < low {
            let expected = "at least the low frequency factor";
            return Err(Error::Number { what: "high frequency factor", expected, found: high });
        }
        let length = Twofold::from(check_context("original length", self.original_length)?);
        let (low, high) = (Twofold::from(low), Twofold::from(high));
        let turns_in = length.over(PI.times(Twofold::from(2.0)));
        plain.with_values(plain.digits().map(|f| {
            let turns = f.times(if f.value() < 0.0 { turns_in.times(Twofold::from(-1.0)) } else { turns_in });
            let (above, below) = (turns.minus(high).value(), turns.minus(low).value());
            if above >= 0.0 {
                f
            } else if below <= 0.0 {
                f.over(factor)
            } else {
                let kept = turns.minus(low).over(high.minus(low));
                f.times(kept).plus(f.over(factor).times(Twofold::from(1.0).minus(kept)))
            }
        }))
    }
}

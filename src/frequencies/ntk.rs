//! NTK-aware scalings: a larger base slows the slow pairs down and leaves the fast ones alone.

use super::{Frequencies, check_context, check_factor, check_number, power_of};
use crate::error::{Error, Result};
use crate::math::Twofold;

/// `base' = base · factor^(width/(width − 2))`.
pub(super) fn aware(plain: &Frequencies, factor: Twofold) -> Result<Frequencies> {
    let base = Twofold::from(plain.series("NTK-aware scaling")?);
    let width = plain.width();
    if width < 4 {
        let expected = "at least 4 features, for NTK-aware scaling";
        return Err(Error::Count { what: "rotary width", expected, found: width });
    }
    let width = width as f64;
    let exponent = Twofold::from(width).over(Twofold::from(width - 2.0));
    let logarithm = base.ln().plus(factor.ln().times(exponent));
    plain.with_values((0..plain.pairs()).map(|j| power_of(logarithm, -2.0 * j as f64, width)))
}

/// NTK-aware scaling for one length of sequence: `factor · length/trained_length − (factor − 1)` takes the place of the
/// factor, and up to the trained length nothing changes, to the bit.
///
/// ```
/// use posenc::{DynamicNtk, Frequencies, Scaling};
///
/// let plain = Frequencies::new(128, 1_000_000.0)?;
/// let scaled = |length| plain.scaled(&DynamicNtk::new(2.0, 32_768, length).into());
/// assert_eq!(scaled(32_768)?, plain);
/// assert!(scaled(40_000)?.as_slice()[1] < plain.as_slice()[1]);
/// // Twice the trained length with a factor of 2: 2 · 2 − 1.
/// assert_eq!(scaled(65_536)?, plain.scaled(&Scaling::ntk(3.0))?);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// The length is chosen once for a sequence, by the caller: keys that were turned with the frequencies of one length cannot be
/// compared with queries turned with those of another. The code in Hugging Face's library works the length out anew for
/// each batch and keeps the largest base it has seen until a short sequence comes; cached keys are not turned again. vLLM uses
/// `length = factor · trained_length` for all sequences. Either can be had by passing that length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicNtk {
    factor: f64,
    trained_length: usize,
    length: usize,
}

impl DynamicNtk {
    /// For sequences of `length` tokens and a model trained on `trained_length` (`max_position_embeddings`).
    #[must_use]
    pub fn new(factor: f64, trained_length: usize, length: usize) -> Self {
        Self { factor, trained_length, length }
    }

    pub(super) fn apply(self, plain: &Frequencies) -> Result<Frequencies> {
        let factor = check_factor("dynamic NTK factor", self.factor)?;
        let trained = check_context("trained length", self.trained_length)?;
        if self.length <= self.trained_length {
            plain.series("dynamic NTK scaling")?;
            return Ok(plain.clone());
        }
        let length = check_context("length", self.length)?;
        // factor · (length − trained)/trained + 1, which no cancellation spoils.
        let beyond = Twofold::from(length - trained).over(Twofold::from(trained));
        aware(plain, Twofold::from(factor).times(beyond).plus(Twofold::from(1.0)))
    }
}

/// NTK-mixed: pair `j` is slowed down by `factor^(((j + 1)/pairs)^exponent)`, or in the fixed form by
/// `factor^((j + 1)/pairs)`.
///
/// ```
/// use posenc::{Frequencies, NtkMixed};
///
/// let plain = Frequencies::new(128, 10_000.0)?;
/// let mixed = plain.scaled(&NtkMixed::new(8.0).with_exponent(0.625).into())?;
/// // The slowest pair is slowed down by the whole factor.
/// assert!((8.0 * mixed.as_slice()[63] / plain.as_slice()[63] - 1.0).abs() < 1e-15);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: Su, notes on NTK-aware and mixed-base encodings, 2023; `rope_type: ntk` of vLLM, whose `mixed_b` is the
/// exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NtkMixed {
    factor: f64,
    exponent: f64,
}

impl NtkMixed {
    /// The fixed form: the base becomes `base · factor`, and all frequencies are divided by `factor^(2/width)` on top.
    #[must_use]
    pub fn new(factor: f64) -> Self {
        Self { factor, exponent: 1.0 }
    }

    /// The mixed form, which spreads the slowing down by a power; 1 is the fixed form.
    #[must_use]
    pub fn with_exponent(self, exponent: f64) -> Self {
        Self { exponent, ..self }
    }

    pub(super) fn apply(self, plain: &Frequencies) -> Result<Frequencies> {
        plain.series("NTK-mixed scaling")?;
        let logarithm = Twofold::from(check_factor("NTK-mixed factor", self.factor)?).ln();
        let exponent = check_number("NTK-mixed exponent", self.exponent, 0.0..=100.0, "a number from 0 to 100")?;
        let pairs = Twofold::from(plain.pairs() as f64);
        plain.with_values(plain.digits().enumerate().map(|(j, f)| {
            let part = Twofold::from((j + 1) as f64).over(pairs).ln().times(Twofold::from(exponent)).exp();
            f.times(logarithm.times(part).times(Twofold::from(-1.0)).exp())
        }))
    }
}

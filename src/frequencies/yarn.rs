//! YaRN: pairs are kept or interpolated by how often they turn within the trained context.

use super::{Frequencies, check_context, check_factor, check_number};
use crate::error::{Error, Result};
use crate::math::{self, PI, Twofold};

/// Whether the two bounds of the ramp are rounded to whole pairs.
///
/// ```
/// use posenc::{Frequencies, Truncation, Yarn};
///
/// // gpt-oss does not round: pair 17 differs by three quarters.
/// let scaled = |truncation| {
///     let yarn = Yarn::new(32.0, 4096).with_truncation(truncation);
///     Frequencies::new(64, 150_000.0)?.scaled(&yarn.into())
/// };
/// let (whole, exact) = (scaled(Truncation::Whole)?, scaled(Truncation::Exact)?);
/// assert!(whole.as_slice()[17] > 1.7 * exact.as_slice()[17]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truncation {
    /// The lower bound is rounded down and the upper one up: the default of the paper's code, and ggml always.
    Whole,
    /// The bounds stay fractions: `truncate: false`, as gpt-oss has it.
    Exact,
}

/// Where the magnitude of a [`Yarn`] comes from.
///
/// ```
/// use posenc::{MagnitudeRule, Yarn};
///
/// let yarn = Yarn::new(16.0, 4096);
/// assert_eq!(yarn.magnitude_rule(), MagnitudeRule::Plain);
/// assert_eq!(yarn.with_mscale(1.0, 1.0).magnitude_rule(), MagnitudeRule::Ratio);
/// assert_eq!(yarn.with_mscale(1.0, 1.0).with_attention_factor(1.2).magnitude_rule(), MagnitudeRule::Given);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MagnitudeRule {
    /// `attention_factor`, as it is.
    Given,
    /// `g(mscale)/g(mscale_all_dim)`, where both are given and not zero.
    Ratio,
    /// `g(1)`.
    Plain,
}

/// Pairs that make more than `beta_fast` turns within the trained context keep their frequency, those that make fewer than
/// `beta_slow` are divided by the factor, and a linear ramp over the pairs lies between.
///
/// With `g(k) = 1` for a factor of at most 1 and else `0.1·k·ln(factor) + 1`, the magnitude is the `attention_factor` if one is
/// given; else `g(mscale)/g(mscale_all_dim)` if both are given and not zero; else `g(1)`. Which of these it was, says
/// [`magnitude_rule`](Self::magnitude_rule). Models with multi-head latent attention multiply the scale of their scores by
/// [`softmax_factor`](Self::softmax_factor) as well; it is never part of the magnitude.
///
/// ```
/// use posenc::{Frequencies, Yarn};
///
/// // DeepSeek-V3: the magnitude cancels, and the scores are scaled instead.
/// let yarn = Yarn::new(40.0, 4096).with_mscale(1.0, 1.0);
/// let frequencies = Frequencies::new(64, 10_000.0)?.scaled(&yarn.into())?;
/// assert_eq!(frequencies.magnitude(), 1.0);
/// assert!((yarn.softmax_factor() - 1.873_854).abs() < 1e-6);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// In ggml's words, `freq_scale` is `1/factor`, `ext_factor` is 1, and the magnitude is
/// `attn_factor · (1 + 0.1·ln(factor))`: to have a given magnitude there, divide it by that logarithm. ggml rounds the bounds
/// always and has no `truncate`.
///
/// Source: Peng et al., *YaRN*, 2023; the order of the rules is that of Hugging Face's `_compute_yarn_parameters`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yarn {
    factor: f64,
    original_length: usize,
    beta_fast: f64,
    beta_slow: f64,
    truncation: Truncation,
    attention_factor: Option<f64>,
    mscale: f64,
    mscale_all_dim: f64,
    log_coefficient: f64,
}

impl Yarn {
    /// The defaults: betas of 32 and 1, rounded bounds, a magnitude of `0.1·ln(factor) + 1`.
    #[must_use]
    pub fn new(factor: f64, original_length: usize) -> Self {
        Self {
            factor,
            original_length,
            beta_fast: 32.0,
            beta_slow: 1.0,
            truncation: Truncation::Whole,
            attention_factor: None,
            mscale: 0.0,
            mscale_all_dim: 0.0,
            log_coefficient: 0.1,
        }
    }

    /// The turns within the trained context from which on a pair is kept, and below which it is interpolated.
    ///
    /// ```
    /// use posenc::{Frequencies, Yarn};
    ///
    /// let yarn = Yarn::new(4.0, 4096).with_betas(16.0, 2.0);
    /// assert!(Frequencies::new(64, 10_000.0)?.scaled(&yarn.into()).is_ok());
    /// assert!(Frequencies::new(64, 10_000.0)?.scaled(&yarn.with_betas(1.0, 32.0).into()).is_err());
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_betas(self, beta_fast: f64, beta_slow: f64) -> Self {
        Self { beta_fast, beta_slow, ..self }
    }

    /// Whether the bounds of the ramp are rounded to whole pairs.
    #[must_use]
    pub fn with_truncation(self, truncation: Truncation) -> Self {
        Self { truncation, ..self }
    }

    /// A magnitude that takes the place of the formula. It is not a factor on top.
    ///
    /// ```
    /// use posenc::{Frequencies, Yarn};
    ///
    /// let yarn = Yarn::new(64.0, 4096).with_attention_factor(1.0);
    /// assert_eq!(Frequencies::new(64, 10_000.0)?.scaled(&yarn.into())?.magnitude(), 1.0);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_attention_factor(self, attention_factor: f64) -> Self {
        Self { attention_factor: Some(attention_factor), ..self }
    }

    /// The two keys of DeepSeek. Zero means that a key is absent.
    #[must_use]
    pub fn with_mscale(self, mscale: f64, mscale_all_dim: f64) -> Self {
        Self { mscale, mscale_all_dim, ..self }
    }

    /// What stands for 0.1 in `g`: 0.07 in TeleChat-3.
    ///
    /// ```
    /// use posenc::{Frequencies, Yarn};
    ///
    /// let yarn = Yarn::new(4.0, 4096).with_log_coefficient(0.07);
    /// let magnitude = Frequencies::new(64, 10_000.0)?.scaled(&yarn.into())?.magnitude();
    /// assert!((magnitude - (1.0 + 0.07 * 4.0_f64.ln())).abs() < 1e-15);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_log_coefficient(self, log_coefficient: f64) -> Self {
        Self { log_coefficient, ..self }
    }

    /// Which rule sets the magnitude.
    #[must_use]
    pub fn magnitude_rule(&self) -> MagnitudeRule {
        if self.attention_factor.is_some() {
            MagnitudeRule::Given
        } else if self.mscale != 0.0 && self.mscale_all_dim != 0.0 {
            MagnitudeRule::Ratio
        } else {
            MagnitudeRule::Plain
        }
    }

    /// What multi-head latent attention multiplies the scale of its scores by: `g(mscale_all_dim)²`, or 1 without that key.
    #[must_use]
    pub fn softmax_factor(&self) -> f64 {
        if self.mscale_all_dim == 0.0 {
            return 1.0;
        }
        let g = self.g(self.mscale_all_dim);
        g * g
    }

    fn g(&self, mscale: f64) -> f64 {
        if self.factor > 1.0 { self.log_coefficient * mscale * math::ln(self.factor) + 1.0 } else { 1.0 }
    }

    /// The magnitude, by its rule.
    ///
    /// ```
    /// assert_eq!(posenc::Yarn::new(40.0, 4096).with_mscale(0.707, 0.707).magnitude(), 1.0);
    /// ```
    #[must_use]
    pub fn magnitude(&self) -> f64 {
        match (self.magnitude_rule(), self.attention_factor) {
            (_, Some(given)) => given,
            (MagnitudeRule::Ratio, None) => self.g(self.mscale) / self.g(self.mscale_all_dim),
            _ => self.g(1.0),
        }
    }

    pub(super) fn apply(&self, plain: &Frequencies) -> Result<Frequencies> {
        let base = plain.series("YaRN")?;
        let factor = Twofold::from(check_factor("YaRN factor", self.factor)?);
        check_number("base", base, 1.0 + f64::EPSILON..=f64::MAX, "a number above 1, for YaRN")?;
        let (low, high) = self.bounds(base, plain.width())?;
        let span = high.minus(low);
        let scaled = plain.with_values(plain.digits().enumerate().map(|(j, f)| {
            let ramp = Twofold::from(j as f64).minus(low).over(span);
            match ramp.value() {
                ramp if ramp <= 0.0 => f,
                ramp if ramp >= 1.0 => f.over(factor),
                _ => f.over(factor).times(ramp).plus(f.times(Twofold::from(1.0).minus(ramp))),
            }
        }))?;
        scaled.with_magnitude(self.magnitude())
    }

    /// The pairs between which the ramp lies.
    fn bounds(&self, base: f64, width: usize) -> Result<(Twofold, Twofold)> {
        let length = Twofold::from(check_context("original length", self.original_length)?);
        let fast = check_factor("beta_fast", self.beta_fast)?;
        let slow = check_factor("beta_slow", self.beta_slow)?;
        if fast < slow {
            return Err(Error::Number { what: "beta_fast", expected: "at least beta_slow", found: fast });
        }
        let width = width as f64;
        let per_pair = Twofold::from(width).over(Twofold::from(base).ln().times(Twofold::from(2.0)));
        let pair = |turns: f64| {
            let per_turn = length.over(PI.times(Twofold::from(2.0 * turns)));
            per_turn.ln().times(per_pair)
        };
        let (mut low, mut high) = (pair(fast), pair(slow));
        if self.truncation == Truncation::Whole {
            low = Twofold::from(math::floor(low.value()));
            high = Twofold::from(-math::floor(-high.value()));
        }
        if low.value() < 0.0 {
            low = Twofold::from(0.0);
        }
        if high.value() > width - 1.0 {
            high = Twofold::from(width - 1.0);
        }
        if high.minus(low).value() == 0.0 {
            high = high.plus(Twofold::from(0.001));
        }
        Ok((low, high))
    }
}

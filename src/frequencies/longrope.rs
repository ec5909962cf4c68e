//! LongRoPE: divisors found by search, one list for short sequences and one for long ones.

use alloc::vec::Vec;

use super::{Frequencies, check_context, check_factor, per_pair};
use crate::error::Result;
use crate::math;

/// Which of the two lists of divisors.
///
/// ```
/// use posenc::FactorList;
///
/// assert_eq!(FactorList::for_length(4096, 4096), FactorList::Short);
/// assert_eq!(FactorList::for_length(4097, 4096), FactorList::Long);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FactorList {
    /// For sequences within the trained context.
    Short,
    /// For sequences beyond it.
    Long,
}

impl FactorList {
    /// Long for sequences longer than the trained context, short for those of just that length.
    #[must_use]
    pub fn for_length(length: usize, original_length: usize) -> Self {
        if length > original_length { Self::Long } else { Self::Short }
    }
}

/// `f_j / divisor_j`, with the divisors of one of two lists and one magnitude for both.
///
/// ```
/// use posenc::{FactorList, Frequencies, LongRope};
///
/// // Two pairs, a context of 4096 tokens stretched 32 times.
/// let (short, long) = (vec![1.0, 1.5], vec![1.25, 40.0]);
/// let longrope = LongRope::new(short, long, 32.0, 4096, FactorList::Short);
/// let frequencies = Frequencies::new(4, 10_000.0)?;
/// let for_short = frequencies.scaled(&longrope.clone().into())?;
/// let for_long = frequencies.scaled(&longrope.with_list(FactorList::Long).into())?;
/// assert_eq!((for_short.as_slice()[0], for_long.as_slice()[0]), (1.0, 0.8));
/// assert!((for_short.magnitude() - 1.190_238_071_423_808).abs() < 1e-15);
/// assert_eq!(for_short.magnitude(), for_long.magnitude());
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// The list is chosen once for a sequence, by the caller ([`FactorList::for_length`]): keys turned with one list do not match
/// queries turned with the other. Engines differ here: Hugging Face's library chooses for each batch, vLLM by the
/// length that it is set up for, MLX always takes the long list.
///
/// The magnitude is `sqrt(1 + ln(factor)/ln(original_length))`, or 1 for a factor of at most 1, unless one is given.
///
/// Source: Ding et al., *LongRoPE*, 2024, and the models of the Phi-3 family; older configurations say `su`.
#[derive(Clone, Debug, PartialEq)]
pub struct LongRope {
    short: Vec<f64>,
    long: Vec<f64>,
    factor: f64,
    original_length: usize,
    list: FactorList,
    attention_factor: Option<f64>,
}

impl LongRope {
    /// The two lists, a divisor for each pair; how many times longer the context is than the trained one, and how long that
    /// was; and which list is used.
    #[must_use]
    pub fn new(short: Vec<f64>, long: Vec<f64>, factor: f64, original_length: usize, list: FactorList) -> Self {
        Self { short, long, factor, original_length, list, attention_factor: None }
    }

    /// The same with a choice of the list.
    #[must_use]
    pub fn with_list(self, list: FactorList) -> Self {
        Self { list, ..self }
    }

    /// A magnitude that takes the place of the formula.
    ///
    /// ```
    /// use posenc::{FactorList, Frequencies, LongRope};
    ///
    /// let longrope = LongRope::new(vec![1.0], vec![2.0], 8.0, 4096, FactorList::Long).with_attention_factor(1.25);
    /// assert_eq!(Frequencies::new(2, 10_000.0)?.scaled(&longrope.into())?.magnitude(), 1.25);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_attention_factor(self, attention_factor: f64) -> Self {
        Self { attention_factor: Some(attention_factor), ..self }
    }

    pub(super) fn apply(&self, plain: &Frequencies) -> Result<Frequencies> {
        let factor = check_factor("LongRoPE factor", self.factor)?;
        let length = check_context("original length", self.original_length)?;
        let short = per_pair::divided(plain, "short factors", &self.short)?;
        let long = per_pair::divided(plain, "long factors", &self.long)?;
        let formula = if factor <= 1.0 { 1.0 } else { math::sqrt(1.0 + math::ln(factor) / math::ln(length)) };
        let scaled = if self.list == FactorList::Short { short } else { long };
        scaled.with_magnitude(self.attention_factor.unwrap_or(formula))
    }
}

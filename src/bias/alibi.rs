//! Attention with linear biases.

use alloc::vec::Vec;

use super::{Anchor, DistanceBias, learned};
use crate::Element;
use crate::error::{Error, Result};
use crate::math;

/// Which of the published forms.
///
/// ```
/// use posenc::{Alibi, AlibiForm, DistanceBias};
///
/// let alibi = Alibi::new(8)?;
/// assert_eq!(alibi.clone().with_form(AlibiForm::Causal).value(0, -3), -1.5);
/// assert_eq!(alibi.with_form(AlibiForm::Symmetric).value(0, 3), -1.5);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlibiForm {
    /// `slope · (key − query)`: the paper, MPT, Baichuan. Keys after the query get a positive bias and are meant to be
    /// masked.
    Causal,
    /// `−slope · |key − query|`: encoders such as JINA BERT.
    Symmetric,
    /// `slope · key`: BLOOM, Falcon. Differs from the causal form by a constant for each query, so it is the same after
    /// a softmax.
    KeyOnly,
}

/// How slopes, positions and their products are rounded.
///
/// ```
/// use posenc::{Alibi, AlibiRounding, DistanceBias};
///
/// let alibi = Alibi::from_slopes(&[0.5])?;
/// assert_eq!(alibi.value(0, -4091), -2045.5);
/// assert_eq!(alibi.with_rounding(AlibiRounding::Bf16).value(0, -4091), -2048.0);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlibiRounding {
    /// f32 throughout: neighbours differ, however far they are.
    Single,
    /// The slope, the position and their product to bf16, in this order: what models do that compute their biases in bf16,
    /// Falcon for one. From 256 on, neighbours begin to share a position.
    Bf16,
}

/// More heads than any model has, and few enough that their slopes always fit.
const MAX_HEADS: usize = 1 << 16;

/// Linear biases: one slope a head.
///
/// ```
/// use posenc::{Alibi, DistanceBias};
///
/// let alibi = Alibi::new(2)?;
/// assert_eq!(alibi.slopes(), [0.0625, 0.00390625]);
///
/// let mut scores = [0.0_f32; 2 * 3 * 3];                          // [heads, queries, keys]
/// alibi.add(&mut scores, [3, 3], 0)?;
/// assert_eq!(scores[6..9], [-0.125, -0.0625, 0.0]);           // head 0, the last query
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: Press et al., *Train short, test long*, 2022.
#[derive(Clone, Debug, PartialEq)]
pub struct Alibi {
    slopes: Vec<f32>,
    form: AlibiForm,
    rounding: AlibiRounding,
}

impl Alibi {
    /// The slopes of the paper, causal.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no heads, or more than 65536.
    pub fn new(heads: usize) -> Result<Self> {
        Self::with_max_bias(heads, 8.0)
    }

    /// Slopes `2^(−max_bias·(i+1)/p)` for the largest power of two `p` within `heads`, and the odd ones of the series
    /// for `2p` for the heads beyond it. The paper has a `max_bias` of 8.
    ///
    /// ```
    /// use posenc::Alibi;
    ///
    /// assert_eq!(Alibi::with_max_bias(2, 16.0)?.slopes(), [1.0 / 256.0, 1.0 / 65536.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no heads, or more than 65536; [`Error::Number`] if `max_bias` is not positive and finite.
    pub fn with_max_bias(heads: usize, max_bias: f64) -> Result<Self> {
        check(heads, max_bias)?;
        let power = 1_usize << heads.ilog2();
        let series = (1..=power).map(|i| (i, power)).chain((0..).map(|k| (2 * k + 1, 2 * power)));
        let slope = |(step, of): (usize, usize)| math::power(2.0, -max_bias * step as f64, of as f64) as f32;
        Self::of(series.take(heads).map(slope).collect())
    }

    /// One geometric series for any number of heads, `2^(−max_bias·(i+1)/heads)`: what some ports compute in place of the
    /// paper's slopes. For powers of two both are the same.
    ///
    /// ```
    /// use posenc::Alibi;
    ///
    /// assert_eq!(Alibi::plain_series(6, 8.0)?.slopes()[0], 0.39685026);
    /// assert_eq!(Alibi::plain_series(8, 8.0)?, Alibi::new(8)?);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`with_max_bias`](Self::with_max_bias).
    pub fn plain_series(heads: usize, max_bias: f64) -> Result<Self> {
        check(heads, max_bias)?;
        Self::of((1..=heads).map(|i| math::power(2.0, -max_bias * i as f64, heads as f64) as f32).collect())
    }

    /// Given slopes, one a head: learned ones, or those of a checkpoint.
    ///
    /// ```
    /// use posenc::Alibi;
    ///
    /// assert_eq!(Alibi::from_slopes(&[0.25, 0.5])?.slopes(), [0.25, 0.5]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are none, or more than 65536.
    pub fn from_slopes(slopes: &[f32]) -> Result<Self> {
        check(slopes.len(), 1.0)?;
        Self::of(slopes.to_vec())
    }

    fn of(slopes: Vec<f32>) -> Result<Self> {
        Ok(Self { slopes, form: AlibiForm::Causal, rounding: AlibiRounding::Single })
    }

    /// The same slopes in another form.
    #[must_use]
    pub fn with_form(self, form: AlibiForm) -> Self {
        Self { form, ..self }
    }

    /// The same slopes with other roundings; [`slopes`](Self::slopes) stay what they are.
    #[must_use]
    pub fn with_rounding(self, rounding: AlibiRounding) -> Self {
        Self { rounding, ..self }
    }

    /// The slope of each head.
    #[must_use]
    pub fn slopes(&self) -> &[f32] {
        &self.slopes
    }

    /// Adds to the gradient of learned slopes, one a head, what the gradient of the scores, `[heads, queries, keys]`, hands
    /// back. Summed in f64, rounded once; [`AlibiRounding`] is passed over, as if nothing had been rounded.
    ///
    /// ```
    /// use posenc::Alibi;
    ///
    /// let mut gradient = [0.0];
    /// Alibi::from_slopes(&[0.25])?.slopes_gradient(&[1.0_f32, 10.0, 100.0], [1, 3], 2, &mut gradient)?;
    /// assert_eq!(gradient, [-12.0]);                                      // 1·−2 + 10·−1 + 100·0
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DistanceBias::add`]; [`Error::Length`] unless there is a value for each head. Nothing is written then.
    pub fn slopes_gradient<T: Element>(
        &self,
        gradient: &[T],
        size: [usize; 2],
        first_query: usize,
        slopes_gradient: &mut [f32],
    ) -> Result<()> {
        let out = [("slopes gradient", slopes_gradient)];
        learned::parameters_gradient(self, gradient, size, first_query, out, |_, distance| match self.form {
            AlibiForm::Causal | AlibiForm::KeyOnly => [distance as f64],
            AlibiForm::Symmetric => [-(distance.unsigned_abs() as f64)],
        })
    }
}

fn check(heads: usize, max_bias: f64) -> Result<()> {
    if heads == 0 || heads > MAX_HEADS {
        return Err(Error::Count { what: "heads", expected: "1 to 65536", found: heads });
    }
    if !(max_bias > 0.0 && max_bias.is_finite()) {
        return Err(Error::Number { what: "max_bias", expected: "a positive finite number", found: max_bias });
    }
    Ok(())
}

/// Rounded to bf16, to nearest even.
fn to_bf16(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    let bits = x.to_bits();
    f32::from_bits((bits.wrapping_add(0x7FFF + (bits >> 16 & 1))) & 0xFFFF_0000)
}

impl Alibi {
    /// The slope that a distance, or its size, is multiplied with.
    fn signed_slope(&self, head: usize) -> f32 {
        let slope = self.slopes.get(head).copied().unwrap_or(f32::NAN);
        let slope = match self.rounding {
            AlibiRounding::Single => slope,
            AlibiRounding::Bf16 => to_bf16(slope),
        };
        match self.form {
            AlibiForm::Causal | AlibiForm::KeyOnly => slope,
            AlibiForm::Symmetric => -slope,
        }
    }
}

impl DistanceBias for Alibi {
    fn heads(&self) -> usize {
        self.slopes.len()
    }

    fn value(&self, head: usize, distance: i64) -> f32 {
        let distance = match self.form {
            AlibiForm::Causal | AlibiForm::KeyOnly => distance as f32,
            AlibiForm::Symmetric => distance.unsigned_abs() as f32,
        };
        let slope = self.signed_slope(head);
        match self.rounding {
            AlibiRounding::Single => slope * distance,
            AlibiRounding::Bf16 => to_bf16(slope * to_bf16(distance)),
        }
    }

    #[inline(always)]
    fn fill(&self, head: usize, first: i64, out: &mut [f32]) {
        // Whole numbers of 32 bits where they suffice, which machines convert several at a time.
        let small = first.unsigned_abs().saturating_add(out.len() as u64) < 1 << 31;
        let (Ok(first_small), true, AlibiRounding::Single) = (i32::try_from(first), small, self.rounding) else {
            out.iter_mut().zip(0..).for_each(|(out, k)| *out = self.value(head, first.wrapping_add(k)));
            return;
        };
        let slope = self.signed_slope(head);
        if self.form == AlibiForm::Symmetric {
            for (k, out) in out.iter_mut().enumerate() {
                *out = slope * (first_small + k as i32).abs() as f32;
            }
        } else {
            for (k, out) in out.iter_mut().enumerate() {
                *out = slope * (first_small + k as i32) as f32;
            }
        }
    }

    fn anchor(&self) -> Anchor {
        match self.form {
            AlibiForm::Causal | AlibiForm::Symmetric => Anchor::Query,
            AlibiForm::KeyOnly => Anchor::FirstKey,
        }
    }
}

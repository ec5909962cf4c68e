//! Attention with linear biases.

use alloc::vec::Vec;

use super::{Anchor, DistanceBias};
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
        if heads == 0 || heads > MAX_HEADS {
            return Err(Error::Count { what: "heads", expected: "1 to 65536", found: heads });
        }
        if !(max_bias > 0.0 && max_bias.is_finite()) {
            return Err(Error::Number { what: "max_bias", expected: "a positive finite number", found: max_bias });
        }
        let power = 1_usize << heads.ilog2();
        let series = (1..=power).map(|i| (i, power)).chain((0..).map(|k| (2 * k + 1, 2 * power)));
        let slope = |(step, of): (usize, usize)| math::power(2.0, -max_bias * step as f64, of as f64) as f32;
        Ok(Self { slopes: series.take(heads).map(slope).collect(), form: AlibiForm::Causal })
    }

    /// The same slopes in another form.
    #[must_use]
    pub fn with_form(self, form: AlibiForm) -> Self {
        Self { form, ..self }
    }

    /// The slope of each head.
    #[must_use]
    pub fn slopes(&self) -> &[f32] {
        &self.slopes
    }
}

impl DistanceBias for Alibi {
    fn heads(&self) -> usize {
        self.slopes.len()
    }

    fn value(&self, head: usize, distance: i64) -> f32 {
        let slope = self.slopes.get(head).copied().unwrap_or(f32::NAN);
        match self.form {
            AlibiForm::Causal | AlibiForm::KeyOnly => slope * distance as f32,
            AlibiForm::Symmetric => -slope * distance.unsigned_abs() as f32,
        }
    }

    fn fill(&self, head: usize, first: i64, out: &mut [f32]) {
        let slope = self.slopes.get(head).copied().unwrap_or(f32::NAN);
        let signed = match self.form {
            AlibiForm::Causal | AlibiForm::KeyOnly => slope,
            AlibiForm::Symmetric => -slope,
        };
        // Whole numbers of 32 bits where they suffice, which machines convert several at a time.
        let (Ok(first), true) = (i32::try_from(first), first.unsigned_abs().saturating_add(out.len() as u64) < 1 << 31)
        else {
            out.iter_mut().zip(0..).for_each(|(out, k)| *out = self.value(head, first.wrapping_add(k)));
            return;
        };
        for (k, out) in out.iter_mut().enumerate() {
            let distance = first + k as i32;
            let distance = if self.form == AlibiForm::Symmetric { distance.abs() } else { distance };
            *out = signed * distance as f32;
        }
    }

    fn anchor(&self) -> Anchor {
        match self.form {
            AlibiForm::Causal | AlibiForm::Symmetric => Anchor::Query,
            AlibiForm::KeyOnly => Anchor::FirstKey,
        }
    }
}

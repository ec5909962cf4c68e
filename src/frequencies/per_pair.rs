//! A number of its own for every pair: divisors, learned factors, pairs that do not turn at all.

use super::{Frequencies, check_factor, check_number};
use crate::error::{Result, check_length};
use crate::math::Twofold;

/// `f_j / divisor_j`.
pub(super) fn divided(plain: &Frequencies, what: &'static str, divisors: &[f64]) -> Result<Frequencies> {
    check_length(what, plain.pairs(), divisors.len())?;
    divisors.iter().try_for_each(|&divisor| check_factor(what, divisor).map(drop))?;
    // Where a pair reads several axes, it has a frequency for each, and its one number holds for all.
    plain.with_values(plain.digits().zip(divisors.iter().cycle()).map(|(f, &divisor)| f.over(Twofold::from(divisor))))
}

/// `f_j · exp(alpha_j)`, as Mistral-Large-4 learns it.
pub(super) fn learned(plain: &Frequencies, alpha: &[f64]) -> Result<Frequencies> {
    check_length("learned exponents", plain.pairs(), alpha.len())?;
    let check = |&alpha| check_number("learned exponent", alpha, -60.0..=60.0, "a number from -60 to 60").map(drop);
    alpha.iter().try_for_each(check)?;
    plain.with_values(plain.digits().zip(alpha.iter().cycle()).map(|(f, &alpha)| f.times(Twofold::from(alpha).exp())))
}

/// Only the leading part of all pairs turns, at `base^(−2j/width)/factor` with the width of the whole head; the others have a
/// frequency of zero.
///
/// This is not the partial rotation of a leading slice, although configurations use the same key for both: there, the width of
/// the slice stands in the exponent, and with halves the partner of feature `j` is `j + width/2` of the slice. Here it is
/// `j + dim/2` of the head.
///
/// ```
/// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Proportional, Rotary};
///
/// // A head of 8, of which a half turns: the pairs are (0, 4) and (1, 5).
/// let frequencies = Frequencies::new(8, 10_000.0)?.scaled(&Proportional::new(0.5).into())?;
/// assert_eq!(frequencies.as_slice(), [1.0, 0.1, 0.0, 0.0]);
/// let mut head = [1.0_f32; 8];
/// Rotary::new(&frequencies, Pairing::Halves).rotate(&mut HeadsMut::new(&mut head, [1, 1, 8])?, &Positions::from(1))?;
/// assert_eq!((head[2], head[3], head[6], head[7]), (1.0, 1.0, 1.0, 1.0));
/// assert!(head[0] != 1.0 && head[1] != 1.0 && head[4] != 1.0 && head[5] != 1.0);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: the layers of Gemma-4 that see the whole context.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proportional {
    part: f64,
    factor: f64,
}

impl Proportional {
    /// `floor(part · width / 2)` pairs turn.
    #[must_use]
    pub fn new(part: f64) -> Self {
        Self { part, factor: 1.0 }
    }

    /// Divides the frequencies, too.
    ///
    /// ```
    /// use posenc::{Frequencies, Proportional};
    ///
    /// let frequencies = Frequencies::new(4, 10_000.0)?.scaled(&Proportional::new(0.5).with_factor(8.0).into())?;
    /// assert_eq!(frequencies.as_slice(), [0.125, 0.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_factor(self, factor: f64) -> Self {
        Self { factor, ..self }
    }

    pub(super) fn apply(self, plain: &Frequencies) -> Result<Frequencies> {
        plain.series("proportional scaling")?;
        let part = check_number("proportional part", self.part, 0.0..=1.0, "a number from 0 to 1")?;
        let factor = Twofold::from(check_factor("proportional factor", self.factor)?);
        let turning = (part * plain.width() as f64 / 2.0) as usize;
        plain.with_values(plain.digits().enumerate().map(
            |(j, f)| {
                if j < turning { f.over(factor) } else { Twofold::from(0.0) }
            },
        ))
    }
}

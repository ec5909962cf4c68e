//! Kernels of the distance with learned parameters.

use alloc::vec::Vec;

use super::DistanceBias;
use crate::error::{Error, Result, check_length};
use crate::math::elementary::{ln_1p, pow};

/// Which kernel of the distance `d = |key − query|`.
///
/// ```
/// use posenc::{DistanceBias, Kerple, KerpleForm};
///
/// let power = Kerple::new(KerpleForm::Power, &[0.5], &[2.0])?;
/// assert_eq!(power.value(0, -3), -4.5);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KerpleForm {
    /// `−r1 · ln(1 + r2·d)`.
    Logarithmic,
    /// `−r1 · d^r2`.
    Power,
}

/// A kernel of the distance for each head, with two positive parameters.
///
/// ```
/// use posenc::{DistanceBias, Kerple, KerpleForm};
///
/// let kerple = Kerple::new(KerpleForm::Logarithmic, &[2.0, 1.0], &[1.0, 3.0])?;
/// assert_eq!(kerple.value(0, -1), -2.0 * 2.0_f32.ln());
/// assert_eq!(kerple.value(1, 1), -4.0_f32.ln());                       // both sides alike
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Values are worked out in f64 and rounded once. [`DistanceBias::tabulated`] keeps them for repeated use.
///
/// Source: Chi et al., *KERPLE*, 2022.
#[derive(Clone, Debug, PartialEq)]
pub struct Kerple {
    form: KerpleForm,
    /// `r1` and `r2` of each head.
    parameters: Vec<(f64, f64)>,
}

impl Kerple {
    /// One `r1` and one `r2` a head.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if there are not as many of both, [`Error::Count`] if there are none, [`Error::Number`] if one is
    /// not positive and finite, or an exponent is above 2.
    pub fn new(form: KerpleForm, r1: &[f32], r2: &[f32]) -> Result<Self> {
        check_length("r2", r1.len(), r2.len())?;
        if r1.is_empty() {
            return Err(Error::Count { what: "heads", expected: "at least 1", found: 0 });
        }
        for (what, values) in [("r1", r1), ("r2", r2)] {
            if let Some(&bad) = values.iter().find(|&&r| !(r > 0.0 && r.is_finite())) {
                return Err(Error::Number { what, expected: "a positive finite number", found: bad.into() });
            }
        }
        if let Some(&bad) = r2.iter().find(|&&r2| form == KerpleForm::Power && r2 > 2.0) {
            return Err(Error::Number { what: "r2", expected: "an exponent of at most 2", found: bad.into() });
        }
        let parameters = r1.iter().zip(r2).map(|(&r1, &r2)| (r1.into(), r2.into())).collect();
        Ok(Self { form, parameters })
    }
}

impl DistanceBias for Kerple {
    fn heads(&self) -> usize {
        self.parameters.len()
    }

    fn value(&self, head: usize, distance: i64) -> f32 {
        let Some(&(r1, r2)) = self.parameters.get(head) else { return f32::NAN };
        let d = distance.unsigned_abs() as f64;
        let grown = match self.form {
            KerpleForm::Logarithmic => ln_1p(r2 * d),
            KerpleForm::Power if d == 0.0 => 0.0,
            KerpleForm::Power => pow(d, r2),
        };
        (-r1 * grown) as f32
    }
}

//! Kernels of the distance with learned parameters.

use alloc::vec::Vec;

use super::{DistanceBias, learned};
use crate::Element;
use crate::error::{Error, Result, check_length};
use crate::math::elementary::{ln, ln_1p, pow};

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

    /// Adds to the gradients of `r1` and `r2`, one a head, what the gradient of the scores, `[heads, queries, keys]`, hands
    /// back. Worked out in f64 from the sums of the diagonals, and rounded once.
    ///
    /// ```
    /// use posenc::{Kerple, KerpleForm};
    ///
    /// // −r1·d² at the distances 2, 1 and 0, and its derivative −r1·d²·ln d.
    /// let kerple = Kerple::new(KerpleForm::Power, &[0.5], &[2.0])?;
    /// let (mut r1, mut r2) = ([0.0], [0.0]);
    /// kerple.parameters_gradient(&[1.0_f32, 10.0, 100.0], [1, 3], 2, [&mut r1, &mut r2])?;
    /// assert_eq!((r1, r2), ([-14.0], [-2.0 * core::f32::consts::LN_2]));
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DistanceBias::add`]; [`Error::Length`] unless both have a value for each head. Nothing is written then.
    pub fn parameters_gradient<T: Element>(
        &self,
        gradient: &[T],
        size: [usize; 2],
        first_query: usize,
        [r1, r2]: [&mut [f32]; 2],
    ) -> Result<()> {
        let outs = [("gradient of r1", r1), ("gradient of r2", r2)];
        learned::parameters_gradient(self, gradient, size, first_query, outs, |head, distance| {
            let (r1, r2) = self.parameters[head];
            let d = distance.unsigned_abs() as f64;
            let grown = self.grown(r2, d);
            let of_r2 = match self.form {
                KerpleForm::Logarithmic => d / (1.0 + r2 * d),
                KerpleForm::Power if d == 0.0 => 0.0,
                KerpleForm::Power => grown * ln(d),
            };
            [-grown, -r1 * of_r2]
        })
    }

    /// What `−r1` is multiplied with.
    fn grown(&self, r2: f64, d: f64) -> f64 {
        match self.form {
            KerpleForm::Logarithmic => ln_1p(r2 * d),
            KerpleForm::Power if d == 0.0 => 0.0,
            KerpleForm::Power => pow(d, r2),
        }
    }
}

impl DistanceBias for Kerple {
    fn heads(&self) -> usize {
        self.parameters.len()
    }

    fn value(&self, head: usize, distance: i64) -> f32 {
        let Some(&(r1, r2)) = self.parameters.get(head) else { return f32::NAN };
        (-r1 * self.grown(r2, distance.unsigned_abs() as f64)) as f32
    }
}

//! What keeps learned tables tame: scaling into a range, and norms over the features of each row.

use crate::error::{Error, Result, check_length};
use crate::math;
use crate::math::elementary::tanh;

/// A way to keep the rows of a learned table within bounds; any table of f32, `[rows, features]`.
///
/// ```
/// use posenc::Stabiliser;
///
/// let mut table = [-4.0, 1.0, 2.0, 0.0];                               // [2 rows, 2 features]
/// Stabiliser::ScaleToUnit.apply(&mut table, 2)?;
/// assert_eq!(table, [-1.0, 0.25, 0.5, 0.0]);
///
/// Stabiliser::RmsNorm { epsilon: 0.0, gain: None }.apply(&mut table[2..], 2)?;
/// assert_eq!(table[2..], [core::f32::consts::SQRT_2, 0.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Sums are taken in f64, and each value is rounded once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stabiliser<'a> {
    /// Divides the whole table by its largest value in size, so that it lies in [−1, 1]. A table of zeros stays.
    ScaleToUnit,
    /// The hyperbolic tangent of each value.
    Tanh,
    /// `(x − mean) / sqrt(variance + epsilon)` over the features of a row, with the biased variance, then the learned gain
    /// and shift of each feature, where there are any.
    LayerNorm {
        /// What is added to the variance; models have 1e-5.
        epsilon: f64,
        /// The factor of each feature.
        gain: Option<&'a [f32]>,
        /// What is added to each feature.
        shift: Option<&'a [f32]>,
    },
    /// `x / sqrt(mean of squares + epsilon)` over the features of a row, then the learned gain of each feature, where there
    /// is one.
    RmsNorm {
        /// What is added to the mean of squares; models have 1e-5 or 1e-6.
        epsilon: f64,
        /// The factor of each feature.
        gain: Option<&'a [f32]>,
    },
}

impl Stabiliser<'_> {
    /// Works on a table, `[rows, features]`.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if `features` is 0, [`Error::Length`] if the table is not whole rows or there is not one gain and
    /// shift a feature, [`Error::Number`] if `epsilon` is negative or not finite. Nothing is written then.
    pub fn apply(&self, table: &mut [f32], features: usize) -> Result<()> {
        if features == 0 {
            return Err(Error::Count { what: "features", expected: "at least 1", found: 0 });
        }
        check_length("table", table.len() / features * features, table.len())?;
        match *self {
            Self::ScaleToUnit => scale_to_unit(table),
            Self::Tanh => table.iter_mut().for_each(|x| *x = tanh((*x).into()) as f32),
            Self::LayerNorm { epsilon, gain, shift } => {
                check_epsilon(epsilon)?;
                check_length("gain", features, gain.map_or(features, <[f32]>::len))?;
                check_length("shift", features, shift.map_or(features, <[f32]>::len))?;
                rows(table, features, gain, shift, |row| {
                    centre(row, epsilon);
                });
            }
            Self::RmsNorm { epsilon, gain } => {
                check_epsilon(epsilon)?;
                check_length("gain", features, gain.map_or(features, <[f32]>::len))?;
                rows(table, features, gain, None, |row| {
                    shrink(row, epsilon);
                });
            }
        }
        Ok(())
    }
}

/// Whether a number can be added to a variance.
pub(crate) fn check_epsilon(epsilon: f64) -> Result<()> {
    if epsilon >= 0.0 && epsilon.is_finite() {
        return Ok(());
    }
    Err(Error::Number { what: "epsilon", expected: "a finite number, 0 or more", found: epsilon })
}

/// Divides a table by its largest value in size.
pub(crate) fn scale_to_unit(table: &mut [f32]) {
    let largest = table.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    if largest > 0.0 {
        table.iter_mut().for_each(|x| *x /= largest);
    }
}

/// Normalises each row in f64, then applies gain and shift.
fn rows(
    table: &mut [f32],
    features: usize,
    gain: Option<&[f32]>,
    shift: Option<&[f32]>,
    normalise: impl Fn(&mut [f64]),
) {
    let mut wide = alloc::vec![0.0; features];
    for row in table.chunks_exact_mut(features) {
        wide.iter_mut().zip(&*row).for_each(|(wide, &x)| *wide = x.into());
        normalise(&mut wide);
        for (feature, (x, &wide)) in row.iter_mut().zip(&wide).enumerate() {
            let grown = gain.map_or(wide, |gain| wide * f64::from(gain[feature]));
            *x = shift.map_or(grown, |shift| grown + f64::from(shift[feature])) as f32;
        }
    }
}

/// Takes the mean off and divides by the deviation; returns what the rest was multiplied with.
pub(crate) fn centre(row: &mut [f64], epsilon: f64) -> f64 {
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    row.iter_mut().for_each(|x| *x -= mean);
    shrink(row, epsilon)
}

/// Divides by the root of the mean square; returns what the row was multiplied with.
fn shrink(row: &mut [f64], epsilon: f64) -> f64 {
    let square = row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
    let root = math::sqrt(square + epsilon);
    // A row without any spread is zero already, whatever it would be divided by; a NaN stays one.
    let factor = if root == 0.0 { 0.0 } else { 1.0 / root };
    row.iter_mut().for_each(|x| *x *= factor);
    factor
}

//! Time2Vec: one feature that grows with time, and sines whose frequencies and phases are learned.

use alloc::vec;
use alloc::vec::Vec;

use posenc_kernels::Level;

use super::waves::{Axis, Wave};
use crate::error::{check_length, zeros};
use crate::{Element, Frequencies, Result};

/// `[w_0·t + b_0, sin(w_1·t + b_1), sin(w_2·t + b_2), …]`, with learned `w` and `b`.
///
/// ```
/// use posenc::{Level, Time2Vec};
///
/// let encoding = Time2Vec::new(&[0.5, 2.0], &[0.25, 0.0])?.with_level(Level::detect());
/// assert_eq!(encoding.features(), 2);
/// assert_eq!(encoding.table(&[1.0])?, [0.75, 2.0_f64.sin() as f32]);
/// let mut row = [0.0_f64; 2];
/// encoding.write(&mut row, &[1.0])?;
/// assert_eq!(row, [0.75, 2.0_f64.sin()]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Sines are within 2^-49 of the true ones before they are rounded.
///
/// Source: Kazemi et al., *Time2Vec: learning a vector representation of time*, 2019.
#[derive(Clone, Debug)]
pub struct Time2Vec {
    frequencies: Frequencies,
    phases: Frequencies,
    level: Level,
}

impl Time2Vec {
    /// Frequencies and phases, one of each for a feature.
    ///
    /// # Errors
    ///
    /// [`Error::Length`](crate::Error::Length) if there are more of one than of the other,
    /// [`Error::Number`](crate::Error::Number) if one is larger than 2^20 in size, or no number.
    pub fn new(frequencies: &[f64], phases: &[f64]) -> Result<Self> {
        check_length("phases", frequencies.len(), phases.len())?;
        let (frequencies, phases) = (frequencies.to_vec(), phases.to_vec());
        let (frequencies, phases) = (Frequencies::from_values(frequencies)?, Frequencies::from_values(phases)?);
        Ok(Self { frequencies, phases, level: Level::detect() })
    }

    /// The same encoding on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// How many values a time has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.frequencies.pairs()
    }

    /// The rows of times, `[times, features]`.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write); [`Error::Count`](crate::Error::Count) if the table does not fit the memory.
    pub fn table(&self, times: &[f64]) -> Result<Vec<f32>> {
        let mut table = zeros("rows", &[times.len(), self.features()])?;
        self.write(&mut table, times)?;
        Ok(table)
    }

    /// Writes the rows of times over `out`, `[times, features]`.
    ///
    /// # Errors
    ///
    /// [`Error::Length`](crate::Error::Length) if `out` has not one row for each time,
    /// [`Error::Number`](crate::Error::Number) if a time is larger than 2^31 in size or makes an angle of more than
    /// 2^33 radians, or is no number. Nothing is written then.
    pub fn write<T: Element>(&self, out: &mut [T], times: &[f64]) -> Result<()> {
        check_length("rows", times.len().saturating_mul(self.features()), out.len())?;
        let (frequencies, phases) = (Axis::new(&self.frequencies)?, Axis::new(&self.phases)?);
        frequencies.check("time", times.iter().copied())?;
        let (Some(w), Some(b)) = (self.frequencies.as_slice().first(), self.phases.as_slice().first()) else {
            return Ok(());
        };
        let mut cos = vec![T::default(); self.features()];
        for (row, &time) in out.chunks_exact_mut(self.features()).zip(times) {
            let axes = &[(time, &frequencies), (1.0, &phases)];
            Wave { axes, magnitude: 1.0, level: self.level }.fill(&mut cos, row);
            row[0] = T::from_double(w * time + b);
        }
        Ok(())
    }
}

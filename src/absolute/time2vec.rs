//! Time2Vec: one feature that grows with time, and sines whose frequencies and phases are learned.

use alloc::vec;
use alloc::vec::Vec;

use posenc_kernels::Level;

use crate::error::{check_length, zeros};
use crate::{Element, Frequencies, Positions, Precision, Result, TableBuilder};

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
/// Sines have the accuracy of [`TableBuilder`]; the first feature is computed in f64.
///
/// Source: Kazemi et al., *Time2Vec: learning a vector representation of time*, 2019.
#[derive(Clone, Debug)]
pub struct Time2Vec {
    frequencies: Vec<f64>,
    phases: Vec<f64>,
    builder: TableBuilder,
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
        // A phase is the frequency of a second coordinate, which is always 1.
        let both = Frequencies::mixed([frequencies, phases].concat(), 2)?;
        let builder = TableBuilder::new(&both, Precision::Exact);
        Ok(Self { frequencies: frequencies.to_vec(), phases: phases.to_vec(), builder })
    }

    /// The same encoding on a given level; the values do not change.
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Self {
        self.builder.set_level(level);
        self
    }

    /// How many values a time has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.frequencies.len()
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
    /// [`Error::Coordinate`](crate::Error::Coordinate) if a time is larger than 2^31 in size, or no number. Nothing is written
    /// then.
    pub fn write<T: Element>(&self, out: &mut [T], times: &[f64]) -> Result<()> {
        check_length("rows", times.len().saturating_mul(self.features()), out.len())?;
        Positions::fractions(times).resolve(1, times.len(), None, 1)?;
        let (Some(w), Some(b)) = (self.frequencies.first(), self.phases.first()) else {
            return Ok(());
        };
        let mut cos = vec![T::default(); self.features()];
        for (row, &time) in out.chunks_exact_mut(self.features()).zip(times) {
            self.builder.fill(&Positions::axes(&[time, 1.0], 2), &mut cos, row)?;
            row[0] = T::from_double(w * time + b);
        }
        Ok(())
    }
}

//! A learned table of rows, looked up and added.

use alloc::vec::Vec;

use super::rows::check_factor;
use super::sum::EmbeddingSum;
use crate::element::AddTarget;
use crate::error::{Error, Result, check_length, zeros};
use crate::positions::Resolved;
use crate::tables::BLOCK;
use crate::{Element, Positions};

/// Learned rows that the caller owns, `[positions, features]`: those of BERT, GPT-2, OPT, ViT and CLIP.
///
/// ```
/// use posenc::{EmbeddingTable, Error, Positions};
///
/// let weights = [0.1_f32, 0.2, 1.1, 1.2, 2.1, 2.2];               // [3 positions, 2 features]
/// let table = EmbeddingTable::new(&weights, 2)?;
/// assert_eq!((table.positions(), table.features()), (3, 2));
///
/// let mut x = vec![1.0_f32; 4];                                    // [2 tokens, 2 features]
/// table.add(&mut x, &Positions::from(1))?;                         // the rows of positions 1 and 2
/// assert_eq!(x, [2.1, 2.2, 3.1, 3.2]);
///
/// // A position without a row is an error, never the nearest row.
/// let error = table.add(&mut x, &Positions::ids(&[0, 3])).unwrap_err();
/// assert_eq!(error, Error::Position { index: 1, min: 0, max: 2, found: 3 });
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Where a model keeps rows free in front (two in OPT and BART, `padding + 1` in RoBERTa), positions begin behind them:
/// `Positions::from(2)`, or the ids of a [`Numbering`](crate::Numbering).
#[derive(Clone, Copy, Debug)]
pub struct EmbeddingTable<'a, S> {
    pub(super) rows: &'a [S],
    pub(super) features: usize,
    pub(super) positions: usize,
    pub(super) factor: f64,
}

impl<'a, S: Element> EmbeddingTable<'a, S> {
    /// Rows of `features` values each.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if `features` is 0, [`Error::Length`] if there are no whole rows.
    pub fn new(rows: &'a [S], features: usize) -> Result<Self> {
        if features == 0 {
            return Err(Error::Count { what: "features", expected: "at least 1", found: 0 });
        }
        let positions = whole_rows("embedding rows", rows.len(), features)?;
        Ok(Self { rows, features, positions, factor: 1.0 })
    }

    /// The same rows, multiplied by a number when they are looked up or added.
    ///
    /// ```
    /// use posenc::{EmbeddingTable, Positions};
    ///
    /// let table = EmbeddingTable::new(&[1.0_f32, 2.0], 1)?.with_factor(0.5)?;
    /// assert_eq!(table.lookup(&Positions::from(0), 2)?, [0.5, 1.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if it is larger than 1e38 in size, or no number.
    pub fn with_factor(self, factor: f64) -> Result<Self> {
        Ok(Self { factor: check_factor("factor", factor)?, ..self })
    }

    /// How many rows there are.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// How many values a row has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features
    }

    /// The rows of `count` positions, `[count, features]`.
    ///
    /// # Errors
    ///
    /// As [`EmbeddingSum::write`]; [`Error::Count`] if the result does not fit the memory.
    pub fn lookup(&self, positions: &Positions<'_>, count: usize) -> Result<Vec<S>>
    where
        S: AddTarget<S>,
    {
        positions.resolve(1, count, Some(self.positions), 1)?;
        let mut out = zeros("embedding rows", &[count, self.features])?;
        self.write(&mut out, positions)?;
        Ok(out)
    }

    /// Writes the rows of positions over `out`, `[positions, features]`.
    ///
    /// ```
    /// use posenc::{EmbeddingTable, Positions};
    ///
    /// let mut rows = [0.0_f32; 3];
    /// EmbeddingTable::new(&[1.0_f32, 2.0], 1)?.write(&mut rows, &Positions::ids(&[1, 0, 1]))?;
    /// assert_eq!(rows, [2.0, 1.0, 2.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`EmbeddingSum::write`].
    pub fn write<T: AddTarget<S>>(&self, out: &mut [T], positions: &Positions<'_>) -> Result<()> {
        EmbeddingSum::of([*self]).write(out, &[*positions])
    }

    /// Adds the rows of positions to `x`, `[tokens, features]`.
    ///
    /// # Errors
    ///
    /// As [`EmbeddingSum::write`].
    pub fn add<T: AddTarget<S>>(&self, x: &mut [T], positions: &Positions<'_>) -> Result<()> {
        EmbeddingSum::of([*self]).add(x, &[*positions])
    }

    /// [`add`](Self::add), on the rayon pool of the caller.
    ///
    /// ```
    /// use posenc::{EmbeddingTable, Positions};
    ///
    /// let table = EmbeddingTable::new(&[1.0_f32, 2.0], 1)?;
    /// let mut x = [10.0_f32; 2];
    /// table.par_add(&mut x, &Positions::from(0))?;
    /// assert_eq!(x, [11.0, 12.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`EmbeddingSum::write`].
    #[cfg(feature = "rayon")]
    pub fn par_add<T: AddTarget<S>>(&self, x: &mut [T], positions: &Positions<'_>) -> Result<()> {
        EmbeddingSum::of([*self]).par_add(x, &[*positions])
    }
}

/// How many rows there are, if they are whole.
pub(super) fn whole_rows(what: &'static str, elements: usize, features: usize) -> Result<usize> {
    let rows = elements / features;
    check_length(what, rows * features, elements)?;
    Ok(rows)
}

/// The numbers of the table rows of some tokens.
pub(super) fn numbered<'a>(
    index: &'a mut [usize; BLOCK],
    positions: Resolved<'_>,
    first: usize,
    count: usize,
) -> &'a [usize] {
    for (i, index) in index[..count].iter_mut().enumerate() {
        *index = positions.get(0, first + i) as usize;
    }
    &index[..count]
}

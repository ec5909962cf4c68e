//! Sums of learned rows from several tables, in one pass.

use posenc_kernels::{GatherSum, Level, Lookup};

use super::embedding::{EmbeddingTable, numbered, whole_rows};
use super::rows::{check_factor, factor};
use crate::element::AddTarget;
use crate::error::{Error, Result};
use crate::positions::Resolved;
use crate::tables::BLOCK;
use crate::{Element, Positions};

/// Learned rows of `N` tables that are looked up and summed together: words, positions and segments of BERT, rows and
/// columns of a page.
///
/// ```
/// use posenc::{EmbeddingSum, EmbeddingTable, Level, Positions};
///
/// let words = EmbeddingTable::new(&[0.0_f32, 10.0, 20.0], 1)?;
/// let positions = EmbeddingTable::new(&[0.5_f32, 1.5], 1)?;
/// let segments = EmbeddingTable::new(&[100.0_f32, 200.0], 1)?;
/// let sum = EmbeddingSum::new([words, positions, segments])?.with_level(Level::detect());
///
/// let mut x = [0.0_f32; 2];
/// let ids = [Positions::ids(&[2, 1]), Positions::from(0), Positions::ids(&[0, 1])];
/// sum.write(&mut x, &ids)?;
/// assert_eq!(x, [120.5, 211.5]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Each sum is formed from left to right in the type that is computed with, and rounded once.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddingSum<'a, S, const N: usize> {
    tables: [EmbeddingTable<'a, S>; N],
    /// What rows are multiplied by before the sum is added.
    scale: f64,
    level: Level,
}

impl<'a, S: Element, const N: usize> EmbeddingSum<'a, S, N> {
    /// Tables whose rows are equally long.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there is no table, [`Error::Length`] if rows have different lengths.
    pub fn new(tables: [EmbeddingTable<'a, S>; N]) -> Result<Self> {
        let Some(first) = tables.first() else {
            return Err(Error::Count { what: "tables", expected: "at least 1", found: 0 });
        };
        match tables.iter().find(|table| table.features != first.features) {
            Some(other) => Err(Error::Length { what: "table row", expected: first.features, found: other.features }),
            None => Ok(Self::of(tables)),
        }
    }

    /// Tables that were checked.
    pub(super) fn of(tables: [EmbeddingTable<'a, S>; N]) -> Self {
        Self { tables, scale: 1.0, level: Level::detect() }
    }

    /// The same sum, which multiplies rows by a number before it is added to them: `x·scale + sum`.
    ///
    /// ```
    /// use posenc::{EmbeddingSum, EmbeddingTable, Positions};
    ///
    /// let positions = EmbeddingTable::new(&[0.5_f32, 1.5], 1)?;
    /// let mut x = [3.0_f32, 4.0];
    /// EmbeddingSum::new([positions])?.with_embedding_scale(2.0)?.add(&mut x, &[Positions::from(0)])?;
    /// assert_eq!(x, [6.5, 9.5]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if it is larger than 1e38 in size, or no number.
    pub fn with_embedding_scale(self, scale: f64) -> Result<Self> {
        Ok(Self { scale: check_factor("embedding scale", scale)?, ..self })
    }

    /// The same sum on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// Writes sums over `out`, `[tokens, features]`; one list of positions for each table.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if `out` is not whole rows or there are more or fewer ids than rows, [`Error::Position`] if a
    /// position has no row in its table. Nothing is written then.
    pub fn write<T: AddTarget<S>>(&self, out: &mut [T], positions: &[Positions<'_>; N]) -> Result<()> {
        let positions = self.check(out, positions)?;
        self.rows(out, None, &positions, 0);
        Ok(())
    }

    /// Adds sums to `x`, `[tokens, features]`; one list of positions for each table.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn add<T: AddTarget<S>>(&self, x: &mut [T], positions: &[Positions<'_>; N]) -> Result<()> {
        let positions = self.check(x, positions)?;
        self.rows(x, Some(self.scale), &positions, 0);
        Ok(())
    }

    /// [`write`](Self::write), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    #[cfg(feature = "rayon")]
    pub fn par_write<T: AddTarget<S>>(&self, out: &mut [T], positions: &[Positions<'_>; N]) -> Result<()> {
        self.par_rows(out, None, positions)
    }

    /// [`add`](Self::add), on the rayon pool of the caller.
    ///
    /// ```
    /// use posenc::{EmbeddingSum, EmbeddingTable, Positions};
    ///
    /// let table = EmbeddingTable::new(&[1.0_f32, 2.0], 1)?;
    /// let (sum, ids) = (EmbeddingSum::new([table, table])?, [Positions::from(0), Positions::ids(&[1, 1])]);
    /// let mut x = [0.0_f32; 2];
    /// sum.par_write(&mut x, &ids)?;
    /// sum.par_add(&mut x, &ids)?;
    /// assert_eq!(x, [6.0, 8.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    #[cfg(feature = "rayon")]
    pub fn par_add<T: AddTarget<S>>(&self, x: &mut [T], positions: &[Positions<'_>; N]) -> Result<()> {
        self.par_rows(x, Some(self.scale), positions)
    }

    #[cfg(feature = "rayon")]
    fn par_rows<T: AddTarget<S>>(&self, x: &mut [T], scale: Option<f64>, positions: &[Positions<'_>; N]) -> Result<()> {
        let positions = self.check(x, positions)?;
        crate::parallel::moved_rows(x.len(), self.tables[0].features, x, &|first, x: &mut [T]| {
            self.rows(x, scale, &positions, first);
        });
        Ok(())
    }

    fn check<'p, T>(&self, x: &[T], positions: &'p [Positions<'_>; N]) -> Result<[Resolved<'p>; N]> {
        let tokens = whole_rows("rows", x.len(), self.tables[0].features)?;
        let resolve = |k: usize| positions[k].resolve(1, tokens, Some(self.tables[k].positions), 1);
        let mut checked = [resolve(0)?; N];
        for (k, checked) in checked.iter_mut().enumerate().skip(1) {
            *checked = resolve(k)?;
        }
        Ok(checked)
    }

    /// Sums for the tokens from `first` on; everything was checked.
    fn rows<T: AddTarget<S>>(&self, x: &mut [T], scale: Option<f64>, positions: &[Resolved<'_>; N], first: usize) {
        let (width, scale) = (self.tables[0].features, scale.map(factor));
        let mut index = [[0; BLOCK]; N];
        for (number, rows) in x.chunks_mut(width.saturating_mul(BLOCK)).enumerate() {
            let (first, count) = (first + number * BLOCK, rows.len() / width);
            for (index, &positions) in index.iter_mut().zip(positions) {
                numbered(index, positions, first, count);
            }
            let tables: [Lookup<'_, T::Format, T::Rows>; N] = core::array::from_fn(|k| Lookup {
                table: S::raw(self.tables[k].rows),
                index: &index[k][..count],
                factor: factor(self.tables[k].factor),
            });
            self.level.run(GatherSum { rows: T::raw_mut(rows), width, scale, tables });
        }
    }
}

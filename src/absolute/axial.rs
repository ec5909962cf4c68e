//! Rows of grids: each a row for its place along one axis, beside rows for its places along the others.

use alloc::vec;
use alloc::vec::Vec;

use posenc_kernels::Level;

use super::embedding::EmbeddingTable;
use super::rows::{self, RowSource, check_factor};
use crate::Element;
use crate::element::AddTarget;
use crate::error::{Error, Result, check_length, product, zeros};

/// How the rows of several axes share the row of a cell.
///
/// ```
/// use posenc::{AxialEmbedding, Blocks, EmbeddingTable};
///
/// let (y, x) = (EmbeddingTable::new(&[1.0_f32, 2.0], 2)?, EmbeddingTable::new(&[3.0_f32, 4.0], 2)?);
/// let row = |blocks| AxialEmbedding::new(&[(0, y), (1, x)], blocks)?.table();
/// assert_eq!(row(Blocks::ByAxis)?, [1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(row(Blocks::ByHalf)?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Blocks {
    /// All values of one axis, then all of the next.
    ByAxis,
    /// The first half of the values of each axis, then their second half: all sines before all cosines.
    ByHalf,
}

/// A row for each cell of a grid, `[…, height, width, features]`, in parts that depend on one axis each: 2-D and 3-D sines
/// and cosines, and the axial embeddings of Reformer.
///
/// ```
/// use posenc::{AxialEmbedding, Blocks, EmbeddingTable, Order, Positions, Sinusoidal};
///
/// // A grid of 2 × 3 patches and 16 features: half of them for y, then half for x.
/// let half = Sinusoidal::new(8, 10_000.0)?.with_order(Order::SinCos);
/// let (y, x) = (half.table(&Positions::from(0), 2)?, half.table(&Positions::from(0), 3)?);
/// let (y, x) = (EmbeddingTable::new(&y, 8)?, EmbeddingTable::new(&x, 8)?);
/// let y_first = AxialEmbedding::new(&[(0, y), (1, x)], Blocks::ByAxis)?;    // MAE in transformers, RT-DETR
/// let x_first = AxialEmbedding::new(&[(1, x), (0, y)], Blocks::ByAxis)?;    // the original MAE, DiT
///
/// assert_eq!((y_first.cells(), y_first.features()), (6, 16));
///
/// let mut patches = vec![0.0_f32; 6 * 16];
/// y_first.add(&mut patches)?;
/// assert_eq!(patches, y_first.table()?);
/// assert_eq!(patches[5 * 16], 1.0_f64.sin() as f32);               // the last patch: y = 1, x = 2
/// assert_eq!(x_first.table()?[5 * 16], 2.0_f64.sin() as f32);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// The axis of a part is that of the grid: the first axis is the outermost, whichever part comes first.
#[derive(Clone, Debug)]
pub struct AxialEmbedding<'a, S> {
    parts: Vec<Part<'a, S>>,
    width: usize,
    cells: usize,
    scale: f64,
    level: Level,
}

#[derive(Clone, Copy, Debug)]
struct Part<'a, S> {
    table: EmbeddingTable<'a, S>,
    /// Cells from a place along the axis to the next.
    stride: usize,
    /// Where the two halves of its row go.
    halves: [usize; 2],
}

impl<'a, S: Element> AxialEmbedding<'a, S> {
    /// Parts in the order in which they share a row: an axis, and the rows of its places.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if an axis has no part (axes count from 0), or an odd width is to be halved; [`Error::Length`] if
    /// parts of one axis differ in their places.
    pub fn new(parts: &[(usize, EmbeddingTable<'a, S>)], blocks: Blocks) -> Result<Self> {
        let axes = parts.iter().map(|&(axis, _)| axis.saturating_add(1)).max().unwrap_or(0);
        if axes == 0 || axes > parts.len() {
            return Err(Error::Count { what: "axes", expected: "at least 1, and no more than parts", found: axes });
        }
        let mut sizes = vec![None; axes];
        for &(axis, table) in parts {
            check_length("places of an axis", *sizes[axis].get_or_insert(table.positions), table.positions)?;
        }
        let missing = sizes.iter().position(Option::is_none);
        if let Some(found) = missing {
            return Err(Error::Count { what: "axis", expected: "a part for each axis", found });
        }
        let sizes: Vec<usize> = sizes.into_iter().flatten().collect();
        let cells = product("grid cells", &sizes)?;
        let width = parts.iter().fold(0_usize, |width, (_, table)| width.saturating_add(table.features));
        let mut at = 0;
        let parts = parts.iter().map(|&(axis, table)| {
            let stride = if cells == 0 { 1 } else { sizes[axis + 1..].iter().product() };
            let half = table.features / 2;
            let halves = match blocks {
                Blocks::ByAxis => [at, at + half],
                Blocks::ByHalf if table.features % 2 == 0 => [at / 2, width / 2 + at / 2],
                Blocks::ByHalf => {
                    return Err(Error::Count {
                        what: "features of an axis",
                        expected: "an even number",
                        found: table.features,
                    });
                }
            };
            at += table.features;
            Ok(Part { table, stride, halves })
        });
        Ok(Self { parts: parts.collect::<Result<_>>()?, width, cells, scale: 1.0, level: Level::detect() })
    }

    /// The same rows, which multiply those that they are added to first: `x·scale + row`.
    ///
    /// ```
    /// use posenc::{AxialEmbedding, Blocks, EmbeddingTable, Level};
    ///
    /// let (y, x) = (EmbeddingTable::new(&[1.0_f32, 2.0], 1)?, EmbeddingTable::new(&[3.0_f32], 1)?);
    /// let grid = AxialEmbedding::new(&[(0, y), (1, x)], Blocks::ByAxis)?.with_level(Level::detect());
    /// let mut cells = [0.0_f32; 4];
    /// grid.write(&mut cells)?;
    /// grid.with_embedding_scale(10.0)?.par_add(&mut cells)?;
    /// assert_eq!(cells, [11.0, 33.0, 22.0, 33.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if it is larger than 1e38 in size, or no number.
    pub fn with_embedding_scale(self, scale: f64) -> Result<Self> {
        Ok(Self { scale: check_factor("embedding scale", scale)?, ..self })
    }

    /// The same rows on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// How many values a cell has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.width
    }

    /// How many cells the grid has.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The rows of all cells, `[cells, features]`.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if they do not fit the memory.
    pub fn table(&self) -> Result<Vec<S>> {
        let mut out = zeros("grid rows", &[self.cells, self.width])?;
        self.fill(0, &mut out);
        Ok(out)
    }

    /// Writes the rows of all cells over `out`, `[cells, features]`.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if `out` has another size. Nothing is written then.
    pub fn write(&self, out: &mut [S]) -> Result<()> {
        self.check(out)?;
        self.fill(0, out);
        Ok(())
    }

    /// Adds the rows of all cells to `x`, `[cells, features]`.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn add<T: AddTarget<S>>(&self, x: &mut [T]) -> Result<()> {
        self.check(x)?;
        rows::add::<S, T>(self, self.level, self.scale, 0, x);
        Ok(())
    }

    /// [`add`](Self::add), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    #[cfg(feature = "rayon")]
    pub fn par_add<T: AddTarget<S>>(&self, x: &mut [T]) -> Result<()> {
        self.check(x)?;
        crate::parallel::moved_rows(x.len(), self.width, x, &|first, x: &mut [T]| {
            rows::add::<S, T>(self, self.level, self.scale, first, x);
        });
        Ok(())
    }

    fn check<T>(&self, x: &[T]) -> Result<()> {
        check_length("grid rows", product("grid rows", &[self.cells, self.width])?, x.len())
    }
}

impl<S: Element> RowSource<S> for AxialEmbedding<'_, S> {
    fn width(&self) -> usize {
        self.width
    }

    fn fill(&self, first: usize, rows: &mut [S]) {
        for (i, row) in rows.chunks_exact_mut(self.width).enumerate() {
            for Part { table, stride, halves } in &self.parts {
                let place = (first + i) / stride % table.positions;
                let (front, back) = table.rows[place * table.features..][..table.features].split_at(table.features / 2);
                row[halves[0]..][..front.len()].copy_from_slice(front);
                row[halves[1]..][..back.len()].copy_from_slice(back);
            }
        }
    }
}

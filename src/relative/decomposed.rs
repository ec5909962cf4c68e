//! Two axes, each with a learned embedding of its own distance: ViTDet, SAM, MViT.

use alloc::borrow::Cow;
use alloc::vec;

use posenc_kernels::{Level, Write};

use crate::bias::learned::add_rounded;
use crate::bias::rows::{SlidingWindow, put};
use crate::error::{Error, Result, check_length, product, zeros};
use crate::{Element, Filter, Resize};

/// The embeddings of the distances along one axis, for some queries and keys beside each other.
///
/// ```
/// use posenc::AxisEmbedding;
///
/// // Two queries, two keys: three distances of one feature.
/// let axis = AxisEmbedding::new(&[1.0, 2.0, 3.0], 1, [2, 2])?;
/// assert_eq!([axis.row(0, 0), axis.row(0, 1), axis.row(1, 0)], [[2.0], [1.0], [3.0]]);
///
/// // A table of another size is resized.
/// assert_eq!(AxisEmbedding::new(&[1.0, 3.0], 1, [2, 2])?.table(), [1.0, 2.0, 3.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AxisEmbedding<'a> {
    table: Cow<'a, [f32]>,
    features: usize,
    queries: usize,
    keys: usize,
}

/// The longest axis.
const MAX_SIDE: usize = 1 << 16;

impl<'a> AxisEmbedding<'a> {
    /// A table of `[rows, features]`, for queries and keys along the axis. Unless it has `2·max(queries, keys) − 1` rows, it
    /// is resized to them by linear interpolation between the middles of rows.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no features, or not 1 to 65536 queries and keys; [`Error::Length`] if the table is not
    /// whole rows, or has none.
    pub fn new(table: &'a [f32], features: usize, [queries, keys]: [usize; 2]) -> Result<Self> {
        if features == 0 {
            return Err(Error::Count { what: "features", expected: "at least 1", found: 0 });
        }
        for (what, found) in [("queries", queries), ("keys", keys)] {
            if !(1..=MAX_SIDE).contains(&found) {
                return Err(Error::Count { what, expected: "1 to 65536", found });
            }
        }
        let rows = table.len() / features;
        check_length("axis table", product("axis table", &[rows.max(1), features])?, table.len())?;
        let wanted = 2 * queries.max(keys) - 1;
        let table = if rows == wanted {
            Cow::Borrowed(table)
        } else {
            Resize::to_size([1, rows], [1, wanted], Filter::Linear)?.table(table, features)?.into()
        };
        Ok(Self { table, features, queries, keys })
    }

    /// The table, resized where it had to be.
    #[must_use]
    pub fn table(&self) -> &[f32] {
        &self.table
    }

    /// The number of the row for a query and a key: `⌊query·max(k/q, 1) − key·max(q/k, 1) + (k − 1)·max(q/k, 1)⌋` in whole
    /// numbers, where `q` and `k` are the numbers of queries and keys. Those beyond the axis count as its last.
    #[must_use]
    pub fn index(&self, query: usize, key: usize) -> usize {
        let (query, key) = (query.min(self.queries - 1), key.min(self.keys - 1));
        let (q, k) = (self.queries, self.keys);
        if k >= q { query * k / q + (k - 1 - key) } else { query + (k - 1 - key) * q / k }
    }

    /// The row for a query and a key.
    #[must_use]
    pub fn row(&self, query: usize, key: usize) -> &[f32] {
        &self.table[self.index(query, key) * self.features..][..self.features]
    }
}

/// `scores[(qh, qw), (kh, kw)] += q·Rh[qh, kh] + q·Rw[qw, kw]`: the decomposed relative positions of an image.
///
/// ```
/// use posenc::{AxisEmbedding, DecomposedBias};
///
/// // One row of two patches, one feature: only the width tells them apart.
/// let height = AxisEmbedding::new(&[0.5], 1, [1, 1])?;
/// let width = AxisEmbedding::new(&[1.0, 2.0, 3.0], 1, [2, 2])?;
/// let mut scores = [0.0_f32; 4];
/// DecomposedBias::new(height, width)?.add(&mut scores, &[1.0, 10.0], 1)?;
/// assert_eq!(scores, [2.5, 1.5, 35.0, 25.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Inner products are taken in f64; each bias is rounded once before it is added.
///
/// Source: Li et al., *MViTv2*, 2022; Li et al., *Exploring plain vision transformer backbones*, 2022.
#[derive(Clone, Debug, PartialEq)]
pub struct DecomposedBias<'a> {
    height: AxisEmbedding<'a>,
    width: AxisEmbedding<'a>,
    level: Level,
}

impl<'a> DecomposedBias<'a> {
    /// The embeddings of both axes.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if they have not as many features.
    pub fn new(height: AxisEmbedding<'a>, width: AxisEmbedding<'a>) -> Result<Self> {
        check_length("axis features", height.features, width.features)?;
        Ok(Self { height, width, level: Level::detect() })
    }

    /// The same bias on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// How many queries and keys there are.
    #[must_use]
    pub fn size(&self) -> [usize; 2] {
        [self.height.queries * self.width.queries, self.height.keys * self.width.keys]
    }

    /// Adds to scores, `[heads, queries, keys]`, the products of the queries, `[heads, queries, features]`, with the rows
    /// of both axes. Queries are those before any scaling, as the models have it.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if either has another size. Nothing is written then.
    pub fn add<T: Element>(&self, scores: &mut [T], queries: &[T], heads: usize) -> Result<()> {
        self.check(scores.len(), queries.len(), heads)?;
        self.stretch(scores, queries, 0);
        Ok(())
    }

    /// [`add`](Self::add), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    #[cfg(feature = "rayon")]
    pub fn par_add<T: Element>(&self, scores: &mut [T], queries: &[T], heads: usize) -> Result<()> {
        self.check(scores.len(), queries.len(), heads)?;
        crate::parallel::moved_rows(scores.len(), self.size()[1], scores, &|first, scores: &mut [T]| {
            self.stretch(scores, queries, first);
        });
        Ok(())
    }

    /// Adds to the gradients of both tables, as they are after resizing, what the gradient of the scores,
    /// `[heads, queries, keys]`, hands back. Summed in f64, rounded once.
    ///
    /// ```
    /// use posenc::{AxisEmbedding, DecomposedBias};
    ///
    /// let height = AxisEmbedding::new(&[0.5], 1, [1, 1])?;
    /// let width = AxisEmbedding::new(&[1.0, 2.0, 3.0], 1, [2, 2])?;
    /// let (mut of_height, mut of_width) = ([0.0], [0.0; 3]);
    /// let bias = DecomposedBias::new(height, width)?;
    /// bias.tables_gradient(&[1.0_f32, 2.0, 4.0, 8.0], &[1.0, 10.0], 1, [&mut of_height, &mut of_width])?;
    /// assert_eq!((of_height, of_width), ([123.0], [2.0, 81.0, 40.0]));
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); [`Error::Length`] if a table has another size. Nothing is written then.
    pub fn tables_gradient<T: Element>(
        &self,
        gradient: &[T],
        queries: &[T],
        heads: usize,
        [height, width]: [&mut [f32]; 2],
    ) -> Result<()> {
        self.check(gradient.len(), queries.len(), heads)?;
        let mut axes = [(&self.height, height), (&self.width, width)];
        for (axis, out) in &axes {
            check_length("axis table gradient", axis.table.len(), out.len())?;
        }
        let ([lines, keys], features) = (self.size(), self.height.features);
        let sizes = axes.each_ref().map(|(axis, _)| axis.table.len());
        let mut sums = [zeros("axis table gradient", &[sizes[0]])?, zeros("axis table gradient", &[sizes[1]])?];
        for (line, (row, query)) in gradient.chunks_exact(keys).zip(queries.chunks_exact(features)).enumerate() {
            let places = [line % lines / self.width.queries, line % self.width.queries];
            for (cell, x) in row.iter().enumerate() {
                let x = x.to_double();
                let keys = [cell / self.width.keys, cell % self.width.keys];
                for (axis, sums) in sums.iter_mut().enumerate() {
                    let index = axes[axis].0.index(places[axis], keys[axis]);
                    let sums: &mut [f64] = &mut sums[index * features..][..features];
                    sums.iter_mut().zip(query).for_each(|(sum, q)| *sum += x * q.to_double());
                }
            }
        }
        for ((_, out), sums) in axes.iter_mut().zip(&sums) {
            out.iter_mut().zip(sums).for_each(|(out, &sum)| add_rounded(out, sum));
        }
        Ok(())
    }

    fn check(&self, scores: usize, queries: usize, heads: usize) -> Result<()> {
        let [lines, keys] = self.size();
        check_length("scores", product("scores", &[heads, lines, keys])?, scores)?;
        check_length("queries", product("queries", &[heads, lines, self.height.features])?, queries)
    }

    /// A stretch of rows from one on; sizes were checked.
    fn stretch<T: Element>(&self, scores: &mut [T], queries: &[T], first: usize) {
        if scores.is_empty() {
            return;
        }
        let ([lines, keys], features) = (self.size(), self.height.features);
        let mut tall = vec![0.0; self.height.keys];
        let mut wide = vec![0.0; self.width.keys];
        let mut window = vec![T::Work::default(); keys];
        for (row, scores) in scores.chunks_exact_mut(keys).enumerate() {
            let query = &queries[(first + row) * features..][..features];
            let at = (first + row) % lines;
            products(&self.height, at / self.width.queries, query, &mut tall);
            products(&self.width, at % self.width.queries, query, &mut wide);
            for (window, &tall) in window.chunks_exact_mut(self.width.keys).zip(&tall) {
                window.iter_mut().zip(&wide).for_each(|(out, wide)| *out = T::Work::from_double(tall + wide));
            }
            let slide = SlidingWindow { width: keys, window: &window, start: 0, step: 0 };
            put::<T>(self.level, scores, slide, Write::Add);
        }
    }
}

/// The products of a query with the rows of all keys along an axis.
fn products<T: Element>(axis: &AxisEmbedding<'_>, place: usize, query: &[T], out: &mut [f64]) {
    for (key, out) in out.iter_mut().enumerate() {
        let row = axis.row(place, key).iter();
        *out = row.zip(query).map(|(&r, q)| f64::from(r) * q.to_double()).sum();
    }
}

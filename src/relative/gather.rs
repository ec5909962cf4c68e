//! Relative logits on their way into scores, and weights on their way back to columns.

use alloc::vec;
use alloc::vec::Vec;

use posenc_kernels::{Level, Write};

use super::DistanceIndex;
use super::runs::Runs;
use crate::Element;
use crate::bias::rows::{SlidingWindow, put};
use crate::bias::tile::LIMIT;
use crate::error::{Error, Result, check_length, product};

/// Whose the relative logits are.
///
/// ```
/// use posenc::{Clip, RelativeGather, Side};
///
/// let index = Clip::symmetric(1);
/// let logits = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];                     // [2 queries or keys, 3 columns]
/// let added = |side| {
///     let mut scores = [0.0_f32; 4];
///     RelativeGather::new(index, 1, side)?.add(&mut scores, &logits, [2, 2], 0)?;
///     Ok::<_, posenc::Error>(scores)
/// };
/// assert_eq!(added(Side::Query)?, [2.0, 3.0, 4.0, 5.0]);               // x[i, j − i + 1]
/// assert_eq!(added(Side::Key)?, [2.0, 6.0, 1.0, 5.0]);                 // x[j, j − i + 1]
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// One line of columns for each query: queries times the rows of a table.
    Query,
    /// One line of columns for each key: keys times the rows of a table, the position-to-content term of DeBERTa. The
    /// column is still that of `key − query`.
    Key,
}

/// Relative logits: `scores[i, j] += x[i, column(j − i)]`, and the transpose of that.
///
/// The product of the queries with the rows of a table has one column for each row; which of them a key takes follows from
/// the distance alone. Nothing is padded, reshaped or copied aside for all scores.
///
/// ```
/// use posenc::{RelativeGather, Shift, Side};
///
/// // The shift of Conformer: two queries and keys, logits for the relative positions 1, 0 and −1.
/// let shift = RelativeGather::new(Shift { zero: 1, columns: 3 }, 1, Side::Query)?;
/// let mut scores = [10.0_f32; 4];
/// shift.add(&mut scores, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [2, 2], 0)?;
/// assert_eq!(scores, [11.0, 12.0, 13.0, 14.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: Shaw et al., *Self-attention with relative position representations*, 2018, section 3.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativeGather<I> {
    index: I,
    heads: usize,
    side: Side,
    level: Level,
}

/// Sizes and places of a call, which were checked.
struct Call {
    queries: usize,
    keys: usize,
    runs: Runs,
}

impl<I: DistanceIndex> RelativeGather<I> {
    /// The logits of so many heads, of queries or of keys.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no heads.
    pub fn new(index: I, heads: usize, side: Side) -> Result<Self> {
        if heads == 0 {
            return Err(Error::Count { what: "heads", expected: "at least 1", found: 0 });
        }
        Ok(Self { index, heads, side, level: Level::detect() })
    }

    /// The same on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// Adds to scores, `[heads, queries, keys]`, the logits of their distances. These are `[heads, queries, columns]`, or
    /// `[heads, keys, columns]` on the key side; queries stand at `first_query` and after, keys at 0 and after. 16-bit sums
    /// are rounded once.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the scores or the logits have another size, [`Error::Count`] if a position goes beyond 2^24.
    /// Nothing is written then.
    pub fn add<T: Element>(
        &self,
        scores: &mut [T],
        logits: &[T::Work],
        size: [usize; 2],
        first_query: usize,
    ) -> Result<()> {
        let call = self.call(scores.len(), logits.len(), size, first_query)?;
        self.stretch(scores, logits, &call, 0);
        Ok(())
    }

    /// [`add`](Self::add), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    #[cfg(feature = "rayon")]
    pub fn par_add<T: Element>(
        &self,
        scores: &mut [T],
        logits: &[T::Work],
        size: [usize; 2],
        first_query: usize,
    ) -> Result<()>
    where
        I: Sync,
    {
        let call = self.call(scores.len(), logits.len(), size, first_query)?;
        crate::parallel::moved_rows(scores.len(), call.keys, scores, &|first, scores: &mut [T]| {
            self.stretch(scores, logits, &call, first);
        });
        Ok(())
    }

    /// Adds to `logits` what the scores hold for each of their columns: `logits[i, c] += Σ scores[i, j]` over the keys whose
    /// column is `c`. Of attention weights these are the weights of a table's rows (the value side of Shaw et al.), and of
    /// the gradient of scores the gradient of the logits. Summed in f64, rounded once.
    ///
    /// ```
    /// use posenc::{Clip, RelativeGather, Side};
    ///
    /// let gather = RelativeGather::new(Clip::symmetric(1), 1, Side::Query)?;
    /// let mut columns = [0.0_f32; 3];
    /// gather.scatter(&[0.1_f32, 0.2, 0.3, 0.4], &mut columns, [1, 4], 3)?;
    /// assert_eq!(columns, [0.6, 0.4, 0.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn scatter<T: Element>(
        &self,
        scores: &[T],
        logits: &mut [T::Work],
        size: [usize; 2],
        first_query: usize,
    ) -> Result<()> {
        let Call { queries, keys, runs } = self.call(scores.len(), logits.len(), size, first_query)?;
        let columns = self.index.columns();
        if scores.is_empty() || columns == 0 {
            return Ok(());
        }
        let lines = logits.len() / columns / self.heads;
        let mut sums = vec![0.0_f64; columns];
        for (line, logits) in logits.chunks_exact_mut(columns).enumerate() {
            let (scores, line) = (&scores[line / lines * queries * keys..][..queries * keys], line % lines);
            sums.fill(0.0);
            match self.side {
                Side::Query => {
                    let row = &scores[line * keys..][..keys];
                    for (&score, column) in row.iter().zip(runs.columns(queries - 1 - line, keys)) {
                        column.into_iter().for_each(|column| sums[column] += score.to_double());
                    }
                }
                Side::Key => {
                    let column_of_scores = scores[line..].iter().step_by(keys).rev();
                    for (&score, column) in column_of_scores.zip(runs.columns(line, queries)) {
                        column.into_iter().for_each(|column| sums[column] += score.to_double());
                    }
                }
            }
            for (logit, sum) in logits.iter_mut().zip(&sums) {
                *logit = T::Work::from_double(logit.to_double() + sum);
            }
        }
        Ok(())
    }

    fn call(&self, scores: usize, logits: usize, size: [usize; 2], first_query: usize) -> Result<Call> {
        let [queries, keys] = size;
        check_length("scores", product("scores", &[self.heads, queries, keys])?, scores)?;
        let lines = match self.side {
            Side::Query => queries,
            Side::Key => keys,
        };
        let expected = product("relative logits", &[self.heads, lines, self.index.columns()])?;
        check_length("relative logits", expected, logits)?;
        let found = first_query.saturating_add(queries).max(keys);
        if found > LIMIT {
            return Err(Error::Count { what: "distance", expected: "at most 2^24", found });
        }
        let len = if scores == 0 { 0 } else { queries + keys - 1 };
        let runs = Runs::new(&self.index, 1 - (first_query + queries) as i64, len);
        Ok(Call { queries, keys, runs })
    }

    /// A stretch of rows from one on; sizes were checked.
    fn stretch<T: Element>(&self, scores: &mut [T], logits: &[T::Work], call: &Call, first: usize) {
        let (Call { queries, keys, runs }, columns) = (call, self.index.columns());
        if scores.is_empty() || columns == 0 {
            return;
        }
        // Adding −0 changes nothing, neither of a zero nor of anything else.
        let nothing = <T::Work as From<f32>>::from(-0.0);
        let mut room: Vec<T::Work> = vec![nothing; *keys];
        for (row, scores) in scores.chunks_exact_mut(*keys).enumerate() {
            let (head, query) = ((first + row) / queries, (first + row) % queries);
            let start = queries - 1 - query;
            let window = match self.side {
                Side::Query => {
                    let line = &logits[(first + row) * columns..][..columns];
                    runs.direct(start, *keys, line).unwrap_or_else(|| {
                        runs.take(start, line, nothing, &mut room);
                        &room
                    })
                }
                Side::Key => {
                    let lines = logits[head * keys * columns..].chunks_exact(columns);
                    for ((room, line), column) in room.iter_mut().zip(lines).zip(runs.columns(start, *keys)) {
                        *room = column.map_or(nothing, |column| line[column]);
                    }
                    &room
                }
            };
            put::<T>(self.level, scores, SlidingWindow { width: *keys, window, start: 0, step: 0 }, Write::Add);
        }
    }
}

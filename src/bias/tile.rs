//! Which scores a call is about, and whether it may.

use core::ops::Range;

use super::rows::Rows;
use crate::error::{Error, Result, check_length, product};

/// The largest position of a query or a key: distances stay exact in f32.
pub(crate) const LIMIT: usize = 1 << 24;

/// A rectangle of scores: some heads, and the positions of some queries and keys. A slice holds it as
/// `[heads, queries, keys]`.
///
/// ```
/// use posenc::{Alibi, DistanceBias, Tile};
///
/// // Queries 6 and 7, keys 4 to 7, of head 1: a block of a kernel that never sees all scores.
/// let mut scores = [0.0_f32; 8];
/// Alibi::new(2)?.write_tile(&mut scores, &Tile { heads: 1..2, queries: 6..8, keys: 4..8 })?;
/// assert_eq!(scores[4..], [-0.01171875, -0.0078125, -0.00390625, 0.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Which heads.
    pub heads: Range<usize>,
    /// Where its queries stand.
    pub queries: Range<usize>,
    /// Where its keys stand.
    pub keys: Range<usize>,
}

/// A [`Tile`] by its sizes and corners.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) heads: usize,
    pub(crate) first_head: usize,
    pub(crate) queries: usize,
    pub(crate) first_query: usize,
    pub(crate) keys: usize,
    pub(crate) first_key: usize,
}

impl Block {
    /// All heads, and all keys from the first on.
    pub(crate) fn new(heads: usize, [queries, keys]: [usize; 2], first_query: usize) -> Self {
        Self { heads, first_head: 0, queries, first_query, keys, first_key: 0 }
    }

    pub(super) fn of(Tile { heads, queries, keys }: &Tile) -> Result<Self> {
        for (what, range) in [("heads", heads), ("queries", queries), ("keys", keys)] {
            if range.start > range.end {
                return Err(Error::Count { what, expected: "a range that runs forward", found: range.start });
            }
        }
        Ok(Self {
            heads: heads.len(),
            first_head: heads.start,
            queries: queries.len(),
            first_query: queries.start,
            keys: keys.len(),
            first_key: keys.start,
        })
    }

    pub(super) fn check<T>(&self, rows: &impl Rows, scores: &[T]) -> Result<()> {
        let Self { heads, first_head, queries, first_query, keys, first_key } = *self;
        check_length("scores", product("scores", &[heads, queries, keys])?, scores.len())?;
        let end = first_head.saturating_add(heads);
        if end > rows.heads() {
            return Err(Error::Count { what: "heads", expected: "no more than the bias has", found: end });
        }
        let found = first_query.saturating_add(queries).max(first_key.saturating_add(keys));
        if found > LIMIT {
            return Err(Error::Count { what: "distance", expected: "at most 2^24", found });
        }
        if scores.is_empty() { Ok(()) } else { rows.check(self) }
    }
}

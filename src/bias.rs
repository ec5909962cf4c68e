//! Biases of attention scores that depend on the distance between key and query.
//!
//! A bias is a short function of the distance. Laid along the diagonals it is one vector a head, and every row of scores
//! adds a window of it: no `[heads, queries, keys]` tensor is ever made.

mod alibi;
mod at_positions;
mod by_distance;
mod dynamic;
mod fire;
mod forget;
pub(crate) mod forms;
mod gated;
mod kerple;
pub(crate) mod learned;
mod mlp;
pub(crate) mod rows;
mod sandwich;
mod steps;
mod t5;
mod table;
pub(crate) mod tile;
mod whole;

pub use alibi::{Alibi, AlibiForm, AlibiRounding};
pub use by_distance::AtLevel;
pub use dynamic::{DistanceScale, dynamic_bias};
pub use fire::{Fire, FireGradient, FireWeights};
pub use forget::ForgetGates;
pub use gated::{GatedBias, wavlm_gate};
pub use kerple::{Kerple, KerpleForm};
pub use mlp::Mlp;
pub use sandwich::Sandwich;
pub(crate) use steps::Steps;
pub use t5::{T5Bias, T5Buckets, T5Form};
pub use table::DistanceTable;
pub use tile::Tile;
pub(crate) use whole::least_beyond;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use posenc_kernels::{Level, Write};

use crate::element::Element;
use crate::error::{Error, Result, check_length, product};
use at_positions::AtPositions;
use by_distance::{ByDistance, Slide};
use forms::score_forms;

/// Where distances are counted from.
///
/// ```
/// use posenc::{Alibi, AlibiForm, Anchor, DistanceBias};
///
/// assert_eq!(Alibi::new(8)?.anchor(), Anchor::Query);
/// assert_eq!(Alibi::new(8)?.with_form(AlibiForm::KeyOnly).anchor(), Anchor::FirstKey);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Anchor {
    /// From the query: `key − query`. A key at its query has distance 0.
    Query,
    /// From the first key, for all queries alike.
    FirstKey,
}

/// A bias for each head and each distance `key − query`, added to attention scores.
///
/// Implement [`heads`](Self::heads) and [`value`](Self::value); the rest follows. [`fill`](Self::fill) is there to be
/// replaced where a stretch of values can be made faster than one by one.
///
/// ```
/// use posenc::{DistanceBias, Tile};
///
/// /// Forbids what lies more than `self.0` keys back.
/// struct Window(i64);
///
/// impl DistanceBias for Window {
///     fn heads(&self) -> usize {
///         2
///     }
///
///     fn value(&self, _head: usize, distance: i64) -> f32 {
///         if distance < -self.0 { f32::NEG_INFINITY } else { 0.0 }
///     }
/// }
///
/// // A decode step: one query at position 3, keys 0 to 3.
/// let mut scores = [0.0_f32; 8];                                  // [2 heads, 1 query, 4 keys]
/// Window(2).add(&mut scores, [1, 4], 3)?;
/// assert_eq!(scores[..4], [f32::NEG_INFINITY, 0.0, 0.0, 0.0]);
///
/// // The same in threads, and for a part of the scores.
/// # #[cfg(feature = "rayon")]
/// Window(2).par_add(&mut scores, [1, 4], 3)?;
/// let mut corner = [0.0_f32; 2];
/// Window(2).add_tile(&mut corner, &Tile { heads: 1..2, queries: 3..4, keys: 0..2 })?;
/// assert_eq!(corner, [f32::NEG_INFINITY, 0.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
pub trait DistanceBias {
    /// How many heads there are.
    fn heads(&self) -> usize;

    /// The bias of a head at `distance = key − query`.
    fn value(&self, head: usize, distance: i64) -> f32;

    /// The biases of a head at `first`, `first + 1`, ….
    #[inline(always)]
    fn fill(&self, head: usize, first: i64, out: &mut [f32]) {
        for (k, value) in out.iter_mut().enumerate() {
            *value = self.value(head, first.wrapping_add(k as i64));
        }
    }

    /// The biases of a head at `first` and after, if they stand in memory already, one behind the other.
    fn stored(&self, _head: usize, _first: i64, _len: usize) -> Option<&[f32]> {
        None
    }

    /// Where distances are counted from; the query, unless an encoding says otherwise.
    fn anchor(&self) -> Anchor {
        Anchor::Query
    }

    /// The distances for which there are values; all of them, unless an encoding says otherwise.
    fn distances(&self) -> RangeInclusive<i64> {
        i64::MIN..=i64::MAX
    }

    /// The level to run on; the widest of this machine, unless [`with_level`](Self::with_level) names another.
    fn level(&self) -> Level {
        Level::detect()
    }

    /// The same bias on a given level; the values do not change.
    ///
    /// ```
    /// use posenc::{Alibi, DistanceBias, Level};
    ///
    /// let scalar = Alibi::new(2)?.with_level(Level::named("scalar").unwrap());
    /// let mut scores = [0.0_f32; 4];
    /// scalar.write(&mut scores, [1, 2], 1)?;
    /// assert_eq!(scores, [-0.0625, 0.0, -0.00390625, 0.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    fn with_level(self, level: Level) -> AtLevel<Self>
    where
        Self: Sized,
    {
        AtLevel::new(self, level)
    }

    score_forms!(, ByDistance, where Self: Sync);

    /// Adds the bias to scores, `[heads, queries, keys]`, of queries and keys at any positions: packed or padded sequences,
    /// residues of a protein, coordinates on a page. A value is asked for each score.
    ///
    /// ```
    /// use posenc::{DistanceBias, T5Bias, T5Buckets, T5Form};
    ///
    /// // One axis of a page: tokens that stand below each other have the same x.
    /// let buckets = T5Buckets::new(T5Form::Bidirectional, 64, 256)?;
    /// let bias = T5Bias::new(buckets, &(0..64).map(|x| x as f32).collect::<Vec<_>>())?;
    /// let x = [100, 100, 103];
    /// let mut scores = [0.0_f32; 9];
    /// bias.add_at(&mut scores, &x, &x)?;
    /// assert_eq!(scores, [0.0, 0.0, 35.0, 0.0, 0.0, 35.0, 3.0, 3.0, 0.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the scores have another size, [`Error::Number`] if a distance goes beyond 2^24 or beyond what the
    /// bias has values for. Nothing is written then.
    fn add_at<T: Element>(&self, scores: &mut [T], queries: &[i64], keys: &[i64]) -> Result<()> {
        let rows = AtPositions { bias: self, queries, keys };
        rows::whole(&rows, scores, [queries.len(), keys.len()], 0, Write::Add)
    }

    /// [`add_at`](Self::add_at), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`add_at`](Self::add_at).
    #[cfg(feature = "rayon")]
    fn par_add_at<T: Element>(&self, scores: &mut [T], queries: &[i64], keys: &[i64]) -> Result<()>
    where
        Self: Sync,
    {
        let rows = AtPositions { bias: self, queries, keys };
        rows::par_whole(&rows, scores, [queries.len(), keys.len()], 0, Write::Add)
    }

    /// The bias of one head along the diagonals: `queries + keys − 1` values, of which query `i` reads the `keys` that
    /// begin at `queries − 1 − i`. Counted from the first key, it is one row of `keys` values, the same for all queries.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there is no such head, or a distance goes beyond 2^24 or beyond what the bias has values for.
    fn diagonals(&self, head: usize, size: [usize; 2], first_query: usize) -> Result<Vec<f32>> {
        if head >= self.heads() {
            return Err(Error::Count { what: "head", expected: "less than the number of heads", found: head });
        }
        let slide = Slide::new(self, size, first_query)?;
        let mut window = vec![0.0; slide.len];
        self.fill(head, slide.first, &mut window);
        Ok(window)
    }

    /// All heads' values at the distances of a range, kept in memory: for biases that cost much to work out and are used
    /// more than once. The values are the same, to the bit, and distances outside the range are refused.
    ///
    /// ```
    /// use posenc::{Alibi, DistanceBias};
    ///
    /// let alibi = Alibi::new(2)?;
    /// let table = alibi.tabulated(-7..=0)?;
    /// assert_eq!(table.diagonals(1, [1, 8], 7)?, alibi.diagonals(1, [1, 8], 7)?);
    /// assert!(table.add(&mut [0.0_f32; 18], [1, 9], 8).is_err());
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if the range runs backward, goes beyond 2^24 in size or beyond what the bias has values for, or
    /// the bias is not counted from the query.
    fn tabulated(&self, distances: RangeInclusive<i64>) -> Result<DistanceTable> {
        DistanceTable::of(self, distances)
    }

    /// What [`add`](Self::add) hands back to the biases: the sums of `gradient`, `[heads, queries, keys]`, along the
    /// diagonals, `[heads, queries + keys − 1]` in the order of [`diagonals`](Self::diagonals). Summed in f64, row by row.
    ///
    /// ```
    /// use posenc::{Alibi, DistanceBias};
    ///
    /// let gradient = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];             // [1 head, 2 queries, 3 keys]
    /// assert_eq!(Alibi::new(1)?.diagonal_sums(&gradient, [2, 3], 0)?, [4.0, 6.0, 8.0, 3.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    fn diagonal_sums<T: Element>(&self, gradient: &[T], size: [usize; 2], first_query: usize) -> Result<Vec<f64>> {
        let [queries, keys] = size;
        check_length("score gradients", product("score gradients", &[self.heads(), queries, keys])?, gradient.len())?;
        let slide = Slide::new(self, size, first_query)?;
        let mut sums = crate::error::zeros("diagonals", &[self.heads(), slide.len])?;
        if gradient.is_empty() {
            return Ok(sums);
        }
        for (rows, sums) in gradient.chunks_exact(queries * keys).zip(sums.chunks_exact_mut(slide.len)) {
            for (query, row) in rows.chunks_exact(keys).enumerate() {
                let window = &mut sums[slide.start - query * slide.step..][..keys];
                window.iter_mut().zip(row).for_each(|(sum, &x)| *sum += x.to_double());
            }
        }
        Ok(sums)
    }
}

//! Which column, or row of a learned table, belongs to a distance.

use super::Clip;
use crate::bias::T5Buckets;

/// A column for each distance `key − query`.
///
/// Where a model counts `query − key`, the columns run the other way: [`Reversed`].
///
/// ```
/// use posenc::{Clip, DistanceIndex};
///
/// let clip = Clip { left: 2, right: 1 };
/// assert_eq!([-9, -1, 0, 5].map(|distance| clip.column(distance)), [Some(0), Some(1), Some(2), Some(3)]);
/// ```
pub trait DistanceIndex {
    /// How many columns there are.
    fn columns(&self) -> usize;

    /// The column of `distance = key − query`, less than [`columns`](Self::columns); none where there is nothing to be
    /// read.
    fn column(&self, distance: i64) -> Option<usize>;
}

impl<I: DistanceIndex + ?Sized> DistanceIndex for &I {
    fn columns(&self) -> usize {
        (**self).columns()
    }

    fn column(&self, distance: i64) -> Option<usize> {
        (**self).column(distance)
    }
}

impl DistanceIndex for Clip {
    fn columns(&self) -> usize {
        self.rows()
    }

    fn column(&self, distance: i64) -> Option<usize> {
        let reach = usize::try_from(distance.unsigned_abs()).unwrap_or(usize::MAX);
        Some(if distance < 0 {
            self.left - reach.min(self.left)
        } else {
            self.left.saturating_add(reach.min(self.right))
        })
    }
}

impl DistanceIndex for T5Buckets {
    fn columns(&self) -> usize {
        self.buckets()
    }

    fn column(&self, distance: i64) -> Option<usize> {
        Some(self.bucket(distance))
    }
}

/// The columns of another index from the last to the first: for models that count `query − key`.
///
/// ```
/// use posenc::{Clip, DistanceIndex, Reversed};
///
/// // SpeechT5 clips query − key to −160 .. 159, in 320 rows.
/// let index = Reversed(Clip { left: 159, right: 160 });
/// assert_eq!([-200, 0, 1, 200].map(|distance| index.column(distance)), [Some(319), Some(160), Some(159), Some(0)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reversed<I>(pub I);

impl<I: DistanceIndex> DistanceIndex for Reversed<I> {
    fn columns(&self) -> usize {
        self.0.columns()
    }

    fn column(&self, distance: i64) -> Option<usize> {
        self.0.columns().checked_sub(self.0.column(distance)?)?.checked_sub(1)
    }
}

/// The columns of another index behind some that no distance has, such as the first row of ESMFold, which is that of
/// masked pairs.
///
/// ```
/// use posenc::{Behind, Clip, DistanceIndex};
///
/// let index = Behind { columns: 1, index: Clip::symmetric(32) };
/// assert_eq!(index.columns(), 66);
/// assert_eq!([-40, 0, 40].map(|distance| index.column(distance)), [Some(1), Some(33), Some(65)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Behind<I> {
    /// How many columns come first.
    pub columns: usize,
    /// The index behind them.
    pub index: I,
}

impl<I: DistanceIndex> DistanceIndex for Behind<I> {
    fn columns(&self) -> usize {
        self.index.columns().saturating_add(self.columns)
    }

    fn column(&self, distance: i64) -> Option<usize> {
        self.index.column(distance).map(|column| column.saturating_add(self.columns))
    }
}

/// One column for each distance, without clipping: what the shift of Transformer-XL comes down to.
///
/// | model | columns of its logits | `zero` | `columns` |
/// |---|---|---|---|
/// | Transformer-XL, `K` keys | relative positions `K−1 … 0` | `K − 1` | `K` |
/// | Conformer, `Q` queries | `Q−1 … −(Q−1)` | `Q − 1` | `2Q − 1` |
/// | XLNet, `Q` queries and `K` keys | `K … −Q` | `K` | `K + Q` |
/// | Music Transformer, length `L` | `L−1 … 0` | `L − 1` | `L` |
///
/// Keys that have no column, those after the query in a causal model, are left as they are.
///
/// ```
/// use posenc::{DistanceIndex, Shift};
///
/// // Conformer, 3 queries and keys: y[i, j] = x[i, j + 2 − i].
/// let shift = Shift { zero: 2, columns: 5 };
/// assert_eq!([-2, 0, 2, 3].map(|distance| shift.column(distance)), [Some(0), Some(2), Some(4), None]);
/// ```
///
/// Source: Dai et al., *Transformer-XL*, 2019, appendix B; Huang et al., *Music transformer*, 2018, section 3.4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shift {
    /// The column of distance 0.
    pub zero: usize,
    /// How many columns there are.
    pub columns: usize,
}

impl DistanceIndex for Shift {
    fn columns(&self) -> usize {
        self.columns
    }

    fn column(&self, distance: i64) -> Option<usize> {
        let reach = usize::try_from(distance.unsigned_abs()).ok()?;
        let column = if distance < 0 { self.zero.checked_sub(reach)? } else { self.zero.checked_add(reach)? };
        (column < self.columns).then_some(column)
    }
}

/// One column for each number of tokens that a key lies back, from 0 on; nothing for keys after the query and those
/// farther back.
///
/// ```
/// use posenc::{DistanceIndex, Extent};
///
/// assert_eq!([1, 0, -2, -3].map(|distance| Extent(3).column(distance)), [None, Some(0), Some(2), None]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent(
    /// How many columns there are.
    pub usize,
);

impl DistanceIndex for Extent {
    fn columns(&self) -> usize {
        self.0
    }

    fn column(&self, distance: i64) -> Option<usize> {
        let reach = usize::try_from(distance.unsigned_abs()).ok()?;
        (distance <= 0 && reach < self.0).then_some(reach)
    }
}

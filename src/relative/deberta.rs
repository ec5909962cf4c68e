//! Distances of DeBERTa: `query − key`, in buckets that grow with the logarithm.

use core::cmp::Ordering;

use super::DistanceIndex;
use crate::bias::Steps;
use crate::bias::least_beyond;
use crate::error::{Error, Result};
use crate::math;

/// More buckets than any model has.
const MAX_BUCKETS: usize = 4096;

/// Farther than any text is long; farther distances are counted as this one.
const FARTHEST: u64 = 1 << 24;

/// The relative positions of DeBERTa and its columns.
///
/// `relative = query − key`, the other way round than elsewhere in this crate. Small ones are kept; larger ones become
/// `sign · (⌈ln(|r|/mid)/ln((max − 1)/mid) · (mid − 1)⌉ + mid)` with `mid` half the buckets. A column is the bucket plus the
/// span, clipped to `0 .. 2·span`. Both terms take the column of the same query and key: content-to-position from a line
/// of the query, position-to-content from one of the key ([`Side`](crate::Side)).
///
/// ```
/// use posenc::{DebertaBuckets, DistanceIndex};
///
/// // DeBERTa-v2 and v3: 256 buckets, 512 positions.
/// let buckets = DebertaBuckets::logarithmic(256, 512)?;
/// assert_eq!(buckets.span(), 256);
/// assert_eq!([-128, 0, 129, 511].map(|relative| buckets.bucket(relative)), [-128, 0, 129, 255]);
/// // The key one before the query: relative position 1, distance −1.
/// assert_eq!(buckets.column(-1), Some(257));
///
/// // DeBERTa: no buckets, relative positions clipped.
/// assert_eq!(DebertaBuckets::linear(512)?.column(1000), Some(0));
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: He et al., *DeBERTa*, 2021; the function `make_log_bucket_position` of its implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebertaBuckets {
    span: usize,
    /// Half the buckets, and the largest relative position; none where buckets are the positions themselves.
    logarithm: Option<(usize, usize)>,
    steps: Steps,
}

impl DebertaBuckets {
    /// Relative positions as they are, clipped to `−span .. span − 1`.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if the span is 0 or above 2^20.
    pub fn linear(span: usize) -> Result<Self> {
        if span == 0 || span > 1 << 20 {
            return Err(Error::Count { what: "span", expected: "1 to 2^20", found: span });
        }
        let steps = steps(span, |bucket| bucket);
        Ok(Self { span, logarithm: None, steps })
    }

    /// Buckets, `position_buckets` in each direction with one half of them a position each; those of 1 less than
    /// `max_relative_positions` and farther ones fall to the last.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are fewer than 4 buckets or more than 4096, or `max_relative_positions` is not more than
    /// half the buckets and 1, or is above 2^24.
    pub fn logarithmic(position_buckets: usize, max_relative_positions: usize) -> Result<Self> {
        if !(4..=MAX_BUCKETS).contains(&position_buckets) {
            let found = position_buckets;
            return Err(Error::Count { what: "position_buckets", expected: "4 to 4096", found });
        }
        let mid = position_buckets / 2;
        if max_relative_positions <= mid + 1 || max_relative_positions as u64 > FARTHEST {
            let expected = "more than half the buckets and 1, at most 2^24";
            return Err(Error::Count { what: "max_relative_positions", expected, found: max_relative_positions });
        }
        let largest = max_relative_positions - 1;
        // The least position of a bucket: the first one that is beyond the bound of the bucket before.
        let steps = steps(position_buckets, |bucket| match bucket.checked_sub(mid + 1) {
            None => bucket,
            Some(0) => mid + 1,
            Some(step) => least_beyond(mid, largest, step, mid - 1, Ordering::is_gt),
        });
        Ok(Self { span: position_buckets, logarithm: Some((mid, largest)), steps })
    }

    /// The span: half the columns.
    #[must_use]
    pub fn span(&self) -> usize {
        self.span
    }

    /// The bucket of `relative = query − key`, before it is clipped to the columns.
    #[must_use]
    pub fn bucket(&self, relative: i64) -> i64 {
        let (column, size) = (self.steps.column(relative.saturating_neg()), relative.unsigned_abs());
        match self.logarithm {
            // The outermost columns are those of farther buckets as well.
            Some((mid, largest)) if column == 0 || column == 2 * self.span - 1 => {
                let bucket = far_bucket(size.min(FARTHEST) as usize, mid, largest) as i64;
                if relative < 0 { -bucket } else { bucket }
            }
            Some(_) => column as i64 - self.span as i64,
            None => relative,
        }
    }
}

/// `mid + ⌈ln(size/mid)/ln(largest/mid) · (mid − 1)⌉`, for a size beyond `mid`.
fn far_bucket(size: usize, mid: usize, largest: usize) -> usize {
    let estimate = math::ln(size as f64 / mid as f64) / math::ln(largest as f64 / mid as f64) * (mid - 1) as f64;
    // The last step below which the size surely is beyond; then whole numbers decide.
    let mut step = (estimate * (1.0 - 1e-9)) as usize;
    while size >= least_beyond(mid, largest, step, mid - 1, Ordering::is_gt) {
        step += 1;
    }
    mid + step
}

/// Columns from the least position of each bucket.
fn steps(span: usize, least: impl Fn(usize) -> usize) -> Steps {
    // Distances are the negatives: the largest relative position comes first.
    let least: alloc::vec::Vec<i64> = (0..=span).map(|bucket| least(bucket) as i64).collect();
    let before = (0..span).rev().map(|bucket| (1 - least[bucket + 1], span + bucket));
    let after = (1..=span).map(|bucket| (least[bucket], span - bucket));
    Steps::new(before.chain(after))
}

impl DistanceIndex for DebertaBuckets {
    fn columns(&self) -> usize {
        2 * self.span
    }

    fn column(&self, distance: i64) -> Option<usize> {
        Some(self.steps.column(distance))
    }
}

/// What each of the `terms` of a disentangled score is multiplied with: `1/√(width · terms)`, the content term being one of
/// them.
///
/// ```
/// use posenc::disentangled_scale;
///
/// // Content, content-to-position and position-to-content, heads of 64.
/// assert_eq!(disentangled_scale(64, 3)?, (1.0 / 192.0_f64.sqrt()) as f32);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Count`] if the width is 0, or there are not 1 to 4 terms.
pub fn disentangled_scale(width: usize, terms: usize) -> Result<f32> {
    if width == 0 {
        return Err(Error::Count { what: "head width", expected: "at least 1", found: 0 });
    }
    if !(1..=4).contains(&terms) {
        return Err(Error::Count { what: "score terms", expected: "1 to 4", found: terms });
    }
    Ok((1.0 / math::sqrt(width as f64 * terms as f64)) as f32)
}

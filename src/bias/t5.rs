//! Buckets of distances that grow with the logarithm, and the learned biases of buckets.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::tile::LIMIT;
use super::whole::least_beyond;
use super::{DistanceBias, DistanceTable, Steps, learned};
use crate::Element;
use crate::error::{Error, Result};

/// On which sides of the query keys are told apart.
///
/// ```
/// use posenc::{T5Buckets, T5Form};
///
/// assert_eq!(T5Buckets::new(T5Form::Bidirectional, 32, 128)?.bucket(1), 17);
/// assert_eq!(T5Buckets::new(T5Form::Causal, 32, 128)?.bucket(1), 0);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum T5Form {
    /// Encoders: one half of the buckets for keys at and before the query, one for those after it.
    Bidirectional,
    /// Decoders: all buckets for keys before the query; those after it share bucket 0 with the query itself.
    Causal,
}

/// More buckets than any model has.
const MAX_BUCKETS: usize = 4096;

/// The buckets of T5: small distances have one each, larger ones share buckets whose widths grow in proportion to the
/// distance, up to a largest one beyond which there is one bucket more.
///
/// Thresholds are whole numbers, found without a rounded logarithm.
///
/// ```
/// use posenc::{T5Buckets, T5Form};
///
/// let buckets = T5Buckets::new(T5Form::Bidirectional, 32, 128)?;
/// assert_eq!([0, -7, -8, -11, -12, -1000].map(|distance| buckets.bucket(distance)), [0, 7, 8, 8, 9, 15]);
/// assert_eq!([16, 64, 128].map(|distance| buckets.bucket(distance)), [26, 30, 31]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Parameters are 32 and 128 in T5, mT5, UMT5 and Switch; 320 and 800 in WavLM; 32 and 128, and 64 and 256 for the two
/// axes of the page, in LayoutLM.
///
/// Source: Raffel et al., *Exploring the limits of transfer learning*, 2020, section 2.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct T5Buckets {
    steps: Steps,
    buckets: usize,
}

impl T5Buckets {
    /// Buckets of a form: how many, and the distance from which on all share the last.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if a side has fewer than 2 buckets or there are more than 4096, or `max_distance` is not above half
    /// the buckets of a side (the distances that have a bucket each), or is above 2^24.
    pub fn new(form: T5Form, buckets: usize, max_distance: usize) -> Result<Self> {
        let side = match form {
            T5Form::Bidirectional => buckets / 2,
            T5Form::Causal => buckets,
        };
        if side < 2 || buckets > MAX_BUCKETS {
            return Err(Error::Count { what: "buckets", expected: "2 a side to 4096 in all", found: buckets });
        }
        if max_distance <= side / 2 || max_distance > LIMIT {
            let expected = "more than half the buckets of a side, at most 2^24";
            return Err(Error::Count { what: "max_distance", expected, found: max_distance });
        }
        let starts = bucket_starts(side, max_distance);
        // The farthest key before the query comes first: its bucket ends where that of nearer ones begins.
        let first = |bucket: usize| starts.get(bucket + 1).map_or(i64::MIN, |&next| 1 - next);
        let before = (0..side).rev().map(|bucket| (first(bucket), bucket));
        let after = (1..side).map(|bucket| (starts[bucket], side + bucket));
        let steps = match form {
            T5Form::Causal => Steps::new(before),
            T5Form::Bidirectional => Steps::new(before.chain(after)),
        };
        Ok(Self { steps, buckets })
    }

    /// How many buckets there are.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// The bucket of `distance = key − query`.
    #[must_use]
    pub fn bucket(&self, distance: i64) -> usize {
        self.steps.column(distance)
    }

    pub(crate) fn steps(&self) -> &Steps {
        &self.steps
    }
}

/// The least distance of each bucket of one side.
fn bucket_starts(side: usize, max_distance: usize) -> Vec<i64> {
    let exact = side / 2;
    let wide = side - exact;
    let shared = (1..wide).map(|step| least_beyond(exact, max_distance, step, wide, Ordering::is_ge) as i64);
    (0..=exact as i64).chain(shared).collect()
}

/// A learned bias for each bucket and head.
///
/// ```
/// use posenc::{DistanceBias, T5Bias, T5Buckets, T5Form};
///
/// let buckets = T5Buckets::new(T5Form::Bidirectional, 8, 16)?;
/// let table: Vec<f32> = (0..16).map(|x| x as f32).collect();         // [8 buckets, 2 heads]
/// let bias = T5Bias::new(buckets, &table)?;
///
/// let mut scores = [0.0_f32; 2 * 2 * 3];                              // [heads, queries, keys]
/// bias.add(&mut scores, [2, 3], 0)?;
/// assert_eq!(scores[..6], [0.0, 10.0, 12.0, 2.0, 0.0, 10.0]);         // head 0: buckets 0 5 6 and 1 0 5
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// The bias belongs to scores that are not divided by the square root of the head's width, as T5 has them.
#[derive(Clone, Debug, PartialEq)]
pub struct T5Bias {
    buckets: T5Buckets,
    /// `[heads, buckets]`.
    by_head: Vec<f32>,
    heads: usize,
    /// The values of all distances that do not share the outermost buckets, where these are not far.
    near: Option<DistanceTable>,
}

/// From so many values on they are not laid out for each distance.
const MANY: i64 = 1 << 19;

impl T5Bias {
    /// A table as checkpoints have it, `[buckets, heads]`.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the table is not whole rows of at least one head.
    pub fn new(buckets: T5Buckets, table: &[f32]) -> Result<Self> {
        let by_head = learned::by_head("bucket table", table, buckets.buckets())?;
        let heads = by_head.len() / buckets.buckets();
        let bias = Self { heads, buckets, by_head, near: None };
        let reach = bias.buckets.steps().reach();
        let near = (heads as i64).saturating_mul(reach) < MANY;
        let near = near.then(|| DistanceTable::reaching(&bias, reach));
        Ok(Self { near, ..bias })
    }

    /// The buckets.
    #[must_use]
    pub fn buckets(&self) -> &T5Buckets {
        &self.buckets
    }

    /// Adds to `table_gradient`, `[buckets, heads]`, what the gradient of the scores, `[heads, queries, keys]`, hands back:
    /// for each bucket and head the sum over all scores that took its value. Summed in f64, rounded once.
    ///
    /// ```
    /// use posenc::{T5Bias, T5Buckets, T5Form};
    ///
    /// let bias = T5Bias::new(T5Buckets::new(T5Form::Causal, 4, 8)?, &[0.0; 4])?;
    /// let mut gradient = [0.0; 4];
    /// bias.table_gradient(&[1.0_f32, 10.0, 100.0, 1000.0], [2, 2], 0, &mut gradient)?;
    /// assert_eq!(gradient, [1011.0, 100.0, 0.0, 0.0]);                // one score is a key behind its query
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DistanceBias::add`]; [`Error::Length`] if the table has another size. Nothing is written then.
    pub fn table_gradient<T: Element>(
        &self,
        gradient: &[T],
        size: [usize; 2],
        first_query: usize,
        table_gradient: &mut [f32],
    ) -> Result<()> {
        let collect = |first, sums: &[f64], totals: &mut [f64]| {
            for (stretch, column) in self.buckets.steps().stretches(first, sums.len()) {
                totals[column] += sums[stretch].iter().sum::<f64>();
            }
        };
        learned::table_gradient(self, self.buckets.buckets(), gradient, size, first_query, table_gradient, collect)
    }
}

impl DistanceBias for T5Bias {
    fn heads(&self) -> usize {
        self.heads
    }

    fn value(&self, head: usize, distance: i64) -> f32 {
        let column = self.buckets.bucket(distance);
        if head < self.heads { self.by_head[head * self.buckets.buckets() + column] } else { f32::NAN }
    }

    #[inline(always)]
    fn fill(&self, head: usize, first: i64, out: &mut [f32]) {
        if let Some(near) = &self.near {
            return near.fill(head, first, out);
        }
        if head >= self.heads {
            return out.fill(f32::NAN);
        }
        let row = &self.by_head[head * self.buckets.buckets()..][..self.buckets.buckets()];
        for (stretch, column) in self.buckets.steps().stretches(first, out.len()) {
            out[stretch].fill(row[column]);
        }
    }

    fn stored(&self, head: usize, first: i64, len: usize) -> Option<&[f32]> {
        self.near.as_ref()?.stored(head, first, len)
    }
}

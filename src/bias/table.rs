//! Biases that stand in a table: learned ones of clipped distances, and others worked out beforehand.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::tile::LIMIT;
use super::{Anchor, DistanceBias, learned};
use crate::Element;
use crate::error::{Error, Result, zeros};
use crate::relative::Clip;

/// What a table says of distances beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    /// They share the outermost values.
    Outermost,
    /// Nothing.
    Refused,
}

/// One bias for each head and distance, in memory.
///
/// ```
/// use posenc::{Clip, DistanceBias, DistanceTable};
///
/// // Distances −2 to 1, two heads; what lies beyond shares the outermost values.
/// let weights = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0];
/// let bias = DistanceTable::new(&weights, Clip { left: 2, right: 1 })?;
/// let mut scores = [0.0_f32; 2 * 5];
/// bias.add(&mut scores, [1, 5], 3)?;
/// assert_eq!(scores, [1.0, 1.0, 2.0, 3.0, 4.0, 10.0, 10.0, 20.0, 30.0, 40.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceTable {
    /// `[heads, distances]`.
    by_head: Vec<f32>,
    heads: usize,
    columns: usize,
    /// The distance of the first column.
    first: i64,
    beyond: Beyond,
}

impl DistanceTable {
    /// Learned biases of clipped distances, `[left + right + 1, heads]`, from the farthest key on the left to the farthest
    /// on the right.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if the clip goes beyond 2^24, [`Error::Length`] if the weights are not whole rows of at least one
    /// head.
    pub fn new(weights: &[f32], clip: Clip) -> Result<Self> {
        let columns = clip.rows();
        if clip.left.max(clip.right) > LIMIT {
            let found = clip.left.max(clip.right);
            return Err(Error::Count { what: "clip", expected: "at most 2^24", found });
        }
        let by_head = learned::by_head("distance weights", weights, columns)?;
        Ok(Self {
            heads: by_head.len() / columns,
            by_head,
            columns,
            first: -(clip.left as i64),
            beyond: Beyond::Outermost,
        })
    }

    /// The values of a bias at a range of distances.
    pub(super) fn of<B: DistanceBias + ?Sized>(bias: &B, distances: RangeInclusive<i64>) -> Result<Self> {
        let (first, last) = (*distances.start(), *distances.end());
        let far = first.unsigned_abs().max(last.unsigned_abs());
        let served = bias.distances();
        if first > last || far > LIMIT as u64 || !served.contains(&first) || !served.contains(&last) {
            let expected = "a range that runs forward, within 2^24 and what the bias has values for";
            return Err(Error::Count { what: "distance", expected, found: far as usize });
        }
        if bias.anchor() != Anchor::Query {
            let expected = "distances that are counted from the query";
            return Err(Error::Count { what: "distance", expected, found: far as usize });
        }
        let columns = (last - first) as usize + 1;
        let mut by_head = zeros("distance weights", &[bias.heads(), columns])?;
        for (head, row) in by_head.chunks_exact_mut(columns).enumerate() {
            bias.fill(head, first, row);
        }
        Ok(Self::refusing(by_head, columns, first))
    }

    /// The values of a bias up to a distance on either side, which those beyond share.
    pub(super) fn reaching(bias: &impl DistanceBias, reach: i64) -> Self {
        let (heads, columns) = (bias.heads(), 2 * reach as usize + 1);
        let mut by_head = vec![0.0; heads * columns];
        for (head, row) in by_head.chunks_exact_mut(columns).enumerate() {
            bias.fill(head, -reach, row);
        }
        Self { heads, by_head, columns, first: -reach, beyond: Beyond::Outermost }
    }

    /// Given values, `[heads, columns]`, and nothing beyond them.
    pub(super) fn refusing(by_head: Vec<f32>, columns: usize, first: i64) -> Self {
        Self { heads: by_head.len() / columns, by_head, columns, first, beyond: Beyond::Refused }
    }

    /// The column of a distance; those beyond the table have the outermost.
    fn column(&self, distance: i64) -> usize {
        let last = self.first + self.columns as i64 - 1;
        (distance.clamp(self.first, last) - self.first) as usize
    }

    /// Adds to `table_gradient`, `[left + right + 1, heads]`, what the gradient of the scores, `[heads, queries, keys]`,
    /// hands back: for each distance and head the sum over all scores that took its value. Summed in f64, rounded once.
    ///
    /// ```
    /// use posenc::{Clip, DistanceTable};
    ///
    /// let bias = DistanceTable::new(&[0.5; 3], Clip::symmetric(1))?;
    /// let mut gradient = [0.0; 3];
    /// bias.table_gradient(&[1.0_f32, 10.0, 100.0], [1, 3], 2, &mut gradient)?;
    /// assert_eq!(gradient, [11.0, 100.0, 0.0]);
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
        let collect = |first: i64, sums: &[f64], totals: &mut [f64]| {
            for (distance, sum) in (first..).zip(sums) {
                totals[self.column(distance)] += sum;
            }
        };
        learned::table_gradient(self, self.columns, gradient, size, first_query, table_gradient, collect)
    }
}

impl DistanceBias for DistanceTable {
    fn heads(&self) -> usize {
        self.heads
    }

    fn value(&self, head: usize, distance: i64) -> f32 {
        if head < self.heads { self.by_head[head * self.columns + self.column(distance)] } else { f32::NAN }
    }

    fn stored(&self, head: usize, first: i64, len: usize) -> Option<&[f32]> {
        let start = usize::try_from(first.checked_sub(self.first)?).ok()?;
        let row = self.by_head.chunks_exact(self.columns).nth(head)?;
        row.get(start..start.checked_add(len)?)
    }

    #[inline(always)]
    fn fill(&self, head: usize, first: i64, out: &mut [f32]) {
        if head >= self.heads {
            return out.fill(f32::NAN);
        }
        let row = &self.by_head[head * self.columns..][..self.columns];
        // Outermost values, the table, outermost values again.
        let before = usize::try_from(self.first.saturating_sub(first)).unwrap_or(0).min(out.len());
        let (left, out) = out.split_at_mut(before);
        left.fill(row[0]);
        let skipped = usize::try_from(first.saturating_sub(self.first)).unwrap_or(0).min(self.columns);
        let within = (self.columns - skipped).min(out.len());
        let (inner, right) = out.split_at_mut(within);
        inner.copy_from_slice(&row[skipped..][..within]);
        right.fill(row[self.columns - 1]);
    }

    fn distances(&self) -> RangeInclusive<i64> {
        match self.beyond {
            Beyond::Outermost => i64::MIN..=i64::MAX,
            Beyond::Refused => self.first..=self.first + self.columns as i64 - 1,
        }
    }
}

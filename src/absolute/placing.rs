//! Sines and cosines on their way into rows: a block of them is made, then written or added.

use alloc::vec;

use posenc_kernels::Place;

use super::Sinusoidal;
use super::rows::factor;
use crate::Element;
use crate::positions::Resolved;
use crate::tables::BLOCK;

/// How many cosines, and sines, a block has at most: little enough that they and the rows stay in the second cache, and
/// enough for runs of positions in rows of some thousand features.
const CELLS: usize = 1 << 15;

impl Sinusoidal {
    /// Writes the rows of the tokens from `first` on; sizes were checked.
    pub(super) fn set<T: Element>(&self, out: &mut [T], positions: Resolved<'_>, first: usize) {
        let pairs = self.builder.pairs();
        self.blocks(out, positions, first, |rows: &mut [T], cos: &[T], sin: &[T]| {
            for (i, row) in rows.chunks_exact_mut(self.features).enumerate() {
                self.order.put(row, &cos[i * pairs..][..pairs], &sin[i * pairs..][..pairs]);
            }
        });
    }

    /// Adds the rows of the tokens from `first` on; sizes were checked.
    pub(super) fn sum<T: Element>(&self, x: &mut [T], positions: Resolved<'_>, first: usize) {
        self.blocks(x, positions, first, |rows: &mut [T], cos: &[T::Work], sin: &[T::Work]| {
            let (rows, scale) = (T::raw_mut(rows), factor(self.scale));
            let (width, pairs) = (self.features, self.builder.pairs());
            let (a, b, arrangement) = self.order.arranged(cos, sin);
            Place::<T::Format> { rows, width, pairs, a, b, scale }.run(self.level, arrangement);
        });
    }

    /// Hands over a block of rows after the other, with its cosines and sines.
    fn blocks<T, E: Element>(
        &self,
        x: &mut [T],
        positions: Resolved<'_>,
        first: usize,
        merge: impl Fn(&mut [T], &[E], &[E]),
    ) {
        if x.is_empty() {
            return;
        }
        let pairs = self.builder.pairs();
        let block = (CELLS / pairs.max(1)).clamp(1, BLOCK).min(x.len() / self.features);
        let (mut cos, mut sin) = (vec![E::default(); block * pairs], vec![E::default(); block * pairs]);
        for (index, rows) in x.chunks_mut(block * self.features).enumerate() {
            let (count, first) = (rows.len() / self.features, first + index * block);
            let (cos, sin) = (&mut cos[..count * pairs], &mut sin[..count * pairs]);
            self.cells(positions, first, count, cos, sin);
            merge(rows, cos, sin);
        }
    }

    /// Cosines and sines of the tokens from `first` on.
    fn cells<E: Element>(&self, positions: Resolved<'_>, first: usize, count: usize, cos: &mut [E], sin: &mut [E]) {
        self.builder.rows(positions, 0, first..first + count, cos, sin);
        let Some(padding) = self.padding else { return };
        let pairs = self.builder.pairs().max(1);
        for (i, (cos, sin)) in cos.chunks_exact_mut(pairs).zip(sin.chunks_exact_mut(pairs)).enumerate() {
            let at = |axis| positions.coordinate(axis, 0, first + i);
            if (0..self.frequencies.axes()).all(|axis| at(axis) == padding as f64) {
                cos.fill(E::default());
                sin.fill(E::default());
            }
        }
    }
}

//! Threads: the one file that knows rayon.
//!
//! Work is halved until the pieces are small, on the pool that the caller is in; no pool is built or sized here, and small
//! work never looks for one.

use crate::heads::HeadsMut;
use crate::rotary::Origin;

/// Elements below which a piece is not cut further: some tens of microseconds, against about one for a fork and join.
const PIECE: usize = 1 << 16;

/// Runs `work` on independent parts of a view.
pub(crate) fn heads<T: Send>(view: HeadsMut<'_, T>, work: &(impl Fn(HeadsMut<'_, T>, Origin) + Sync)) {
    cut(view, Origin::default(), work);
}

fn cut<T: Send>(view: HeadsMut<'_, T>, origin: Origin, work: &(impl Fn(HeadsMut<'_, T>, Origin) + Sync)) {
    match view.outer_axis() {
        Some((axis, count)) if view.elements() >= 2 * PIECE => {
            let at = count / 2;
            let (left, right) = view.split(axis, at);
            rayon::join(|| cut(left, origin, work), || cut(right, origin.moved(axis, at), work));
        }
        _ => work(view, origin),
    }
}

/// Rows that can be cut in two.
pub(crate) trait Cut: Sized + Send {
    /// Cuts before an element.
    fn cut(self, at: usize) -> (Self, Self);
}

impl<T: Send> Cut for &mut [T] {
    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    fn cut(self, at: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.cut(at), self.1.cut(at));
        ((a, b), (c, d))
    }
}

/// Runs `work` on independent stretches of rows of `width` elements; it is told the first row of each.
pub(crate) fn rows<C: Cut>(elements: usize, width: usize, data: C, work: &(impl Fn(usize, C) + Sync)) {
    fn halve<C: Cut>(first: usize, rows: usize, width: usize, data: C, work: &(impl Fn(usize, C) + Sync)) {
        if rows < 2 || rows * width < 2 * PIECE {
            return work(first, data);
        }
        let at = rows / 2;
        let (left, right) = data.cut(at * width);
        rayon::join(|| halve(first, at, width, left, work), || halve(first + at, rows - at, width, right, work));
    }
    halve(0, elements / width.max(1), width, data, work);
}

//! Threads: the one file that knows rayon.
//!
//! Work is halved until the pieces are small, on the pool that the caller is in; no pool is built or sized here, and small
//! work never looks for one.

use crate::heads::{Axis, Heads, HeadsMut, Shape};
use crate::rotary::Origin;

/// From how many elements on a whole is cut, and how small its pieces become.
///
/// Waking a sleeping thread, and the way of the data from one core to another, cost as much as some ten microseconds of
/// work; a fork and join between threads that are awake costs about one.
#[derive(Clone, Copy)]
struct Least {
    whole: usize,
    piece: usize,
}

/// Of elements that are rotated.
const ROTATED: Least = Least { whole: 1 << 19, piece: 1 << 16 };

/// Of cosines and sines that are made, which takes several times as long.
const MADE: Least = Least { whole: 1 << 17, piece: 1 << 14 };

/// Runs `work` on independent parts of a view.
#[inline]
pub(crate) fn heads<T: Send>(view: HeadsMut<'_, T>, work: &(impl Fn(HeadsMut<'_, T>, Origin) + Sync)) {
    halve(view, ROTATED.whole, Origin::default(), work);
}

/// Runs `work` on independent parts of a view to write and the same parts of one to read.
pub(crate) fn heads_into<S: Sync, D: Send>(
    from: Heads<'_, S>,
    to: HeadsMut<'_, D>,
    work: &(impl Fn(Heads<'_, S>, HeadsMut<'_, D>, Origin) + Sync),
) {
    halve((from, to), ROTATED.whole, Origin::default(), &|(from, to), origin| work(from, to, origin));
}

/// What can be cut along an axis.
trait Whole: Send + Sized {
    /// The outer axis, if there are at least so many elements.
    fn axis(&self, least: usize) -> Option<(Axis, usize)>;

    /// Cuts that axis before an entry.
    fn cut(self, axis: Axis, index: usize) -> (Self, Self);
}

impl<T: Send> Whole for HeadsMut<'_, T> {
    fn axis(&self, least: usize) -> Option<(Axis, usize)> {
        let Shape { batch, tokens, heads, dim } = self.shape();
        // Saturating, since beside a count of zero the others may be of any size.
        let elements = [batch, tokens, heads, dim].into_iter().fold(1, usize::saturating_mul);
        if elements < least { None } else { self.outer_axis() }
    }

    fn cut(self, axis: Axis, index: usize) -> (Self, Self) {
        HeadsMut::cut(self, axis, index)
    }
}

impl<S: Sync, D: Send> Whole for (Heads<'_, S>, HeadsMut<'_, D>) {
    fn axis(&self, least: usize) -> Option<(Axis, usize)> {
        self.1.axis(least)
    }

    fn cut(self, axis: Axis, index: usize) -> (Self, Self) {
        let ((from_left, from_right), (left, right)) = (self.0.cut(axis, index), self.1.cut(axis, index));
        ((from_left, left), (from_right, right))
    }
}

#[inline]
fn halve<V: Whole>(whole: V, least: usize, origin: Origin, work: &(impl Fn(V, Origin) + Sync)) {
    let Some((axis, count)) = whole.axis(least) else {
        return work(whole, origin);
    };
    let index = count / 2;
    let (left, right) = whole.cut(axis, index);
    let moved = match axis {
        Axis::Batch => Origin { sequence: origin.sequence + index, ..origin },
        Axis::Token => Origin { token: origin.token + index, ..origin },
        Axis::Head => origin,
    };
    let least = 2 * ROTATED.piece;
    rayon::join(|| halve(left, least, origin, work), || halve(right, least, moved, work));
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

/// Runs `work`, which makes cosines and sines, on independent stretches of rows of `width` elements; it is told the first row
/// of each.
pub(crate) fn rows<C: Cut>(elements: usize, width: usize, data: C, work: &(impl Fn(usize, C) + Sync)) {
    halve_rows([elements / width.max(1), width], MADE, 0, data, work);
}

/// The same for `work` that moves and adds rows which are there.
pub(crate) fn moved_rows<C: Cut>(elements: usize, width: usize, data: C, work: &(impl Fn(usize, C) + Sync)) {
    halve_rows([elements / width.max(1), width], ROTATED, 0, data, work);
}

fn halve_rows<C: Cut>(
    [rows, width]: [usize; 2],
    least: Least,
    first: usize,
    data: C,
    work: &(impl Fn(usize, C) + Sync),
) {
    if rows < 2 || rows * width < least.whole {
        return work(first, data);
    }
    let at = rows / 2;
    let (left, right) = data.cut(at * width);
    let least = Least { whole: 2 * least.piece, ..least };
    rayon::join(
        || halve_rows([at, width], least, first, left, work),
        || halve_rows([rows - at, width], least, first + at, right, work),
    );
}

/// Whether so many elements that are moved and added are cut at all.
pub(crate) fn is_worth_cutting(elements: usize) -> bool {
    elements >= ROTATED.whole
}

/// Runs `work`, which moves and adds rows that are there, on pieces of a whole. `cut` makes two of one that has at least so
/// many elements, unless it cannot.
pub(crate) fn pieces<W: Send>(
    whole: W,
    cut: &(impl Fn(W, usize) -> Result<[W; 2], W> + Sync),
    work: &(impl Fn(W) + Sync),
) {
    halve_pieces(whole, ROTATED.whole, cut, work);
}

fn halve_pieces<W: Send>(
    whole: W,
    least: usize,
    cut: &(impl Fn(W, usize) -> Result<[W; 2], W> + Sync),
    work: &(impl Fn(W) + Sync),
) {
    match cut(whole, least) {
        Ok([left, right]) => {
            let least = 2 * ROTATED.piece;
            rayon::join(|| halve_pieces(left, least, cut, work), || halve_pieces(right, least, cut, work));
        }
        Err(piece) => work(piece),
    }
}

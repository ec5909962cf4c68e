//! Where heads stand in memory: any order of batch, token and head, any gaps, and guards in all that is not a head.
//! It stands apart because it finds each cell on its own, by its four coordinates, as no code of the crate does.

use posenc::{Heads, HeadsMut, Shape, Strides};

use super::bits::guard;

/// The orders of batch (0), token (1) and head (2), innermost first.
const ORDERS: [[usize; 3]; 6] = [[2, 1, 0], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [0, 1, 2]];

/// An order and the gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Which order, taken modulo six; 0 is token-major and 1 head-major.
    pub(crate) order: usize,
    /// Elements left free at the end of each axis's step, innermost first.
    pub(crate) gaps: [usize; 3],
    /// Elements before the first head.
    pub(crate) before: usize,
}

impl Layout {
    /// `[batch, tokens, heads, dim]` without gaps.
    pub(crate) const TOKEN_MAJOR: Self = Self { order: 0, gaps: [0; 3], before: 0 };
    /// `[batch, heads, tokens, dim]` without gaps.
    #[cfg(feature = "rayon")]
    pub(crate) const HEAD_MAJOR: Self = Self { order: 1, gaps: [0; 3], before: 0 };

    /// The strides of a view of that shape.
    pub(crate) fn strides(&self, shape: Shape) -> Strides {
        let counts = [shape.batch, shape.tokens, shape.heads];
        let mut strides = [0; 3];
        let mut extent = shape.dim;
        for (axis, gap) in ORDERS[self.order % 6].into_iter().zip(self.gaps) {
            strides[axis] = extent + gap;
            extent += counts[axis].saturating_sub(1) * strides[axis];
        }
        let [batch, token, head] = strides;
        Strides { batch, token, head }
    }

    /// Where each element of `[batch, tokens, heads, dim]` stands in a buffer of this layout.
    pub(crate) fn cells(&self, shape: Shape) -> Vec<usize> {
        let Strides { batch, token, head } = self.strides(shape);
        let mut cells = vec![];
        for b in 0..shape.batch {
            for t in 0..shape.tokens {
                for h in 0..shape.heads {
                    let first = self.before + b * batch + t * token + h * head;
                    cells.extend(first..first + shape.dim);
                }
            }
        }
        cells
    }

    /// A buffer that holds `data` in this layout, and guards in the gaps, before the first head and behind the last.
    pub(crate) fn buffer(&self, shape: Shape, data: &[f32]) -> Vec<f32> {
        self.buffer_of(shape, data, guard)
    }

    /// [`buffer`](Self::buffer) of any type, with guards of that type.
    pub(crate) fn buffer_of<T: Copy>(&self, shape: Shape, data: &[T], guard: impl Fn(usize) -> T) -> Vec<T> {
        let cells = self.cells(shape);
        let end = cells.iter().max().map_or(self.before, |last| last + 1);
        let mut buffer: Vec<T> = (0..end + 5).map(guard).collect();
        for (&cell, &x) in cells.iter().zip(data) {
            buffer[cell] = x;
        }
        buffer
    }

    /// The view of a buffer that [`buffer`](Self::buffer) made.
    pub(crate) fn view<'a, T>(&self, shape: Shape, buffer: &'a mut [T]) -> HeadsMut<'a, T> {
        HeadsMut::strided(&mut buffer[self.before..], shape, self.strides(shape))
            .expect("strides that keep heads apart")
    }

    /// [`view`](Self::view), to be read.
    pub(crate) fn source<'a, T>(&self, shape: Shape, buffer: &'a [T]) -> Heads<'a, T> {
        Heads::strided(&buffer[self.before..], shape, self.strides(shape)).expect("strides that keep heads apart")
    }
}

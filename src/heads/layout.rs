//! The arithmetic of shapes and strides, without the data.

use core::ops::Range;

use super::{Axis, Shape, Strides};
use crate::error::{Error, Result, check_length, product};

/// Shape and strides that were checked against each other and against the data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    pub(crate) strides: Strides,
}

impl Layout {
    #[inline]
    pub(super) fn token_major(len: usize, [batch, tokens, heads, dim]: [usize; 4]) -> Result<Self> {
        check_length("head data", product("head data", &[batch, tokens, heads, dim])?, len)?;
        let strides =
            Strides { batch: tokens.wrapping_mul(heads).wrapping_mul(dim), token: heads.wrapping_mul(dim), head: dim };
        Ok(Self { shape: Shape { batch, tokens, heads, dim }, strides })
    }

    pub(super) fn head_major(len: usize, [batch, heads, tokens, dim]: [usize; 4]) -> Result<Self> {
        let Self { shape, strides } = Self::token_major(len, [batch, heads, tokens, dim])?;
        let shape = Shape { tokens: shape.heads, heads: shape.tokens, ..shape };
        Ok(Self { shape, strides: Strides { token: strides.head, head: strides.token, ..strides } })
    }

    pub(super) fn sequence_major(len: usize, [tokens, batch, heads, dim]: [usize; 4]) -> Result<Self> {
        let Self { shape, strides } = Self::token_major(len, [tokens, batch, heads, dim])?;
        let shape = Shape { batch, tokens, ..shape };
        Ok(Self { shape, strides: Strides { batch: strides.token, token: strides.batch, ..strides } })
    }

    pub(super) fn strided(len: usize, shape: Shape, strides: Strides) -> Result<Self> {
        let Shape { batch, tokens, heads, dim } = shape;
        if product("head data", &[batch, tokens, heads, dim])? > 0 {
            let mut axes =
                [("head", heads, strides.head), ("token", tokens, strides.token), ("batch", batch, strides.batch)];
            axes.sort_by_key(|&(_, count, stride)| (stride, count));
            let mut extent = dim;
            for (what, count, stride) in axes.into_iter().filter(|&(_, count, _)| count > 1) {
                if stride < extent {
                    return Err(Error::Stride { what, expected: extent, found: stride });
                }
                extent = (count - 1).saturating_mul(stride).saturating_add(extent);
            }
            if extent > len {
                return Err(Error::Length { what: "head data", expected: extent, found: len });
            }
        }
        Ok(Self { shape, strides })
    }

    /// The axis whose parts lie farthest apart, along which the data falls into two separate stretches of memory.
    pub(super) fn outer_axis(&self) -> Option<(Axis, usize)> {
        let Shape { batch, tokens, heads, .. } = self.shape;
        [
            (Axis::Batch, batch, self.strides.batch),
            (Axis::Token, tokens, self.strides.token),
            (Axis::Head, heads, self.strides.head),
        ]
        .into_iter()
        .filter(|&(_, count, _)| count > 1)
        .max_by_key(|&(_, _, stride)| stride)
        .map(|(axis, count, _)| (axis, count))
    }

    /// The outer axis, if it has an entry `index`.
    pub(super) fn check_split(&self, index: usize) -> Result<Axis> {
        match self.outer_axis() {
            Some((axis, count)) if index <= count => Ok(axis),
            Some(_) => Err(Error::Count { what: "split", expected: "an entry of the outer axis", found: index }),
            None => Err(Error::Count { what: "split", expected: "an axis of more than one entry", found: index }),
        }
    }

    /// The layouts before and from an entry of an axis, and the element where the second begins.
    pub(super) fn cut(self, axis: Axis, index: usize) -> (Self, Self, usize) {
        let (mut left, mut right) = (self, self);
        let (count, stride) = right.axis(axis);
        *count -= index;
        *left.axis(axis).0 = index;
        (left, right, index.saturating_mul(stride))
    }

    /// How many entries an axis has, and the way from one to the next.
    fn axis(&mut self, axis: Axis) -> (&mut usize, usize) {
        match axis {
            Axis::Batch => (&mut self.shape.batch, self.strides.batch),
            Axis::Token => (&mut self.shape.tokens, self.strides.token),
            Axis::Head => (&mut self.shape.heads, self.strides.head),
        }
    }

    /// The layout of some entries of an axis, and the element where it begins.
    pub(super) fn narrow(mut self, axis: Axis, range: Range<usize>) -> Result<(Self, usize)> {
        let (count, stride) = self.axis(axis);
        if range.start > range.end || range.end > *count {
            let found = range.start.max(range.end);
            return Err(Error::Count { what: "range", expected: "ascending, within the entries of the axis", found });
        }
        *count = range.len();
        Ok((self, range.start.saturating_mul(stride)))
    }
}

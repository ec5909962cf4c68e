//! Pairs `(x[2j], x[2j+1])`: GPT-J, RoFormer, the complex form.
//!
//! ```text
//! row      [ x0 y0 x1 y1 … ]      times   [ c0 c0 c1 c1 … ]
//! swapped  [ y0 x0 y1 x1 … ]      times   [−s0 s0 −s1 s1 … ]    and the sum of both
//! ```
//!
//! The inverse has the signs of the sines the other way round. Adding a product with `−s` gives the same bits as
//! subtracting the product with `s`, so both pairings compute the same function.

use super::Row;
use crate::vector::{Isa, Scalar, Single};

/// Forward, or inverse.
#[derive(Clone, Copy)]
pub(super) struct Interleaved<const INVERSE: bool>;

impl<const INVERSE: bool> Row for Interleaved<INVERSE> {
    #[inline(always)]
    fn rotate<I: Isa>(self, isa: I, row: &mut [f32], cos: &[f32], sin: &[f32]) {
        let done = lanes::<I::F32, INVERSE>(isa, row, cos, sin);
        lanes::<<Scalar as Isa>::F32, INVERSE>(Scalar, &mut row[2 * done..], &cos[done..], &sin[done..]);
    }
}

/// Rotates whole vectors and tells how many pairs that were.
#[inline(always)]
fn lanes<V: Single, const INVERSE: bool>(isa: V::Isa, row: &mut [f32], cos: &[f32], sin: &[f32]) -> usize {
    let (cos, sin) = (V::split(cos).0, V::split(sin).0);
    let minus = V::splat(isa, -1.0);
    let (row, _) = V::split_mut(row).0.as_chunks_mut::<2>();
    for ([a, b], (c, s)) in row.iter_mut().zip(cos.iter().zip(sin)) {
        let (c, s) = (V::load(isa, c), V::load(isa, s));
        let (c0, c1) = c.interleave(c);
        let (s0, s1) = if INVERSE { s.interleave(s * minus) } else { (s * minus).interleave(s) };
        let (x, y) = (V::load(isa, a), V::load(isa, b));
        let (swapped_x, swapped_y) = x.swap_neighbours(y);
        (x * c0 + swapped_x * s0).store(a);
        (y * c1 + swapped_y * s1).store(b);
    }
    cos.len() * V::LANES
}

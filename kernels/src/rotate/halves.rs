//! Pairs `(x[j], x[j+n])`: GPT-NeoX, "rotate half".
//!
//! ```text
//! row   [ x0 x1 x2 … | y0 y1 y2 … ]        x' = x·c − y·s
//!         └──────┬─────┘                   y' = y·c + x·s
//!              a pair
//! ```
//!
//! The inverse turns `(y, x)` instead of `(x, y)`: the same sums with the sign of the sine changed.

use super::Row;
use crate::vector::{Isa, Scalar, Vector};

/// Forward, or inverse.
#[derive(Clone, Copy)]
pub(super) struct Halves<const INVERSE: bool>;

impl<const INVERSE: bool> Row for Halves<INVERSE> {
    #[inline(always)]
    fn rotate<I: Isa>(self, isa: I, row: &mut [f32], cos: &[f32], sin: &[f32]) {
        let (low, high) = row.split_at_mut(cos.len());
        let (x, y) = if INVERSE { (high, low) } else { (low, high) };
        let done = lanes::<I::F32>(isa, x, y, cos, sin);
        lanes::<<Scalar as Isa>::F32>(Scalar, &mut x[done..], &mut y[done..], &cos[done..], &sin[done..]);
    }
}

/// Rotates whole vectors and tells how many elements that were.
#[inline(always)]
fn lanes<V: Vector<Elem = f32>>(isa: V::Isa, x: &mut [f32], y: &mut [f32], cos: &[f32], sin: &[f32]) -> usize {
    let (x, y) = (V::split_mut(x).0, V::split_mut(y).0);
    let (cos, sin) = (V::split(cos).0, V::split(sin).0);
    let done = cos.len() * V::LANES;
    for ((x, y), (c, s)) in x.iter_mut().zip(y).zip(cos.iter().zip(sin)) {
        let (x0, y0) = (V::load(isa, x), V::load(isa, y));
        let (c, s) = (V::load(isa, c), V::load(isa, s));
        (x0 * c - y0 * s).store(x);
        (y0 * c + x0 * s).store(y);
    }
    done
}

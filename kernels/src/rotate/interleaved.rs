//! Pairs `(x[2j], x[2j+1])`: GPT-J, RoFormer, the complex form.
//!
//! Where a unit holds neighbours one behind the other:
//!
//! ```text
//! row      [ x0 y0 x1 y1 … ]      times   [ c0 c0 c1 c1 … ]
//! swapped  [ y0 x0 y1 x1 … ]      times   [−s0 s0 −s1 s1 … ]    and the sum of both
//! ```
//!
//! Where a unit falls into even and odd elements, those are the pairs already. Adding a product with `−s` gives the same
//! bits as subtracting the product with `s`, so both are the same function.

use super::{Direction, Turn, sign};
use crate::format::{Format, array_at};
use crate::memory::{Memory, OnOne};
use crate::vector::{Isa, Shuffle, Vector};

#[derive(Clone, Copy)]
pub(super) struct Interleaved;

/// Two vectors for the elements as they stand, two for the swapped ones; of a split format, the first of each.
#[derive(Clone, Copy)]
pub(super) struct Twiddle<F: Format, I: Isa> {
    straight: [F::Lanes<I>; 2],
    crossed: [F::Lanes<I>; 2],
}

impl<F: Format, I: Isa> OnOne<F, I> for Twiddle<F, I> {
    #[inline(always)]
    fn apply(&self, [a, b]: [F::Lanes<I>; 2]) -> [F::Lanes<I>; 2] {
        let Self { straight: [straight_a, straight_b], crossed: [crossed_a, crossed_b] } = *self;
        if F::split::<I>() {
            [a * straight_a - b * crossed_a, b * straight_a + a * crossed_a]
        } else {
            let [swapped_a, swapped_b] = a.swap_neighbours(b);
            [a * straight_a + swapped_a * crossed_a, b * straight_b + swapped_b * crossed_b]
        }
    }
}

impl Turn for Interleaved {
    type Rest = Self;
    type Twiddle<F: Format, I: Isa> = Twiddle<F, I>;

    #[inline(always)]
    fn unit<F: Format, I: Isa>() -> usize {
        F::Lanes::<I>::LANES
    }

    #[inline(always)]
    fn twiddle<F: Format, I: Isa>(
        isa: I,
        (cos, sin): (&[F::Work], &[F::Work]),
        at: usize,
        direction: Direction,
    ) -> Twiddle<F, I> {
        let cos = F::ready(isa, F::Lanes::<I>::load(isa, array_at::<F::Lanes<I>, _>(cos, at)));
        let sin = F::ready(isa, F::Lanes::<I>::load(isa, array_at::<F::Lanes<I>, _>(sin, at)));
        let sin = sin * F::Lanes::<I>::splat(isa, sign(direction));
        if F::split::<I>() {
            Twiddle { straight: [cos; 2], crossed: [sin; 2] }
        } else {
            let minus = sin * F::Lanes::<I>::splat(isa, F::Work::from(-1));
            Twiddle { straight: cos.interleave(cos), crossed: minus.interleave(sin) }
        }
    }

    #[inline(always)]
    fn turn<M: Memory, I: Isa, const N: usize>(
        isa: I,
        memory: &mut M,
        row: M::Row,
        _: usize,
        at: usize,
        twiddles: &[Twiddle<M::Format, I>; N],
    ) {
        memory.one_by_one(isa, row, 2 * at, twiddles);
    }
}

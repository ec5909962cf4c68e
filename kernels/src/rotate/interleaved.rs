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
use crate::memory::Memory;
use crate::vector::{Isa, Vector};

#[derive(Clone, Copy)]
pub(super) struct Interleaved;

impl Turn for Interleaved {
    /// Two vectors for the elements as they stand, two for the swapped ones; of a split format, the first of each.
    type Twiddle<F: Format, I: Isa> = [[F::Lanes<I>; 2]; 2];

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
    ) -> Self::Twiddle<F, I> {
        let cos = F::ready(isa, F::Lanes::<I>::load(isa, array_at::<F::Lanes<I>, _>(cos, at)));
        let sin = F::ready(isa, F::Lanes::<I>::load(isa, array_at::<F::Lanes<I>, _>(sin, at)));
        let sin = sin * F::Lanes::<I>::splat(isa, sign(direction));
        if F::SPLIT {
            [[cos; 2], [sin; 2]]
        } else {
            let minus = sin * F::Lanes::<I>::splat(isa, F::Work::from(-1));
            [cos.interleave(cos), minus.interleave(sin)]
        }
    }

    #[inline(always)]
    fn turn<M: Memory, I: Isa>(
        isa: I,
        memory: &mut M,
        row: M::Row,
        _: usize,
        at: usize,
        [[cos0, cos1], [sin0, sin1]]: &Self::Twiddle<M::Format, I>,
    ) {
        let [a, b] = memory.load(isa, row, 2 * at);
        let turned = if M::Format::SPLIT {
            [a * *cos0 - b * *sin0, b * *cos0 + a * *sin0]
        } else {
            let [swapped_a, swapped_b] = a.swap_neighbours(b);
            [a * *cos0 + swapped_a * *sin0, b * *cos1 + swapped_b * *sin1]
        };
        memory.store(isa, turned, row, 2 * at);
    }
}

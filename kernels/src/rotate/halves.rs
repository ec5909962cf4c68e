//! Pairs `(x[j], x[j+n])`: GPT-NeoX, "rotate half".
//!
//! ```text
//! row   [ x0 x1 x2 … | y0 y1 y2 … ]        x' = x·c − y·s
//!         └──────┬─────┘                   y' = y·c + x·s
//!              a pair
//! ```

use super::{Direction, OneTwiddle, Turn, sign};
use crate::format::{Format, unit_at, unit_len};
use crate::memory::Memory;
use crate::vector::{Isa, Vector};

#[derive(Clone, Copy)]
pub(super) struct Halves;

impl Turn for Halves {
    /// Two vectors of cosines, two of sines.
    type Twiddle<F: Format, I: Isa> = [[F::Lanes<I>; 2]; 2];

    #[inline(always)]
    fn unit<F: Format, I: Isa>() -> usize {
        unit_len::<F, I>()
    }

    #[inline(always)]
    fn twiddle<F: Format, I: Isa>(
        isa: I,
        (cos, sin): (&[F::Work], &[F::Work]),
        at: usize,
        direction: Direction,
    ) -> Self::Twiddle<F, I> {
        let sign = F::Lanes::<I>::splat(isa, sign(direction));
        let [sin0, sin1] = F::table(isa, unit_at::<F, I, _>(sin, at));
        [F::table(isa, unit_at::<F, I, _>(cos, at)), [sin0 * sign, sin1 * sign]]
    }

    #[inline(always)]
    fn turn<M: Memory, I: Isa>(
        isa: I,
        memory: &mut M,
        row: M::Row,
        pairs: usize,
        at: usize,
        [[cos0, cos1], [sin0, sin1]]: &Self::Twiddle<M::Format, I>,
    ) {
        let [x0, x1] = memory.load(isa, row, at);
        let [y0, y1] = memory.load(isa, row, pairs + at);
        memory.store(isa, [x0 * *cos0 - y0 * *sin0, x1 * *cos1 - y1 * *sin1], row, at);
        memory.store(isa, [y0 * *cos0 + x0 * *sin0, y1 * *cos1 + x1 * *sin1], row, pairs + at);
    }

    #[inline(always)]
    fn turn_one<M: Memory>(memory: &mut M, row: M::Row, pairs: usize, at: usize, [cos, sin]: OneTwiddle<M>) {
        let ([x, _], [y, _]) = (memory.load_one(row, at), memory.load_one(row, pairs + at));
        memory.store_one([x * cos - y * sin; 2], row, at);
        memory.store_one([y * cos + x * sin; 2], row, pairs + at);
    }
}

//! Pairs `(x[j], x[j+n])`: GPT-NeoX, "rotate half".
//!
//! ```text
//! row   [ x0 x1 x2 … | y0 y1 y2 … ]        x' = x·c − y·s
//!         └──────┬─────┘                   y' = y·c + x·s
//!              a pair
//! ```

use super::{Direction, OneTwiddle, Turn, sign};
use crate::format::{Format, unit_at, unit_len};
use crate::memory::{Memory, OnTwo};
use crate::vector::{Isa, Vector};

#[derive(Clone, Copy)]
pub(super) struct Halves;

/// Two vectors of cosines, two of sines.
pub(super) struct Twiddle<F: Format, I: Isa> {
    cos: [F::Lanes<I>; 2],
    sin: [F::Lanes<I>; 2],
}

impl<F: Format, I: Isa> Clone for Twiddle<F, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Format, I: Isa> Copy for Twiddle<F, I> {}

impl<F: Format, I: Isa> OnTwo<F, I> for Twiddle<F, I> {
    #[inline(always)]
    fn apply(&self, [x0, x1]: [F::Lanes<I>; 2], [y0, y1]: [F::Lanes<I>; 2]) -> [[F::Lanes<I>; 2]; 2] {
        let Self { cos: [cos0, cos1], sin: [sin0, sin1] } = *self;
        [[x0 * cos0 - y0 * sin0, x1 * cos1 - y1 * sin1], [y0 * cos0 + x0 * sin0, y1 * cos1 + x1 * sin1]]
    }
}

impl Turn for Halves {
    type Twiddle<F: Format, I: Isa> = Twiddle<F, I>;

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
    ) -> Twiddle<F, I> {
        let sign = F::Lanes::<I>::splat(isa, sign(direction));
        let [sin0, sin1] = F::table(isa, unit_at::<F, I, _>(sin, at));
        Twiddle { cos: F::table(isa, unit_at::<F, I, _>(cos, at)), sin: [sin0 * sign, sin1 * sign] }
    }

    #[inline(always)]
    fn turn<M: Memory, I: Isa, const N: usize>(
        isa: I,
        memory: &mut M,
        row: M::Row,
        pairs: usize,
        at: usize,
        twiddles: &[Twiddle<M::Format, I>; N],
    ) {
        memory.two_by_two(isa, row, [at, pairs + at], twiddles);
    }

    #[inline(always)]
    fn turn_one<M: Memory>(memory: &mut M, row: M::Row, pairs: usize, at: usize, [cos, sin]: OneTwiddle<M>) {
        let ([x, _], [y, _]) = (memory.load_one(row, at), memory.load_one(row, pairs + at));
        memory.store_one([x * cos - y * sin; 2], row, at);
        memory.store_one([y * cos + x * sin; 2], row, pairs + at);
    }
}

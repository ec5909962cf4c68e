//! Pairs `(x[j], x[j+n])`: GPT-NeoX, "rotate half".
//!
//! ```text
//! row   [ x0 x1 x2 … | y0 y1 y2 … ]        x' = x·c − y·s
//!         └──────┬─────┘                   y' = y·c + x·s
//!              a pair
//! ```

use super::{Direction, Turn, sign};
use crate::format::{Format, array_at, unit_at, unit_len};
use crate::memory::{Memory, OnOne, OnTwo};
use crate::vector::{Isa, Vector};

#[derive(Clone, Copy)]
pub(super) struct Halves;

/// Two vectors of cosines, two of sines.
#[derive(Clone, Copy)]
pub(super) struct Twiddle<F: Format, I: Isa> {
    cos: [F::Lanes<I>; 2],
    sin: [F::Lanes<I>; 2],
}

impl<F: Format, I: Isa> OnTwo<F, I> for Twiddle<F, I> {
    #[inline(always)]
    fn apply(&self, [x0, x1]: [F::Lanes<I>; 2], [y0, y1]: [F::Lanes<I>; 2]) -> [[F::Lanes<I>; 2]; 2] {
        let Self { cos: [cos0, cos1], sin: [sin0, sin1] } = *self;
        [[x0 * cos0 - y0 * sin0, x1 * cos1 - y1 * sin1], [y0 * cos0 + x0 * sin0, y1 * cos1 + x1 * sin1]]
    }
}

impl Turn for Halves {
    type Rest = Joined;
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
}

/// As many pairs as a vector has lanes: the first half of a unit holds `x`, the second half `y`.
#[derive(Clone, Copy)]
pub(super) struct Joined;

/// Two vectors for the elements as they stand, two for their partners.
#[derive(Clone, Copy)]
pub(super) struct JoinedTwiddle<F: Format, I: Isa> {
    straight: [F::Lanes<I>; 2],
    crossed: [F::Lanes<I>; 2],
}

impl<F: Format, I: Isa> OnOne<F, I> for JoinedTwiddle<F, I> {
    #[inline(always)]
    fn apply(&self, [a, b]: [F::Lanes<I>; 2]) -> [F::Lanes<I>; 2] {
        let Self { straight: [straight_a, straight_b], crossed: [crossed_a, crossed_b] } = *self;
        let [partner_a, partner_b] = F::swap_halves([a, b]);
        // Adding a product with −s gives the same bits as subtracting the product with s.
        [a * straight_a + partner_a * crossed_a, b * straight_b + partner_b * crossed_b]
    }
}

impl Turn for Joined {
    type Rest = Self;
    type Twiddle<F: Format, I: Isa> = JoinedTwiddle<F, I>;

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
    ) -> JoinedTwiddle<F, I> {
        let (cos, sin) = (*array_at::<F::Lanes<I>, _>(cos, at), *array_at::<F::Lanes<I>, _>(sin, at));
        let mut minus = sin;
        (F::Lanes::<I>::load(isa, &sin) * F::Lanes::<I>::splat(isa, F::Work::from(-1))).store(&mut minus);
        let sign = F::Lanes::<I>::splat(isa, sign(direction));
        let [crossed_a, crossed_b] = F::table(isa, &[minus, sin]);
        JoinedTwiddle { straight: F::table(isa, &[cos, cos]), crossed: [crossed_a * sign, crossed_b * sign] }
    }

    #[inline(always)]
    fn turn<M: Memory, I: Isa, const N: usize>(
        isa: I,
        memory: &mut M,
        row: M::Row,
        pairs: usize,
        mut at: usize,
        twiddles: &[JoinedTwiddle<M::Format, I>; N],
    ) {
        for twiddle in twiddles {
            memory.joined(isa, row, [at, pairs + at], twiddle);
            at += Self::unit::<M::Format, I>();
        }
    }
}

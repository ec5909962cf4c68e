//! One lane, in plain Rust: the meaning of every operation.
//!
//! It is a level of its own, and the tail of every other level: a kernel whose slice is not a multiple of
//! the vector finishes here, with the same operations in the same order.

use super::{Double, Isa, Single, Vector, arrays, operators, sealed};

/// The instruction set that every machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar;

/// One f32.
#[derive(Clone, Copy)]
pub struct F32(f32);

/// One f64.
#[derive(Clone, Copy)]
pub struct F64(f64);

impl sealed::Sealed for Scalar {}

impl Isa for Scalar {
    type F32 = F32;
    type F64 = F64;
}

operators! { F32: Add add |a, b| a + b; Sub sub |a, b| a - b; Mul mul |a, b| a * b; }
operators! { F64:
    Add add |a, b| a + b;
    Sub sub |a, b| a - b;
    Mul mul |a, b| a * b;
    BitAnd bitand |a, b| f64::from_bits(a.to_bits() & b.to_bits());
    BitXor bitxor |a, b| f64::from_bits(a.to_bits() ^ b.to_bits());
}

impl Vector for F32 {
    type Isa = Scalar;
    type Elem = f32;
    arrays!(1);

    #[inline(always)]
    fn splat(_: Scalar, value: f32) -> Self {
        Self(value)
    }

    #[inline(always)]
    fn load(_: Scalar, from: &[f32; 1]) -> Self {
        Self(from[0])
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 1]) {
        *to = [self.0];
    }
}

impl Single for F32 {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        (self, other)
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> (Self, Self) {
        (next, self)
    }
}

impl Vector for F64 {
    type Isa = Scalar;
    type Elem = f64;
    arrays!(1);

    #[inline(always)]
    fn splat(_: Scalar, value: f64) -> Self {
        Self(value)
    }

    #[inline(always)]
    fn load(_: Scalar, from: &[f64; 1]) -> Self {
        Self(from[0])
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; 1]) {
        *to = [self.0];
    }
}

impl Double for F64 {
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Self(f64::from_bits(self.0.to_bits() << N))
    }

    #[inline(always)]
    fn lowest_bit_mask(self) -> Self {
        Self(f64::from_bits((self.0.to_bits() & 1).wrapping_neg()))
    }

    #[inline(always)]
    fn narrow(self) -> [f32; 1] {
        [self.0 as f32]
    }

    #[inline(always)]
    fn widen(_: Scalar, from: &[f32; 1]) -> Self {
        Self(f64::from(from[0]))
    }
}

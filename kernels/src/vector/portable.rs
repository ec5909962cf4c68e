//! 128-bit lanes over the `wide` crate, without unsafe code.
//!
//! `wide` sees only the features that the build has switched on: SSE2 on plain x86-64, NEON on aarch64,
//! simd128 on wasm when enabled, and plain arrays elsewhere. So this level is there on every machine.

use wide::{f32x4, f64x2, u64x2};

use super::{Double, Isa, Single, Vector, arrays, operators, sealed};

/// The instruction set that the build was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Portable;

/// Four f32.
#[derive(Clone, Copy)]
pub(super) struct F32x4(f32x4);

/// Two f64.
#[derive(Clone, Copy)]
pub(super) struct F64x2(f64x2);

impl sealed::Sealed for Portable {}

impl Isa for Portable {
    type F32 = F32x4;
    type F64 = F64x2;
}

operators! { F32x4: Add add |a, b| a + b; Sub sub |a, b| a - b; Mul mul |a, b| a * b; }
operators! { F64x2:
    Add add |a, b| a + b;
    Sub sub |a, b| a - b;
    Mul mul |a, b| a * b;
    BitAnd bitand |a, b| a & b;
    BitXor bitxor |a, b| a ^ b;
}

impl Vector for F32x4 {
    type Isa = Portable;
    type Elem = f32;
    arrays!(4);

    #[inline(always)]
    fn splat(_: Portable, value: f32) -> Self {
        Self(f32x4::splat(value))
    }

    #[inline(always)]
    fn load(_: Portable, from: &[f32; 4]) -> Self {
        Self(f32x4::new(*from))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 4]) {
        *to = self.0.to_array();
    }
}

impl Single for F32x4 {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        (Self(self.0.unpack_lo(other.0)), Self(self.0.unpack_hi(other.0)))
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> (Self, Self) {
        let swap = |x: f32x4| {
            let [a, b, c, d] = x.to_array();
            Self(f32x4::new([b, a, d, c]))
        };
        (swap(self.0), swap(next.0))
    }
}

impl Vector for F64x2 {
    type Isa = Portable;
    type Elem = f64;
    arrays!(2);

    #[inline(always)]
    fn splat(_: Portable, value: f64) -> Self {
        Self(f64x2::splat(value))
    }

    #[inline(always)]
    fn load(_: Portable, from: &[f64; 2]) -> Self {
        Self(f64x2::new(*from))
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; 2]) {
        *to = self.0.to_array();
    }
}

impl Double for F64x2 {
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Self(f64x2::from_bits(self.0.to_bits() << N.unsigned_abs()))
    }

    #[inline(always)]
    fn lowest_bit_mask(self) -> Self {
        Self(f64x2::from_bits(u64x2::splat(0) - (self.0.to_bits() & u64x2::splat(1))))
    }

    #[inline(always)]
    fn narrow(self) -> [f32; 2] {
        let [a, b] = self.0.to_array();
        [a as f32, b as f32]
    }

    #[inline(always)]
    fn widen(_: Portable, from: &[f32; 2]) -> Self {
        Self(f64x2::new([f64::from(from[0]), f64::from(from[1])]))
    }
}

//! One lane, in plain Rust: the meaning of every operation.
//!
//! It is a level of its own, and the tail of every other level: a kernel whose slice is not a multiple of
//! the vector finishes here, with the same operations in the same order.

use super::{Double, Isa, Shuffle, Single, Vector, arrays, half, operators, sealed, tie};

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
    type ManyF64 = F64;
    type Narrower = Self;

    #[inline(always)]
    fn narrower(self) -> Self {
        self
    }
}

operators! { F32:
    Add add |a, b| a + b;
    Sub sub |a, b| a - b;
    Mul mul |a, b| a * b;
    BitAnd bitand |a, b| f32::from_bits(a.to_bits() & b.to_bits());
    BitOr bitor |a, b| f32::from_bits(a.to_bits() | b.to_bits());
}
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

impl Shuffle for F32 {
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        [self, other]
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> [Self; 2] {
        [next, self]
    }
}

impl Single for F32 {
    #[inline(always)]
    fn deinterleave(self, next: Self) -> [Self; 2] {
        [self, next]
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Self(f32::from_bits(self.0.to_bits() << N))
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        Self(f32::from_bits(self.0.to_bits() >> N))
    }

    #[inline(always)]
    fn add_bits(self, other: Self) -> Self {
        Self(f32::from_bits(self.0.to_bits().wrapping_add(other.0.to_bits())))
    }

    #[inline(always)]
    fn add_bit_16_to(self, other: Self) -> Self {
        Self(f32::from_bits(other.0.to_bits().wrapping_add(self.0.to_bits() >> 16 & 1)))
    }

    #[inline(always)]
    fn nan_mask(self) -> Self {
        Self(f32::from_bits(if self.0.is_nan() { u32::MAX } else { 0 }))
    }

    #[inline(always)]
    fn load_pairs(_: Scalar, [[low], [high]]: &[[u16; 1]; 2]) -> Self {
        Self(f32::from_bits(u32::from(*low) | u32::from(*high) << 16))
    }

    #[inline(always)]
    fn store_pairs(self, to: &mut [[u16; 1]; 2]) {
        let bits = self.0.to_bits();
        *to = [[bits as u16], [(bits >> 16) as u16]];
    }

    const F16_SPLIT: bool = false;

    #[inline(always)]
    fn load_f16(_: Scalar, [[a], [b]]: &[[u16; 1]; 2]) -> [Self; 2] {
        [Self(half::widen(*a)), Self(half::widen(*b))]
    }

    #[inline(always)]
    fn store_f16([a, b]: [Self; 2], to: &mut [[u16; 1]; 2]) {
        *to = [[half::narrow(a.0)], [half::narrow(b.0)]];
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

impl Shuffle for F64 {
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        [self, other]
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> [Self; 2] {
        [next, self]
    }
}

impl Double for F64 {
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Self(f64::from_bits(self.0.to_bits() << N))
    }

    #[inline(always)]
    fn flip(self, signs: Self) -> Self {
        Self(f64::from_bits(self.0.to_bits() ^ (signs.0.to_bits() & (-0.0_f64).to_bits())))
    }

    #[inline(always)]
    fn choose(self, odd: Self, even: Self) -> Self {
        if self.0.to_bits() & 1 == 1 { odd } else { even }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    #[inline(always)]
    fn in_doubt(self, other: Self, bounds: Option<Self>, digits: u32) -> bool {
        let (offset, mask) = tie(digits);
        let near = |value: f64| value.to_bits().wrapping_add(offset) & mask == 0;
        let small = bounds.is_some_and(|bounds| self.0.abs().min(other.0.abs()) < bounds.0);
        small | near(self.0) | near(other.0)
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

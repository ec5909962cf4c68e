//! The vector room: lanes, and the instruction sets that provide them.
//!
//! It stands apart because it holds the only unsafe code of the workspace. Kernels see a few traits
//! ([`Isa`], [`Vector`], [`Shuffle`], [`Single`], [`Double`]) whose methods are all safe; the files below implement them, one
//! instruction set each, and `level` decides which of them this machine may enter.

mod half;
mod level;
mod many;
mod portable;
mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_narrow;
#[cfg(target_arch = "x86_64")]
mod avx512;

pub use level::{Level, UnknownLevel};
pub use scalar::Scalar;

use core::ops::{Add, BitAnd, BitOr, BitXor, Mul, Sub};

/// A kernel: the struct of its arguments, with one body for every instruction set.
///
/// Implementations mark `run` and all that it calls `#[inline(always)]`, so that the body is compiled
/// inside the one function that has the instruction set switched on. A closure is not: code that touches vectors
/// stands in functions.
pub trait Kernel {
    /// What a run gives back; most kernels write into borrowed slices and give `()`.
    type Output;

    /// Runs with the vectors of `isa`.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// An instruction set: a token that proves that this machine has it, and the vectors it offers.
///
/// Sealed: tokens come from [`Level`] alone, which looks at the machine first.
pub trait Isa: Copy + sealed::Sealed {
    /// Lanes of f32.
    type F32: Single<Isa = Self>;
    /// Lanes of f64.
    type F64: Double<Isa = Self> + Shuffle;
    /// As many of them as are worth computing side by side when each result takes a long chain of operations.
    type ManyF64: Double<Isa = Self>;
    /// An instruction set with fewer lanes, for what this one's vectors leave over; one lane is its own.
    type Narrower: Isa;

    /// The token of [`Narrower`](Self::Narrower).
    fn narrower(self) -> Self::Narrower;

    /// Asks for the memory so many bytes behind the beginning of a value to be brought near, whether there is any or not.
    #[inline(always)]
    fn prefetch<T>(self, _value: &T, _bytes: usize) {}
}

/// Lanes of one element type, with the IEEE operations that every level rounds alike.
///
/// There is no fused multiply-add on purpose: with it, results would depend on the machine.
pub trait Vector: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The token without which no vector can be made.
    type Isa: Isa;
    /// What one lane holds.
    type Elem: Copy;
    /// An array with one `T` a lane.
    type Array<T: Copy>: Copy;

    /// How many lanes there are.
    const LANES: usize;

    /// Cuts a slice into arrays of [`LANES`](Self::LANES) elements and the rest.
    fn split<T: Copy>(slice: &[T]) -> (&[Self::Array<T>], &[T]);

    /// Cuts a mutable slice into arrays of [`LANES`](Self::LANES) elements and the rest.
    fn split_mut<T: Copy>(slice: &mut [T]) -> (&mut [Self::Array<T>], &mut [T]);

    /// `value` for every lane.
    fn array<T: Copy>(value: T) -> Self::Array<T>;

    /// Each value made into another. (Not for vector code: the function is compiled apart.)
    fn map<T: Copy, U: Copy>(values: Self::Array<T>, map: impl Fn(T) -> U) -> Self::Array<U>;

    /// `value` in every lane.
    fn splat(isa: Self::Isa, value: Self::Elem) -> Self;

    /// Reads one array.
    fn load(isa: Self::Isa, from: &Self::Array<Self::Elem>) -> Self;

    /// Writes one array.
    fn store(self, to: &mut Self::Array<Self::Elem>);
}

/// Lanes that change places.
pub trait Shuffle: Vector {
    /// `a0 b0 a1 b1 …` in two vectors.
    fn interleave(self, other: Self) -> [Self; 2];

    /// Reads this vector and `next` as one run of pairs and swaps the two of each: `x1 x0 x3 x2 …`.
    fn swap_neighbours(self, next: Self) -> [Self; 2];
}

/// Lanes of f32, seen as numbers and as 32 bits.
pub trait Single: Shuffle<Elem = f32> + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// The undoing of [`interleave`](Shuffle::interleave): of two vectors, the even lanes and the odd ones.
    fn deinterleave(self, next: Self) -> [Self; 2];

    /// The bits of each lane, moved up by `N` places.
    fn shift_left<const N: i32>(self) -> Self;

    /// The bits of each lane, moved down by `N` places.
    fn shift_right<const N: i32>(self) -> Self;

    /// The bits of both, added as whole numbers.
    fn add_bits(self, other: Self) -> Self;

    /// `other`, one more (as a whole number) in the lanes whose bit 16 is set here.
    fn add_bit_16_to(self, other: Self) -> Self;

    /// All bits set in the lanes that are NaN, none in the others.
    fn nan_mask(self) -> Self;

    /// Reads pairs of 16 bits, the first of each in the lower half of a lane.
    fn load_pairs(isa: Self::Isa, from: &[Self::Array<u16>; 2]) -> Self;

    /// Writes pairs of 16 bits, the lower half of each lane first.
    fn store_pairs(self, to: &mut [Self::Array<u16>; 2]);

    /// Whether [`load_f16`](Self::load_f16) gives the even and the odd ones; if not, the first half and the second.
    const F16_SPLIT: bool;

    /// Reads the bits of f16 values; exact, NaN stay NaN.
    fn load_f16(isa: Self::Isa, from: &[Self::Array<u16>; 2]) -> [Self; 2];

    /// Rounds to f16, to nearest even; NaN become quiet.
    fn store_f16(lanes: [Self; 2], to: &mut [Self::Array<u16>; 2]);
}

/// Lanes of f64, seen as numbers and as 64 bits.
pub trait Double: Vector<Elem = f64> + BitAnd<Output = Self> + BitXor<Output = Self> {
    /// The bits of each lane, moved up by `N` places.
    fn shift_left<const N: i32>(self) -> Self;

    /// Negated where the sign bit of `signs` is set.
    fn flip(self, signs: Self) -> Self;

    /// Lanes of `odd` where the lowest bit is set here, of `even` elsewhere.
    fn choose(self, odd: Self, even: Self) -> Self;

    /// The larger of two numbers.
    fn max(self, other: Self) -> Self;

    /// Whether a lane, here or in `other`, is smaller in size than its bound (if there are bounds), or within 2^16 of its
    /// last places of half-way between two numbers of `digits` digits less.
    fn in_doubt(self, other: Self, bounds: Option<Self>, digits: u32) -> bool;

    /// Rounds each lane to f32, to nearest even.
    fn narrow(self) -> Self::Array<f32>;

    /// Reads f32 values as f64.
    fn widen(isa: Self::Isa, from: &Self::Array<f32>) -> Self;
}

/// What to add to the bits of an f64, and which bits of the sum are then all zero next to a tie: where the lowest `digits`
/// are half of what they can count, give or take 2^16.
#[inline(always)]
fn tie(digits: u32) -> (u64, u64) {
    let near = 1_u64 << 16;
    ((1 << (digits - 1)) + near, (1 << digits) - 2 * near)
}

mod sealed {
    /// Keeps [`Isa`](super::Isa) to the files of this room.
    pub trait Sealed {}
}

/// The slice cuts of a vector type of `$lanes` lanes.
macro_rules! arrays {
    ($lanes:literal) => {
        type Array<T: Copy> = [T; $lanes];

        const LANES: usize = $lanes;

        #[inline(always)]
        fn split<T: Copy>(slice: &[T]) -> (&[[T; $lanes]], &[T]) {
            slice.as_chunks()
        }

        #[inline(always)]
        fn split_mut<T: Copy>(slice: &mut [T]) -> (&mut [[T; $lanes]], &mut [T]) {
            slice.as_chunks_mut()
        }

        #[inline(always)]
        fn array<T: Copy>(value: T) -> [T; $lanes] {
            [value; $lanes]
        }

        #[inline(always)]
        fn map<T: Copy, U: Copy>(values: [T; $lanes], map: impl Fn(T) -> U) -> [U; $lanes] {
            values.map(map)
        }
    };
}
use arrays;

/// Implements binary operators of a one-field vector type through one expression each.
macro_rules! operators {
    ($type:ident: $($trait:ident $method:ident |$a:ident, $b:ident| $body:expr;)+) => {$(
        impl core::ops::$trait for $type {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($body)
            }
        }
    )+};
}
use operators;

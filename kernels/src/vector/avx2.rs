//! 256-bit lanes with AVX2.
//!
//! Every intrinsic goes through [`avx2!`], the one unsafe block of this file, which the [`Avx2`] token makes
//! sound.

use core::arch::x86_64::*;

use super::level::Avx2;
use super::{Double, Isa, Single, Vector, arrays, operators, sealed};

/// Eight f32. Made from an [`Avx2`] token only.
#[derive(Clone, Copy)]
pub(super) struct F32x8(__m256);

/// Four f64. Made from an [`Avx2`] token only.
#[derive(Clone, Copy)]
pub(super) struct F64x4(__m256d);

/// Calls intrinsics of AVX2 and of what it includes.
macro_rules! avx2 {
    ($call:expr) => {
        // SAFETY: an `Avx2` token exists only after the machine was seen to have every feature of its list,
        // and whoever comes here holds one, or a vector that was made from one. The pointers given to loads and
        // stores come from references to arrays of exactly the bytes that the instruction touches; none of them
        // asks for alignment.
        unsafe { $call }
    };
}

impl sealed::Sealed for Avx2 {}

impl Isa for Avx2 {
    type F32 = F32x8;
    type F64 = F64x4;
}

operators! { F32x8:
    Add add |a, b| avx2!(_mm256_add_ps(a, b));
    Sub sub |a, b| avx2!(_mm256_sub_ps(a, b));
    Mul mul |a, b| avx2!(_mm256_mul_ps(a, b));
}
operators! { F64x4:
    Add add |a, b| avx2!(_mm256_add_pd(a, b));
    Sub sub |a, b| avx2!(_mm256_sub_pd(a, b));
    Mul mul |a, b| avx2!(_mm256_mul_pd(a, b));
    BitAnd bitand |a, b| avx2!(_mm256_and_pd(a, b));
    BitXor bitxor |a, b| avx2!(_mm256_xor_pd(a, b));
}

impl Vector for F32x8 {
    type Isa = Avx2;
    type Elem = f32;
    arrays!(8);

    #[inline(always)]
    fn splat(_: Avx2, value: f32) -> Self {
        Self(avx2!(_mm256_set1_ps(value)))
    }

    #[inline(always)]
    fn load(_: Avx2, from: &[f32; 8]) -> Self {
        Self(avx2!(_mm256_loadu_ps(from.as_ptr())))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        avx2!(_mm256_storeu_ps(to.as_mut_ptr(), self.0));
    }
}

impl Single for F32x8 {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        // Unpacking works within each half of 128 bits: a0 b0 a1 b1 | a4 b4 a5 b5 and a2 b2 a3 b3 | a6 b6 a7 b7.
        let low = avx2!(_mm256_unpacklo_ps(self.0, other.0));
        let high = avx2!(_mm256_unpackhi_ps(self.0, other.0));
        (Self(avx2!(_mm256_permute2f128_ps::<0x20>(low, high))), Self(avx2!(_mm256_permute2f128_ps::<0x31>(low, high))))
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> (Self, Self) {
        (
            Self(avx2!(_mm256_permute_ps::<0b10_11_00_01>(self.0))),
            Self(avx2!(_mm256_permute_ps::<0b10_11_00_01>(next.0))),
        )
    }
}

impl Vector for F64x4 {
    type Isa = Avx2;
    type Elem = f64;
    arrays!(4);

    #[inline(always)]
    fn splat(_: Avx2, value: f64) -> Self {
        Self(avx2!(_mm256_set1_pd(value)))
    }

    #[inline(always)]
    fn load(_: Avx2, from: &[f64; 4]) -> Self {
        Self(avx2!(_mm256_loadu_pd(from.as_ptr())))
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; 4]) {
        avx2!(_mm256_storeu_pd(to.as_mut_ptr(), self.0));
    }
}

impl Double for F64x4 {
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        let bits = avx2!(_mm256_castpd_si256(self.0));
        Self(avx2!(_mm256_castsi256_pd(_mm256_slli_epi64::<N>(bits))))
    }

    #[inline(always)]
    fn lowest_bit_mask(self) -> Self {
        let bits = avx2!(_mm256_castpd_si256(self.0));
        let lowest = avx2!(_mm256_and_si256(bits, _mm256_set1_epi64x(1)));
        Self(avx2!(_mm256_castsi256_pd(_mm256_sub_epi64(_mm256_setzero_si256(), lowest))))
    }

    #[inline(always)]
    fn narrow(self) -> [f32; 4] {
        let mut out = [0.0; 4];
        avx2!(_mm_storeu_ps(out.as_mut_ptr(), _mm256_cvtpd_ps(self.0)));
        out
    }

    #[inline(always)]
    fn widen(_: Avx2, from: &[f32; 4]) -> Self {
        Self(avx2!(_mm256_cvtps_pd(_mm_loadu_ps(from.as_ptr()))))
    }
}

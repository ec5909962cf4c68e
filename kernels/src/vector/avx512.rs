//! 512-bit lanes with AVX-512.
//!
//! Every intrinsic goes through [`avx512!`], the one unsafe block of this file, which the [`Avx512`] token
//! makes sound.

use core::arch::x86_64::*;

use super::level::Avx512;
use super::{Double, Isa, Single, Vector, arrays, operators, sealed};

/// Sixteen f32. Made from an [`Avx512`] token only.
#[derive(Clone, Copy)]
pub(super) struct F32x16(__m512);

/// Eight f64. Made from an [`Avx512`] token only.
#[derive(Clone, Copy)]
pub(super) struct F64x8(__m512d);

/// Calls intrinsics of AVX-512 and of what it includes.
macro_rules! avx512 {
    ($call:expr) => {
        // SAFETY: an `Avx512` token exists only after the machine was seen to have every feature of its list,
        // and whoever comes here holds one, or a vector that was made from one. The pointers given to loads and
        // stores come from references to arrays of exactly the bytes that the instruction touches; none of them
        // asks for alignment.
        unsafe { $call }
    };
}

impl sealed::Sealed for Avx512 {}

impl Isa for Avx512 {
    type F32 = F32x16;
    type F64 = F64x8;
}

operators! { F32x16:
    Add add |a, b| avx512!(_mm512_add_ps(a, b));
    Sub sub |a, b| avx512!(_mm512_sub_ps(a, b));
    Mul mul |a, b| avx512!(_mm512_mul_ps(a, b));
}
operators! { F64x8:
    Add add |a, b| avx512!(_mm512_add_pd(a, b));
    Sub sub |a, b| avx512!(_mm512_sub_pd(a, b));
    Mul mul |a, b| avx512!(_mm512_mul_pd(a, b));
    BitAnd bitand |a, b| avx512!(_mm512_and_pd(a, b));
    BitXor bitxor |a, b| avx512!(_mm512_xor_pd(a, b));
}

impl Vector for F32x16 {
    type Isa = Avx512;
    type Elem = f32;
    arrays!(16);

    #[inline(always)]
    fn splat(_: Avx512, value: f32) -> Self {
        Self(avx512!(_mm512_set1_ps(value)))
    }

    #[inline(always)]
    fn load(_: Avx512, from: &[f32; 16]) -> Self {
        Self(avx512!(_mm512_loadu_ps(from.as_ptr())))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 16]) {
        avx512!(_mm512_storeu_ps(to.as_mut_ptr(), self.0));
    }
}

impl Single for F32x16 {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        // An index of 16 and above reads the second operand.
        let low = avx512!(_mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
        let high = avx512!(_mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
        (
            Self(avx512!(_mm512_permutex2var_ps(self.0, low, other.0))),
            Self(avx512!(_mm512_permutex2var_ps(self.0, high, other.0))),
        )
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> (Self, Self) {
        (
            Self(avx512!(_mm512_permute_ps::<0b10_11_00_01>(self.0))),
            Self(avx512!(_mm512_permute_ps::<0b10_11_00_01>(next.0))),
        )
    }
}

impl Vector for F64x8 {
    type Isa = Avx512;
    type Elem = f64;
    arrays!(8);

    #[inline(always)]
    fn splat(_: Avx512, value: f64) -> Self {
        Self(avx512!(_mm512_set1_pd(value)))
    }

    #[inline(always)]
    fn load(_: Avx512, from: &[f64; 8]) -> Self {
        Self(avx512!(_mm512_loadu_pd(from.as_ptr())))
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; 8]) {
        avx512!(_mm512_storeu_pd(to.as_mut_ptr(), self.0));
    }
}

impl Double for F64x8 {
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // The intrinsic wants its count unsigned; a constant cannot be converted in generic code, so the count is
        // a register here, which the compiler folds again.
        let bits = avx512!(_mm512_castpd_si512(self.0));
        let count = avx512!(_mm_cvtsi32_si128(N));
        Self(avx512!(_mm512_castsi512_pd(_mm512_sll_epi64(bits, count))))
    }

    #[inline(always)]
    fn lowest_bit_mask(self) -> Self {
        let bits = avx512!(_mm512_castpd_si512(self.0));
        let lowest = avx512!(_mm512_and_si512(bits, _mm512_set1_epi64(1)));
        Self(avx512!(_mm512_castsi512_pd(_mm512_sub_epi64(_mm512_setzero_si512(), lowest))))
    }

    #[inline(always)]
    fn narrow(self) -> [f32; 8] {
        let mut out = [0.0; 8];
        avx512!(_mm256_storeu_ps(out.as_mut_ptr(), _mm512_cvtpd_ps(self.0)));
        out
    }

    #[inline(always)]
    fn widen(_: Avx512, from: &[f32; 8]) -> Self {
        Self(avx512!(_mm512_cvtps_pd(_mm256_loadu_ps(from.as_ptr()))))
    }
}

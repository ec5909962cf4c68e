//! 256-bit lanes with AVX2.
//!
//! Every intrinsic goes through [`avx2!`], the one unsafe block of this file, which the [`Avx2`] token makes
//! sound.

use core::arch::x86_64::*;

use super::avx2_narrow::Avx2Narrow;
use super::level::Avx2;
use super::many::Many;
use super::{Double, Isa, Shuffle, Single, Vector, arrays, operators, sealed, tie};

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
    type ManyF64 = Many<F64x4, 2>;
    type Narrower = Avx2Narrow;

    #[inline(always)]
    fn narrower(self) -> Avx2Narrow {
        Avx2Narrow(self)
    }

    #[inline(always)]
    fn prefetch<T>(self, value: &T, bytes: usize) {
        // Of an address that is not there, this instruction is a no-op.
        avx2!(_mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast::<i8>().wrapping_add(bytes)));
    }
}

operators! { F32x8:
    Add add |a, b| avx2!(_mm256_add_ps(a, b));
    Sub sub |a, b| avx2!(_mm256_sub_ps(a, b));
    Mul mul |a, b| avx2!(_mm256_mul_ps(a, b));
    BitAnd bitand |a, b| avx2!(_mm256_and_ps(a, b));
    BitOr bitor |a, b| avx2!(_mm256_or_ps(a, b));
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

impl Shuffle for F32x8 {
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        // Unpacking works within each half of 128 bits: a0 b0 a1 b1 | a4 b4 a5 b5 and a2 b2 a3 b3 | a6 b6 a7 b7.
        let low = avx2!(_mm256_unpacklo_ps(self.0, other.0));
        let high = avx2!(_mm256_unpackhi_ps(self.0, other.0));
        [Self(avx2!(_mm256_permute2f128_ps::<0x20>(low, high))), Self(avx2!(_mm256_permute2f128_ps::<0x31>(low, high)))]
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> [Self; 2] {
        [
            Self(avx2!(_mm256_permute_ps::<0b10_11_00_01>(self.0))),
            Self(avx2!(_mm256_permute_ps::<0b10_11_00_01>(next.0))),
        ]
    }
}

impl Single for F32x8 {
    #[inline(always)]
    fn deinterleave(self, next: Self) -> [Self; 2] {
        // Within each half of 128 bits: a0 a2 b0 b2 | a4 a6 b4 b6; then the quarters are put in order.
        let even = avx2!(_mm256_castps_pd(_mm256_shuffle_ps::<0b10_00_10_00>(self.0, next.0)));
        let odd = avx2!(_mm256_castps_pd(_mm256_shuffle_ps::<0b11_01_11_01>(self.0, next.0)));
        [
            Self(avx2!(_mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(even)))),
            Self(avx2!(_mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(odd)))),
        ]
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Self(avx2!(_mm256_castsi256_ps(_mm256_slli_epi32::<N>(_mm256_castps_si256(self.0)))))
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        Self(avx2!(_mm256_castsi256_ps(_mm256_srli_epi32::<N>(_mm256_castps_si256(self.0)))))
    }

    #[inline(always)]
    fn add_bits(self, other: Self) -> Self {
        let sum = avx2!(_mm256_add_epi32(_mm256_castps_si256(self.0), _mm256_castps_si256(other.0)));
        Self(avx2!(_mm256_castsi256_ps(sum)))
    }

    #[inline(always)]
    fn add_bit_16_to(self, other: Self) -> Self {
        let bits = avx2!(_mm256_srli_epi32::<16>(_mm256_castps_si256(self.0)));
        let one = avx2!(_mm256_and_si256(bits, _mm256_set1_epi32(1)));
        Self(avx2!(_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(other.0), one))))
    }

    #[inline(always)]
    fn nan_mask(self) -> Self {
        Self(avx2!(_mm256_cmp_ps::<_CMP_UNORD_Q>(self.0, self.0)))
    }

    #[inline(always)]
    fn load_pairs(_: Avx2, from: &[[u16; 8]; 2]) -> Self {
        Self(avx2!(_mm256_castsi256_ps(_mm256_loadu_si256(from.as_ptr().cast()))))
    }

    #[inline(always)]
    fn store_pairs(self, to: &mut [[u16; 8]; 2]) {
        avx2!(_mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_castps_si256(self.0)));
    }

    const F16_SPLIT: bool = false;

    #[inline(always)]
    fn load_f16(_: Avx2, [a, b]: &[[u16; 8]; 2]) -> [Self; 2] {
        [
            Self(avx2!(_mm256_cvtph_ps(_mm_loadu_si128(a.as_ptr().cast())))),
            Self(avx2!(_mm256_cvtph_ps(_mm_loadu_si128(b.as_ptr().cast())))),
        ]
    }

    #[inline(always)]
    fn store_f16([a, b]: [Self; 2], [to_a, to_b]: &mut [[u16; 8]; 2]) {
        let (a, b) = avx2!((
            _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(a.0),
            _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(b.0)
        ));
        avx2!(_mm_storeu_si128(to_a.as_mut_ptr().cast(), a));
        avx2!(_mm_storeu_si128(to_b.as_mut_ptr().cast(), b));
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

impl Shuffle for F64x4 {
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        let low = avx2!(_mm256_unpacklo_pd(self.0, other.0));
        let high = avx2!(_mm256_unpackhi_pd(self.0, other.0));
        [Self(avx2!(_mm256_permute2f128_pd::<0x20>(low, high))), Self(avx2!(_mm256_permute2f128_pd::<0x31>(low, high)))]
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> [Self; 2] {
        [Self(avx2!(_mm256_permute_pd::<0b0101>(self.0))), Self(avx2!(_mm256_permute_pd::<0b0101>(next.0)))]
    }
}

impl Double for F64x4 {
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        let bits = avx2!(_mm256_castpd_si256(self.0));
        Self(avx2!(_mm256_castsi256_pd(_mm256_slli_epi64::<N>(bits))))
    }

    #[inline(always)]
    fn flip(self, signs: Self) -> Self {
        Self(avx2!(_mm256_xor_pd(self.0, _mm256_and_pd(signs.0, _mm256_set1_pd(-0.0)))))
    }

    #[inline(always)]
    fn choose(self, odd: Self, even: Self) -> Self {
        // The blend looks at the highest bit.
        Self(avx2!(_mm256_blendv_pd(even.0, odd.0, self.shift_left::<63>().0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx2!(_mm256_max_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn in_doubt(self, other: Self, bounds: Option<Self>, digits: u32) -> bool {
        let (offset, mask) = tie(digits);
        let (offset, mask) = avx2!((_mm256_set1_epi64x(offset as i64), _mm256_set1_epi64x(mask as i64)));
        let mut doubt = avx2!(_mm256_setzero_pd());
        for value in [self.0, other.0] {
            let left = avx2!(_mm256_and_si256(_mm256_add_epi64(_mm256_castpd_si256(value), offset), mask));
            let near = avx2!(_mm256_cmpeq_epi64(left, _mm256_setzero_si256()));
            doubt = avx2!(_mm256_or_pd(doubt, _mm256_castsi256_pd(near)));
        }
        if let Some(Self(bounds)) = bounds {
            let sign = avx2!(_mm256_set1_pd(-0.0));
            let smaller = avx2!(_mm256_min_pd(_mm256_andnot_pd(sign, self.0), _mm256_andnot_pd(sign, other.0)));
            doubt = avx2!(_mm256_or_pd(doubt, _mm256_cmp_pd::<_CMP_LT_OQ>(smaller, bounds)));
        }
        avx2!(_mm256_movemask_pd(doubt)) != 0
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

//! 128-bit lanes with the instructions of AVX2: what its wide vectors leave over, and no level of its own.
//!
//! The portable level has as many lanes, but no instruction for f16. The unsafe block is as in `avx2`.

use core::arch::x86_64::*;

use super::level::Avx2;
use super::{Double, Isa, Scalar, Shuffle, Single, Vector, arrays, operators, sealed, tie};

/// Narrow vectors, where there are wide ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2Narrow(pub(super) Avx2);

/// Four f32. Made from an [`Avx2Narrow`] token only.
#[derive(Clone, Copy)]
pub(super) struct F32x4(__m128);

/// Two f64. Made from an [`Avx2Narrow`] token only.
#[derive(Clone, Copy)]
pub(super) struct F64x2(__m128d);

/// Calls intrinsics of AVX2 and of what it includes.
macro_rules! avx2 {
    ($call:expr) => {
        // SAFETY: an `Avx2Narrow` token holds an `Avx2` token, which exists only after the machine was seen to have
        // every feature of its list; whoever comes here holds one, or a vector that was made from one. The pointers
        // given to loads and stores come from references to arrays of exactly the bytes that the instruction touches;
        // none of them asks for alignment.
        unsafe { $call }
    };
}

impl sealed::Sealed for Avx2Narrow {}

impl Isa for Avx2Narrow {
    type F32 = F32x4;
    type F64 = F64x2;
    type ManyF64 = F64x2;
    type Narrower = Scalar;

    #[inline(always)]
    fn narrower(self) -> Scalar {
        Scalar
    }

    #[inline(always)]
    fn prefetch<T>(self, value: &T, bytes: usize) {
        // Of an address that is not there, this instruction is a no-op.
        avx2!(_mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast::<i8>().wrapping_add(bytes)));
    }
}

operators! { F32x4:
    Add add |a, b| avx2!(_mm_add_ps(a, b));
    Sub sub |a, b| avx2!(_mm_sub_ps(a, b));
    Mul mul |a, b| avx2!(_mm_mul_ps(a, b));
    BitAnd bitand |a, b| avx2!(_mm_and_ps(a, b));
    BitOr bitor |a, b| avx2!(_mm_or_ps(a, b));
}
operators! { F64x2:
    Add add |a, b| avx2!(_mm_add_pd(a, b));
    Sub sub |a, b| avx2!(_mm_sub_pd(a, b));
    Mul mul |a, b| avx2!(_mm_mul_pd(a, b));
    BitAnd bitand |a, b| avx2!(_mm_and_pd(a, b));
    BitXor bitxor |a, b| avx2!(_mm_xor_pd(a, b));
}

impl Vector for F32x4 {
    type Isa = Avx2Narrow;
    type Elem = f32;
    arrays!(4);

    #[inline(always)]
    fn splat(_: Avx2Narrow, value: f32) -> Self {
        Self(avx2!(_mm_set1_ps(value)))
    }

    #[inline(always)]
    fn load(_: Avx2Narrow, from: &[f32; 4]) -> Self {
        Self(avx2!(_mm_loadu_ps(from.as_ptr())))
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 4]) {
        avx2!(_mm_storeu_ps(to.as_mut_ptr(), self.0));
    }
}

impl Shuffle for F32x4 {
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        [Self(avx2!(_mm_unpacklo_ps(self.0, other.0))), Self(avx2!(_mm_unpackhi_ps(self.0, other.0)))]
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> [Self; 2] {
        [Self(avx2!(_mm_permute_ps::<0b10_11_00_01>(self.0))), Self(avx2!(_mm_permute_ps::<0b10_11_00_01>(next.0)))]
    }
}

impl Single for F32x4 {
    #[inline(always)]
    fn deinterleave(self, next: Self) -> [Self; 2] {
        [
            Self(avx2!(_mm_shuffle_ps::<0b10_00_10_00>(self.0, next.0))),
            Self(avx2!(_mm_shuffle_ps::<0b11_01_11_01>(self.0, next.0))),
        ]
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Self(avx2!(_mm_castsi128_ps(_mm_slli_epi32::<N>(_mm_castps_si128(self.0)))))
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        Self(avx2!(_mm_castsi128_ps(_mm_srli_epi32::<N>(_mm_castps_si128(self.0)))))
    }

    #[inline(always)]
    fn add_bits(self, other: Self) -> Self {
        let sum = avx2!(_mm_add_epi32(_mm_castps_si128(self.0), _mm_castps_si128(other.0)));
        Self(avx2!(_mm_castsi128_ps(sum)))
    }

    #[inline(always)]
    fn add_bit_16_to(self, other: Self) -> Self {
        let bits = avx2!(_mm_srli_epi32::<16>(_mm_castps_si128(self.0)));
        let one = avx2!(_mm_and_si128(bits, _mm_set1_epi32(1)));
        Self(avx2!(_mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(other.0), one))))
    }

    #[inline(always)]
    fn nan_mask(self) -> Self {
        Self(avx2!(_mm_cmpunord_ps(self.0, self.0)))
    }

    #[inline(always)]
    fn load_pairs(_: Avx2Narrow, from: &[[u16; 4]; 2]) -> Self {
        Self(avx2!(_mm_castsi128_ps(_mm_loadu_si128(from.as_ptr().cast()))))
    }

    #[inline(always)]
    fn store_pairs(self, to: &mut [[u16; 4]; 2]) {
        avx2!(_mm_storeu_si128(to.as_mut_ptr().cast(), _mm_castps_si128(self.0)));
    }

    const F16_SPLIT: bool = false;

    #[inline(always)]
    fn load_f16(_: Avx2Narrow, [a, b]: &[[u16; 4]; 2]) -> [Self; 2] {
        [
            Self(avx2!(_mm_cvtph_ps(_mm_loadl_epi64(a.as_ptr().cast())))),
            Self(avx2!(_mm_cvtph_ps(_mm_loadl_epi64(b.as_ptr().cast())))),
        ]
    }

    #[inline(always)]
    fn store_f16([a, b]: [Self; 2], [to_a, to_b]: &mut [[u16; 4]; 2]) {
        let (a, b) =
            avx2!((_mm_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(a.0), _mm_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(b.0)));
        avx2!(_mm_storel_epi64(to_a.as_mut_ptr().cast(), a));
        avx2!(_mm_storel_epi64(to_b.as_mut_ptr().cast(), b));
    }
}

impl Vector for F64x2 {
    type Isa = Avx2Narrow;
    type Elem = f64;
    arrays!(2);

    #[inline(always)]
    fn splat(_: Avx2Narrow, value: f64) -> Self {
        Self(avx2!(_mm_set1_pd(value)))
    }

    #[inline(always)]
    fn load(_: Avx2Narrow, from: &[f64; 2]) -> Self {
        Self(avx2!(_mm_loadu_pd(from.as_ptr())))
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; 2]) {
        avx2!(_mm_storeu_pd(to.as_mut_ptr(), self.0));
    }
}

impl Shuffle for F64x2 {
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        [Self(avx2!(_mm_unpacklo_pd(self.0, other.0))), Self(avx2!(_mm_unpackhi_pd(self.0, other.0)))]
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> [Self; 2] {
        [Self(avx2!(_mm_permute_pd::<0b01>(self.0))), Self(avx2!(_mm_permute_pd::<0b01>(next.0)))]
    }
}

impl Double for F64x2 {
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Self(avx2!(_mm_castsi128_pd(_mm_slli_epi64::<N>(_mm_castpd_si128(self.0)))))
    }

    #[inline(always)]
    fn flip(self, signs: Self) -> Self {
        Self(avx2!(_mm_xor_pd(self.0, _mm_and_pd(signs.0, _mm_set1_pd(-0.0)))))
    }

    #[inline(always)]
    fn choose(self, odd: Self, even: Self) -> Self {
        // The blend looks at the highest bit.
        Self(avx2!(_mm_blendv_pd(even.0, odd.0, self.shift_left::<63>().0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx2!(_mm_max_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn in_doubt(self, other: Self, bounds: Option<Self>, digits: u32) -> bool {
        let (offset, mask) = tie(digits);
        let (offset, mask) = avx2!((_mm_set1_epi64x(offset as i64), _mm_set1_epi64x(mask as i64)));
        let mut doubt = avx2!(_mm_setzero_pd());
        for value in [self.0, other.0] {
            let left = avx2!(_mm_and_si128(_mm_add_epi64(_mm_castpd_si128(value), offset), mask));
            let near = avx2!(_mm_cmpeq_epi64(left, _mm_setzero_si128()));
            doubt = avx2!(_mm_or_pd(doubt, _mm_castsi128_pd(near)));
        }
        if let Some(Self(bounds)) = bounds {
            let sign = avx2!(_mm_set1_pd(-0.0));
            let smaller = avx2!(_mm_min_pd(_mm_andnot_pd(sign, self.0), _mm_andnot_pd(sign, other.0)));
            doubt = avx2!(_mm_or_pd(doubt, _mm_cmplt_pd(smaller, bounds)));
        }
        avx2!(_mm_movemask_pd(doubt)) != 0
    }

    #[inline(always)]
    fn narrow(self) -> [f32; 2] {
        let mut out = [0.0; 4];
        avx2!(_mm_storeu_ps(out.as_mut_ptr(), _mm_cvtpd_ps(self.0)));
        [out[0], out[1]]
    }

    #[inline(always)]
    fn widen(_: Avx2Narrow, from: &[f32; 2]) -> Self {
        Self(avx2!(_mm_set_pd(f64::from(from[1]), f64::from(from[0]))))
    }
}

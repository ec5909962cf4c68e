//! 512-bit lanes with AVX-512.
//!
//! Every intrinsic goes through [`avx512!`], the one unsafe block of this file, which the [`Avx512`] token
//! makes sound.

use core::arch::x86_64::*;

use super::level::{Avx2, Avx512};
use super::many::Many;
use super::{Double, Isa, Shuffle, Single, Vector, arrays, operators, sealed, tie};

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
    type ManyF64 = Many<F64x8, 4>;
    type Narrower = Avx2;

    #[inline(always)]
    fn narrower(self) -> Avx2 {
        self.avx2()
    }

    #[inline(always)]
    fn prefetch<T>(self, value: &T, bytes: usize) {
        // Of an address that is not there, this instruction is a no-op.
        avx512!(_mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast::<i8>().wrapping_add(bytes)));
    }
}

operators! { F32x16:
    Add add |a, b| avx512!(_mm512_add_ps(a, b));
    Sub sub |a, b| avx512!(_mm512_sub_ps(a, b));
    Mul mul |a, b| avx512!(_mm512_mul_ps(a, b));
    BitAnd bitand |a, b| avx512!(_mm512_and_ps(a, b));
    BitOr bitor |a, b| avx512!(_mm512_or_ps(a, b));
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

impl Shuffle for F32x16 {
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        // An index of 16 and above reads the second operand.
        let low = avx512!(_mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
        let high = avx512!(_mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
        [
            Self(avx512!(_mm512_permutex2var_ps(self.0, low, other.0))),
            Self(avx512!(_mm512_permutex2var_ps(self.0, high, other.0))),
        ]
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> [Self; 2] {
        [
            Self(avx512!(_mm512_permute_ps::<0b10_11_00_01>(self.0))),
            Self(avx512!(_mm512_permute_ps::<0b10_11_00_01>(next.0))),
        ]
    }
}

impl Single for F32x16 {
    #[inline(always)]
    fn deinterleave(self, next: Self) -> [Self; 2] {
        let even = avx512!(_mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30));
        let odd = avx512!(_mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
        [
            Self(avx512!(_mm512_permutex2var_ps(self.0, even, next.0))),
            Self(avx512!(_mm512_permutex2var_ps(self.0, odd, next.0))),
        ]
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        let bits = avx512!(_mm512_castps_si512(self.0));
        Self(avx512!(_mm512_castsi512_ps(_mm512_sll_epi32(bits, _mm_cvtsi32_si128(N)))))
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        let bits = avx512!(_mm512_castps_si512(self.0));
        Self(avx512!(_mm512_castsi512_ps(_mm512_srl_epi32(bits, _mm_cvtsi32_si128(N)))))
    }

    #[inline(always)]
    fn add_bits(self, other: Self) -> Self {
        let sum = avx512!(_mm512_add_epi32(_mm512_castps_si512(self.0), _mm512_castps_si512(other.0)));
        Self(avx512!(_mm512_castsi512_ps(sum)))
    }

    #[inline(always)]
    fn add_bit_16_to(self, other: Self) -> Self {
        let (bits, other) = avx512!((_mm512_castps_si512(self.0), _mm512_castps_si512(other.0)));
        let set = avx512!(_mm512_test_epi32_mask(bits, _mm512_set1_epi32(1 << 16)));
        Self(avx512!(_mm512_castsi512_ps(_mm512_mask_sub_epi32(other, set, other, _mm512_set1_epi32(-1)))))
    }

    #[inline(always)]
    fn nan_mask(self) -> Self {
        let nan = avx512!(_mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0));
        Self(avx512!(_mm512_castsi512_ps(_mm512_movm_epi32(nan))))
    }

    #[inline(always)]
    fn load_pairs(_: Avx512, from: &[[u16; 16]; 2]) -> Self {
        Self(avx512!(_mm512_castsi512_ps(_mm512_loadu_si512(from.as_ptr().cast()))))
    }

    #[inline(always)]
    fn store_pairs(self, to: &mut [[u16; 16]; 2]) {
        avx512!(_mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_castps_si512(self.0)));
    }

    const F16_SPLIT: bool = false;

    #[inline(always)]
    fn load_f16(_: Avx512, [a, b]: &[[u16; 16]; 2]) -> [Self; 2] {
        [
            Self(avx512!(_mm512_cvtph_ps(_mm256_loadu_si256(a.as_ptr().cast())))),
            Self(avx512!(_mm512_cvtph_ps(_mm256_loadu_si256(b.as_ptr().cast())))),
        ]
    }

    #[inline(always)]
    fn store_f16([a, b]: [Self; 2], [to_a, to_b]: &mut [[u16; 16]; 2]) {
        let a = avx512!(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(a.0));
        let b = avx512!(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(b.0));
        avx512!(_mm256_storeu_si256(to_a.as_mut_ptr().cast(), a));
        avx512!(_mm256_storeu_si256(to_b.as_mut_ptr().cast(), b));
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

impl Shuffle for F64x8 {
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        // An index of 8 and above reads the second operand.
        let low = avx512!(_mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11));
        let high = avx512!(_mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15));
        [
            Self(avx512!(_mm512_permutex2var_pd(self.0, low, other.0))),
            Self(avx512!(_mm512_permutex2var_pd(self.0, high, other.0))),
        ]
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> [Self; 2] {
        [
            Self(avx512!(_mm512_permute_pd::<0b0101_0101>(self.0))),
            Self(avx512!(_mm512_permute_pd::<0b0101_0101>(next.0))),
        ]
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
    fn flip(self, signs: Self) -> Self {
        let sign = avx512!(_mm512_castpd_si512(_mm512_set1_pd(-0.0)));
        let (bits, signs) = avx512!((_mm512_castpd_si512(self.0), _mm512_castpd_si512(signs.0)));
        // 0x78 is the truth table of a ^ (b & c).
        Self(avx512!(_mm512_castsi512_pd(_mm512_ternarylogic_epi64::<0x78>(bits, signs, sign))))
    }

    #[inline(always)]
    fn choose(self, odd: Self, even: Self) -> Self {
        let lowest = avx512!(_mm512_test_epi64_mask(_mm512_castpd_si512(self.0), _mm512_set1_epi64(1)));
        Self(avx512!(_mm512_mask_blend_pd(lowest, even.0, odd.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx512!(_mm512_max_pd(self.0, other.0)))
    }

    #[inline(always)]
    fn in_doubt(self, other: Self, bounds: Option<Self>, digits: u32) -> bool {
        let (offset, mask) = tie(digits);
        let (offset, mask) = avx512!((_mm512_set1_epi64(offset as i64), _mm512_set1_epi64(mask as i64)));
        let [a, b] = [self, other].map(|value| avx512!(_mm512_add_epi64(_mm512_castpd_si512(value.0), offset)));
        // Each test leaves out the lanes that failed before.
        let mut sure = avx512!(_mm512_mask_test_epi64_mask(_mm512_test_epi64_mask(a, mask), b, mask));
        if let Some(Self(bounds)) = bounds {
            // 0b1010: the smaller in size, without its sign.
            let smaller = avx512!(_mm512_range_pd::<0b1010>(self.0, other.0));
            sure = avx512!(_mm512_mask_cmp_pd_mask::<_CMP_GE_OQ>(sure, smaller, bounds));
        }
        sure != u8::MAX
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

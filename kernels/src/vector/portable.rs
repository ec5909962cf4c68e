//! 128-bit lanes over the `wide` crate, without unsafe code.
//!
//! `wide` sees only the features that the build has switched on: SSE2 on plain x86-64, NEON on aarch64,
//! simd128 on wasm when enabled, and plain arrays elsewhere. So this level is there on every machine.

use wide::{f32x4, f64x2, u32x4, u64x2};

use super::many::Many;
use super::{Double, Isa, Scalar, Shuffle, Single, Vector, arrays, operators, sealed, tie};

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
    type ManyF64 = Many<F64x2, 2>;
    type Narrower = Scalar;

    #[inline(always)]
    fn narrower(self) -> Scalar {
        Scalar
    }
}

operators! { F32x4:
    Add add |a, b| a + b;
    Sub sub |a, b| a - b;
    Mul mul |a, b| a * b;
    BitAnd bitand |a, b| a & b;
    BitOr bitor |a, b| a | b;
}
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

impl Shuffle for F32x4 {
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        [Self(self.0.unpack_lo(other.0)), Self(self.0.unpack_hi(other.0))]
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> [Self; 2] {
        let [a, b, c, d] = self.0.to_array();
        let [e, f, g, h] = next.0.to_array();
        [Self(f32x4::new([b, a, d, c])), Self(f32x4::new([f, e, h, g]))]
    }
}

impl Single for F32x4 {
    #[inline(always)]
    fn deinterleave(self, next: Self) -> [Self; 2] {
        let [a, b, c, d] = self.0.to_array();
        let [e, f, g, h] = next.0.to_array();
        [Self(f32x4::new([a, c, e, g])), Self(f32x4::new([b, d, f, h]))]
    }

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Self(f32x4::from_bits(self.0.to_bits() << N.unsigned_abs()))
    }

    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        Self(f32x4::from_bits(self.0.to_bits() >> N.unsigned_abs()))
    }

    #[inline(always)]
    fn add_bits(self, other: Self) -> Self {
        Self(f32x4::from_bits(self.0.to_bits() + other.0.to_bits()))
    }

    #[inline(always)]
    fn add_bit_16_to(self, other: Self) -> Self {
        Self(f32x4::from_bits(other.0.to_bits() + ((self.0.to_bits() >> 16_u32) & u32x4::splat(1))))
    }

    #[inline(always)]
    fn nan_mask(self) -> Self {
        Self(self.0.is_nan())
    }

    #[inline(always)]
    fn load_pairs(_: Portable, [from, next]: &[[u16; 4]; 2]) -> Self {
        let pair = |low: u16, high: u16| f32::from_bits(u32::from(low) | u32::from(high) << 16);
        let ([a, b, c, d], [e, f, g, h]) = (*from, *next);
        Self(f32x4::new([pair(a, b), pair(c, d), pair(e, f), pair(g, h)]))
    }

    #[inline(always)]
    fn store_pairs(self, to: &mut [[u16; 4]; 2]) {
        let [a, b, c, d] = self.0.to_bits().to_array();
        *to = [
            [a as u16, (a >> 16) as u16, b as u16, (b >> 16) as u16],
            [c as u16, (c >> 16) as u16, d as u16, (d >> 16) as u16],
        ];
    }

    // Neighbours share a lane of 32 bits, which spares the shuffles that this level is poor at.
    const F16_SPLIT: bool = true;

    #[inline(always)]
    fn load_f16(isa: Portable, from: &[[u16; 4]; 2]) -> [Self; 2] {
        let pairs = Self::load_pairs(isa, from).0.to_bits();
        [Self(widen(pairs << 16_u32)), Self(widen(pairs & number(0xFFFF_0000)))]
    }

    #[inline(always)]
    fn store_f16([even, odd]: [Self; 2], to: &mut [[u16; 4]; 2]) {
        Self(f32x4::from_bits(narrow(even.0) | (narrow(odd.0) << 16_u32))).store_pairs(to);
    }
}

#[inline(always)]
fn number(bits: u32) -> u32x4 {
    u32x4::splat(bits)
}

/// The values of f16 whose bits stand in the upper half of each lane.
#[inline(always)]
fn widen(half: u32x4) -> f32x4 {
    let magnitude = (half & number(0x7FFF_0000)) >> 3_u32;
    let sign = half & number(0x8000_0000);
    // Shifted into place, the exponent is 112 too small; the product corrects it, and is exact for subnormals too.
    let scaled = f32x4::from_bits(magnitude | sign) * f32x4::splat(f32::from_bits((112 + 127) << 23));
    // What was infinite or NaN gets the exponent of those.
    let special = number(0x0F80_0000);
    let infinite = (magnitude & special).simd_eq(special) & number(0x7F80_0000);
    scaled | f32x4::from_bits(infinite)
}

/// The nearest f16, of two the even one, in the lower half of each lane; NaN become quiet.
#[inline(always)]
fn narrow(single: f32x4) -> u32x4 {
    let power = |exponent: i32| f32x4::splat(f32::from_bits(((exponent + 127) as u32) << 23));
    let size = single.abs();
    let nan = size.is_nan().to_bits();
    // 65536 stands for infinity, and zero for NaN until the end.
    let finite = f32x4::from_bits(size.to_bits() & !nan).fast_min(power(16));
    // A power of two, 13 places above the leading digit, leaves room for 11 digits in the sum of both; the last place of
    // subnormals stays at that of the smallest normal number.
    let leading = (finite & f32x4::splat(f32::INFINITY)).fast_max(power(-14));
    let above = f32x4::from_bits(leading.to_bits() + number(13 << 23));
    let rounded = ((finite + above) - above) * power(-112);
    let nan = nan & (((size.to_bits() >> 13_u32) & number(0x03FF)) | number(0x7E00));
    (rounded.to_bits() >> 13_u32) | nan | ((single.to_bits() >> 16_u32) & number(0x8000))
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

impl Shuffle for F64x2 {
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        let ([a, b], [c, d]) = (self.0.to_array(), other.0.to_array());
        [Self(f64x2::new([a, c])), Self(f64x2::new([b, d]))]
    }

    #[inline(always)]
    fn swap_neighbours(self, next: Self) -> [Self; 2] {
        let ([a, b], [c, d]) = (self.0.to_array(), next.0.to_array());
        [Self(f64x2::new([b, a])), Self(f64x2::new([d, c]))]
    }
}

impl Double for F64x2 {
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        Self(f64x2::from_bits(self.0.to_bits() << N.unsigned_abs()))
    }

    #[inline(always)]
    fn flip(self, signs: Self) -> Self {
        Self(self.0 ^ (signs.0 & f64x2::splat(-0.0)))
    }

    #[inline(always)]
    fn choose(self, odd: Self, even: Self) -> Self {
        let lowest = u64x2::splat(0) - (self.0.to_bits() & u64x2::splat(1));
        let (odd, even) = (odd.0.to_bits(), even.0.to_bits());
        Self(f64x2::from_bits(((odd ^ even) & lowest) ^ even))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0.fast_max(other.0))
    }

    #[inline(always)]
    fn in_doubt(self, other: Self, bounds: Option<Self>, digits: u32) -> bool {
        let (offset, mask) = tie(digits);
        let mut doubt = false;
        for value in [self.0, other.0] {
            let [a, b] = ((value.to_bits() + u64x2::splat(offset)) & u64x2::splat(mask)).to_array();
            doubt |= (a == 0) | (b == 0);
        }
        if let Some(Self(bounds)) = bounds {
            let smaller = self.0.abs().fast_min(other.0.abs());
            doubt |= smaller.simd_lt(bounds).any();
        }
        doubt
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

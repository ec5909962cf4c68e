//! Table cells of every format, rounded once from an f64, and the cosines and sines with the digits of f64.

use super::{Reduced, place, polynomial};
use crate::format::{Bf16, F16, F32, F64, Format};
use crate::vector::{Double, Vector};

/// A format that tables can be made in.
pub trait Cell: Format {
    /// How many digits it has less than an f64.
    const DROPPED: u32;

    /// The size below which it drops more of them; 0 where that does not matter.
    const SMALLEST: f64;

    /// Rounds once and writes.
    fn put<V: Double>(isa: V::Isa, value: V, to: &mut V::Array<Self::Store>);
}

impl Cell for F32 {
    const DROPPED: u32 = 29;
    const SMALLEST: f64 = 0.0;

    #[inline(always)]
    fn put<V: Double>(_: V::Isa, value: V, to: &mut V::Array<f32>) {
        *to = value.narrow();
    }
}

impl Cell for F16 {
    const DROPPED: u32 = 42;
    const SMALLEST: f64 = power_of_two(-14);

    #[inline(always)]
    fn put<V: Double>(isa: V::Isa, value: V, to: &mut V::Array<u16>) {
        let rounded = round::<V, Self>(isa, value);
        *to = V::map(rounded.narrow(), f16_bits);
    }
}

impl Cell for Bf16 {
    const DROPPED: u32 = 45;
    const SMALLEST: f64 = power_of_two(-126);

    #[inline(always)]
    fn put<V: Double>(isa: V::Isa, value: V, to: &mut V::Array<u16>) {
        // What is left are the upper bits of an f32.
        let rounded = round::<V, Self>(isa, value);
        *to = V::map(rounded.narrow(), |x| (x.to_bits() >> 16) as u16);
    }
}

/// The bits of an f16 that is given as an f32; what is too large becomes infinite. Never NaN.
#[inline(always)]
fn f16_bits(exact: f32) -> u16 {
    let bits = exact.to_bits();
    let size = f32::from_bits(bits & 0x7FFF_FFFF).min(65_536.0);
    // The exponents of f16 begin 112 higher; below the normal numbers, the product shifts digits out as f16 does.
    let scaled = size * f32::from_bits((127 - 112) << 23);
    (scaled.to_bits() >> 13 | bits >> 16 & 0x8000) as u16
}

/// Cuts off the digits that a format drops, to nearest even.
///
/// Adding a number of as many digits more and subtracting it again rounds just there; what becomes zero gets its sign
/// back.
#[inline(always)]
fn round<V: Double, F: Cell>(isa: V::Isa, value: V) -> V {
    let exponent = value & V::splat(isa, f64::INFINITY);
    let size = exponent.max(V::splat(isa, F::SMALLEST));
    let shift = size * V::splat(isa, 1.5 * power_of_two(F::DROPPED as i32));
    let rounded = (value + shift) - shift;
    rounded.flip(rounded ^ value)
}

/// `2^exponent`, for exponents of normal numbers.
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// `sin(r·π/2) / r` in powers of `r²`, without the first; `docs/polynomials.py` makes these numbers.
const SIN: [f64; 7] = [
    -0.645_964_097_506_246_3,
    0.079_692_626_246_169_2,
    -0.004_681_754_135_372_856,
    0.000_160_441_185_408_984_62,
    -3.598_846_780_078_195_6e-6,
    5.693_119_476_293_831_6e-8,
    -6.764_412_872_956_313e-10,
];

/// `(cos(r·π/2) − 1 + (r·π/2)²/2) / r⁴` in powers of `r²`.
const COS: [f64; 6] = [
    0.253_669_507_901_046_8,
    -0.020_863_480_763_312_3,
    0.000_919_260_274_186_915_7,
    -2.520_203_675_866_920_5e-5,
    4.710_608_673_817_330_3e-7,
    -6.321_074_610_355_518_5e-9,
];

/// π/2, and what is missing of it.
const HALF_PI: [f64; 2] = [core::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17];

/// Cos and sin as f64 within 1 ULP: the angle is carried as a sum of two f64, and so is its product with π/2.
#[inline(always)]
pub(super) fn long<V: Double>(isa: V::Isa, angle: Reduced<V>) -> (V, V) {
    let Reduced { rest: [a, b, c, d], quadrant } = angle;
    let (sum, low_b) = two_sum(a, b);
    let (sum, low_c) = two_sum(sum, c);
    let (sum, low_d) = two_sum(sum, d);
    let (r, r_low) = two_sum(sum, low_b + (low_c + low_d));

    let half_pi = V::splat(isa, HALF_PI[0]);
    let (angle, error) = two_product(isa, r, half_pi);
    let low = error + (r * V::splat(isa, HALF_PI[1]) + r_low * half_pi);

    let square = r * r;
    let sin = angle + (low + polynomial(isa, &SIN, square) * square * r);

    // 1 − angle²/2, with the digits that the subtraction loses added back.
    let one = V::splat(isa, 1.0);
    let half = V::splat(isa, 0.5);
    let (angle_square, square_error) = two_product(isa, angle, angle);
    let first = one - angle_square * half;
    let lost = (one - first) - angle_square * half;
    let tail = polynomial(isa, &COS, square) * square * square;
    let cos = first + (lost + (tail - (square_error * half + angle * low)));
    place(isa, quadrant, cos, sin)
}

impl Cell for F64 {
    const DROPPED: u32 = 0;
    const SMALLEST: f64 = 0.0;

    #[inline(always)]
    fn put<V: Double>(_: V::Isa, value: V, to: &mut V::Array<f64>) {
        value.store(to);
    }
}

/// `a + b` and its rounding error.
#[inline(always)]
pub(super) fn two_sum<V: Vector>(a: V, b: V) -> (V, V) {
    let sum = a + b;
    let b_seen = sum - a;
    (sum, (a - (sum - b_seen)) + (b - b_seen))
}

/// `a·b` and its rounding error, by halves of 26 digits.
#[inline(always)]
fn two_product<V: Double>(isa: V::Isa, a: V, b: V) -> (V, V) {
    let (a1, a0) = halves(isa, a);
    let (b1, b0) = halves(isa, b);
    let product = a * b;
    (product, ((a1 * b1 - product) + a1 * b0 + a0 * b1) + a0 * b0)
}

#[inline(always)]
fn halves<V: Double>(isa: V::Isa, x: V) -> (V, V) {
    let scaled = x * V::splat(isa, 134_217_729.0); // 2^27 + 1
    let high = scaled - (scaled - x);
    (high, x - high)
}

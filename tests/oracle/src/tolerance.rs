//! The one table of tolerances: what a test may allow, and where the number comes from.
//! It stands apart so that no test carries a number of its own, and none is widened without being seen here.

use crate::ulp::spacing_f32;

/// Half a unit in the last place of f32 at one, relative to one: 2^-24.
pub const F32_ROUNDOFF: f64 = 1.0 / (1 << 24) as f64;

/// Half a unit in the last place of f64 at one, relative to one: 2^-53.
pub const F64_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Largest relative error of one rounding to a normal f16: 2^-11.
pub const F16_ROUNDOFF: f64 = 1.0 / (1 << 11) as f64;

/// Largest relative error of one rounding to a normal bf16: 2^-8.
pub const BF16_ROUNDOFF: f64 = 1.0 / (1 << 8) as f64;

/// Smallest positive f16, 2^-24. Half of it is the rounding error among the subnormals.
pub const F16_SMALLEST: f64 = 1.0 / (1 << 24) as f64;

/// Relative error of this oracle's own cosines and sines: 2^-53 for its argument, 2^-52 for std, and room for a
/// std that is worse than within an ulp. The worst of 80 000 values made with mpmath was 2^-52.
pub const ORACLE_RELATIVE: f64 = 1.0 / (1u64 << 50) as f64;

/// Positions below this in magnitude are held to [`EXACT_ULP`], those up to 2^31 to [`EXACT_ULP_FAR`].
pub const NEAR_POSITIONS: i64 = 1 << 24;

/// The contract of exact tables for |position| < 2^24, in ULP of f32, zero crossings included.
/// Rounding the true value costs 0.5; the rest, 2^-15, is for angles within 2^-50 of a zero crossing, of whose distance
/// from it so much is not known, and for sums of angles.
pub const EXACT_ULP: f64 = 0.500_03;

/// What is left of that contract away from such crossings: the nearest f32, unless the true value is within an ULP of f64
/// of half-way between two.
pub const NEAREST_ULP: f64 = 0.5 + 1.0 / (1 << 28) as f64;

/// The same contract for results below the normal numbers of f32, whose few digits an f64 evaluation of 2^-37.67 is held
/// against without a second look: 2^23 of their last places make 2^-14.67 of it.
pub const SUBNORMAL_ULP: f64 = 0.500_1;

/// The same contract for |position| up to 2^31.
pub const EXACT_ULP_FAR: f64 = 0.51;

/// Angles that are sums, or products of fractions, keep [`EXACT_ULP`] below this angle in radians, 2^28, and where the value
/// is above [`SUM_SMALLEST`]: what their sums lose is 2^-85 of a quarter turn.
pub const SUM_ANGLE: f64 = (1 << 28) as f64;

/// 2^-45.
pub const SUM_SMALLEST: f64 = 1.0 / (1u64 << 45) as f64;

/// What else is allowed to such angles, absolute: 2^-59, and the rounding of the value to f32 on top.
pub const SUM_ABSOLUTE: f64 = 1.0 / (1u64 << 59) as f64;

/// The contract of f64 tables for |position| < 2^24, in ULP of f64; next to zero crossings [`DOUBLE_ANGLE`] comes on top.
pub const DOUBLE_ULP: f64 = 1.0;

/// What of an angle is not known when its f64 cosine and sine are formed, relative to the angle: 2^-110. The contract
/// allows 2^-53 next to zero crossings, which is far more at any angle below 2^57.
pub const DOUBLE_ANGLE: f64 = f64::from_bits((1023 - 110) << 52);

/// Error of one f64 rotation, as the length of the error vector over the length of the true pair, in units of 2^-53:
/// `sqrt(5)` for the unfused product, as in [`ROTATION_RELATIVE`], `sqrt(2)` for cos and sin that are within 1 ULP
/// each, and one for a magnitude that is multiplied in. Together 4.65.
pub const ROTATION_F64_RELATIVE: f64 = 5.0 * F64_ROUNDOFF;

/// Cosine and sine of given f32 arguments against `golden/sincos.json`, in ULP of f32.
/// Two well-made f32 routines may each be off by one; the single-precision contract of posenc is far below.
pub const SINCOS_ULP: f64 = 2.0;

/// Columns of the golden files called exact, absolute: values of at most about one, rounded to f32.
pub const GOLDEN_EXACT: f64 = 2e-7;

/// Golden values of f32 references whose angle was formed the same way, and of the other files, absolute.
pub const GOLDEN_VALUE: f64 = 2e-6;

/// Golden tables that were interpolated in f64, absolute: values below 2, sixteen products and their weights.
pub const GOLDEN_RESIZED: f64 = 1e-14;

/// Cosines and sines whose angle is a sum of products with real coordinates, absolute, for each product and before the one
/// rounding: 2^-49.
pub const WAVE: f64 = 1.0 / (1u64 << 49) as f64;

/// Golden inverse frequencies, relative: a reference in f32 reaches 3.2e-7 after its scaling arithmetic.
pub const GOLDEN_FREQUENCY_RELATIVE: f64 = 1e-6;

/// Scaled frequencies and magnitudes of the crate against the oracle's plain f64, relative. The oracle rounds exponents and
/// powers: half a unit of an exponent below one moves `base^x` by `ln(base)/2` units, 12 for a base of 1e10, a stretched base
/// adds as much, and a blend of two such numbers a few more.
pub const SCALED_RELATIVE: f64 = 64.0 * F64_ROUNDOFF;

/// ALiBi slopes, relative: f32 references build them by repeated products.
pub const SLOPE_RELATIVE: f64 = 2e-7;

/// Golden tables and rotations of f32 references against exact angles, absolute. Their frequencies and angles
/// are rounded to f32, so the error grows with the largest `|position * frequency|` of the case.
pub fn golden_table(max_angle: f64) -> f64 {
    GOLDEN_VALUE + 3e-7 * max_angle
}

/// Error of one f32 rotation, as the length of the error vector over the length of the true pair.
///
/// Four times 2^-24, with correctly rounded tables and without fused multiply-add. An unfused complex product
/// in precision u is off by at most sqrt(5) u of its modulus (Brent, Percival and Zimmermann 2007). Rounding
/// cos and sin moves the multiplier by at most u/sqrt(2), since both are at most one and each moves by half of
/// u at most; with a magnitude rounded into the table in the same step, by at most u. Together 3.24 u; a
/// magnitude that is multiplied in afterwards, in f32, costs one more rounding each and gives 3.95 u. Either
/// way the magnitude itself is taken to be an f32.
pub const ROTATION_RELATIVE: f64 = 4.0 * F32_ROUNDOFF;

/// Change of a pair's length in one f32 rotation, relative to `magnitude * length`. A length cannot change by
/// more than the length of the error vector, so the bound is that of the rotation.
pub const NORM_RELATIVE: f64 = ROTATION_RELATIVE;

/// The bound on each element of a rotated pair, in ULP of the pair's length. A unit of f32 is more than 2^-24
/// of any number in its binade, so four of them exceed [`ROTATION_RELATIVE`].
pub const ROTATION_PAIR_ULP: f64 = 4.0;

/// Absolute error allowed to each element of a pair rotated in f32, given the true rotated pair's length.
/// It also covers underflow: two products that lose half of 2^-149 each stay within the floor of the unit.
pub fn rotated_pair(length: f64) -> f64 {
    ROTATION_PAIR_ULP * spacing_f32(length)
}

/// Relative error after several f32 rotations in a row: an inverse that undoes a rotation makes two, and a
/// composition compared with its sum three.
pub fn rotations(count: u32) -> f64 {
    f64::from(count) * ROTATION_RELATIVE
}

/// Absolute error of a score: the inner product of two rotated vectors, summed in f64. `product_of_lengths`
/// is the sum, over the pairs, of the products of their true lengths; each factor errs by one rotation.
pub fn rotated_score(product_of_lengths: f64) -> f64 {
    rotations(2) * product_of_lengths
}

/// Absolute error allowed to an f16 element that was rotated in f32 and rounded once.
pub fn rotated_f16(element: f64, length: f64) -> f64 {
    rotated_pair(length) + (F16_ROUNDOFF * element.abs()).max(0.5 * F16_SMALLEST)
}

/// Absolute error allowed to a bf16 element that was rotated in f32 and rounded once. The exponents are those
/// of f32, so the floor of 2^-134, half the smallest bf16, is met below 2^-126 only.
pub fn rotated_bf16(element: f64, length: f64) -> f64 {
    const HALF_SMALLEST: f64 = f64::from_bits((1023 - 134) << 52);
    rotated_pair(length) + (BF16_ROUNDOFF * element.abs()).max(HALF_SMALLEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::angle::sincos;
    use crate::lcg::golden_inputs;

    /// Error of unfused f32 rotations with rounded tables: the worst over length, and over ULP of the length.
    fn worst_rotation() -> (f64, f64) {
        let values = golden_inputs(7, 400_000);
        let (mut worst, mut worst_ulp) = (0.0_f64, 0.0_f64);
        for (i, pair) in values.chunks_exact(2).enumerate() {
            let point = sincos(i as i64, 0.731);
            let (c, s) = (point.cos as f32, point.sin as f32);
            let got = (pair[0] * c - pair[1] * s, pair[1] * c + pair[0] * s);
            let (x0, x1) = (f64::from(pair[0]), f64::from(pair[1]));
            let error0 = f64::from(got.0) - (x0 * point.cos - x1 * point.sin);
            let error1 = f64::from(got.1) - (x1 * point.cos + x0 * point.sin);
            let length = x0.hypot(x1);
            worst = worst.max(error0.hypot(error1) / length);
            worst_ulp = worst_ulp.max(error0.abs().max(error1.abs()) / rotated_pair(length));
        }
        (worst, worst_ulp)
    }

    #[test]
    fn the_rotation_bound_holds_and_is_not_idle() {
        let (worst, worst_ulp) = worst_rotation();
        assert!(worst <= ROTATION_RELATIVE, "{worst:e}");
        assert!(worst >= 0.5 * ROTATION_RELATIVE, "{worst:e}");
        assert!((0.25..=1.0).contains(&worst_ulp), "{worst_ulp}");
    }

    #[test]
    fn one_rounding_of_one_pair_by_hand() {
        assert_eq!(F32_ROUNDOFF, f64::from(f32::EPSILON) / 2.0);
        assert_eq!(rotated_pair(1.0), 4.0 * f64::from(f32::EPSILON));
        assert_eq!(rotated_pair(0.0), 5.605_193_857_299_268e-45);
        assert!((golden_table(1000.0) - 3.02e-4).abs() < 1e-18);
        assert_eq!(rotated_f16(1.0, 0.0), 4.8828125e-4 + rotated_pair(0.0));
        assert_eq!(rotated_bf16(0.0, 0.0), 4.591_774_807_899_561e-41 + rotated_pair(0.0));
    }
}

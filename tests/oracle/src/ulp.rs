//! Distances between floating-point numbers in units of the last place, defined at every input.
//! They stand apart because a measure that is wrong at zero, at a power of two or at NaN hides every other fault.
//!
//! The unit at a wanted value is the spacing of the result type in the binade that holds the *wanted* value:
//! `2^(floor(log2 |want|) - 23)` for f32, no less than the subnormal spacing 2^-149 and no more than the
//! spacing below infinity, 2^104. With it the correctly rounded result is always within half a unit.

/// How far `got` is from the true value `want`, in units of the last f32 place at `want`.
///
/// Zeros of either sign are equal. Two NaN, two equal infinities, and an infinity where `want` rounds to that
/// infinity are at distance 0; any other pair with a NaN or with an infinite `got` is at infinite distance.
/// A finite `got` for a `want` past the largest f32 is measured in the units of the last binade.
pub fn ulp_error(got: f32, want: f64) -> f64 {
    // The conversion rounds to nearest, so it says which wants belong to an infinity.
    match special(f64::from(got), want, f64::from(want as f32)) {
        Some(distance) => distance,
        None => (f64::from(got) - want).abs() / spacing(want, 23, -126, 127),
    }
}

/// How far `got` is from the true value `want + want_low`, in units of the last f64 place at `want`.
///
/// `want_low` holds what `want` could not, at most half a unit. The special values are those of [`ulp_error`].
pub fn ulp_error_f64(got: f64, want: f64, want_low: f64) -> f64 {
    match special(got, want, want) {
        Some(distance) => distance,
        // The unit may be subnormal, where its reciprocal would overflow; the quotient is safe.
        None => ((got - want) - want_low).abs() / spacing(want, 52, -1022, 1023),
    }
}

/// Number of representable f32 steps from `a` to `b`. Both zeros are one number, as are all NaN; a NaN is
/// `u32::MAX` steps from every number.
pub fn ulp_distance_f32(a: f32, b: f32) -> u32 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0,
        (false, false) => ordered(a).abs_diff(ordered(b)),
        _ => u32::MAX,
    }
}

/// Whether both are the same bits, or both NaN of whatever payload. Zeros of different sign differ.
pub fn same_bits_or_nan(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// [`same_bits_or_nan`] for f64.
pub fn same_bits_or_nan_f64(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// The spacing of f32 at a finite value, as [`ulp_error`] uses it.
pub fn spacing_f32(at: f64) -> f64 {
    spacing(at, 23, -126, 127)
}

/// The spacing of f64 at a finite value, as [`ulp_error_f64`] uses it.
pub fn spacing_f64(at: f64) -> f64 {
    spacing(at, 52, -1022, 1023)
}

/// The distance, where it is not a matter of arithmetic; `rounded` is `want` in the result type.
fn special(got: f64, want: f64, rounded: f64) -> Option<f64> {
    if got.is_nan() || want.is_nan() {
        let both = got.is_nan() && want.is_nan();
        return Some(if both { 0.0 } else { f64::INFINITY });
    }
    if got.is_infinite() || want.is_infinite() {
        return Some(if got == rounded { 0.0 } else { f64::INFINITY });
    }
    None
}

/// Spacing at `at` of a format with this many fraction bits and these smallest and largest exponents.
fn spacing(at: f64, fraction_bits: i32, smallest: i32, largest: i32) -> f64 {
    // The exponent field is floor(log2) of a normal f64; for the subnormals it lands at or below -1023,
    // where the clamp takes over.
    let exponent = (at.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    power_of_two(exponent.clamp(smallest, largest) - fraction_bits)
}

/// `2^exponent`, subnormal results included.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        -1074..=-1023 => f64::from_bits(1 << (exponent + 1074)),
        _ => f64::from_bits(((1023 + exponent) as u64) << 52),
    }
}

/// Maps f32 to integers so that neighbours differ by one and both zeros are 0.
fn ordered(x: f32) -> i32 {
    let magnitude = (x.to_bits() & 0x7fff_ffff) as i32;
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALLEST: f32 = f32::from_bits(1);
    const ULP_BELOW_ONE: f64 = 5.960_464_477_539_063e-8; // 2^-24
    const ULP_AT_ONE: f64 = 1.192_092_895_507_812_5e-7; // 2^-23

    #[test]
    fn at_zero_the_unit_is_the_smallest_subnormal() {
        assert_eq!(ulp_error(0.0, 0.0), 0.0);
        assert_eq!(ulp_error(-0.0, 0.0), 0.0);
        assert_eq!(ulp_error(SMALLEST, 0.0), 1.0);
        assert_eq!(ulp_error(-SMALLEST, 0.0), 1.0);
        assert_eq!(ulp_error(0.0, f64::from(SMALLEST) * 0.25), 0.25);
        assert_eq!(ulp_error(0.0, 5e-324), 5e-324 / 1.401_298_464_324_817e-45);
        assert_eq!(ulp_error(1e-6, 0.0), f64::from(1e-6_f32) / 1.401_298_464_324_817e-45);
    }

    #[test]
    fn subnormals_share_one_unit_up_to_the_first_binade() {
        assert_eq!(ulp_error(f32::from_bits(1000), f64::from(f32::from_bits(997))), 3.0);
        let first_normal = f64::from(f32::MIN_POSITIVE);
        assert_eq!(ulp_error(f32::from_bits(0x007f_ffff), first_normal), 1.0);
        assert_eq!(ulp_error(f32::from_bits(0x0080_0001), first_normal), 1.0);
        assert_eq!(ulp_error(f32::from_bits(0x0100_0001), 2.0 * first_normal), 1.0);
    }

    #[test]
    fn at_a_power_of_two_the_wanted_value_sets_the_unit() {
        let (below, above) = (f32::from_bits(0x3f7f_ffff), f32::from_bits(0x3f80_0001));
        assert_eq!(ulp_error(above, 1.0), 1.0);
        assert_eq!(ulp_error(below, 1.0), 0.5);
        assert_eq!(ulp_error(1.0, 1.0 - ULP_BELOW_ONE), 1.0);
        assert_eq!(ulp_error(1.0, 1.0 - 0.25 * ULP_BELOW_ONE), 0.25);
        assert_eq!(ulp_error(1.0, 1.0 + 0.25 * ULP_AT_ONE), 0.25);
        assert_eq!(ulp_error(-1.0, -1.0 - 0.5 * ULP_AT_ONE), 0.5);
        assert_eq!(ulp_error(1.0, -1.0), 2.0 / ULP_AT_ONE);
    }

    #[test]
    fn rounding_is_within_half_a_unit_everywhere() {
        let mut bits = 0x0123_4567_89ab_cdef_u64;
        for _ in 0..100_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let want = f64::from_bits(bits);
            if want.is_finite() {
                assert!(ulp_error(want as f32, want) <= 0.5, "{want:e}");
            }
        }
    }

    #[test]
    fn infinities_are_equal_or_infinitely_far() {
        let infinity = f64::INFINITY;
        assert_eq!(ulp_error(f32::INFINITY, infinity), 0.0);
        assert_eq!(ulp_error(f32::NEG_INFINITY, -infinity), 0.0);
        assert_eq!(ulp_error(f32::NEG_INFINITY, infinity), infinity);
        assert_eq!(ulp_error(f32::MAX, infinity), infinity);
        assert_eq!(ulp_error(f32::INFINITY, f64::from(f32::MAX)), infinity);
        assert_eq!(ulp_error(f32::INFINITY, 1e39), 0.0);
        assert_eq!(ulp_error(f32::NEG_INFINITY, 1e39), infinity);
        // Half a unit past the largest f32 is where rounding turns to infinity.
        let unit = 2.028_240_960_365_167e31;
        assert_eq!(ulp_error(f32::MAX, f64::from(f32::MAX) + 0.25 * unit), 0.25);
        assert_eq!(ulp_error(f32::MAX, f64::from(f32::MAX) + 3.0 * unit), 3.0);
        assert_eq!(ulp_error(f32::INFINITY, f64::from(f32::MAX) + 0.25 * unit), infinity);
    }

    #[test]
    fn nan_is_near_nan_alone() {
        assert_eq!(ulp_error(f32::NAN, f64::NAN), 0.0);
        assert_eq!(ulp_error(-f32::NAN, f64::NAN), 0.0);
        for number in [0.0, 1.0, f32::INFINITY] {
            assert_eq!(ulp_error(number, f64::NAN), f64::INFINITY);
            assert_eq!(ulp_error(f32::NAN, f64::from(number)), f64::INFINITY);
            assert_eq!(ulp_distance_f32(number, f32::NAN), u32::MAX);
        }
        assert_eq!(ulp_distance_f32(f32::NAN, -f32::NAN), 0);
    }

    #[test]
    fn f64_results_are_measured_against_two_words() {
        let unit = f64::EPSILON;
        assert_eq!(ulp_error_f64(1.0, 1.0, 0.25 * unit), 0.25);
        assert_eq!(ulp_error_f64(1.0 + unit, 1.0, 0.25 * unit), 0.75);
        assert_eq!(ulp_error_f64(1.0 + unit, 1.0, -0.5 * unit), 1.5);
        assert_eq!(ulp_error_f64(5e-324, 0.0, 0.0), 1.0);
        assert_eq!(ulp_error_f64(0.0, f64::MIN_POSITIVE, 0.0), 4_503_599_627_370_496.0);
        assert_eq!(ulp_error_f64(f64::INFINITY, f64::MAX, 0.0), f64::INFINITY);
        assert_eq!(ulp_error_f64(f64::NAN, f64::NAN, 0.0), 0.0);
    }

    #[test]
    fn steps_are_counted_across_zero() {
        assert_eq!(ulp_distance_f32(0.0, -0.0), 0);
        assert_eq!(ulp_distance_f32(-SMALLEST, SMALLEST), 2);
        assert_eq!(ulp_distance_f32(1.0, f32::from_bits(0x3f7f_ffff)), 1);
        assert_eq!(ulp_distance_f32(2.0, 1.0), 1 << 23);
        assert_eq!(ulp_distance_f32(f32::MAX, f32::INFINITY), 1);
        assert_eq!(ulp_distance_f32(f32::NEG_INFINITY, f32::INFINITY), 0xff00_0000);
    }

    #[test]
    fn same_bits_keeps_the_sign_of_zero() {
        assert!(same_bits_or_nan(0.5, 0.5) && same_bits_or_nan_f64(0.5, 0.5));
        assert!(same_bits_or_nan(f32::NAN, -f32::NAN) && same_bits_or_nan_f64(f64::NAN, -f64::NAN));
        assert!(!same_bits_or_nan(0.0, -0.0) && !same_bits_or_nan_f64(0.0, -0.0));
        assert!(!same_bits_or_nan(f32::NAN, 1.0) && !same_bits_or_nan_f64(1.0, f64::NAN));
    }
}

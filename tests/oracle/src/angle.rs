//! Cosine and sine of `position * frequency`, exact at any position: the product is formed without rounding,
//! reduced by whole quarter turns in radians with 256 fraction bits, and only the remainder is left to std.
//! It stands apart, and on the radian side, so that it shares no step with the kernels, which count turns.
//!
//! Where the digits go: a product of two f64 has 106 bits, so no product below 2^51 comes nearer to a
//! multiple of pi/2 than about 2^-110. Subtracting up to 2^51 quarter turns, each known to 2^-257, leaves an
//! error of 2^-206, or 2^-96 of the smallest remainder. What is left is rounding that remainder to f64, and std.

use crate::fixed::{Fixed, HALF_PI};

/// The farthest position of the contract, 2^31.
pub const MAX_POSITION: i64 = 1 << 31;

/// Frequencies stay below 2^20 in magnitude.
pub const FREQUENCY_LIMIT: f64 = (1 << 20) as f64;

/// The largest angle, in radians: the product of the two limits above.
pub const MAX_ANGLE: f64 = (1u64 << 51) as f64;

/// Below this the sine is the angle and the cosine is one, to 2^-120 of their value.
pub(crate) const TINY: f64 = 1.0 / (1u64 << 60) as f64;

/// A point of the unit circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CosSin {
    /// The cosine.
    pub cos: f64,
    /// The sine.
    pub sin: f64,
}

/// Cosine and sine of `position * frequency`, each within 2^-50 of its own value, zero crossings included.
///
/// # Panics
///
/// If `|position| > 2^31`, or the frequency is not finite or not below 2^20 in magnitude.
pub fn sincos(position: i64, frequency: f64) -> CosSin {
    assert!((-MAX_POSITION..=MAX_POSITION).contains(&position), "position {position} exceeds 2^31");
    assert!(frequency.abs() < FREQUENCY_LIMIT, "frequency {frequency} is not below 2^20");
    // A position of at most 31 bits converts exactly.
    sincos_product(position as f64, frequency)
}

/// Cosine and sine of an f64 angle in radians, taken as exactly what it is.
///
/// # Panics
///
/// If the angle is not finite or exceeds 2^51 in magnitude.
pub fn sincos_f64_arg(angle: f64) -> CosSin {
    sincos_product(1.0, angle)
}

/// Cosine and sine of an f32 angle in radians, taken as exactly what it is.
///
/// # Panics
///
/// If the angle is not finite or exceeds 2^51 in magnitude.
pub fn sincos_f32_arg(angle: f32) -> CosSin {
    sincos_f64_arg(f64::from(angle))
}

/// The angle of the f32-compatible contract: both factors rounded to f32, and their product rounded again.
pub fn single_angle(position: i64, frequency: f64) -> f32 {
    (position as f32) * (frequency as f32)
}

/// Cosine and sine of the exact product of two f64, for fractional positions.
///
/// # Panics
///
/// If the product is not finite or exceeds 2^51 in magnitude.
pub fn sincos_product(position: f64, frequency: f64) -> CosSin {
    let rounded = position * frequency;
    assert!(rounded.abs() <= MAX_ANGLE, "angle {rounded} exceeds 2^51");
    if rounded.abs() < TINY {
        return CosSin { cos: 1.0, sin: rounded };
    }
    let (a, a_exponent) = decoded(position);
    let (b, b_exponent) = decoded(frequency);
    // 53 bits by 53 bits; the last one weighs at least 2^-166, since the product is not tiny.
    let angle = Fixed::scaled(u128::from(a) * u128::from(b), a_exponent + b_exponent);
    let CosSin { cos, sin } = first_turns(angle);
    CosSin { cos, sin: if rounded < 0.0 { -sin } else { sin } }
}

/// Cosine and sine of the exact sum of products of two f64, for positions with several coordinates. Digits of a product
/// below 2^-256 are cut off.
///
/// # Panics
///
/// If a product is not finite or exceeds 2^51 in magnitude.
pub fn sincos_sum(products: &[(f64, f64)]) -> CosSin {
    let mut sums = [Fixed::scaled(0, 0); 2];
    for &(position, frequency) in products {
        let rounded = position * frequency;
        assert!(rounded.abs() <= MAX_ANGLE, "angle {rounded} exceeds 2^51");
        let (a, a_exponent) = decoded(position);
        let (b, b_exponent) = decoded(frequency);
        let (product, exponent) = (u128::from(a) * u128::from(b), a_exponent + b_exponent);
        let below = (-256 - exponent).max(0);
        let part = Fixed::scaled(product.checked_shr(below as u32).unwrap_or(0), exponent.max(-256));
        let negative = position.is_sign_negative() != frequency.is_sign_negative();
        sums[usize::from(negative)] = sums[usize::from(negative)].plus(part);
    }
    let [plus, minus] = sums;
    if plus >= minus {
        return first_turns(plus.minus(minus));
    }
    let CosSin { cos, sin } = first_turns(minus.minus(plus));
    CosSin { cos, sin: -sin }
}

/// Cosine and sine of an angle that is not negative.
fn first_turns(angle: Fixed) -> CosSin {
    let (whole, rest) = angle.divided_by(HALF_PI);
    let complement = HALF_PI.minus(rest);
    // Past an eighth of a turn, go on to the next quarter and come back: std then never sees an argument
    // near its own zero crossing at pi/2, where rounding the remainder to f64 would move the cosine.
    let (quarters, near) = if complement < rest {
        let CosSin { cos, sin } = first_eighth(complement);
        (whole + 1, CosSin { cos, sin: -sin })
    } else {
        (whole, first_eighth(rest))
    };
    match quarters % 4 {
        0 => near,
        1 => CosSin { cos: -near.sin, sin: near.cos },
        2 => CosSin { cos: -near.cos, sin: -near.sin },
        _ => CosSin { cos: near.sin, sin: -near.cos },
    }
}

/// Cosine and sine of at most pi/4, where an argument off by 2^-53 of itself moves neither by more than that
/// part of its value.
fn first_eighth(angle: Fixed) -> CosSin {
    let (sin, cos) = angle.to_f64().sin_cos();
    CosSin { cos, sin }
}

/// A finite f64's magnitude as `(mantissa, exponent)`, meaning `mantissa * 2^exponent`.
pub(crate) fn decoded(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52 & 0x7ff) as i32 {
        0 => (fraction, -1074),
        biased => (fraction | 1 << 52, biased - 1075),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certified::{ARGUMENTS, FRACTIONS, POSITIONS};
    use crate::tolerance::ORACLE_RELATIVE;

    fn assert_near(got: CosSin, cos: f64, sin: f64, what: &str) {
        for (got, want) in [(got.cos, cos), (got.sin, sin)] {
            let error = (got - want).abs();
            assert!(error <= ORACLE_RELATIVE * want.abs(), "{what}: got {got:e}, want {want:e}");
        }
    }

    #[test]
    fn positions_match_sixty_digits() {
        for &(position, frequency, cos, sin) in POSITIONS {
            let what = format!("{position} * {frequency:e}");
            assert_near(sincos(position, frequency), cos, sin, &what);
        }
    }

    #[test]
    fn negative_positions_and_frequencies_mirror() {
        for &(position, frequency, cos, sin) in POSITIONS {
            let what = format!("-({position} * {frequency:e})");
            assert_near(sincos(-position, frequency), cos, -sin, &what);
            assert_near(sincos(position, -frequency), cos, -sin, &what);
        }
    }

    #[test]
    fn f32_arguments_match_sixty_digits() {
        for &(angle, _, cos, sin) in ARGUMENTS {
            assert_near(sincos_f32_arg(angle), cos, sin, &angle.to_string());
            assert_near(sincos_f32_arg(-angle), cos, -sin, &angle.to_string());
        }
    }

    #[test]
    fn the_certified_crossings_are_hard() {
        // The naive product misses them by whole digits; a list that lost its teeth would pass it.
        let worst = POSITIONS.iter().map(|&(position, frequency, cos, sin)| {
            let (naive_sin, naive_cos) = (position as f64 * frequency).sin_cos();
            let relative = |got: f64, want: f64| if want == 0.0 { 0.0 } else { (got / want - 1.0).abs() };
            relative(naive_cos, cos).max(relative(naive_sin, sin))
        });
        assert!(worst.filter(|&relative| relative > 1e-2).count() >= 20);
    }

    #[test]
    fn every_quarter_of_the_circle() {
        for (angle, cos_negative, sin_negative) in [
            (0.7, false, false),
            (0.9, false, false),
            (2.0, true, false),
            (3.0, true, false),
            (3.5, true, true),
            (4.5, true, true),
            (5.0, false, true),
            (6.0, false, true),
            (6.5, false, false),
        ] {
            let point = sincos_f64_arg(angle);
            assert_eq!((point.cos < 0.0, point.sin < 0.0), (cos_negative, sin_negative), "{angle}");
        }
    }

    #[test]
    fn fractional_products_are_not_rounded() {
        for &(position, frequency, cos, sin) in FRACTIONS {
            let what = format!("{position:e} * {frequency:e}");
            assert_near(sincos_product(position, frequency), cos, sin, &what);
            assert_near(sincos_product(frequency, position), cos, sin, &what);
        }
    }

    #[test]
    fn sums_of_one_and_of_opposites() {
        for &(position, frequency, cos, sin) in FRACTIONS {
            let what = format!("{position:e} * {frequency:e}");
            assert_near(sincos_sum(&[(position, frequency)]), cos, sin, &what);
            assert_near(sincos_sum(&[(-position, frequency)]), cos, -sin, &what);
            // Half and half, and a detour that is taken back.
            let halves = [(position / 2.0, frequency); 2];
            assert_near(sincos_sum(&halves), cos, sin, &what);
            let detour = [(1e6, 0.125), (position, frequency), (-1e6, 0.125)];
            assert_near(sincos_sum(&detour), cos, sin, &what);
        }
        assert_eq!(sincos_sum(&[(3.0, 0.5), (-1.5, 1.0)]), CosSin { cos: 1.0, sin: 0.0 });
        assert_eq!(sincos_sum(&[(1e-300, 1e-300)]), CosSin { cos: 1.0, sin: 0.0 });
    }

    #[test]
    fn the_single_contract_rounds_three_times() {
        assert_eq!(single_angle(16_777_217, 1.0), 16_777_216.0);
        // The product rounded once would be 13107.1 instead.
        assert_eq!(single_angle(131_071, 0.1), 13_107.101);
        assert_eq!(single_angle(-7, 0.5), -3.5);
        // fl32(1/3) * 3 is 1 + 2^-25 before its own rounding.
        assert_eq!(single_angle(3, 1.0 / 3.0), 1.0);
    }

    #[test]
    #[should_panic(expected = "exceeds 2^31")]
    fn positions_past_the_limit_are_refused() {
        sincos(MAX_POSITION + 1, 1.0);
    }

    #[test]
    #[should_panic(expected = "exceeds 2^31")]
    fn the_position_without_a_negative_is_refused() {
        sincos(i64::MIN, 1.0);
    }

    #[test]
    #[should_panic(expected = "not below 2^20")]
    fn a_frequency_that_is_not_a_number_is_refused() {
        sincos(1, f64::NAN);
    }

    #[test]
    #[should_panic(expected = "exceeds 2^51")]
    fn an_infinite_argument_is_refused() {
        sincos_f32_arg(f32::INFINITY);
    }
}

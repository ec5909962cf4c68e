//! Cosine and sine of `position * frequency` as sums of two f64, for results that are to be judged in ULP of f64.
//! They stand apart from `angle`, which is good enough for f32 and leaves the last step to std: here it is a Taylor
//! series in 128-bit integers.

use crate::angle::{FREQUENCY_LIMIT, MAX_POSITION, TINY, decoded};
use crate::fixed::{Fixed, HALF_PI, power_of_two};

/// A number as the f64 nearest to it, and what is missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twofold {
    /// The nearest f64.
    pub high: f64,
    /// What is missing, at most half a unit of `high`.
    pub low: f64,
}

/// A point of the unit circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwofoldPoint {
    /// The cosine.
    pub cos: Twofold,
    /// The sine.
    pub sin: Twofold,
}

/// One, in the units of [`series`].
const ONE: u128 = 1 << 127;

impl Twofold {
    /// `integer * 2^exponent`, for integers below 2^127.
    fn scaled(integer: u128, exponent: i32) -> Self {
        let nearest = integer as f64;
        // The nearest f64 of an integer is an integer again, at most 2^127, so both casts are exact.
        let rest = (integer as i128).wrapping_sub(nearest as u128 as i128);
        let unit = power_of_two(exponent);
        Self { high: nearest * unit, low: rest as f64 * unit }
    }

    /// The product with an f64, rounded to two f64 again.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let high = self.high * factor;
        let low = self.high.mul_add(factor, -high) + self.low * factor;
        Self { high: high + low, low: low - ((high + low) - high) }
    }
}

impl std::ops::Neg for Twofold {
    type Output = Self;

    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

/// Cosine and sine of `position * frequency`, each within 2^-95 of its own value, zero crossings included.
///
/// # Panics
///
/// If `|position| > 2^31`, or the frequency is not finite or not below 2^20 in magnitude.
pub fn sincos(position: i64, frequency: f64) -> TwofoldPoint {
    assert!((-MAX_POSITION..=MAX_POSITION).contains(&position), "position {position} exceeds 2^31");
    assert!(frequency.abs() < FREQUENCY_LIMIT, "frequency {frequency} is not below 2^20");
    let position = position as f64;
    let product = position * frequency;
    if product.abs() < TINY {
        // The next terms are below 2^-120 of these.
        let sin = Twofold { high: product, low: position.mul_add(frequency, -product) };
        return TwofoldPoint { cos: Twofold { high: 1.0, low: -0.5 * product * product }, sin };
    }
    let ((a, a_exponent), (b, b_exponent)) = (decoded(position), decoded(frequency));
    let TwofoldPoint { cos, sin } = first_turns(Fixed::scaled(u128::from(a) * u128::from(b), a_exponent + b_exponent));
    TwofoldPoint { cos, sin: if product < 0.0 { -sin } else { sin } }
}

/// Cosine and sine of an angle that is not negative.
fn first_turns(angle: Fixed) -> TwofoldPoint {
    let (whole, rest) = angle.divided_by(HALF_PI);
    let complement = HALF_PI.minus(rest);
    let (quarters, near) = if complement < rest {
        let near = first_eighth(complement);
        (whole + 1, TwofoldPoint { sin: -near.sin, ..near })
    } else {
        (whole, first_eighth(rest))
    };
    match quarters % 4 {
        0 => near,
        1 => TwofoldPoint { cos: -near.sin, sin: near.cos },
        2 => TwofoldPoint { cos: -near.cos, sin: -near.sin },
        _ => TwofoldPoint { cos: near.sin, sin: -near.cos },
    }
}

/// Cosine and sine of at most pi/4.
fn first_eighth(angle: Fixed) -> TwofoldPoint {
    let square = high_half(angle.fraction(), angle.fraction());
    // Keeping the leading bits of the angle, and not its first fraction bits, makes the sine's error relative.
    let (mantissa, exponent) = angle.leading();
    TwofoldPoint {
        cos: Twofold::scaled(series(square, 1), -127),
        sin: Twofold::scaled(high_half(mantissa, series(square, 2)), exponent + 1),
    }
}

/// `1 - s/(f(f+1)) * (1 - s/((f+2)(f+3)) * (...))` in units of 2^-127, `s` being in units of 2^-128.
///
/// From `f = 1` on it is the cosine, from `f = 2` on the sine over its angle. Sixteen terms leave 2^-130.
fn series(square: u128, first: u128) -> u128 {
    (0..16).rev().fold(ONE, |sum, term| {
        let factor = first + 2 * term;
        ONE - high_half(square, sum) / (factor * (factor + 1))
    })
}

/// The upper 128 bits of a product, up to two units too small.
fn high_half(a: u128, b: u128) -> u128 {
    let [a1, a0, b1, b0] = [a >> 64, a & u128::from(u64::MAX), b >> 64, b & u128::from(u64::MAX)];
    a1 * b1 + ((a1 * b0) >> 64) + ((a0 * b1) >> 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Position, frequency, and both halves of cosine and sine, worked out to 120 digits with mpmath; `low` is
    /// `value - high`, rounded.
    #[allow(clippy::approx_constant, reason = "quarter turns and their halves are among the angles on purpose")]
    #[rustfmt::skip]
    const POINTS: &[(i64, f64, [f64; 2], [f64; 2])] = &[
        (1, 1.0, [0.5403023058681398, -4.760954612604417e-17], [0.8414709848078965, 1.776845092935536e-18]),
        (3, 0.25, [0.7316888688738209, -1.0475824306512768e-17], [0.6816387600233341, 4.410467313197903e-17]),
        (100, 0.01, [0.5403023058681397, 4.58961226760765e-17], [0.8414709848078965, 1.3024146222301896e-17]),
        (-5, 0.7, [-0.9364566872907965, 3.6728318365446236e-17], [0.3507832276896196, 2.5765189023070742e-17]),
        (16777215, 1.0, [-0.31757645973239707, -1.4675298882022224e-17], [-0.9482326677687481, -3.688509750881529e-17]),
        (2147483647, 1048575.9, [-0.6217446353233662, 2.2750761275103642e-17], [0.7832200255653672, -2.400081536847396e-17]),
        (2147483648, 0.9999, [-0.9882355582799479, 5.06721862847044e-17], [-0.1529394695659684, 7.769142199418388e-18]),
        (-131072, 0.31622776601683794, [0.003072217212650481, 3.5394278021662604e-20], [0.9999952807295633, 4.9756317373657896e-17]),
        (355, 1.0, [-0.999999999545659, 1.0574612846643521e-17], [-3.014435335948845e-05, 1.3012643991046347e-21]),
        (-103993, 1.0, [0.9999999998170342, 9.980368235853908e-18], [1.9129335778423752e-05, -1.6616884502200222e-21]),
        (1, 9.094947017729282e-13, [1.0, -4.1359030627651384e-25], [9.094947017729282e-13, -1.2538606408771066e-37]),
        (7, 8.470329472543003e-22, [1.0, -1.7577887936490505e-41], [5.929230630780102e-21, -3.4741117192486516e-62]),
        (1, 0.0, [1.0, 0.0], [0.0, 0.0]),
        (11, 0.1426996660846537, [0.0010999996418726433, -4.489550727884243e-20], [0.999999395000211, -2.785273559267299e-17]),
        (1, 1.5707963267948966, [6.123233995736766e-17, -1.4973849048591698e-33], [1.0, -1.874699728327322e-33]),
        (1, 3.141592653589793, [-1.0, 7.498798913309288e-33], [1.2246467991473532e-16, -2.99476980971834e-33]),
        (1, 0.7853981633974483, [0.7071067811865476, -2.6687565161377232e-17], [0.7071067811865475, 4.1036934489363755e-17]),
        (1, 0.7853981633974484, [0.7071067811865475, 5.830114366949665e-18], [0.7071067811865476, 8.519254961036853e-18]),
        (11499132, 6.830064768344675e-07, [-5.978562360269424e-16, 2.9490930407939114e-32], [1.0, -1.787160394781515e-31]),
        (5334232, 0.0002947691669806809, [-2.787251541048984e-14, -3.2791688357298064e-31], [1.0, -3.884385576539968e-28]),
        (13493696, 0.014371468819276109, [1.0, -8.578588448481575e-24], [-4.142122269678087e-12, 3.418872976160116e-29]),
        (7063803, 2.2237259019189293, [-1.0575072280936796e-09, -2.1790249502155692e-26], [-1.0, 5.591607687351889e-19]),
    ];

    #[test]
    fn points_match_a_hundred_and_twenty_digits() {
        for &(position, frequency, cos, sin) in POINTS {
            let point = sincos(position, frequency);
            for (got, [high, low]) in [(point.cos, cos), (point.sin, sin)] {
                let error = ((got.high - high) + (got.low - low)).abs();
                assert!(error <= 2_f64.powi(-95) * high.abs(), "{position} * {frequency:e}: {got:?}");
                assert_eq!(got.high, high, "{position} * {frequency:e}");
            }
        }
    }

    #[test]
    fn negative_positions_and_frequencies_mirror() {
        for &(position, frequency, ..) in POINTS {
            let TwofoldPoint { cos, sin } = sincos(position, frequency);
            let mirrored = TwofoldPoint { cos, sin: -sin };
            assert_eq!(sincos(-position, frequency), mirrored);
            assert_eq!(sincos(position, -frequency), mirrored);
        }
    }

    #[test]
    fn both_oracles_agree() {
        for i in 0..20_000_i64 {
            let (position, frequency) = (i * i * 5 - 900_000_000, 1.0 / (1.0 + i as f64 * 0.37));
            let (near, far) = (crate::angle::sincos(position, frequency), sincos(position, frequency));
            for (near, far) in [(near.cos, far.cos), (near.sin, far.sin)] {
                let error = ((near - far.high) - far.low).abs();
                assert!(error <= crate::tolerance::ORACLE_RELATIVE * near.abs(), "{position} * {frequency:e}");
                assert!(far.low.abs() <= 0.5 * crate::ulp::spacing_f64(far.high), "{far:?}");
            }
        }
    }

    #[test]
    fn products_keep_both_halves() {
        let third = Twofold { high: 1.0 / 3.0, low: 1.850371707708594e-17 };
        assert_eq!(third.times(3.0), Twofold { high: 1.0, low: 0.0 });
        assert_eq!(third.times(-0.5), Twofold { high: -1.0 / 6.0, low: -0.5 * third.low });
        let square = Twofold { high: 1.0 + f64::EPSILON, low: 0.0 }.times(1.0 + f64::EPSILON);
        assert_eq!(square, Twofold { high: 1.0 + 2.0 * f64::EPSILON, low: f64::EPSILON * f64::EPSILON });
    }

    #[test]
    #[should_panic(expected = "not below 2^20")]
    fn a_frequency_that_is_not_a_number_is_refused() {
        sincos(1, f64::NAN);
    }
}

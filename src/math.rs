//! Powers, logarithms and roots in f64, the same bits on every machine.
//!
//! The mathematical functions of the standard library differ between platforms and are missing without it. Here
//! numbers carry a second f64 with the digits that the first one cuts off (`math::twofold`); about 100 bits are right
//! before the one rounding at the end. This is meant for a few hundred numbers when an encoding is made, not for inner
//! loops.

pub(crate) mod elementary;
mod twofold;

pub(crate) use twofold::{PI, Twofold};

/// `base^(numerator/denominator)`, for a positive `base` and a finite exponent.
pub(crate) fn power(base: f64, numerator: f64, denominator: f64) -> f64 {
    let logarithm = Twofold::from(base).ln();
    let estimate = logarithm.value() * (numerator / denominator);
    // Far outside the range, where the digits of the exponent do not matter and their products could overflow.
    if estimate.abs() > 800.0 {
        return if estimate > 0.0 { f64::INFINITY } else { 0.0 };
    }
    logarithm.times(Twofold::from(numerator)).over(Twofold::from(denominator)).exp().value()
}

/// The natural logarithm of a positive number.
pub(crate) fn ln(x: f64) -> f64 {
    Twofold::from(x).ln().value()
}

/// The largest whole number that is not above `x`, for `x` below 2^52 in size.
pub(crate) fn floor(x: f64) -> f64 {
    let cut = x as i64 as f64;
    if cut > x { cut - 1.0 } else { cut }
}

/// `2^-800`, below which the rounding error of a product may be lost.
const SMALL: f64 = f64::from_bits((1023 - 800) << 52);

/// The square root of a number that is not negative.
pub(crate) fn sqrt(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    if x < SMALL {
        // Products of halves of the root would fall below the normal numbers.
        return sqrt(x * twofold::power_of_two(600.0)) * twofold::power_of_two(-300.0);
    }
    // Halving the exponent is a first guess; each of Newton's steps doubles the digits that are right.
    let mut root = f64::from_bits((x.to_bits() >> 1) + (1023 << 51));
    for _ in 0..5 {
        root = 0.5 * (root + x / root);
    }
    let square = Twofold::product(root, root);
    root + Twofold::from(x).minus(square).value() / (2.0 * root)
}

#[cfg(test)]
mod tests {
    use super::{ln, power, sqrt};

    /// Values of 60 digits, rounded to f64.
    #[test]
    fn powers_are_correctly_rounded() {
        for (base, numerator, denominator, want) in [
            (10_000.0, -1.0, 2.0, 0.01),
            (10_000.0, -2.0, 128.0, 0.865_964_323_360_065_3),
            (500_000.0, -126.0, 128.0, 2.455_140_791_131_609e-6),
            (2.0, -8.0, 3.0, 0.157_490_131_236_859_16),
            (7.0, 0.0, 5.0, 1.0),
            (2.0, 1023.0, 1.0, 8.988_465_674_311_58e307),
            (2.0, -1074.0, 1.0, 5e-324),
            (5e-324, 1.0, 1074.0, 0.5),
            (10.0, 400.0, 1.0, f64::INFINITY),
            (10.0, -400.0, 1.0, 0.0),
            (2.0, -1e300, 3.0, 0.0),
            (0.5, -1e308, 0.1, f64::INFINITY),
        ] {
            assert_eq!(power(base, numerator, denominator), want, "{base}^({numerator}/{denominator})");
        }
    }

    #[test]
    fn logarithms_are_correctly_rounded() {
        assert_eq!(ln(10.0), core::f64::consts::LN_10);
        assert_eq!(ln(2.0), core::f64::consts::LN_2);
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(ln(0.1), -2.302_585_092_994_045_5); // of the f64 next to 1/10
    }

    #[test]
    fn roots_are_correctly_rounded() {
        assert_eq!(sqrt(0.0), 0.0);
        assert_eq!(sqrt(5e-324), f64::from_bits((1023 - 537) << 52));
        for k in 1..2000 {
            let x = f64::from(k) * 1.000_000_1;
            assert_eq!(sqrt(x).to_bits(), x.sqrt().to_bits(), "sqrt({x})");
        }
    }
}

//! Powers, logarithms and roots in f64, the same bits on every machine.
//!
//! The mathematical functions of the standard library differ between platforms and are missing without it. Here
//! numbers carry a second f64 with the digits that the first one cuts off; about 100 bits are right before the one
//! rounding at the end. This is meant for a few hundred numbers when an encoding is made, not for inner loops.

pub(crate) mod elementary;

/// `high + low`, where `low` is at most half a unit in the last place of `high`.
#[derive(Clone, Copy)]
struct Twofold {
    high: f64,
    low: f64,
}

const LN_2: Twofold = Twofold { high: core::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };

/// `base^(numerator/denominator)`, for a positive `base` and a finite exponent.
pub(crate) fn power(base: f64, numerator: f64, denominator: f64) -> f64 {
    let logarithm = ln_twofold(base);
    let estimate = logarithm.high * (numerator / denominator);
    // Far outside the range, where the digits of the exponent do not matter and their products could overflow.
    if estimate.abs() > 800.0 {
        return if estimate > 0.0 { f64::INFINITY } else { 0.0 };
    }
    logarithm.times(Twofold::from(numerator)).over(Twofold::from(denominator)).exp()
}

/// The natural logarithm of a positive number.
pub(crate) fn ln(x: f64) -> f64 {
    ln_twofold(x).high
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
        return sqrt(x * power_of_two(600.0)) * power_of_two(-300.0);
    }
    // Halving the exponent is a first guess; each of Newton's steps doubles the digits that are right.
    let mut root = f64::from_bits((x.to_bits() >> 1) + (1023 << 51));
    for _ in 0..5 {
        root = 0.5 * (root + x / root);
    }
    let square = Twofold::product(root, root);
    root + ((x - square.high) - square.low) / (2.0 * root)
}

impl Twofold {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }

    /// `a + b` with its rounding error.
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let b_seen = high - a;
        Self { high, low: (a - (high - b_seen)) + (b - b_seen) }
    }

    /// `a · b` with its rounding error, by splitting both into halves of 26 bits.
    fn product(a: f64, b: f64) -> Self {
        let split = |x: f64| {
            let scaled = 134_217_729.0 * x; // 2^27 + 1
            let top = scaled - (scaled - x);
            (top, x - top)
        };
        let ((a1, a0), (b1, b0)) = (split(a), split(b));
        let high = a * b;
        Self { high, low: ((a1 * b1 - high) + a1 * b0 + a0 * b1) + a0 * b0 }
    }

    fn plus(self, other: Self) -> Self {
        let sum = Self::sum(self.high, other.high);
        Self::sum(sum.high, sum.low + (self.low + other.low))
    }

    fn times(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }

    fn over(self, other: Self) -> Self {
        let quotient = self.high / other.high;
        let back = other.times(Self::from(quotient));
        let rest = ((self.high - back.high) - back.low) + self.low;
        Self::sum(quotient, rest / other.high)
    }

    fn scaled(self, factor: f64) -> Self {
        Self { high: self.high * factor, low: self.low * factor }
    }

    /// `e^self`, rounded.
    fn exp(self) -> f64 {
        if self.high > 709.8 {
            return f64::INFINITY;
        }
        if self.high < -745.2 {
            return 0.0;
        }
        let halvings = whole(self.high / LN_2.high);
        let rest = self.plus(LN_2.times(Twofold::from(-halvings)));
        // A sixteenth of the rest, at most 0.022, needs 16 terms; four squarings bring it back.
        let small = rest.scaled(1.0 / 16.0);
        let mut sum = Self::from(1.0);
        for k in (1..=16).rev() {
            sum = sum.times(small).over(Self::from(f64::from(k))).plus(Self::from(1.0));
        }
        for _ in 0..4 {
            sum = sum.times(sum);
        }
        // In two steps, since one power of two may lie outside the normal numbers where the result does not.
        let half = whole(halvings / 2.0);
        sum.high * power_of_two(half) * power_of_two(halvings - half)
    }
}

/// The nearest whole number.
fn whole(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
    (x + SHIFT) - SHIFT
}

/// `2^exponent` for a whole exponent of normal size.
fn power_of_two(exponent: f64) -> f64 {
    f64::from_bits(((exponent as i64 + 1023) as u64) << 52)
}

/// `ln x = k·ln 2 + 2·artanh((m − 1)/(m + 1))` for `x = m·2^k` and `m` near 1.
fn ln_twofold(x: f64) -> Twofold {
    let scale = if x < f64::MIN_POSITIVE { 54.0 } else { 0.0 };
    let bits = (x * power_of_two(scale)).to_bits();
    let mut exponent = ((bits >> 52) as i64 - 1023) as f64 - scale;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if mantissa > core::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1.0;
    }
    let ratio = Twofold::from(mantissa - 1.0).over(Twofold::sum(mantissa, 1.0));
    let square = ratio.times(ratio);
    // The square is at most 0.0295: 22 terms reach 2^-110.
    let mut series = Twofold::from(0.0);
    for k in (0..22).rev() {
        let term = Twofold::from(1.0).over(Twofold::from(f64::from(2 * k + 1)));
        series = series.times(square).plus(term);
    }
    LN_2.times(Twofold::from(exponent)).plus(series.times(ratio).scaled(2.0))
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

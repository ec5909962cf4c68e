//! Exponentials and logarithms in f64, quick enough to be asked for at every distance, the same bits on every machine.
//!
//! Each is within 1 ULP of the true value, `tanh` and the logistic functions within 2. They stand apart from their
//! twofold neighbours, which are right to the last bit and a hundred times slower.

/// `ln 2` in two parts: the first has 32 bits, so that its products with exponents are exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Beyond these the result is not a finite number that is larger than 0.
const LARGEST: f64 = 709.79;
const SMALLEST: f64 = -745.2;

/// `1/k!` for `k` from 2 on.
const FACTORIALS: [f64; 13] = factorials();

const fn factorials() -> [f64; 13] {
    let mut inverse = [0.0; 13];
    let (mut k, mut factorial) = (0, 1.0);
    while k < inverse.len() {
        factorial *= (k + 2) as f64;
        inverse[k] = 1.0 / factorial;
        k += 1;
    }
    inverse
}

/// `coefficients[0] + coefficients[1]·x + …`.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, &coefficient| sum * x + coefficient)
}

/// `x·2^exponent`, for exponents of at most twice the normal size.
fn scaled(x: f64, exponent: i32) -> f64 {
    let power = |exponent: i32| f64::from_bits(((exponent + 1023) as u64) << 52);
    let half = exponent / 2;
    x * power(half) * power(exponent - half)
}

/// `k` and the two parts of `r` for which `x = k·ln 2 + r`, with `r` between ±0.35.
fn reduced(x: f64) -> (i32, f64, f64) {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
    let k = (x * core::f64::consts::LOG2_E + SHIFT) - SHIFT;
    let (near, far) = (x - k * LN_2_HIGH, k * LN_2_LOW);
    let rest = near - far;
    (k as i32, rest, (near - rest) - far)
}

/// `e^(r + low) − 1` for a small `r`, in two parts.
fn exp_m1_small(r: f64, low: f64) -> (f64, f64) {
    // 2 + … + 14 terms: the next is below 2^-57 of the sum.
    let tail = r * r * polynomial(&FACTORIALS, r) + low + low * r;
    let sum = r + tail;
    (sum, (r - sum) + tail)
}

/// `e^x`.
pub(crate) fn exp(x: f64) -> f64 {
    if x > LARGEST {
        return f64::INFINITY;
    }
    if x < SMALLEST {
        return 0.0;
    }
    if x.is_nan() {
        return x;
    }
    let (k, r, low) = reduced(x);
    let (sum, rest) = exp_m1_small(r, low);
    scaled(1.0 + (sum + rest), k)
}

/// `e^x − 1`, also where it is close to 0.
pub(crate) fn exp_m1(x: f64) -> f64 {
    if x.abs() < 0.35 {
        let (sum, rest) = exp_m1_small(x, 0.0);
        return sum + rest;
    }
    // Beyond 2^60, where the 1 does not count.
    if !(-42.0..=42.0).contains(&x) {
        return exp(x) - 1.0;
    }
    let (k, r, low) = reduced(x);
    let (sum, rest) = exp_m1_small(r, low);
    let scale = scaled(1.0, k);
    // `(scale − 1)` is exact up to 2^53, and `sum` is the smaller summand.
    let (whole, part) = (scale - 1.0, scale * sum);
    let total = whole + part;
    let lost = if whole.abs() >= part.abs() { (whole - total) + part } else { (part - total) + whole };
    total + (lost + scale * rest)
}

/// `1/(2k + 3)`: `artanh(s) = s + s³/3 + s⁵/5 + …`.
const ODD: [f64; 12] = odd();

const fn odd() -> [f64; 12] {
    let mut inverse = [0.0; 12];
    let mut k = 0;
    while k < inverse.len() {
        inverse[k] = 1.0 / (2 * k + 3) as f64;
        k += 1;
    }
    inverse
}

/// The natural logarithm; NaN below 0, −∞ at 0.
pub(crate) fn ln(x: f64) -> f64 {
    ln_sum(x, 0.0)
}

/// `ln(1 + x)`, also where it is close to 0; NaN below −1.
pub(crate) fn ln_1p(x: f64) -> f64 {
    let sum = 1.0 + x;
    let lost = if x.abs() > 1.0 { (x - sum) + 1.0 } else { (1.0 - sum) + x };
    ln_sum(sum, lost)
}

/// `ln(x + low)`, where `low` is at most half a unit of `x`.
fn ln_sum(x: f64, low: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x == f64::INFINITY {
        return x;
    }
    // `x = m·2^k` with `m` between √½ and √2.
    let shift = if x < f64::MIN_POSITIVE { 54 } else { 0 };
    let bits = scaled(x, shift).to_bits();
    let mut k = (bits >> 52) as i32 - 1023;
    let mut m = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if m > core::f64::consts::SQRT_2 {
        (m, k) = (m * 0.5, k + 1);
    }
    // A `low` that would leave the normal numbers belongs to an `x` far beyond its reach.
    let low = if low == 0.0 { 0.0 } else { scaled(low, -k.clamp(-1000, 1000)) };
    let k = f64::from(k - shift);
    // With `f = m − 1`: `ln m = 2·artanh(f/(2 + f)) = f − f·s + 2·(s³/3 + …)` for `s = f/(2 + f)`.
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let square = s * s;
    let series = 2.0 * s * square * polynomial(&ODD, square);
    // `f·s = f²/2 − s·f²/2`, whose first part is by far the larger one.
    let half = 0.5 * f * f;
    let tail = s * half + series + low / m + k * LN_2_LOW;
    let near = f - half;
    let near_lost = (f - near) - half;
    let whole = k * LN_2_HIGH;
    let sum = whole + near;
    let lost = if whole == 0.0 { 0.0 } else { (whole - sum) + near };
    sum + (lost + (near_lost + tail) + half_square_lost(f, half))
}

/// What `half`, the rounded `f²/2`, is larger than the true one.
fn half_square_lost(f: f64, half: f64) -> f64 {
    // Halves of 26 bits, whose products are exact.
    let scaled = 134_217_729.0 * f; // 2^27 + 1
    let top = scaled - (scaled - f);
    let bottom = f - top;
    ((half - 0.5 * top * top) - top * bottom) - 0.5 * bottom * bottom
}

/// `x^exponent` for a positive `x`, within some units of the last place times the logarithm of the result.
pub(crate) fn pow(x: f64, exponent: f64) -> f64 {
    exp(exponent * ln(x))
}

/// The hyperbolic tangent.
pub(crate) fn tanh(x: f64) -> f64 {
    let size = if x.abs() > 0.55 {
        // What is taken off the 1 is the smaller part, and so is its error.
        1.0 - 2.0 / (exp(2.0 * x.abs()) + 1.0)
    } else {
        let grown = exp_m1(-2.0 * x.abs());
        -grown / (2.0 + grown)
    };
    if x < 0.0 { -size } else { size }
}

/// The logistic function `1/(1 + e^−x)`.
pub(crate) fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        return 1.0 / (1.0 + exp(-x));
    }
    let grown = exp(x);
    grown / (1.0 + grown)
}

/// `ln(sigmoid(x))`, also where the sigmoid is 0 or 1 to all digits.
pub(crate) fn ln_sigmoid(x: f64) -> f64 {
    // The smaller of x and 0, less ln(1 + e^−|x|).
    if x.is_nan() { x } else { x.min(0.0) - ln_1p(exp(-x.abs())) }
}

#[cfg(test)]
mod tests {
    use posenc_oracle::functions as oracle;
    use posenc_oracle::twofold::Twofold;
    use posenc_oracle::ulp::ulp_error_f64;

    use super::*;

    /// Numbers of both signs, from close to 0 to where results leave the range, a few of them close together.
    fn arguments(from: f64, to: f64) -> impl Iterator<Item = f64> {
        let ratio = (to / from).powf(1.0 / 3000.0);
        (0..=3000).map(move |k| from * ratio.powi(k)).flat_map(|x| [x, -x])
    }

    fn assert_within(most: f64, name: &str, function: fn(f64) -> f64, want: fn(f64) -> Twofold, x: f64) {
        let Twofold { high, low } = want(x);
        let got = function(x);
        let error = ulp_error_f64(got, high, low);
        assert!(error <= most, "{name}({x:e}) is {got:e}, not {high:e}: {error} ULP");
    }

    #[test]
    fn exponentials_are_within_a_unit() {
        for x in arguments(1e-12, 708.0) {
            assert_within(1.0, "exp", exp, oracle::exp, x);
            assert_within(1.0, "exp_m1", exp_m1, oracle::exp_m1, x);
        }
        assert_eq!([exp(0.0), exp(-746.0), exp(710.0), exp(f64::NEG_INFINITY)], [1.0, 0.0, f64::INFINITY, 0.0]);
        assert_eq!([exp_m1(0.0), exp_m1(-800.0), exp_m1(800.0)], [0.0, -1.0, f64::INFINITY]);
        assert!(exp(f64::NAN).is_nan() && exp_m1(f64::NAN).is_nan());
        assert_eq!(exp(-745.0), 5e-324);
    }

    #[test]
    fn logarithms_are_within_a_unit() {
        for x in arguments(1e-150, 1e150).filter(|x| *x > 0.0) {
            assert_within(1.0, "ln", ln, oracle::ln, x);
        }
        for x in (1..4000).map(|k| 0.5 + f64::from(k) / 2000.0) {
            assert_within(1.0, "ln", ln, oracle::ln, x);
        }
        for x in arguments(1e-20, 1e20).filter(|x| *x > -0.999) {
            assert_within(1.0, "ln_1p", ln_1p, oracle::ln_1p, x);
        }
        assert_eq!([ln(1.0), ln_1p(0.0), ln(0.0), ln_1p(-1.0)], [0.0, 0.0, f64::NEG_INFINITY, f64::NEG_INFINITY]);
        assert_eq!([ln(f64::INFINITY), ln(5e-324)], [f64::INFINITY, -744.440_071_921_381_2]);
        assert!([ln(-1.0), ln(f64::NAN), ln_1p(-2.0), ln_1p(f64::NAN)].iter().all(|x| x.is_nan()));
    }

    #[test]
    fn squashing_functions_are_within_two_units() {
        for x in arguments(1e-12, 700.0) {
            assert_within(2.0, "tanh", tanh, oracle::tanh, x);
            assert_within(2.0, "sigmoid", sigmoid, oracle::sigmoid, x);
            assert_within(2.0, "ln_sigmoid", ln_sigmoid, oracle::ln_sigmoid, x);
        }
        assert_eq!([tanh(f64::INFINITY), tanh(f64::NEG_INFINITY), tanh(0.0)], [1.0, -1.0, 0.0]);
        assert_eq!([sigmoid(f64::INFINITY), sigmoid(f64::NEG_INFINITY), sigmoid(0.0)], [1.0, 0.0, 0.5]);
        assert_eq!([ln_sigmoid(f64::INFINITY), ln_sigmoid(f64::NEG_INFINITY)], [0.0, f64::NEG_INFINITY]);
        assert!([tanh(f64::NAN), sigmoid(f64::NAN), ln_sigmoid(f64::NAN)].iter().all(|x| x.is_nan()));
    }

    #[test]
    fn powers_are_close() {
        for (x, exponent, want) in [(2.0, 0.5, core::f64::consts::SQRT_2), (10.0, 2.0, 100.0), (3.0, -1.0, 1.0 / 3.0)] {
            assert!((pow(x, exponent) / want - 1.0).abs() < 1e-14, "{x}^{exponent}");
        }
    }
}

//! Exponentials, logarithms and what is made of them, as sums of two f64: some 95 bits, for results that are to be
//! judged in ULP of f64. They stand apart from the crate's own: a long Taylor series of a very small argument and
//! Newton steps on it, nothing else.

use crate::twofold::Twofold;

const ONE: Twofold = Twofold { high: 1.0, low: 0.0 };

fn from(high: f64) -> Twofold {
    Twofold { high, low: 0.0 }
}

/// `a + b` with its rounding error.
fn two_sum(a: f64, b: f64) -> Twofold {
    let high = a + b;
    let seen = high - a;
    Twofold { high, low: (a - (high - seen)) + (b - seen) }
}

fn add(a: Twofold, b: Twofold) -> Twofold {
    let (high, low) = (two_sum(a.high, b.high), two_sum(a.low, b.low));
    let sum = two_sum(high.high, high.low + low.high);
    two_sum(sum.high, sum.low + low.low)
}

fn multiply(a: Twofold, b: Twofold) -> Twofold {
    let high = a.high * b.high;
    let low = a.high.mul_add(b.high, -high) + (a.high * b.low + a.low * b.high);
    two_sum(high, low)
}

fn divide(a: Twofold, b: Twofold) -> Twofold {
    let first = a.high / b.high;
    let rest = add(a, -multiply(b, from(first)));
    let second = rest.high / b.high;
    let rest = add(rest, -multiply(b, from(second)));
    add(two_sum(first, second), from(rest.high / b.high))
}

/// `e^x − 1` for a small `x`: 24 terms of the Taylor series.
fn small_exp_m1(x: Twofold) -> Twofold {
    let series = (2..=24).rev().fold(ONE, |sum, k| add(ONE, divide(multiply(sum, x), from(f64::from(k)))));
    multiply(series, x)
}

/// `e^x − 1` from that of `x/2^doublings`: each step is `(1 + y)² − 1 = y·(y + 2)`.
fn doubled(x: Twofold, doublings: i32) -> Twofold {
    let small = Twofold { high: x.high * 0.5_f64.powi(doublings), low: x.low * 0.5_f64.powi(doublings) };
    (0..doublings).fold(small_exp_m1(small), |y, _| multiply(y, add(y, from(2.0))))
}

fn twofold_exp(x: Twofold) -> Twofold {
    // Powers of two are taken out so that no step overflows.
    let halvings = (x.high / std::f64::consts::LN_2).round();
    // ln 2 to 107 bits.
    let ln_2 = Twofold { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
    let rest = add(x, -multiply(ln_2, from(halvings)));
    let Twofold { high, low } = add(ONE, doubled(rest, 4));
    let half = (halvings / 2.0).floor();
    let scale = |x: f64| x * half.exp2() * (halvings - half).exp2();
    Twofold { high: scale(high), low: scale(low) }
}

fn twofold_exp_m1(x: Twofold) -> Twofold {
    if x.high.abs() < 0.5 { doubled(x, 2) } else { add(twofold_exp(x), from(-1.0)) }
}

/// `ln(1 + x)` by Newton steps on `e^y − 1 = x`, from a start that std gives.
fn twofold_ln_1p(x: Twofold) -> Twofold {
    let mut y = from(x.high.ln_1p());
    for _ in 0..2 {
        // y + (x − (e^y − 1))/e^y
        let grown = twofold_exp_m1(y);
        y = add(y, divide(add(x, -grown), add(grown, ONE)));
    }
    y
}

/// `e^x`; the second part is lost where the first is below 2^-960.
pub fn exp(x: f64) -> Twofold {
    twofold_exp(from(x))
}

/// `e^x − 1`.
pub fn exp_m1(x: f64) -> Twofold {
    twofold_exp_m1(from(x))
}

/// The natural logarithm of a positive normal number.
pub fn ln(x: f64) -> Twofold {
    // x = m·2^k, so that 1 + (m − 1) is near 1.
    let mut k = x.log2().round();
    let half = (k / 2.0).floor();
    let mut m = x * (-half).exp2() * (half - k).exp2();
    if m == 2.0 {
        (m, k) = (1.0, k + 1.0);
    }
    let ln_2 = Twofold { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
    add(multiply(ln_2, from(k)), twofold_ln_1p(from(m - 1.0)))
}

/// `ln(1 + x)` for `x > −1`.
pub fn ln_1p(x: f64) -> Twofold {
    twofold_ln_1p(from(x))
}

/// The hyperbolic tangent: `(e^2x − 1)/(e^2x + 1)`.
pub fn tanh(x: f64) -> Twofold {
    let grown = twofold_exp_m1(from(-2.0 * x.abs()));
    let size = divide(-grown, add(grown, from(2.0)));
    if x < 0.0 { -size } else { size }
}

/// `1/(1 + e^−x)`.
pub fn sigmoid(x: f64) -> Twofold {
    let small = divide(ONE, add(ONE, twofold_exp(from(x.abs()))));
    if x < 0.0 { small } else { add(ONE, -small) }
}

/// `ln(1/(1 + e^−x))`.
pub fn ln_sigmoid(x: f64) -> Twofold {
    add(from(x.min(0.0)), -twofold_ln_1p(twofold_exp(from(-x.abs()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values to 70 digits, cut into two f64.
    #[test]
    fn values_of_seventy_digits() {
        let want: [(Twofold, f64, f64); 18] = [
            (exp(1.0), std::f64::consts::E, 1.4456468917292502e-16),
            (exp(-30.5), 5.675685232632723e-14, -2.744021414416088e-30),
            (exp(700.25), 1.3022997366991783e304, 7.154767958193286e287),
            (exp_m1(0.5_f64.powi(30)), 9.313225750491594e-10, 1.3463226118906587e-28),
            (exp_m1(-3.0), -0.950212931632136, -8.422032873046665e-18),
            (exp_m1(0.3), 0.3498588075760031, 1.6549155728191776e-17),
            (ln(10.0), std::f64::consts::LN_10, -2.1707562233822494e-16),
            (ln(0.3), -1.2039728043259361, 8.935521583403776e-17),
            (ln(1.0 + 0.5_f64.powi(40)), 9.094947017725146e-13, 2.5077212817525026e-37),
            (ln_1p(1.5 * 0.5_f64.powi(40)), 1.3642420526584618e-12, 8.46355932591181e-37),
            (ln_1p(7.0), 2.0794415416798357, 1.8059370687790465e-16),
            (ln_1p(-0.3), -0.35667494393873234, -2.6895094047056423e-17),
            (tanh(0.3), 0.2913126124515909, -6.4602656586469586e-18),
            (tanh(-4.0), -0.999329299739067, -9.767046099568572e-18),
            (sigmoid(0.3), 0.574442516811659, -4.7456482573436975e-17),
            (sigmoid(-20.0), 2.0611536181902037e-9, -1.573719952885692e-25),
            (ln_sigmoid(20.0), -2.061153620314381e-9, 1.0113320447997458e-25),
            (ln_sigmoid(-20.0), -20.000000002061153, -5.942804456825612e-16),
        ];
        for (i, (got, high, low)) in want.into_iter().enumerate() {
            assert_eq!(got.high, high, "value {i}");
            assert!((got.low - low).abs() <= 1e-27 * high.abs(), "value {i}: {:e} is not {low:e}", got.low);
        }
    }

    #[test]
    fn logarithms_and_exponentials_undo_each_other() {
        for x in [1e-290, 0.75, 1.0, 1.5, 2.0, 3e7, 1e300] {
            let Twofold { high, low } = twofold_exp(ln(x));
            assert!((high - x + low).abs() <= 1e-26 * x, "{x}");
        }
    }
}

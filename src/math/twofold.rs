//! Numbers of two f64: sums, products, quotients, exponentials and logarithms of about 100 bits.

/// `high + low`, where `low` is at most half a unit in the last place of `high`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Twofold {
    high: f64,
    low: f64,
}

const LN_2: Twofold = Twofold { high: core::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };

/// Half a turn.
pub(crate) const PI: Twofold = Twofold { high: core::f64::consts::PI, low: 1.224_646_799_147_353_2e-16 };

impl Twofold {
    /// A number without further digits.
    pub(crate) fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }

    /// The nearest f64.
    pub(crate) fn value(self) -> f64 {
        self.high
    }

    /// `a + b` with its rounding error.
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let b_seen = high - a;
        Self { high, low: (a - (high - b_seen)) + (b - b_seen) }
    }

    /// `a · b` with its rounding error, by splitting both into halves of 26 bits.
    pub(super) fn product(a: f64, b: f64) -> Self {
        let split = |x: f64| {
            let scaled = 134_217_729.0 * x; // 2^27 + 1
            let top = scaled - (scaled - x);
            (top, x - top)
        };
        let ((a1, a0), (b1, b0)) = (split(a), split(b));
        let high = a * b;
        Self { high, low: ((a1 * b1 - high) + a1 * b0 + a0 * b1) + a0 * b0 }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        let sum = Self::sum(self.high, other.high);
        Self::sum(sum.high, sum.low + (self.low + other.low))
    }

    pub(crate) fn times(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }

    pub(crate) fn over(self, other: Self) -> Self {
        let quotient = self.high / other.high;
        let back = other.times(Self::from(quotient));
        let rest = ((self.high - back.high) - back.low) + self.low;
        Self::sum(quotient, rest / other.high)
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        self.plus(other.scaled(-1.0))
    }

    /// The product with a power of two, or another factor that adds no digits.
    fn scaled(self, factor: f64) -> Self {
        Self { high: self.high * factor, low: self.low * factor }
    }

    /// `e^self`; infinity or zero where that lies outside the range of an f64.
    pub(crate) fn exp(self) -> Self {
        if self.high > 709.8 {
            return Self::from(f64::INFINITY);
        }
        if self.high < -745.2 {
            return Self::from(0.0);
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
        sum.scaled(power_of_two(half)).scaled(power_of_two(halvings - half))
    }

    /// The natural logarithm of a positive number.
    pub(crate) fn ln(self) -> Self {
        ln_of(self.high).plus(Self::from(self.low / self.high))
    }
}

/// The nearest whole number.
fn whole(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
    (x + SHIFT) - SHIFT
}

/// `2^exponent` for a whole exponent of normal size.
pub(super) fn power_of_two(exponent: f64) -> f64 {
    f64::from_bits(((exponent as i64 + 1023) as u64) << 52)
}

/// `ln x = k·ln 2 + 2·artanh((m − 1)/(m + 1))` for `x = m·2^k` and `m` near 1.
fn ln_of(x: f64) -> Twofold {
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

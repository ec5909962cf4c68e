//! Frequencies of stretched contexts, one formula a method, as the papers and the reference code write them.
//! It stands apart because its inputs are a base and a width, or frequencies, and never a position.

use std::f64::consts::PI;

/// The plain series `base^(-2j/width)`.
pub fn plain(width: usize, base: f64) -> Vec<f64> {
    (0..width / 2).map(|j| base.powf(-2.0 * j as f64 / width as f64)).collect()
}

/// Each frequency over one factor.
pub fn linear(frequencies: &[f64], factor: f64) -> Vec<f64> {
    frequencies.iter().map(|f| f / factor).collect()
}

/// The series of a base that grew.
pub fn ntk(width: usize, base: f64, factor: f64) -> Vec<f64> {
    plain(width, base * factor.powf(width as f64 / (width as f64 - 2.0)))
}

/// [`ntk`] with a factor that grows with the length: `factor * length/trained - (factor - 1)`, written so that no digits
/// cancel.
pub fn dynamic_ntk(width: usize, base: f64, factor: f64, trained: usize, length: usize) -> Vec<f64> {
    let beyond = length.max(trained) - trained;
    ntk(width, base, factor * beyond as f64 / trained as f64 + 1.0)
}

/// The fixed form of NTK-mixed.
pub fn ntk_fixed(width: usize, base: f64, factor: f64) -> Vec<f64> {
    plain(width, base * factor).iter().map(|f| f / factor.powf(2.0 / width as f64)).collect()
}

/// NTK-mixed with an exponent.
pub fn ntk_mixed(frequencies: &[f64], factor: f64, exponent: f64) -> Vec<f64> {
    let a = factor.ln() / (frequencies.len() as f64).powf(exponent);
    frequencies.iter().enumerate().map(|(j, f)| f / (a * ((j + 1) as f64).powf(exponent)).exp()).collect()
}

/// What YaRN knows of a model, its magnitude aside.
#[derive(Clone, Copy, Debug)]
pub struct Yarn {
    /// How many times longer the context is.
    pub factor: f64,
    /// How long it was.
    pub original: f64,
    /// Turns from which on a pair stays.
    pub beta_fast: f64,
    /// Turns below which it is interpolated.
    pub beta_slow: f64,
    /// Whether the bounds are rounded.
    pub truncate: bool,
}

impl Yarn {
    /// The pairs between which the ramp lies.
    pub fn bounds(self, width: usize, base: f64) -> [f64; 2] {
        let width = width as f64;
        let pair = |turns: f64| width * (self.original / (2.0 * PI * turns)).ln() / (2.0 * base.ln());
        let (mut low, mut high) = (pair(self.beta_fast), pair(self.beta_slow));
        if self.truncate {
            (low, high) = (low.floor(), high.ceil());
        }
        (low, high) = (low.max(0.0), high.min(width - 1.0));
        [low, if low == high { high + 0.001 } else { high }]
    }

    /// The frequencies.
    pub fn frequencies(self, width: usize, base: f64) -> Vec<f64> {
        let [low, high] = self.bounds(width, base);
        let blend = |(j, f): (usize, f64)| {
            let ramp = ((j as f64 - low) / (high - low)).clamp(0.0, 1.0);
            f / self.factor * ramp + f * (1.0 - ramp)
        };
        plain(width, base).into_iter().enumerate().map(blend).collect()
    }
}

/// `g` of YaRN's magnitude, with the coefficient of its logarithm.
pub fn yarn_g(factor: f64, mscale: f64, coefficient: f64) -> f64 {
    if factor <= 1.0 { 1.0 } else { coefficient * mscale * factor.ln() + 1.0 }
}

/// The magnitude of LongRoPE.
pub fn longrope_magnitude(factor: f64, original: f64) -> f64 {
    if factor <= 1.0 { 1.0 } else { (1.0 + factor.ln() / original.ln()).sqrt() }
}

/// The scaling of Llama-3.1, by wavelengths.
pub fn llama3(frequencies: &[f64], factor: f64, low: f64, high: f64, original: f64) -> Vec<f64> {
    let scale = |&f: &f64| {
        let wavelength = 2.0 * PI / f;
        if wavelength < original / high {
            f
        } else if wavelength > original / low {
            f / factor
        } else {
            let kept = (original / wavelength - low) / (high - low);
            (1.0 - kept) * f / factor + kept * f
        }
    };
    frequencies.iter().map(scale).collect()
}

/// Leading pairs of a whole head; the others do not turn.
pub fn proportional(width: usize, base: f64, part: f64, factor: f64) -> Vec<f64> {
    let turning = (part * width as f64 / 2.0).floor();
    let pair = |(j, f): (usize, f64)| if (j as f64) < turning { f / factor } else { 0.0 };
    plain(width, base).into_iter().enumerate().map(pair).collect()
}

/// Each frequency times the exponential of its own learned number.
pub fn learned(frequencies: &[f64], alpha: &[f64]) -> Vec<f64> {
    assert_eq!(frequencies.len(), alpha.len());
    frequencies.iter().zip(alpha).map(|(f, alpha)| f * alpha.exp()).collect()
}

/// Each frequency over its own divisor.
pub fn divided(frequencies: &[f64], divisors: &[f64]) -> Vec<f64> {
    assert_eq!(frequencies.len(), divisors.len());
    frequencies.iter().zip(divisors).map(|(f, divisor)| f / divisor).collect()
}

/// What xPos multiplies the queries of a position by, and divides the keys by: a number for each pair.
pub fn xpos(width: usize, position: i64, centre: i64, scale_base: f64) -> Vec<f64> {
    let width = width as f64;
    let zeta = |j: usize| (2.0 * j as f64 + 0.4 * width) / (1.4 * width);
    (0..width as usize / 2).map(|j| zeta(j).powf((position - centre) as f64 / scale_base)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(got: &[f64], want: &[f64]) {
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= 1e-14 * want.abs(), "got {got}, want {want}");
        }
    }

    #[test]
    fn small_cases_by_hand() {
        assert_close(&plain(4, 1e4), &[1.0, 0.01]);
        assert_close(&linear(&[1.0, 0.01], 4.0), &[0.25, 0.0025]);
        // The exponent is 4/2, so a factor of 10 makes a base of 10^6.
        assert_close(&ntk(4, 1e4, 10.0), &[1.0, 0.001]);
        // 2 · 3 − 1 = 5, squared.
        assert_close(&dynamic_ntk(4, 1e4, 2.0, 10, 30), &[1.0, 0.002]);
        assert_close(&dynamic_ntk(4, 1e4, 2.0, 10, 5), &[1.0, 0.01]);
        // base 4e4 gives 1/200, and both are divided by 4^(1/2).
        assert_close(&ntk_fixed(4, 1e4, 4.0), &[0.5, 0.0025]);
        assert_close(&ntk_mixed(&[1.0, 0.01], 4.0, 1.0), &[0.5, 0.0025]);
        assert_close(&ntk_mixed(&[1.0, 0.01], 16.0, 2.0), &[0.5, 0.01 / 16.0]);
        assert_close(&proportional(8, 1e4, 0.5, 2.0), &[0.5, 0.05, 0.0, 0.0]);
        assert_close(&learned(&[2.0], &[3.0_f64.ln()]), &[6.0]);
        assert_close(&divided(&[2.0], &[4.0]), &[0.5]);
        assert_close(&xpos(2, 5, 3, 2.0), &[0.4 / 1.4]);
    }

    #[test]
    fn yarn_and_llama3_by_hand() {
        // gpt-oss, from its bounds to the digits that are published.
        let yarn = Yarn { factor: 32.0, original: 4096.0, beta_fast: 32.0, beta_slow: 1.0, truncate: false };
        let [low, high] = yarn.bounds(64, 150_000.0);
        assert!((low - 8.0928).abs() < 1e-4 && (high - 17.398).abs() < 1e-3);
        assert_eq!(Yarn { truncate: true, ..yarn }.bounds(64, 150_000.0), [8.0, 18.0]);
        let frequencies = yarn.frequencies(64, 150_000.0);
        let plain = plain(64, 150_000.0);
        assert_close(&frequencies[..9], &plain[..9]);
        assert_close(&frequencies[18..], &linear(&plain[18..], 32.0));
        assert!((yarn_g(40.0, 1.0, 0.1) - 1.368_887_95).abs() < 1e-8);
        assert_eq!(yarn_g(1.0, 5.0, 0.1), 1.0);
        assert!((longrope_magnitude(32.0, 4096.0) - 1.190_238_071_4).abs() < 1e-10);
        // Twice, thrice and once within 2π tokens; bounds of one and three turns.
        assert_close(&llama3(&[4.0, 2.0, 0.5], 10.0, 1.0, 3.0, 2.0 * PI), &[4.0, 0.5 * 2.0 + 0.5 * 0.2, 0.05]);
    }
}

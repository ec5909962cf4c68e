//! Seeded random numbers for initial weights, the same on every machine.

use crate::math;

/// The SplitMix64 generator of Steele, Lea and Flood (2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Uniform in [0, 1), in steps of 2^-53.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Standard normal, by the ratio of uniforms of Kinderman and Monahan (1977); the two quick bounds, which spare
    /// nearly every logarithm, are Leva's (1992).
    pub(crate) fn normal(&mut self) -> f64 {
        loop {
            let u = 1.0 - self.uniform();
            let v = 1.7156 * (self.uniform() - 0.5);
            let x = u - 0.449_871;
            let y = v.abs() + 0.386_595;
            let q = x * x + y * (0.196 * y - 0.254_72 * x);
            if q < 0.275_97 || q <= 0.278_46 && v * v <= -4.0 * math::ln(u) * u * u {
                return v / u;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The first outputs for seed 1234567, as published with the generator.
    #[test]
    fn bits_are_those_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        let want = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423_u64];
        assert_eq!([random.bits(), random.bits(), random.bits()], want);
    }

    #[test]
    fn moments_of_the_normal_distribution() {
        let mut random = Random::new(7);
        let n = 200_000;
        let samples: alloc::vec::Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let moment = |k: i32| samples.iter().map(|x| x.powi(k)).sum::<f64>() / f64::from(n);
        // Five standard errors of each estimate.
        assert!(moment(1).abs() < 0.012, "mean {}", moment(1));
        assert!((moment(2) - 1.0).abs() < 0.016, "variance {}", moment(2));
        assert!(moment(3).abs() < 0.044, "skewness {}", moment(3));
        assert!((moment(4) - 3.0).abs() < 0.11, "kurtosis {}", moment(4));
        assert!(samples.iter().any(|x| x.abs() > 4.0), "the tails are missing");
    }
}

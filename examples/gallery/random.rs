//! Seeded random numbers, so that every run shows the same. The generator is SplitMix64 (Steele, Lea and Flood, 2014).

/// The state of the generator; any number is a good seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Uniform in [-1, 1), in steps of 2^-23.
    pub(crate) fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
    }

    /// So many of them.
    pub(crate) fn vector(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| self.next()).collect()
    }
}

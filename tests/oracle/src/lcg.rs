//! The generator of the inputs that the golden vectors name by seed instead of storing.
//! It stands apart because every golden test needs it and it must not change with any of them.

/// The first `count` values of a seed: multiples of 2^-23 in [-1, 1), in row-major order of the stated shape.
///
/// `u_i = ((i*1103515245 + seed*12345 + 54321) mod 2^32) >> 8` and `x_i = (u_i - 8388608) / 8388608`; every
/// step is exact in f32.
pub fn golden_inputs(seed: u64, count: usize) -> Vec<f32> {
    (0..count as u64)
        .map(|i| {
            let sum = i.wrapping_mul(1_103_515_245).wrapping_add(seed.wrapping_mul(12_345)).wrapping_add(54_321);
            // Wrapping at 2^64 first is harmless: the low 32 bits are kept either way.
            let high_bits = (sum as u32) >> 8;
            (high_bits as i32 - 8_388_608) as f32 / 8_388_608.0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numerators over 2^23, worked out with unbounded integers.
    fn numerators(seed: u64, count: usize) -> Vec<f32> {
        golden_inputs(seed, count).iter().map(|x| x * 8_388_608.0).collect()
    }

    #[test]
    fn first_values_of_three_seeds() {
        assert_eq!(numerators(0, 4), [-8_388_396.0, -4_077_790.0, 232_817.0, 4_543_423.0]);
        assert_eq!(numerators(301, 4), [-8_373_881.0, -4_063_275.0, 247_332.0, 4_557_938.0]);
        assert_eq!(numerators(0xffff_ffff, 2), [-8_388_445.0, -4_077_838.0]);
    }

    #[test]
    fn the_dropped_byte_is_exact() {
        // The 32 bits end in a zero byte here, so an offset smaller by one would show.
        assert_eq!(numerators(301, 179).last(), Some(&3_939_343.0));
    }

    #[test]
    fn long_runs_wrap_at_32_bits() {
        assert_eq!(numerators(301, 1_000_000).last(), Some(&6_857_198.0));
    }

    #[test]
    fn values_fill_the_interval() {
        let values = golden_inputs(1, 1 << 16);
        assert!(values.iter().all(|x| (-1.0..1.0).contains(x)));
        assert!(values.iter().any(|&x| x < -0.999) && values.iter().any(|&x| x > 0.999));
    }

    #[test]
    fn no_values() {
        assert!(golden_inputs(5, 0).is_empty());
    }
}

//! Buckets of distances by their published formulas with logarithms in f64.
//! They stand apart from the crate's thresholds in whole numbers: here every distance asks for its own logarithm.

/// What a logarithm that should be a whole number may have lost: far more than f64 loses, far less than the gap to the
/// next distance.
const NUDGE: f64 = 1e-9;

/// The bucket of T5 for `distance = key - query`.
///
/// # Panics
///
/// If a side has fewer than two buckets, or `max_distance` does not exceed half of them.
pub fn t5(distance: i64, bidirectional: bool, buckets: u32, max_distance: u32) -> u32 {
    let (side, offset, n) = if bidirectional {
        let side = buckets / 2;
        (side, if distance > 0 { side } else { 0 }, distance.unsigned_abs())
    } else {
        (buckets, 0, distance.min(0).unsigned_abs())
    };
    let exact = side / 2;
    assert!(exact > 0 && max_distance > exact, "degenerate buckets");
    if n < u64::from(exact) {
        return offset + n as u32;
    }
    let share = (n as f64 / f64::from(exact)).ln() / (f64::from(max_distance) / f64::from(exact)).ln();
    let step = (share * f64::from(side - exact) + NUDGE).floor();
    offset + (f64::from(exact) + step).min(f64::from(side - 1)) as u32
}

/// The bucket of DeBERTa-v2 for `relative = query - key`, before it is clipped.
///
/// # Panics
///
/// If half the buckets are fewer than two, or `max_position - 1` does not exceed them.
pub fn deberta(relative: i64, buckets: u32, max_position: u32) -> i64 {
    let mid = i64::from(buckets / 2);
    assert!(mid > 1 && i64::from(max_position) - 1 > mid, "degenerate buckets");
    let size = relative.abs();
    if size <= mid {
        return relative;
    }
    let share = (size as f64 / mid as f64).ln() / ((f64::from(max_position) - 1.0) / mid as f64).ln();
    let bucket = (share * (mid - 1) as f64 - NUDGE).ceil() as i64 + mid;
    relative.signum() * bucket
}

/// The column of DeBERTa for `relative = query - key`, from the bucket and the span.
pub fn deberta_column(bucket: i64, span: u32) -> usize {
    (bucket + i64::from(span)).clamp(0, 2 * i64::from(span) - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_worked_out_by_hand() {
        // 32 buckets, largest distance 128: 8, 16, 32 and 64 are powers of two times 8.
        let two_sided = |n: i64| [t5(-n, true, 32, 128), t5(n, true, 32, 128)];
        assert_eq!(two_sided(0), [0, 0]);
        for (n, bucket) in [(7, 7), (8, 8), (11, 8), (12, 9), (16, 10), (32, 12), (64, 14), (127, 15), (9999, 15)] {
            assert_eq!(two_sided(n), [bucket, bucket + 16], "{n}");
        }
        let causal: Vec<u32> = [3, 0, -15, -16, -31, -113, -9999].map(|d| t5(d, false, 32, 128)).to_vec();
        assert_eq!(causal, [0, 0, 15, 16, 21, 31, 31]);
    }

    #[test]
    fn deberta_keeps_small_distances_and_the_sign() {
        assert_eq!([-4, 0, 4].map(|r| deberta(r, 8, 32)), [-4, 0, 4]);
        // mid 4, ratio 31/4: ln(31/4)/ln(31/4) · 3 + 4 = 7 at the largest distance.
        assert_eq!([5, 31, 32, -31].map(|r| deberta(r, 8, 32)), [5, 7, 8, -7]);
        assert_eq!([-9, 0, 9].map(|b| deberta_column(b, 8)), [0, 8, 15]);
    }
}

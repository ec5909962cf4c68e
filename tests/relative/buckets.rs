//! Buckets of any parameters against the oracle's logarithms, near and far.
//! They stand apart from the biases because they are whole numbers and have no tolerance.

use posenc::{DebertaBuckets, DistanceIndex, T5Buckets, T5Form};
use posenc_oracle::buckets;
use proptest::prelude::*;

use crate::tried;

proptest! {
    #![proptest_config(tried(100))]

    #[test]
    fn t5_buckets_are_those_of_the_formula(
        bidirectional in any::<bool>(), count in 4..700_u32, beyond in 1..5000_u32, near in 0..100_000_i64
    ) {
        let (form, side) = match bidirectional {
            true => (T5Form::Bidirectional, count / 2),
            false => (T5Form::Causal, count),
        };
        let max_distance = side / 2 + beyond;
        let made = T5Buckets::new(form, count as usize, max_distance as usize).unwrap();
        prop_assert_eq!(made.columns(), count as usize);
        for distance in (-3000..3000).chain(near..near + 50).chain(-near - 50..-near) {
            let want = buckets::t5(distance, bidirectional, count, max_distance) as usize;
            prop_assert_eq!(made.bucket(distance), want, "distance {}", distance);
            prop_assert_eq!(made.column(distance), Some(want));
        }
    }

    #[test]
    fn deberta_buckets_are_those_of_the_formula(count in 4..700_u32, beyond in 2..5000_u32, far in 0..100_000_i64) {
        let max_position = count / 2 + beyond;
        let made = DebertaBuckets::logarithmic(count as usize, max_position as usize).unwrap();
        prop_assert_eq!((made.span(), made.columns()), (count as usize, 2 * count as usize));
        for relative in (-3000..3000).chain(far..far + 50).chain(-far - 50..-far) {
            let want = buckets::deberta(relative, count, max_position);
            prop_assert_eq!(made.bucket(relative), want, "relative position {}", relative);
            prop_assert_eq!(made.column(-relative), Some(buckets::deberta_column(want, count)));
        }
    }

    #[test]
    fn linear_deberta_positions_are_clipped(span in 1..700_u32, relative in -2000..2000_i64) {
        let made = DebertaBuckets::linear(span as usize).unwrap();
        prop_assert_eq!(made.bucket(relative), relative);
        prop_assert_eq!(made.column(-relative), Some(buckets::deberta_column(relative, span)));
    }
}

/// Where the logarithm is a whole number, it decides between two buckets: these must not depend on its last bit.
#[test]
fn whole_logarithms_begin_their_bucket() {
    // 2·b buckets a side over distances b to b·2^b: bucket b + k begins at b·2^k.
    for exact in [1_i64, 2, 3, 5, 8, 12, 16] {
        let made = T5Buckets::new(T5Form::Causal, 2 * exact as usize, (exact << exact) as usize).unwrap();
        for step in 1..exact {
            let start = exact << step;
            assert_eq!(made.bucket(-start), (exact + step) as usize);
            assert_eq!(made.bucket(1 - start), (exact + step) as usize - 1);
        }
    }
    // Powers of three, and a bound that DeBERTa still counts to the bucket below.
    let made = DebertaBuckets::logarithmic(8, 4 * 27 + 1).unwrap();
    assert_eq!([12, 13, 36, 37, 108, 109].map(|relative| made.bucket(relative)), [5, 6, 6, 7, 7, 8]);
}

#[test]
fn the_largest_parameters_are_made_at_once() {
    for max_distance in [2049, 4096, 1 << 20, 1 << 24, 10_000_019] {
        let made = T5Buckets::new(T5Form::Causal, 4096, max_distance).unwrap();
        assert_eq!(made.bucket(-(max_distance as i64)), 4095);
        assert_eq!(made.bucket(i64::MIN), 4095);
        assert_eq!(made.bucket(i64::MAX), 0);
        let made = DebertaBuckets::logarithmic(4096, max_distance.max(2050)).unwrap();
        assert_eq!(made.bucket(max_distance.max(2050) as i64 - 1), 4095);
        assert_eq!((made.column(i64::MIN), made.column(i64::MAX)), (Some(8191), Some(0)));
        assert!(made.bucket(i64::MIN) < -4095 && made.bucket(i64::MAX) > 4095);
    }
}

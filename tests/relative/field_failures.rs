//! Faults of relative biases that users reported elsewhere, each with its thread.
//! They stand apart because they guard against what has happened, not against what could.

use posenc::{
    Alibi, AlibiRounding, DebertaBuckets, DistanceBias, DistanceIndex, RelativeGather, Side, T5Bias, T5Buckets, T5Form,
};

use crate::random;

// B065: ml-explore/mlx #343 and #3071, huggingface/transformers #28380
#[test]
fn the_plain_series_of_slopes_is_an_option_and_not_the_rule() {
    let plain = Alibi::plain_series(6, 8.0).unwrap();
    for (i, &slope) in plain.slopes().iter().enumerate() {
        let want = 2.0_f64.powf(-8.0 * (i + 1) as f64 / 6.0);
        assert!((f64::from(slope) / want - 1.0).abs() < 1e-7);
    }
    assert!((plain.slopes()[0] - 0.396_85).abs() < 1e-5);
    assert_eq!(Alibi::new(6).unwrap().slopes()[0], 0.25);
}

// B068: NVIDIA/TensorRT-Model-Connect #667; B069: HabanaAI/vllm-fork #503, Dao-AILab/flash-attention #846
#[test]
fn bf16_arithmetic_is_a_mode_of_its_own() {
    let alibi = Alibi::from_slopes(&[0.5]).unwrap();
    let far: Vec<f32> = (4088..=4095).map(|distance| alibi.value(0, -distance)).collect();
    assert!(far.windows(2).all(|pair| pair[0] - pair[1] == 0.5));
    let coarse = alibi.with_rounding(AlibiRounding::Bf16);
    assert!((4088..=4095).all(|distance| coarse.value(0, -distance) == -2048.0));
    // Slope, position and product are rounded, in this order.
    let odd = Alibi::from_slopes(&[0.707_106_77]).unwrap().with_rounding(AlibiRounding::Bf16);
    let to_bf16 = |x: f32| {
        let (down, up) = (f32::from_bits(x.to_bits() & 0xFFFF_0000), f32::from_bits((x.to_bits() | 0xFFFF) + 1));
        if x - down < up - x || x - down == up - x && down.to_bits() >> 16 & 1 == 0 { down } else { up }
    };
    for distance in 1..2000_i64 {
        let want = to_bf16(to_bf16(0.707_106_77) * to_bf16(distance as f32));
        assert_eq!(odd.value(0, -distance), -want, "{distance}");
        assert_eq!(odd.value(0, distance), want, "{distance}");
    }
}

/// The distances at which a bucket begins, and the bucket.
fn starts(buckets: &T5Buckets, sign: i64, most: i64) -> Vec<(i64, usize)> {
    let of = |n: i64| buckets.bucket(sign * n);
    (1..most).filter(|&n| of(n) != of(n - 1)).map(|n| (n, of(n))).collect()
}

// B072: huggingface/candle #727, ml-explore/mlx-examples #113
#[test]
fn buckets_begin_where_the_reference_begins_them() {
    let near = |count: i64, offset: usize| (1..count).map(move |n| (n, n as usize + offset));
    let wide = [(8, 8), (12, 9), (16, 10), (23, 11), (32, 12), (46, 13), (64, 14), (91, 15)];
    let two_sided = T5Buckets::new(T5Form::Bidirectional, 32, 128).unwrap();
    let before: Vec<(i64, usize)> = near(8, 0).chain(wide).collect();
    let after: Vec<(i64, usize)> = near(8, 16).chain(wide.map(|(n, bucket)| (n, bucket + 16))).collect();
    assert_eq!(starts(&two_sided, -1, 10_000), before);
    assert_eq!(starts(&two_sided, 1, 10_000), after);

    let first = [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113];
    let one_sided = T5Buckets::new(T5Form::Causal, 32, 128).unwrap();
    let want: Vec<(i64, usize)> = near(16, 0).chain(first.into_iter().zip(16..)).collect();
    assert_eq!(starts(&one_sided, -1, 10_000), want);
    assert!((0..10_000).all(|n| one_sided.bucket(n) == 0));

    // The whole way, through the add of every level: more than the 8 tokens that would hide it.
    let table: Vec<f32> = (0..32).map(|bucket| bucket as f32).collect();
    let bias = T5Bias::new(two_sided.clone(), &table).unwrap();
    for level in crate::common::levels() {
        let mut scores = vec![0.0_f32; 300 * 300];
        bias.clone().with_level(level).add(&mut scores, [300, 300], 0).unwrap();
        for (i, &bucket) in scores.iter().enumerate() {
            let distance = (i % 300) as i64 - (i / 300) as i64;
            assert_eq!(bucket as usize, two_sided.bucket(distance), "{level}: {distance}");
        }
    }
}

// B074, told without a public thread: the key-side index without the transpose that belongs to it
#[test]
fn the_key_side_has_the_sign_of_the_query_and_the_key() {
    let (tokens, index) = (5, DebertaBuckets::logarithmic(6, 12).unwrap());
    let columns = index.columns();
    // One line of distinct entries, the same for every query or key: nothing is symmetric.
    let line = random(1, columns);
    let added = |side| {
        let mut scores = vec![0.0_f32; tokens * tokens];
        let gather = RelativeGather::new(index.clone(), 1, side).unwrap();
        gather.add(&mut scores, &line.repeat(tokens), [tokens, tokens], 0).unwrap();
        scores
    };
    let (by_query, by_key) = (added(Side::Query), added(Side::Key));
    // With equal lines both sides read the same column: that of query − key.
    assert_eq!(by_query, by_key);
    for query in 0..tokens as i64 {
        for key in 0..tokens as i64 {
            let column = (index.bucket(query - key) + index.span() as i64) as usize;
            assert_eq!(by_key[query as usize * tokens + key as usize], line[column]);
        }
    }
    // Turned around, and with the distances of the opposite sign, the matrix is the transpose.
    let swapped: Vec<f32> = (0..tokens * tokens)
        .map(|i| {
            let distance = (i / tokens) as i64 - (i % tokens) as i64;
            line[index.column(distance).unwrap()]
        })
        .collect();
    for (i, &x) in by_query.iter().enumerate() {
        assert_eq!(x, swapped[i % tokens * tokens + i / tokens]);
    }
}

//! Weights in the order of another pairing, and what must not change by it: the scores.

use posenc::{Error, Frequencies, HeadsMut, PairOrder, Pairing, Positions, Rotary};
use proptest::prelude::*;

use crate::common::levels;
use crate::{PAIRINGS, bits, random, tried, turned};

fn other(pairing: Pairing) -> Pairing {
    if pairing == Pairing::Halves { Pairing::Interleaved } else { Pairing::Halves }
}

/// `weights · x`, row after row, in an order of summation that does not depend on the place of a row.
fn projected(weights: &[f32], x: &[f32]) -> Vec<f32> {
    weights.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(w, x)| w * x).sum()).collect()
}

proptest! {
    #![proptest_config(tried(100))]

    // B013: ggml-org/llama.cpp #3364, huggingface/transformers #31788
    #[test]
    fn permuted_weights_and_the_other_pairing_are_the_same_model(
        heads in 1..5_usize, pairs in 0..12_usize, start in 0..3_usize, end in 0..3_usize, columns in 1..6_usize,
        seed in 0..1000_u64
    ) {
        let width = 2 * pairs;
        let dim = start + width + end;
        if dim == 0 {
            return Ok(());
        }
        let order = PairOrder::new(heads, dim, start..start + width).unwrap();
        let weights = random(seed, heads * dim * columns);
        let (bias, x) = (random(seed + 1, heads * dim), random(seed + 2, columns));
        for pairing in PAIRINGS {
            let mut moved = weights.clone();
            order.permute(&mut moved, columns, pairing, other(pairing)).unwrap();
            let mut moved_bias = vec![f32::NAN; bias.len()];
            order.permute_into(&bias, &mut moved_bias, 1, pairing, other(pairing)).unwrap();

            let head = |weights: &[f32], bias: &[f32]| -> Vec<f32> {
                projected(weights, &x).iter().zip(bias).map(|(y, b)| y + b).collect()
            };
            let frequencies = Frequencies::new(width, 1e4).unwrap();
            for level in levels() {
                let rope = |pairing| Rotary::new(&frequencies, pairing).starting_at(start).with_level(level);
                let shape = [1, 1, heads, dim];
                let mut want = turned(&rope(pairing), &head(&weights, &bias), shape, &Positions::from(17));
                let got = turned(&rope(other(pairing)), &head(&moved, &moved_bias), shape, &Positions::from(17));
                // The turned heads are the same features in the other order, so scores have the same products.
                order.permute(&mut want, 1, pairing, other(pairing)).unwrap();
                assert_eq!(bits(&got), bits(&want), "{level}");
            }
        }
    }

    #[test]
    fn there_and_back_is_the_identity(
        heads in 0..4_usize, pairs in 0..9_usize, start in 0..3_usize, end in 0..3_usize, columns in 0..5_usize
    ) {
        let dim = start + 2 * pairs + end;
        let order = PairOrder::new(heads, dim, start..start + 2 * pairs).unwrap();
        let rows: Vec<usize> = (0..heads * dim * columns).collect();
        for from in PAIRINGS {
            for to in PAIRINGS {
                let mut moved = rows.clone();
                order.permute(&mut moved, columns, from, to).unwrap();
                let mut elsewhere = vec![usize::MAX; rows.len()];
                order.permute_into(&rows, &mut elsewhere, columns, from, to).unwrap();
                assert_eq!(elsewhere, moved);
                order.permute(&mut moved, columns, to, from).unwrap();
                assert_eq!(moved, rows);
            }
        }
    }
}

// B013: ggml-org/llama.cpp #3364, huggingface/transformers #31788
#[test]
fn keys_are_permuted_by_their_own_heads() {
    let (dim, columns) = (64, 3);
    for (queries, keys) in [(32, 4), (64, 8)] {
        let weights: Vec<usize> = (0..keys * dim * columns).collect();
        let order = PairOrder::new(keys, dim, 0..dim).unwrap();
        let mut moved = weights.clone();
        order.permute(&mut moved, columns, Pairing::Halves, Pairing::Interleaved).unwrap();
        assert_eq!(moved[columns..2 * columns], weights[32 * columns..33 * columns]);
        order.permute(&mut moved, columns, Pairing::Interleaved, Pairing::Halves).unwrap();
        assert_eq!(moved, weights);
        // Heads of the queries are refused, and so is any count that only happens to divide.
        for wrong in [queries, keys / 2, 1] {
            let refused = PairOrder::new(wrong, dim, 0..dim).unwrap().permute(
                &mut moved,
                columns,
                Pairing::Halves,
                Pairing::Interleaved,
            );
            let expected = wrong * dim * columns;
            assert_eq!(refused, Err(Error::Length { what: "weights", expected, found: weights.len() }));
            assert_eq!(moved, weights);
        }
    }
    // Rotating neighbours in permuted rows is rotating halves in the rows as they were.
    let x = random(13, 4 * 64);
    let order = PairOrder::new(4, 64, 0..64).unwrap();
    for level in levels() {
        let rope = |pairing| Rotary::new(&Frequencies::new(64, 1e4).unwrap(), pairing).with_level(level);
        let mut a = x.clone();
        order.permute(&mut a, 1, Pairing::Halves, Pairing::Interleaved).unwrap();
        let view = &mut HeadsMut::new(&mut a, [1, 4, 64]).unwrap();
        rope(Pairing::Interleaved).rotate(view, &Positions::from(300)).unwrap();
        let mut b = turned(&rope(Pairing::Halves), &x, [1, 1, 4, 64], &Positions::from(300));
        order.permute(&mut b, 1, Pairing::Halves, Pairing::Interleaved).unwrap();
        assert_eq!(bits(&a), bits(&b), "{level}");
    }
}

#[test]
fn orders_that_do_not_fit_are_refused() {
    let width = |expected, found| Err(Error::Width { expected, found });
    assert_eq!(PairOrder::new(2, 8, 0..10), width(8, 10));
    #[allow(clippy::reversed_empty_ranges, reason = "what a careless caller may write")]
    let backwards = 9..2;
    assert_eq!(PairOrder::new(2, 8, backwards), width(8, 9));
    assert!(matches!(PairOrder::new(2, 8, 0..3), Err(Error::Count { found: 3, .. })));
    let huge = PairOrder::new(usize::MAX, usize::MAX, 0..2).unwrap();
    let mut rows = [1, 2, 3];
    assert!(huge.permute(&mut rows, usize::MAX, Pairing::Halves, Pairing::Interleaved).is_err());
    // Nothing is permuted at once, however wide it is.
    let mut nothing: [u8; 0] = [];
    for (heads, dim, columns) in [(0, usize::MAX, 7), (7, usize::MAX - 1, 0), (7, 0, 7)] {
        let order = PairOrder::new(heads, dim, 0..dim / 2 * 2).unwrap();
        order.permute(&mut nothing, columns, Pairing::Halves, Pairing::Interleaved).unwrap();
        order.permute_into(&[], &mut nothing, columns, Pairing::Halves, Pairing::Interleaved).unwrap();
    }
    let order = PairOrder::new(1, 3, 1..3).unwrap();
    let mut short = [7; 2];
    assert!(order.permute_into(&rows, &mut short, 1, Pairing::Halves, Pairing::Interleaved).is_err());
    assert_eq!((rows, short), ([1, 2, 3], [7; 2]));
}

//! Rotations of what was rotated already: moved keys, undone rotations, gradients, keys cached unrotated.

use posenc::{Axes, Direction, Error, Frequencies, Pairing, Positions, Precision, Rotary, Tables};
use posenc_oracle::tolerance::rotations;
use proptest::prelude::*;

use crate::common::levels;
use crate::{PAIRINGS, assert_near, bits, random, tried, turned};

const DIM: usize = 80;

/// Frequencies of a partial rotation, 32 of 80 features, as they are and as a scaling leaves them, with a magnitude.
fn variants() -> Vec<Frequencies> {
    let plain = Frequencies::new(32, 5e5).unwrap();
    let stretched = plain.as_slice().iter().enumerate().map(|(j, f)| if j < 5 { *f } else { f / 8.0 }).collect();
    let scaled = Frequencies::from_values(stretched).unwrap();
    let magnified = scaled.clone().with_magnitude(1.25).unwrap();
    vec![plain, scaled, magnified]
}

proptest! {
    #![proptest_config(tried(60))]

    // B041: rajveer43/VeloxQuant-MLX #148, ggml-org/llama.cpp #4889
    #[test]
    fn moved_keys_are_keys_of_the_new_position(
        places in proptest::collection::vec((0..100_000_i64, -5000..5000_i64), 1..40), seed in 0..1000_u64
    ) {
        let (ids, deltas): (Vec<i64>, Vec<i64>) = places.iter().copied().unzip();
        let new: Vec<i64> = places.iter().map(|(p, delta)| p + delta).collect();
        let shape = [1, ids.len(), 2, DIM];
        let keys = random(seed, shape.iter().product());
        for frequencies in variants() {
            for pairing in PAIRINGS {
                for direction in [Direction::Forward, Direction::Inverse] {
                    for level in levels() {
                        let rope = Rotary::new(&frequencies, pairing).with_direction(direction).with_level(level);
                        let cached = turned(&rope, &keys, shape, &Positions::ids(&ids));
                        let moving = rope.repositioning().unwrap();
                        let got = turned(&moving, &cached, shape, &Positions::ids(&deltas));
                        let want = turned(&rope, &keys, shape, &Positions::ids(&new));
                        assert_near(&got, &want, pairing, 32, DIM, rotations(3));
                    }
                }
            }
        }
    }

    #[test]
    fn undoing_gives_the_original_back(
        p in -100_000..100_000_i64, magnitude in 0.1..8.0_f32, seed in 0..1000_u64
    ) {
        let frequencies = Frequencies::new(32, 5e5).unwrap().with_magnitude(magnitude.into()).unwrap();
        let shape = [1, 3, 2, DIM];
        let x = random(seed, shape.iter().product());
        for pairing in PAIRINGS {
            for output in PAIRINGS {
                for direction in [Direction::Forward, Direction::Inverse] {
                    let rope = Rotary::new(&frequencies, pairing).with_direction(direction).writing(output);
                    let there = turned(&rope, &x, shape, &Positions::from(p));
                    let back = turned(&rope.undoing().unwrap(), &there, shape, &Positions::from(p));
                    assert_near(&back, &x, pairing, 32, DIM, rotations(2));
                }
            }
        }
    }

    #[test]
    fn the_inverse_direction_is_the_gradient(p in -100_000..100_000_i64, seed in 0..1000_u64) {
        // <R x, y> = <x, Rt y> for all x and y makes Rt the transpose, with the magnitude in it.
        let frequencies = Frequencies::new(DIM, 5e5).unwrap().with_magnitude(1.5).unwrap();
        let (x, y) = (random(seed, DIM), random(seed + 7, DIM));
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
        let size = product(&x, &x).sqrt() * product(&y, &y).sqrt();
        for pairing in PAIRINGS {
            let rope = Rotary::new(&frequencies, pairing);
            let at = Positions::from(p);
            let forward = turned(&rope, &x, [1, 1, 1, DIM], &at);
            let backward = turned(&rope.with_direction(Direction::Inverse), &y, [1, 1, 1, DIM], &at);
            let error = (product(&forward, &y) - product(&x, &backward)).abs();
            // Rounded products on top of the two rotations.
            assert!(error <= 1.5 * rotations(3) * size, "{error:e} of {size}");
        }
    }
}

/// Keys cached as they are and turned when they are used, by their slots: StreamingLLM.
#[test]
fn keys_cached_unrotated_turn_by_their_slots() {
    let (sinks, window, shape) = (4, 12, [1, 16, 2, DIM]);
    let keys = random(61, 60 * 2 * DIM);
    let rope = Rotary::new(&variants()[0], Pairing::Halves);
    // The first tokens and the latest ones are kept.
    let kept: Vec<usize> = (0..sinks).chain(60 - window..60).collect();
    let cache: Vec<f32> = kept.iter().flat_map(|&token| &keys[token * 2 * DIM..][..2 * DIM]).copied().collect();
    let got = turned(&rope, &cache, shape, &Positions::from(0));
    for (slot, &token) in kept.iter().enumerate() {
        let alone = turned(&rope, &keys[token * 2 * DIM..][..2 * DIM], [1, 1, 2, DIM], &Positions::from(slot));
        assert_eq!(bits(&got[slot * 2 * DIM..][..2 * DIM]), bits(&alone));
    }
}

/// DeepSeek-V4 turns the trailing slice of the attention output back at the position of the query.
#[test]
fn outputs_turn_back_at_the_position_of_the_query() {
    let frequencies = Frequencies::new(8, 160_000.0).unwrap();
    let rope = Rotary::new(&frequencies, Pairing::Interleaved).starting_at(DIM - 8);
    let values = random(62, DIM);
    // A value at 40, seen by a query at 100 with all attention on it.
    let cached = turned(&rope, &values, [1, 1, 1, DIM], &Positions::from(40));
    let back = rope.clone().with_direction(Direction::Inverse);
    let output = turned(&back, &cached, [1, 1, 1, DIM], &Positions::from(100));
    let want = turned(&rope, &values, [1, 1, 1, DIM], &Positions::from(-60));
    assert_near(&output[DIM - 8..], &want[DIM - 8..], Pairing::Interleaved, 8, 8, rotations(3));
    assert_eq!(bits(&output[..DIM - 8]), bits(&values[..DIM - 8]));
}

/// B033: huggingface/transformers #27226, #27227 and #25104: keys go from one base to another by way of the raw ones.
#[test]
fn cached_keys_go_from_one_table_to_another() {
    let key = random(63, DIM);
    for pairing in PAIRINGS {
        for level in levels() {
            let rope = |base| Rotary::new(&Frequencies::new(DIM, base).unwrap(), pairing).with_level(level);
            let (old, new) = (rope(1e4), rope(8e4));
            let at = Positions::from(5000);
            let cached = turned(&old, &key, [1, 1, 1, DIM], &at);
            let raw = turned(&old.undoing().unwrap(), &cached, [1, 1, 1, DIM], &at);
            let got = turned(&new, &raw, [1, 1, 1, DIM], &at);
            let want = turned(&new, &key, [1, 1, 1, DIM], &at);
            assert_near(&got, &want, pairing, DIM, DIM, rotations(4));
        }
    }
}

// B059: ggml-org/llama.cpp #4097
#[cfg(feature = "half")]
#[test]
fn many_small_moves_drift_as_the_docs_say() {
    use half::{bf16, f16};
    use posenc::{Element, HeadsMut};

    fn drift<T: Element + Into<f64>>(make: impl Fn(f32) -> T, roundoff: f64) -> f64 {
        let rope = Rotary::new(&Frequencies::new(128, 1e4).unwrap(), Pairing::Halves);
        let moving = rope.repositioning().unwrap();
        let key: Vec<T> = random(59, 128).into_iter().map(make).collect();
        let turn = |key: &mut Vec<T>, rope: &Rotary, p: i64| {
            rope.rotate(&mut HeadsMut::new(key, [1, 1, 128]).unwrap(), &Positions::from(p)).unwrap();
        };
        let (mut once, mut often) = (key.clone(), key);
        turn(&mut once, &rope, 5000);
        turn(&mut often, &rope, 5000);
        turn(&mut once, &moving, -1000);
        (0..1000).for_each(|_| turn(&mut often, &moving, -1));
        let worst = (0..64).map(|j| {
            let at = |x: &[T], i: usize| -> f64 { x[i].into() };
            let error = (at(&often, j) - at(&once, j)).hypot(at(&often, j + 64) - at(&once, j + 64));
            error / at(&once, j).hypot(at(&once, j + 64))
        });
        let worst = worst.fold(0.0, f64::max);
        // Each move rounds both features by half a unit at most.
        assert!(worst <= 1001.0 * 2.0 * roundoff, "{worst}");
        worst
    }

    use posenc_oracle::tolerance::{BF16_ROUNDOFF, F16_ROUNDOFF};
    let single = drift(|x| x, rotations(1));
    let (half, brain) = (drift(f16::from_f32, F16_ROUNDOFF), drift(bf16::from_f32, BF16_ROUNDOFF));
    assert!(single < 1e-4 && single < half && half < brain, "{single:e}, {half:e}, {brain:e}");
}

#[test]
fn handles_without_frequencies_cannot_be_derived_from() {
    let tables = Tables::new(vec![1.0_f32; 4], vec![0.0; 4], 2).unwrap();
    let given = Rotary::from_tables(tables, Pairing::Halves);
    assert!(matches!(given.repositioning(), Err(Error::Count { what: "frequencies", .. })));
    assert!(matches!(given.undoing(), Err(Error::Count { what: "frequencies", .. })));
    let tiny = Frequencies::new(4, 1e4).unwrap().with_magnitude(1e-300).unwrap();
    assert!(matches!(Rotary::new(&tiny, Pairing::Halves).undoing(), Err(Error::Number { .. })));
    // Tables do not follow, axes and precision do.
    let axes = Frequencies::new(4, 1e4).unwrap().on_axes(Axes::alternating(2, 2).unwrap()).unwrap();
    let rope = Rotary::with_precision(&axes, Pairing::Halves, Precision::Single).with_table(10).unwrap();
    let moving = rope.repositioning().unwrap();
    assert!(moving.tables().is_none());
    let x = random(64, 4);
    let got = turned(&moving, &x, [1, 1, 1, 4], &Positions::axes(&[-3, 70_001], 2));
    let want = turned(
        &Rotary::with_precision(&axes, Pairing::Halves, Precision::Single),
        &x,
        [1, 1, 1, 4],
        &Positions::axes(&[-3, 70_001], 2),
    );
    assert_eq!(bits(&got), bits(&want));
}

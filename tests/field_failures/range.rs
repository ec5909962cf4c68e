//! Kind J, continued: the two ends of the range, where position 0 is the identity and far positions cost no more.
//! These stand apart since they look at single places of the range, not at the accuracy of sines and cosines.

use std::hint::black_box;
use std::time::{Duration, Instant};

use posenc::{Frequencies, Level, Order, Positions, Precision, Rotary, Sinusoidal, TableBuilder};

use crate::common::levels;
use crate::support::{PAIRINGS, PRECISIONS, bits, builder, frequencies, random, row, turned};

// B095: numpy/numpy #23925
#[test]
fn row_0_holds_ones_and_positive_zeros() {
    for width in [2, 6, 66, 128] {
        let plain = frequencies(width, 1e4);
        // A negative frequency times 0 does not bring -0, except in single precision, where f32 arithmetic has it so.
        let mirrored = Frequencies::from_values(plain.as_slice().iter().map(|f| -f).collect()).unwrap();
        for (frequencies, precision) in
            [(&plain, Precision::Exact), (&plain, Precision::Single), (&mirrored, Precision::Exact)]
        {
            for level in levels() {
                let (cos, sin) = row(&builder(frequencies, precision, level), 0);
                assert_eq!(bits(&cos), bits(&vec![1.0; width / 2]), "{precision:?}, {level}, width {width}");
                assert_eq!(bits(&sin), bits(&vec![0.0; width / 2]), "{precision:?}, {level}, width {width}");
            }
        }
        for level in levels() {
            let encoding = Sinusoidal::new(width, 1e4).unwrap().with_order(Order::SinCos).with_level(level);
            let want = [vec![0.0; width / 2], vec![1.0; width / 2]].concat();
            assert_eq!(bits(&encoding.table(&Positions::from(0), 1).unwrap()), bits(&want), "{level}, width {width}");
        }
    }
}

/// Rotations by position 0, with and without a table.
fn at_zero(level: Level, head: &[f32]) -> Vec<Vec<f32>> {
    let mut results = vec![];
    for pairing in PAIRINGS {
        for precision in PRECISIONS {
            let rope = Rotary::with_precision(&frequencies(head.len(), 1e4), pairing, precision).with_level(level);
            results.push(turned(&rope, head, 0));
            results.push(turned(&rope.with_table(1).unwrap(), head, 0));
        }
    }
    results
}

// B095: numpy/numpy #23925
#[test]
fn position_0_returns_finite_features_bit_for_bit() {
    let extremes = [f32::MAX, f32::MIN, f32::MIN_POSITIVE, -f32::MIN_POSITIVE, 1.0, -1.0, f32::EPSILON, -1e-30];
    let subnormals = [1, 2, 0x007f_ffff, 0x8000_0001, 0x807f_ffff, 0x0040_0000].map(f32::from_bits);
    // 66 features: more than one vector of every level, and a remainder.
    let random = random(95, 66 - extremes.len() - subnormals.len());
    let head = [&random[..], &extremes, &subnormals].concat();
    assert!(head.iter().all(|&x| x != 0.0), "zeros have a test of their own");
    for level in levels() {
        for got in at_zero(level, &head) {
            assert_eq!(bits(&got), bits(&head), "{level}");
        }
    }
}

// B095: numpy/numpy #23925
#[test]
fn position_0_treats_zeros_infinities_and_nan_as_the_formula_does() {
    for level in levels() {
        for value in [0.0, -0.0] {
            // The sign of a zero is not kept: -0 - 0·s is -0 or +0 as the sign of its partner says.
            let zeros = at_zero(level, &[value; 66]);
            assert!(zeros.iter().flatten().all(|&x| x == 0.0), "{level}");
        }
        for value in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            // Pairs (0, 1) of the adjacent layout and (0, 33) of the halves.
            for (feature, other) in [(0, [1, 33]), (32, [33, 65])] {
                let mut head = [0.5; 66];
                head[feature] = value;
                for (i, got) in at_zero(level, &head).iter().enumerate() {
                    let partner = other[usize::from(i < 4)];
                    assert_eq!(got[feature].is_nan(), value.is_nan(), "{level}");
                    assert!(value.is_nan() || got[feature] == value, "{level}: {value} became {}", got[feature]);
                    // Infinity times the sine 0 is NaN.
                    assert!(got[partner].is_nan(), "{level}: the partner of {value} is {}", got[partner]);
                    assert_eq!(got.iter().filter(|&&x| x != 0.5).count(), 2, "{level}");
                }
            }
        }
    }
}

/// The fastest of many runs, alternating between the positions so that all meet the same disturbances.
fn fastest<const N: usize>(builder: &TableBuilder, positions: [Positions<'_>; N]) -> [Duration; N] {
    let cells = 1000 * builder.pairs();
    let (mut cos, mut sin) = (vec![0.0; cells], vec![0.0; cells]);
    let mut best = [Duration::MAX; N];
    for _ in 0..25 {
        for (best, positions) in best.iter_mut().zip(&positions) {
            let start = Instant::now();
            builder.fill(positions, black_box(&mut cos), black_box(&mut sin)).unwrap();
            *best = start.elapsed().min(*best);
        }
    }
    best
}

// B096: JuliaMath/openlibm #155, dotnet/runtime #104848, numpy/numpy #13368
#[test]
fn a_row_costs_the_same_wherever_it_lies() {
    let mut mixed: Vec<i64> = (0..1000).collect();
    mixed[500] = 1 << 31;
    for precision in [Precision::Exact, Precision::Single] {
        for level in levels() {
            let builder = builder(&frequencies(128, 1e4), precision, level);
            let ranges = [0_i64, 130_000, 1_000_000, (1 << 31) - 1000].map(Positions::from);
            let [near, rest @ ..] =
                fastest(&builder, [ranges[0], ranges[1], ranges[2], ranges[3], Positions::ids(&mixed)]);
            for far in rest {
                // The fault was a factor of 7.5; the noise of the fastest of many runs stays far below 3.
                assert!(far < 3 * near, "{precision:?}, {level}: {far:?} after {near:?}");
            }
        }
    }
}

//! Cosines and sines of fractions and of sums, cell by cell, at every level.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::fmt::Debug;

use posenc::{Axes, Element, Frequencies, HeadsMut, Level, Pairing, Positions, Precision, Rotary, TableBuilder};
use posenc_oracle::angle::{CosSin, sincos_f32_arg, sincos_sum};
use posenc_oracle::tolerance::{
    DOUBLE_ULP, EXACT_ULP, F32_ROUNDOFF, ORACLE_RELATIVE, SUM_ABSOLUTE, SUM_ANGLE, SUM_SMALLEST,
};
use posenc_oracle::ulp::{ulp_error, ulp_error_f64};

use crate::common::levels;

/// `count` numbers of every size up to `2^octaves`, with all their digits, signs alternating.
fn fractions(octaves: i32, count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count)
        .map(|i| {
            let size = 2_f64.powi((next() * f64::from(octaves + 12)) as i32 - 12) * (0.5 + 0.5 * next());
            if i % 2 == 0 { size } else { -size }
        })
        .collect()
}

/// Rows at one level.
fn rows_at(level: Level, frequencies: &Frequencies, positions: &Positions<'_>, count: usize) -> [Vec<f32>; 2] {
    let cells = count * frequencies.pairs();
    let (mut cos, mut sin) = (vec![f32::NAN; cells], vec![f32::NAN; cells]);
    let builder = TableBuilder::new(frequencies, Precision::Exact).with_level(level);
    builder.fill(positions, &mut cos, &mut sin).unwrap();
    [cos, sin]
}

/// Rows, the same at all levels.
fn rows(frequencies: &Frequencies, positions: &Positions<'_>, count: usize) -> [Vec<f32>; 2] {
    let rows = rows_at(Level::detect(), frequencies, positions, count);
    for level in levels() {
        assert_eq!(rows_at(level, frequencies, positions, count), rows, "{level}");
    }
    rows
}

/// The products that make the angle of a token and a pair.
type Products<'a> = &'a dyn Fn(usize, usize) -> Vec<(f64, f64)>;

/// Checks all cells against the exact sums, in f32 and in f64; tells the worst error in ULP of f32.
fn assert_exact(frequencies: &Frequencies, positions: &Positions<'_>, count: usize, products: Products<'_>) -> f64 {
    let [cos, sin] = rows(frequencies, positions, count);
    let pairs = frequencies.pairs();
    let (mut wide_cos, mut wide_sin) = (vec![0.0; cos.len()], vec![0.0; cos.len()]);
    let builder = TableBuilder::new(frequencies, Precision::Exact);
    builder.fill::<f64>(positions, &mut wide_cos, &mut wide_sin).unwrap();
    let mut worst = 0.0_f64;
    for cell in 0..cos.len() {
        let products = products(cell / pairs, cell % pairs);
        let CosSin { cos: true_cos, sin: true_sin } = sincos_sum(&products);
        let angle: f64 = products.iter().map(|(p, f)| (p * f).abs()).sum();
        for (got, wide, want) in [(cos[cell], wide_cos[cell], true_cos), (sin[cell], wide_sin[cell], true_sin)] {
            let what = || format!("{products:?}: {got:e} and {wide:e}, not {want:e}");
            assert!(got.abs() <= 1.0, "{}", what());
            assert!((wide - want).abs() <= SUM_ABSOLUTE + 2.0 * ORACLE_RELATIVE * want.abs(), "{}", what());
            if angle < SUM_ANGLE && want.abs() > SUM_SMALLEST {
                worst = worst.max(ulp_error(got, want));
                assert!(ulp_error(got, want) <= EXACT_ULP, "{}", what());
            } else {
                let error = (f64::from(got) - want).abs();
                assert!(error <= SUM_ABSOLUTE + F32_ROUNDOFF * want.abs(), "{}", what());
            }
            if angle < SUM_ANGLE && want.abs() > 1e-6 {
                let allowed = DOUBLE_ULP + ORACLE_RELATIVE / f64::EPSILON;
                assert!(ulp_error_f64(wide, want, 0.0) <= allowed, "{}", what());
            }
        }
    }
    worst
}

/// Frequencies of models, of vision models in whole turns, and beyond.
fn models() -> Vec<Frequencies> {
    let new = |width, base| Frequencies::new(width, base).unwrap();
    let turns = new(64, 100.0).as_slice().iter().map(|f| TAU * f).collect();
    let fast = (0..37).map(|j| 2_f64.powf(20.0 - f64::from(j)) * if j % 2 == 0 { 1.0 } else { -1.0 }).collect();
    vec![new(128, 1e4), new(66, 5e5), Frequencies::from_values(turns).unwrap(), Frequencies::from_values(fast).unwrap()]
}

#[test]
fn fractions_are_within_the_contract() {
    let mut worst = 0.0_f64;
    for frequencies in models() {
        let values = frequencies.as_slice();
        let positions = fractions(31, 600, 1);
        let products = |token: usize, pair: usize| vec![(positions[token], values[pair])];
        worst = worst.max(assert_exact(&frequencies, &Positions::fractions(&positions), positions.len(), &products));
        let single: Vec<f32> = fractions(20, 600, 2).iter().map(|&p| p as f32).collect();
        let products = |token: usize, pair: usize| vec![(f64::from(single[token]), values[pair])];
        worst = worst.max(assert_exact(&frequencies, &Positions::fractions(&single), single.len(), &products));
    }
    // Roundings fill the half unit.
    assert!(worst > 0.4999, "{worst}");
}

#[test]
fn fractions_next_to_quarter_turns_are_within_the_contract() {
    let mut small = 0;
    for frequencies in models() {
        let values = frequencies.as_slice();
        // The f64 that comes nearest to a multiple of a quarter turn, for each frequency on its own.
        for (j, &frequency) in values.iter().enumerate() {
            let nearest = |k: u32| f64::from(k) * FRAC_PI_2 / frequency;
            let positions: Vec<f64> =
                (0..22).map(|octave| nearest((1 << octave) + 3 * j as u32)).filter(|p| p.abs() < 1e9).collect();
            let products = |token: usize, pair: usize| vec![(positions[token], values[pair])];
            assert_exact(&frequencies, &Positions::fractions(&positions), positions.len(), &products);
            for &position in &positions {
                let CosSin { cos, sin } = sincos_sum(&[(position, frequency)]);
                small += u32::from(cos.abs().min(sin.abs()) < 1e-9);
            }
        }
    }
    assert!(small > 2000, "{small}");
}

#[test]
fn sums_over_axes_are_within_the_contract() {
    for axes in [2, 3, 8] {
        let pairs = 19;
        let values: Vec<f64> = fractions(3, axes * pairs, 3);
        let frequencies = Frequencies::mixed(values.clone(), axes).unwrap();
        for octaves in [1, 10, 24, 31] {
            let coordinates = fractions(octaves, axes * 200, 4);
            let products = |token: usize, pair: usize| {
                (0..axes).map(|axis| (coordinates[axis * 200 + token], values[axis * pairs + pair])).collect()
            };
            assert_exact(&frequencies, &Positions::axes(&coordinates, axes), 200, &products);
            let whole: Vec<i32> = coordinates.iter().map(|&x| x as i32).collect();
            let products = |token: usize, pair: usize| {
                (0..axes).map(|axis| (f64::from(whole[axis * 200 + token]), values[axis * pairs + pair])).collect()
            };
            assert_exact(&frequencies, &Positions::axes(&whole, axes), 200, &products);
        }
    }
}

/// A pair that reads one axis has the bits that it has without the others, whole or not.
#[test]
fn each_axis_alone_has_the_same_bits() {
    for (pairs, count) in [(1, 1), (8, 3), (19, 3), (64, 4)] {
        let of_pairs: Vec<usize> = (0..pairs).map(|j| (j * 7 + j / 3) % count).collect();
        let plain = Frequencies::new(2 * pairs, 1e4).unwrap();
        let frequencies = plain.clone().on_axes(Axes::new(count, &of_pairs).unwrap()).unwrap();
        let whole: Vec<i64> = fractions(31, count * 70, 5).iter().map(|&x| x as i64).collect();
        let halves: Vec<f64> = whole.iter().map(|&p| p as f64 / 2.0).collect();
        let by_whole = rows(&frequencies, &Positions::axes(&whole, count), 70);
        let by_halves = rows(&frequencies, &Positions::axes(&halves, count), 70);
        for axis in 0..count {
            let ids = &whole[axis * 70..][..70];
            let alone = rows(&plain, &Positions::ids(ids), 70);
            let alone_halves = rows(&plain, &Positions::fractions(&halves[axis * 70..][..70]), 70);
            for cell in (0..70 * pairs).filter(|cell| of_pairs[cell % pairs] == axis) {
                for table in 0..2 {
                    assert_eq!(by_whole[table][cell].to_bits(), alone[table][cell].to_bits());
                    // A token with one fraction takes the long way on all axes, and ends at the same value.
                    let difference = ulp_error(by_halves[table][cell], alone_halves[table][cell].into());
                    assert!(difference <= 1.0, "{difference}");
                }
            }
        }
    }
}

/// The same for the other element types, rotated in place.
#[test]
fn each_axis_alone_has_the_same_bits_in_every_type() {
    fn check<T: Element + PartialEq + Debug>(convert: impl Fn(f32) -> T) {
        let (pairs, tokens) = (19, 40);
        let of_pairs: Vec<usize> = (0..pairs).map(|j| j * 7 % 3).collect();
        let plain = Frequencies::new(2 * pairs, 1e4).unwrap();
        let frequencies = plain.clone().on_axes(Axes::new(3, &of_pairs).unwrap()).unwrap();
        let ids: Vec<i64> = fractions(31, 3 * tokens, 9).iter().map(|&x| x as i64).collect();
        let x: Vec<T> = crate::random(41, tokens * 2 * pairs).into_iter().map(convert).collect();
        for level in levels() {
            let turned = |frequencies: &Frequencies, positions: &Positions<'_>| {
                let mut x = x.clone();
                let rope = Rotary::new(frequencies, Pairing::Halves).with_level(level);
                rope.rotate(&mut HeadsMut::new(&mut x, [tokens, 1, 2 * pairs]).unwrap(), positions).unwrap();
                x
            };
            let got = turned(&frequencies, &Positions::axes(&ids, 3));
            for axis in 0..3 {
                let want = turned(&plain, &Positions::ids(&ids[axis * tokens..][..tokens]));
                for i in (0..got.len()).filter(|i| of_pairs[i % pairs] == axis) {
                    assert_eq!(got[i], want[i], "{level}, feature {i}");
                }
            }
        }
    }
    check::<f32>(|x| x);
    check::<f64>(f64::from);
    #[cfg(feature = "half")]
    check(half::f16::from_f32);
    #[cfg(feature = "half")]
    check(half::bf16::from_f32);
}

/// Whole numbers in a list of fractions are those numbers, token by token.
#[test]
fn whole_fractions_have_the_bits_of_ids() {
    let frequencies = Frequencies::new(38, 1e4).unwrap();
    let ids: Vec<i64> = fractions(31, 200, 6).iter().map(|&x| x as i64).collect();
    let mut list: Vec<f64> = ids.iter().map(|&id| id as f64).collect();
    let want = rows(&frequencies, &Positions::ids(&ids), 200);
    assert_eq!(rows(&frequencies, &Positions::fractions(&list), 200), want);
    // Fractions between them change their own rows alone.
    for i in (0..200).step_by(3) {
        list[i] += 0.25;
    }
    let got = rows(&frequencies, &Positions::fractions(&list), 200);
    for (cell, (got, want)) in got[0].iter().zip(&want[0]).enumerate() {
        assert!(cell / 19 % 3 == 0 || got.to_bits() == want.to_bits(), "cell {cell}");
    }
}

#[test]
fn position_zero_is_the_identity() {
    let zeros = |values: [f32; 2]| assert_eq!(values.map(f32::to_bits), [1.0_f32.to_bits(), 0]);
    let frequencies = Frequencies::mixed(vec![1.0, -2.0, 7.5, 0.0], 2).unwrap();
    // The fraction keeps the call on the long way.
    for list in [[0.0, 0.5, 0.0, 0.5], [-0.0, 0.5, -0.0, 0.5], [0.0, 0.5, -0.0, 0.5]] {
        let [cos, sin] = rows(&frequencies, &Positions::axes(&list, 2), 2);
        zeros([cos[0], sin[0]]);
        zeros([cos[1], sin[1]]);
    }
}

#[test]
fn single_precision_rounds_products_and_sums() {
    let values: Vec<f64> = fractions(2, 3 * 11, 7);
    let frequencies = Frequencies::mixed(values.clone(), 3).unwrap();
    let coordinates = fractions(12, 3 * 50, 8);
    let (mut cos, mut sin) = (vec![0.0_f32; 550], vec![0.0_f32; 550]);
    for level in levels() {
        let builder = TableBuilder::new(&frequencies, Precision::Single).with_level(level);
        builder.fill(&Positions::axes(&coordinates, 3), &mut cos, &mut sin).unwrap();
        for cell in 0..550 {
            let product =
                |axis: usize| coordinates[axis * 50 + cell / 11] as f32 * values[axis * 11 + cell % 11] as f32;
            let truth = sincos_f32_arg((product(0) + product(1)) + product(2));
            assert!(ulp_error(cos[cell], truth.cos) <= EXACT_ULP, "{level}, cell {cell}");
            assert!(ulp_error(sin[cell], truth.sin) <= EXACT_ULP, "{level}, cell {cell}");
        }
    }
}

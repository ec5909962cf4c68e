//! Table cells of 16 bits: each is the true value, rounded once.
//! They stand apart because one rounding is a promise about every single cell, which only an oracle can check.

use half::{bf16, f16};
use posenc::{Frequencies, Positions, Precision, TableBuilder};
use posenc_oracle::twofold::{TwofoldPoint, sincos};

use super::common::levels;
use super::kinds::{Half, Kind, assert_same, guards};
use super::laws::case::mixed;
use super::rounding::rounded_once;

/// Cosines and sines of every position, at every level, against the oracle.
fn cells_are_true<K: Half>(frequencies: &Frequencies, positions: &[i64]) {
    let magnitude = frequencies.magnitude();
    let true_rows = positions.iter().flat_map(|&p| frequencies.as_slice().iter().map(move |&f| sincos(p, f)));
    let (cos, sin): (Vec<K>, Vec<K>) = true_rows
        .map(|TwofoldPoint { cos, sin }| {
            let (cos, sin) = (cos.times(magnitude), sin.times(magnitude));
            (rounded_once::<K>(cos.high, cos.low), rounded_once::<K>(sin.high, sin.low))
        })
        .unzip();
    for level in levels() {
        let builder = TableBuilder::new(frequencies, Precision::Exact).with_level(level);
        let (mut got_cos, mut got_sin) = (guards::<K>(cos.len()), guards::<K>(sin.len()));
        builder.fill(&Positions::ids(positions), &mut got_cos, &mut got_sin).expect("positions that are served");
        let what = |kind| format!("{level}: {kind} of {}, magnitude {magnitude}, positions {positions:?}", K::TYPE);
        assert_same(&got_cos, &cos, what("cosines"));
        assert_same(&got_sin, &sin, what("sines"));
    }
}

/// Positions near and far, of both signs.
fn positions(count: u64) -> Vec<i64> {
    let far = (0..count).map(|i| (mixed(i) % (1 << 25)) as i64 - (1 << 24));
    (0..40).chain(far).collect()
}

fn tables_of_models<K: Half>() {
    for (width, base) in [(128, 1e4), (66, 5e5), (32, 1e7)] {
        for magnitude in [1.0, 1.208, 0.0625, 3.0e-4] {
            let frequencies = Frequencies::new(width, base).expect("a good base");
            let frequencies = frequencies.with_magnitude(magnitude).expect("a good magnitude");
            for some in positions(200).chunks(40) {
                cells_are_true::<K>(&frequencies, some);
            }
        }
    }
}

#[test]
fn f16_cells_are_the_true_values_rounded_once() {
    tables_of_models::<f16>();
}

#[test]
fn bf16_cells_are_the_true_values_rounded_once() {
    tables_of_models::<bf16>();
}

/// Sines of angles from 2^-32 up: subnormals of f16, and below them zeros that keep their sign.
#[test]
fn cells_of_tiny_angles_keep_their_last_digit_and_their_sign() {
    let values = (0..130).map(|i| 2_f64.powf(f64::from(i) * -0.25 - 0.1)).collect();
    let frequencies = Frequencies::from_values(values).expect("good frequencies");
    for magnitude in [1.0, 1.3, 2_f64.powi(-120)] {
        let frequencies = frequencies.clone().with_magnitude(magnitude).expect("a good magnitude");
        cells_are_true::<f16>(&frequencies, &[1, -1, 3, -3, 7, 1025, -4095]);
        cells_are_true::<bf16>(&frequencies, &[1, -1, 3, -3, 7, 1025, -4095]);
    }
}

/// The first cell of a report: with the angle formed in 16 bits, its cosine was -0.408.
#[test]
fn the_cell_that_a_16_bit_angle_gets_wrong_is_right() {
    let frequencies = Frequencies::new(32, 10_000.0).expect("a good base");
    let want = f16::from_f32_const(0.306_692_8);
    for level in levels() {
        let tables = TableBuilder::new(&frequencies, Precision::Exact).with_level(level).build_as::<f16>(1858);
        assert_same(&tables.expect("it fits").row(1857).expect("the last row").0[1..2], &[want], level);
    }
}

/// A counter in bf16 cannot tell 256 from 257, and one in f16 ends at 65 504.
#[test]
fn positions_are_never_held_in_16_bits() {
    let frequencies = Frequencies::new(128, 10_000.0).expect("a good base");
    for level in levels() {
        let builder = TableBuilder::new(&frequencies, Precision::Exact).with_level(level);
        let tables = builder.build_as::<bf16>(4096).expect("it fits");
        let mut rows: Vec<Vec<u64>> = (0..4096)
            .map(|p| {
                tables
                    .row(p)
                    .expect("a row")
                    .0
                    .iter()
                    .chain(tables.row(p).expect("a row").1)
                    .map(|x| x.bits())
                    .collect()
            })
            .collect();
        assert_ne!(rows[256][0], rows[257][0]);
        rows.sort();
        rows.dedup();
        assert_eq!(rows.len(), 4096, "{level}: rows that are alike");
        let tables = builder.build_as::<f16>(70_000).expect("it fits");
        assert!(tables.cos().iter().chain(tables.sin()).all(|x| x.is_finite()), "{level}");
    }
}

/// Factors so large that cells overflow: infinite with the right sign, never NaN.
#[test]
fn cells_beyond_the_range_are_infinite() {
    let frequencies = Frequencies::from_values(vec![1.0, 0.5, 1e-3]).expect("good frequencies");
    for magnitude in [7e4, 1e39, 1e200] {
        let frequencies = frequencies.clone().with_magnitude(magnitude).expect("a good magnitude");
        cells_are_true::<f16>(&frequencies, &[0, 1, -2, 5]);
        cells_are_true::<bf16>(&frequencies, &[0, 1, -2, 5]);
    }
}

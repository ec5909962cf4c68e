//! Tables of f64: within one unit in the last place of the true value, by an oracle with twice the digits.
//! They stand apart because f64 is what other tables are only computed in, and std is no judge of it.

use std::f64::consts::FRAC_PI_2;

use posenc::{Frequencies, Positions, Precision, TableBuilder};
use posenc_oracle::tolerance::{DOUBLE_ANGLE, DOUBLE_ULP, EXACT_ULP};
use posenc_oracle::twofold::{Twofold, sincos};
use posenc_oracle::ulp::{spacing_f64, ulp_error, ulp_error_f64};

use super::common::levels;
use super::heads::{for_every_kind, scalar};
use super::kinds::{Kind, assert_same, guards};
use super::laws::case::{Turn, mixed};

/// Below this in magnitude a cosine or a sine is counted as next to a zero crossing, if its angle is not small itself.
const CROSSING: f64 = 1e-6;

/// How many cells were seen, and how many of them next to a zero crossing.
#[derive(Debug, Default)]
struct Seen {
    cells: usize,
    crossings: usize,
}

impl Seen {
    fn see(&mut self, got: f64, truth: Twofold, angle: f64, what: impl std::fmt::Display) {
        self.cells += 1;
        self.crossings += usize::from(truth.high.abs() < CROSSING && angle.abs() > 1.0);
        let error = ulp_error_f64(got, truth.high, truth.low);
        let allowed = DOUBLE_ULP + DOUBLE_ANGLE * angle.abs() / spacing_f64(truth.high);
        assert!(error <= allowed, "{what}: {got:e} is {error} ULP off {:e}", truth.high);
    }

    /// Sees all cells of some positions at the plainest level, after all levels were found to have its bits.
    fn see_rows(&mut self, frequencies: &Frequencies, positions: &[i64]) {
        let rows = |level| {
            let cells = positions.len() * frequencies.pairs();
            let (mut cos, mut sin) = (guards::<f64>(cells), guards::<f64>(cells));
            let builder = TableBuilder::new(frequencies, Precision::Exact).with_level(level);
            builder.fill(&Positions::ids(positions), &mut cos, &mut sin).expect("positions that are served");
            (cos, sin)
        };
        let (cos, sin) = rows(scalar());
        for level in levels() {
            let (level_cos, level_sin) = rows(level);
            assert_same(&level_cos, &cos, format_args!("{level}: cosines"));
            assert_same(&level_sin, &sin, format_args!("{level}: sines"));
        }
        let cells = positions.iter().flat_map(|&p| frequencies.as_slice().iter().map(move |&f| (p, f)));
        for ((p, f), (cos, sin)) in cells.zip(cos.into_iter().zip(sin)) {
            let truth = sincos(p, f);
            self.see(cos, truth.cos, p as f64 * f, format_args!("cosine of {p} * {f:e}"));
            self.see(sin, truth.sin, p as f64 * f, format_args!("sine of {p} * {f:e}"));
        }
    }
}

#[test]
fn f64_cells_are_within_one_unit_of_the_true_value() {
    let mut seen = Seen::default();
    for (width, base) in [(128, 1e4), (128, 5e5), (66, 1e6), (64, 100.0)] {
        let frequencies = Frequencies::new(width, base).expect("a good base");
        let far = (0..500).map(|i| (mixed(i) % (1 << 25)) as i64 - (1 << 24) + 1);
        let positions: Vec<i64> = (0..300).chain(far).collect();
        seen.see_rows(&frequencies, &positions);
    }
    assert!(seen.cells > 300_000, "{seen:?}");
}

/// Frequencies made for one position each, so that the angle is as near to a quarter turn as an f64 allows.
#[test]
fn f64_cells_next_to_zero_crossings_are_as_good() {
    let mut seen = Seen::default();
    for i in 0..400 {
        let position = (mixed(i) % ((1 << 24) - 1)) as i64 + 1;
        let frequency = |k| {
            let quarters = (mixed(k + 100 * i) % (2_u64 << (k % 24))) as f64 + 1.0;
            quarters * FRAC_PI_2 / position as f64
        };
        let frequencies = Frequencies::from_values((0..33).map(frequency).collect()).expect("good frequencies");
        seen.see_rows(&frequencies, &[position, -position]);
    }
    assert!(seen.crossings > 20_000, "{seen:?}");
}

/// From angles that are their own sines on, through the place where the polynomials change roles.
#[test]
fn f64_cells_of_small_angles_are_as_good() {
    let mut seen = Seen::default();
    let values = (0..4096).map(|i| 2_f64.powf(f64::from(i) * -0.01 + 0.5)).collect();
    let frequencies = Frequencies::from_values(values).expect("good frequencies");
    seen.see_rows(&frequencies, &[1, -1, 2, 3, -5, 7]);
    // The octant's end: half a quarter turn, and its neighbours.
    let values = (0..2000).map(|i| f64::from_bits((FRAC_PI_2 / 2.0).to_bits() - 1000 + i)).collect();
    seen.see_rows(&Frequencies::from_values(values).expect("good frequencies"), &[1, -1, 3, 5]);
    assert_eq!(seen.crossings, 0, "{seen:?}");
}

/// The magnitude is one product more, with one rounding more.
#[test]
fn a_magnitude_multiplies_f64_cells() {
    let plain = Frequencies::new(66, 10_000.0).expect("a good base");
    let scaled = plain.clone().with_magnitude(1.208).expect("a good magnitude");
    let (plain, scaled) = (TableBuilder::new(&plain, Precision::Exact), TableBuilder::new(&scaled, Precision::Exact));
    let plain = plain.with_level(scalar()).build_as::<f64>(100).expect("it fits");
    let times = |cells: &[f64]| cells.iter().map(|x| x * 1.208).collect::<Vec<_>>();
    for level in levels() {
        let scaled = scaled.clone().with_level(level).build_as::<f64>(100).expect("it fits");
        assert_same(scaled.cos(), &times(plain.cos()), level);
        assert_same(scaled.sin(), &times(plain.sin()), level);
    }
}

/// Two ways to the same number: an f32 cell is the f64 cell, rounded, but for the rarest of ties.
#[test]
fn f64_cells_round_to_f32_cells() {
    let builder = TableBuilder::new(&Frequencies::new(128, 10_000.0).expect("a good base"), Precision::Exact);
    let (single, double) = (builder.build(2000).expect("it fits"), builder.build_as::<f64>(2000).expect("it fits"));
    for (&single, &double) in single.cos().iter().chain(single.sin()).zip(double.cos().iter().chain(double.sin())) {
        assert!(ulp_error(single, double) <= EXACT_ULP, "{single:e} for {double:e}");
    }
}

fn parts_are_the_whole<K: Kind>() {
    for pairs in [1, 3, 33, 64] {
        let frequencies = Turn::plain(pairs, posenc::Pairing::Halves).frequencies();
        let whole = TableBuilder::new(&frequencies, Precision::Exact).with_level(scalar());
        let whole = whole.build_as::<K>(100).expect("it fits");
        for level in levels() {
            let builder = TableBuilder::new(&frequencies, Precision::Exact).with_level(level);
            for (first, count) in [(0, 100), (0, 1), (1, 31), (32, 33), (67, 33), (99, 1)] {
                let (mut cos, mut sin) = (guards::<K>(count * pairs), guards::<K>(count * pairs));
                builder.fill(&Positions::from(first), &mut cos, &mut sin).expect("positions that are served");
                let cells = first * pairs..(first + count) * pairs;
                let what = format_args!("{level}: {count} rows of {} from {first} on", K::TYPE);
                assert_same(&cos, &whole.cos()[cells.clone()], format_args!("cosines, {what}"));
                assert_same(&sin, &whole.sin()[cells], format_args!("sines, {what}"));
            }
        }
    }
}

#[test]
fn parts_of_a_table_of_any_type_are_the_table() {
    for_every_kind!(parts_are_the_whole());
}

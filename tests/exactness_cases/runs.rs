//! Rows of positions that follow each other are made together; each must have the bits that it has alone.
//! They stand apart because nothing but rows alone tells what is right here.

use half::{bf16, f16};
use posenc::{Element, Frequencies, Level, Positions, Precision, TableBuilder};
use posenc_oracle::angle::sincos;
use posenc_oracle::tolerance::NEAREST_ULP;
use posenc_oracle::ulp::ulp_error;
use proptest::prelude::*;

use crate::{Rows, common};

/// Frequencies of models, and such as are small, none, near whole turns, or near a turn divided by a few.
fn sets() -> Vec<Frequencies> {
    let turn = std::f64::consts::TAU;
    let odd: Vec<f64> = (1..=16)
        .flat_map(|n| [turn / f64::from(n), turn / f64::from(n) + 1e-9, turn - 1e-3 / f64::from(n)])
        .chain([0.0, -0.1, 1e-5, -3e-6, 1e-30, 0.004, 100.0])
        .collect();
    let proportional = (0..64).map(|j| if j < 16 { 1e6_f64.powf(-f64::from(j) / 64.0) } else { 0.0 }).collect();
    vec![
        Frequencies::new(256, 10_000.0).unwrap(),
        Frequencies::new(128, 1e7).unwrap(),
        Frequencies::new(2 * 131, 500_000.0).unwrap(),
        Frequencies::from_values(odd).unwrap(),
        Frequencies::from_values(proportional).unwrap(),
        // So slow that sines are no normal f32: no sums are used.
        Frequencies::from_values(vec![1.0, 1e-40, 0.3]).unwrap(),
    ]
}

/// Beginnings: next to 0, where small angles differ much; where runs begin; far away; at the ends.
const STARTS: [i64; 9] = [0, 1, -40, 16, 17, 1570, 1 << 20, (1 << 31) - 200, -(1 << 31)];

/// Counts of rows: none, too few, odd and even ones, more than one run.
const COUNTS: [usize; 9] = [0, 1, 4, 5, 6, 31, 32, 33, 100];

fn assert_as_alone<T: Element + Into<f64>>(builder: &TableBuilder, positions: &[i64], zero: T) {
    let pairs = builder.pairs();
    let fill = |positions: &[i64]| {
        let mut cells = [(); 2].map(|()| vec![zero; positions.len() * pairs]);
        let [cos, sin] = &mut cells;
        builder.fill(&Positions::ids(positions), cos, sin).unwrap();
        cells.map(|cells| cells.into_iter().map(|x| Into::<f64>::into(x).to_bits()).collect::<Vec<u64>>())
    };
    let together = fill(positions);
    for (row, &position) in positions.iter().enumerate() {
        let alone = fill(&[position]);
        for (what, together, alone) in [("cos", &together[0], &alone[0]), ("sin", &together[1], &alone[1])] {
            assert_eq!(together[row * pairs..][..pairs], alone[..], "{what} of position {position}");
        }
    }
}

#[test]
fn rows_have_the_same_bits_together_as_alone() {
    for frequencies in sets() {
        for level in common::levels() {
            let builder = TableBuilder::new(&frequencies, Precision::Exact).with_level(level);
            for (start, count) in STARTS.into_iter().flat_map(|start| COUNTS.map(|count| (start, count))) {
                let positions: Vec<i64> = (start..).take(count).collect();
                assert_as_alone(&builder, &positions, 0.0_f32);
                if count > 30 {
                    assert_as_alone(&builder, &positions, f16::ZERO);
                    assert_as_alone(&builder, &positions, bf16::ZERO);
                    assert_as_alone(&builder, &positions, 0.0_f64);
                }
            }
        }
    }
}

#[test]
fn magnitudes_far_from_one_do_not_mislead_the_sums() {
    for magnitude in [0.5, 0.4999, 2.0, 2.0001, 0.707, 1.4, 1e-4, 1e-42, 3e4] {
        let frequencies = Frequencies::new(192, 10_000.0).unwrap().with_magnitude(magnitude).unwrap();
        let builder = TableBuilder::new(&frequencies, Precision::Exact);
        let positions: Vec<i64> = (300..800).collect();
        assert_as_alone(&builder, &positions, 0.0_f32);
        assert_as_alone(&builder, &positions, f16::ZERO);
        assert_as_alone(&builder, &positions, bf16::ZERO);
    }
}

#[test]
fn lists_with_gaps_repeats_and_turns_are_cut_into_runs() {
    let frequencies = Frequencies::new(96, 10_000.0).unwrap();
    let mut positions: Vec<i64> =
        (100..120).chain(120..125).chain([125, 125, 126, 90]).chain((200..260).rev()).collect();
    positions.extend((500..640).step_by(2).chain(-30..30).chain(7..50));
    for level in common::levels() {
        let builder = TableBuilder::new(&frequencies, Precision::Exact).with_level(level);
        assert_as_alone(&builder, &positions, 0.0_f32);
    }
}

/// Many cells of long runs against many rows alone, at the widest level.
#[test]
fn no_cell_of_a_long_table_differs() {
    for frequencies in sets() {
        let positions: Vec<i64> = (0..8192).collect();
        let together = Rows::at(Level::detect(), &frequencies, Precision::Exact, &positions);
        let backward: Vec<i64> = positions.iter().rev().copied().collect();
        let alone = Rows::at(Level::detect(), &frequencies, Precision::Exact, &backward);
        let pairs = frequencies.pairs();
        let rows = |cells: &[f32]| cells.chunks(pairs).map(|row| row.to_vec()).collect::<Vec<_>>();
        for (together, alone) in [(&together.cos, &alone.cos), (&together.sin, &alone.sin)] {
            for (position, (together, alone)) in rows(together).iter().zip(rows(alone).iter().rev()).enumerate() {
                assert_eq!(together, alone, "position {position}");
            }
        }
    }
}

/// Frequencies at which a sum of angles is most likely to go wrong, for a run from `start` on: next to a part of a turn,
/// slow ones, fast ones, such as bring one of the rows next to a crossing, and such as have sines at the bounds below which
/// sums are looked at.
fn hard(start: i64) -> impl Strategy<Value = f64> {
    let turn = std::f64::consts::TAU;
    let sign = || prop::sample::select(vec![1.0, -1.0]);
    let tiny = || (sign(), 1.0..55.0_f64).prop_map(|(sign, digits)| sign * (-digits).exp2());
    let parts =
        (1..=64_u32, 0..=200_u32, tiny()).prop_map(move |(n, k, tiny)| turn * f64::from(k) / f64::from(n) + tiny);
    let slow = (sign(), 0.0..125.0_f64).prop_map(|(sign, digits)| sign * (-digits).exp2());
    let fast = -1_048_576.0..1_048_576.0_f64;
    let crossing = (0..33_i64, 1..1000_u32, tiny())
        .prop_map(move |(row, k, tiny)| (turn / 4.0 * f64::from(k) * (1.0 + tiny)) / (start + row) as f64);
    // So slow that the sines of the middle count as small, and whole turns but for a few steps up to there.
    let middle = (start + 16) as f64;
    let whole = (sign(), 1..=64_u32, 0.0..1.0_f64).prop_map(move |(sign, steps, part)| {
        let turns = (part * middle / (256.0 * turn)).round();
        turns * turn / (middle + sign * f64::from(steps))
    });
    let edges =
        (sign(), prop::sample::select(vec![1.0 / 256.0, 1.0 / 16.0, 1.0 / 4096.0]), 0.999..1.001_f64, 1..=40_u32)
            .prop_map(move |(sign, edge, near, of)| sign * edge * near / f64::from(of));
    prop_oneof![parts, slow, fast, crossing, whole, edges].prop_filter("one that can be", |f| f.abs() <= 1_048_576.0)
}

/// Magnitudes from one end to the other of those that runs are made with, and the next ones beyond.
fn magnitudes() -> impl Strategy<Value = f64> {
    let ends = vec![1.0, 0.5, 2.0, 0.5_f64.next_up(), 0.5_f64.next_down(), 2.0_f64.next_up(), 2.0_f64.next_down()];
    prop_oneof![prop::sample::select(ends), 0.45..2.1_f64]
}

fn starts() -> impl Strategy<Value = i64> {
    prop_oneof![17..60_i64, (4.0..31.0_f64).prop_map(|digits| (digits.exp2() as i64).clamp(17, (1 << 31) - 40))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_frequencies_rows_are_those_alone(
        (start, values) in starts().prop_flat_map(|start| (Just(start), prop::collection::vec(hard(start), 1..40))),
        magnitude in magnitudes(), count in 5..40_usize,
    ) {
        let frequencies = Frequencies::from_values(values).unwrap().with_magnitude(magnitude).unwrap();
        let builder = TableBuilder::new(&frequencies, Precision::Exact);
        let positions: Vec<i64> = (start..).take(count).collect();
        assert_as_alone(&builder, &positions, 0.0_f32);
        assert_as_alone(&builder, &positions, f16::ZERO);
        assert_as_alone(&builder, &positions, bf16::ZERO);
        // And they are the nearest.
        let near = positions.iter().all(|&position| position < 1 << 24);
        if magnitude == 1.0 && near {
            let rows = Rows::at(Level::detect(), &frequencies, Precision::Exact, &positions);
            let mut cells = rows.cos.iter().zip(&rows.sin);
            for &position in &positions {
                for &frequency in frequencies.as_slice() {
                    let ((&cos, &sin), truth) = (cells.next().unwrap(), sincos(position, frequency));
                    for (got, want) in [(cos, truth.cos), (sin, truth.sin)] {
                        let error = ulp_error(got, want);
                        prop_assert!(error <= NEAREST_ULP, "{position} * {frequency:e}: {got:e}, off by {error} ULP");
                    }
                }
            }
        }
    }
}

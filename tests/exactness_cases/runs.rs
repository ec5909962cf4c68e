//! Rows of positions that follow each other are made together; each must have the bits that it has alone.
//! They stand apart because nothing but rows alone tells what is right here.

use half::{bf16, f16};
use posenc::{Element, Frequencies, Level, Positions, Precision, TableBuilder};

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

//! The contract of tables, cell by cell: every cosine and sine is the true one, rounded once, at every level.
//! It stands apart because it looks at millions of cells, each against the oracle, and at nothing but their values.

mod common;
#[path = "exactness_cases/crossings.rs"]
mod crossings;
#[path = "exactness_cases/edges.rs"]
mod edges;
#[path = "exactness_cases/frequencies.rs"]
mod frequencies;
#[cfg(feature = "half")]
#[path = "exactness_cases/runs.rs"]
mod runs;
#[path = "exactness_cases/single.rs"]
mod single;

use std::ops::Range;

use posenc::{Frequencies, Level, Positions, Precision, TableBuilder};
use posenc_oracle::angle::{CosSin, sincos};
use posenc_oracle::tolerance::{EXACT_ULP, EXACT_ULP_FAR, NEAR_POSITIONS, NEAREST_ULP};
use posenc_oracle::ulp::ulp_error;

/// Bases from vision models to contexts of a million tokens.
const BASES: [f64; 5] = [100.0, 1e4, 5e5, 1e6, 1e7];

/// Widths of heads.
const WIDTHS: [usize; 2] = [64, 128];

/// Angles in radians up to which even frequencies that were chosen to be hard keep the contract. Beyond, an angle can be
/// nearer to a zero crossing than the digits that are kept of `2f/π` tell apart.
const LARGEST_ANGLE: f64 = (1_u64 << 38) as f64;

/// The default frequencies of every base and width.
fn models() -> impl Iterator<Item = Frequencies> {
    let shapes = BASES.into_iter().flat_map(|base| WIDTHS.map(|width| (width, base)));
    shapes.map(|(width, base)| Frequencies::new(width, base).unwrap())
}

/// The cosines and sines of a list of positions, row after row.
struct Rows {
    cos: Vec<f32>,
    sin: Vec<f32>,
}

impl Rows {
    /// Made at the widest level, after a check that all others give the same bits: so an error is measured once.
    fn new(frequencies: &Frequencies, precision: Precision, positions: &[i64]) -> Self {
        let rows = Self::at(Level::detect(), frequencies, precision, positions);
        for level in common::levels() {
            let others = Self::at(level, frequencies, precision, positions);
            for (what, got, want) in [("cos", &others.cos, &rows.cos), ("sin", &others.sin, &rows.sin)] {
                let different = got.iter().zip(want).position(|(a, b)| a.to_bits() != b.to_bits());
                if let Some(cell) = different {
                    let position = positions[cell / frequencies.pairs()];
                    let f = frequencies.as_slice()[cell % frequencies.pairs()];
                    panic!("{level}: {what} of {position} * {f:e} is {:e}, not {:e}", got[cell], want[cell]);
                }
            }
        }
        rows
    }

    fn at(level: Level, frequencies: &Frequencies, precision: Precision, positions: &[i64]) -> Self {
        let cells = positions.len() * frequencies.pairs();
        let (mut cos, mut sin) = (vec![f32::NAN; cells], vec![f32::NAN; cells]);
        let builder = TableBuilder::new(frequencies, precision).with_level(level);
        builder.fill(&Positions::ids(positions), &mut cos, &mut sin).unwrap();
        Self { cos, sin }
    }
}

/// The largest errors seen, in ULP, and how many cells were looked at.
#[derive(Debug, Default)]
struct Worst {
    near: f64,
    far: f64,
    cells: u64,
}

impl Worst {
    /// Takes a cell into account, and fails if it misses the contract.
    fn see(&mut self, position: i64, frequency: f64, got: (f32, f32), truth: CosSin) {
        let near = position.abs() < NEAR_POSITIONS;
        let (limit, worst) = if near { (EXACT_ULP, &mut self.near) } else { (EXACT_ULP_FAR, &mut self.far) };
        for (what, got, want) in [("cos", got.0, truth.cos), ("sin", got.1, truth.sin)] {
            let error = ulp_error(got, want);
            assert!(error <= limit, "{what} of {position} * {frequency:e}: {got:e}, not {want:e}, off by {error} ULP");
            assert!(got.abs() <= 1.0, "{what} of {position} * {frequency:e} is {got}");
            *worst = worst.max(error);
        }
        self.cells += 1;
    }

    /// [`see`](Self::see) for all cells of exact rows.
    fn see_rows(&mut self, frequencies: &Frequencies, positions: &[i64]) {
        let rows = Rows::new(frequencies, Precision::Exact, positions);
        let mut cells = rows.cos.into_iter().zip(rows.sin);
        for &position in positions {
            for &frequency in frequencies.as_slice() {
                self.see(position, frequency, cells.next().unwrap(), sincos(position, frequency));
            }
        }
    }
}

/// `count` positions of every size from `2^octaves.start` to `2^octaves.end`, signs alternating, and the ends of octaves.
fn scattered(octaves: Range<u32>, count: u64) -> Vec<i64> {
    // Multiples of the golden ratio fall evenly over any interval.
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let positions = octaves.flat_map(|octave| {
        let start = 1_i64 << octave;
        let inside = (1..=count).map(move |i| start + (i.wrapping_mul(GOLDEN) >> (64 - octave)) as i64);
        inside.chain([start, start, 2 * start - 1, 2 * start - 1])
    });
    positions.enumerate().map(|(i, position)| if i % 2 == 0 { position } else { -position }).collect()
}

#[test]
fn the_first_positions_are_within_the_contract() {
    let positions: Vec<i64> = (0..4096).collect();
    let mut worst = Worst::default();
    models().for_each(|frequencies| worst.see_rows(&frequencies, &positions));
    println!("0 to 4095: {worst:?}");
    assert!(worst.cells >= 1_000_000);
    // Roundings fill the half unit; a measure that says less measures something else.
    assert!(worst.near > 0.4999 && worst.near <= NEAREST_ULP, "{worst:?}");
}

#[test]
fn positions_to_2_to_the_24_are_within_the_contract() {
    let positions = scattered(12..24, 150);
    let mut worst = Worst::default();
    models().for_each(|frequencies| worst.see_rows(&frequencies, &positions));
    println!("to 2^24: {worst:?}");
    assert!(
        worst.cells >= 500_000 && worst.near > 0.4999 && worst.near <= NEAREST_ULP && worst.far == 0.0,
        "{worst:?}"
    );
}

#[test]
fn positions_to_2_to_the_31_are_within_the_wider_contract() {
    let mut positions = scattered(24..31, 200);
    positions.extend([1 << 31, -(1 << 31)]);
    let mut worst = Worst::default();
    models().for_each(|frequencies| worst.see_rows(&frequencies, &positions));
    println!("to 2^31: {worst:?}");
    assert!(worst.cells >= 500_000 && worst.far > 0.4999 && worst.near == 0.0, "{worst:?}");
}

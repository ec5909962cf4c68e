//! Values made by other people's code, for positions of every kind: several axes, grids, packed sequences, moved keys.
//! A second test beside `golden`, so that neither takes long to build; the rules are the same.

#[path = "golden_cases/apart.rs"]
mod apart;
#[path = "golden_cases/case.rs"]
mod case;
mod common;
#[path = "golden_cases/grids.rs"]
mod grids;
#[path = "golden_cases/mrope.rs"]
mod mrope;
#[path = "golden_cases/onnx.rs"]
mod onnx;
#[path = "golden_cases/packed.rs"]
mod packed;
#[path = "golden_cases/reposition.rs"]
mod reposition;

use case::{Case, assert_near, assert_near_single, check_all, golden, largest_angle};
use posenc::{Frequencies, Pairing, Positions, Precision, TableBuilder};

/// The pairing that a case names.
fn pairing(layout: &str) -> Pairing {
    if layout.starts_with("half") { Pairing::Halves } else { Pairing::Interleaved }
}

/// Which pair each feature of the rotated slice belongs to.
fn pair_of_features(pairing: Pairing, width: usize) -> impl Iterator<Item = usize> {
    (0..width).map(move |feature| match pairing {
        Pairing::Halves => feature % (width / 2),
        Pairing::Interleaved => feature / 2,
    })
}

/// Cosines and sines, `[tokens, pairs]`, at the widest level, after a check that all others give the same bits.
fn rows(frequencies: &Frequencies, precision: Precision, positions: &Positions<'_>, tokens: usize) -> [Vec<f32>; 2] {
    let cells = tokens * frequencies.pairs();
    let made = common::levels().into_iter().map(|level| {
        let (mut cos, mut sin) = (vec![f32::NAN; cells], vec![f32::NAN; cells]);
        let builder = TableBuilder::new(frequencies, precision).with_level(level);
        builder.fill(positions, &mut cos, &mut sin).unwrap();
        [cos, sin]
    });
    let made: Vec<_> = made.collect();
    let bits = |rows: &[Vec<f32>; 2]| rows.concat().into_iter().map(f32::to_bits).collect::<Vec<_>>();
    assert!(made.iter().all(|rows| bits(rows) == bits(&made[0])));
    made[0].clone()
}

/// Cells in which every pair of a row stands as often as it has features.
fn full_width(half: &[f32], pairs: usize, pairing: Pairing) -> Vec<f32> {
    let rows = half.chunks_exact(pairs);
    rows.flat_map(|row| pair_of_features(pairing, 2 * pairs).map(|pair| row[pair])).collect()
}

//! Positions and memory layouts of every kind: values against the oracle, laws on random inputs, refusals, and faults that
//! were reported in public. A crate of its own, so that it is built and run alone.

#[path = "positions_cases/axes.rs"]
mod axes;
mod common;
#[path = "positions_cases/exact.rs"]
mod exact;
#[path = "positions_cases/layouts.rs"]
mod layouts;
#[path = "positions_cases/moved.rs"]
mod moved;
#[path = "positions_cases/refusals.rs"]
mod refusals;
#[path = "positions_cases/schemes.rs"]
mod schemes;
#[path = "positions_cases/weights.rs"]
mod weights;

use posenc::{HeadsMut, Pairing, Positions, Rotary};
use posenc_oracle::rotary;
use proptest::prelude::*;

const PAIRINGS: [Pairing; 2] = [Pairing::Halves, Pairing::Interleaved];

/// Failing inputs are short and printed; files of seeds would only collect.
fn tried(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Random numbers in [-1, 1).
fn random(seed: u64, count: usize) -> Vec<f32> {
    posenc_oracle::lcg::golden_inputs(seed, count)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

fn in_oracle(pairing: Pairing) -> rotary::Pairing {
    match pairing {
        Pairing::Halves => rotary::Pairing::Halves,
        Pairing::Interleaved => rotary::Pairing::Interleaved,
    }
}

/// `[batch, tokens, heads, dim]`, rotated.
fn turned(rope: &Rotary, data: &[f32], shape: [usize; 4], positions: &Positions<'_>) -> Vec<f32> {
    let mut data = data.to_vec();
    rope.rotate(&mut HeadsMut::token_major(&mut data, shape).unwrap(), positions).unwrap();
    data
}

/// That each pair of each head ends within a part of its length, and the other features to the bit.
fn assert_near(got: &[f32], want: &[f32], pairing: Pairing, width: usize, dim: usize, relative: f64) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.chunks_exact(dim).zip(want.chunks_exact(dim)) {
        for j in 0..width / 2 {
            let (a, b) = in_oracle(pairing).features(width, j);
            let error = f64::from(got[a] - want[a]).hypot(f64::from(got[b] - want[b]));
            let length = f64::from(want[a]).hypot(f64::from(want[b]));
            assert!(error <= relative * length, "pair {j}: off by {error:e}, length {length}");
        }
        assert_eq!(bits(&got[width..]), bits(&want[width..]));
    }
}

//! Relative encodings: every form of every bias against the oracle's formulas and against each other, gathers and their
//! transposes, windows, stabilisers, and what is refused.
//! They stand apart from the other laws so that they are compiled apart.

#[path = "relative/biases.rs"]
mod biases;
#[path = "relative/buckets.rs"]
mod buckets;
#[path = "relative/careless.rs"]
mod careless;
mod common;
#[path = "relative/field_failures.rs"]
mod field_failures;
#[path = "relative/forms.rs"]
mod forms;
#[path = "relative/gathers.rs"]
mod gathers;
#[path = "relative/gradients.rs"]
mod gradients;
#[path = "relative/networks.rs"]
mod networks;
#[path = "relative/parameters.rs"]
mod parameters;
#[path = "relative/refusals.rs"]
mod refusals;
#[path = "relative/rows.rs"]
mod rows;
#[path = "relative/stabilisers.rs"]
mod stabilisers;
#[path = "relative/stored.rs"]
mod stored;
#[path = "relative/windows.rs"]
mod windows;

use posenc_oracle::lcg::golden_inputs;
use proptest::prelude::*;

/// Failing inputs are short and printed; files of seeds would only collect.
fn tried(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Random numbers in [-1, 1).
fn random(seed: u64, count: usize) -> Vec<f32> {
    golden_inputs(seed, count)
}

/// Numbers of queries and keys, decode steps and none at all included, and where the first query stands.
fn sizes() -> impl Strategy<Value = ([usize; 2], usize)> {
    let queries = prop_oneof![Just(1_usize), 0..9_usize];
    (queries, 0..70_usize, 0..60_usize).prop_map(|(queries, keys, first_query)| ([queries, keys], first_query))
}

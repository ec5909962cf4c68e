//! Absolute encodings of every kind: laws, references, refusals, and faults that were told in public.
//! They stand apart from `laws`, which are about rotations first, so that either can be compiled without the other.
#![cfg(feature = "half")]

mod common;

#[path = "absolute/axial.rs"]
mod axial;
#[path = "absolute/bad_input.rs"]
mod bad_input;
#[path = "absolute/embeddings.rs"]
mod embeddings;
#[path = "absolute/field_failures.rs"]
mod field_failures;
#[path = "absolute/real.rs"]
mod real;
#[path = "absolute/resizing.rs"]
mod resizing;
#[path = "absolute/sinusoids.rs"]
mod sinusoids;
#[path = "absolute/support.rs"]
mod support;

use proptest::prelude::ProptestConfig;

/// Failing inputs are short and printed; files of seeds would only collect.
fn tried(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

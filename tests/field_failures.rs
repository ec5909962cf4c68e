//! Faults that users of positional-encoding code have reported in public, each with the input that showed it.
//! They stand apart from the tests of this crate's own promises: every test names the entry that it covers and the
//! public thread where the fault was told, and takes its values from there, from a closed form or from the oracle.

mod common;

#[path = "field_failures/memory.rs"]
mod memory;
#[path = "field_failures/other_kinds.rs"]
mod other_kinds;
#[path = "field_failures/pairing.rs"]
mod pairing;
#[path = "field_failures/positions.rs"]
mod positions;
#[path = "field_failures/precision.rs"]
mod precision;
#[path = "field_failures/range.rs"]
mod range;
#[path = "field_failures/scaling.rs"]
mod scaling;
#[path = "field_failures/sincos.rs"]
mod sincos;
#[path = "field_failures/support.rs"]
mod support;
#[cfg(feature = "rayon")]
#[path = "field_failures/threads.rs"]
mod threads;
#[path = "field_failures/widths.rs"]
mod widths;

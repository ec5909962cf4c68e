//! Bad input: every refusal, with what was expected and what was found, and buffers that stay as they were.
//! They stand apart because here nothing may be computed at all: not a bit may change, and nothing may panic.

#[path = "bad_input/careless.rs"]
mod careless;
#[path = "bad_input/encodings.rs"]
mod encodings;
#[allow(dead_code, reason = "the laws are one directory; refusals need guards and comparisons")]
#[path = "laws/all.rs"]
mod laws;
#[path = "bad_input/nothing.rs"]
mod nothing;
#[path = "laws/refusals.rs"]
mod refusals;
#[path = "bad_input/rotations.rs"]
mod rotations;
#[path = "bad_input/views.rs"]
mod views;

use laws::bits::{assert_same, guards};
use posenc::{Error, Frequencies, Pairing, Result, Rotary};

const HUGE: usize = usize::MAX;
const LIMIT: i64 = 1 << 31;

/// The error must be this one; compared as text, since NaN is no number's equal.
#[track_caller]
fn refused<T>(result: Result<T>, want: Error) {
    assert_eq!(format!("{:?}", result.err()), format!("{:?}", Some(want)));
}

fn length(what: &'static str, expected: usize, found: usize) -> Error {
    Error::Length { what, expected, found }
}

fn count(what: &'static str, expected: &'static str, found: usize) -> Error {
    Error::Count { what, expected, found }
}

fn number(what: &'static str, expected: &'static str, found: f64) -> Error {
    Error::Number { what, expected, found }
}

fn too_large(what: &'static str) -> Error {
    count(what, "sizes whose product fits a usize", HUGE)
}

/// An encoding of four pairs.
fn rope() -> Rotary {
    Rotary::new(&Frequencies::new(8, 10_000.0).unwrap(), Pairing::Halves)
}

/// Calls with a buffer of guards, which must be refused and leave it alone.
#[track_caller]
fn refused_untouched(len: usize, want: Error, call: impl FnOnce(&mut [f32]) -> Result<()>) {
    let mut buffer = guards(len);
    refused(call(&mut buffer), want);
    assert_same(&buffer, &guards(len), "a refused call wrote");
}

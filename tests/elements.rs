//! Elements other than f32: every operation on f16, bf16 and f64, and the forms that read one type and write another.
//! They stand apart because 16 bits can be tried one and all, and because rounding once is a promise of its own.
#![cfg(feature = "half")]

#[path = "elements/cells.rs"]
mod cells;
mod common;
#[path = "elements/conversions.rs"]
mod conversions;
#[path = "elements/doubles.rs"]
mod doubles;
#[path = "elements/forms.rs"]
mod forms;
#[path = "elements/heads.rs"]
mod heads;
#[path = "elements/into.rs"]
mod into;
#[path = "elements/kinds.rs"]
mod kinds;
#[allow(dead_code, reason = "the laws are one directory; elements need those about cases and places in memory")]
#[path = "laws/all.rs"]
mod laws;
#[cfg(feature = "rayon")]
#[path = "elements/parallel.rs"]
mod parallel;
#[path = "elements/patterns.rs"]
mod patterns;
#[path = "elements/rotation.rs"]
mod rotation;
#[path = "elements/rounding.rs"]
mod rounding;
#[path = "elements/sinusoids.rs"]
mod sinusoids;

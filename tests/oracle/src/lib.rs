//! The slow, obvious and independent reference that `posenc` is tested against.
//! It shares no code and no method with the crate, works in f64 or wider, and is itself tested against
//! values made elsewhere: `certify.py` wrote those of the cosines and sines.
//!
//! Arguments outside a function's stated range panic: a test that leaves the range should stop, not pass.

#![forbid(unsafe_code)]

pub mod absolute;
pub mod angle;
pub mod bias;
pub mod buckets;
pub mod functional;
pub mod functions;
pub mod gather;
pub mod lcg;
pub mod relative;
pub mod rotary;
pub mod scaling;
pub mod sinusoid;
pub mod tolerance;
pub mod twofold;
pub mod ulp;
pub mod windows;

#[cfg(test)]
mod certified;
mod fixed;

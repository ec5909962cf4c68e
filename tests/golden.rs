//! Values made by other people's code, which the crate must reproduce: `tests/golden/*.json`, case by case.
//! They stand apart because neither this crate nor its oracle had a hand in them.
//!
//! Every case of a file is checked, unless a list names it with the test that checks it elsewhere, or with the reason why
//! the crate cannot express it. A new case is thus either checked or fails, and a line of the list that no case needs any
//! more fails as well.

#[path = "golden_cases/alibi.rs"]
mod alibi;
#[path = "golden_cases/case.rs"]
mod case;
mod common;
#[path = "golden_cases/fourier.rs"]
mod fourier;
#[path = "golden_cases/frequencies.rs"]
mod frequencies;
#[path = "golden_cases/magnitudes.rs"]
mod magnitudes;
#[path = "golden_cases/position_ids.rs"]
mod position_ids;
#[path = "golden_cases/relative.rs"]
mod relative;
#[path = "golden_cases/resize.rs"]
mod resize;
#[path = "golden_cases/rotations.rs"]
mod rotations;
#[path = "golden_cases/sincos.rs"]
mod sincos;
#[path = "golden_cases/sinusoid.rs"]
mod sinusoid;
#[path = "golden_cases/sinusoid_grids.rs"]
mod sinusoid_grids;
#[path = "golden_cases/t5_buckets.rs"]
mod t5_buckets;
#[path = "golden_cases/tables.rs"]
mod tables;

use case::{Case, assert_near, assert_near_single, check_all, golden, largest_angle};

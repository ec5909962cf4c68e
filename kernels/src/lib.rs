//! The kernels of `posenc`: rotations, exact cosines and sines, sliding and gathered adds.
//!
//! They know lanes and rows, and nothing of heads, batches or errors; the crate `posenc` checks every size before it
//! calls them, and is the one to use. A kernel is a struct of its arguments with one generic body ([`Kernel`]); a
//! [`Level`] runs it on the vectors of one instruction set. All levels give the same bits.
//!
//! ```
//! use posenc_kernels::{Direction, F32, Grid, InPlace, Level, Pairing, Rotate};
//!
//! // One row of two pairs, turned by a quarter.
//! let mut row = [1.0, 2.0, 3.0, 4.0];
//! let rotate = Rotate {
//!     memory: InPlace::<F32> { data: &mut row, grid: Grid { start: 0, group: 4, member: 4 } },
//!     members: 1,
//!     pairs: 2,
//!     cos: &[0.0, 0.0],
//!     sin: &[1.0, 1.0],
//!     table_rows: &[0],
//!     direction: Direction::Forward,
//! };
//! rotate.run(Level::detect(), Pairing::Halves);
//! assert_eq!(row, [-3.0, -4.0, 1.0, 2.0]);
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod add;
mod cos_sin;
mod format;
mod gather;
#[cfg(feature = "half")]
mod half;
mod memory;
mod merge;
mod place;
mod rotate;
mod turns;
mod vector;

pub use add::{GatherAdd, SlidingAdd, SlidingSet, Write};
pub use cos_sin::{
    Angles, Cell, Exact, MAX_AXES, Point, Reading, Reduced, Rows, Selected, Single32, Steps, Terms, Terms32,
};
pub use format::{Bf16, F16, F32, F64, Format, Unit};
pub use gather::{GatherSum, Lookup, ScatterAdd};
pub use memory::{Grid, InPlace, Into, Memory, Same, Slot, Source, Wide};
pub use place::{Arrangement, Place};
pub use rotate::{Direction, Pairing, Rotate, Work};
pub use turns::Turns;
pub use vector::{Double, Isa, Kernel, Level, Scalar, Shuffle, Single, UnknownLevel, Vector};

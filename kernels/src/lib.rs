//! The kernels of `posenc`: rotations, exact cosines and sines, sliding and gathered adds.
//!
//! They know lanes and rows, and nothing of heads, batches or errors; the crate `posenc` checks every size before it
//! calls them, and is the one to use. A kernel is a struct of its arguments with one generic body ([`Kernel`]); a
//! [`Level`] runs it on the vectors of one instruction set. All levels give the same bits.
//!
//! ```
//! use posenc_kernels::{Direction, Level, Pairing, Rotate, Strided};
//!
//! // One row of two pairs, turned by a quarter.
//! let mut row = [1.0, 2.0, 3.0, 4.0];
//! let rotate = Rotate {
//!     data: &mut row,
//!     start: 0,
//!     groups: Strided { count: 1, stride: 4 },
//!     members: Strided { count: 1, stride: 4 },
//!     pairs: 2,
//!     cos: &[0.0, 0.0],
//!     sin: &[1.0, 1.0],
//!     table_rows: &[0],
//! };
//! rotate.run(Level::detect(), Pairing::Halves, Direction::Forward);
//! assert_eq!(row, [-3.0, -4.0, 1.0, 2.0]);
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod add;
mod cos_sin;
mod rotate;
mod turns;
mod vector;

pub use add::{Arrangement, GatherAdd, Place, SlidingAdd, Write};
pub use cos_sin::{Angles, Exact, Rows, Single32};
pub use rotate::{Direction, Pairing, Rotate};
pub use turns::Turns;
pub use vector::{Double, Isa, Kernel, Level, Scalar, Single, UnknownLevel, Vector};

/// So many things, each so many elements behind the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Strided {
    /// How many.
    pub count: usize,
    /// Elements from the start of one to the start of the next.
    pub stride: usize,
}

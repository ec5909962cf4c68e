//! Tables of cosines and sines: made exactly, or brought along.

use alloc::vec;
use alloc::vec::Vec;

use posenc_kernels::{Exact, Level, Rows, Single32, Turns};

use crate::error::{Error, Result, check_length, product};
use crate::positions::Resolved;
use crate::{Frequencies, Pairing, Positions};

/// How angles are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// The true cosine and sine of `position · frequency` for the f64 frequency, times the magnitude, rounded once.
    /// Within 0.5001 ULP for positions below 2^24 in size, within 0.51 ULP to 2^31, zero crossings included.
    Exact,
    /// What most training stacks compute: the angle is `fl32(fl32(position) · fl32(frequency))`, and cosine and sine are
    /// those of that f32, within 0.5001 ULP for angles below 2^24; the magnitude is an f32 product afterwards. At
    /// position 1 000 000 this is up to 6e-2 away from [`Exact`](Self::Exact), and as far from the true value.
    Single,
}

/// Positions that are turned into table rows in one go.
const BLOCK: usize = 32;

/// Makes rows of cosines and sines for given frequencies.
///
/// A row has the same bits whether it is made alone, in a table, or in a part of one; in one thread or in many; on
/// whatever machine.
///
/// ```
/// use posenc::{Frequencies, Positions, Precision, TableBuilder};
///
/// let frequencies = Frequencies::new(64, 10_000.0)?;
/// let builder = TableBuilder::new(&frequencies, Precision::Exact);
///
/// let tables = builder.build(4096)?;
/// let (mut cos, mut sin) = ([0.0; 32], [0.0; 32]);
/// builder.fill(&Positions::from(4095), &mut cos, &mut sin)?;
/// assert_eq!(tables.row(4095), Some((&cos[..], &sin[..])));
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableBuilder {
    angles: Angles,
    pairs: usize,
    level: Level,
}

#[derive(Clone, Debug)]
enum Angles {
    Exact { turns: Turns, magnitude: f64 },
    Single { frequencies: Vec<f32>, magnitude: f32 },
}

impl TableBuilder {
    /// Prepares the frequencies.
    #[must_use]
    pub fn new(frequencies: &Frequencies, precision: Precision) -> Self {
        let values = frequencies.as_slice();
        let angles = match (precision, Turns::new(values)) {
            (Precision::Exact, Some(turns)) => Angles::Exact { turns, magnitude: frequencies.magnitude() },
            // Frequencies were checked when they were made, so an exact builder never comes here.
            (Precision::Exact | Precision::Single, _) => Angles::Single {
                frequencies: values.iter().map(|&f| f as f32).collect(),
                magnitude: frequencies.magnitude() as f32,
            },
        };
        Self { angles, pairs: values.len(), level: Level::detect() }
    }
}

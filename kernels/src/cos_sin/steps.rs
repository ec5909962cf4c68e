//! Runs of positions: cosines and sines of the middle one, turned on by those of the first few positions.
//!
//! ```text
//! cos((p ± d)·f) = cos(p·f)·cos(d·f) ∓ sin(p·f)·sin(d·f)
//! sin((p ± d)·f) = sin(p·f)·cos(d·f) ± cos(p·f)·sin(d·f)
//! ```
//!
//! Four products serve two rows. The error is below 2^-50, whatever the angles: much less than the cells of f32 and of the
//! 16-bit formats need, unless a value is small, or near to half-way between two cells. Both are seen in the value
//! itself, and such a cell is made on its own. So a cell has the same bits in a run as alone.

use alloc::vec::Vec;

use super::{Cell, Exact, Rows};
use crate::format::F64;
use crate::turns::Turns;
use crate::vector::Level;

/// How far a run reaches to either side of its middle.
const REACH: usize = 16;

/// The most pairs that steps are kept for, in a megabyte.
const MOST: usize = 4096;

/// The least run whose rows take less time together than one by one.
const LEAST: usize = 5;

/// The size below which a sum may be off by more than 2^16 of its last places.
const SMALL: f64 = 1.0 / 4096.0;

/// Cosines and sines of positions 0 to 16 for some frequencies; or nothing.
///
/// ```
/// use posenc_kernels::{Level, Steps, Turns};
///
/// let turns = Turns::new(&[1.0, 0.01]).unwrap();
/// assert_ne!(Steps::new(Level::detect(), &turns), Steps::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// `[17, pairs]`.
    cos: Vec<f64>,
    /// `[17, pairs]`.
    sin: Vec<f64>,
}

impl Steps {
    /// The most rows that are made together.
    pub const RUN: usize = 2 * REACH + 1;

    /// The steps of frequencies; none if there are more than 4096 of them, or one so slow that sines are no normal f32.
    #[must_use]
    pub fn new(level: Level, turns: &Turns) -> Self {
        let pairs = turns.len();
        let mut steps = Self::default();
        if pairs > MOST {
            return steps;
        }
        let mut positions = [0.0; REACH + 1];
        for (distance, position) in (0_u8..).zip(&mut positions) {
            *position = f64::from(distance);
        }
        steps.cos.resize(positions.len() * pairs, 0.0);
        steps.sin.resize(positions.len() * pairs, 0.0);
        let angles = Exact { turns, steps: &Self::default(), magnitude: 1.0 };
        let (cos, sin) = (&mut steps.cos, &mut steps.sin);
        level.run(Rows::<_, F64> { angles, positions: &positions, cos, sin });
        let slowest = f64::from(f32::MIN_POSITIVE);
        if steps.row(1)[1].iter().any(|&sin| sin != 0.0 && sin.abs() < slowest) {
            return Self::default();
        }
        steps
    }

    /// How many of the positions, from the first on, follow each other within reach of their middle: an odd number, or
    /// none if they are too few, or there are no steps.
    ///
    /// Positions within reach of 0 are left out, for there small angles differ much from each other; and so are negative ones,
    /// whose sines of frequency 0 have a sign.
    pub(super) fn count(&self, positions: &[f64]) -> Option<usize> {
        if self.cos.is_empty() {
            return None;
        }
        let far = positions.iter().take(Self::RUN).take_while(|&&position| position > REACH as f64).count();
        let following = positions[..far].windows(2).take_while(|pair| pair[1] - pair[0] == 1.0).count();
        let count = following / 2 * 2 + 1;
        (far > 0 && count >= LEAST).then_some(count)
    }

    /// The cosines and sines of a distance.
    #[inline(always)]
    pub(super) fn row(&self, distance: usize) -> [&[f64]; 2] {
        let pairs = self.cos.len() / (REACH + 1);
        [&self.cos[distance * pairs..][..pairs], &self.sin[distance * pairs..][..pairs]]
    }

    /// The sizes below which sums are in doubt, for the pairs from `first` on: less where the angles are small, but much larger
    /// than the steps to a distance, so that sines keep their digits in the sum.
    #[inline(always)]
    pub(super) fn bounds<F: Cell>(&self, distance: usize, first: usize, sin: &[f64], bounds: &mut [f64]) {
        let [nearest_cos, nearest_sin] = self.row(1).map(|row| &row[first..]);
        let farthest = &self.row(distance)[1][first..];
        for (j, bound) in bounds.iter_mut().enumerate() {
            let size = sin[j].abs();
            let slow = nearest_cos[j] > 0.0 && nearest_sin[j].abs() < 1.0 / 256.0;
            let apart = size < 1.0 / 16.0 && 2.0 * farthest[j].abs() <= size;
            // Of no angle at all, the sine is no sum of anything.
            let least = if size == 0.0 { 0.0 } else { F::SMALLEST };
            *bound = if slow & apart { least } else { SMALL };
        }
    }
}

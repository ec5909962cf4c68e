//! Handles made from another one: to move what was turned already, and to undo a rotation.

use alloc::sync::Arc;

use super::Rotary;
use crate::Direction;
use crate::element::TableSet;
use crate::error::{Error, Result};

impl Rotary {
    /// The handle that moves keys which this one has turned: by `delta` positions each, which may be negative and may differ
    /// from key to key. Cached keys follow their tokens when a context is shifted, chunks are reused, or positions are counted
    /// anew.
    ///
    /// The magnitude is in the keys already, so this handle has magnitude 1, and no table. A key that was turned at `p` and
    /// moved by `delta` is within three roundings (12·2^-24 of a pair's length) of one that was turned at `p + delta`; many
    /// small moves add up their roundings (in 16-bit types 2^-8 or 2^-11 each), so one move from the first position
    /// is better than many.
    ///
    /// It is no help where the frequencies themselves changed meanwhile, as with dynamic scaling or where short and long
    /// factors switch: such keys have to be computed again.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(2, 10_000.0)?.with_magnitude(1.25)?, Pairing::Halves);
    /// let mut keys = [1.0_f32; 4];
    /// rope.rotate(&mut HeadsMut::new(&mut keys, [2, 1, 2])?, &Positions::ids(&[300, 512]))?;
    /// rope.repositioning()?.rotate(&mut HeadsMut::new(&mut keys, [2, 1, 2])?, &Positions::ids(&[-300, -511]))?;
    /// // Now they stand at 0 and 1.
    /// assert!((keys[0] - 1.25).abs() < 1e-6 && (keys[2] - 1.25 * (1.0_f32.cos() - 1.0_f32.sin())).abs() < 1e-6);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if this handle has tables that were brought along, and so no frequencies.
    pub fn repositioning(&self) -> Result<Self> {
        self.with_magnitude(|_| 1.0)
    }

    /// The handle that undoes this one: it turns back, and divides by the magnitude instead of applying it again. What comes
    /// back is the original within two roundings.
    ///
    /// [`Direction::Inverse`] alone is the transpose, which backpropagation wants: it turns back and applies the magnitude.
    /// Without a magnitude the two are the same.
    ///
    /// ```
    /// use posenc::{Direction, Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(2, 10_000.0)?.with_magnitude(2.0)?, Pairing::Halves);
    /// let (mut q, mut gradient) = ([1.0_f32, 0.0], [1.0_f32, 0.0]);
    /// let at = Positions::from(5);
    /// for handle in [&rope, &rope.undoing()?] {
    ///     handle.rotate(&mut HeadsMut::new(&mut q, [1, 1, 2])?, &at)?;
    /// }
    /// for handle in [&rope, &rope.clone().with_direction(Direction::Inverse)] {
    ///     handle.rotate(&mut HeadsMut::new(&mut gradient, [1, 1, 2])?, &at)?;
    /// }
    /// assert!((q[0] - 1.0).abs() < 1e-6 && (gradient[0] - 4.0).abs() < 1e-6);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] as for [`repositioning`](Self::repositioning); [`Error::Number`] if the magnitude is so small that
    /// its reciprocal is above 1e200.
    pub fn undoing(&self) -> Result<Self> {
        let direction = match self.direction {
            Direction::Forward => Direction::Inverse,
            Direction::Inverse => Direction::Forward,
        };
        let rotary = self.with_magnitude(|magnitude| 1.0 / magnitude)?;
        // What was written in one order is read in it, and goes back into the other.
        Ok(Self { direction, pairing: self.output, output: self.pairing, ..rotary })
    }

    fn with_magnitude(&self, magnitude: impl Fn(f64) -> f64) -> Result<Self> {
        let Some(builder) = &self.builder else {
            let expected = "those of the rotation, not tables that were brought along";
            return Err(Error::Count { what: "frequencies", expected, found: 0 });
        };
        let builder = Arc::new(builder.with_magnitude(magnitude)?);
        Ok(Self { builder: Some(builder), tables: TableSet::default(), pairing: self.output, ..self.clone() })
    }
}

//! Frequencies: how fast each pair of a head turns with the position.
//!
//! They are f64 on purpose. A frequency that is one unit in the last place of f32 off moves the angle of position
//! 131 071 by 8e-3; one that went through a 16-bit type is off by half a turn there.

use alloc::vec::Vec;

use posenc_kernels::Turns;

use crate::error::{Error, Result};
use crate::math;

/// More features than any head has, and few enough that their frequencies always fit.
pub(crate) const MAX_WIDTH: usize = 1 << 20;

/// More than any magnitude, and so little that the rounding of table cells cannot overflow.
pub(crate) const MAX_MAGNITUDE: f64 = 1e200;

/// One frequency for each pair, in radians per position, and the magnitude of the rotation.
///
/// ```
/// use posenc::Frequencies;
///
/// // A head of 128 features, with the base of Llama-3: f_j = base^(−2j/128).
/// let frequencies = Frequencies::new(128, 500_000.0)?;
/// assert_eq!(frequencies.pairs(), 64);
/// assert_eq!(frequencies.as_slice()[0], 1.0);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: Su et al., *RoFormer*, 2021, section 3.3.
#[derive(Clone, Debug, PartialEq)]
pub struct Frequencies {
    values: Vec<f64>,
    turns: Turns,
    magnitude: f64,
}

impl Frequencies {
    /// The default: `base^(−2j/width)` for `j = 0 .. width/2`, each correctly rounded to f64.
    ///
    /// `width` is the number of rotated features, which is smaller than the head when only a part of it turns
    /// (`int(head · partial_rotary_factor)`, rounded towards zero).
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if `width` is odd or above 2^20, [`Error::Number`] if `base` is not positive and finite.
    pub fn new(width: usize, base: f64) -> Result<Self> {
        if !width.is_multiple_of(2) {
            return Err(Error::Count { what: "rotary width", expected: "an even number of features", found: width });
        }
        Self::geometric("rotary width", width, base)
    }

    /// `base^(−2j/width)` for all `2j < width`.
    pub(crate) fn geometric(what: &'static str, width: usize, base: f64) -> Result<Self> {
        check_geometric(what, width, base)?;
        let values = (0..width).step_by(2).map(|i| math::power(base, -(i as f64), width as f64)).collect();
        Self::from_values(values)
    }

    /// The inverse frequencies of a checkpoint, as they are.
    ///
    /// ```
    /// use posenc::Frequencies;
    ///
    /// let frequencies = Frequencies::from_inv_freq(&[1.0, 0.1, 0.01])?;
    /// assert_eq!(frequencies.as_slice()[1], f64::from(0.1_f32));
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`from_values`](Self::from_values).
    pub fn from_inv_freq(inv_freq: &[f32]) -> Result<Self> {
        Self::from_values(inv_freq.iter().map(|&f| f64::from(f)).collect())
    }

    /// Given frequencies, in radians per position.
    ///
    /// ```
    /// use posenc::Frequencies;
    ///
    /// assert_eq!(Frequencies::from_values(vec![1.0, 0.0])?.width(), 4);
    /// assert!(Frequencies::from_values(vec![f64::NAN]).is_err());
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if one is not finite, or larger than 2^20 in size.
    pub fn from_values(values: Vec<f64>) -> Result<Self> {
        match Turns::new(&values) {
            Ok(turns) => Ok(Self { values, turns, magnitude: 1.0 }),
            Err(found) => Err(Error::Number { what: "frequency", expected: "at most 2^20 in size", found }),
        }
    }

    /// The same frequencies with a factor on every cosine and sine ("attention factor").
    ///
    /// ```
    /// use posenc::{Frequencies, Precision, TableBuilder};
    ///
    /// let frequencies = Frequencies::new(2, 10_000.0)?.with_magnitude(1.5)?;
    /// let tables = TableBuilder::new(&frequencies, Precision::Exact).build(1)?;
    /// assert_eq!((tables.cos()[0], tables.sin()[0]), (1.5, 0.0));
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if it is not positive, or above 1e200.
    pub fn with_magnitude(self, magnitude: f64) -> Result<Self> {
        if magnitude > 0.0 && magnitude <= MAX_MAGNITUDE {
            Ok(Self { magnitude, ..self })
        } else {
            Err(Error::Number { what: "magnitude", expected: "a positive number up to 1e200", found: magnitude })
        }
    }

    /// The same frequencies with a factor of any sign, at most [`MAX_MAGNITUDE`] in size.
    pub(crate) fn with_factor(self, factor: f64) -> Self {
        Self { magnitude: factor, ..self }
    }

    /// How many pairs turn.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.values.len()
    }

    /// How many features turn: twice the pairs.
    #[must_use]
    pub fn width(&self) -> usize {
        2 * self.values.len()
    }

    /// The frequencies, in radians per position.
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// The frequencies, as kernels read them.
    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// The factor on every cosine and sine; 1 unless it was set.
    #[must_use]
    pub fn magnitude(&self) -> f64 {
        self.magnitude
    }
}

/// Whether powers of `base` can be the frequencies of `width` features.
pub(crate) fn check_geometric(what: &'static str, width: usize, base: f64) -> Result<()> {
    if width > MAX_WIDTH {
        return Err(Error::Count { what, expected: "at most 2^20 features", found: width });
    }
    if !(base > 0.0 && base.is_finite()) {
        return Err(Error::Number { what: "base", expected: "a positive finite number", found: base });
    }
    Ok(())
}

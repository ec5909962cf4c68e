//! Frequencies: how fast each pair of a head turns with the position.
//!
//! They are f64 on purpose. A frequency that is one unit in the last place of f32 off moves the angle of position
//! 131 071 by 8e-3; one that went through a 16-bit type is off by half a turn there.
//!
//! Methods that stretch a context make other frequencies of these: `frequencies::scaling` and the files beside it.

mod llama3;
mod longrope;
mod ntk;
mod per_pair;
mod scaling;
mod yarn;

pub use llama3::Llama3;
pub use longrope::{FactorList, LongRope};
pub use ntk::{DynamicNtk, NtkMixed};
pub use per_pair::Proportional;
pub use scaling::Scaling;
pub use yarn::{MagnitudeRule, Truncation, Yarn};

use alloc::vec::Vec;

use posenc_kernels::Turns;

use crate::axes::Reads;
use crate::error::{Error, Result};
use crate::math::{self, Twofold};

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
    /// The base of the series that the values are; missing where they were given or scaled.
    base: Option<f64>,
    reads: Reads,
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
        Ok(Self { base: Some(base), ..Self::from_values(values)? })
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
            Ok(turns) => Ok(Self { values, turns, magnitude: 1.0, base: None, reads: Reads::One }),
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

    /// The same pairs, so many times as fast.
    pub(crate) fn times(&self, factor: f64) -> Result<Self> {
        self.with_values(self.digits().map(|value| value.times(Twofold::from(factor))))
    }

    /// The frequencies that a model has whose context was stretched by a published method.
    ///
    /// Methods that have a magnitude set it, the others keep the one there is.
    ///
    /// ```
    /// use posenc::{Frequencies, Scaling};
    ///
    /// // Llama-3.1: the slow pairs turn eight times slower, the fast ones stay.
    /// let plain = Frequencies::new(128, 500_000.0)?;
    /// let scaled = plain.scaled(&Scaling::llama3(8.0))?;
    /// assert_eq!(scaled.as_slice()[0], 1.0);
    /// assert_eq!(scaled.as_slice()[63], plain.as_slice()[63] / 8.0);
    ///
    /// let error = scaled.scaled(&Scaling::yarn(4.0, 8192)).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "YaRN: expected frequencies made by Frequencies::new, found frequencies that were given, or scaled before",
    /// );
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// Accuracy: each frequency is correctly rounded to f64, from the numbers of the scaling as f64 and the base; where the
    /// frequencies were given, or scaled before, from those.
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if a number of the scaling is not allowed, [`Error::Length`] if a list of it has another length than
    /// there are pairs, [`Error::Count`] if the width is too small for it; [`Error::Series`] if it is defined by the base, and
    /// these frequencies are not those that [`new`](Self::new) made; [`Error::Count`] if they are [`mixed`](Self::mixed),
    /// for which no scaling is published.
    pub fn scaled(&self, scaling: &Scaling) -> Result<Self> {
        if self.reads.terms() > 1 && *scaling != Scaling::Default {
            let expected = "one frequency for each pair";
            return Err(Error::Count { what: "mixed frequencies", expected, found: self.axes() });
        }
        scaling.apply(self)
    }

    /// The same pairs with other frequencies, no longer a series.
    fn with_values(&self, values: impl Iterator<Item = Twofold>) -> Result<Self> {
        let Self { values, turns, .. } = Self::from_values(values.map(Twofold::value).collect())?;
        Ok(Self { values, turns, magnitude: self.magnitude, base: None, reads: self.reads.clone() })
    }

    /// The frequencies with more digits than an f64 has, as far as they are known.
    fn digits(&self) -> impl Iterator<Item = Twofold> {
        let logarithm = self.base.map(|base| Twofold::from(base).ln());
        let width = self.width() as f64;
        self.values.iter().enumerate().map(move |(j, &value)| match logarithm {
            Some(logarithm) => power_of(logarithm, -2.0 * j as f64, width),
            None => Twofold::from(value),
        })
    }

    /// The base, for a scaling that is defined by it.
    fn series(&self, scaling: &'static str) -> Result<f64> {
        let found = "frequencies that were given, or scaled before";
        self.base.ok_or(Error::Series { scaling, expected: "frequencies made by Frequencies::new", found })
    }

    /// The base of the series `base^(−2j/width)`; `None` if the frequencies were given, or scaled.
    ///
    /// ```
    /// use posenc::{Frequencies, Scaling};
    ///
    /// let plain = Frequencies::new(64, 10_000.0)?;
    /// assert_eq!(plain.base(), Some(10_000.0));
    /// assert_eq!(plain.scaled(&Scaling::linear(4.0))?.base(), None);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn base(&self) -> Option<f64> {
        self.base
    }

    /// How many pairs turn.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.values.len() / self.reads.terms()
    }

    /// How many features turn: twice the pairs.
    #[must_use]
    pub fn width(&self) -> usize {
        2 * self.pairs()
    }

    /// The frequencies, in radians per position; `[axes, pairs]` where they are [`mixed`](Self::mixed).
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// Which positions the frequencies read.
    pub(crate) fn reads(&self) -> &Reads {
        &self.reads
    }

    /// The same frequencies, reading others.
    pub(crate) fn reading(self, reads: Reads) -> Self {
        Self { reads, ..self }
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

/// `e^(logarithm · numerator/denominator)`.
fn power_of(logarithm: Twofold, numerator: f64, denominator: f64) -> Twofold {
    logarithm.times(Twofold::from(numerator)).over(Twofold::from(denominator)).exp()
}

/// Whether a factor of a scaling is one: positive, and so far from the ends of f64 that quotients stay within.
fn check_factor(what: &'static str, factor: f64) -> Result<f64> {
    check_number(what, factor, 1e-40..=1e40, "a positive number from 1e-40 to 1e40")
}

/// Whether a number of a scaling lies in its range.
fn check_number(
    what: &'static str,
    number: f64,
    range: core::ops::RangeInclusive<f64>,
    expected: &'static str,
) -> Result<f64> {
    if range.contains(&number) { Ok(number) } else { Err(Error::Number { what, expected, found: number }) }
}

/// Whether the length of a context, in tokens, is one.
fn check_context(what: &'static str, tokens: usize) -> Result<f64> {
    match tokens {
        2..=0x1_0000_0000_0000 => Ok(tokens as f64),
        found => Err(Error::Count { what, expected: "2 to 2^48 tokens", found }),
    }
}

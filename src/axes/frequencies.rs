//! Frequencies for positions with several axes.

use alloc::vec;
use alloc::vec::Vec;

use super::{Axes, Reads, check_count};
use crate::error::{Error, Result, check_length};
use crate::frequencies::{Frequencies, MAX_WIDTH};
use crate::positions::MAX_AXES;
use crate::{Positions, Precision, TableBuilder};

/// The largest angle that can be drawn.
const MAX_ANGLE: f64 = 2_147_483_648.0;

impl Frequencies {
    /// The same frequencies for positions with several axes.
    ///
    /// ```
    /// use posenc::{Axes, Frequencies};
    ///
    /// // Qwen2-VL.
    /// let frequencies = Frequencies::new(128, 1e6)?.on_axes(Axes::sectioned(&[16, 24, 24])?)?;
    /// assert_eq!(frequencies.axes(), 3);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there is an axis for each pair; [`Error::Count`] if the frequencies are
    /// [`mixed`](Self::mixed).
    pub fn on_axes(self, axes: Axes) -> Result<Self> {
        if self.reads().terms() > 1 {
            let expected = "one frequency for each pair";
            return Err(Error::Count { what: "mixed frequencies", expected, found: self.axes() });
        }
        check_length("axes of the pairs", self.pairs(), axes.of_pairs.len())?;
        Ok(self.reading(Reads::Selected(axes)))
    }

    /// Each axis has a run of features with frequencies of its own, `base^(−2j/width)`: rows and columns of images, frames
    /// of video. Axis `a` has the `a`-th `(width, base)`.
    ///
    /// ```
    /// use posenc::Frequencies;
    ///
    /// // FLUX: text or frame, row, column.
    /// let frequencies = Frequencies::axial(&[(16, 1e4), (56, 1e4), (56, 1e4)])?;
    /// assert_eq!((frequencies.axes(), frequencies.width()), (3, 128));
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new) for each run; [`Error::Count`] if there are no runs or more than 8.
    pub fn axial(runs: &[(usize, f64)]) -> Result<Self> {
        let mut values = Vec::new();
        let mut sections = [0; MAX_AXES];
        check_count(runs.len())?;
        for (&(width, base), section) in runs.iter().zip(&mut sections) {
            let frequencies = Self::new(width, base)?;
            values.extend_from_slice(frequencies.as_slice());
            *section = frequencies.pairs();
        }
        Self::from_values(values)?.on_axes(Axes::sectioned(&sections[..runs.len()])?)
    }

    /// Every pair reads every axis: the angle is `Σ position[axis]·values[axis][j]`, for values `[axes, pairs]` in radians
    /// per position, as RoPE-Mixed learns them.
    ///
    /// ```
    /// use posenc::{Frequencies, Positions, Precision, TableBuilder};
    ///
    /// let frequencies = Frequencies::mixed(vec![1.0, 0.5, 0.25, -1.0], 2)?;
    /// let builder = TableBuilder::new(&frequencies, Precision::Exact);
    /// let (mut cos, mut sin) = ([0.0_f64; 2], [0.0_f64; 2]);
    /// builder.fill(&Positions::axes(&[3, 2], 2), &mut cos, &mut sin)?;
    /// assert!((sin[0] - 3.5_f64.sin()).abs() < 1e-15 && (sin[1] + 0.5_f64.sin()).abs() < 1e-15);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// Source: Heo et al., *Rotary Position Embedding for Vision Transformer*, 2024, section 3.2.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no axes or more than 8, or more than 2^20 values; [`Error::Length`] unless each axis
    /// has equally many values; [`Error::Number`] as in [`from_values`](Self::from_values).
    pub fn mixed(values: Vec<f64>, axes: usize) -> Result<Self> {
        check_count(axes)?;
        if values.len() > MAX_WIDTH {
            return Err(Error::Count { what: "frequencies", expected: "at most 2^20", found: values.len() });
        }
        check_length("frequencies", values.len() / axes * axes, values.len())?;
        Ok(Self::from_values(values)?.reading(Reads::Mixed(axes)))
    }

    /// What [`mixed`](Self::mixed) frequencies of two axes are before they are learned: the leading half of the pairs turns
    /// with the direction `angle`, in radians, the other one across it, and `base^(−4j/width)` is how fast pair `j` of
    /// either half turns. Each head of each layer draws an angle of its own.
    ///
    /// ```
    /// use posenc::Frequencies;
    ///
    /// let frequencies = Frequencies::mixed_initial(8, 10.0, 0.0)?;
    /// assert_eq!(frequencies.as_slice()[..4], [1.0, 0.31622776601683794, 0.0, 0.0]);     // columns
    /// assert_eq!(frequencies.as_slice()[4..], [0.0, 0.0, 1.0, 0.31622776601683794]);     // rows
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// Source: `init_random_2d_freqs` of the authors' code and of timm, with a base of 10.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] unless `width` is a multiple of four up to 2^20; [`Error::Number`] if `base` is not positive and
    /// finite, or `angle` not finite or above 2^31.
    pub fn mixed_initial(width: usize, base: f64, angle: f64) -> Result<Self> {
        if !width.is_multiple_of(4) {
            return Err(Error::Count { what: "rotary width", expected: "a multiple of four", found: width });
        }
        if angle.is_nan() || angle.abs() > MAX_ANGLE {
            return Err(Error::Number { what: "angle", expected: "at most 2^31 in size", found: angle });
        }
        let sizes = Self::new(width / 2, base)?;
        let (mut cos, mut sin) = ([0.0], [0.0]);
        let radian = TableBuilder::new(&Self::from_values(vec![1.0])?, Precision::Exact);
        radian.fill(&Positions::fractions(&[angle]), &mut cos, &mut sin)?;
        let directions = [cos[0], -sin[0], sin[0], cos[0]];
        let turned = |direction: f64| sizes.as_slice().iter().map(move |size| size * direction + 0.0);
        Self::mixed(directions.into_iter().flat_map(turned).collect(), 2)
    }

    /// How many axes positions must have.
    #[must_use]
    pub fn axes(&self) -> usize {
        self.reads().axes()
    }
}

//! Positions with several coordinates: which of them each pair reads.
//!
//! ```text
//! angle[token, j] = position[axis[j]][token] · f[j]             one axis a pair
//! angle[token, j] = Σ position[axis][token] · f[axis][j]        mixed
//! ```

use alloc::vec;
use alloc::vec::Vec;

use crate::error::{Error, Result, check_length};
use crate::frequencies::{Frequencies, MAX_WIDTH};
use crate::positions::MAX_AXES;
use crate::{Positions, Precision, TableBuilder};

/// The largest angle that can be drawn.
const MAX_ANGLE: f64 = 2_147_483_648.0;

/// Which axis of the positions each pair reads: time, row or column.
///
/// ```
/// use posenc::Axes;
///
/// assert_eq!(Axes::sectioned(&[2, 1, 1])?.as_slice(), [0, 0, 1, 2]);
/// assert_eq!(Axes::interleaved(&[2, 1, 1])?.as_slice(), [0, 1, 2, 0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// | models | axes | [`Pairing`](crate::Pairing) |
/// |---|---|---|
/// | Qwen2-VL, Qwen2.5-VL and -Omni, PaddleOCR-VL, GLM-4.5V | [`sectioned`](Self::sectioned), `[t, h, w]` | halves |
/// | GLM-4.1V, GLM-OCR | [`sectioned`](Self::sectioned), `[t, h, w]` | interleaved |
/// | Qwen3-VL, Qwen3.5, Qwen3-Omni | [`interleaved`](Self::interleaved), `[t, h, w]` | halves |
/// | the same in ggml | [`interleaved_and_rest`](Self::interleaved_and_rest) | halves |
/// | ERNIE-4.5-VL | [`ernie`](Self::ernie), `[h, w, t]` | interleaved |
/// | NeoMME: rows and columns | [`alternating`](Self::alternating) | halves |
///
/// Two published schemes are not rotations, since the two features of a pair read different axes or turn by different
/// frequencies: HunYuan-VL ("xdrope") beside text, and V-JEPA 2. This crate does not serve them.
///
/// Text reads one position on all axes: [`Positions::on_all_axes`](crate::Positions::on_all_axes).
///
/// Sources: Wang et al., *Qwen2-VL*, 2024, section 2.1; `transformers`, the `modeling_` files of the models named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axes {
    count: usize,
    of_pairs: Vec<usize>,
}

impl Axes {
    /// Any choice: pair `j` reads axis `of_pairs[j]` of `count`.
    ///
    /// ```
    /// use posenc::Axes;
    ///
    /// // Columns before rows.
    /// assert_eq!(Axes::new(2, &[1, 1, 0, 0])?.count(), 2);
    /// assert!(Axes::new(2, &[2]).is_err());
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if `count` is 0 or above 8, or there are more than 2^19 pairs; [`Error::Entry`] if a pair reads an
    /// axis that there is not.
    pub fn new(count: usize, of_pairs: &[usize]) -> Result<Self> {
        check_count(count)?;
        check_pairs(of_pairs.len())?;
        match of_pairs.iter().position(|&axis| axis >= count) {
            Some(index) => {
                let (max, found) = (count as i128 - 1, of_pairs[index] as i128);
                Err(Error::Entry { what: "axes of the pairs", index, min: 0, max, found })
            }
            None => Ok(Self { count, of_pairs: of_pairs.to_vec() }),
        }
    }

    /// The leading `sections[0]` pairs read axis 0, the next `sections[1]` axis 1, and so on. Sections may be empty.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] as in [`new`](Self::new).
    pub fn sectioned(sections: &[usize]) -> Result<Self> {
        let pairs = sum(sections)?;
        let mut of_pairs = Vec::with_capacity(pairs);
        for (axis, &section) in sections.iter().enumerate() {
            of_pairs.resize(of_pairs.len() + section, axis);
        }
        Ok(Self { count: sections.len(), of_pairs })
    }

    /// The axes take turns: pair `j` reads axis `a = j mod sections.len()` if `j < sections.len()·sections[a]`, and axis 0
    /// beyond.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] as in [`new`](Self::new).
    pub fn interleaved(sections: &[usize]) -> Result<Self> {
        Self::taking_turns(sections, sections.len(), 0)
    }

    /// [`interleaved`](Self::interleaved) as ggml has it (`IMROPE`): pairs that no section reaches read one axis more, the
    /// last.
    ///
    /// ```
    /// use posenc::Axes;
    ///
    /// let (theirs, ours) = (Axes::interleaved_and_rest(&[24, 20, 20])?, Axes::interleaved(&[24, 20, 20])?);
    /// let differ: Vec<usize> = (0..64).filter(|&j| theirs.as_slice()[j] != ours.as_slice()[j]).collect();
    /// assert_eq!(differ, [61, 62]);
    /// assert_eq!(theirs.as_slice()[61], 3);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] as in [`new`](Self::new).
    pub fn interleaved_and_rest(sections: &[usize]) -> Result<Self> {
        Self::taking_turns(sections, sections.len() + 1, sections.len())
    }

    fn taking_turns(sections: &[usize], count: usize, rest: usize) -> Result<Self> {
        check_count(count)?;
        let turns = sections.len();
        let axis = |j| if j / turns < sections[j % turns] { j % turns } else { rest };
        Ok(Self { count, of_pairs: (0..sum(sections)?).map(axis).collect() })
    }

    /// As ERNIE-4.5-VL: in the leading `2h` pairs, even ones read axis 1 (height) and odd ones axis 2 (width); the last `t`
    /// read axis 0 (time).
    ///
    /// ```
    /// use posenc::Axes;
    ///
    /// assert_eq!(Axes::ernie([2, 2, 1])?.as_slice(), [1, 2, 1, 2, 0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] as in [`new`](Self::new), and if `h` and `w` differ.
    pub fn ernie([h, w, t]: [usize; 3]) -> Result<Self> {
        if h != w {
            return Err(Error::Count { what: "section of the width", expected: "that of the height", found: w });
        }
        let axis = |j| if j < 2 * h { 1 + j % 2 } else { 0 };
        Ok(Self { count: 3, of_pairs: (0..sum(&[h, w, t])?).map(axis).collect() })
    }

    /// Pair `j` reads axis `j mod count`.
    ///
    /// ```
    /// use posenc::Axes;
    ///
    /// assert_eq!(Axes::alternating(2, 5)?.as_slice(), [0, 1, 0, 1, 0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] as in [`new`](Self::new).
    pub fn alternating(count: usize, pairs: usize) -> Result<Self> {
        check_count(count)?;
        check_pairs(pairs)?;
        Ok(Self { count, of_pairs: (0..pairs).map(|j| j % count).collect() })
    }

    /// How many axes there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The axis of each pair.
    #[must_use]
    pub fn as_slice(&self) -> &[usize] {
        &self.of_pairs
    }
}

/// The number of axes, if there can be so many.
pub(crate) fn check_count(count: usize) -> Result<usize> {
    let fits = (1..=MAX_AXES).contains(&count);
    fits.then_some(count).ok_or(Error::Count { what: "axes", expected: "1 to 8", found: count })
}

fn check_pairs(pairs: usize) -> Result<()> {
    if pairs <= MAX_WIDTH / 2 {
        return Ok(());
    }
    Err(Error::Count { what: "pairs", expected: "at most 2^19", found: pairs })
}

/// How many pairs the sections have.
fn sum(sections: &[usize]) -> Result<usize> {
    check_count(sections.len())?;
    let pairs = sections.iter().fold(0, |sum: usize, &section| sum.saturating_add(section));
    check_pairs(pairs)?;
    Ok(pairs)
}

/// What the terms of an angle read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reads {
    /// One term a pair, and one axis.
    One,
    /// One term a pair.
    Selected(Axes),
    /// One term for each axis.
    Mixed(usize),
}

impl Reads {
    /// How many axes positions must have.
    pub(crate) fn axes(&self) -> usize {
        match self {
            Self::One => 1,
            Self::Selected(axes) => axes.count,
            Self::Mixed(axes) => *axes,
        }
    }

    /// How many frequencies a pair has.
    pub(crate) fn terms(&self) -> usize {
        if let Self::Mixed(axes) = self { *axes } else { 1 }
    }

    /// Ones where a term reads an axis, `[terms, axes, pairs]`, for the kernels.
    pub(crate) fn weights(&self, pairs: usize) -> Vec<f64> {
        let axes = self.axes();
        let mut weights = vec![0.0; self.terms() * axes * pairs];
        for (cell, weight) in weights.iter_mut().enumerate() {
            let (row, pair) = (cell / pairs, cell % pairs);
            let read = match self {
                Self::One => 0,
                Self::Selected(axes) => axes.of_pairs[pair],
                Self::Mixed(_) => row / axes,
            };
            *weight = if row % axes == read { 1.0 } else { 0.0 };
        }
        weights
    }
}

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
    /// assert_eq!(sin, [3.5_f64.sin(), (-0.5_f64).sin()]);
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

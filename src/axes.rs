//! Positions with several coordinates: which of them each pair reads.
//!
//! ```text
//! angle[token, j] = position[axis[j]][token] · f[j]             one axis a pair
//! angle[token, j] = Σ position[axis][token] · f[axis][j]        mixed
//! ```

mod frequencies;
mod reads;

pub(crate) use reads::Reads;

use alloc::vec::Vec;
use core::iter::repeat_n;

use crate::error::{Error, Result};
use crate::frequencies::MAX_WIDTH;
use crate::positions::MAX_AXES;

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
/// frequencies: HunYuan-VL ("xdrope") beside text, and V-JEPA 2. Two rotations make each: those of [`doubled`](Self::doubled) for the
/// first; `docs/positions.md` has both.
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

    /// As HunYuan-VL ("xdrope"): sections count features, twice as many as they say, so that the two features of a pair may
    /// read different axes. Returned are the axes of the first and those of the second features.
    ///
    /// Beside text this is no rotation: the length of a pair is not kept, and scores do not depend on distances alone. It
    /// is made of two, one of which gives the first features and the other the second.
    ///
    /// ```
    /// use posenc::{Axes, Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let [first, second] = Axes::doubled(&[1, 1, 1, 1])?;
    /// assert_eq!((first.as_slice(), second.as_slice()), (&[0, 0, 1, 1][..], &[2, 2, 3, 3][..]));
    ///
    /// let (mut q, mut other) = ([1.0_f32; 8], [1.0_f32; 8]);
    /// let positions = Positions::axes(&[5, 1, 2, 0], 4);                // one token: index, column, row, frame
    /// for (q, axes) in [(&mut q, first), (&mut other, second)] {
    ///     let frequencies = Frequencies::new(8, 10_000.0)?.on_axes(axes)?;
    ///     Rotary::new(&frequencies, Pairing::Halves).rotate(&mut HeadsMut::new(q, [1, 1, 8])?, &positions)?;
    /// }
    /// q[4..].copy_from_slice(&other[4..]);                              // of each head
    /// assert_eq!(q[0], 5.0_f32.cos() - 5.0_f32.sin());
    /// assert_eq!(q[4], 2.0_f32.cos() + 2.0_f32.sin());
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] as in [`new`](Self::new).
    pub fn doubled(sections: &[usize]) -> Result<[Self; 2]> {
        let pairs = sum(sections)?;
        let doubled = sections.iter().enumerate().flat_map(|(axis, &section)| repeat_n(axis, 2 * section));
        let of_features: Vec<usize> = doubled.collect();
        let (first, second) = of_features.split_at(pairs);
        Ok([first, second].map(|half| Self { count: sections.len(), of_pairs: half.to_vec() }))
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

//! Sequences in which text, images and videos follow one another.

use alloc::vec::Vec;

use super::Streams;
use crate::error::{Error, Result, product};

/// Where text goes on behind an image or a video.
///
/// ```
/// use posenc::grids::{Multimodal, Resume};
///
/// // A clip of 9 frames of 2 × 2 patches: the two rules differ.
/// let next = |resume| -> posenc::Result<i64> { Ok(Multimodal::new(resume).video([9, 2, 2], 1.0)?.next_position()) };
/// assert_eq!((next(Resume::AfterExtent)?, next(Resume::AfterLargest)?), (2, 9));
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resume {
    /// As many positions on as the grid has rows or columns, whichever are more: `transformers` 5.
    AfterExtent,
    /// One behind the largest position on any axis: `transformers` 4 and the models' own code. It differs for clips whose
    /// last frame stands beyond rows and columns.
    AfterLargest,
}

/// Positions of a sequence of text, images and videos on three axes, time, row and column, as Qwen2-VL and its
/// successors number them.
///
/// Grids are counted after merging: patches of `2·rows × 2·columns` that merge two by two are `rows × columns` tokens.
/// The frames of a video that Qwen3-VL sees between timestamps are [images](Self::image) between text.
///
/// ```
/// use posenc::grids::{Multimodal, Resume};
///
/// let prompt = Multimodal::new(Resume::AfterExtent).text(3)?.image(2, 3)?.text(2)?;
/// let streams = prompt.streams();
/// assert_eq!(streams.axis(0), [0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 6.0, 7.0]);
/// assert_eq!(streams.axis(1), [0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 4.0, 4.0, 4.0, 6.0, 7.0]);
/// assert_eq!(streams.axis(2), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
/// assert_eq!(prompt.next_position(), 8);      // where decoding goes on, on all axes
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Sources: Wang et al., *Qwen2-VL*, 2024; `transformers`, `get_rope_index` of the models' `modeling_` files.
#[derive(Clone, Debug)]
pub struct Multimodal {
    axes: [Vec<f64>; 3],
    next: i64,
    resume: Resume,
}

impl Multimodal {
    /// An empty sequence.
    #[must_use]
    pub fn new(resume: Resume) -> Self {
        Self { axes: Default::default(), next: 0, resume }
    }

    /// Adds text, in which the three axes count alike.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if the sequence does not fit the memory or its positions an `i64`.
    pub fn text(mut self, tokens: usize) -> Result<Self> {
        self.reserve(tokens)?;
        let first = self.next;
        self.next = advanced(first, tokens)?;
        for axis in &mut self.axes {
            axis.extend((first..self.next).map(|position| position as f64));
        }
        Ok(self)
    }

    /// Adds an image.
    ///
    /// # Errors
    ///
    /// As [`text`](Self::text).
    pub fn image(self, rows: usize, columns: usize) -> Result<Self> {
        self.video([1, rows, columns], 1.0)
    }

    /// Adds a video whose frames stand `interval` positions apart, each cut to a whole number: 1 for Qwen2-VL;
    /// `tokens_per_second · seconds_per_grid` for Qwen2.5-VL, where current code cuts the seconds to whole ones before
    /// the product and older code does not.
    ///
    /// # Errors
    ///
    /// As [`text`](Self::text); [`Error::Number`] unless the interval is from 0 to 2^31.
    pub fn video(mut self, [frames, rows, columns]: [usize; 3], interval: f64) -> Result<Self> {
        if !(0.0..=2_147_483_648.0).contains(&interval) {
            return Err(Error::Number { what: "frame interval", expected: "0 to 2^31", found: interval });
        }
        let tokens = product("grid", &[frames, rows, columns])?;
        self.reserve(tokens)?;
        let last_frame = (frames.saturating_sub(1) as f64 * interval) as i64;
        let extent = match self.resume {
            Resume::AfterExtent => rows.max(columns),
            Resume::AfterLargest => {
                rows.max(columns).max(usize::try_from(last_frame).unwrap_or(usize::MAX).saturating_add(1))
            }
        };
        let first = self.next as f64;
        let [times, heights, widths] = &mut self.axes;
        for token in 0..tokens {
            let (frame, row, column) = (token / (rows * columns), token / columns % rows, token % columns);
            times.push(first + ((frame as f64 * interval) as i64) as f64);
            heights.push(first + row as f64);
            widths.push(first + column as f64);
        }
        if tokens > 0 {
            self.next = advanced(self.next, extent)?;
        }
        Ok(self)
    }

    fn reserve(&mut self, tokens: usize) -> Result<()> {
        for axis in &mut self.axes {
            if axis.try_reserve(tokens).is_err() {
                let expected = "a number of elements that fits the memory";
                return Err(Error::Count { what: "tokens", expected, found: tokens });
            }
        }
        Ok(())
    }

    /// The position of the next text token.
    #[must_use]
    pub fn next_position(&self) -> i64 {
        self.next
    }

    /// The positions of all tokens: time, row, column.
    #[must_use]
    pub fn streams(&self) -> Streams {
        Streams::from_axes(self.axes.clone())
    }
}

/// A position some tokens on.
fn advanced(position: i64, by: usize) -> Result<i64> {
    let next = i64::try_from(by).ok().and_then(|by| position.checked_add(by));
    next.ok_or(Error::Count { what: "tokens", expected: "positions that fit an i64", found: by })
}

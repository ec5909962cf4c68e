//! Positions of image patches, video frames and multimodal sequences, as the published models number them.
//!
//! Each function gives [`Streams`]: one coordinate an axis and token, ready for [`Positions`]. Axes are rows before columns,
//! and frames before both, unless a function says otherwise; tokens run row by row, columns fastest. What turns by them,
//! [`Frequencies`](crate::Frequencies) and [`Pairing`](crate::Pairing), is listed in `docs/positions.md`.

mod sequence;
mod video;
mod vision;

pub use sequence::{Multimodal, Resume};
pub use video::{centred, cosmos, cropped, ltx, mochi};
pub use vision::{blocks, cogview4, dinov3, llama4, pixels, rescaled};

use alloc::vec::Vec;

use crate::axes::check_count;
use crate::error::{Error, Result, zeros};
use crate::positions::MAX_AXES;
use crate::{Coordinate, Positions};

/// Coordinates of tokens, `[axes, tokens]`.
///
/// ```
/// use posenc::grids::raster;
/// use posenc::{Frequencies, HeadsMut, Pairing, Rotary};
///
/// // An image of 2 × 3 patches, as Pixtral, SAM-2 or FLUX number them.
/// let grid = raster(&[2, 3])?;
/// assert_eq!(grid.axis(0), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
/// assert_eq!(grid.axis(1), [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
/// assert_eq!((grid.axes(), grid.tokens()), (2, 6));
///
/// let rope = Rotary::new(&Frequencies::axial(&[(8, 1e4), (8, 1e4)])?, Pairing::Interleaved);
/// let mut q = vec![1.0_f32; 6 * 2 * 16];
/// rope.rotate(&mut HeadsMut::new(&mut q, [6, 2, 16])?, &grid.positions())?;
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Streams {
    list: Vec<f64>,
    axes: usize,
}

impl Streams {
    /// All combinations of coordinates, one list an axis, the last one running fastest.
    ///
    /// ```
    /// use posenc::grids::Streams;
    ///
    /// let grid = Streams::product(&[vec![0.5, 1.5], vec![7.0, 8.0]])?;
    /// assert_eq!(grid.as_slice(), [0.5, 0.5, 1.5, 1.5, 7.0, 8.0, 7.0, 8.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no axes or more than 8, or the tokens do not fit the memory.
    pub fn product(coordinates: &[Vec<f64>]) -> Result<Self> {
        let counts: Vec<usize> = coordinates.iter().map(Vec::len).collect();
        Self::of(&counts, |axis, i| coordinates[axis][i])
    }

    /// All combinations of so many coordinates an axis, each made from its axis and its index. Nothing is made before it is
    /// known that there is room for all.
    fn of(counts: &[usize], coordinate: impl Fn(usize, usize) -> f64) -> Result<Self> {
        let axes = check_count(counts.len())?;
        let mut sizes = [axes; MAX_AXES + 1];
        sizes[..axes].copy_from_slice(counts);
        let mut list: Vec<f64> = zeros("grid", &sizes[..=axes])?;
        let tokens = list.len() / axes;
        let mut inner = tokens;
        for (axis, stream) in list.chunks_mut(tokens.max(1)).enumerate() {
            inner /= counts[axis];
            for (token, place) in stream.iter_mut().enumerate() {
                *place = coordinate(axis, token / inner % counts[axis]);
            }
        }
        Ok(Self { list, axes })
    }

    /// The coordinates of one axis after the other.
    fn from_axes<const N: usize>(axes: [Vec<f64>; N]) -> Self {
        Self { list: axes.concat(), axes: N }
    }

    /// How many axes there are.
    #[must_use]
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// How many tokens there are.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.list.len() / self.axes
    }

    /// All coordinates, axis after axis.
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.list
    }

    /// The coordinates of an axis; none if there is no such axis.
    #[must_use]
    pub fn axis(&self, axis: usize) -> &[f64] {
        self.list.chunks(self.tokens().max(1)).nth(axis).unwrap_or_default()
    }

    /// The coordinates as positions of a call.
    #[must_use]
    pub fn positions(&self) -> Positions<'_> {
        Positions::axes(&self.list, self.axes)
    }

    /// The axes in another order, or some of them: models that put columns before rows.
    ///
    /// ```
    /// use posenc::grids::raster;
    ///
    /// let columns_first = raster(&[2, 3])?.with_axes(&[1, 0])?;
    /// assert_eq!(columns_first.axis(0), [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if an axis is named that there is not, or none.
    pub fn with_axes(&self, axes: &[usize]) -> Result<Self> {
        let missing = axes.iter().find(|&&axis| axis >= self.axes);
        if let Some(&found) = missing.or(axes.is_empty().then_some(&0)) {
            return Err(Error::Count { what: "axes", expected: "some of those of the grid", found });
        }
        let list = axes.iter().flat_map(|&axis| self.axis(axis)).copied().collect();
        Ok(Self { list, axes: axes.len() })
    }

    /// These tokens, and others behind them: text before an image, a class token behind the patches.
    ///
    /// ```
    /// use posenc::grids::{Streams, raster};
    ///
    /// let with_text = Streams::at(&[0, 0], 4)?.then(&raster(&[2, 3])?)?;
    /// assert_eq!(with_text.axis(1), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Axes`] if the two have different axes.
    pub fn then(&self, others: &Self) -> Result<Self> {
        if self.axes != others.axes {
            return Err(Error::Axes { expected: self.axes, found: others.axes });
        }
        let both = |axis| self.axis(axis).iter().chain(others.axis(axis)).copied();
        Ok(Self { list: (0..self.axes).flat_map(both).collect(), axes: self.axes })
    }

    /// `tokens` tokens that all stand at one place.
    ///
    /// # Errors
    ///
    /// As [`product`](Self::product).
    pub fn at<T: Coordinate + Copy + Into<f64>>(place: &[T], tokens: usize) -> Result<Self> {
        let axes = check_count(place.len())?;
        let mut list: Vec<f64> = zeros("grid", &[axes, tokens])?;
        for (stream, &coordinate) in list.chunks_mut(tokens.max(1)).zip(place) {
            stream.fill(coordinate.into());
        }
        Ok(Self { list, axes })
    }
}

/// Whole numbers from 0 on, on every axis: rows and columns, or frames, rows and columns.
///
/// As Pixtral, Gemma-4 vision and SAM-2 number patches, and FLUX, Wan, HunyuanVideo and CogVideoX 1.5 (`diffusers`,
/// `transformer_flux.py` and its siblings) number latents.
///
/// # Errors
///
/// As [`Streams::product`].
pub fn raster(counts: &[usize]) -> Result<Streams> {
    Streams::of(counts, |_, i| i as f64)
}

/// The `i`-th of `count` coordinates from `first` to `last`, at equal distances; one alone stands at `first`.
fn spaced(first: f64, last: f64, count: usize, i: usize) -> f64 {
    first + (last - first) / (count.max(2) - 1) as f64 * i as f64
}

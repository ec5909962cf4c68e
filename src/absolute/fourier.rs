//! Fourier features: sines and cosines of real coordinates with any number of axes.

use alloc::vec;
use alloc::vec::Vec;
use core::f64::consts::TAU;

use posenc_kernels::Level;

use super::Order;
use super::rows::{self, RowSource, check_factor};
use crate::axes::check_count;
use crate::element::AddTarget;
use crate::error::{Error, Result, product, zeros};
use crate::frequencies::MAX_WIDTH;
use crate::positions::Resolved;
use crate::random::Random;
use crate::tables::BLOCK;
use crate::{Element, Frequencies, Positions, Precision, TableBuilder};

/// Whether a row begins with the coordinates themselves.
///
/// ```
/// use posenc::{FourierFeatures, Leading, Positions};
///
/// let features = FourierFeatures::new(&[1.0], 1)?.with_leading(Leading::Coordinates);
/// assert_eq!(features.table(&Positions::from(0), 1)?, [0.0, 0.0, 1.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Leading {
    /// It does not.
    Nothing,
    /// It does: Perceiver, and NeRF as most codes have it.
    Coordinates,
}

/// Sines and cosines of `Σ_axis x[axis] · frequency[axis][j]`, for real coordinates `x`: NeRF, SAM, Perceiver.
///
/// ```
/// use posenc::{FourierFeatures, Leading, Positions};
///
/// // NeRF with 4 octaves: x, sin(πx), cos(πx), sin(2πx), cos(2πx), …
/// let nerf = FourierFeatures::octaves(3, 4, std::f64::consts::PI)?.with_leading(Leading::Coordinates);
/// assert_eq!(nerf.features(), 3 + 4 * 2 * 3);
/// let points = [0.5, 0.25, /* y */ 0.0, 0.0, /* z */ 1.0, -1.0];       // [3 axes, 2 points]
/// let rows = nerf.table(&Positions::axes(&points, 3), 2)?;
/// assert_eq!(rows[..6], [0.5, 0.0, 1.0, 1.0, 0.0, 1.224_646_8e-16]);    // the f64 next to π is a little less
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Values have the accuracy of [`TableBuilder`] for [`Precision::Exact`]; coordinates in front are rounded once.
///
/// Sources: Mildenhall et al., *NeRF*, 2020, equation 4; Tancik et al., *Fourier features let networks learn high frequency
/// functions in low dimensional domains*, 2020.
#[derive(Clone, Debug)]
pub struct FourierFeatures {
    builder: TableBuilder,
    axes: usize,
    pairs: usize,
    order: Order,
    /// Pairs that have sines and cosines of their own, one block behind the other.
    block: usize,
    leading: Leading,
    scale: f64,
    level: Level,
}

impl FourierFeatures {
    /// Features with a matrix of frequencies, `[axes, pairs]`, in radians for each unit of a coordinate: all sines, then all
    /// cosines.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there is no axis or more than 8, or there are more than 2^20 frequencies,
    /// [`Error::Length`] if the matrix is not whole rows, [`Error::Number`] if a
    /// frequency is larger than 2^20 in size, or no number.
    pub fn new(frequencies: &[f64], axes: usize) -> Result<Self> {
        let frequencies = Frequencies::mixed(frequencies.to_vec(), axes)?;
        let pairs = frequencies.pairs();
        Ok(Self {
            builder: TableBuilder::new(&frequencies, Precision::Exact),
            axes,
            pairs,
            order: Order::SinCos,
            block: pairs,
            leading: Leading::Nothing,
            scale: 1.0,
            level: Level::detect(),
        })
    }

    /// Each coordinate by itself, with `first`, `2·first`, `4·first`, …: `octaves` blocks of the sines and then the cosines of
    /// all axes. `first` is π in the paper of NeRF; many codes leave it out, which is 1.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn octaves(axes: usize, octaves: usize, first: f64) -> Result<Self> {
        // Far below the 2^20 of the largest frequency, powers of two leave the range; more octaves are refused below.
        let pairs = product("octaves", &[check_count(axes)?, octaves.min(2048)])?;
        let mut frequencies = matrix(axes, pairs)?;
        for axis in 0..axes {
            let mut frequency = first;
            for octave in 0..pairs / axes {
                frequencies[axis * pairs + octave * axes + axis] = frequency;
                frequency *= 2.0;
            }
        }
        Ok(Self { block: axes, ..Self::new(&frequencies, axes)? })
    }

    /// Each coordinate by itself, with the same frequencies for all axes: all bands of the first axis, then all of the
    /// next, as in Perceiver.
    ///
    /// ```
    /// use posenc::FourierFeatures;
    ///
    /// assert_eq!(FourierFeatures::bands(&[&[1.0, 2.0], &[3.0]])?.features(), 2 * 3);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn bands(bands: &[&[f64]]) -> Result<Self> {
        let pairs = bands.iter().fold(0_usize, |pairs, bands| pairs.saturating_add(bands.len()));
        let mut frequencies = matrix(bands.len(), pairs)?;
        let mut at = 0;
        for (axis, bands) in bands.iter().enumerate() {
            frequencies[axis * pairs + at..][..bands.len()].copy_from_slice(bands);
            at += bands.len();
        }
        Self::new(&frequencies, bands.len())
    }

    /// Random frequencies, `2π` times normal numbers of a given deviation; the same seed gives the same on every machine.
    ///
    /// ```
    /// use posenc::{FourierFeatures, Positions};
    ///
    /// let features = FourierFeatures::random(2, 64, 10.0, 42)?;
    /// assert_eq!(features.table(&Positions::axes(&[0.25, -0.5], 2), 1)?.len(), 128);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn random(axes: usize, pairs: usize, deviation: f64, seed: u64) -> Result<Self> {
        let mut random = Random::new(seed);
        let mut frequencies = matrix(axes, pairs)?;
        frequencies.iter_mut().for_each(|frequency| *frequency = TAU * deviation * random.normal());
        Self::new(&frequencies, axes)
    }

    /// The same values in another order, within each block if there are several.
    ///
    /// ```
    /// use posenc::{FourierFeatures, Level, Order, Positions};
    ///
    /// let features = FourierFeatures::new(&[1.0, 2.0], 1)?.with_order(Order::CosSin).with_level(Level::detect());
    /// assert_eq!((features.axes(), features.features()), (1, 4));
    /// let mut row = [9.0_f64; 4];
    /// features.write(&mut row, &Positions::fractions(&[0.0]))?;
    /// assert_eq!(row, [1.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// The same values with or without the coordinates in front.
    #[must_use]
    pub fn with_leading(self, leading: Leading) -> Self {
        Self { leading, ..self }
    }

    /// The same rows, which multiply those that they are added to first: `x·scale + row`.
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if it is larger than 1e38 in size, or no number.
    pub fn with_embedding_scale(self, scale: f64) -> Result<Self> {
        Ok(Self { scale: check_factor("embedding scale", scale)?, ..self })
    }

    /// The same rows on a given level; the values do not change.
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Self {
        self.builder.set_level(level);
        Self { level, ..self }
    }

    /// How many values a point has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.kept() + 2 * self.pairs
    }

    /// How many coordinates a point has.
    #[must_use]
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// The rows of `count` points, `[points, features]`.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write); [`Error::Count`] if the table does not fit the memory.
    pub fn table(&self, points: &Positions<'_>, count: usize) -> Result<Vec<f32>> {
        points.resolve(1, count, None, self.axes)?;
        let mut table = zeros("rows", &[count, self.features()])?;
        self.write(&mut table, points)?;
        Ok(table)
    }

    /// Writes the rows of points over `out`, `[points, features]`.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if `out` is not one row for each point,
    /// [`Error::Axes`] if points have another number of axes,
    /// [`Error::Coordinate`] if a coordinate is larger than 2^31 in size, or no number. Nothing is
    /// written then.
    pub fn write<T: Element>(&self, out: &mut [T], points: &Positions<'_>) -> Result<()> {
        let points = self.check(out, points)?;
        Points { features: self, points }.fill(0, out);
        Ok(())
    }

    /// Adds the rows of points to `x`, `[points, features]`.
    ///
    /// ```
    /// use posenc::{FourierFeatures, Positions};
    ///
    /// let mut x = [1.0_f32, 1.0];
    /// FourierFeatures::new(&[1.0], 1)?.with_embedding_scale(3.0)?.add(&mut x, &Positions::fractions(&[0.0]))?;
    /// assert_eq!(x, [3.0, 4.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn add<T: Element + AddTarget<<T as Element>::Work>>(&self, x: &mut [T], points: &Positions<'_>) -> Result<()> {
        let points = self.check(x, points)?;
        rows::add::<T::Work, T>(&Points { features: self, points }, self.level, self.scale, 0, x);
        Ok(())
    }

    /// [`write`](Self::write), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    #[cfg(feature = "rayon")]
    pub fn par_write<T: Element>(&self, out: &mut [T], points: &Positions<'_>) -> Result<()> {
        let points = Points { features: self, points: self.check(out, points)? };
        crate::parallel::rows(out.len(), self.features(), out, &|first, out: &mut [T]| points.fill(first, out));
        Ok(())
    }

    /// [`add`](Self::add), on the rayon pool of the caller.
    ///
    /// ```
    /// use posenc::{FourierFeatures, Positions};
    ///
    /// let (features, mut x) = (FourierFeatures::new(&[1.0], 1)?, [9.0_f32; 2]);
    /// features.par_write(&mut x, &Positions::from(0))?;
    /// features.par_add(&mut x, &Positions::from(0))?;
    /// assert_eq!(x, [0.0, 2.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    #[cfg(feature = "rayon")]
    pub fn par_add<T: Element + AddTarget<<T as Element>::Work>>(
        &self,
        x: &mut [T],
        points: &Positions<'_>,
    ) -> Result<()> {
        let points = Points { features: self, points: self.check(x, points)? };
        crate::parallel::rows(x.len(), self.features(), x, &|first, x: &mut [T]| {
            rows::add::<T::Work, T>(&points, self.level, self.scale, first, x);
        });
        Ok(())
    }

    fn check<'a, T>(&self, x: &[T], points: &'a Positions<'_>) -> Result<Resolved<'a>> {
        points.resolve_rows("rows", x.len(), self.features(), self.axes)
    }

    fn kept(&self) -> usize {
        match self.leading {
            Leading::Nothing => 0,
            Leading::Coordinates => self.axes,
        }
    }
}

/// Zeros for the frequencies of each axis, `[axes, pairs]`, if there can be so many.
fn matrix(axes: usize, pairs: usize) -> Result<Vec<f64>> {
    let len = check_count(axes)?.saturating_mul(pairs);
    if len > MAX_WIDTH {
        return Err(Error::Count { what: "frequencies", expected: "at most 2^20", found: len });
    }
    Ok(vec![0.0; len])
}

/// Points, one row each.
struct Points<'a> {
    features: &'a FourierFeatures,
    points: Resolved<'a>,
}

impl<T: Element> RowSource<T> for Points<'_> {
    fn width(&self) -> usize {
        self.features.features()
    }

    fn fill(&self, first: usize, rows: &mut [T]) {
        let FourierFeatures { builder, pairs, .. } = self.features;
        let width = self.features.features().max(1);
        // A point alone does not pay for a block.
        let cells = BLOCK.min(rows.len() / width) * pairs;
        let (mut cos, mut sin) = (vec![T::default(); cells], vec![T::default(); cells]);
        for (number, rows) in rows.chunks_mut(BLOCK * width).enumerate() {
            let (first, count) = (first + number * BLOCK, rows.len() / width);
            let (cos, sin) = (&mut cos[..count * pairs], &mut sin[..count * pairs]);
            builder.rows(self.points, 0, first..first + count, cos, sin);
            for (i, row) in rows.chunks_exact_mut(width).enumerate() {
                self.put(first + i, row, &cos[i * pairs..][..*pairs], &sin[i * pairs..][..*pairs]);
            }
        }
    }
}

impl Points<'_> {
    /// Writes one row.
    fn put<T: Element>(&self, point: usize, row: &mut [T], cos: &[T], sin: &[T]) {
        let FourierFeatures { order, block, .. } = self.features;
        let (kept, row) = row.split_at_mut(self.features.kept());
        for (axis, kept) in kept.iter_mut().enumerate() {
            *kept = T::from_double(self.points.coordinate(axis, 0, point));
        }
        let block = (*block).max(1);
        for (to, (cos, sin)) in row.chunks_mut(2 * block).zip(cos.chunks(block).zip(sin.chunks(block))) {
            order.put(to, cos, sin);
        }
    }
}

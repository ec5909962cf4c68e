//! Fourier features: sines and cosines of real coordinates with any number of axes.

use alloc::vec;
use alloc::vec::Vec;
use core::f64::consts::TAU;

use posenc_kernels::Level;

use super::rows::{self, RowSource, check_factor};
use super::waves::{Axis, Wave};
use super::{Order, embedding::whole_rows};
use crate::element::AddTarget;
use crate::error::{Error, Result, check_length, product, zeros};
use crate::random::Random;
use crate::{Element, Frequencies};

/// Whether a row begins with the coordinates themselves.
///
/// ```
/// use posenc::{Coordinates, FourierFeatures};
///
/// let features = FourierFeatures::new(&[1.0], 1)?.with_coordinates(Coordinates::First);
/// assert_eq!(features.table(&[0.0])?, [0.0, 0.0, 1.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Coordinates {
    /// It does not.
    Omitted,
    /// It does: Perceiver, and NeRF as most codes have it.
    First,
}

/// Sines and cosines of `Σ_axis x[axis] · frequency[axis][j]`, for real coordinates `x`: NeRF, SAM, Perceiver.
///
/// ```
/// use posenc::{Coordinates, FourierFeatures};
///
/// // NeRF with 4 octaves: x, sin(πx), cos(πx), sin(2πx), cos(2πx), …
/// let nerf = FourierFeatures::octaves(3, 4, std::f64::consts::PI)?.with_coordinates(Coordinates::First);
/// assert_eq!(nerf.features(), 3 + 4 * 2 * 3);
/// let row = nerf.table(&[0.5, 0.0, 1.0])?;
/// assert_eq!(row[..6], [0.5, 0.0, 1.0, 1.0, 0.0, 1.224_646_8e-16]);    // the f64 next to π is a little less
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Angles are the sums of the exact products; cosine and sine are within 2^-49 of the true ones for each axis before
/// they are rounded once. Coordinates of one axis with up to 31 binary digits have the accuracy of whole numbers.
///
/// Sources: Mildenhall et al., *NeRF*, 2020, equation 4; Tancik et al., *Fourier features let networks learn high frequency
/// functions in low dimensional domains*, 2020.
#[derive(Clone, Debug)]
pub struct FourierFeatures {
    /// For each axis, a frequency for each pair.
    axes: Vec<Frequencies>,
    pairs: usize,
    order: Order,
    /// Pairs that have sines and cosines of their own, one block behind the other.
    block: usize,
    coordinates: Coordinates,
    scale: f64,
    level: Level,
}

impl FourierFeatures {
    /// Features with a matrix of frequencies, `[axes, pairs]`, in radians for each unit of a coordinate: all sines, then all
    /// cosines.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there is no axis, [`Error::Length`] if the matrix is not whole rows,
    /// [`Error::Number`] if a frequency is larger than 2^20 in size, or no number.
    pub fn new(frequencies: &[f64], axes: usize) -> Result<Self> {
        if axes == 0 {
            return Err(Error::Count { what: "axes", expected: "at least 1", found: 0 });
        }
        let pairs = frequencies.len() / axes;
        check_length("frequencies", axes * pairs, frequencies.len())?;
        let rows = (0..axes).map(|axis| Frequencies::from_values(frequencies[axis * pairs..][..pairs].to_vec()));
        Ok(Self {
            axes: rows.collect::<Result<_>>()?,
            pairs,
            order: Order::SinCos,
            block: pairs,
            coordinates: Coordinates::Omitted,
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
        let pairs = product("octaves", &[axes, octaves.min(2048)])?;
        let mut frequencies: Vec<f64> = zeros("frequencies", &[axes, pairs])?;
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
        let pairs = bands.iter().map(|bands| bands.len()).sum();
        let mut frequencies: Vec<f64> = zeros("frequencies", &[bands.len(), pairs])?;
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
    /// use posenc::FourierFeatures;
    ///
    /// let features = FourierFeatures::random(2, 64, 10.0, 42)?;
    /// assert_eq!(features.table(&[0.25, -0.5])?.len(), 128);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn random(axes: usize, pairs: usize, deviation: f64, seed: u64) -> Result<Self> {
        let mut random = Random::new(seed);
        let mut frequencies: Vec<f64> = zeros("frequencies", &[axes, pairs])?;
        frequencies.iter_mut().for_each(|frequency| *frequency = TAU * deviation * random.normal());
        Self::new(&frequencies, axes)
    }

    /// The same values in another order, within each block if there are several.
    ///
    /// ```
    /// use posenc::{FourierFeatures, Level, Order};
    ///
    /// let features = FourierFeatures::new(&[1.0, 2.0], 1)?.with_order(Order::CosSin).with_level(Level::detect());
    /// assert_eq!((features.axes(), features.features()), (1, 4));
    /// let mut row = [9.0_f64; 4];
    /// features.write(&mut row, &[0.0])?;
    /// assert_eq!(row, [1.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// The same values with or without the coordinates in front.
    #[must_use]
    pub fn with_coordinates(self, coordinates: Coordinates) -> Self {
        Self { coordinates, ..self }
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
    pub fn with_level(self, level: Level) -> Self {
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
        self.axes.len()
    }

    /// The rows of points, `[points, axes]`: `[points, features]`.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write); [`Error::Count`] if the table does not fit the memory.
    pub fn table(&self, points: &[f64]) -> Result<Vec<f32>> {
        let mut table = zeros("rows", &[points.len() / self.axes.len(), self.features()])?;
        self.write(&mut table, points)?;
        Ok(table)
    }

    /// Writes the rows of points, `[points, axes]`, over `out`, `[points, features]`.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the points are not whole or `out` has not one row for each, [`Error::Number`] if a coordinate is
    /// larger than 2^31 in size or makes an angle of more than 2^33 radians, or is no number. Nothing is written then.
    pub fn write<T: Element>(&self, out: &mut [T], points: &[f64]) -> Result<()> {
        let axes = self.check(out, points)?;
        Points { features: self, axes, points }.fill(0, out);
        Ok(())
    }

    /// Adds the rows of points, `[points, axes]`, to `x`, `[points, features]`.
    ///
    /// ```
    /// let mut x = [1.0_f32, 1.0];
    /// posenc::FourierFeatures::new(&[1.0], 1)?.with_embedding_scale(3.0)?.add(&mut x, &[0.0])?;
    /// assert_eq!(x, [3.0, 4.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn add<T: Element + AddTarget<<T as Element>::Work>>(&self, x: &mut [T], points: &[f64]) -> Result<()> {
        let axes = self.check(x, points)?;
        rows::add::<T::Work, T>(&Points { features: self, axes, points }, self.level, self.scale, 0, x);
        Ok(())
    }

    fn check<T>(&self, x: &[T], points: &[f64]) -> Result<Vec<Axis<'_>>> {
        let rows = whole_rows("coordinates", points.len(), self.axes.len())?;
        check_length("rows", product("rows", &[rows, self.features()])?, x.len())?;
        let axes = self.axes.iter().map(Axis::new).collect::<Result<Vec<_>>>()?;
        for (i, axis) in axes.iter().enumerate() {
            axis.check("coordinate", points.iter().skip(i).step_by(axes.len()).copied())?;
        }
        Ok(axes)
    }

    fn kept(&self) -> usize {
        match self.coordinates {
            Coordinates::Omitted => 0,
            Coordinates::First => self.axes.len(),
        }
    }
}

/// Points, one row each.
struct Points<'a> {
    features: &'a FourierFeatures,
    axes: Vec<Axis<'a>>,
    points: &'a [f64],
}

impl<T: Element> RowSource<T> for Points<'_> {
    fn width(&self) -> usize {
        self.features.features()
    }

    fn fill(&self, first: usize, rows: &mut [T]) {
        let FourierFeatures { pairs, order, block, level, .. } = self.features;
        let axes = &self.axes;
        let (mut cos, mut sin) = (vec![T::default(); *pairs], vec![T::default(); *pairs]);
        let points = self.points.chunks_exact(axes.len()).skip(first);
        for (row, point) in rows.chunks_exact_mut(self.features.features().max(1)).zip(points) {
            let parts: Vec<_> = point.iter().copied().zip(axes).collect();
            Wave { axes: &parts, magnitude: 1.0, level: *level }.fill(&mut cos, &mut sin);
            let (kept, row) = row.split_at_mut(self.features.kept());
            for (kept, &x) in kept.iter_mut().zip(point) {
                *kept = T::from_double(x);
            }
            let cells = cos.chunks((*block).max(1)).zip(sin.chunks((*block).max(1)));
            for (to, (cos, sin)) in row.chunks_mut(2 * (*block).max(1)).zip(cells) {
                order.put(to, cos, sin);
            }
        }
    }
}

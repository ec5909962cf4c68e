//! Learned tables for another number of positions: rows between the given ones, by linear or cubic interpolation.

use alloc::vec;
use alloc::vec::Vec;

use crate::Element;
use crate::error::{Error, Result, check_length, product, zeros};

/// How rows between the given ones are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// Of the two nearest in each axis: `linear` and `bilinear`.
    Linear,
    /// Of the four nearest in each axis, by the cubic of Keys (1981) with `a = −0.75`: `bicubic`.
    Cubic,
    /// [`Linear`](Self::Linear), over a wider neighbourhood when the table shrinks: `antialias=True`.
    SmoothLinear,
    /// The cubic with `a = −0.5`, over a wider neighbourhood when the table shrinks: `antialias=True`.
    SmoothCubic,
}

/// The interpolation of learned tables, as PyTorch does it with `align_corners=False`: rows are taken to stand in the
/// middle of cells that divide the same picture.
///
/// ```
/// use posenc::{Filter, Resize};
///
/// // A ViT with a class row and a grid of 2 × 2 patches, for pictures of 4 × 4 patches.
/// let weights = [9.0_f32, 0.0, 1.0, 2.0, 3.0];                     // [1 + 4 positions, 1 feature]
/// let resize = Resize::to_size([2, 2], [4, 4], Filter::Linear)?.keeping(1);
/// let resized = resize.table(&weights, 1)?;
/// assert_eq!(resized[..5], [9.0, 0.0, 0.25, 0.75, 1.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// A table of one axis is a grid of one row: `[1, positions]`. Values are summed in f64 and rounded once.
#[derive(Clone, Debug, PartialEq)]
pub struct Resize {
    from: [usize; 2],
    to: [usize; 2],
    /// For each new place along an axis: the first place that counts, and the weights from there on.
    taps: [Vec<Taps>; 2],
    kept: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Taps {
    first: usize,
    weights: Vec<f64>,
}

/// More places along an axis than any table has, and few enough that they can be counted in f64.
const MAX_PLACES: usize = 1 << 20;

impl Resize {
    /// From a grid of `[height, width]` to another: the ratio of the sizes is the step (`size=` in PyTorch).
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if a size is 0 or above 2^20.
    pub fn to_size(from: [usize; 2], to: [usize; 2], filter: Filter) -> Result<Self> {
        let steps = [0, 1].map(|axis| from[axis] as f64 / to[axis].max(1) as f64);
        Self::new(from, to, steps, 0.5, filter)
    }

    /// From a grid of `[height, width]` to another whose corners are those of the first (`align_corners=True` in PyTorch): the
    /// bilinear tables of Qwen3-VL. (With `antialias=True`, PyTorch moves everything by half a step here; this does not.)
    ///
    /// ```
    /// use posenc::{Filter, Resize};
    ///
    /// let resize = Resize::to_corners([1, 2], [1, 5], Filter::Linear)?;
    /// assert_eq!(resize.table(&[0.0_f32, 1.0], 1)?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`to_size`](Self::to_size).
    pub fn to_corners(from: [usize; 2], to: [usize; 2], filter: Filter) -> Result<Self> {
        let steps = [0, 1].map(|axis| match to[axis] {
            0 | 1 => 0.0,
            places => from[axis].saturating_sub(1) as f64 / (places - 1) as f64,
        });
        Self::new(from, to, steps, 0.0, filter)
    }

    /// From a grid of `[height, width]` to one that is so many times as large, rounded down; the inverse of the factor is
    /// the step (`scale_factor=` in PyTorch), which is not the ratio of the sizes where that was rounded.
    ///
    /// ```
    /// use posenc::{Filter, Resize};
    ///
    /// // DINO adds 0.1 to the wanted size, so that rounding down cannot miss it.
    /// let resize = Resize::by_factor([14, 14], [16.1 / 14.0; 2], Filter::Cubic)?;
    /// assert_eq!(resize.size(), [16, 16]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`to_size`](Self::to_size); [`Error::Number`] if a factor is not positive and finite.
    pub fn by_factor(from: [usize; 2], factors: [f64; 2], filter: Filter) -> Result<Self> {
        for factor in factors {
            if !(factor > 0.0 && factor.is_finite()) {
                return Err(Error::Number { what: "factor", expected: "a positive finite number", found: factor });
            }
        }
        let to = [0, 1].map(|axis| (from[axis] as f64 * factors[axis]) as usize);
        Self::new(from, to, factors.map(|factor| 1.0 / factor), 0.5, filter)
    }

    /// Steps are in old places; the offset of a place from its number is 1/2 in the middle of cells, and 0 at their corners.
    fn new(from: [usize; 2], to: [usize; 2], steps: [f64; 2], offset: f64, filter: Filter) -> Result<Self> {
        for size in from.into_iter().chain(to) {
            if size == 0 || size > MAX_PLACES {
                return Err(Error::Count { what: "grid size", expected: "1 to 2^20", found: size });
            }
        }
        let taps = [0, 1]
            .map(|axis| (0..to[axis]).map(|place| filter.taps(place, [steps[axis], offset], from[axis])).collect());
        Ok(Self { from, to, taps, kept: 0 })
    }

    /// The same interpolation, which keeps so many rows before the grid as they are: those of classes and registers.
    #[must_use]
    pub fn keeping(self, rows: usize) -> Self {
        Self { kept: rows, ..self }
    }

    /// Height and width of the new grid.
    #[must_use]
    pub fn size(&self) -> [usize; 2] {
        self.to
    }

    /// The new table, `[kept + height·width, features]`, from one of the old size.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the table has another size, [`Error::Count`] if the new one does not fit the memory.
    pub fn table<T: Element>(&self, table: &[T], features: usize) -> Result<Vec<T>> {
        self.resized(table, features, |from, grid| self.rows(from, features, 0, grid))
    }

    /// [`table`](Self::table), on the rayon pool of the caller; serial where that is faster. The bits are the same.
    ///
    /// ```
    /// use posenc::{Filter, Resize};
    ///
    /// let weights: Vec<f32> = (0..14 * 14 * 384).map(|x| x as f32).collect();
    /// let resize = Resize::to_size([14, 14], [32, 32], Filter::Cubic)?;
    /// assert_eq!(resize.par_table(&weights, 384)?, resize.table(&weights, 384)?);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`table`](Self::table).
    #[cfg(feature = "rayon")]
    pub fn par_table<T: Element>(&self, table: &[T], features: usize) -> Result<Vec<T>> {
        self.resized(table, features, |from, grid| {
            crate::parallel::rows(grid.len(), features, grid, &|first, rows: &mut [T]| {
                self.rows(from, features, first, rows);
            });
        })
    }

    /// The new table; `fill` makes the rows of its grid from those of the old one.
    fn resized<T: Element>(&self, table: &[T], features: usize, fill: impl FnOnce(&[T], &mut [T])) -> Result<Vec<T>> {
        check_length("embedding rows", self.cells(self.from, features)?, table.len())?;
        let mut out = zeros("resized rows", &[self.cells(self.to, features)?])?;
        let (kept, grid) = out.split_at_mut(self.kept * features);
        let (kept_from, grid_from) = table.split_at(self.kept * features);
        kept.copy_from_slice(kept_from);
        fill(grid_from, grid);
        Ok(out)
    }

    /// Rows of the new grid, from one on.
    fn rows<T: Element>(&self, from_grid: &[T], features: usize, first: usize, rows: &mut [T]) {
        let mut sum = vec![0.0; features];
        for (place, row) in (first..).zip(rows.chunks_exact_mut(features.max(1))) {
            // Unlike +0, this changes nothing that is added to it.
            sum.fill(-0.0);
            self.each(place, |weight, from| {
                for (sum, x) in sum.iter_mut().zip(&from_grid[from * features..]) {
                    *sum += weight * x.to_double();
                }
            });
            for (to, &sum) in row.iter_mut().zip(&sum) {
                *to = T::from_double(sum);
            }
        }
    }

    /// The gradient of the old table, given that of the new one: the transpose of [`table`](Self::table).
    ///
    /// ```
    /// use posenc::{Filter, Resize};
    ///
    /// let resize = Resize::to_size([1, 2], [1, 4], Filter::Linear)?;
    /// assert_eq!(resize.gradient(&[1.0_f32, 1.0, 1.0, 1.0], 1)?, [2.0, 2.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the gradient has another size, [`Error::Count`] if the old table does not fit the memory.
    pub fn gradient<T: Element>(&self, gradient: &[T], features: usize) -> Result<Vec<T>> {
        check_length("gradient rows", self.cells(self.to, features)?, gradient.len())?;
        let mut sums: Vec<f64> = zeros("gradient rows", &[self.cells(self.from, features)?])?;
        let (kept, grid) = sums.split_at_mut(self.kept * features);
        let (kept_from, grid_from) = gradient.split_at(self.kept * features);
        for (sum, x) in kept.iter_mut().zip(kept_from) {
            *sum = x.to_double();
        }
        for (place, row) in grid_from.chunks_exact(features.max(1)).enumerate() {
            self.each(place, |weight, to| {
                for (sum, x) in grid[to * features..].iter_mut().zip(row) {
                    *sum += weight * x.to_double();
                }
            });
        }
        Ok(sums.into_iter().map(T::from_double).collect())
    }

    /// How many values there are with a grid of this size.
    fn cells(&self, [height, width]: [usize; 2], features: usize) -> Result<usize> {
        let rows = product("grid size", &[height, width])?.saturating_add(self.kept);
        product("resized rows", &[rows, features])
    }

    /// All weights of a place of the new grid that are not zero, with the places of the old grid that they belong to.
    fn each(&self, place: usize, mut work: impl FnMut(f64, usize)) {
        let (vertical, horizontal) = (&self.taps[0][place / self.to[1]], &self.taps[1][place % self.to[1]]);
        for (i, v) in vertical.weights.iter().enumerate() {
            for (j, h) in horizontal.weights.iter().enumerate().filter(|(_, h)| *v * **h != 0.0) {
                work(v * h, (vertical.first + i) * self.from[1] + horizontal.first + j);
            }
        }
    }
}

impl Filter {
    /// What a new place is made of, `step` old places from the one before it.
    fn taps(self, place: usize, [step, offset]: [f64; 2], count: usize) -> Taps {
        let middle = (place as f64 + offset) * step - offset;
        match self {
            Self::Linear | Self::Cubic => self.nearest(middle, count),
            Self::SmoothLinear | Self::SmoothCubic => self.around(middle, step.max(1.0), count),
        }
    }

    /// How far from its middle the filter reaches.
    fn reach(self) -> usize {
        match self {
            Self::Linear | Self::SmoothLinear => 1,
            Self::Cubic | Self::SmoothCubic => 2,
        }
    }

    /// The weight of a place at a distance.
    fn weight(self, distance: f64) -> f64 {
        let x = distance.abs();
        let a = if self == Self::SmoothCubic { -0.5 } else { -0.75 };
        match self {
            _ if x >= self.reach() as f64 => 0.0,
            Self::Linear | Self::SmoothLinear => 1.0 - x,
            Self::Cubic | Self::SmoothCubic if x < 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
            Self::Cubic | Self::SmoothCubic => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
        }
    }

    /// The nearest places; those beyond the ends are the places at the ends.
    fn nearest(self, middle: f64, count: usize) -> Taps {
        // Of two places, none lies before the first one; of four, some do.
        let middle = if self == Self::Linear { middle.max(0.0) } else { middle };
        let below = middle as i64 - i64::from(middle < (middle as i64) as f64);
        let (reach, last) = (self.reach() as i64, count as i64 - 1);
        let first = (below - reach + 1).clamp(0, last);
        let mut weights = vec![0.0; ((below + reach).clamp(0, last) - first + 1) as usize];
        for place in below - reach + 1..=below + reach {
            weights[(place.clamp(0, last) - first) as usize] += self.weight(middle - place as f64);
        }
        Taps { first: first as usize, weights }
    }

    /// All places within the stretched filter, with weights that add up to one.
    fn around(self, middle: f64, stretch: f64, count: usize) -> Taps {
        let reach = self.reach() as f64 * stretch;
        let (first, end) = ((middle - reach + 1.0).max(0.0) as usize, ((middle + reach + 1.0) as usize).min(count));
        // A place beyond the end, as a factor that is no ratio of sizes may ask for, is the last one.
        let first = first.min(count - 1);
        let weight = |place: usize| self.weight((place as f64 - middle) / stretch);
        let mut weights: Vec<f64> = (first..end.max(first + 1)).map(weight).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight = if sum == 0.0 { 1.0 } else { *weight / sum });
        Taps { first, weights }
    }
}

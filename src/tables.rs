//! Tables of cosines and sines: made exactly, or brought along.

mod points;

use alloc::vec::Vec;
use core::ops::Range;

use posenc_kernels::{Exact, Level, Rows, Single32, Steps};

use crate::error::{Error, Result, check_length, zeros};
use crate::frequencies::MAX_WIDTH;
use crate::positions::Resolved;
use crate::{Element, Frequencies, Pairing, Positions};

/// How angles are rounded.
///
/// ```
/// use posenc::{Frequencies, Positions, Precision, TableBuilder};
///
/// // The two contracts drift apart as positions grow.
/// let frequencies = Frequencies::new(128, 10_000.0)?;
/// let table = |precision| {
///     let (mut cos, mut sin) = ([0.0_f32; 64], [0.0_f32; 64]);
///     TableBuilder::new(&frequencies, precision).fill(&Positions::from(131_071), &mut cos, &mut sin)?;
///     Ok::<_, posenc::Error>(cos)
/// };
/// let (exact, single) = (table(Precision::Exact)?, table(Precision::Single)?);
/// assert!(exact.iter().zip(&single).any(|(a, b)| (a - b).abs() > 1e-3));
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// The true cosine and sine of `position · frequency` for the f64 frequency, times the magnitude, rounded once.
    /// Within 0.50003 ULP for positions below 2^24 in size, within 0.51 ULP to 2^31, zero crossings included, for any
    /// frequency under which the angle stays below 2^38 radians. Larger angles are as exact but next to crossings, where
    /// the absolute error is below 2^-60. Fractions, and angles that are sums over axes, are within 0.50003 ULP while the angle is
    /// below 2^28 radians and the value above 2^-45, and within 2^-59 elsewhere. Results below the normal numbers of f32 are
    /// within 0.5001 ULP.
    Exact,
    /// What most training stacks compute: the angle is `fl32(fl32(position) · fl32(frequency))`; cosine and sine are those
    /// of that f32, within 0.50003 ULP while it is below 2^24 in size; the magnitude is an f32 product afterwards. At position 1 000 000 this is up to
    /// 6e-2 away from [`Exact`](Self::Exact), and as far from the true value.
    Single,
}

/// Positions whose rows are made in one go: what a run of them reaches.
pub(crate) const BLOCK: usize = Steps::RUN;

/// Makes rows of cosines and sines for given frequencies.
///
/// A row has the same bits whether it is made alone, in a table, or in a part of one; in one thread or in many; on
/// whatever machine.
///
/// ```
/// use posenc::{Frequencies, Positions, Precision, TableBuilder};
///
/// let frequencies = Frequencies::new(64, 10_000.0)?;
/// let builder = TableBuilder::new(&frequencies, Precision::Exact);
///
/// let tables = builder.build(4096)?;
/// let (mut cos, mut sin) = ([0.0; 32], [0.0; 32]);
/// builder.fill(&Positions::from(4095), &mut cos, &mut sin)?;
/// assert_eq!(tables.row(4095), Some((&cos[..], &sin[..])));
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableBuilder {
    frequencies: Frequencies,
    /// The frequencies in f32, where [`Precision::Single`] was asked for.
    single: Option<Vec<f32>>,
    /// Which coordinates the frequencies read, for positions of several or of fractions.
    weights: Vec<f64>,
    /// What makes runs of whole positions fast, where [`Precision::Exact`] was asked for.
    steps: Steps,
    level: Level,
}

impl TableBuilder {
    /// Prepares the frequencies.
    #[must_use]
    pub fn new(frequencies: &Frequencies, precision: Precision) -> Self {
        let level = Level::detect();
        let single = match precision {
            Precision::Exact => None,
            Precision::Single => Some(frequencies.as_slice().iter().map(|&f| f as f32).collect()),
        };
        // Only whole positions on one axis come in runs.
        let steps = match precision {
            Precision::Exact if frequencies.axes() == 1 => Steps::new(level, frequencies.turns()),
            _ => Steps::default(),
        };
        let weights = frequencies.reads().weights(frequencies.pairs());
        Self { frequencies: frequencies.clone(), single, weights, steps, level }
    }

    /// The same builder on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// The same builder with another magnitude, made from its own.
    pub(crate) fn with_magnitude(&self, magnitude: impl Fn(f64) -> f64) -> Result<Self> {
        let frequencies = self.frequencies.clone().with_magnitude(magnitude(self.frequencies.magnitude()))?;
        Ok(Self { frequencies, ..self.clone() })
    }

    pub(crate) fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// How many cosines, and how many sines, a row has.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.frequencies.pairs()
    }

    /// Tables in f32 for positions `0 .. rows`.
    ///
    /// # Errors
    ///
    /// [`Error::Position`] if `rows` goes beyond 2^31, [`Error::Count`] if the tables do not fit the memory.
    pub fn build(&self, rows: usize) -> Result<Tables> {
        self.build_as(rows)
    }

    /// Tables of any element type for positions `0 .. rows`, each value rounded once.
    ///
    /// In f64 they are within 1 ULP, or 2^-53 where that is more, for positions below 2^24; in the 16-bit types they are
    /// the nearest to the true value.
    ///
    /// ```
    /// use posenc::{Frequencies, Precision, TableBuilder};
    ///
    /// let builder = TableBuilder::new(&Frequencies::new(2, 10_000.0)?, Precision::Exact);
    /// assert_eq!(builder.build_as::<f64>(2)?.cos()[1], 1.0_f64.cos());
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn build_as<T: Element>(&self, rows: usize) -> Result<Tables<T>> {
        self.build_with(rows, Self::fill)
    }

    /// [`build`](Self::build), on the rayon pool of the caller.
    ///
    /// ```
    /// use posenc::{Frequencies, Precision, TableBuilder};
    ///
    /// let builder = TableBuilder::new(&Frequencies::new(128, 10_000.0)?, Precision::Exact);
    /// assert_eq!(builder.par_build(5000)?, builder.build(5000)?);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    #[cfg(feature = "rayon")]
    pub fn par_build(&self, rows: usize) -> Result<Tables> {
        self.par_build_as(rows)
    }

    /// [`build_as`](Self::build_as), on the rayon pool of the caller.
    ///
    /// ```
    /// use posenc::{Frequencies, Precision, TableBuilder};
    ///
    /// let builder = TableBuilder::new(&Frequencies::new(128, 10_000.0)?, Precision::Exact);
    /// assert_eq!(builder.par_build_as::<f64>(5000)?, builder.build_as(5000)?);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    #[cfg(feature = "rayon")]
    pub fn par_build_as<T: Element>(&self, rows: usize) -> Result<Tables<T>> {
        self.build_with(rows, Self::par_fill)
    }

    fn build_with<T: Element>(
        &self,
        rows: usize,
        fill: impl Fn(&Self, &Positions<'_>, &mut [T], &mut [T]) -> Result<()>,
    ) -> Result<Tables<T>> {
        if self.frequencies.reads().terms() > 1 {
            let expected = "one for each pair, where there is a table";
            return Err(Error::Count { what: "axes", expected, found: self.frequencies.axes() });
        }
        let positions = Positions::from(0_usize).on_all_axes();
        positions.resolve(1, rows, None, self.frequencies.axes())?;
        let (mut cos, mut sin) = (zeros("cosines", &[rows, self.pairs()])?, zeros("sines", &[rows, self.pairs()])?);
        fill(self, &positions, &mut cos, &mut sin)?;
        Ok(Tables { cos, sin, pairs: self.pairs(), rows })
    }

    /// Fills rows of cosines and sines, `[positions, pairs]` each, of any element type.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the two slices differ, are not whole rows, or not one row a position;
    /// [`Error::Position`] if a position is larger than 2^31 in size.
    pub fn fill<T: Element>(&self, positions: &Positions<'_>, cos: &mut [T], sin: &mut [T]) -> Result<()> {
        let positions = self.check(positions, cos, sin)?;
        self.rows(positions, 0, 0..cos.len() / self.pairs().max(1), cos, sin);
        Ok(())
    }

    /// [`fill`](Self::fill), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`fill`](Self::fill).
    #[cfg(feature = "rayon")]
    pub fn par_fill<T: Element>(&self, positions: &Positions<'_>, cos: &mut [T], sin: &mut [T]) -> Result<()> {
        let positions = self.check(positions, cos, sin)?;
        let cells = cos.len();
        crate::parallel::rows(cells, self.pairs(), (cos, sin), &|first, (cos, sin)| {
            self.rows(positions, 0, first..first + cos.len() / self.pairs().max(1), cos, sin);
        });
        Ok(())
    }

    fn check<'a, T>(&self, positions: &'a Positions<'_>, cos: &[T], sin: &[T]) -> Result<Resolved<'a>> {
        check_length("sines", cos.len(), sin.len())?;
        positions.resolve_rows("cosines", cos.len(), self.pairs(), self.frequencies.axes())
    }

    /// Fills one row for each of a sequence's `tokens`; sizes were checked.
    pub(crate) fn rows<T: Element>(
        &self,
        positions: Resolved<'_>,
        sequence: usize,
        tokens: Range<usize>,
        mut cos: &mut [T],
        mut sin: &mut [T],
    ) {
        if self.frequencies.axes() > 1 || !positions.are_plain() {
            return self.point_rows(positions, sequence, tokens, cos, sin);
        }
        let mut block = [0.0; BLOCK];
        let mut token = tokens.start;
        while token < tokens.end {
            let count = BLOCK.min(tokens.end - token);
            for (i, position) in block[..count].iter_mut().enumerate() {
                *position = positions.get(sequence, token + i) as f64;
            }
            let (cos_rows, sin_rows);
            (cos_rows, cos) = cos.split_at_mut(count * self.pairs());
            (sin_rows, sin) = sin.split_at_mut(count * self.pairs());
            self.block(&mut block[..count], cos_rows, sin_rows);
            token += count;
        }
    }

    /// Fills one row for each of `positions`, which it may round.
    pub(crate) fn block<T: Element>(&self, positions: &mut [f64], cos: &mut [T], sin: &mut [T]) {
        let magnitude = self.frequencies.magnitude();
        let (cos, sin) = (T::raw_mut(cos), T::raw_mut(sin));
        match &self.single {
            None => {
                let angles = Exact { turns: self.frequencies.turns(), steps: &self.steps, magnitude };
                self.level.run(Rows::<_, T::Format> { angles, positions, cos, sin });
            }
            Some(frequencies) => {
                positions.iter_mut().for_each(|p| *p = f64::from(*p as f32));
                let angles = Single32 { frequencies, magnitude: magnitude as f32 };
                self.level.run(Rows::<_, T::Format> { angles, positions, cos, sin });
            }
        }
    }
}

/// Tables of cosines and sines, `[rows, pairs]` each; row `p` serves position `p`.
///
/// ```
/// use posenc::{Pairing, Tables};
///
/// // Full-width tables, as a model in Hugging Face's form holds them: every value stands twice.
/// let cos = [1.0, 1.0, 0.5, 0.5];
/// let sin = [0.0, 0.0, 0.8, 0.8];
/// let tables = Tables::from_full_width(&cos, &sin, 2, Pairing::Halves)?;
/// assert_eq!(tables, Tables::new(vec![1.0, 0.5], vec![0.0, 0.8], 1)?);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tables<T = f32> {
    cos: Vec<T>,
    sin: Vec<T>,
    pairs: usize,
    rows: usize,
}

impl<T: Element> Tables<T> {
    /// Tables that were brought along, one value for each position and pair.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the two differ or are not whole rows, [`Error::Count`] if `pairs` is 0 or above 2^19.
    pub fn new(cos: Vec<T>, sin: Vec<T>, pairs: usize) -> Result<Self> {
        if pairs == 0 || pairs > MAX_WIDTH / 2 {
            return Err(Error::Count { what: "pairs", expected: "1 to 2^19", found: pairs });
        }
        check_length("sines", cos.len(), sin.len())?;
        let rows = cos.len() / pairs;
        check_length("cosines", rows * pairs, cos.len())?;
        Ok(Self { cos, sin, pairs, rows })
    }

    /// Tables of full width, in which the two features of a pair have a value each, in the order of the pairing.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if `width` is 0, odd, or above 2^20; [`Error::Length`] as in [`new`](Self::new); [`Error::Number`] if
    /// the two features of a pair have different values, as happens when the pairing is not the one of the tables.
    pub fn from_full_width(cos: &[T], sin: &[T], width: usize, pairing: Pairing) -> Result<Self>
    where
        T: PartialEq + Into<f64>,
    {
        if width == 0 || !width.is_multiple_of(2) || width > MAX_WIDTH {
            return Err(Error::Count { what: "table width", expected: "an even number from 2 to 2^20", found: width });
        }
        check_length("sines", cos.len(), sin.len())?;
        check_length("cosines", cos.len() / width * width, cos.len())?;
        let pairs = width / 2;
        let halve = |full: &[T]| -> Result<Vec<T>> {
            let mut half = Vec::with_capacity(full.len() / 2);
            for row in full.chunks_exact(width) {
                for j in 0..pairs {
                    let (first, second) = match pairing {
                        Pairing::Halves => (row[j], row[j + pairs]),
                        Pairing::Interleaved => (row[2 * j], row[2 * j + 1]),
                    };
                    if first != second {
                        let expected = "the value of the other feature of its pair";
                        return Err(Error::Number { what: "table value", expected, found: second.into() });
                    }
                    half.push(first);
                }
            }
            Ok(half)
        };
        Self::new(halve(cos)?, halve(sin)?, pairs)
    }

    /// How many positions there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many cosines, and how many sines, a row has.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// All cosines, row after row.
    #[must_use]
    pub fn cos(&self) -> &[T] {
        &self.cos
    }

    /// All sines, row after row.
    #[must_use]
    pub fn sin(&self) -> &[T] {
        &self.sin
    }

    /// Cosines and sines of one position; `None` beyond the last row.
    #[must_use]
    pub fn row(&self, position: usize) -> Option<(&[T], &[T])> {
        let cells = (position < self.rows).then(|| position * self.pairs..(position + 1) * self.pairs)?;
        Some((&self.cos[cells.clone()], &self.sin[cells]))
    }
}

//! Absolute sinusoidal encodings: a table, or the addition of its rows without a table being made.

use alloc::vec::Vec;

use posenc_kernels::Level;

use super::order::Order;
use super::rows::check_factor;
use crate::error::{Error, Result, zeros};
use crate::frequencies::{MAX_MAGNITUDE, check_geometric};
use crate::math;
use crate::positions::Resolved;
use crate::{Element, Frequencies, Positions, Precision, TableBuilder};

/// What the exponent of a frequency is divided by; of `d` features, `h` is the half, rounded down.
///
/// ```
/// use posenc::{Divisor, Order, Positions, Sinusoidal};
///
/// // Whisper and fairseq reach the lowest frequency, 1/base, with the last pair; the paper stops one short of it.
/// let encoding = Sinusoidal::with_divisor(6, 10_000.0, Divisor::HalfLess(1.0))?.with_order(Order::SinCos);
/// assert_eq!(encoding.table(&Positions::from(1), 1)?[2], 0.0001_f64.sin() as f32);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Divisor {
    /// `w_i = base^(−2i/d)`: the paper, Marian, RoFormer, CTRL, Transformer-XL, Conformer. An odd width ends with one sine
    /// (or what comes first) more.
    Half,
    /// `w_i = base^(−i/(h − shift))`: 1 for tensor2tensor, fairseq, Whisper and DDPM, 0 for Stable Diffusion and FLUX. An
    /// odd width ends with a 0.
    HalfLess(f64),
}

/// The sinusoidal encoding: feature `2i` is `sin(p·w_i)` and feature `2i+1` is `cos(p·w_i)`, with
/// `w_i = base^(−2i/features)`; other orders and frequencies by name.
///
/// ```
/// use posenc::{Positions, Sinusoidal};
///
/// let encoding = Sinusoidal::new(4, 10_000.0)?;
/// let table = encoding.table(&Positions::from(0), 2)?;            // [2 positions, 4 features]
/// assert_eq!(table[..4], [0.0, 1.0, 0.0, 1.0]);
/// assert_eq!(table[4], 1.0_f64.sin() as f32);
///
/// let mut x = vec![1.0_f32; 8];                                   // [2 tokens, 4 features]
/// encoding.add(&mut x, &Positions::from(0))?;
/// assert_eq!(x[..4], [1.0, 2.0, 1.0, 2.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Values are the true ones, rounded once ([`Precision::Exact`]), for any number of features, odd ones included. Positions
/// need not be whole: the timesteps of diffusion models are [`Positions::fractions`].
///
/// ```
/// use posenc::{Divisor, Order, Positions, Sinusoidal};
///
/// // Stable Diffusion: cosines first, and the divisor is the whole half.
/// let encoding = Sinusoidal::with_divisor(320, 10_000.0, Divisor::HalfLess(0.0))?.with_order(Order::CosSin);
/// let row = encoding.table(&Positions::fractions(&[123.456]), 1)?;
/// assert_eq!(row[160], 123.456_f64.sin() as f32);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: Vaswani et al., *Attention is all you need*, 2017, section 3.5.
#[derive(Clone, Debug)]
pub struct Sinusoidal {
    pub(super) frequencies: Frequencies,
    pub(super) precision: Precision,
    pub(super) builder: TableBuilder,
    pub(super) features: usize,
    pub(super) order: Order,
    pub(super) padding: Option<i64>,
    /// What rows are multiplied by before the encoding is added.
    pub(super) scale: f64,
    pub(super) level: Level,
}

impl Sinusoidal {
    /// An encoding of `features` values a position, interleaved, with the frequencies of the paper.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are more than 2^20 features, [`Error::Number`] if `base` is not positive and finite.
    pub fn new(features: usize, base: f64) -> Result<Self> {
        Self::with_divisor(features, base, Divisor::Half)
    }

    /// An encoding with frequencies that reach from 1 to somewhere near `1/base`, as the divisor says.
    ///
    /// ```
    /// use posenc::{Divisor, Order, Positions, Sinusoidal};
    ///
    /// // fairseq and M2M-100: positions begin behind the padding, whose row is zero.
    /// let (features, padding) = (4, 1);
    /// let encoding = Sinusoidal::with_divisor(features, 10_000.0, Divisor::HalfLess(1.0))?
    ///     .with_order(Order::SinCos)
    ///     .with_padding(padding);
    /// let table = encoding.table(&Positions::from(padding), 2)?;
    /// assert_eq!(table[..4], [0.0; 4]);
    /// assert_eq!(table[4], 2.0_f64.sin() as f32);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`Error::Number`] if a shift is not below half the features, where the divisor would be 0.
    pub fn with_divisor(features: usize, base: f64, divisor: Divisor) -> Result<Self> {
        let frequencies = match divisor {
            Divisor::Half => Frequencies::geometric("features", features, base)?,
            Divisor::HalfLess(shift) => {
                check_geometric("features", features, base)?;
                let (pairs, half) = (features / 2, (features / 2) as f64);
                if pairs > 0 && !(shift < half && shift.is_finite()) {
                    let expected = "a finite number below half the features";
                    return Err(Error::Number { what: "shift", expected, found: shift });
                }
                let values = (0..pairs).map(|i| math::power(base, -(i as f64), half - shift)).collect();
                Frequencies::from_values(values)?
            }
        };
        Ok(Self::assemble(frequencies, features))
    }

    /// An encoding with given frequencies, a sine and a cosine each; their magnitude is the factor of the encoding. They may
    /// read several axes.
    ///
    /// ```
    /// use posenc::{Frequencies, Order, Positions, Sinusoidal};
    ///
    /// // pi0: periods from 0.004 to 4 in equal ratios.
    /// let periods = (0..4).map(|i| 0.004 * 1000_f64.powf(f64::from(i) / 3.0));
    /// let frequencies = periods.map(|period| std::f64::consts::TAU / period).collect();
    /// let encoding = Sinusoidal::from_frequencies(&Frequencies::from_values(frequencies)?).with_order(Order::SinCos);
    /// assert_eq!(encoding.table(&Positions::fractions(&[0.0]), 1)?, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn from_frequencies(frequencies: &Frequencies) -> Self {
        Self::assemble(frequencies.clone(), frequencies.width())
    }

    fn assemble(frequencies: Frequencies, features: usize) -> Self {
        let (precision, level) = (Precision::Exact, Level::detect());
        let builder = TableBuilder::new(&frequencies, precision);
        Self { frequencies, precision, builder, features, order: Order::Interleaved, padding: None, scale: 1.0, level }
    }

    /// The same encoding with other frequencies or another precision.
    fn rebuilt(self, frequencies: Frequencies, precision: Precision) -> Self {
        let builder = TableBuilder::new(&frequencies, precision).with_level(self.level);
        Self { frequencies, precision, builder, ..self }
    }

    /// The same values in another order.
    #[must_use]
    pub fn with_order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// The same encoding under another contract for its angles.
    ///
    /// ```
    /// use posenc::{Positions, Precision, Sinusoidal};
    ///
    /// // What training stacks compute is some way off at far positions.
    /// let exact = Sinusoidal::new(128, 10_000.0)?;
    /// let single = exact.clone().with_precision(Precision::Single);
    /// let far = Positions::from(1_000_000);
    /// assert_ne!(exact.table(&far, 1)?, single.table(&far, 1)?);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_precision(self, precision: Precision) -> Self {
        let frequencies = self.frequencies.clone();
        self.rebuilt(frequencies, precision)
    }

    /// The same encoding with a row of zeros for one position (on all axes), as fairseq keeps for padding.
    #[must_use]
    pub fn with_padding(self, position: i64) -> Self {
        Self { padding: Some(position), ..self }
    }

    /// The same encoding with all values multiplied by a number, before they are rounded: learned scales.
    ///
    /// ```
    /// use posenc::{Positions, Sinusoidal};
    ///
    /// let encoding = Sinusoidal::new(2, 10_000.0)?.with_magnitude(-0.25)?;
    /// assert_eq!(encoding.table(&Positions::from(0), 1)?, [0.0, -0.25]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if it is larger than 1e200 in size, or no number.
    pub fn with_magnitude(self, magnitude: f64) -> Result<Self> {
        if magnitude.is_nan() || magnitude.abs() > MAX_MAGNITUDE {
            let expected = "a number up to 1e200 in size";
            return Err(Error::Number { what: "magnitude", expected, found: magnitude });
        }
        let (frequencies, precision) = (self.frequencies.clone().with_factor(magnitude), self.precision);
        Ok(self.rebuilt(frequencies, precision))
    }

    /// The same encoding with all frequencies multiplied by a number, and so all positions: `scale` of diffusion models.
    ///
    /// ```
    /// use posenc::{Positions, Sinusoidal};
    ///
    /// let encoding = Sinusoidal::new(2, 10_000.0)?.with_position_scale(1000.0)?;
    /// let row = encoding.table(&Positions::fractions(&[0.5]), 1)?;
    /// assert_eq!(row, [500.0_f64.sin() as f32, 500.0_f64.cos() as f32]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if it is not finite, or a frequency becomes larger than 2^20 in size.
    pub fn with_position_scale(self, scale: f64) -> Result<Self> {
        if !scale.is_finite() {
            let expected = "a finite number";
            return Err(Error::Number { what: "position scale", expected, found: scale });
        }
        let (frequencies, precision) = (self.frequencies.times(scale)?, self.precision);
        Ok(self.rebuilt(frequencies, precision))
    }

    /// The same encoding, which multiplies rows by a number before it is added to them: `x·scale + encoding`, as
    /// models do that scale token embeddings by `√d`.
    ///
    /// ```
    /// use posenc::{Positions, Sinusoidal};
    ///
    /// let mut x = [0.5_f32, 1.0];
    /// Sinusoidal::new(2, 10_000.0)?.with_embedding_scale(8.0)?.add(&mut x, &Positions::from(0))?;
    /// assert_eq!(x, [4.0, 9.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if it is larger than 1e38 in size, or no number.
    pub fn with_embedding_scale(self, scale: f64) -> Result<Self> {
        Ok(Self { scale: check_factor("embedding scale", scale)?, ..self })
    }

    /// The same encoding on a given level; the values do not change.
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Self {
        self.builder.set_level(level);
        Self { level, ..self }
    }

    /// How many values a position has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features
    }

    /// The frequencies, in radians per position, and the factor of all values.
    ///
    /// ```
    /// let encoding = posenc::Sinusoidal::new(4, 10_000.0)?;
    /// assert_eq!(encoding.frequencies().as_slice(), [1.0, 0.01]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn frequencies(&self) -> &Frequencies {
        &self.frequencies
    }

    /// The rows of `count` positions, `[count, features]`.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write); [`Error::Count`] if the table does not fit the address space.
    pub fn table(&self, positions: &Positions<'_>, count: usize) -> Result<Vec<f32>> {
        positions.resolve(1, count, None, self.frequencies.axes())?;
        let mut table = zeros("table", &[count, self.features])?;
        self.write(&mut table, positions)?;
        Ok(table)
    }

    /// Writes rows over `out`, `[positions, features]`, each value rounded once.
    ///
    /// ```
    /// use posenc::{Level, Positions, Sinusoidal};
    ///
    /// let encoding = Sinusoidal::new(4, 10_000.0)?.with_level(Level::detect());
    /// let mut rows = [0.0_f64; 8];
    /// encoding.write(&mut rows, &Positions::ids(&[0, 7]))?;
    /// assert_eq!(rows[4], 7.0_f64.sin());
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if `out` is not whole rows or there are more or fewer ids than rows,
    /// [`Error::Position`] or [`Error::Coordinate`] if a position is larger than 2^31 in size, or no number, [`Error::Axes`] if
    /// positions have other axes than frequencies read. Nothing is written then.
    pub fn write<T: Element>(&self, out: &mut [T], positions: &Positions<'_>) -> Result<()> {
        let positions = self.check(out, positions)?;
        self.set(out, positions, 0);
        Ok(())
    }

    /// Adds rows to `x`, `[tokens, features]`. In the 16-bit types the sum is that of f32, rounded once.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn add<T: Element>(&self, x: &mut [T], positions: &Positions<'_>) -> Result<()> {
        let positions = self.check(x, positions)?;
        self.sum(x, positions, 0);
        Ok(())
    }

    /// [`write`](Self::write), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    #[cfg(feature = "rayon")]
    pub fn par_write<T: Element>(&self, out: &mut [T], positions: &Positions<'_>) -> Result<()> {
        let positions = self.check(out, positions)?;
        crate::parallel::rows(out.len(), self.features, out, &|first, out: &mut [T]| self.set(out, positions, first));
        Ok(())
    }

    /// [`add`](Self::add), on the rayon pool of the caller.
    ///
    /// ```
    /// use posenc::{Positions, Sinusoidal};
    ///
    /// let encoding = Sinusoidal::new(129, 10_000.0)?;
    /// let (mut serial, mut parallel) = (vec![0.5_f32; 3000 * 129], vec![0.5_f32; 3000 * 129]);
    /// encoding.write(&mut serial, &Positions::from(9))?;
    /// encoding.par_write(&mut parallel, &Positions::from(9))?;
    /// encoding.add(&mut serial, &Positions::from(5))?;
    /// encoding.par_add(&mut parallel, &Positions::from(5))?;
    /// assert_eq!(serial, parallel);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    #[cfg(feature = "rayon")]
    pub fn par_add<T: Element>(&self, x: &mut [T], positions: &Positions<'_>) -> Result<()> {
        let positions = self.check(x, positions)?;
        crate::parallel::rows(x.len(), self.features, x, &|first, x: &mut [T]| self.sum(x, positions, first));
        Ok(())
    }

    fn check<'a, T>(&self, x: &[T], positions: &'a Positions<'_>) -> Result<Resolved<'a>> {
        positions.resolve_rows("rows", x.len(), self.features, self.frequencies.axes())
    }
}

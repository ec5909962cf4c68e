//! Absolute sinusoidal encodings: a table, or the addition of its rows without a table being made.

use alloc::vec;
use alloc::vec::Vec;

use posenc_kernels::{Arrangement, Level, Place, Write};

use crate::error::{Result, zeros};
use crate::positions::Resolved;
use crate::tables::BLOCK;
use crate::{Element, Frequencies, Positions, Precision, TableBuilder};

/// Where sines and cosines stand in a row.
///
/// ```
/// use posenc::{Order, Positions, Sinusoidal};
///
/// // Position 0 shows the order: sin 0 = 0, cos 0 = 1.
/// let row = |order| Sinusoidal::new(6, 10_000.0)?.with_order(order).table(&Positions::from(0), 1);
/// assert_eq!(row(Order::Interleaved)?, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
/// assert_eq!(row(Order::SinCos)?, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
/// assert_eq!(row(Order::CosSin)?, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `sin cos sin cos …`, as in *Attention is all you need*; of an odd width, the last feature is a sine.
    Interleaved,
    /// All sines, then all cosines: Marian, Pegasus, CTRL, Transformer-XL; of an odd width, there is one sine more.
    SinCos,
    /// All cosines, then all sines: the flipped form of diffusion models; of an odd width, there is one cosine more.
    CosSin,
}

/// The sinusoidal encoding: feature `2i` is `sin(p·w_i)` and feature `2i+1` is `cos(p·w_i)`, with
/// `w_i = base^(−2i/features)`.
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
/// Values are the true ones, rounded once ([`Precision::Exact`]), for any number of features, odd ones included.
///
/// Source: Vaswani et al., *Attention is all you need*, 2017, section 3.5.
#[derive(Clone, Debug)]
pub struct Sinusoidal {
    builder: TableBuilder,
    features: usize,
    order: Order,
    level: Level,
}

impl Sinusoidal {
    /// An encoding of `features` values a position, interleaved.
    ///
    /// # Errors
    ///
    /// [`Error::Count`](crate::Error::Count) if there are more than 2^20 features,
    /// [`Error::Number`](crate::Error::Number) if `base` is not positive and finite.
    pub fn new(features: usize, base: f64) -> Result<Self> {
        let frequencies = Frequencies::geometric("features", features, base)?;
        let builder = TableBuilder::new(&frequencies, Precision::Exact);
        Ok(Self { builder, features, order: Order::Interleaved, level: Level::detect() })
    }

    /// The same values in another order.
    #[must_use]
    pub fn with_order(self, order: Order) -> Self {
        Self { order, ..self }
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

    /// The rows of `count` positions, `[count, features]`.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write); [`Error::Count`](crate::Error::Count) if the table does not fit the address space.
    pub fn table(&self, positions: &Positions<'_>, count: usize) -> Result<Vec<f32>> {
        positions.resolve(1, count, None, 1)?;
        let mut table = zeros("table", &[count, self.features])?;
        self.write(&mut table, positions)?;
        Ok(table)
    }

    /// Writes rows over `out`, `[positions, features]`. In the 16-bit types these are the values of f32, rounded again.
    ///
    /// # Errors
    ///
    /// [`Error::Length`](crate::Error::Length) if `out` is not whole rows or there are more or fewer ids than rows,
    /// [`Error::Position`](crate::Error::Position) if a position is larger than 2^31 in size. Nothing is written then.
    pub fn write<T: Element>(&self, out: &mut [T], positions: &Positions<'_>) -> Result<()> {
        let positions = self.check(out, positions)?;
        self.rows(out, positions, 0, Write::Set);
        Ok(())
    }

    /// Adds rows to `x`, `[tokens, features]`. In the 16-bit types the sum is that of f32, rounded once.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn add<T: Element>(&self, x: &mut [T], positions: &Positions<'_>) -> Result<()> {
        let positions = self.check(x, positions)?;
        self.rows(x, positions, 0, Write::Add);
        Ok(())
    }

    /// [`write`](Self::write), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    #[cfg(feature = "rayon")]
    pub fn par_write<T: Element>(&self, out: &mut [T], positions: &Positions<'_>) -> Result<()> {
        self.par_rows(out, positions, Write::Set)
    }

    /// [`add`](Self::add), on the rayon pool of the caller.
    ///
    /// ```
    /// use posenc::{Positions, Sinusoidal};
    ///
    /// let encoding = Sinusoidal::new(129, 10_000.0)?;
    /// let (mut serial, mut parallel) = (vec![0.5_f32; 3000 * 129], vec![0.5_f32; 3000 * 129]);
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
        self.par_rows(x, positions, Write::Add)
    }

    #[cfg(feature = "rayon")]
    fn par_rows<T: Element>(&self, x: &mut [T], positions: &Positions<'_>, write: Write) -> Result<()> {
        let positions = self.check(x, positions)?;
        crate::parallel::rows(x.len(), self.features, x, &|first, x: &mut [T]| {
            self.rows(x, positions, first, write);
        });
        Ok(())
    }

    fn check<'a, T>(&self, x: &[T], positions: &Positions<'a>) -> Result<Resolved<'a>> {
        positions.resolve_rows("rows", x.len(), self.features, 1)
    }

    /// Rows for the tokens from `first` on; sizes were checked.
    fn rows<T: Element>(&self, x: &mut [T], positions: Resolved<'_>, first: usize, write: Write) {
        if x.is_empty() {
            return;
        }
        let pairs = self.builder.pairs();
        let block = BLOCK.min(x.len() / self.features);
        let mut cos = vec![T::Work::default(); block * pairs];
        let mut sin = vec![T::Work::default(); block * pairs];
        for (index, rows) in x.chunks_mut(block * self.features).enumerate() {
            let count = rows.len() / self.features;
            let (cos, sin) = (&mut cos[..count * pairs], &mut sin[..count * pairs]);
            let first = first + index * block;
            self.builder.rows(positions, 0, first..first + count, cos, sin);
            let (a, b, arrangement) = match self.order {
                Order::Interleaved => (sin, cos, Arrangement::Woven),
                Order::SinCos => (sin, cos, Arrangement::Blocked),
                Order::CosSin => (cos, sin, Arrangement::Blocked),
            };
            Place::<T::Format> { rows: T::raw_mut(rows), width: self.features, a, b }.run(
                self.level,
                arrangement,
                write,
            );
        }
    }
}

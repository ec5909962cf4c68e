//! Rotary position embedding: the handle that turns queries and keys. How it walks over them is `rotary::walk`.

mod derived;
mod select;
mod walk;

pub(crate) use walk::Origin;

use alloc::sync::Arc;

use posenc_kernels::Level;

use crate::axes::Reads;
use crate::element::TableSet;
use crate::error::{Error, Result};
use crate::heads::{Heads, HeadsMut, Shape};
use crate::positions::Resolved;
use crate::{Axes, Direction, Element, Frequencies, Pairing, Positions, Precision, TableBuilder, Tables, Target, Work};

/// A rotary encoding: frequencies or tables, a pairing, a slice of the head, a direction.
///
/// Without a table, cosines and sines are worked out exactly where they are needed, once for all heads of a token; any
/// position up to 2^31 in size is served. With a table they are read, and positions beyond it are an error. Both give
/// the same bits. A handle is cheap to clone and can be shared between threads.
///
/// ```
/// use posenc::{Direction, Frequencies, HeadsMut, Pairing, Positions, Rotary};
///
/// let rope = Rotary::new(&Frequencies::new(64, 10_000.0)?, Pairing::Halves);
///
/// let (tokens, heads, dim) = (3, 2, 64);
/// let mut q = vec![1.0_f32; tokens * heads * dim];
/// rope.rotate(&mut HeadsMut::new(&mut q, [tokens, heads, dim])?, &Positions::from(0))?;
/// assert_eq!(q[..128], [1.0; 128]);          // position 0 stays
/// assert_eq!(q[128], 1.0_f32.cos() - 1.0_f32.sin());
///
/// let back = rope.clone().with_direction(Direction::Inverse);
/// back.rotate(&mut HeadsMut::new(&mut q, [tokens, heads, dim])?, &Positions::from(0))?;
/// assert!(q.iter().all(|x| (x - 1.0).abs() < 1e-6));
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Arithmetic: `x·c − y·s` and `y·c + x·s` in f32, multiply and add rounded separately. Given the same tables, the result
/// equals eager PyTorch to the bit.
///
/// Source: Su et al., *RoFormer*, 2021; pairings as in GPT-NeoX and GPT-J.
#[derive(Clone, Debug)]
pub struct Rotary {
    /// Works cosines and sines out; missing where tables were brought along.
    builder: Option<Arc<TableBuilder>>,
    tables: TableSet,
    pairs: usize,
    /// How many axes positions must have.
    axes: usize,
    /// Which axis each pair reads, where there are several.
    selection: Option<Arc<Axes>>,
    /// How features are paired where they are read.
    pairing: Pairing,
    /// How they are paired where they are written.
    output: Pairing,
    direction: Direction,
    /// The first rotated feature of a head.
    start: usize,
    level: Level,
}

impl Rotary {
    /// Exact, without a table, turning the leading `frequencies.width()` features of each head.
    #[must_use]
    pub fn new(frequencies: &Frequencies, pairing: Pairing) -> Self {
        Self::with_precision(frequencies, pairing, Precision::Exact)
    }

    /// [`new`](Self::new) with a choice of how angles are rounded.
    ///
    /// ```
    /// use posenc::{Frequencies, Pairing, Precision, Rotary};
    ///
    /// let like_training = Rotary::with_precision(&Frequencies::new(64, 1e4)?, Pairing::Halves, Precision::Single);
    /// assert_eq!(like_training.width(), 64);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_precision(frequencies: &Frequencies, pairing: Pairing, precision: Precision) -> Self {
        let builder = Arc::new(TableBuilder::new(frequencies, precision));
        let rotary = Self::from_parts(Some(builder), TableSet::default(), frequencies.pairs(), pairing);
        let selection = match frequencies.reads() {
            Reads::Selected(axes) => Some(Arc::new(axes.clone())),
            Reads::One | Reads::Mixed(_) => None,
        };
        Self { axes: frequencies.axes(), selection, ..rotary }
    }

    /// With tables of `f32` (for elements of `f32` and of 16 bits) or of `f64`: row `p` serves position `p`.
    ///
    /// ```
    /// use posenc::{Pairing, Rotary, Tables};
    ///
    /// let tables = Tables::new(vec![1.0_f32, 0.0], vec![0.0, 1.0], 1)?;
    /// assert_eq!(Rotary::from_tables(tables, Pairing::Interleaved).width(), 2);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn from_tables<W: Work>(tables: Tables<W>, pairing: Pairing) -> Self {
        let pairs = tables.pairs();
        Self::from_parts(None, W::set(Arc::new(tables)), pairs, pairing)
    }

    fn from_parts(builder: Option<Arc<TableBuilder>>, tables: TableSet, pairs: usize, pairing: Pairing) -> Self {
        Self {
            builder,
            tables,
            pairs,
            axes: 1,
            selection: None,
            pairing,
            output: pairing,
            direction: Direction::Forward,
            start: 0,
            level: Level::detect(),
        }
    }

    /// The same encoding with an f32 table for positions `0 .. rows`: for elements of `f32` and of 16 bits. Elements of
    /// `f64` are served without a table still.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(4, 10_000.0)?, Pairing::Interleaved).with_table(100)?;
    /// let mut q = [1.0_f32; 4];
    /// let mut q = HeadsMut::new(&mut q, [1, 1, 4])?;
    /// assert!(rope.rotate(&mut q, &Positions::from(99)).is_ok());
    /// assert!(rope.rotate(&mut q, &Positions::from(100)).is_err());
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`TableBuilder::build`]; [`Error::Length`] if the tables were brought along and have another number of rows.
    pub fn with_table(self, rows: usize) -> Result<Self> {
        match (&self.builder, &self.tables.single) {
            (_, Some(tables)) if tables.rows() == rows => Ok(self),
            (Some(builder), _) => {
                let single = Some(Arc::new(builder.build(rows)?));
                Ok(Self { tables: TableSet { single, ..self.tables }, ..self })
            }
            (None, tables) => {
                let expected = tables.as_ref().map_or(0, |tables| tables.rows());
                Err(Error::Length { what: "table rows", expected, found: rows })
            }
        }
    }

    /// Forward, or back: [`Direction::Inverse`] turns by minus the angle.
    ///
    /// With a magnitude other than 1 this is the transpose, as backpropagation wants it; the magnitude is applied, not
    /// divided out.
    #[must_use]
    pub fn with_direction(self, direction: Direction) -> Self {
        Self { direction, ..self }
    }

    /// Writes the rotated slice in the order of another pairing than it is read in. DeepSeek-V3 in `transformers` reads
    /// interleaved features and writes halves; scores are the same as long as queries and keys are written alike, but a
    /// cache that holds such keys must be read by code that does so too.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(4, 10_000.0)?, Pairing::Interleaved).writing(Pairing::Halves);
    /// let mut q = [1.0_f32, 2.0, 3.0, 4.0];
    /// rope.rotate(&mut HeadsMut::new(&mut q, [1, 1, 4])?, &Positions::from(0))?;
    /// assert_eq!(q, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn writing(self, output: Pairing) -> Self {
        Self { output, ..self }
    }

    /// Turns the features from `start` on instead of the leading ones: multi-head latent attention turns a trailing
    /// slice.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// // Heads of 6 features, of which the last two turn.
    /// let rope = Rotary::new(&Frequencies::new(2, 10_000.0)?, Pairing::Interleaved).starting_at(4);
    /// let mut q = [1.0_f32; 6];
    /// rope.rotate(&mut HeadsMut::new(&mut q, [1, 1, 6])?, &Positions::from(1))?;
    /// assert_eq!(q[..4], [1.0; 4]);
    /// assert_ne!(q[4..], [1.0; 2]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn starting_at(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// The same encoding on a given level; the values do not change.
    ///
    /// ```
    /// use posenc::{Frequencies, Level, Pairing, Rotary};
    ///
    /// for level in Level::available() {
    ///     let rope = Rotary::new(&Frequencies::new(64, 10_000.0)?, Pairing::Halves).with_level(level);
    /// }
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Self {
        if let Some(builder) = &mut self.builder {
            Arc::make_mut(builder).set_level(level);
        }
        Self { level, ..self }
    }

    /// How many features of a head turn.
    #[must_use]
    pub fn width(&self) -> usize {
        2 * self.pairs
    }

    /// The f32 tables, if there are any.
    #[must_use]
    pub fn tables(&self) -> Option<&Tables> {
        self.tables.single.as_deref()
    }

    /// Turns all heads in place; a head's features outside the rotated slice stay as they are, to the bit.
    ///
    /// # Errors
    ///
    /// [`Error::Width`] if the rotated slice does not fit the heads, [`Error::Length`] if there are more or fewer ids than
    /// tokens, [`Error::Position`] if a position is not served, [`Error::Element`] if the tables that were brought along
    /// are of the wrong type. Nothing is written then.
    pub fn rotate<T: Element>(&self, heads: &mut HeadsMut<'_, T>, positions: &Positions<'_>) -> Result<()> {
        let positions = self.check::<T::Work>(heads.shape(), positions)?;
        self.in_place(heads, positions, Origin::default());
        Ok(())
    }

    /// [`rotate`](Self::rotate), on the rayon pool of the caller; serial where that is faster.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(128, 10_000.0)?, Pairing::Halves);
    /// let mut serial = vec![0.5_f32; 300 * 8 * 128];
    /// let mut parallel = serial.clone();
    /// rope.rotate(&mut HeadsMut::new(&mut serial, [300, 8, 128])?, &Positions::from(7))?;
    /// rope.par_rotate(&mut HeadsMut::new(&mut parallel, [300, 8, 128])?, &Positions::from(7))?;
    /// assert_eq!(serial, parallel);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`rotate`](Self::rotate).
    #[cfg(feature = "rayon")]
    pub fn par_rotate<T: Element>(&self, heads: &mut HeadsMut<'_, T>, positions: &Positions<'_>) -> Result<()> {
        let positions = self.check::<T::Work>(heads.shape(), positions)?;
        crate::parallel::heads(heads.reborrow(), &|mut view: HeadsMut<'_, T>, origin| {
            self.in_place(&mut view, positions, origin);
        });
        Ok(())
    }

    /// Turns queries and keys of the same tokens in one go, so that cosines and sines are worked out once.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(64, 10_000.0)?, Pairing::Halves);
    /// let (mut q, mut k) = (vec![1.0_f32; 5 * 8 * 64], vec![1.0_f32; 5 * 2 * 64]);
    /// let mut q = HeadsMut::new(&mut q, [5, 8, 64])?;
    /// let mut k = HeadsMut::new(&mut k, [5, 2, 64])?;
    /// rope.rotate_both(&mut q, &mut k, &Positions::from(0))?;
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`rotate`](Self::rotate), for either; [`Error::Shape`] if they have different sequences or tokens.
    pub fn rotate_both<T: Element>(
        &self,
        queries: &mut HeadsMut<'_, T>,
        keys: &mut HeadsMut<'_, T>,
        positions: &Positions<'_>,
    ) -> Result<()> {
        let (expected, found) = (queries.shape(), keys.shape());
        if (expected.batch, expected.tokens) != (found.batch, found.tokens) {
            return Err(Error::Shape { expected, found });
        }
        self.check::<T::Work>(found, positions)?;
        let positions = self.check::<T::Work>(expected, positions)?;
        // Either may be without heads.
        let shape = Shape { heads: expected.heads.max(found.heads), dim: expected.dim.max(found.dim), ..expected };
        self.walk::<T::Work>(shape, positions, Origin::default(), |block, cells| {
            self.turn(queries, block, cells);
            self.turn(keys, block, cells);
        });
        Ok(())
    }

    /// Reads heads from one place and writes them, turned, into another, which may be of a 16-bit type where `f32` is
    /// read, and need not be initialised (`MaybeUninit`). All features of all heads are written: those outside the
    /// rotated slice are copied.
    ///
    /// # Errors
    ///
    /// As [`rotate`](Self::rotate); [`Error::Shape`] if the two shapes differ.
    pub fn rotate_into<S: Element, D: Target<S>>(
        &self,
        from: &Heads<'_, S>,
        to: &mut HeadsMut<'_, D>,
        positions: &Positions<'_>,
    ) -> Result<()> {
        let positions = self.check_into(from, to, positions)?;
        self.copy_rotated(*from, to.reborrow(), positions, Origin::default());
        Ok(())
    }

    /// [`rotate_into`](Self::rotate_into), on the rayon pool of the caller; serial where that is faster.
    ///
    /// # Errors
    ///
    /// As [`rotate_into`](Self::rotate_into).
    #[cfg(feature = "rayon")]
    pub fn par_rotate_into<S: Element, D: Target<S>>(
        &self,
        from: &Heads<'_, S>,
        to: &mut HeadsMut<'_, D>,
        positions: &Positions<'_>,
    ) -> Result<()> {
        let positions = self.check_into(from, to, positions)?;
        crate::parallel::heads_into(*from, to.reborrow(), &|from, to, origin| {
            self.copy_rotated(from, to, positions, origin);
        });
        Ok(())
    }

    fn check_into<'a, S: Element, D>(
        &self,
        from: &Heads<'_, S>,
        to: &HeadsMut<'_, D>,
        positions: &'a Positions<'_>,
    ) -> Result<Resolved<'a>> {
        let (expected, found) = (from.shape(), to.shape());
        if expected != found {
            return Err(Error::Shape { expected, found });
        }
        self.check::<S::Work>(expected, positions)
    }

    fn check<'a, W: Work>(&self, shape: Shape, positions: &'a Positions<'_>) -> Result<Resolved<'a>> {
        let end = self.start.saturating_add(self.width());
        if end > shape.dim {
            return Err(Error::Width { expected: shape.dim, found: end });
        }
        let rows = W::tables(&self.tables).map(|tables| tables.rows());
        if rows.is_none() && self.builder.is_none() {
            let found = if self.tables.single.is_some() { f32::NAME } else { f64::NAME };
            return Err(Error::Element { expected: W::NAME, found });
        }
        positions.resolve(shape.batch, shape.tokens, rows, self.axes)
    }
}

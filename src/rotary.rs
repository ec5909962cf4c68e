//! Rotary position embedding: the handle that turns queries and keys.

use alloc::sync::Arc;
use alloc::vec;

use posenc_kernels::{Level, Rotate, Strided};

use crate::error::{Error, Result};
use crate::heads::{Axis, HeadsMut, Shape};
use crate::positions::Resolved;
use crate::tables::BLOCK;
use crate::{Direction, Frequencies, Pairing, Positions, Precision, TableBuilder, Tables};

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
    source: Source,
    pairing: Pairing,
    direction: Direction,
    /// The first rotated feature of a head.
    start: usize,
    level: Level,
}

/// Where cosines and sines come from.
#[derive(Clone, Debug)]
enum Source {
    Builder(Arc<TableBuilder>),
    Tables(Arc<Tables>),
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
        Self::from_source(Source::Builder(Arc::new(TableBuilder::new(frequencies, precision))), pairing)
    }

    /// With tables: row `p` serves position `p`.
    ///
    /// ```
    /// use posenc::{Pairing, Rotary, Tables};
    ///
    /// let tables = Tables::new(vec![1.0, 0.0], vec![0.0, 1.0], 1)?;
    /// assert_eq!(Rotary::from_tables(tables, Pairing::Interleaved).width(), 2);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn from_tables(tables: impl Into<Arc<Tables>>, pairing: Pairing) -> Self {
        Self::from_source(Source::Tables(tables.into()), pairing)
    }

    fn from_source(source: Source, pairing: Pairing) -> Self {
        Self { source, pairing, direction: Direction::Forward, start: 0, level: Level::detect() }
    }

    /// The same encoding with a table for positions `0 .. rows`, if it has none yet.
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
    /// As [`TableBuilder::build`]; [`Error::Length`] if there is a table already, of another number of rows.
    pub fn with_table(self, rows: usize) -> Result<Self> {
        let tables = match &self.source {
            Source::Builder(builder) => Arc::new(builder.build(rows)?),
            Source::Tables(tables) if tables.rows() == rows => Arc::clone(tables),
            Source::Tables(tables) => {
                return Err(Error::Length { what: "table rows", expected: tables.rows(), found: rows });
            }
        };
        Ok(Self { source: Source::Tables(tables), ..self })
    }

    /// Forward, or back: [`Direction::Inverse`] turns by minus the angle.
    ///
    /// With a magnitude other than 1 this is the transpose, as backpropagation wants it; the magnitude is applied, not
    /// divided out.
    #[must_use]
    pub fn with_direction(self, direction: Direction) -> Self {
        Self { direction, ..self }
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
        if let Source::Builder(builder) = &mut self.source {
            Arc::make_mut(builder).set_level(level);
        }
        Self { level, ..self }
    }

    /// How many features of a head turn.
    #[must_use]
    pub fn width(&self) -> usize {
        2 * match &self.source {
            Source::Builder(builder) => builder.pairs(),
            Source::Tables(tables) => tables.pairs(),
        }
    }

    /// The tables, if there are any.
    #[must_use]
    pub fn tables(&self) -> Option<&Tables> {
        match &self.source {
            Source::Builder(_) => None,
            Source::Tables(tables) => Some(tables),
        }
    }

    /// Turns all heads in place; a head's features outside the rotated slice stay as they are, to the bit.
    ///
    /// # Errors
    ///
    /// [`Error::Width`] if the rotated slice does not fit the heads, [`Error::Length`] if there are more or fewer ids than
    /// tokens, [`Error::Position`] if a position is not served. Nothing is written then.
    pub fn rotate(&self, heads: &mut HeadsMut<'_, f32>, positions: &Positions<'_>) -> Result<()> {
        let positions = self.check(heads.shape(), positions)?;
        self.part(heads.reborrow(), positions, Origin::default());
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
    pub fn par_rotate(&self, heads: &mut HeadsMut<'_, f32>, positions: &Positions<'_>) -> Result<()> {
        let positions = self.check(heads.shape(), positions)?;
        crate::parallel::heads(heads.reborrow(), &|view, origin| self.part(view, positions, origin));
        Ok(())
    }

    fn check<'a>(&self, shape: Shape, positions: &Positions<'a>) -> Result<Resolved<'a>> {
        let end = self.start.saturating_add(self.width());
        if end > shape.dim {
            return Err(Error::Width { expected: shape.dim, found: end });
        }
        let rows = self.tables().map(Tables::rows);
        positions.resolve(shape.batch, shape.tokens, rows)
    }

    /// Turns the heads of a view that begins at `origin` of the whole; everything was checked.
    fn part(&self, mut heads: HeadsMut<'_, f32>, positions: Resolved<'_>, origin: Origin) {
        let pairs = self.width() / 2;
        if heads.elements() == 0 || pairs == 0 {
            return;
        }
        let Shape { batch, tokens, .. } = heads.shape();
        // One token, as in decoding, needs no allocation.
        let mut few = [0.0; 2 * 256];
        let mut many = vec![];
        let cells = pairs * tokens.min(BLOCK);
        let scratch = match &self.source {
            Source::Tables(_) => &mut [],
            Source::Builder(_) if 2 * cells <= few.len() => &mut few[..2 * cells],
            Source::Builder(_) => {
                many.resize(2 * cells, 0.0);
                &mut many[..]
            }
        };
        for sequence in 0..batch {
            for token in (0..tokens).step_by(BLOCK) {
                let block = Block { sequence, token, count: BLOCK.min(tokens - token) };
                self.block(&mut heads, block, positions, origin, scratch);
            }
        }
    }

    /// Turns the heads of a few tokens, whose cosines and sines stay in the nearest cache meanwhile.
    fn block(
        &self,
        heads: &mut HeadsMut<'_, f32>,
        block: Block,
        positions: Resolved<'_>,
        origin: Origin,
        scratch: &mut [f32],
    ) {
        let Block { sequence, token, count } = block;
        let pairs = self.width() / 2;
        let mut table_rows = [0; BLOCK];
        let (cos, sin) = match &self.source {
            Source::Builder(builder) => {
                let (cos, sin) = scratch.split_at_mut(scratch.len() / 2);
                let (cos, sin) = (&mut cos[..count * pairs], &mut sin[..count * pairs]);
                builder.rows(positions, origin.sequence + sequence, origin.token + token, cos, sin);
                table_rows.iter_mut().enumerate().for_each(|(i, row)| *row = i * pairs);
                (&*cos, &*sin)
            }
            Source::Tables(tables) => {
                for (i, row) in table_rows[..count].iter_mut().enumerate() {
                    *row = positions.get(origin.sequence + sequence, origin.token + token + i) as usize * pairs;
                }
                (tables.cos(), tables.sin())
            }
        };
        let (shape, strides) = (heads.shape(), heads.strides());
        Rotate {
            data: heads.data(),
            start: sequence * strides.batch + token * strides.token + self.start,
            groups: Strided { count, stride: strides.token },
            members: Strided { count: shape.heads, stride: strides.head },
            pairs,
            cos,
            sin,
            table_rows: &table_rows,
        }
        .run(self.level, self.pairing, self.direction);
    }
}

/// A few tokens of one sequence.
#[derive(Clone, Copy)]
struct Block {
    sequence: usize,
    token: usize,
    count: usize,
}

/// Where a part of a view begins.
#[derive(Clone, Copy, Default)]
pub(crate) struct Origin {
    pub(crate) sequence: usize,
    pub(crate) token: usize,
}

impl Origin {
    /// The origin of what lies `by` entries further along an axis.
    pub(crate) fn moved(self, axis: Axis, by: usize) -> Self {
        match axis {
            Axis::Batch => Self { sequence: self.sequence + by, ..self },
            Axis::Token => Self { token: self.token + by, ..self },
            Axis::Head => self,
        }
    }
}

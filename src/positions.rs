//! Positions of tokens: whole numbers or fractions, never held in a type with fewer digits than they have.

mod chunks;
mod lists;
mod resolve;
mod shard;

pub use chunks::{ChunkRole, DualChunk};
pub use lists::{Coordinate, Coordinates, Ids, PositionId};
pub(crate) use resolve::Resolved;
pub use shard::Shard;

pub(crate) use posenc_kernels::MAX_AXES;

use crate::error::{Error, Result};

/// Where each token of a call stands.
///
/// ```
/// use posenc::Positions;
///
/// let decode = Positions::from(4095);               // tokens 4095, 4096, …
/// let batch = Positions::offsets(&[17, 203]);       // each sequence of the batch from its own position on
/// let packed = Positions::packed(&[0, 3, 5]);       // two sequences behind one another: 0, 1, 2, 0, 1
/// let free = Positions::ids(&[0, 1, 2, 0, 1]);      // one id a token, taken literally: any order, repeats allowed
/// let image = Positions::axes(&[0, 0, 1, 1, /* columns */ 0, 1, 0, 1], 2);
/// ```
///
/// With a batch, an offset holds for every sequence; lists are either one of `tokens` for all sequences, or of
/// `batch × tokens`, sequence after sequence.
///
/// Positions may be negative (a rotation by `−p` undoes one by `p`) unless a ready-made table is used, which has rows
/// from 0 on. Their size is at most 2^31.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a> {
    kind: Kind<'a>,
    /// Whether one stream of positions is meant for every axis.
    on_all_axes: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    Offset(i128),
    Ids(Ids<'a>),
    Offsets(Ids<'a>),
    Padded(Ids<'a>, Counted),
    Packed { bounds: Ids<'a>, starts: Option<Ids<'a>> },
    Shard { split: Shard, rank: usize, ranks: usize },
    Axes { list: Coordinates<'a>, axes: usize },
}

/// What a list of a left-padded batch counts.
#[derive(Clone, Copy, Debug)]
enum Counted {
    Padding,
    Tokens,
}

impl<'a> Positions<'a> {
    const fn of(kind: Kind<'a>) -> Self {
        Self { kind, on_all_axes: false }
    }

    fn starting(first: i128) -> Self {
        Self::of(Kind::Offset(first))
    }

    /// One id a token.
    #[must_use]
    pub fn ids<T: PositionId>(ids: &'a [T]) -> Self {
        Self::of(Kind::Ids(T::list(ids)))
    }

    /// Consecutive positions for each sequence of a batch, from a first one of its own on: a decode step over caches that
    /// are filled to different lengths.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(2, 10_000.0)?, Pairing::Halves);
    /// let (mut a, mut b) = ([1.0_f32; 4], [1.0_f32; 4]);
    /// rope.rotate(&mut HeadsMut::token_major(&mut a, [2, 1, 1, 2])?, &Positions::offsets(&[17, 203]))?;
    /// rope.rotate(&mut HeadsMut::token_major(&mut b, [2, 1, 1, 2])?, &Positions::ids(&[17, 203]))?;
    /// assert_eq!(a, b);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn offsets<T: PositionId>(firsts: &'a [T]) -> Self {
        Self::of(Kind::Offsets(T::list(firsts)))
    }

    /// A batch padded on the left: sequence `i` begins after `padding[i]` tokens, at position 0. Padding stands at 0 too.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(2, 10_000.0)?, Pairing::Halves);
    /// let (mut a, mut b, mut c) = ([1.0_f32; 20], [1.0_f32; 20], [1.0_f32; 20]);
    /// let shape = [2, 5, 1, 2];
    /// rope.rotate(&mut HeadsMut::token_major(&mut a, shape)?, &Positions::left_padded(&[0, 2]))?;
    /// rope.rotate(&mut HeadsMut::token_major(&mut b, shape)?, &Positions::right_aligned(&[5, 3]))?;
    /// rope.rotate(&mut HeadsMut::token_major(&mut c, shape)?, &Positions::ids(&[0, 1, 2, 3, 4, 0, 0, 0, 1, 2]))?;
    /// assert_eq!((a, a), (b, c));
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn left_padded<T: PositionId>(padding: &'a [T]) -> Self {
        Self::of(Kind::Padded(T::list(padding), Counted::Padding))
    }

    /// [`left_padded`](Self::left_padded), given the tokens of each sequence that are not padding, as an attention mask
    /// counts them.
    #[must_use]
    pub fn right_aligned<T: PositionId>(lengths: &'a [T]) -> Self {
        Self::of(Kind::Padded(T::list(lengths), Counted::Tokens))
    }

    /// Sequences packed behind one another, without padding ("varlen", "THD"): sequence `i` holds the tokens
    /// `cu_seqlens[i] .. cu_seqlens[i + 1]` and begins at position 0. Sequences may be empty.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(2, 10_000.0)?, Pairing::Halves);
    /// let (mut a, mut b) = ([1.0_f32; 10], [1.0_f32; 10]);
    /// rope.rotate(&mut HeadsMut::new(&mut a, [5, 1, 2])?, &Positions::packed(&[0, 3, 3, 5]))?;
    /// rope.rotate(&mut HeadsMut::new(&mut b, [5, 1, 2])?, &Positions::ids(&[0, 1, 2, 0, 1]))?;
    /// assert_eq!(a, b);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn packed<T: PositionId>(cu_seqlens: &'a [T]) -> Self {
        Self::of(Kind::Packed { bounds: T::list(cu_seqlens), starts: None })
    }

    /// [`packed`](Self::packed), with the first position of each sequence: chunks of a prefill, or decode steps.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(2, 10_000.0)?, Pairing::Halves);
    /// let (mut a, mut b) = ([1.0_f32; 10], [1.0_f32; 10]);
    /// rope.rotate(&mut HeadsMut::new(&mut a, [5, 1, 2])?, &Positions::packed_from(&[0_u32, 3, 5], &[40_i64, 7]))?;
    /// rope.rotate(&mut HeadsMut::new(&mut b, [5, 1, 2])?, &Positions::ids(&[40, 41, 42, 7, 8]))?;
    /// assert_eq!(a, b);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn packed_from<T: PositionId, U: PositionId>(cu_seqlens: &'a [T], firsts: &'a [U]) -> Self {
        Self::of(Kind::Packed { bounds: T::list(cu_seqlens), starts: Some(U::list(firsts)) })
    }

    /// The tokens that one rank of a context-parallel group holds.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] unless `rank` is below `ranks`.
    pub fn shard(split: Shard, rank: usize, ranks: usize) -> Result<Self> {
        if rank >= ranks {
            return Err(Error::Count { what: "rank", expected: "less than the number of ranks", found: rank });
        }
        Ok(Self::of(Kind::Shard { split, rank, ranks }))
    }

    /// One coordinate a token, which need not be whole: seconds of audio, centres of patches.
    ///
    /// ```
    /// use posenc::{Frequencies, Positions, Precision, TableBuilder};
    ///
    /// let builder = TableBuilder::new(&Frequencies::new(2, 10_000.0)?, Precision::Exact);
    /// let (mut cos, mut sin) = ([0.0_f32], [0.0_f32]);
    /// builder.fill(&Positions::fractions(&[0.5]), &mut cos, &mut sin)?;
    /// assert_eq!(cos, [0.5_f64.cos() as f32]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn fractions<T: Coordinate>(list: &'a [T]) -> Self {
        Self::axes(list, 1)
    }

    /// Several coordinates a token, `[axes, tokens]` or `[axes, batch, tokens]`: time, row and column. Which pairs read
    /// which axis is a property of the [`Frequencies`](crate::Frequencies).
    #[must_use]
    pub fn axes<T: Coordinate>(list: &'a [T], axes: usize) -> Self {
        Self::of(Kind::Axes { list: T::coordinates(list), axes })
    }

    /// The same positions for every axis: text between the images of a multimodal model, where time, row and column
    /// count alike.
    ///
    /// ```
    /// use posenc::{Axes, Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let plain = Frequencies::new(8, 10_000.0)?;
    /// let multimodal = plain.clone().on_axes(Axes::sectioned(&[2, 1, 1])?)?;
    /// let (mut a, mut b) = ([1.0_f32; 8], [1.0_f32; 8]);
    /// let text = Positions::from(7);
    /// Rotary::new(&plain, Pairing::Halves).rotate(&mut HeadsMut::new(&mut a, [1, 1, 8])?, &text)?;
    /// let rope = Rotary::new(&multimodal, Pairing::Halves);
    /// rope.rotate(&mut HeadsMut::new(&mut b, [1, 1, 8])?, &text.on_all_axes())?;
    /// assert_eq!(a, b);
    /// // That text is meant has to be said.
    /// assert!(rope.rotate(&mut HeadsMut::new(&mut b, [1, 1, 8])?, &text).is_err());
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn on_all_axes(self) -> Self {
        Self { on_all_axes: true, ..self }
    }
}

//! Views of queries and keys: shape, strides, and how to cut a view into independent parts.

mod layout;

pub(crate) use layout::Layout;

use core::ops::Range;

use crate::error::Result;

/// Queries or keys in memory, to be changed in place.
///
/// The features of a head lie next to each other; batch, tokens and heads may have any strides.
///
/// ```
/// use posenc::{HeadsMut, Shape, Strides};
///
/// let (tokens, heads, dim) = (5, 4, 64);
/// let mut data = vec![0.0_f32; tokens * heads * dim];
/// let view = HeadsMut::new(&mut data, [tokens, heads, dim])?;
/// assert_eq!(view.shape(), Shape { batch: 1, tokens, heads, dim });
///
/// // As Megatron-LM lays out activations: tokens outside, sequences inside.
/// let mut data = vec![0.0_f32; 5 * 3 * 4 * 64];
/// let view = HeadsMut::sequence_major(&mut data, [5, 3, 4, 64])?;
/// assert_eq!(view.shape(), Shape { batch: 3, tokens: 5, heads: 4, dim: 64 });
///
/// // The keys inside rows of [q q q q k k v v]: skip four heads, step over eight.
/// let mut packed = vec![0.0_f32; tokens * 8 * dim];
/// let shape = Shape { batch: 1, tokens, heads: 2, dim };
/// let strides = Strides { batch: tokens * 8 * dim, token: 8 * dim, head: dim };
/// let keys = HeadsMut::strided(&mut packed[4 * dim..], shape, strides)?;
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Debug)]
pub struct HeadsMut<'a, T> {
    data: &'a mut [T],
    layout: Layout,
}

/// Queries or keys in memory, to be read: the source of a rotation into another place.
///
/// ```
/// use posenc::Heads;
///
/// let data = [0.0_f32; 48];
/// assert_eq!(Heads::new(&data, [3, 4, 4])?.shape().heads, 4);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Heads<'a, T> {
    data: &'a [T],
    layout: Layout,
}

/// How many of each there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Sequences.
    pub batch: usize,
    /// Tokens of a sequence.
    pub tokens: usize,
    /// Heads of a token.
    pub heads: usize,
    /// Features of a head.
    pub dim: usize,
}

/// How many elements lie from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Strides {
    /// From a sequence to the next.
    pub batch: usize,
    /// From a token to the next.
    pub token: usize,
    /// From a head to the next.
    pub head: usize,
}

/// An axis along which a view can be cut.
///
/// ```
/// use posenc::{Axis, HeadsMut};
///
/// let mut data = [0.0_f32; 48];
/// assert_eq!(HeadsMut::head_major(&mut data, [1, 4, 3, 4])?.outer_axis(), Some((Axis::Head, 4)));
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// Sequences.
    Batch,
    /// Tokens of a sequence.
    Token,
    /// Heads of a token.
    Head,
}

/// The constructors that both views have.
macro_rules! constructors {
    ($view:ident, $slice:ty) => {
        impl<'a, T> $view<'a, T> {
            /// `[tokens, heads, dim]`, without gaps: packed tokens ("THD").
            ///
            /// # Errors
            ///
            /// [`Error::Length`](crate::Error::Length) unless `data` has just as many elements.
            pub fn new(data: $slice, [tokens, heads, dim]: [usize; 3]) -> Result<Self> {
                Self::token_major(data, [1, tokens, heads, dim])
            }

            /// `[batch, tokens, heads, dim]`, without gaps ("BSHD").
            ///
            /// # Errors
            ///
            /// [`Error::Length`](crate::Error::Length) unless `data` has just as many elements.
            pub fn token_major(data: $slice, shape: [usize; 4]) -> Result<Self> {
                Ok(Self { layout: Layout::token_major(data.len(), shape)?, data })
            }

            /// `[batch, heads, tokens, dim]`, without gaps ("BHSD").
            ///
            /// # Errors
            ///
            /// [`Error::Length`](crate::Error::Length) unless `data` has just as many elements.
            pub fn head_major(data: $slice, shape: [usize; 4]) -> Result<Self> {
                Ok(Self { layout: Layout::head_major(data.len(), shape)?, data })
            }

            /// `[tokens, batch, heads, dim]`, without gaps ("SBHD").
            ///
            /// # Errors
            ///
            /// [`Error::Length`](crate::Error::Length) unless `data` has just as many elements.
            pub fn sequence_major(data: $slice, shape: [usize; 4]) -> Result<Self> {
                Ok(Self { layout: Layout::sequence_major(data.len(), shape)?, data })
            }

            /// Any order and any gaps. `data` begins with the first head of the first token; what lies between the heads
            /// is never touched.
            ///
            /// # Errors
            ///
            /// [`Error::Stride`](crate::Error::Stride) if two heads would share elements, [`Error::Length`](crate::Error::Length) if the last head ends beyond
            /// `data`.
            pub fn strided(data: $slice, shape: Shape, strides: Strides) -> Result<Self> {
                Ok(Self { layout: Layout::strided(data.len(), shape, strides)?, data })
            }

            /// How many of each there are.
            #[must_use]
            pub fn shape(&self) -> Shape {
                self.layout.shape
            }

            /// How many elements lie from one to the next.
            #[must_use]
            pub fn strides(&self) -> Strides {
                self.layout.strides
            }

            /// The axis whose parts lie farthest apart in memory, and how many entries it has; `None` if every axis has
            /// one entry at most.
            #[must_use]
            pub fn outer_axis(&self) -> Option<(Axis, usize)> {
                self.layout.outer_axis()
            }
        }
    };
}

constructors!(Heads, &'a [T]);
constructors!(HeadsMut, &'a mut [T]);

impl<'a, T> Heads<'a, T> {
    /// Some entries of an axis: see [`HeadsMut::narrow`].
    ///
    /// ```
    /// use posenc::{Axis, Heads};
    ///
    /// let qkv = [0.0_f32; 3 * 8 * 4];
    /// let values = Heads::new(&qkv, [3, 8, 4])?.narrow(Axis::Head, 6..8)?;
    /// assert_eq!(values.shape().heads, 2);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`](crate::Error::Count) if the axis does not have these entries.
    pub fn narrow(self, axis: Axis, range: Range<usize>) -> Result<Self> {
        let (layout, element) = self.layout.narrow(axis, range)?;
        Ok(Self { data: self.data.get(element..).unwrap_or_default(), layout })
    }

    /// All elements from the first head to the last, gaps included.
    pub(crate) fn data(&self) -> &'a [T] {
        self.data
    }

    /// Cuts the [`outer_axis`](Self::outer_axis) before entry `index`.
    ///
    /// # Errors
    ///
    /// [`Error::Count`](crate::Error::Count) if there is no such axis, or `index` is beyond it.
    pub fn split_at(self, index: usize) -> Result<(Self, Self)> {
        let axis = self.layout.check_split(index)?;
        Ok(self.cut(axis, index))
    }

    pub(crate) fn cut(self, axis: Axis, index: usize) -> (Self, Self) {
        let (left, right, element) = self.layout.cut(axis, index);
        let second = self.data.get(element..).unwrap_or_default();
        (Self { data: self.data, layout: left }, Self { data: second, layout: right })
    }
}

impl<T> HeadsMut<'_, T> {
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// All elements from the first head to the last, gaps included.
    pub(crate) fn data(&mut self) -> &mut [T] {
        self.data
    }

    /// The same view for a shorter time.
    pub(crate) fn reborrow(&mut self) -> HeadsMut<'_, T> {
        HeadsMut { data: self.data, layout: self.layout }
    }

    /// Some entries of an axis, for the time of the borrow: the queries and keys of packed rows, one head, the slots of a
    /// cache that are to be filled, one sequence.
    ///
    /// ```
    /// use posenc::{Axis, Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(4, 10_000.0)?, Pairing::Halves);
    /// // Rows of four query heads, two key heads, two value heads.
    /// let mut rows = vec![1.0_f32; 3 * 8 * 4];
    /// let mut qkv = HeadsMut::new(&mut rows, [3, 8, 4])?;
    /// rope.rotate(&mut qkv.narrow(Axis::Head, 0..6)?, &Positions::from(1))?;
    /// assert_eq!(rows[6 * 4..8 * 4], [1.0; 8]);           // values stay
    ///
    /// // Two new keys, in slots 7 and 8 of a cache.
    /// let mut slots = vec![1.0_f32; 2 * 16 * 4];
    /// let mut cache = HeadsMut::head_major(&mut slots, [1, 2, 16, 4])?;
    /// rope.rotate(&mut cache.narrow(Axis::Token, 7..9)?, &Positions::from(7))?;
    /// assert_ne!(slots[7 * 4..9 * 4], [1.0; 8]);
    /// assert_eq!(slots[..7 * 4], [1.0; 28]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`](crate::Error::Count) if the axis does not have these entries.
    pub fn narrow(&mut self, axis: Axis, range: Range<usize>) -> Result<HeadsMut<'_, T>> {
        let (layout, element) = self.layout.narrow(axis, range)?;
        Ok(HeadsMut { data: self.data.get_mut(element..).unwrap_or_default(), layout })
    }

    /// Cuts the [`outer_axis`](Self::outer_axis) before entry `index`: two views that share nothing, for threads of your
    /// own. The tokens of the second part keep their positions.
    ///
    /// ```
    /// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
    ///
    /// let rope = Rotary::new(&Frequencies::new(4, 10_000.0)?, Pairing::Halves);
    /// let mut q = vec![1.0_f32; 10 * 2 * 4];
    /// let (mut left, mut right) = HeadsMut::new(&mut q, [10, 2, 4])?.split_at(6)?;
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| rope.rotate(&mut left, &Positions::from(0)));
    ///     scope.spawn(|| rope.rotate(&mut right, &Positions::from(6)));
    /// });
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Count`](crate::Error::Count) if there is no such axis, or `index` is beyond it.
    pub fn split_at(self, index: usize) -> Result<(Self, Self)> {
        let axis = self.layout.check_split(index)?;
        Ok(self.cut(axis, index))
    }

    /// Cuts the outer axis; the memory of any other cannot be told apart.
    pub(crate) fn cut(self, axis: Axis, index: usize) -> (Self, Self) {
        let (left, right, element) = self.layout.cut(axis, index);
        // The last entry may end before a whole stride.
        let (first, second) = self.data.split_at_mut(element.min(self.data.len()));
        (Self { data: first, layout: left }, Self { data: second, layout: right })
    }
}

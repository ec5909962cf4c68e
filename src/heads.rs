//! Views of queries and keys: shape, strides, and how to cut a view into independent parts.

use crate::error::{Error, Result, check_length, product};

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
    shape: Shape,
    strides: Strides,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    Batch,
    Token,
    Head,
}

impl<'a, T> HeadsMut<'a, T> {
    /// `[tokens, heads, dim]`, without gaps: packed tokens ("THD").
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless `data` has just as many elements.
    pub fn new(data: &'a mut [T], [tokens, heads, dim]: [usize; 3]) -> Result<Self> {
        Self::token_major(data, [1, tokens, heads, dim])
    }

    /// `[batch, tokens, heads, dim]`, without gaps ("BSHD").
    ///
    /// ```
    /// use posenc::HeadsMut;
    ///
    /// let mut data = [0.0_f32; 48];
    /// assert_eq!(HeadsMut::token_major(&mut data, [2, 3, 2, 4])?.shape().tokens, 3);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless `data` has just as many elements.
    pub fn token_major(data: &'a mut [T], [batch, tokens, heads, dim]: [usize; 4]) -> Result<Self> {
        check_length("head data", product("head data", &[batch, tokens, heads, dim])?, data.len())?;
        let strides = Strides { batch: tokens * heads * dim, token: heads * dim, head: dim };
        Ok(Self { data, shape: Shape { batch, tokens, heads, dim }, strides })
    }

    /// `[batch, heads, tokens, dim]`, without gaps ("BHSD").
    ///
    /// ```
    /// use posenc::HeadsMut;
    ///
    /// let mut data = [0.0_f32; 48];
    /// assert_eq!(HeadsMut::head_major(&mut data, [2, 2, 3, 4])?.shape().tokens, 3);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless `data` has just as many elements.
    pub fn head_major(data: &'a mut [T], [batch, heads, tokens, dim]: [usize; 4]) -> Result<Self> {
        check_length("head data", product("head data", &[batch, heads, tokens, dim])?, data.len())?;
        let strides = Strides { batch: heads * tokens * dim, token: dim, head: tokens * dim };
        Ok(Self { data, shape: Shape { batch, tokens, heads, dim }, strides })
    }

    /// Any order and any gaps. `data` begins with the first head of the first token; what lies between the heads is
    /// never touched.
    ///
    /// # Errors
    ///
    /// [`Error::Stride`] if two heads would share elements, [`Error::Length`] if the last head ends beyond `data`.
    pub fn strided(data: &'a mut [T], shape: Shape, strides: Strides) -> Result<Self> {
        let Shape { batch, tokens, heads, dim } = shape;
        if product("head data", &[batch, tokens, heads, dim])? > 0 {
            let mut axes =
                [("head", heads, strides.head), ("token", tokens, strides.token), ("batch", batch, strides.batch)];
            axes.sort_by_key(|&(_, count, stride)| (stride, count));
            let mut extent = dim;
            for (what, count, stride) in axes.into_iter().filter(|&(_, count, _)| count > 1) {
                if stride < extent {
                    return Err(Error::Stride { what, expected: extent, found: stride });
                }
                extent = (count - 1).saturating_mul(stride).saturating_add(extent);
            }
            if extent > data.len() {
                return Err(Error::Length { what: "head data", expected: extent, found: data.len() });
            }
        }
        Ok(Self { data, shape, strides })
    }

    /// How many of each there are.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How many elements lie from one to the next.
    #[must_use]
    pub fn strides(&self) -> Strides {
        self.strides
    }

    /// All elements from the first head to the last, gaps included.
    pub(crate) fn data(&mut self) -> &mut [T] {
        self.data
    }

    /// The same view for a shorter time.
    pub(crate) fn reborrow(&mut self) -> HeadsMut<'_, T> {
        HeadsMut { data: self.data, shape: self.shape, strides: self.strides }
    }

    /// How many elements are in heads.
    pub(crate) fn elements(&self) -> usize {
        let Shape { batch, tokens, heads, dim } = self.shape;
        batch * tokens * heads * dim
    }

    /// The axis whose parts lie farthest apart, along which the view falls into two separate stretches of memory.
    pub(crate) fn outer_axis(&self) -> Option<(Axis, usize)> {
        let Shape { batch, tokens, heads, .. } = self.shape;
        [
            (Axis::Batch, batch, self.strides.batch),
            (Axis::Token, tokens, self.strides.token),
            (Axis::Head, heads, self.strides.head),
        ]
        .into_iter()
        .filter(|&(_, count, _)| count > 1)
        .max_by_key(|&(_, _, stride)| stride)
        .map(|(axis, count, _)| (axis, count))
    }

    /// Cuts the [`outer_axis`](Self::outer_axis) before entry `at`.
    pub(crate) fn split(self, axis: Axis, at: usize) -> (Self, Self) {
        let (mut left, mut right) = (self.shape, self.shape);
        let stride = match axis {
            Axis::Batch => {
                (left.batch, right.batch) = (at, self.shape.batch - at);
                self.strides.batch
            }
            Axis::Token => {
                (left.tokens, right.tokens) = (at, self.shape.tokens - at);
                self.strides.token
            }
            Axis::Head => {
                (left.heads, right.heads) = (at, self.shape.heads - at);
                self.strides.head
            }
        };
        let (first, second) = self.data.split_at_mut(at * stride);
        let part = |data, shape| Self { data, shape, strides: self.strides };
        (part(first, left), part(second, right))
    }
}

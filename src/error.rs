//! The one error type: what was expected, what was found.

use alloc::vec::Vec;
use core::fmt;

use crate::heads::Shape;

/// Why a call was refused. Nothing was written.
///
/// ```
/// use posenc::{Error, HeadsMut};
///
/// let mut data = [0.0_f32; 7];
/// let error = HeadsMut::new(&mut data, [2, 1, 4]).unwrap_err();
/// assert_eq!(error, Error::Length { what: "head data", expected: 8, found: 7 });
/// assert_eq!(error.to_string(), "head data: expected 8 elements, found 7");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A slice or a list has the wrong length.
    Length {
        /// Which one.
        what: &'static str,
        /// The length that the other arguments ask for.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// A count or a width is not one of those that are allowed.
    Count {
        /// Which one.
        what: &'static str,
        /// What is allowed.
        expected: &'static str,
        /// What was given.
        found: usize,
    },
    /// A number is not one of those that are allowed.
    Number {
        /// Which one.
        what: &'static str,
        /// What is allowed.
        expected: &'static str,
        /// What was given.
        found: f64,
    },
    /// A scaling is defined by the base of the frequencies, and these have none.
    Series {
        /// The scaling.
        scaling: &'static str,
        /// Which frequencies it can be used on.
        expected: &'static str,
        /// Which frequencies these are.
        found: &'static str,
    },
    /// Tables of another type were brought along than the elements are computed with.
    Element {
        /// The type that is needed.
        expected: &'static str,
        /// The type of the tables.
        found: &'static str,
    },
    /// The shapes of what is read and what is written differ.
    Shape {
        /// The shape of what is read.
        expected: Shape,
        /// The shape of what is written.
        found: Shape,
    },
    /// A rotated slice does not fit the head.
    Width {
        /// Features of a head.
        expected: usize,
        /// Where the rotated slice ends.
        found: usize,
    },
    /// A position is outside the range that can be served.
    Position {
        /// Which token's it is, or which entry of a list with one for each token.
        index: usize,
        /// The smallest position allowed.
        min: i64,
        /// The largest position allowed.
        max: i64,
        /// The position.
        found: i128,
    },
    /// A coordinate is not one of those that are allowed.
    Coordinate {
        /// Which entry of the list it is.
        index: usize,
        /// What is allowed.
        expected: &'static str,
        /// The coordinate.
        found: f64,
    },
    /// Positions have another number of axes than the frequencies read.
    Axes {
        /// The axes that the frequencies read.
        expected: usize,
        /// The axes of the positions.
        found: usize,
    },
    /// An entry of a list does not fit the others, or the call.
    Entry {
        /// Which list.
        what: &'static str,
        /// Which entry.
        index: usize,
        /// The smallest value allowed.
        min: i128,
        /// The largest value allowed.
        max: i128,
        /// Its value.
        found: i128,
    },
    /// A stride is so small that rows would share elements.
    Stride {
        /// Which one.
        what: &'static str,
        /// The smallest stride at which rows are apart.
        expected: usize,
        /// What was given.
        found: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { what, expected, found } => write!(f, "{what}: expected {expected} elements, found {found}"),
            Self::Count { what, expected, found } => write!(f, "{what}: expected {expected}, found {found}"),
            Self::Number { what, expected, found } => write!(f, "{what}: expected {expected}, found {found}"),
            Self::Series { scaling, expected, found } => write!(f, "{scaling}: expected {expected}, found {found}"),
            Self::Element { expected, found } => write!(f, "tables: expected values of {expected}, found {found}"),
            Self::Shape { expected, found } => {
                let list = |s: &Shape| [s.batch, s.tokens, s.heads, s.dim];
                let (expected, found) = (list(expected), list(found));
                write!(f, "[batch, tokens, heads, dim]: expected {expected:?} as in the source, found {found:?}")
            }
            Self::Width { expected, found } => {
                write!(f, "rotated slice: expected to end within the {expected} features of a head, found end {found}")
            }
            Self::Position { index, min, max, found } => {
                write!(f, "position {index}: expected {min} to {max}, found {found}")
            }
            Self::Coordinate { index, expected, found } => {
                write!(f, "position {index}: expected {expected}, found {found}")
            }
            Self::Axes { expected, found } => write!(f, "axes of the positions: expected {expected}, found {found}"),
            Self::Entry { what, index, min, max, found } => {
                write!(f, "{what}, entry {index}: expected {min} to {max}, found {found}")
            }
            Self::Stride { what, expected, found } => {
                write!(f, "{what} stride: expected at least {expected}, found {found}")
            }
        }
    }
}

impl core::error::Error for Error {}

/// A result of this crate.
pub type Result<T> = core::result::Result<T, Error>;

/// The product of `counts`, or an error that says that it is too large.
#[inline]
pub(crate) fn product(what: &'static str, counts: &[usize]) -> Result<usize> {
    if counts.contains(&0) {
        return Ok(0);
    }
    let product = counts.iter().try_fold(1_usize, |product, &count| product.checked_mul(count));
    product.ok_or(Error::Count { what, expected: "sizes whose product fits a usize", found: usize::MAX })
}

/// Zeros, one for each cell of `counts`, or an error if memory does not have them.
pub(crate) fn zeros<T: Copy + Default>(what: &'static str, counts: &[usize]) -> Result<Vec<T>> {
    let len = product(what, counts)?;
    let mut cells = Vec::new();
    match cells.try_reserve_exact(len) {
        Ok(()) => {
            cells.resize(len, T::default());
            Ok(cells)
        }
        Err(_) => Err(Error::Count { what, expected: "a number of elements that fits the memory", found: len }),
    }
}

/// Whether a length is the one expected.
pub(crate) fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

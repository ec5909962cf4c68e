//! Positions of tokens: whole numbers, never held in a floating-point type before they meet a frequency.

use crate::error::{Error, Result, check_length};

/// The largest position, in size, for which tables are exact to their contract.
const LIMIT: i64 = 1 << 31;

/// Where each token of a call stands.
///
/// ```
/// use posenc::Positions;
///
/// let decode = Positions::from(4095);               // tokens 4095, 4096, …
/// let packed = Positions::ids(&[0, 1, 2, 0, 1]);    // one id a token, taken literally: any order, repeats allowed
/// ```
///
/// With a batch, an offset holds for every sequence; ids are either one list of `tokens` for all sequences, or
/// `batch × tokens` ids, sequence after sequence (left-padded batches want this form).
///
/// Positions may be negative (a rotation by `−p` undoes one by `p`) unless a ready-made table is used, which has rows
/// from 0 on. Their size is at most 2^31.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'a>(Kind<'a>);

#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    Offset(i128),
    Ids(Ids<'a>),
}

/// A borrowed list of ids of one of the types that engines use.
#[derive(Clone, Copy, Debug)]
pub enum Ids<'a> {
    /// As in ONNX and many C interfaces.
    I32(&'a [i32]),
    /// As in candle.
    U32(&'a [u32]),
    /// As in PyTorch.
    I64(&'a [i64]),
    /// As Rust counts.
    Usize(&'a [usize]),
}

/// A type of position ids: `i32`, `u32`, `i64` or `usize`.
pub trait PositionId: sealed::Sealed + Sized {
    /// Wraps a list without copying it.
    fn list(ids: &[Self]) -> Ids<'_>;
}

mod sealed {
    /// Keeps the list of id types closed.
    pub trait Sealed {}
}

macro_rules! position_types {
    ($($type:ty => $variant:ident),+) => {$(
        impl sealed::Sealed for $type {}

        impl PositionId for $type {
            fn list(ids: &[Self]) -> Ids<'_> {
                Ids::$variant(ids)
            }
        }

        impl From<$type> for Positions<'_> {
            /// Consecutive positions from this one on.
            fn from(first: $type) -> Self {
                Self(Kind::Offset(first as i128))
            }
        }
    )+};
}

position_types!(i32 => I32, u32 => U32, i64 => I64, usize => Usize);

impl Ids<'_> {
    fn len(&self) -> usize {
        match self {
            Self::I32(ids) => ids.len(),
            Self::U32(ids) => ids.len(),
            Self::I64(ids) => ids.len(),
            Self::Usize(ids) => ids.len(),
        }
    }

    /// The first id that lies outside, with its index.
    fn outside(&self, min: i64, max: i64) -> Option<(usize, i128)> {
        fn find<T: Copy>(ids: &[T], fits: impl Fn(T) -> bool, wide: impl Fn(T) -> i128) -> Option<(usize, i128)> {
            ids.iter().position(|&id| !fits(id)).map(|index| (index, wide(ids[index])))
        }
        let range = min..=max;
        match self {
            Self::I32(ids) => find(ids, |id| range.contains(&i64::from(id)), i128::from),
            Self::U32(ids) => find(ids, |id| range.contains(&i64::from(id)), i128::from),
            Self::I64(ids) => find(ids, |id| range.contains(&id), i128::from),
            Self::Usize(ids) => find(ids, |id| i64::try_from(id).is_ok_and(|id| range.contains(&id)), |id| id as i128),
        }
    }

    fn get(&self, index: usize) -> i64 {
        match self {
            Self::I32(ids) => i64::from(ids[index]),
            Self::U32(ids) => i64::from(ids[index]),
            Self::I64(ids) => ids[index],
            Self::Usize(ids) => ids[index] as i64,
        }
    }
}

impl<'a> Positions<'a> {
    /// One id a token.
    #[must_use]
    pub fn ids<T: PositionId>(ids: &'a [T]) -> Self {
        Self(Kind::Ids(T::list(ids)))
    }

    /// Checks that there is a position for each of `batch × tokens` tokens, and each fits `rows` of a table, or the
    /// contract where there is no table.
    pub(crate) fn resolve(self, batch: usize, tokens: usize, rows: Option<usize>) -> Result<Resolved<'a>> {
        let all = batch.saturating_mul(tokens);
        let (min, max) = match rows {
            Some(rows) => (0, i64::try_from(rows).unwrap_or(i64::MAX) - 1),
            None => (-LIMIT, LIMIT),
        };
        match self.0 {
            Kind::Offset(first) => {
                let last = first + tokens.saturating_sub(1) as i128;
                let fits = |position: &i128| (i128::from(min)..=i128::from(max)).contains(position);
                match [(0, first), (tokens.saturating_sub(1), last)].into_iter().find(|(_, p)| !fits(p)) {
                    Some((index, found)) if all > 0 => Err(Error::Position { index, min, max, found }),
                    _ => Ok(Resolved { list: List::From(first as i64), per_sequence: 0 }),
                }
            }
            Kind::Ids(ids) => {
                let per_sequence = if ids.len() == tokens { 0 } else { tokens };
                if ids.len() != tokens && ids.len() != all {
                    return Err(Error::Length { what: "position ids", expected: all, found: ids.len() });
                }
                match ids.outside(min, max) {
                    Some((index, found)) => Err(Error::Position { index, min, max, found }),
                    None => Ok(Resolved { list: List::Ids(ids), per_sequence }),
                }
            }
        }
    }
}

impl<'a> Positions<'a> {
    /// Checks that `elements` are whole rows of `width`, and that there is a position for each of them.
    ///
    /// Rows without width are done whatever their number, which no length can tell.
    pub(crate) fn resolve_rows(self, what: &'static str, elements: usize, width: usize) -> Result<Resolved<'a>> {
        let rows = elements / width.max(1);
        check_length(what, rows * width, elements)?;
        if width == 0 { Ok(Resolved { list: List::From(0), per_sequence: 0 }) } else { self.resolve(1, rows, None) }
    }
}

/// Positions that were checked against the tokens and the tables of a call.
#[derive(Clone, Copy)]
pub(crate) struct Resolved<'a> {
    list: List<'a>,
    /// How many ids to skip for each further sequence.
    per_sequence: usize,
}

#[derive(Clone, Copy)]
enum List<'a> {
    From(i64),
    Ids(Ids<'a>),
}

impl Resolved<'_> {
    pub(crate) fn get(&self, sequence: usize, token: usize) -> i64 {
        match self.list {
            List::From(first) => first + token as i64,
            List::Ids(ids) => ids.get(sequence * self.per_sequence + token),
        }
    }
}

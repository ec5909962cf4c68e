//! Lists of positions in the number types that engines use; borrowed, never copied.

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

/// A borrowed list of coordinates, which need not be whole.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Coordinates<'a> {
    /// Whole numbers.
    Ids(Ids<'a>),
    /// Fractions of single precision.
    F32(&'a [f32]),
    /// Fractions of double precision.
    F64(&'a [f64]),
}

/// A type of position ids: `i32`, `u32`, `i64` or `usize`.
pub trait PositionId: Coordinate {
    /// Wraps a list without copying it.
    fn list(ids: &[Self]) -> Ids<'_>;
}

/// A type of coordinates: a [`PositionId`], `f32` or `f64`.
///
/// ```
/// use posenc::{Coordinate, Coordinates};
///
/// assert!(matches!(f32::coordinates(&[0.5]), Coordinates::F32([0.5])));
/// assert!(matches!(i32::coordinates(&[7]), Coordinates::Ids(_)));
/// ```
pub trait Coordinate: sealed::Sealed + Sized {
    /// Wraps a list without copying it.
    fn coordinates(list: &[Self]) -> Coordinates<'_>;
}

mod sealed {
    /// Keeps the list of types closed.
    pub trait Sealed {}
}

macro_rules! ids {
    ($($type:ty => $variant:ident),+) => {$(
        impl sealed::Sealed for $type {}

        impl PositionId for $type {
            fn list(ids: &[Self]) -> Ids<'_> {
                Ids::$variant(ids)
            }
        }

        impl Coordinate for $type {
            fn coordinates(list: &[Self]) -> Coordinates<'_> {
                Coordinates::Ids(Self::list(list))
            }
        }

        impl From<$type> for super::Positions<'_> {
            /// Consecutive positions from this one on.
            fn from(first: $type) -> Self {
                Self::starting(first as i128)
            }
        }
    )+};
}

ids!(i32 => I32, u32 => U32, i64 => I64, usize => Usize);

macro_rules! fractions {
    ($($type:ty => $variant:ident),+) => {$(
        impl sealed::Sealed for $type {}

        impl Coordinate for $type {
            fn coordinates(list: &[Self]) -> Coordinates<'_> {
                Coordinates::$variant(list)
            }
        }
    )+};
}

fractions!(f32 => F32, f64 => F64);

impl Ids<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::I32(ids) => ids.len(),
            Self::U32(ids) => ids.len(),
            Self::I64(ids) => ids.len(),
            Self::Usize(ids) => ids.len(),
        }
    }

    /// The first id that lies outside, with its index.
    pub(super) fn outside(&self, min: i64, max: i64) -> Option<(usize, i128)> {
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

    /// An id that was found to fit an `i64`.
    pub(super) fn get(&self, index: usize) -> i64 {
        match self {
            Self::I32(ids) => i64::from(ids[index]),
            Self::U32(ids) => i64::from(ids[index]),
            Self::I64(ids) => ids[index],
            Self::Usize(ids) => ids[index] as i64,
        }
    }

    /// Any id.
    pub(super) fn wide(&self, index: usize) -> i128 {
        match self {
            Self::Usize(ids) => ids[index] as i128,
            others => others.get(index).into(),
        }
    }
}

impl Coordinates<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Ids(ids) => ids.len(),
            Self::F32(list) => list.len(),
            Self::F64(list) => list.len(),
        }
    }

    /// A coordinate; exact, since ids have at most 32 bits once they were checked.
    pub(super) fn get(&self, index: usize) -> f64 {
        match self {
            Self::Ids(ids) => ids.get(index) as f64,
            Self::F32(list) => f64::from(list[index]),
            Self::F64(list) => list[index],
        }
    }
}

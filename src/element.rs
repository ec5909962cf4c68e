//! The types that queries, keys and rows may be made of.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::MaybeUninit;

use posenc_kernels::{Cell, F32, F64, Format, Same, Slot, Source};

use crate::Tables;

/// An element of queries, keys, rows or tables: `f32` and `f64`, and with the feature `half` also `half::f16` and
/// `half::bf16`.
///
/// 16-bit elements are computed in f32, with f32 tables, and rounded once, to nearest even. f64 elements are computed in
/// f64, with f64 tables.
///
/// ```
/// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};
///
/// let rope = Rotary::new(&Frequencies::new(2, 10_000.0)?, Pairing::Halves);
/// let mut q = [1.0_f64, 0.0];
/// rope.rotate(&mut HeadsMut::new(&mut q, [1, 1, 2])?, &Positions::from(1))?;
/// assert_eq!(q, [1.0_f64.cos(), 1.0_f64.sin()]);
/// # Ok::<(), posenc::Error>(())
/// ```
pub trait Element: Copy + Default + Send + Sync + sealed::Sealed {
    /// What is computed with: `f32` or `f64`.
    type Work: Work;
    /// The kernels' name for it.
    #[doc(hidden)]
    type Format: Cell<Work = Self::Work>;

    /// The name in messages.
    #[doc(hidden)]
    const NAME: &'static str;

    /// A slice, as kernels see it.
    #[doc(hidden)]
    fn raw(slice: &[Self]) -> &[<Self::Format as Format>::Store];

    /// A slice, as kernels see it.
    #[doc(hidden)]
    fn raw_mut(slice: &mut [Self]) -> &mut [<Self::Format as Format>::Store];

    /// The number, exactly.
    #[doc(hidden)]
    fn to_double(self) -> f64;

    /// The nearest element, of two the even one.
    #[doc(hidden)]
    fn from_double(number: f64) -> Self;
}

/// An element type that is computed with: `f32` or `f64`.
///
/// ```
/// use posenc::{Pairing, Rotary, Tables, Work};
///
/// fn ready<W: Work>(tables: Tables<W>) -> Rotary {
///     Rotary::from_tables(tables, Pairing::Halves)
/// }
/// assert_eq!(ready(Tables::new(vec![1.0_f64], vec![0.0], 1)?).width(), 2);
/// # Ok::<(), posenc::Error>(())
/// ```
pub trait Work: Element<Work = Self> + From<f32> {
    /// The tables of this type.
    #[doc(hidden)]
    fn tables(set: &TableSet) -> Option<&Arc<Tables<Self>>>;

    /// A set with these tables alone.
    #[doc(hidden)]
    fn set(tables: Arc<Tables<Self>>) -> TableSet;

    /// Numbers of f32, as this type.
    #[doc(hidden)]
    fn widen(numbers: &[f32]) -> Cow<'_, [Self]>;

    /// Numbers of f32, as this type; where that is another, they are put into a room for them.
    #[doc(hidden)]
    fn widen_into<'a>(numbers: &'a [f32], room: &'a mut Vec<Self>) -> &'a [Self];
}

/// Tables of both types, if there are any.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct TableSet {
    pub(crate) single: Option<Arc<Tables<f32>>>,
    pub(crate) double: Option<Arc<Tables<f64>>>,
}

/// What a rotation can write where it reads elements of type `S`: the same type, or a 16-bit type where it reads `f32`;
/// initialised or not (`MaybeUninit`).
///
/// ```
/// # #[cfg(feature = "half")] {
/// use half::bf16;
/// use posenc::{Frequencies, Heads, HeadsMut, Pairing, Positions, Rotary};
///
/// // Activations in f32 go rotated into a cache of bf16, with one rounding.
/// let rope = Rotary::new(&Frequencies::new(2, 10_000.0)?, Pairing::Halves);
/// let (k, mut cache) = ([1.0_f32, 0.0], [bf16::ZERO; 2]);
/// let mut slot = HeadsMut::new(&mut cache, [1, 1, 2])?;
/// rope.rotate_into(&Heads::new(&k, [1, 1, 2])?, &mut slot, &Positions::from(1))?;
/// assert_eq!(cache, [bf16::from_f32(1.0_f32.cos()), bf16::from_f32(1.0_f32.sin())]);
/// # }
/// # Ok::<(), posenc::Error>(())
/// ```
pub trait Target<S: Element>: Copy + Send + sealed::Sealed {
    /// The kernels' name for what is written.
    #[doc(hidden)]
    type Format: Cell<Work = S::Work>;
    /// How what is read becomes that.
    #[doc(hidden)]
    type Source: Source<Self::Format, Store = <S::Format as Format>::Store>;
    /// What kernels write to.
    #[doc(hidden)]
    type Slot: Slot<<Self::Format as Format>::Store>;

    /// A slice, as kernels see it.
    #[doc(hidden)]
    fn slots(slice: &mut [Self]) -> &mut [Self::Slot];
}

/// An element type that rows of type `S` can be added to: the same type, or a 16-bit type where rows are `f32`. The sum is
/// rounded once.
///
/// ```
/// # #[cfg(feature = "half")] {
/// use half::bf16;
/// use posenc::{EmbeddingTable, Positions};
///
/// // Rows that are kept in f32, added to activations of bf16.
/// let table = EmbeddingTable::new(&[0.5_f32, 1.5], 2)?;
/// let mut x = [bf16::ONE; 2];
/// table.add(&mut x, &Positions::from(0))?;
/// assert_eq!(x, [1.5, 2.5].map(bf16::from_f32));
/// # }
/// # Ok::<(), posenc::Error>(())
/// ```
pub trait AddTarget<S: Element>: Element {
    /// How what is added is read.
    #[doc(hidden)]
    type Rows: Source<<Self as Element>::Format, Store = <S::Format as Format>::Store>;
}

impl<S: Element, T: Element + Target<S, Format = <T as Element>::Format>> AddTarget<S> for T {
    type Rows = T::Source;
}

pub(crate) mod sealed {
    /// Keeps the list of types closed.
    pub trait Sealed {}

    impl<T: Sealed> Sealed for core::mem::MaybeUninit<T> {}
}

macro_rules! float {
    ($type:ident, $format:ident, $tables:ident, |$numbers:ident| $widen:expr, |$from:ident, $room:ident| $into:expr) => {
        impl sealed::Sealed for $type {}

        impl Work for $type {
            fn tables(set: &TableSet) -> Option<&Arc<Tables<Self>>> {
                set.$tables.as_ref()
            }

            fn set(tables: Arc<Tables<Self>>) -> TableSet {
                TableSet { $tables: Some(tables), ..TableSet::default() }
            }

            fn widen($numbers: &[f32]) -> Cow<'_, [Self]> {
                $widen
            }

            fn widen_into<'a>($from: &'a [f32], $room: &'a mut Vec<Self>) -> &'a [Self] {
                $into
            }
        }

        impl Element for $type {
            type Work = Self;
            type Format = $format;

            const NAME: &'static str = stringify!($type);

            fn raw(slice: &[Self]) -> &[Self] {
                slice
            }

            fn raw_mut(slice: &mut [Self]) -> &mut [Self] {
                slice
            }

            fn to_double(self) -> f64 {
                f64::from(self)
            }

            fn from_double(number: f64) -> Self {
                number as Self
            }
        }

        impl Target<$type> for $type {
            type Format = $format;
            type Source = Same;
            type Slot = Self;

            fn slots(slice: &mut [Self]) -> &mut [Self] {
                slice
            }
        }

        impl Target<$type> for MaybeUninit<$type> {
            type Format = $format;
            type Source = Same;
            type Slot = Self;

            fn slots(slice: &mut [Self]) -> &mut [Self] {
                slice
            }
        }
    };
}

float!(f32, F32, single, |numbers| Cow::Borrowed(numbers), |numbers, _room| numbers);
float!(f64, F64, double, |numbers| numbers.iter().map(|&x| f64::from(x)).collect(), |numbers, room| {
    room.clear();
    room.extend(numbers.iter().map(|&x| f64::from(x)));
    room
});

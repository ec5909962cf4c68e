//! Rows that are read from one slice and written into another, perhaps in another format and into memory that is not
//! initialised.

use core::fmt::Debug;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

use super::{Grid, Memory, OnOne, OnTwo, first_of, twice};
use crate::format::{Format, Unit, array_at, array_at_mut, unit_len, units, units_mut};
use crate::vector::{Isa, Scalar, Vector};

/// A slot that takes an element: initialised memory, or memory that is not.
pub trait Slot<T: Copy>: Copy {
    /// Wraps the values of one vector.
    fn wrap<V: Vector>(values: V::Array<T>) -> V::Array<Self>;

    /// Wraps one value.
    fn wrap_one(value: T) -> Self;
}

impl<T: Copy> Slot<T> for T {
    #[inline(always)]
    fn wrap<V: Vector>(values: V::Array<T>) -> V::Array<T> {
        values
    }

    #[inline(always)]
    fn wrap_one(value: T) -> T {
        value
    }
}

impl<T: Copy> Slot<T> for MaybeUninit<T> {
    #[inline(always)]
    fn wrap<V: Vector>(values: V::Array<T>) -> V::Array<Self> {
        V::map(values, MaybeUninit::new)
    }

    #[inline(always)]
    fn wrap_one(value: T) -> Self {
        MaybeUninit::new(value)
    }
}

/// What a format can be made from.
pub trait Source<F: Format>: Copy + Debug {
    /// What the slice that is read holds.
    type Store: Copy + Debug;

    /// Reads one unit.
    fn load<I: Isa>(isa: I, from: &Unit<F, I, Self::Store>) -> [F::Lanes<I>; 2];

    /// One element in the format: the same bits, or rounded.
    fn convert(element: Self::Store) -> F::Store;
}

/// The same format on both sides.
#[derive(Clone, Copy, Debug)]
pub struct Same;

/// What the format is computed in: f32 for the 16-bit formats.
#[derive(Clone, Copy, Debug)]
pub struct Wide;

impl<F: Format> Source<F> for Same {
    type Store = F::Store;

    #[inline(always)]
    fn load<I: Isa>(isa: I, from: &Unit<F, I, F::Store>) -> [F::Lanes<I>; 2] {
        F::load(isa, from)
    }

    #[inline(always)]
    fn convert(element: F::Store) -> F::Store {
        element
    }
}

impl<F: Format> Source<F> for Wide {
    type Store = F::Work;

    #[inline(always)]
    fn load<I: Isa>(isa: I, from: &Unit<F, I, F::Work>) -> [F::Lanes<I>; 2] {
        F::table(isa, from)
    }

    #[inline(always)]
    fn convert(element: F::Work) -> F::Store {
        first_of::<F>(F::table(Scalar, &twice::<F, _>(element)))
    }
}

/// Rows that are read from one slice and written into another.
#[derive(Debug)]
pub struct Into<'a, F: Format, S: Source<F>, T> {
    /// Holds all rows that are read.
    pub from: &'a [S::Store],
    /// Where they are.
    pub from_grid: Grid,
    /// Takes all rows; what lies between them stays as it is.
    pub to: &'a mut [T],
    /// Where they go.
    pub to_grid: Grid,
    /// The format that is written.
    pub format: PhantomData<F>,
}

impl<F: Format, S: Source<F>, T: Slot<F::Store>> Into<'_, F, S, T> {
    /// Copies `columns` of `members` rows of `groups` groups, without a rotation.
    ///
    /// # Panics
    ///
    /// If a row reaches beyond its slice.
    pub fn carry(&mut self, groups: usize, members: usize, columns: Range<usize>) {
        for group in 0..groups {
            for member in 0..members {
                let (from, to) = self.row([group, member], 0);
                let to = &mut self.to[to + columns.start..to + columns.end];
                for (to, &from) in to.iter_mut().zip(&self.from[from + columns.start..from + columns.end]) {
                    *to = T::wrap_one(S::convert(from));
                }
            }
        }
    }
}

impl<F: Format, S: Source<F>, T: Slot<F::Store>> Memory for Into<'_, F, S, T> {
    type Format = F;
    type Row = (usize, usize);

    #[inline(always)]
    fn row(&self, row: [usize; 2], _: usize) -> (usize, usize) {
        (self.from_grid.row(row), self.to_grid.row(row))
    }

    #[inline(always)]
    fn groups_outside(&self) -> bool {
        self.to_grid.group >= self.to_grid.member
    }

    #[inline(always)]
    fn two_by_two<I: Isa, O: OnTwo<F, I>, const N: usize>(
        &mut self,
        isa: I,
        (from, to): (usize, usize),
        [first, second]: [usize; 2],
        operations: &[O; N],
    ) {
        let end = second + N * unit_len::<F, I>();
        let (low, high) = self.from[from..][..end].split_at(second);
        let a = units::<F, I, _, N>(low, first);
        let b = units::<F, I, _, N>(high, 0);
        let (low, high) = self.to[to..][..end].split_at_mut(second);
        let to_a = units_mut::<F, I, _, N>(low, first);
        let to_b = units_mut::<F, I, _, N>(high, 0);
        for k in 0..N {
            let [x, y] = operations[k].apply(S::load(isa, &a[k]), S::load(isa, &b[k]));
            put::<F, I, T>(isa, x, &mut to_a[k]);
            put::<F, I, T>(isa, y, &mut to_b[k]);
        }
    }

    #[inline(always)]
    fn one_by_one<I: Isa, O: OnOne<F, I>, const N: usize>(
        &mut self,
        isa: I,
        (from, to): (usize, usize),
        column: usize,
        operations: &[O; N],
    ) {
        let from = units::<F, I, _, N>(&self.from[from..], column);
        let to = units_mut::<F, I, _, N>(&mut self.to[to..], column);
        for k in 0..N {
            put::<F, I, T>(isa, operations[k].apply(S::load(isa, &from[k])), &mut to[k]);
        }
    }

    #[inline(always)]
    fn joined<I: Isa, O: OnOne<F, I>>(
        &mut self,
        isa: I,
        (from, to): (usize, usize),
        [first, second]: [usize; 2],
        operation: &O,
    ) {
        let from = &self.from[from..];
        let unit = [*array_at::<F::Lanes<I>, _>(from, first), *array_at::<F::Lanes<I>, _>(from, second)];
        let (low, high) = self.to[to..][..second + F::Lanes::<I>::LANES].split_at_mut(second);
        let a = array_at_mut::<F::Lanes<I>, _>(low, first);
        let b = array_at_mut::<F::Lanes<I>, _>(high, 0);
        let mut slots = [*a, *b];
        put::<F, I, T>(isa, operation.apply(S::load(isa, &unit)), &mut slots);
        [*a, *b] = slots;
    }
}

/// Writes one unit into slots.
#[inline(always)]
fn put<F: Format, I: Isa, T: Slot<F::Store>>(isa: I, lanes: [F::Lanes<I>; 2], to: &mut Unit<F, I, T>) {
    let mut unit = [F::Lanes::<I>::array(F::Store::default()); 2];
    F::store(isa, lanes, &mut unit);
    let [a, b] = unit;
    *to = [T::wrap::<F::Lanes<I>>(a), T::wrap::<F::Lanes<I>>(b)];
}

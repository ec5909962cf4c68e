//! Where a kernel reads rows and where it writes them: in place, or from one slice into another.

use core::fmt::Debug;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

use crate::format::{Format, Unit, unit_at, unit_at_mut};
use crate::vector::{Isa, Scalar, Vector};

/// Rows in a slice: a grid of groups and members, each with a stride of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The first element of the first row.
    pub start: usize,
    /// Elements from a group to the next.
    pub group: usize,
    /// Elements from a member to the next.
    pub member: usize,
}

impl Grid {
    #[inline(always)]
    fn row(self, group: usize, member: usize) -> usize {
        self.start + group * self.group + member * self.member
    }
}

/// Rows to be read and written.
pub trait Memory {
    /// The format that is written, and computed in.
    type Format: Format;
    /// Where a row begins, to read and to write.
    type Row: Copy;

    /// Where a row begins.
    fn row(&self, group: usize, member: usize) -> Self::Row;

    /// Whether rows of one group lie nearer to each other than groups do.
    fn groups_outside(&self) -> bool;

    /// Reads the unit at an element of a row.
    fn load<I: Isa>(&self, isa: I, row: Self::Row, at: usize) -> [<Self::Format as Format>::Lanes<I>; 2];

    /// Writes the unit at an element of a row.
    fn store<I: Isa>(&mut self, isa: I, lanes: [<Self::Format as Format>::Lanes<I>; 2], row: Self::Row, at: usize);

    /// Reads one element of a row, twice.
    fn load_one(&self, row: Self::Row, at: usize) -> [<Self::Format as Format>::Lanes<Scalar>; 2];

    /// Writes the first of two elements.
    fn store_one(&mut self, lanes: [<Self::Format as Format>::Lanes<Scalar>; 2], row: Self::Row, at: usize);
}

/// Rows that are changed where they stand.
#[derive(Debug)]
pub struct InPlace<'a, F: Format> {
    /// Holds all rows; what lies between them stays as it is.
    pub data: &'a mut [F::Store],
    /// Where the rows are.
    pub grid: Grid,
}

impl<F: Format> Memory for InPlace<'_, F> {
    type Format = F;
    type Row = usize;

    #[inline(always)]
    fn row(&self, group: usize, member: usize) -> usize {
        self.grid.row(group, member)
    }

    #[inline(always)]
    fn groups_outside(&self) -> bool {
        self.grid.group >= self.grid.member
    }

    #[inline(always)]
    fn load<I: Isa>(&self, isa: I, row: usize, at: usize) -> [F::Lanes<I>; 2] {
        F::load(isa, unit_at::<F, I, _>(self.data, row + at))
    }

    #[inline(always)]
    fn store<I: Isa>(&mut self, isa: I, lanes: [F::Lanes<I>; 2], row: usize, at: usize) {
        F::store(isa, lanes, unit_at_mut::<F, I, _>(self.data, row + at));
    }

    #[inline(always)]
    fn load_one(&self, row: usize, at: usize) -> [F::Lanes<Scalar>; 2] {
        let element = self.data[row + at];
        F::load(Scalar, &twice::<F, _>(element))
    }

    #[inline(always)]
    fn store_one(&mut self, lanes: [F::Lanes<Scalar>; 2], row: usize, at: usize) {
        self.data[row + at] = first_of::<F>(lanes);
    }
}

/// A unit of one lane that holds an element twice.
#[inline(always)]
pub(crate) fn twice<F: Format, T: Copy>(element: T) -> Unit<F, Scalar, T> {
    *unit_at::<F, Scalar, T>(&[element; 2], 0)
}

/// The first of two elements, as it is stored.
#[inline(always)]
fn first_of<F: Format>(lanes: [F::Lanes<Scalar>; 2]) -> F::Store {
    let mut pair = [F::Store::default(); 2];
    F::store(Scalar, lanes, unit_at_mut::<F, Scalar, _>(&mut pair, 0));
    pair[0]
}

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
                let (from, to) = self.row(group, member);
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
    fn row(&self, group: usize, member: usize) -> (usize, usize) {
        (self.from_grid.row(group, member), self.to_grid.row(group, member))
    }

    #[inline(always)]
    fn groups_outside(&self) -> bool {
        self.to_grid.group >= self.to_grid.member
    }

    #[inline(always)]
    fn load<I: Isa>(&self, isa: I, (from, _): (usize, usize), at: usize) -> [F::Lanes<I>; 2] {
        S::load(isa, unit_at::<F, I, _>(self.from, from + at))
    }

    #[inline(always)]
    fn store<I: Isa>(&mut self, isa: I, lanes: [F::Lanes<I>; 2], (_, to): (usize, usize), at: usize) {
        let mut unit = [F::Lanes::<I>::array(F::Store::default()); 2];
        F::store(isa, lanes, &mut unit);
        let [a, b] = unit;
        *unit_at_mut::<F, I, T>(self.to, to + at) = [T::wrap::<F::Lanes<I>>(a), T::wrap::<F::Lanes<I>>(b)];
    }

    #[inline(always)]
    fn load_one(&self, (from, _): (usize, usize), at: usize) -> [F::Lanes<Scalar>; 2] {
        S::load(Scalar, &twice::<F, _>(self.from[from + at]))
    }

    #[inline(always)]
    fn store_one(&mut self, lanes: [F::Lanes<Scalar>; 2], (_, to): (usize, usize), at: usize) {
        self.to[to + at] = T::wrap_one(first_of::<F>(lanes));
    }
}

//! Where a kernel reads rows and where it writes them: here in place; `memory::into` from one slice into another.
//!
//! A memory applies operations to units; what an operation does is the kernel's affair.

mod into;

pub use into::{Into, Same, Slot, Source, Wide};

use crate::format::{Format, Unit, array_at_mut, unit_at, unit_at_mut, unit_len, units_mut};
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
    /// Where a row begins; of one that is only asked for ahead and need not exist, a number that means nothing.
    #[inline(always)]
    fn row(self, [group, member]: [usize; 2]) -> usize {
        let group = self.start.wrapping_add(group.wrapping_mul(self.group));
        group.wrapping_add(member.wrapping_mul(self.member))
    }
}

/// Rows to be read and written.
pub trait Memory {
    /// The format that is written, and computed in.
    type Format: Format;
    /// Where a row begins, to read and to write.
    type Row: Copy;

    /// Where a row begins, given its group and member, and how many bytes ahead memory is to be asked for meanwhile.
    fn row(&self, row: [usize; 2], ahead: usize) -> Self::Row;

    /// How many rows of a width ahead memory is to be asked for; none where it is near anyway.
    #[inline(always)]
    fn rows_ahead(&self, _width: usize) -> usize {
        0
    }

    /// How many bytes lie from any row to that of so many groups and members later; either may be negative, in two's
    /// complement.
    #[inline(always)]
    fn way(&self, _groups: usize, _members: usize) -> usize {
        0
    }

    /// Whether rows of one group lie nearer to each other than groups do.
    fn groups_outside(&self) -> bool;

    /// Applies each operation to the two units that stand one behind the other from two columns of a row.
    fn two_by_two<I: Isa, O: OnTwo<Self::Format, I>, const N: usize>(
        &mut self,
        isa: I,
        row: Self::Row,
        columns: [usize; 2],
        operations: &[O; N],
    );

    /// Applies each operation to the units that stand one behind the other from a column of a row.
    fn one_by_one<I: Isa, O: OnOne<Self::Format, I>, const N: usize>(
        &mut self,
        isa: I,
        row: Self::Row,
        column: usize,
        operations: &[O; N],
    );

    /// Applies an operation to the unit whose first half stands at one column of a row, and its second half at another.
    fn joined<I: Isa, O: OnOne<Self::Format, I>>(&mut self, isa: I, row: Self::Row, columns: [usize; 2], operation: &O);
}

/// An operation on two units.
pub trait OnTwo<F: Format, I: Isa> {
    /// The values that take the place of both.
    fn apply(&self, a: [F::Lanes<I>; 2], b: [F::Lanes<I>; 2]) -> [[F::Lanes<I>; 2]; 2];
}

/// An operation on one unit.
pub trait OnOne<F: Format, I: Isa> {
    /// The values that take its place.
    fn apply(&self, a: [F::Lanes<I>; 2]) -> [F::Lanes<I>; 2];
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
    /// The first element, and how many bytes ahead memory is asked for.
    type Row = (usize, usize);

    #[inline(always)]
    fn row(&self, row: [usize; 2], ahead: usize) -> (usize, usize) {
        (self.grid.row(row), ahead)
    }

    #[inline(always)]
    fn rows_ahead(&self, width: usize) -> usize {
        if size_of_val(self.data) > NEAR { (AHEAD / size_of::<F::Store>() / width.max(1)).max(1) } else { 0 }
    }

    #[inline(always)]
    fn way(&self, groups: usize, members: usize) -> usize {
        let elements = groups.wrapping_mul(self.grid.group).wrapping_add(members.wrapping_mul(self.grid.member));
        elements.wrapping_mul(size_of::<F::Store>())
    }

    #[inline(always)]
    fn groups_outside(&self) -> bool {
        self.grid.group >= self.grid.member
    }

    #[inline(always)]
    fn two_by_two<I: Isa, O: OnTwo<F, I>, const N: usize>(
        &mut self,
        isa: I,
        (row, ahead): (usize, usize),
        [first, second]: [usize; 2],
        operations: &[O; N],
    ) {
        let (low, high) = self.data[row..][..second + N * unit_len::<F, I>()].split_at_mut(second);
        let a = units_mut::<F, I, _, N>(low, first);
        let b = units_mut::<F, I, _, N>(high, 0);
        if ahead != 0 {
            look_ahead(isa, a, ahead);
            look_ahead(isa, b, ahead);
        }
        for k in 0..N {
            let [x, y] = operations[k].apply(F::load(isa, &a[k]), F::load(isa, &b[k]));
            F::store(isa, x, &mut a[k]);
            F::store(isa, y, &mut b[k]);
        }
    }

    #[inline(always)]
    fn one_by_one<I: Isa, O: OnOne<F, I>, const N: usize>(
        &mut self,
        isa: I,
        (row, ahead): (usize, usize),
        column: usize,
        operations: &[O; N],
    ) {
        let units = units_mut::<F, I, _, N>(&mut self.data[row..], column);
        if ahead != 0 {
            look_ahead(isa, units, ahead);
        }
        for (unit, operation) in units.iter_mut().zip(operations) {
            F::store(isa, operation.apply(F::load(isa, unit)), unit);
        }
    }

    #[inline(always)]
    fn joined<I: Isa, O: OnOne<F, I>>(
        &mut self,
        isa: I,
        (row, ahead): (usize, usize),
        [first, second]: [usize; 2],
        operation: &O,
    ) {
        let (low, high) = self.data[row..][..second + F::Lanes::<I>::LANES].split_at_mut(second);
        let a = array_at_mut::<F::Lanes<I>, _>(low, first);
        let b = array_at_mut::<F::Lanes<I>, _>(high, 0);
        if ahead != 0 {
            look_ahead(isa, a, ahead);
            look_ahead(isa, b, ahead);
        }
        let mut unit = [*a, *b];
        F::store(isa, operation.apply(F::load(isa, &unit)), &mut unit);
        [*a, *b] = unit;
    }
}

/// How many bytes of rows ahead memory is asked for: most of a page, since machines look ahead by themselves within one.
const AHEAD: usize = 3072;

/// Slices up to so many bytes stay in the nearest cache anyway.
const NEAR: usize = 1 << 16;

/// How many bytes ahead memory is asked for in rows that stand one behind the other.
#[inline(always)]
pub(crate) fn ahead_of<T>(rows: &[T]) -> usize {
    if size_of_val(rows) > NEAR { AHEAD } else { 0 }
}

/// Asks for the memory so many bytes behind some units.
#[inline(always)]
pub(crate) fn look_ahead<I: Isa, T>(isa: I, units: &T, ahead: usize) {
    for line in (0..size_of::<T>()).step_by(64) {
        isa.prefetch(units, ahead.wrapping_add(line));
    }
}

/// A unit of one lane that holds an element twice.
#[inline(always)]
pub(crate) fn twice<F: Format, T: Copy>(element: T) -> Unit<F, Scalar, T> {
    *unit_at::<F, Scalar, T>(&[element; 2], 0)
}

/// The first of two elements, as it is stored.
#[inline(always)]
pub(crate) fn first_of<F: Format>(lanes: [F::Lanes<Scalar>; 2]) -> F::Store {
    let mut pair = [F::Store::default(); 2];
    F::store(Scalar, lanes, unit_at_mut::<F, Scalar, _>(&mut pair, 0));
    pair[0]
}

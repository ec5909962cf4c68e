//! Learned rows: looked up in several tables at once and summed, and the transpose of that, which collects gradients.

use core::fmt::Debug;

use crate::format::Format;
use crate::memory::{Source, ahead_of};
use crate::merge::{Sum, merge, merge_ahead};
use crate::vector::{Isa, Kernel};

/// A table, and which of its rows are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a, F: Format, S: Source<F>> {
    /// The table, as long in rows as those that are written.
    pub table: &'a [S::Store],
    /// For each row that is written, the number of a table row.
    pub index: &'a [usize],
    /// What the table is multiplied by; not NaN.
    pub factor: F::Work,
}

/// Rows that are sums of table rows: `row·scale + table0[index0]·factor0 + table1[index1]·factor1 + …`, from left to
/// right, rounded once.
#[derive(Debug)]
pub struct GatherSum<'a, F: Format, S: Source<F>, const N: usize> {
    /// Rows of `width`, one behind the other.
    pub rows: &'a mut [F::Store],
    /// Length of a row, here and in the tables.
    pub width: usize,
    /// What the rows are multiplied by before the sum, not NaN; without it they are overwritten.
    pub scale: Option<F::Work>,
    /// What is summed.
    pub tables: [Lookup<'a, F, S>; N],
}

impl<F: Format, S: Source<F>, const N: usize> Kernel for GatherSum<'_, F, S, N> {
    type Output = ();

    /// # Panics
    ///
    /// If an index is outside its table.
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let one = F::Work::from(1);
        let scale = self.scale.unwrap_or(one);
        let plain = scale == one && self.tables.iter().all(|lookup| lookup.factor == one);
        match (self.scale.is_some(), plain) {
            (true, true) => sum::<F, S, N, true, false, I>(isa, self, scale),
            (true, false) => sum::<F, S, N, true, true, I>(isa, self, scale),
            (false, true) => sum::<F, S, N, false, false, I>(isa, self, scale),
            (false, false) => sum::<F, S, N, false, true, I>(isa, self, scale),
        }
    }
}

#[inline(always)]
fn sum<F: Format, S: Source<F>, const N: usize, const ADD: bool, const TIMES: bool, I: Isa>(
    isa: I,
    gather: GatherSum<'_, F, S, N>,
    scale: F::Work,
) {
    let GatherSum { rows, width, tables, .. } = gather;
    if width == 0 {
        return;
    }
    let factors = tables.map(|lookup| lookup.factor);
    let ahead = ahead_of(rows);
    for (i, row) in rows.chunks_exact_mut(width).enumerate() {
        let mut values: [&[S::Store]; N] = [&[]; N];
        for k in 0..N {
            values[k] = &tables[k].table[tables[k].index[i] * width..][..width];
        }
        merge_ahead::<F, I>(isa, row, Sum::<F, S, N, ADD, TIMES> { scale, values, factors }, ahead);
    }
}

/// Adds rows, times a factor, to rows of a table: the transpose of a look-up.
#[derive(Debug)]
pub struct ScatterAdd<'a, F: Format, S: Source<F>> {
    /// The table.
    pub table: &'a mut [F::Store],
    /// Length of a row, here and in the table.
    pub width: usize,
    /// What is added.
    pub rows: &'a [S::Store],
    /// The numbers of a row and of the table row that it is added to, one addition behind the other, in this order.
    pub places: &'a [[usize; 2]],
    /// What rows are multiplied by; not NaN.
    pub factor: F::Work,
}

impl<F: Format, S: Source<F>> Kernel for ScatterAdd<'_, F, S> {
    type Output = ();

    /// # Panics
    ///
    /// If a number is outside the rows or the table.
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { table, width, rows, places, factor } = self;
        for &[row, place] in places {
            let row = &rows[row * width..][..width];
            let sum = Sum::<F, S, 1, true, true> { scale: F::Work::from(1), values: [row], factors: [factor] };
            merge::<F, I>(isa, &mut table[place * width..][..width], sum);
        }
    }
}

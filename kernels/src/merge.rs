//! Merging values into a row: whole units of the widest vectors first, then of narrower ones, and a last element alone.
//!
//! What is merged knows nothing of widths; a walk over a row knows nothing of what is merged.

use crate::format::{Format, Unit, arrays_at, unit_len, units, units_mut};
use crate::memory::{Source, look_ahead};
use crate::vector::{Isa, Scalar, Vector};

/// What takes the place of the values of a row.
pub(crate) trait Merge<F: Format>: Copy {
    /// Puts what takes their place into units that stand one behind the other, the first of them `at` elements into the row.
    fn units<I: Isa, const N: usize>(self, isa: I, at: usize, row: &mut [Unit<F, I, F::Store>; N]);

    /// The same for one element, which is given twice.
    fn one(self, at: usize, twice: &mut [F::Store; 2]);
}

/// Merges into a whole row.
#[inline(always)]
pub(crate) fn merge<F: Format, I: Isa>(isa: I, row: &mut [F::Store], values: impl Merge<F>) {
    merge_ahead::<F, I>(isa, row, values, 0);
}

/// The same, and asks for the memory so many bytes ahead meanwhile, if any.
#[inline(always)]
pub(crate) fn merge_ahead<F: Format, I: Isa>(isa: I, row: &mut [F::Store], values: impl Merge<F>, ahead: usize) {
    // Bounds are checked once for several units.
    let done = stretch::<F, I, 4>(isa, row, values, 0, ahead);
    let done = stretch::<F, I, 1>(isa, row, values, done, ahead);
    let isa = isa.narrower();
    let done = stretch::<F, _, 1>(isa, row, values, done, ahead);
    let done = stretch::<F, _, 1>(isa.narrower(), row, values, done, 0);
    let done = stretch::<F, _, 1>(Scalar, row, values, done, 0);
    if let Some(last) = row.get_mut(done) {
        let mut twice = [*last; 2];
        values.one(done, &mut twice);
        *last = twice[0];
    }
}

/// Merges whole units, `N` at once, from an element on and tells where it stopped.
#[inline(always)]
fn stretch<F: Format, I: Isa, const N: usize>(
    isa: I,
    row: &mut [F::Store],
    values: impl Merge<F>,
    mut at: usize,
    ahead: usize,
) -> usize {
    while at + N * unit_len::<F, I>() <= row.len() {
        let units = units_mut::<F, I, _, N>(row, at);
        if ahead != 0 {
            look_ahead(isa, units, ahead);
        }
        values.units(isa, at, units);
        at += N * unit_len::<F, I>();
    }
    at
}

/// `row + values`; the values alone unless `ADD`. They need readying if `ANY`; if not, none of them is NaN.
#[derive(Clone, Copy)]
pub(crate) struct Plus<'a, F: Format, const ADD: bool, const ANY: bool>(pub(crate) &'a [F::Work]);

impl<F: Format, const ADD: bool, const ANY: bool> Merge<F> for Plus<'_, F, ADD, ANY> {
    #[inline(always)]
    fn units<I: Isa, const N: usize>(self, isa: I, at: usize, row: &mut [Unit<F, I, F::Store>; N]) {
        let values = units::<F, I, _, N>(self.0, at);
        for k in 0..N {
            let values = if ANY { F::table(isa, &values[k]) } else { F::ordered(isa, &values[k]) };
            plus::<F, I, ADD>(isa, &mut row[k], values);
        }
    }

    #[inline(always)]
    fn one(self, at: usize, twice: &mut [F::Store; 2]) {
        Plus::<F, ADD, ANY>(&[self.0[at]; 2]).units(Scalar, 0, units_mut::<F, Scalar, _, 1>(twice, 0));
    }
}

/// The same of values that were brought into the order of units, and readied, beforehand: the even ones and the odd ones.
#[derive(Clone, Copy)]
pub(crate) struct PlusOrdered<'a, F: Format, const ADD: bool>(pub(crate) [&'a [F::Work]; 2]);

impl<F: Format, const ADD: bool> Merge<F> for PlusOrdered<'_, F, ADD> {
    #[inline(always)]
    fn units<I: Isa, const N: usize>(self, isa: I, at: usize, row: &mut [Unit<F, I, F::Store>; N]) {
        let [even, odd] = self.0.map(|values| arrays_at::<F::Lanes<I>, _, N>(values, at / 2));
        for k in 0..N {
            let values = [F::Lanes::<I>::load(isa, &even[k]), F::Lanes::<I>::load(isa, &odd[k])];
            plus::<F, I, ADD>(isa, &mut row[k], values);
        }
    }

    #[inline(always)]
    fn one(self, at: usize, twice: &mut [F::Store; 2]) {
        let last = &self.0[0][at / 2..];
        PlusOrdered::<F, ADD>([last; 2]).units(Scalar, 0, units_mut::<F, Scalar, _, 1>(twice, 0));
    }
}

#[inline(always)]
fn plus<F: Format, I: Isa, const ADD: bool>(isa: I, row: &mut Unit<F, I, F::Store>, [a, b]: [F::Lanes<I>; 2]) {
    let [x, y] = F::load(isa, row);
    F::store(isa, if ADD { [x + a, y + b] } else { [a, b] }, row);
}

/// `row·scale + values[0]·factors[0] + values[1]·factors[1] + …`, from left to right; without a row unless `ADD`. Unless
/// `TIMES`, scale and factors are 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum<'a, F: Format, S: Source<F>, const N: usize, const ADD: bool, const TIMES: bool> {
    pub(crate) scale: F::Work,
    pub(crate) values: [&'a [S::Store]; N],
    pub(crate) factors: [F::Work; N],
}

impl<F: Format, S: Source<F>, const N: usize, const ADD: bool, const TIMES: bool> Merge<F>
    for Sum<'_, F, S, N, ADD, TIMES>
{
    #[inline(always)]
    fn units<I: Isa, const M: usize>(self, isa: I, at: usize, row: &mut [Unit<F, I, F::Store>; M]) {
        let values = self.values.map(|values| units::<F, I, _, M>(values, at));
        for m in 0..M {
            let [x, y] = F::load(isa, &row[m]);
            let mut sum = if TIMES { times(isa, [x, y], self.scale) } else { [x, y] };
            for (k, (values, &factor)) in values.iter().zip(&self.factors).enumerate() {
                let loaded = S::load(isa, &values[m]);
                let [a, b] = if TIMES { times(isa, loaded, factor) } else { loaded };
                sum = if k > 0 || ADD { [sum[0] + a, sum[1] + b] } else { [a, b] };
            }
            F::store(isa, sum, &mut row[m]);
        }
    }

    #[inline(always)]
    fn one(self, at: usize, twice: &mut [F::Store; 2]) {
        let values = self.values.map(|values| [values[at]; 2]);
        let last = Sum::<F, S, N, ADD, TIMES> { values: values.each_ref().map(|pair| &pair[..]), ..self };
        last.units(Scalar, 0, units_mut::<F, Scalar, _, 1>(twice, 0));
    }
}

#[inline(always)]
fn times<V: Vector>(isa: V::Isa, [a, b]: [V; 2], factor: V::Elem) -> [V; 2] {
    let factor = V::splat(isa, factor);
    [a * factor, b * factor]
}

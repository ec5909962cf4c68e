//! Merging values into a row: whole units of the widest vectors first, then of narrower ones, and a last element alone.
//!
//! What is merged knows nothing of widths; a walk over a row knows nothing of what is merged.

use crate::format::{Format, unit_at, unit_at_mut, unit_len};
use crate::memory::{Source, first_of, twice};
use crate::vector::{Isa, Scalar, Vector};

/// What takes the place of the values of a row.
pub(crate) trait Merge<F: Format>: Copy {
    /// The unit that takes the place of the one that stands `at` elements into the row.
    fn unit<I: Isa>(self, isa: I, at: usize, row: [F::Lanes<I>; 2]) -> [F::Lanes<I>; 2];

    /// The same for one element, which is given twice.
    fn one(self, at: usize, row: [F::Lanes<Scalar>; 2]) -> [F::Lanes<Scalar>; 2];
}

/// Merges into a whole row.
#[inline(always)]
pub(crate) fn merge<F: Format, I: Isa>(isa: I, row: &mut [F::Store], values: impl Merge<F>) {
    let done = units::<F, I>(isa, row, values, 0);
    let isa = isa.narrower();
    let done = units::<F, _>(isa, row, values, done);
    let done = units::<F, _>(isa.narrower(), row, values, done);
    let done = units::<F, _>(Scalar, row, values, done);
    if let Some(last) = row.get_mut(done) {
        *last = first_of::<F>(values.one(done, F::load(Scalar, &twice::<F, _>(*last))));
    }
}

/// Merges whole units from an element on and tells where it stopped.
#[inline(always)]
fn units<F: Format, I: Isa>(isa: I, row: &mut [F::Store], values: impl Merge<F>, mut at: usize) -> usize {
    while at + unit_len::<F, I>() <= row.len() {
        let unit = unit_at_mut::<F, I, _>(row, at);
        let merged = values.unit(isa, at, F::load(isa, unit));
        F::store(isa, merged, unit);
        at += unit_len::<F, I>();
    }
    at
}

/// `row + values`; the values alone unless `ADD`. They need readying if `ANY`; if not, none of them is NaN.
#[derive(Clone, Copy)]
pub(crate) struct Plus<'a, F: Format, const ADD: bool, const ANY: bool>(pub(crate) &'a [F::Work]);

impl<F: Format, const ADD: bool, const ANY: bool> Merge<F> for Plus<'_, F, ADD, ANY> {
    #[inline(always)]
    fn unit<I: Isa>(self, isa: I, at: usize, [x, y]: [F::Lanes<I>; 2]) -> [F::Lanes<I>; 2] {
        let unit = unit_at::<F, I, _>(self.0, at);
        let [a, b] = if ANY { F::table(isa, unit) } else { F::ordered(isa, unit) };
        if ADD { [x + a, y + b] } else { [a, b] }
    }

    #[inline(always)]
    fn one(self, at: usize, row: [F::Lanes<Scalar>; 2]) -> [F::Lanes<Scalar>; 2] {
        Plus::<F, ADD, ANY>(&[self.0[at]; 2]).unit(Scalar, 0, row)
    }
}

/// `row·scale + values[0]·factors[0] + values[1]·factors[1] + …`, from left to right; without a row unless `ADD`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum<'a, F: Format, S: Source<F>, const N: usize, const ADD: bool> {
    pub(crate) scale: F::Work,
    pub(crate) values: [&'a [S::Store]; N],
    pub(crate) factors: [F::Work; N],
}

impl<F: Format, S: Source<F>, const N: usize, const ADD: bool> Merge<F> for Sum<'_, F, S, N, ADD> {
    #[inline(always)]
    fn unit<I: Isa>(self, isa: I, at: usize, row: [F::Lanes<I>; 2]) -> [F::Lanes<I>; 2] {
        let times = F::Lanes::<I>::splat(isa, self.scale);
        let mut sum = [row[0] * times, row[1] * times];
        for k in 0..N {
            let factor = F::Lanes::<I>::splat(isa, self.factors[k]);
            let [a, b] = S::load(isa, unit_at::<F, I, _>(self.values[k], at));
            let [a, b] = [a * factor, b * factor];
            sum = if k > 0 || ADD { [sum[0] + a, sum[1] + b] } else { [a, b] };
        }
        sum
    }

    #[inline(always)]
    fn one(self, at: usize, row: [F::Lanes<Scalar>; 2]) -> [F::Lanes<Scalar>; 2] {
        let values = self.values.map(|values| [values[at]; 2]);
        Sum::<F, S, N, ADD> { values: values.each_ref().map(|pair| &pair[..]), ..self }.unit(Scalar, 0, row)
    }
}

//! Additions in place: a window that slides along a vector, and rows taken from a table.
//!
//! Biases that depend on a distance and embeddings of distances end here.

use crate::format::{Format, array_at_mut, unit_at, unit_len};
use crate::memory::{ahead_of, twice};
use crate::merge::{Plus, PlusOrdered, merge_ahead};
use crate::vector::{Isa, Kernel, Scalar, Vector};

/// What becomes of the values that stand in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// They are overwritten.
    Set,
    /// They are added to.
    Add,
}

/// Adds to row `i` the `width` values of `window` that begin at `start − i·step`.
///
/// ```text
/// window   [ w0 w1 w2 w3 w4 w5 … ]
/// row 0            └───width──┘        start = 2
/// row 1         └───width──┘           step = 1: one further left for each row
/// ```
///
/// With `step = 1`, cell `(i, j)` gets `window[start + j − i]`, a function of the distance `j − i`.
#[derive(Debug)]
pub struct SlidingAdd<'a, F: Format> {
    /// Rows of `width`, one behind the other.
    pub rows: &'a mut [F::Store],
    /// Length of a row.
    pub width: usize,
    /// What is added.
    pub window: &'a [F::Work],
    /// Where the first row reads.
    pub start: usize,
    /// How far each further row reads to the left of the one before it.
    pub step: usize,
}

impl<F: Format> Kernel for SlidingAdd<'_, F> {
    type Output = ();

    /// # Panics
    ///
    /// If a row would read outside the window.
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        slide::<F, true, I>(isa, self);
    }
}

/// Rows, and elements of them, from which on a window is brought into the order of the format once for all.
const MANY_ROWS: usize = 8;
const MANY: usize = 1 << 13;

/// Lanes of the widest vectors.
const MOST_LANES: usize = 16;

/// How many values of a window are in that order at a time: half for the columns of a stripe of rows, half for their slide.
const ROOM: usize = 2048;

/// Writes over the rows what [`SlidingAdd`] adds to them.
#[derive(Debug)]
pub struct SlidingSet<'a, F: Format>(pub SlidingAdd<'a, F>);

impl<F: Format> Kernel for SlidingSet<'_, F> {
    type Output = ();

    /// # Panics
    ///
    /// If a row would read outside the window.
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        slide::<F, false, I>(isa, self.0);
    }
}

#[inline(always)]
fn slide<F: Format, const ADD: bool, I: Isa>(isa: I, add: SlidingAdd<'_, F>) {
    if add.width == 0 {
        return;
    }
    let count = add.rows.len() / add.width;
    let add = SlidingAdd { rows: &mut add.rows[..count * add.width], ..add };
    let ahead = ahead_of(add.rows);
    if F::split::<I>() && count >= MANY_ROWS && add.rows.len() >= MANY && add.step <= ROOM / 2 / MANY_ROWS {
        return slide_ordered::<F, ADD, I>(isa, add, ahead);
    }
    let SlidingAdd { rows, width, window, start, step } = add;
    let any = F::READIES && has_nan::<F, I>(isa, window);
    for (i, row) in rows.chunks_exact_mut(width).enumerate() {
        let at = start - i * step;
        plus::<F, ADD, I>(isa, row, &window[at..at + width], any, ahead);
    }
}

/// Adds to a row, or writes over it, values of which any may be NaN, or none is.
#[inline(always)]
fn plus<F: Format, const ADD: bool, I: Isa>(isa: I, row: &mut [F::Store], values: &[F::Work], any: bool, ahead: usize) {
    if any {
        merge_ahead::<F, I>(isa, row, Plus::<F, ADD, true>(values), ahead);
    } else {
        merge_ahead::<F, I>(isa, row, Plus::<F, ADD, false>(values), ahead);
    }
}

/// Adds to one row as many values, or writes these over it.
#[derive(Debug)]
pub struct RowPut<'a, F: Format> {
    /// The row.
    pub row: &'a mut [F::Store],
    /// What is added or written.
    pub values: &'a [F::Work],
    /// Which of both.
    pub write: Write,
}

impl<F: Format> Kernel for RowPut<'_, F> {
    type Output = ();

    /// # Panics
    ///
    /// If there are fewer values than the row has.
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { row, values, write } = self;
        let any = F::READIES && has_nan::<F, I>(isa, values);
        match write {
            Write::Add => plus::<F, true, I>(isa, row, values, any, 0),
            Write::Set => plus::<F, false, I>(isa, row, values, any, 0),
        }
    }
}

/// Whether any of the values is NaN. (Where infinities meet, it may say so though none is.)
#[inline(always)]
fn has_nan<F: Format, I: Isa>(isa: I, values: &[F::Work]) -> bool {
    let zero = F::Lanes::<I>::splat(isa, F::Work::default());
    let (vectors, rest) = F::Lanes::<I>::split(values);
    let (fours, few) = vectors.as_chunks::<4>();
    let mut sums = [zero; 4];
    for four in fours {
        for (sum, values) in sums.iter_mut().zip(four) {
            *sum = *sum + F::Lanes::<I>::load(isa, values);
        }
    }
    for values in few {
        sums[0] = sums[0] + F::Lanes::<I>::load(isa, values);
    }
    // A sum with a NaN is NaN.
    let mut lanes = [F::Work::default(); MOST_LANES];
    ((sums[0] + sums[1]) + (sums[2] + sums[3])).store(array_at_mut::<F::Lanes<I>, _>(&mut lanes, 0));
    any_nan(&lanes) || any_nan(rest)
}

#[inline(always)]
fn any_nan<W: PartialOrd>(values: &[W]) -> bool {
    let mut any = false;
    for value in values {
        any |= value.partial_cmp(value).is_none();
    }
    any
}

/// The same in blocks of rows and stripes of columns, whose part of the window is ordered and readied once.
#[inline(always)]
fn slide_ordered<F: Format, const ADD: bool, I: Isa>(isa: I, add: SlidingAdd<'_, F>, ahead: usize) {
    let SlidingAdd { rows, width, window, start, step } = add;
    let mut room = [[F::Work::default(); ROOM / 2]; 2];
    let stripe = width.min(ROOM / 2);
    // From a stripe it goes on in the row below.
    let ahead = if ahead > 0 && stripe < width { width * size_of::<F::Store>() } else { ahead };
    let block = ((ROOM - stripe) / step.max(1)).max(1);
    for (number, rows) in rows.chunks_mut(block.saturating_mul(width)).enumerate() {
        let count = rows.len() / width;
        let slid = (count - 1) * step;
        let last = start - number * block * step - slid;
        for left in (0..width).step_by(stripe) {
            let columns = stripe.min(width - left);
            order::<F, I>(isa, &window[last + left..][..slid + columns], &mut room);
            for (i, row) in rows.chunks_exact_mut(width).enumerate() {
                let at = slid - i * step;
                let [even, odd] = &room;
                let values =
                    if at % 2 == 0 { [&even[at / 2..], &odd[at / 2..]] } else { [&odd[at / 2..], &even[at / 2 + 1..]] };
                merge_ahead::<F, I>(isa, &mut row[left..][..columns], PlusOrdered::<F, ADD>(values), ahead);
            }
        }
    }
}

/// Splits values into even ones and odd ones, and readies them.
#[inline(always)]
fn order<F: Format, I: Isa>(isa: I, values: &[F::Work], [even, odd]: &mut [[F::Work; ROOM / 2]; 2]) {
    let mut at = 0;
    while at + unit_len::<F, I>() <= values.len() {
        let [a, b] = F::table(isa, unit_at::<F, I, _>(values, at));
        a.store(array_at_mut::<F::Lanes<I>, _>(even, at / 2));
        b.store(array_at_mut::<F::Lanes<I>, _>(odd, at / 2));
        at += unit_len::<F, I>();
    }
    for (k, &value) in values.iter().enumerate().skip(at) {
        let [a, _] = F::table(Scalar, &twice::<F, _>(value));
        let to = if k % 2 == 0 { &mut *even } else { &mut *odd };
        a.store(array_at_mut::<F::Lanes<Scalar>, _>(to, k / 2));
    }
}

//! Additions in place: a window that slides along a vector, rows taken from a table, and two rows placed side by side.
//!
//! Biases that depend on a distance, learned embeddings and sinusoids all end here.

use crate::Level;
use crate::format::{Format, array_at, unit_at, unit_at_mut, unit_len};
use crate::vector::{Isa, Kernel, Scalar, Shuffle, Vector};

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
fn slide<F: Format, const ADD: bool, I: Isa>(
    isa: I,
    SlidingAdd { rows, width, window, start, step }: SlidingAdd<'_, F>,
) {
    if width == 0 {
        return;
    }
    for (i, row) in rows.chunks_exact_mut(width).enumerate() {
        let at = start - i * step;
        put::<F, ADD, I>(isa, row, &window[at..at + width]);
    }
}

/// Adds to each row the table row that its index names.
#[derive(Debug)]
pub struct GatherAdd<'a, F: Format> {
    /// Rows of `width`, one behind the other.
    pub rows: &'a mut [F::Store],
    /// Length of a row, here and in the table.
    pub width: usize,
    /// The table.
    pub table: &'a [F::Work],
    /// For each row, the number of a table row.
    pub index: &'a [usize],
}

impl<F: Format> Kernel for GatherAdd<'_, F> {
    type Output = ();

    /// # Panics
    ///
    /// If an index is outside the table.
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        gather::<F, true, I>(isa, self);
    }
}

/// Writes over the rows what [`GatherAdd`] adds to them.
#[derive(Debug)]
pub struct GatherSet<'a, F: Format>(pub GatherAdd<'a, F>);

impl<F: Format> Kernel for GatherSet<'_, F> {
    type Output = ();

    /// # Panics
    ///
    /// If an index is outside the table.
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        gather::<F, false, I>(isa, self.0);
    }
}

#[inline(always)]
fn gather<F: Format, const ADD: bool, I: Isa>(isa: I, GatherAdd { rows, width, table, index }: GatherAdd<'_, F>) {
    if width == 0 {
        return;
    }
    for (row, &index) in rows.chunks_exact_mut(width).zip(index) {
        put::<F, ADD, I>(isa, row, &table[index * width..][..width]);
    }
}

/// How [`Place`] lays two sources out in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// `a0 b0 a1 b1 …`; of an odd width, the last element is an `a`.
    Woven,
    /// `a0 a1 … b0 b1 …`; of an odd width, there is one `a` more.
    Blocked,
}

/// What [`Place`] does with the values that stand in the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// Overwrites them.
    Set,
    /// Adds to them.
    Add,
}

/// Puts two sources side by side into rows, or adds them there.
///
/// `a` and `b` hold `width/2` values a row, rounded up; of an odd width, the last `b` of a row is not used.
#[derive(Debug)]
pub struct Place<'a, F: Format> {
    /// Rows of `width`, one behind the other.
    pub rows: &'a mut [F::Store],
    /// Length of a row.
    pub width: usize,
    /// The source that comes first.
    pub a: &'a [F::Work],
    /// The source that comes second.
    pub b: &'a [F::Work],
}

impl<F: Format> Place<'_, F> {
    /// Fills or adds to all rows.
    #[inline]
    pub fn run(self, level: Level, arrangement: Arrangement, write: Write) {
        match (arrangement, write) {
            (Arrangement::Woven, Write::Set) => level.run(Placing::<F, true, false>(self)),
            (Arrangement::Woven, Write::Add) => level.run(Placing::<F, true, true>(self)),
            (Arrangement::Blocked, Write::Set) => level.run(Placing::<F, false, false>(self)),
            (Arrangement::Blocked, Write::Add) => level.run(Placing::<F, false, true>(self)),
        }
    }
}

struct Placing<'a, F: Format, const WOVEN: bool, const ADD: bool>(Place<'a, F>);

impl<F: Format, const WOVEN: bool, const ADD: bool> Kernel for Placing<'_, F, WOVEN, ADD> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Place { rows, width, a, b } = self.0;
        if width == 0 {
            return;
        }
        let half = width.div_ceil(2);
        let sources = a.chunks_exact(half).zip(b.chunks_exact(half));
        for (row, (a, b)) in rows.chunks_exact_mut(width).zip(sources) {
            if WOVEN {
                let done = weave::<F, I, ADD>(isa, row, a, b, 0);
                let done = weave::<F, I::Narrower, ADD>(isa.narrower(), row, a, b, done);
                weave::<F, Scalar, ADD>(Scalar, row, a, b, done);
                let (even, last) = row.split_at_mut(width / 2 * 2);
                put::<F, ADD, Scalar>(Scalar, last, &a[even.len() / 2..]);
            } else {
                let (first, second) = row.split_at_mut(half);
                put::<F, ADD, I>(isa, first, a);
                put::<F, ADD, I>(isa, second, &b[..width - half]);
            }
        }
    }
}

/// `row += other`, or `row = other`.
#[inline(always)]
fn put<F: Format, const ADD: bool, I: Isa>(isa: I, row: &mut [F::Store], other: &[F::Work]) {
    let done = units::<F, ADD, I>(isa, row, other, 0);
    let isa = isa.narrower();
    let done = units::<F, ADD, _>(isa, row, other, done);
    let done = units::<F, ADD, _>(isa.narrower(), row, other, done);
    let done = units::<F, ADD, _>(Scalar, row, other, done);
    if let (Some(last), Some(&other)) = (row.get_mut(done), other.get(done)) {
        let mut pair = [*last; 2];
        units::<F, ADD, _>(Scalar, &mut pair, &[other; 2], 0);
        *last = pair[0];
    }
}

/// Puts whole units from an element on and tells where it stopped.
#[inline(always)]
fn units<F: Format, const ADD: bool, I: Isa>(isa: I, row: &mut [F::Store], other: &[F::Work], mut at: usize) -> usize {
    while at + unit_len::<F, I>() <= row.len() {
        let other = F::table(isa, unit_at::<F, I, _>(other, at));
        merge::<F, ADD, I>(isa, row, at, other);
        at += unit_len::<F, I>();
    }
    at
}

/// Weaves whole units from a pair on and tells where it stopped.
#[inline(always)]
fn weave<F: Format, I: Isa, const ADD: bool>(
    isa: I,
    row: &mut [F::Store],
    a: &[F::Work],
    b: &[F::Work],
    mut pair: usize,
) -> usize {
    while 2 * pair + unit_len::<F, I>() <= row.len() {
        let even = F::ready(isa, F::Lanes::<I>::load(isa, array_at::<F::Lanes<I>, _>(a, pair)));
        let odd = F::ready(isa, F::Lanes::<I>::load(isa, array_at::<F::Lanes<I>, _>(b, pair)));
        let woven = if F::split::<I>() { [even, odd] } else { even.interleave(odd) };
        merge::<F, ADD, I>(isa, row, 2 * pair, woven);
        pair += F::Lanes::<I>::LANES;
    }
    pair
}

/// Adds to the unit at an element, or overwrites it.
#[inline(always)]
fn merge<F: Format, const ADD: bool, I: Isa>(isa: I, row: &mut [F::Store], at: usize, [a, b]: [F::Lanes<I>; 2]) {
    let unit = unit_at_mut::<F, I, _>(row, at);
    let sum = if ADD {
        let [x, y] = F::load(isa, unit);
        [x + a, y + b]
    } else {
        [a, b]
    };
    F::store(isa, sum, unit);
}

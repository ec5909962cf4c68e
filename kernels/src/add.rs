//! Additions in place: a window that slides along a vector, and rows taken from a table.
//!
//! Biases that depend on a distance and embeddings of distances end here.

use crate::format::Format;
use crate::merge::{Plus, merge};
use crate::vector::{Isa, Kernel};

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

/// Rows from which on a window is searched for NaN.
const MANY_ROWS: usize = 8;

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
    let count = rows.len() / width;
    // A look at all values pays where many rows read them.
    let any = F::READIES && (count < MANY_ROWS || window.iter().fold(false, |any, w| any | w.partial_cmp(w).is_none()));
    for (i, row) in rows.chunks_exact_mut(width).enumerate() {
        let at = start - i * step;
        let values = &window[at..at + width];
        if any {
            merge::<F, I>(isa, row, Plus::<F, ADD, true>(values));
        } else {
            merge::<F, I>(isa, row, Plus::<F, ADD, false>(values));
        }
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
        if self.width == 0 {
            return;
        }
        for (row, &index) in self.rows.chunks_exact_mut(self.width).zip(self.index) {
            merge::<F, I>(isa, row, Plus::<F, true, true>(&self.table[index * self.width..][..self.width]));
        }
    }
}

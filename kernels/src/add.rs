//! Additions in place: a window that slides along a vector, rows taken from a table, and two rows woven into one.
//!
//! Biases that depend on a distance, learned embeddings and sinusoids all end here.

use crate::Level;
use crate::vector::{Isa, Kernel, Scalar, Single, Vector};

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
pub struct SlidingAdd<'a> {
    /// Rows of `width`, one behind the other.
    pub rows: &'a mut [f32],
    /// Length of a row.
    pub width: usize,
    /// What is added.
    pub window: &'a [f32],
    /// Where the first row reads.
    pub start: usize,
    /// How far each further row reads to the left of the one before it.
    pub step: usize,
}

impl Kernel for SlidingAdd<'_> {
    type Output = ();

    /// # Panics
    ///
    /// If a row would read outside the window.
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        if self.width == 0 {
            return;
        }
        for (i, row) in self.rows.chunks_exact_mut(self.width).enumerate() {
            let at = self.start - i * self.step;
            add(isa, row, &self.window[at..at + self.width]);
        }
    }
}

/// Adds to each row the table row that its index names.
#[derive(Debug)]
pub struct GatherAdd<'a> {
    /// Rows of `width`, one behind the other.
    pub rows: &'a mut [f32],
    /// Length of a row, here and in the table.
    pub width: usize,
    /// The table.
    pub table: &'a [f32],
    /// For each row, the number of a table row.
    pub index: &'a [usize],
}

impl Kernel for GatherAdd<'_> {
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
            add(isa, row, &self.table[index * self.width..][..self.width]);
        }
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
pub struct Place<'a> {
    /// Rows of `width`, one behind the other.
    pub rows: &'a mut [f32],
    /// Length of a row.
    pub width: usize,
    /// The source that comes first.
    pub a: &'a [f32],
    /// The source that comes second.
    pub b: &'a [f32],
}

impl Place<'_> {
    /// Fills or adds to all rows.
    #[inline]
    pub fn run(self, level: Level, arrangement: Arrangement, write: Write) {
        match (arrangement, write) {
            (Arrangement::Woven, Write::Set) => level.run(Placing::<true, false>(self)),
            (Arrangement::Woven, Write::Add) => level.run(Placing::<true, true>(self)),
            (Arrangement::Blocked, Write::Set) => level.run(Placing::<false, false>(self)),
            (Arrangement::Blocked, Write::Add) => level.run(Placing::<false, true>(self)),
        }
    }
}

struct Placing<'a, const WOVEN: bool, const ADD: bool>(Place<'a>);

impl<const WOVEN: bool, const ADD: bool> Kernel for Placing<'_, WOVEN, ADD> {
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
                let done = weave::<I::F32, ADD>(isa, row, a, b);
                weave::<<Scalar as Isa>::F32, ADD>(Scalar, &mut row[2 * done..], &a[done..], &b[done..]);
                if let ([last], Some(&a)) = (row.as_chunks_mut::<2>().1, a.get(width / 2)) {
                    *last = if ADD { *last + a } else { a };
                }
            } else {
                let (first, second) = row.split_at_mut(half);
                if ADD {
                    add(isa, first, a);
                    add(isa, second, b);
                } else {
                    first.copy_from_slice(a);
                    second.copy_from_slice(&b[..width - half]);
                }
            }
        }
    }
}

/// `row += other`.
#[inline(always)]
fn add<I: Isa>(isa: I, row: &mut [f32], other: &[f32]) {
    #[inline(always)]
    fn lanes<V: Vector<Elem = f32>>(isa: V::Isa, row: &mut [f32], other: &[f32]) {
        for (x, y) in V::split_mut(row).0.iter_mut().zip(V::split(other).0) {
            (V::load(isa, x) + V::load(isa, y)).store(x);
        }
    }
    lanes::<I::F32>(isa, row, other);
    let done = row.len() - row.len() % I::F32::LANES;
    lanes::<<Scalar as Isa>::F32>(Scalar, &mut row[done..], &other[done..]);
}

/// Weaves whole vectors and tells how many pairs that were.
#[inline(always)]
fn weave<V: Single, const ADD: bool>(isa: V::Isa, row: &mut [f32], a: &[f32], b: &[f32]) -> usize {
    let (row, _) = V::split_mut(row).0.as_chunks_mut::<2>();
    let mut done = 0;
    for ([x, y], (a, b)) in row.iter_mut().zip(V::split(a).0.iter().zip(V::split(b).0)) {
        let (low, high) = V::load(isa, a).interleave(V::load(isa, b));
        if ADD {
            (V::load(isa, x) + low).store(x);
            (V::load(isa, y) + high).store(y);
        } else {
            low.store(x);
            high.store(y);
        }
        done += V::LANES;
    }
    done
}

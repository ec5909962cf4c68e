//! Rotation in place: the walk over rows. What happens inside a row is `rotate::halves` and `rotate::interleaved`.
//!
//! A row holds `2·pairs` elements next to each other. Rows come as a grid of groups and members, each with a stride
//! of its own; the rows of one group share one row of the tables.

mod halves;
mod interleaved;

use crate::vector::{Isa, Kernel};
use crate::{Level, Strided};

/// Which two elements of a head turn together.
///
/// ```
/// use posenc_kernels::Pairing;
///
/// assert_ne!(Pairing::Halves, Pairing::Interleaved);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pairing {
    /// Element `j` with element `j + n`, where `n` is half the rotated width: GPT-NeoX, Llama in Hugging Face's form,
    /// "rotate half".
    Halves,
    /// Element `2j` with element `2j + 1`: GPT-J, RoFormer, the complex form.
    Interleaved,
}

/// Which way to turn.
///
/// ```
/// use posenc_kernels::Direction;
///
/// assert_ne!(Direction::Forward, Direction::Inverse);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// By the angle of the position.
    Forward,
    /// By minus that angle.
    Inverse,
}

/// Rows to rotate, and the cosines and sines to do it with.
#[derive(Debug)]
pub struct Rotate<'a> {
    /// Holds all rows; what lies between them stays as it is.
    pub data: &'a mut [f32],
    /// Where the first row begins in `data`.
    pub start: usize,
    /// Groups of rows; one for each entry of `table_rows`.
    pub groups: Strided,
    /// Rows of a group.
    pub members: Strided,
    /// Half the width of a row.
    pub pairs: usize,
    /// Cosines.
    pub cos: &'a [f32],
    /// Sines, laid out like `cos`.
    pub sin: &'a [f32],
    /// Where the table row of each group begins, in `cos` and in `sin`.
    pub table_rows: &'a [usize],
}

impl Rotate<'_> {
    /// Rotates all rows.
    ///
    /// # Panics
    ///
    /// If a row reaches beyond `data`, or a table row beyond `cos` or `sin`.
    #[inline]
    pub fn run(self, level: Level, pairing: Pairing, direction: Direction) {
        match (pairing, direction) {
            (Pairing::Halves, Direction::Forward) => level.run(Walk(self, halves::Halves::<false>)),
            (Pairing::Halves, Direction::Inverse) => level.run(Walk(self, halves::Halves::<true>)),
            (Pairing::Interleaved, Direction::Forward) => level.run(Walk(self, interleaved::Interleaved::<false>)),
            (Pairing::Interleaved, Direction::Inverse) => level.run(Walk(self, interleaved::Interleaved::<true>)),
        }
    }
}

/// The arithmetic of one row.
trait Row: Copy {
    /// Rotates `row`, which is twice as long as `cos` and `sin`.
    fn rotate<I: Isa>(self, isa: I, row: &mut [f32], cos: &[f32], sin: &[f32]);
}

struct Walk<'a, R>(Rotate<'a>, R);

impl<R: Row> Kernel for Walk<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self(args, row) = self;
        let Rotate { data, start, groups, members, pairs, cos, sin, table_rows } = args;
        // Memory order: the wider stride outside. (Plain loops: a closure would be compiled without the features of
        // its surroundings.)
        let groups_outside = groups.stride >= members.stride;
        let (outer, inner) = if groups_outside { (groups, members) } else { (members, groups) };
        for i in 0..outer.count {
            for k in 0..inner.count {
                let table = table_rows[if groups_outside { i } else { k }];
                let at = start + i * outer.stride + k * inner.stride;
                let (cos, sin) = (&cos[table..table + pairs], &sin[table..table + pairs]);
                row.rotate(isa, &mut data[at..at + 2 * pairs], cos, sin);
            }
        }
    }
}

//! Rotations: the walk over rows. What happens to a pair is `rotate::halves` and `rotate::interleaved`.
//!
//! Rows come as a grid of groups and members; the rows of one group share one row of the tables. Cosines and sines of a
//! stripe of columns are loaded once for all members of a group and stay in registers, as far as there are enough.
//!
//! ```text
//!             stripe 0   stripe 1  rest
//! member 0   [ ──────► | ──────► | ─► ]
//! member 1   [ ──────► | ──────► | ─► ]      one stripe for all members, then the next
//! ```

mod halves;
mod interleaved;

use halves::Halves;
use interleaved::Interleaved;

use crate::Level;
use crate::format::Format;
use crate::memory::Memory;
use crate::vector::{Isa, Kernel, Scalar};

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
pub struct Rotate<'a, M: Memory> {
    /// The rows.
    pub memory: M,
    /// How many rows each group has.
    pub members: usize,
    /// Half the width of a row.
    pub pairs: usize,
    /// Cosines.
    pub cos: &'a [Work<M>],
    /// Sines, laid out like `cos`.
    pub sin: &'a [Work<M>],
    /// Where the table row of each group begins, in `cos` and in `sin`.
    pub table_rows: &'a [usize],
    /// Which way to turn.
    pub direction: Direction,
}

/// Stretches of memory that are walked through at the same time: enough to share the work on cosines and sines, few enough
/// for the caches.
const STREAMS: usize = 8;

/// What the tables of a memory hold.
pub type Work<M> = <<M as Memory>::Format as Format>::Work;

impl<M: Memory> Rotate<'_, M> {
    /// Rotates all rows.
    ///
    /// # Panics
    ///
    /// If a row reaches beyond its slice, or a table row beyond `cos` or `sin`.
    #[inline]
    pub fn run(self, level: Level, pairing: Pairing) {
        match pairing {
            Pairing::Halves => level.run(Walk(self, Halves)),
            Pairing::Interleaved => level.run(Walk(self, Interleaved)),
        }
    }
}

/// The arithmetic of a pairing.
trait Turn: Copy {
    /// The same for what whole units leave over: in units of as many pairs as a vector has lanes.
    type Rest: Turn;
    /// Cosines and sines of a unit.
    type Twiddle<F: Format, I: Isa>: Copy;

    /// How many pairs a unit holds.
    fn unit<F: Format, I: Isa>() -> usize;

    /// Readies cosines and sines of the unit at a pair.
    fn twiddle<F: Format, I: Isa>(
        isa: I,
        table: (&[F::Work], &[F::Work]),
        at: usize,
        direction: Direction,
    ) -> Self::Twiddle<F, I>;

    /// Turns the units from a pair on.
    fn turn<M: Memory, I: Isa, const N: usize>(
        isa: I,
        memory: &mut M,
        row: M::Row,
        pairs: usize,
        at: usize,
        twiddles: &[Self::Twiddle<M::Format, I>; N],
    );
}

struct Walk<'a, M: Memory, T>(Rotate<'a, M>, T);

impl<M: Memory, T: Turn> Kernel for Walk<'_, M, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self(mut args, _) = self;
        let (groups, members) = (args.table_rows.len(), args.members);
        // Memory order: what lies farther apart outside. Where that are the members, a few of them are taken side by side.
        let groups_outside = args.memory.groups_outside();
        let side_by_side = if groups_outside { members } else { STREAMS };
        let mut from = 0;
        while from < members {
            let to = members.min(from + side_by_side);
            let ahead = Ahead::new(&args, to - from, groups_outside);
            for group in 0..groups {
                columns::<M, T, I>(isa, &mut args, Members { group, from, to, ahead });
            }
            from = to;
        }
    }
}

/// Rotates some members of a group: whole units of ever narrower vectors, and what is left.
#[inline(always)]
fn columns<M: Memory, T: Turn, I: Isa>(isa: I, args: &mut Rotate<'_, M>, members: Members) {
    let mut at = 0;
    let unit = T::unit::<M::Format, I>();
    while args.pairs - at >= unit {
        at += unit
            * match (args.pairs - at) / unit {
                4.. => stripe::<M, T, I, 4>(isa, args, members, at),
                2..4 => stripe::<M, T, I, 2>(isa, args, members, at),
                _ => stripe::<M, T, I, 1>(isa, args, members, at),
            };
    }
    if at < args.pairs {
        rest::<M, T::Rest, I>(isa, args, members, at);
    }
}

/// Rotates what whole units leave over.
#[inline(always)]
fn rest<M: Memory, T: Turn, I: Isa>(isa: I, args: &mut Rotate<'_, M>, members: Members, at: usize) {
    let at = singly::<M, T, _>(isa, args, members, at);
    let isa = isa.narrower();
    let at = singly::<M, T, _>(isa, args, members, at);
    let at = singly::<M, T, _>(isa.narrower(), args, members, at);
    singly::<M, T, _>(Scalar, args, members, at);
}

/// The sign of all sines.
#[inline(always)]
fn sign<W: From<i8>>(direction: Direction) -> W {
    match direction {
        Direction::Forward => W::from(1),
        Direction::Inverse => W::from(-1),
    }
}

/// Some rows of a group.
#[derive(Clone, Copy)]
struct Members {
    group: usize,
    from: usize,
    to: usize,
    ahead: Ahead,
}

/// How many bytes ahead of a row memory is asked for: what the walk comes to a little later.
#[derive(Clone, Copy)]
struct Ahead {
    /// How many rows later that is.
    rows: usize,
    /// The bytes, where that row belongs to the same group, or to the next one.
    bytes: [usize; 2],
}

impl Ahead {
    /// For groups of which so many members are taken side by side.
    #[inline(always)]
    fn new<M: Memory>(args: &Rotate<'_, M>, members: usize, groups_outside: bool) -> Self {
        let rows = args.memory.rows_ahead(2 * args.pairs);
        let bytes = if groups_outside {
            [args.memory.way(0, rows), args.memory.way(1, rows.wrapping_sub(members))]
        } else {
            [args.memory.way(rows, 0); 2]
        };
        Self { rows, bytes }
    }
}

impl Members {
    /// Where the row of a member is.
    #[inline(always)]
    fn row<M: Memory>(self, memory: &M, member: usize) -> M::Row {
        let Self { group, to, ahead: Ahead { rows, bytes: [within, beyond] }, .. } = self;
        memory.row([group, member], if rows < to - member { within } else { beyond })
    }
}

/// Rotates whole units from a pair on, one after the other, and tells where it stopped.
#[inline(always)]
fn singly<M: Memory, T: Turn, I: Isa>(isa: I, args: &mut Rotate<'_, M>, members: Members, mut at: usize) -> usize {
    let unit = T::unit::<M::Format, I>();
    while args.pairs - at >= unit {
        at += unit * stripe::<M, T, I, 1>(isa, args, members, at);
    }
    at
}

/// Rotates `N` units of all members, and tells `N`.
#[inline(always)]
fn stripe<M: Memory, T: Turn, I: Isa, const N: usize>(
    isa: I,
    args: &mut Rotate<'_, M>,
    members: Members,
    at: usize,
) -> usize {
    let unit = T::unit::<M::Format, I>();
    let table = args.table_rows[members.group];
    let table = (&args.cos[table..table + args.pairs], &args.sin[table..table + args.pairs]);
    let mut twiddles = [T::twiddle::<M::Format, I>(isa, table, at, args.direction); N];
    for (k, twiddle) in twiddles.iter_mut().enumerate().skip(1) {
        *twiddle = T::twiddle::<M::Format, I>(isa, table, at + k * unit, args.direction);
    }
    for member in members.from..members.to {
        let row = members.row(&args.memory, member);
        T::turn(isa, &mut args.memory, row, args.pairs, at, &twiddles);
    }
    N
}

//! Cells of the rotation into another place; their limit is the fastest copy that reads and writes the same bytes.

use std::hint::black_box;

use posenc::{Heads, HeadsMut, Positions, Result, Rotary, Target};

use crate::buffer::{Buffer, Number};
use crate::cell::{Cell, Grid, Names, PAIRINGS, Work};
use crate::limits::{Bytes, Copied};
use crate::rotation::{FIRST, tabled_rotary};
use crate::threads::{MOST, in_parts_of_both};

/// With a table; to the same type, and from f32 to a 16-bit type.
pub(crate) fn cells() -> Vec<Cell> {
    let grid = Grid { pairings: PAIRINGS, threads: MOST, ..Grid::new("rotate_into") };
    grid.cells(&[
        ("f32", same::<f32>),
        #[cfg(feature = "half")]
        ("bf16", same::<half::bf16>),
        #[cfg(feature = "half")]
        ("f32-f16", narrowing::<half::f16>),
        #[cfg(feature = "half")]
        ("f32-bf16", narrowing::<half::bf16>),
    ])
}

struct State<S, D> {
    rotary: Rotary,
    from: Buffer<S>,
    to: Buffer<D>,
}

/// Two ways to copy: the one of the standard library, which knows the machine, and a plain kernel.
fn same<T: Number + Bytes + Target<T>>(names: Names) -> Cell {
    let Names { level, threads, .. } = names;
    let copy = move |State { from, to, .. }: &mut State<T, T>| {
        in_parts_of_both(threads, from, to, |from, to| to.copy_from_slice(from));
    };
    let kernel = move |State { from, to, .. }: &mut State<T, T>| {
        in_parts_of_both(threads, from, to, |from, to| level.run(Copied { from, to }));
    };
    cell(names, vec![Box::new(copy), Box::new(kernel)])
}

#[cfg(feature = "half")]
fn narrowing<T: Number + Target<f32>>(names: Names) -> Cell
where
    <T as posenc::Element>::Format: posenc_kernels::Format<Store = u16>,
{
    let Names { level, threads, .. } = names;
    let condense = move |State { from, to, .. }: &mut State<f32, T>| {
        in_parts_of_both(threads, from, T::raw_mut(to), |from, to| level.run(crate::limits::Condensed { from, to }));
    };
    cell(names, vec![Box::new(condense)])
}

type Form<S, D> = fn(&Rotary, &Heads<'_, S>, &mut HeadsMut<'_, D>, &Positions<'_>) -> Result<()>;

fn form<S: Number, D: Target<S>>(threads: usize) -> Form<S, D> {
    match threads {
        #[cfg(feature = "rayon")]
        2 => Rotary::par_rotate_into,
        _ => Rotary::rotate_into,
    }
}

fn cell<S: Number, D: Number + Target<S>>(names: Names, limits: Vec<Work<State<S, D>>>) -> Cell {
    let form = form::<S, D>(names.threads);
    let ours = move |State { rotary, from, to }: &mut State<S, D>| {
        let from = Heads::new(from, names.shape).expect("the buffer has this shape");
        let mut to = HeadsMut::new(to, names.shape).expect("the buffer has this shape");
        form(rotary, &from, &mut to, &Positions::from(black_box(FIRST))).expect("the table reaches the last position");
    };
    let set_up = move || State {
        rotary: tabled_rotary::<S>(names).expect("frequencies and table are valid"),
        from: Buffer::random(names.elements()),
        to: Buffer::random(names.elements()),
    };
    let ours: Work<State<S, D>> = Box::new(ours);
    Cell::beside(names, set_up, [ours].into_iter().chain(limits).collect())
}

//! Cells of the rotations in place; their limit is the in-place scale of the same bytes.

use std::hint::black_box;

use posenc::{Frequencies, HeadsMut, Level, Positions, Precision, Result, Rotary, TableBuilder};

use crate::buffer::{Buffer, Number};
use crate::cell::{Cell, Grid, Names, PAIRINGS, every_type};
use crate::limits::{Bytes, Scale};
use crate::threads::{MOST, in_parts};

/// The position of the first token: not 0, where nothing turns.
pub(crate) const FIRST: usize = 1000;

/// Heads of keys, beside which queries have the heads of the other cells.
const KEY_HEADS: usize = 8;

/// Cosines and sines are read from a table; the level of one lane is measured here alone.
pub(crate) fn with_table() -> Vec<Cell> {
    let cells = every_type!(tabled);
    let plainest = Grid {
        levels: Level::named("scalar").into_iter().collect(),
        threads: 1,
        shapes: vec![[1, 32, 128], [512, 32, 128]],
        ..grid("rotate")
    };
    [plainest, grid("rotate"), few_heads("rotate")].iter().flat_map(|grid| grid.cells(&cells)).collect()
}

/// Cosines and sines are worked out, once for all heads of a token.
pub(crate) fn table_free() -> Vec<Cell> {
    let cells = every_type!(free);
    [grid("rotate_free"), few_heads("rotate_free")].iter().flat_map(|grid| grid.cells(&cells)).collect()
}

/// With a table, in `[heads, tokens, dim]`.
pub(crate) fn head_major() -> Vec<Cell> {
    let mut cells = every_type!(tabled_head_major).to_vec();
    cells.retain(|(name, _)| ["f32", "bf16"].contains(name));
    grid("rotate_head_major").cells(&cells)
}

/// Queries and keys in one call, without a table; the heads of both are counted.
pub(crate) fn both() -> Vec<Cell> {
    let mut grid = Grid { threads: 1, ..grid("rotate_both") };
    grid.shapes.iter_mut().for_each(|[_, heads, _]| *heads += KEY_HEADS);
    grid.cells(&every_type!(queries_and_keys))
}

fn grid(op: &'static str) -> Grid {
    Grid { pairings: PAIRINGS, threads: MOST, ..Grid::new(op) }
}

/// Where fewer heads share the cosines and sines of a token.
fn few_heads(op: &'static str) -> Grid {
    Grid { levels: vec![Level::detect()], threads: 1, shapes: vec![[512, 8, 128]], ..grid(op) }
}

fn free_rotary(names: Names) -> Result<Rotary> {
    let pairing = names.pairing.expect("rotations have a pairing");
    Ok(Rotary::new(&Frequencies::new(names.shape[2], 500_000.0)?, pairing).with_level(names.level))
}

pub(crate) fn tabled_rotary<T: Number>(names: Names) -> Result<Rotary> {
    let pairing = names.pairing.expect("rotations have a pairing");
    let builder = TableBuilder::new(&Frequencies::new(names.shape[2], 500_000.0)?, Precision::Exact);
    let tables = builder.build_as::<T::Work>(FIRST + names.shape[0])?;
    Ok(Rotary::from_tables(tables, pairing).with_level(names.level))
}

type View<T> = fn(&mut [T], [usize; 3]) -> Result<HeadsMut<'_, T>>;

fn tabled<T: Number + Bytes>(names: Names) -> Cell {
    cell::<T>(names, tabled_rotary::<T>, |data, shape| HeadsMut::new(data, shape))
}

fn free<T: Number + Bytes>(names: Names) -> Cell {
    cell::<T>(names, free_rotary, |data, shape| HeadsMut::new(data, shape))
}

fn tabled_head_major<T: Number + Bytes>(names: Names) -> Cell {
    let view: View<T> = |data, [tokens, heads, dim]| HeadsMut::head_major(data, [1, heads, tokens, dim]);
    cell::<T>(names, tabled_rotary::<T>, view)
}

type Form<T> = fn(&Rotary, &mut HeadsMut<'_, T>, &Positions<'_>) -> Result<()>;

fn form<T: Number>(threads: usize) -> Form<T> {
    match threads {
        #[cfg(feature = "rayon")]
        2 => Rotary::par_rotate,
        _ => Rotary::rotate,
    }
}

fn cell<T: Number + Bytes>(names: Names, rotary: fn(Names) -> Result<Rotary>, view: View<T>) -> Cell {
    let Names { shape, level, threads, .. } = names;
    let form = form::<T>(threads);
    Cell::new(
        names,
        move || (rotary(names).expect("frequencies and table are valid"), Buffer::<T>::random(names.elements())),
        move |(rotary, data)| {
            let mut heads = view(data, shape).expect("the buffer has this shape");
            form(rotary, &mut heads, &Positions::from(black_box(FIRST))).expect("the table reaches the last position");
        },
        move |(_, data)| in_parts(threads, data, |data| level.run(Scale { data, factor: black_box(1.0) })),
    )
}

fn queries_and_keys<T: Number + Bytes>(names: Names) -> Cell {
    let Names { shape: [tokens, heads, dim], level, .. } = names;
    let shapes = [heads - KEY_HEADS, KEY_HEADS].map(|heads| [tokens, heads, dim]);
    Cell::new(
        names,
        move || {
            let buffers = shapes.map(|shape| Buffer::<T>::random(shape.iter().product()));
            (free_rotary(names).expect("frequencies are valid"), buffers)
        },
        move |(rotary, [queries, keys])| {
            let mut queries = HeadsMut::new(queries, shapes[0]).expect("the buffer has this shape");
            let mut keys = HeadsMut::new(keys, shapes[1]).expect("the buffer has this shape");
            let positions = Positions::from(black_box(FIRST));
            rotary.rotate_both(&mut queries, &mut keys, &positions).expect("any position is served");
        },
        move |(_, buffers)| {
            for data in buffers {
                level.run(Scale { data, factor: black_box(1.0) });
            }
        },
    )
}

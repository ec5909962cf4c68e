//! Cells of rotations in place where part of the memory is touched, or where tokens lie in other orders: their limit is the
//! in-place scale of the same elements, run by run.

use std::hint::black_box;

use posenc::{HeadsMut, Positions, Result, Rotary, Shape, Strides};

use crate::buffer::{Buffer, Number};
use crate::cell::{Cell, Grid, Names, PAIRINGS, every_type};
use crate::limits::{Bytes, ScaleRuns};
use crate::rotation::{FIRST, tabled_rotary};

/// Heads of keys, and as many of values, behind the queries of a token.
const KEY_HEADS: usize = 8;

/// Features of a head that do not turn, before those that do.
const UNTURNED: usize = 128;

/// Sequences that lie side by side.
const BATCH: usize = 4;

/// Where the elements are that turn.
struct Order<T> {
    /// Elements of the whole buffer.
    elements: fn([usize; 3]) -> usize,
    /// Length of a run of touched elements, and how far the next one begins.
    runs: fn([usize; 3]) -> [usize; 2],
    /// The first touched element of the buffer.
    start: fn([usize; 3]) -> usize,
    view: fn(&mut [T], [usize; 3]) -> Result<HeadsMut<'_, T>>,
    /// The first feature of a head that turns.
    feature: usize,
}

/// Queries in rows of `[queries, keys, values]`.
pub(crate) fn packed_qkv() -> Vec<Cell> {
    grid("rotate_packed_qkv").cells(&every_type!(queries_of_rows))
}

/// The trailing features of wider heads, as multi-head latent attention has them.
pub(crate) fn sliced() -> Vec<Cell> {
    grid("rotate_sliced").cells(&every_type!(trailing_features))
}

/// Memory in the order `[tokens, batch, heads, dim]`.
pub(crate) fn batch_inside() -> Vec<Cell> {
    grid("rotate_sbhd").cells(&every_type!(sequences_side_by_side))
}

fn grid(op: &'static str) -> Grid {
    let shapes = [[16, 32, 128], [512, 32, 128], [512, 32, 64]].to_vec();
    Grid { pairings: PAIRINGS, levels: vec![posenc::Level::detect()], shapes, ..Grid::new(op) }
}

fn queries_of_rows<T: Number + Bytes>(names: Names) -> Cell {
    let order = Order {
        elements: |[tokens, heads, dim]| tokens * (heads + 2 * KEY_HEADS) * dim,
        runs: |[_, heads, dim]| [heads * dim, (heads + 2 * KEY_HEADS) * dim],
        start: |_| 0,
        view: |data, [tokens, heads, dim]| {
            let row = (heads + 2 * KEY_HEADS) * dim;
            let strides = Strides { batch: tokens * row, token: row, head: dim };
            HeadsMut::strided(data, Shape { batch: 1, tokens, heads, dim }, strides)
        },
        feature: 0,
    };
    cell::<T>(names, order)
}

fn trailing_features<T: Number + Bytes>(names: Names) -> Cell {
    let order = Order {
        elements: |[tokens, heads, dim]| tokens * heads * (UNTURNED + dim),
        runs: |[_, _, dim]| [dim, UNTURNED + dim],
        start: |_| UNTURNED,
        view: |data, [tokens, heads, dim]| HeadsMut::new(data, [tokens, heads, UNTURNED + dim]),
        feature: UNTURNED,
    };
    cell::<T>(names, order)
}

fn sequences_side_by_side<T: Number + Bytes>(names: Names) -> Cell {
    let order = Order {
        elements: |shape| shape.iter().product(),
        runs: |shape| [shape.iter().product(); 2],
        start: |_| 0,
        view: |data, [tokens, heads, dim]| {
            let shape = Shape { batch: BATCH, tokens: tokens / BATCH, heads, dim };
            let strides = Strides { token: BATCH * heads * dim, batch: heads * dim, head: dim };
            HeadsMut::strided(data, shape, strides)
        },
        feature: 0,
    };
    cell::<T>(names, order)
}

fn cell<T: Number + Bytes>(names: Names, order: Order<T>) -> Cell {
    let Names { shape, level, .. } = names;
    let Order { elements, runs, start, view, feature } = order;
    let rotary = move || -> Result<Rotary> { Ok(tabled_rotary::<T>(names)?.starting_at(feature)) };
    Cell::new(
        names,
        move || (rotary().expect("frequencies and table are valid"), Buffer::<T>::random(elements(shape))),
        move |(rotary, data)| {
            let mut heads = view(data, shape).expect("the buffer has this shape");
            rotary.rotate(&mut heads, &Positions::from(black_box(FIRST))).expect("the table reaches the last position");
        },
        move |(_, data)| {
            let [width, step] = runs(shape);
            level.run(ScaleRuns { data: &mut data[start(shape)..], width, step, factor: black_box(1.0) });
        },
    )
}

//! What the public API costs over the bare kernel: checks, views, positions, the choice of a kernel.
//!
//! The column of the limit holds the time of the kernel.

use std::hint::black_box;

use posenc::{Direction, HeadsMut, Level, Positions, Rotary};
use posenc_kernels::{F32, Grid as Rows, InPlace, Rotate};

use crate::buffer::Buffer;
use crate::cell::{Cell, Grid, Names, PAIRINGS};
use crate::rotation::{FIRST, tabled_rotary};

/// One token of f32, at the level that the crate chooses.
pub(crate) fn cells() -> Vec<Cell> {
    let (levels, shapes) = (vec![Level::detect()], vec![[1, 32, 128]]);
    let grid = Grid { pairings: PAIRINGS, levels, shapes, ..Grid::new("dispatch") };
    grid.cells(&[("f32", cell)])
}

struct State {
    rotary: Rotary,
    data: Buffer<f32>,
    /// The row of the token, as the kernel wants it.
    cos: Vec<f32>,
    sin: Vec<f32>,
}

fn cell(names: Names) -> Cell {
    let Names { level, shape: [_, heads, dim], .. } = names;
    let pairing = names.pairing.expect("rotations have a pairing");
    Cell::new(
        names,
        move || {
            let rotary = tabled_rotary::<f32>(names).expect("frequencies and table are valid");
            let (cos, sin) = rotary.tables().and_then(|tables| tables.row(FIRST)).expect("the table has this row");
            let (cos, sin) = (cos.to_vec(), sin.to_vec());
            State { rotary, data: Buffer::random(names.elements()), cos, sin }
        },
        move |State { rotary, data, .. }| {
            let mut heads = HeadsMut::new(data, names.shape).expect("the buffer has this shape");
            rotary.rotate(&mut heads, &Positions::from(black_box(FIRST))).expect("the table reaches the position");
        },
        move |State { data, cos, sin, .. }| {
            let rotate = Rotate {
                memory: InPlace::<F32> { data, grid: Rows { start: 0, group: heads * dim, member: dim } },
                members: heads,
                pairs: dim / 2,
                cos,
                sin,
                table_rows: black_box(&[0]),
                direction: Direction::Forward,
            };
            rotate.run(level, pairing);
        },
    )
}

//! Cells of the rotations; their limit is the in-place scale of the same bytes.

use std::hint::black_box;

use posenc::{Frequencies, HeadsMut, Level, Pairing, Positions, Result, Rotary};

use crate::buffer::Buffer;
use crate::cell::{Cell, Grid, Names, PAIRINGS, shapes};
use crate::limits::Scale;
use crate::threads::in_parts;

type Form = fn(&Rotary, &mut HeadsMut<'_, f32>, &Positions<'_>) -> Result<()>;

/// For one thread, and for two.
const FORMS: &[Form] = &[
    Rotary::rotate,
    #[cfg(feature = "rayon")]
    Rotary::par_rotate,
];

/// The position of the first token: not 0, where nothing turns.
const FIRST: usize = 1000;

/// Cosines and sines are read from a table.
pub(crate) fn with_table() -> Vec<Cell> {
    cells("rotate", |names, pairing| table_free_rotary(names, pairing)?.with_table(FIRST + names.shape[0]))
}

/// Cosines and sines are worked out, once for all heads of a token.
pub(crate) fn table_free() -> Vec<Cell> {
    cells("rotate_free", table_free_rotary)
}

fn table_free_rotary(names: Names, pairing: Pairing) -> Result<Rotary> {
    Ok(Rotary::new(&Frequencies::new(names.shape[2], 500_000.0)?, pairing).with_level(names.level))
}

fn cells(op: &'static str, rotary: fn(Names, Pairing) -> Result<Rotary>) -> Vec<Cell> {
    let grid = Grid {
        op,
        pairings: PAIRINGS,
        dtype: "f32",
        levels: Level::available().collect(),
        threads: FORMS.len(),
        shapes: shapes(),
    };
    grid.names().filter_map(|names| Some(cell(names, rotary, names.pairing?))).collect()
}

fn cell(names: Names, rotary: fn(Names, Pairing) -> Result<Rotary>, pairing: Pairing) -> Cell {
    let Names { shape, level, threads, .. } = names;
    let form = FORMS[threads - 1];
    Cell::new(
        names,
        move || (rotary(names, pairing).expect("frequencies and table are valid"), Buffer::random(names.elements())),
        move |(rotary, data)| {
            let mut heads = HeadsMut::new(data, shape).expect("the buffer has this shape");
            form(rotary, &mut heads, &Positions::from(black_box(FIRST))).expect("the table reaches the last position");
        },
        move |(_, data)| in_parts(threads, data, |data| level.run(Scale { data, factor: black_box(1.0) })),
    )
}

//! Cells of the table builder; their limit is a fill of cosines and sines.

use std::hint::black_box;

use posenc::{Frequencies, Level, Positions, Precision, Result, TableBuilder};

use crate::buffer::Buffer;
use crate::cell::{Cell, Grid, Names};
use crate::limits::Fill;
use crate::threads::in_parts;

type Form = fn(&TableBuilder, &Positions<'_>, &mut [f32], &mut [f32]) -> Result<()>;

/// For one thread, and for two.
const FORMS: &[Form] = &[
    TableBuilder::fill,
    #[cfg(feature = "rayon")]
    TableBuilder::par_fill,
];

/// Tables for one head of 128 features: 64 cosines and 64 sines a row.
pub(crate) fn fill() -> Vec<Cell> {
    let grid = Grid {
        op: "table",
        pairings: &[None],
        dtype: "f32",
        levels: Level::available().collect(),
        threads: FORMS.len(),
        shapes: [1, 64, 4096, 131_072].map(|rows| [rows, 1, 128]).to_vec(),
    };
    grid.names().map(cell).collect()
}

fn cell(names: Names) -> Cell {
    let Names { level, threads, .. } = names;
    let form = FORMS[threads - 1];
    Cell::new(
        names,
        move || {
            let frequencies = Frequencies::new(names.shape[2], 500_000.0).expect("an even width");
            let builder = TableBuilder::new(&frequencies, Precision::Exact).with_level(level);
            let half = names.elements() / 2;
            (builder, Buffer::random(half), Buffer::random(half))
        },
        move |(builder, cos, sin)| {
            form(builder, &Positions::from(black_box(0)), cos, sin).expect("both slices hold all rows");
        },
        move |(_, cos, sin)| {
            for table in [cos, sin] {
                in_parts(threads, table, |data| level.run(Fill { data, value: black_box(1.0) }));
            }
        },
    )
}

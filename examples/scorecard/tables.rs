//! Cells of the table builder, beside a fill of cosines and sines, and beside a loop over `f64::sin_cos`.

use std::hint::black_box;

use posenc::{Frequencies, Level, Positions, Precision, Result, TableBuilder};

use crate::buffer::{Buffer, Number};
use crate::cell::{Cell, Grid, Names, every_type};
use crate::limits::{Bytes, Fill};
use crate::threads::{MOST, in_parts};

/// Tables for one head of 128 features: 64 cosines and 64 sines a row.
const WIDTH: usize = 128;

/// All sizes in f32, one in the other types.
pub(crate) fn fill() -> Vec<Cell> {
    let grid = |shapes| Grid { threads: MOST, shapes, ..Grid::new("table") };
    let (single, others): (Vec<_>, Vec<_>) = every_type!(filled).into_iter().partition(|(name, _)| *name == "f32");
    let mut cells = grid(all_rows()).cells(&single);
    cells.extend(grid(vec![[4096, 1, WIDTH]]).cells(&others));
    cells
}

/// Beside what the standard library offers, which the column of the limit holds: above 1, ours is the faster.
pub(crate) fn beside_std() -> Vec<Cell> {
    let grid = Grid { levels: vec![Level::detect()], shapes: all_rows(), ..Grid::new("table_std") };
    grid.cells(&[("f32", std_cell)])
}

fn all_rows() -> Vec<[usize; 3]> {
    [1, 64, 4096, 131_072].map(|rows| [rows, 1, WIDTH]).to_vec()
}

type Form<T> = fn(&TableBuilder, &Positions<'_>, &mut [T], &mut [T]) -> Result<()>;

fn form<T: Number>(threads: usize) -> Form<T> {
    match threads {
        #[cfg(feature = "rayon")]
        2 => TableBuilder::par_fill,
        _ => TableBuilder::fill,
    }
}

struct State<T> {
    frequencies: Frequencies,
    builder: TableBuilder,
    cos: Buffer<T>,
    sin: Buffer<T>,
}

impl<T: Number> State<T> {
    fn new(names: Names) -> Self {
        let frequencies = Frequencies::new(names.shape[2], 500_000.0).expect("an even width");
        let builder = TableBuilder::new(&frequencies, Precision::Exact).with_level(names.level);
        let half = names.elements() / 2;
        Self { frequencies, builder, cos: Buffer::random(half), sin: Buffer::random(half) }
    }

    fn fill(&mut self, form: Form<T>) {
        let Self { builder, cos, sin, .. } = self;
        form(builder, &Positions::from(black_box(0)), cos, sin).expect("both slices hold all rows");
    }
}

fn filled<T: Number + Bytes>(names: Names) -> Cell {
    let Names { level, threads, .. } = names;
    let form = form::<T>(threads);
    Cell::new(
        names,
        move || State::<T>::new(names),
        move |state| state.fill(form),
        move |State { cos, sin, .. }| {
            for table in [cos, sin] {
                in_parts(threads, table, |data| level.run(Fill { data, value: black_box(1.0) }));
            }
        },
    )
}

fn std_cell(names: Names) -> Cell {
    let form = form::<f32>(names.threads);
    let sin_cos = |State { frequencies, cos, sin, .. }: &mut State<f32>| {
        let first = black_box(0);
        let rows = cos.chunks_exact_mut(WIDTH / 2).zip(sin.chunks_exact_mut(WIDTH / 2));
        for (position, (cos, sin)) in (first..).zip(rows) {
            for ((cos, sin), f) in cos.iter_mut().zip(sin).zip(frequencies.as_slice()) {
                let (s, c) = (f64::from(position) * f).sin_cos();
                (*cos, *sin) = (c as f32, s as f32);
            }
        }
    };
    Cell::new(names, move || State::new(names), move |state| state.fill(form), sin_cos)
}

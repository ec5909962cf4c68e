//! Cells of the additions; their limit is the in-place addition to the same bytes: of a constant where values are worked out
//! or stand in the nearest cache, and of rows of a table where ours are read from one.
//!
//! What is added is small, grows slowly or soon stops to count, so that sums stay finite however often a cell runs.

use std::hint::black_box;

use posenc::{
    AddTarget, Alibi, Clip, DistanceBias, EmbeddingSum, EmbeddingTable, Init, Level, Order, Pairing, Positions,
    RelativeEmbedding, Result, Sinusoidal, T5Bias, T5Buckets, T5Form,
};
use posenc_kernels::{GatherSum, Lookup, SlidingAdd, Wide};

use crate::buffer::{Buffer, Number};
use crate::cell::{Cell, Grid, Names, PAIRINGS, every_type, shapes};
use crate::limits::{Bytes, RowSums, Shift};
use crate::threads::{MOST, in_parts};

/// A cell whose state is a buffer and what is added to it.
fn cell<T: Number + Bytes, A: Send + 'static>(
    names: Names,
    added: impl FnOnce() -> A + 'static,
    mut ours: impl FnMut(&A, &mut [T]) + Send + 'static,
) -> Cell {
    let Names { level, threads, .. } = names;
    Cell::new(
        names,
        move || (added(), Buffer::<T>::random(names.elements())),
        move |(added, data)| ours(added, data),
        move |(_, data)| in_parts(threads, data, |data| level.run(Shift { data, term: black_box(0.0) })),
    )
}

/// A cell whose state is a buffer and a table, of which each row of `width` elements takes one of `table_rows` rows; `ours` is
/// handed what is made of their numbers, and the limit reads as many bytes of a table of its own.
fn rows_cell<T: Number + Bytes, W: 'static, A: Send + 'static>(
    names: Names,
    [table_rows, width]: [usize; 2],
    added: impl FnOnce(&[usize]) -> A + 'static,
    mut ours: impl FnMut(&A, &mut [T]) + Send + 'static,
) -> Cell {
    let Names { level, threads, .. } = names;
    let times = (size_of::<W>() / size_of::<T>()).max(1);
    Cell::new(
        names,
        move || {
            let index: Vec<usize> = (0..names.elements() / width).map(|row| row * 37 % table_rows).collect();
            let mut zeros = Buffer::<T>::random(table_rows * width * times);
            zeros.fill(T::default());
            (added(&index), zeros, index, Buffer::<T>::random(names.elements()))
        },
        move |(added, _, _, data)| ours(added, data),
        move |(_, table, index, data)| {
            let (table, index) = (black_box(&**table), &**index);
            in_parts(threads, data, |rows| level.run(RowSums { rows, width, table, index, times }));
        },
    )
}

/// Sines and cosines, worked out and added: one head as wide as a token of the other cells.
pub(crate) fn sinusoid() -> Vec<Cell> {
    let shapes = shapes().into_iter().map(|[tokens, heads, dim]| [tokens, 1, heads * dim]).collect();
    let grid = Grid { pairings: PAIRINGS, threads: MOST, shapes, ..Grid::new("sinusoid_add") };
    grid.cells(&every_type!(sinusoid_cell))
}

type Form<T> = fn(&Sinusoidal, &mut [T], &Positions<'_>) -> Result<()>;

fn form<T: Number>(threads: usize) -> Form<T> {
    match threads {
        #[cfg(feature = "rayon")]
        2 => Sinusoidal::par_add,
        _ => Sinusoidal::add,
    }
}

fn sinusoid_cell<T: Number + Bytes>(names: Names) -> Cell {
    let order = match names.pairing {
        Some(Pairing::Halves) => Order::SinCos,
        _ => Order::Interleaved,
    };
    let form = form::<T>(names.threads);
    let encoding = move || {
        let encoding = Sinusoidal::new(names.shape[2], 10_000.0).expect("a valid width");
        encoding.with_order(order).with_level(names.level)
    };
    cell(names, encoding, move |encoding, x| {
        form(encoding, x, &Positions::from(black_box(0))).expect("whole rows");
    })
}

/// Rows of a table that others take.
const TABLE_ROWS: usize = 65;

/// Learned rows, looked up by ids and added: one head as wide as a token of the other cells, 65 positions.
pub(crate) fn embedding() -> Vec<Cell> {
    let shapes = shapes().into_iter().map(|[tokens, heads, dim]| [tokens, 1, heads * dim]).collect();
    Grid { threads: MOST, shapes, ..Grid::new("embedding_add") }.cells(&every_type!(embedding_cell))
}

fn embedding_cell<T: Number + Bytes + AddTarget<T>>(names: Names) -> Cell {
    let width = names.shape[2];
    let rows = move |index: &[usize]| {
        let ids: Vec<u32> = index.iter().map(|&row| row as u32).collect();
        (Buffer::<T>::random(TABLE_ROWS * width), ids)
    };
    rows_cell::<T, T, _>(names, [TABLE_ROWS, width], rows, move |(rows, ids), x: &mut [T]| {
        let table = EmbeddingTable::new(rows, width).expect("whole rows");
        let sum = EmbeddingSum::new([table]).expect("one table").with_level(names.level);
        let add = match names.threads {
            #[cfg(feature = "rayon")]
            2 => EmbeddingSum::par_add,
            _ => EmbeddingSum::add,
        };
        add(&sum, x, &[Positions::ids(black_box(ids))]).expect("positions of the table");
    })
}

/// The kernel below every distance bias: `tokens` queries, `dim` keys, the heads one behind the other.
pub(crate) fn sliding() -> Vec<Cell> {
    Grid { shapes: score_shapes(), ..Grid::new("sliding_add") }.cells(&every_type!(sliding_cell))
}

/// Scores of a new token and of a prompt, against all keys: queries, heads, keys.
pub(crate) const SCORES: [[usize; 3]; 2] = [[1, 32, 4096], [512, 32, 512]];

fn score_shapes() -> Vec<[usize; 3]> {
    shapes().into_iter().chain(SCORES).collect()
}

fn sliding_cell<T: Number<Work: Number> + Bytes>(names: Names) -> Cell {
    let [queries, _, width] = names.shape;
    let window = move || Buffer::<T::Work>::random(queries + width - 1);
    cell(names, window, move |window, scores: &mut [T]| {
        for rows in scores.chunks_exact_mut(queries * width) {
            let (rows, start) = (T::raw_mut(rows), black_box(queries - 1));
            names.level.run(SlidingAdd::<T::Format> { rows, width, window, start, step: 1 });
        }
    })
}

/// The kernel below learned embeddings: each row takes one of 65 rows of a table.
pub(crate) fn gather() -> Vec<Cell> {
    Grid::new("gather_add").cells(&every_type!(gather_cell))
}

fn gather_cell<T: Number<Work: Number> + Bytes>(names: Names) -> Cell {
    let width = names.shape[2];
    let added = move |index: &[usize]| (Buffer::<T::Work>::random(TABLE_ROWS * width), index.to_vec());
    rows_cell::<T, T::Work, _>(names, [TABLE_ROWS, width], added, move |(table, index), rows: &mut [T]| {
        let one = T::Work::from(1.0);
        let lookup = Lookup { table, index: black_box(index), factor: one };
        let (rows, scale) = (T::raw_mut(rows), Some(one));
        names.level.run(GatherSum::<T::Format, Wide, 1> { rows, width, scale, tables: [lookup] });
    })
}

/// A whole bias, its values included, at the level that the crate chooses.
pub(crate) fn alibi() -> Vec<Cell> {
    let grid = Grid { levels: vec![Level::detect()], threads: MOST, shapes: score_shapes(), ..Grid::new("alibi") };
    grid.cells(&every_type!(alibi_cell))
}

fn alibi_cell<T: Number + Bytes>(names: Names) -> Cell {
    let [_, heads, _] = names.shape;
    bias_cell::<T, _>(names, move || Alibi::new(heads).expect("a valid number of heads"))
}

/// The buckets of T5 and a table for them, worked out into windows.
pub(crate) fn t5() -> Vec<Cell> {
    let grid = Grid { levels: vec![Level::detect()], threads: MOST, shapes: score_shapes(), ..Grid::new("t5") };
    grid.cells(&every_type!(t5_cell))
}

fn t5_cell<T: Number + Bytes>(names: Names) -> Cell {
    let [_, heads, _] = names.shape;
    let bias = move || {
        let buckets = T5Buckets::new(T5Form::Causal, 32, 128).expect("valid buckets");
        T5Bias::new(buckets, &vec![1e-6; 32 * heads]).expect("a table of this size")
    };
    bias_cell::<T, _>(names, bias)
}

/// A bias whose values stand in memory.
pub(crate) fn tabulated() -> Vec<Cell> {
    let grid = Grid { levels: vec![Level::detect()], threads: MOST, shapes: score_shapes(), ..Grid::new("bias_table") };
    grid.cells(&every_type!(tabulated_cell))
}

fn tabulated_cell<T: Number + Bytes>(names: Names) -> Cell {
    let [queries, heads, keys] = names.shape;
    let bias = move || {
        let alibi = Alibi::new(heads).expect("a valid number of heads");
        alibi.tabulated(-(queries.max(keys) as i64)..=keys as i64).expect("near distances")
    };
    match queries {
        // Each row is read once, from a table as large as all scores.
        1 => rows_cell::<T, f32, _>(names, [heads, keys], move |_| bias(), bias_add::<T, _>(names)),
        _ => bias_cell::<T, _>(names, bias),
    }
}

fn bias_cell<T: Number + Bytes, B: DistanceBias + Send + Sync + 'static>(
    names: Names,
    bias: impl FnOnce() -> B + 'static,
) -> Cell {
    cell(names, bias, bias_add::<T, _>(names))
}

fn bias_add<T: Number, B: DistanceBias + Sync>(names: Names) -> impl FnMut(&B, &mut [T]) + Send {
    let [queries, _, keys] = names.shape;
    move |bias, scores| {
        let (size, first) = ([queries, keys], black_box(keys - queries.min(keys)));
        let added = match names.threads {
            #[cfg(feature = "rayon")]
            2 => bias.par_add(scores, size, first),
            _ => bias.add(scores, size, first),
        };
        added.expect("scores of this shape");
    }
}

/// A whole relative embedding, its indices included, at the level that the crate chooses: `tokens` queries, 32 keys.
pub(crate) fn relative() -> Vec<Cell> {
    Grid { levels: vec![Level::detect()], ..Grid::new("relative") }.cells(&every_type!(relative_cell))
}

fn relative_cell<T: Number + Bytes>(names: Names) -> Cell {
    let [queries, keys, features] = names.shape;
    let embedding = move || {
        let init = Init::Uniform { bound: 1e-6 };
        RelativeEmbedding::random(Clip::symmetric(32), features, init, 1).expect("a valid width")
    };
    cell(names, embedding, move |embedding, x: &mut [T]| {
        embedding.add(x, [queries, keys], black_box(0)).expect("rows of this shape");
    })
}

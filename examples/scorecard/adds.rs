//! Cells of the additions; their limit is the in-place addition of a constant to the same bytes.
//!
//! What is added is small, grows slowly or soon stops to count, so that sums stay finite however often a cell runs.

use std::hint::black_box;

use posenc::{
    AddTarget, Alibi, Clip, DistanceBias, EmbeddingSum, EmbeddingTable, Init, Level, Order, Pairing, Positions,
    RelativeEmbedding, Result, Sinusoidal, T5Bias, T5Buckets, T5Form,
};
use posenc_kernels::{GatherAdd, SlidingAdd};

use crate::buffer::{Buffer, Number};
use crate::cell::{Cell, Grid, Names, PAIRINGS, every_type, shapes};
use crate::limits::{Bytes, Shift};
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

/// Learned rows, looked up by ids and added: one head as wide as a token of the other cells, 65 positions.
pub(crate) fn embedding() -> Vec<Cell> {
    let shapes = shapes().into_iter().map(|[tokens, heads, dim]| [tokens, 1, heads * dim]).collect();
    Grid { threads: MOST, shapes, ..Grid::new("embedding_add") }.cells(&every_type!(embedding_cell))
}

fn embedding_cell<T: Number + Bytes + AddTarget<T>>(names: Names) -> Cell {
    let [tokens, _, width] = names.shape;
    let rows = move || {
        let ids: Vec<u32> = (0..tokens as u32).map(|row| row * 37 % 65).collect();
        (Buffer::<T>::random(65 * width), ids)
    };
    cell(names, rows, move |(rows, ids), x: &mut [T]| {
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

/// The shapes of all, and those of scores: a new token and a prompt, against all keys.
fn score_shapes() -> Vec<[usize; 3]> {
    shapes().into_iter().chain([[1, 32, 4096], [512, 32, 512]]).collect()
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
    let [tokens, heads, width] = names.shape;
    let added = move || {
        let index: Vec<usize> = (0..tokens * heads).map(|row| row * 37 % 65).collect();
        (Buffer::<T::Work>::random(65 * width), index)
    };
    cell(names, added, move |(table, index), rows: &mut [T]| {
        let (rows, index) = (T::raw_mut(rows), black_box(index));
        names.level.run(GatherAdd::<T::Format> { rows, width, table, index });
    })
}

/// A whole bias, its values included, at the level that the crate chooses.
pub(crate) fn alibi() -> Vec<Cell> {
    let grid = Grid { levels: vec![Level::detect()], shapes: score_shapes(), ..Grid::new("alibi") };
    grid.cells(&every_type!(alibi_cell))
}

fn alibi_cell<T: Number + Bytes>(names: Names) -> Cell {
    let [_, heads, _] = names.shape;
    bias_cell::<T, _>(names, move || Alibi::new(heads).expect("a valid number of heads"))
}

/// The buckets of T5 and a table for them, worked out into windows.
pub(crate) fn t5() -> Vec<Cell> {
    let grid = Grid { levels: vec![Level::detect()], shapes: score_shapes(), ..Grid::new("t5") };
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
    let grid = Grid { levels: vec![Level::detect()], shapes: score_shapes(), ..Grid::new("bias_table") };
    grid.cells(&every_type!(tabulated_cell))
}

fn tabulated_cell<T: Number + Bytes>(names: Names) -> Cell {
    let [queries, heads, keys] = names.shape;
    let bias = move || {
        let alibi = Alibi::new(heads).expect("a valid number of heads");
        alibi.tabulated(-(queries as i64)..=keys as i64).expect("near distances")
    };
    bias_cell::<T, _>(names, bias)
}

fn bias_cell<T: Number + Bytes, B: DistanceBias + Send + 'static>(
    names: Names,
    bias: impl FnOnce() -> B + 'static,
) -> Cell {
    let [queries, _, keys] = names.shape;
    cell(names, bias, move |bias, scores: &mut [T]| {
        bias.add(scores, [queries, keys], black_box(0)).expect("scores of this shape");
    })
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

//! Cells of the additions; their limit is the in-place addition of a constant to the same bytes.
//!
//! What is added is small or grows slowly, so that sums stay finite however often a cell runs.

use std::hint::black_box;

use posenc::{
    Alibi, Clip, DistanceBias, Init, Level, Order, Pairing, Positions, RelativeEmbedding, Result, Sinusoidal,
};
use posenc_kernels::{F32, GatherAdd, SlidingAdd};

use crate::buffer::Buffer;
use crate::cell::{Cell, Grid, Names, PAIRINGS, shapes};
use crate::limits::Shift;
use crate::threads::in_parts;

type Form = fn(&Sinusoidal, &mut [f32], &Positions<'_>) -> Result<()>;

/// For one thread, and for two.
const FORMS: &[Form] = &[
    Sinusoidal::add,
    #[cfg(feature = "rayon")]
    Sinusoidal::par_add,
];

/// Every level, one thread, no pairs: what most additions have.
fn grid(op: &'static str) -> Grid<'static> {
    let levels = Level::available().collect();
    Grid { op, pairings: &[None], dtype: "f32", levels, threads: 1, shapes: shapes() }
}

/// A cell whose state is a buffer and what is added to it.
fn cell<A: Send + 'static>(
    names: Names,
    added: impl FnOnce() -> A + 'static,
    mut ours: impl FnMut(&A, &mut [f32]) + Send + 'static,
) -> Cell {
    let Names { level, threads, .. } = names;
    Cell::new(
        names,
        move || (added(), Buffer::random(names.elements())),
        move |(added, data)| ours(added, data),
        move |(_, data)| in_parts(threads, data, |data| level.run(Shift { data, term: black_box(0.0) })),
    )
}

/// Sines and cosines, worked out and added: one head as wide as a token of the other cells.
pub(crate) fn sinusoid() -> Vec<Cell> {
    let shapes = shapes().into_iter().map(|[tokens, heads, dim]| [tokens, 1, heads * dim]).collect();
    let grid = Grid { pairings: PAIRINGS, threads: FORMS.len(), shapes, ..grid("sinusoid_add") };
    let one = |names: Names| {
        let order = match names.pairing {
            Some(Pairing::Halves) => Order::SinCos,
            _ => Order::Interleaved,
        };
        let form = FORMS[names.threads - 1];
        let encoding = move || {
            let encoding = Sinusoidal::new(names.shape[2], 10_000.0).expect("a valid width");
            encoding.with_order(order).with_level(names.level)
        };
        cell(names, encoding, move |encoding, x| {
            form(encoding, x, &Positions::from(black_box(0))).expect("whole rows");
        })
    };
    grid.names().map(one).collect()
}

/// The kernel below every distance bias: `tokens` queries, `dim` keys, the heads one behind the other.
pub(crate) fn sliding() -> Vec<Cell> {
    let one = |names: Names| {
        let [queries, _, keys] = names.shape;
        let window = move || Buffer::random(queries + keys - 1);
        cell(names, window, move |window, scores| {
            for rows in scores.chunks_exact_mut(queries * keys) {
                names.level.run(SlidingAdd::<F32> {
                    rows,
                    width: keys,
                    window,
                    start: black_box(queries - 1),
                    step: 1,
                });
            }
        })
    };
    let grid = Grid { shapes: score_shapes(), ..grid("sliding_add") };
    grid.names().map(one).collect()
}

/// The shapes of all, and those of scores: a new token and a prompt, against all keys.
fn score_shapes() -> Vec<[usize; 3]> {
    shapes().into_iter().chain([[1, 32, 4096], [512, 32, 512]]).collect()
}

/// The kernel below learned embeddings: each row takes one of 65 rows of a table.
pub(crate) fn gather() -> Vec<Cell> {
    let one = |names: Names| {
        let [tokens, heads, width] = names.shape;
        let added = move || {
            let index: Vec<usize> = (0..tokens * heads).map(|row| row * 37 % 65).collect();
            (Buffer::random(65 * width), index)
        };
        cell(names, added, move |(table, index), rows| {
            names.level.run(GatherAdd::<F32> { rows, width, table, index: black_box(index) });
        })
    };
    grid("gather_add").names().map(one).collect()
}

/// A whole bias, its values included, at the level that the crate chooses.
pub(crate) fn alibi() -> Vec<Cell> {
    let one = |names: Names| {
        let [queries, heads, keys] = names.shape;
        let alibi = move || Alibi::new(heads).expect("a valid number of heads");
        cell(names, alibi, move |alibi, scores| {
            alibi.add(scores, [queries, keys], black_box(0)).expect("scores of this shape");
        })
    };
    let grid = Grid { levels: vec![Level::detect()], shapes: score_shapes(), ..grid("alibi") };
    grid.names().map(one).collect()
}

/// A whole relative embedding, its indices included, at the level that the crate chooses: `tokens` queries, 32 keys.
pub(crate) fn relative() -> Vec<Cell> {
    let one = |names: Names| {
        let [queries, keys, features] = names.shape;
        let embedding = move || {
            let init = Init::Uniform { bound: 1e-6 };
            RelativeEmbedding::random(Clip::symmetric(32), features, init, 1).expect("a valid width")
        };
        cell(names, embedding, move |embedding, x| {
            embedding.add(x, black_box(0), [queries, keys]).expect("rows of this shape");
        })
    };
    let grid = Grid { levels: vec![Level::detect()], ..grid("relative") };
    grid.names().map(one).collect()
}

//! How near do biases and relative embeddings come to adding a constant to the same scores?

#[path = "shared/compare.rs"]
mod compare;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use posenc::{Alibi, Clip, DistanceBias, Init, Level, RelativeEmbedding};
use posenc_kernels::{F32, GatherSum, Lookup, SlidingAdd, Wide};

use compare::limits::Shift;
use compare::{Buffer, Group};

/// Heads of the scores.
const HEADS: usize = 32;

/// Queries and keys: a decode step, and a prompt.
const SCORES: [[usize; 2]; 2] = [[1, 4096], [512, 512]];

/// Queries, keys and features of relative embeddings.
const EMBEDDED: [[usize; 3]; 2] = [[1, 512, 64], [64, 64, 64]];

fn limit(data: &mut Buffer<f32>, level: Level) {
    level.run(Shift { data, term: black_box(0.0) });
}

/// The kernel below every distance bias.
fn sliding(criterion: &mut Criterion) {
    for [queries, keys] in SCORES {
        let mut scores = Buffer::random(HEADS * queries * keys);
        let window = &Buffer::<f32>::random(queries + keys - 1);
        let name = format!("sliding_add/-/f32/{HEADS}x{queries}x{keys}");
        let group = Group::new(name, 2 * size_of_val(&*scores), Level::available());
        let ours = |level: Level| {
            move |scores: &mut Buffer<f32>| {
                for rows in scores.chunks_exact_mut(queries * keys) {
                    level.run(SlidingAdd::<F32> { rows, width: keys, window, start: black_box(queries - 1), step: 1 });
                }
            }
        };
        group.run(criterion, &mut scores, ours, limit);
    }
}

/// A whole bias, its values included; the crate chooses the level.
fn alibi(criterion: &mut Criterion) {
    let alibi = &Alibi::new(HEADS).expect("a valid number of heads");
    for [queries, keys] in SCORES {
        let mut scores = Buffer::random(HEADS * queries * keys);
        let name = format!("alibi/-/f32/{HEADS}x{queries}x{keys}");
        let group = Group::new(name, 2 * size_of_val(&*scores), [Level::detect()]);
        let ours = |_| {
            move |scores: &mut Buffer<f32>| {
                alibi.add(scores, [queries, keys], black_box(0)).expect("scores of this shape");
            }
        };
        group.run(criterion, &mut scores, ours, limit);
    }
}

/// The kernel below learned embeddings.
fn gather(criterion: &mut Criterion) {
    for [queries, keys, width] in EMBEDDED {
        let mut rows = Buffer::random(queries * keys * width);
        let table = &Buffer::<f32>::random(65 * width);
        let index = &(0..queries * keys).map(|row| row * 37 % 65).collect::<Vec<_>>();
        let name = format!("gather_add/-/f32/{queries}x{keys}x{width}");
        let group = Group::new(name, 2 * size_of_val(&*rows), Level::available());
        let ours = |level: Level| {
            move |rows: &mut Buffer<f32>| {
                let lookup = Lookup { table, index: black_box(index), factor: 1.0 };
                level.run(GatherSum::<F32, Wide, 1> { rows, width, scale: Some(1.0), tables: [lookup] });
            }
        };
        group.run(criterion, &mut rows, ours, limit);
    }
}

/// A whole relative embedding, its indices included; the crate chooses the level.
fn relative(criterion: &mut Criterion) {
    for [queries, keys, features] in EMBEDDED {
        let mut rows = Buffer::random(queries * keys * features);
        let init = Init::Uniform { bound: 1e-6 };
        let embedding = &RelativeEmbedding::random(Clip::symmetric(32), features, init, 1).expect("a valid width");
        let name = format!("relative/-/f32/{queries}x{keys}x{features}");
        let group = Group::new(name, 2 * size_of_val(&*rows), [Level::detect()]);
        let ours = |_| {
            move |rows: &mut Buffer<f32>| {
                embedding.add(rows, [queries, keys], black_box(0)).expect("rows of this shape");
            }
        };
        group.run(criterion, &mut rows, ours, limit);
    }
}

criterion_group!(benches, sliding, alibi, gather, relative);
criterion_main!(benches);

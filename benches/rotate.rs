//! How near does a rotation come to an in-place scale, with a table and without, for each type of elements?

#[path = "shared/compare.rs"]
mod compare;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use posenc::{Frequencies, HeadsMut, Level, Pairing, Positions, Rotary};

use compare::limits::{Bytes, Scale};
use compare::{Buffer, Group, Number};

/// Tokens, heads, features: a decode step, and a prompt.
const SHAPES: [[usize; 3]; 2] = [[1, 32, 128], [512, 32, 128]];

/// The position of the first token: not 0, where nothing turns.
const FIRST: usize = 1000;

fn with_table(criterion: &mut Criterion) {
    every_type(criterion, "rotate", |rotary, tokens| rotary.with_table(FIRST + tokens).expect("a small table"));
}

fn table_free(criterion: &mut Criterion) {
    every_type(criterion, "rotate_free", |rotary, _| rotary);
}

type Finish = fn(Rotary, usize) -> Rotary;

fn every_type(criterion: &mut Criterion, operation: &str, finish: Finish) {
    rotations::<f32>(criterion, operation, "f32", finish);
    #[cfg(feature = "half")]
    rotations::<half::f16>(criterion, operation, "f16", finish);
    #[cfg(feature = "half")]
    rotations::<half::bf16>(criterion, operation, "bf16", finish);
}

fn rotations<T: Number + Bytes>(criterion: &mut Criterion, operation: &str, dtype: &str, finish: Finish) {
    for (pairing, pairing_name) in [(Pairing::Halves, "halves"), (Pairing::Interleaved, "interleaved")] {
        for shape in SHAPES {
            let [tokens, heads, dim] = shape;
            let frequencies = Frequencies::new(dim, 500_000.0).expect("an even width");
            let rotary = finish(Rotary::new(&frequencies, pairing), tokens);
            let mut data = Buffer::<T>::random(tokens * heads * dim);
            let name = format!("{operation}/{pairing_name}/{dtype}/{tokens}x{heads}x{dim}");
            Group::new(name, 2 * size_of_val(&*data), Level::available()).run(
                criterion,
                &mut data,
                |level| {
                    let rotary = rotary.clone().with_level(level);
                    move |data: &mut Buffer<T>| {
                        let mut heads = HeadsMut::new(data, shape).expect("the buffer has this shape");
                        rotary.rotate(&mut heads, &Positions::from(black_box(FIRST))).expect("positions are served");
                    }
                },
                |data, level| level.run(Scale { data, factor: black_box(1.0) }),
            );
        }
    }
}

criterion_group!(benches, with_table, table_free);
criterion_main!(benches);

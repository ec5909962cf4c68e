//! How near does the making of cosines and sines come to filling the same memory, under both contracts?

#[path = "shared/compare.rs"]
mod compare;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use posenc::{Frequencies, Level, Positions, Precision, TableBuilder};

use compare::limits::Fill;
use compare::{Buffer, Group};

/// Pairs of a row.
const PAIRS: usize = 64;

fn exact(criterion: &mut Criterion) {
    fill(criterion, "table_exact", Precision::Exact);
}

fn single(criterion: &mut Criterion) {
    fill(criterion, "table_single", Precision::Single);
}

fn fill(criterion: &mut Criterion, operation: &str, precision: Precision) {
    let frequencies = Frequencies::new(2 * PAIRS, 500_000.0).expect("an even width");
    let builder = TableBuilder::new(&frequencies, precision);
    for rows in [1, 4096] {
        let mut tables = [Buffer::random(rows * PAIRS), Buffer::random(rows * PAIRS)];
        let name = format!("{operation}/-/f32/{rows}x{PAIRS}");
        let bytes = tables.iter().map(|table| size_of_val(&**table)).sum();
        let group = Group::new(name, bytes, Level::available());
        group.run(
            criterion,
            &mut tables,
            |level| {
                let builder = builder.clone().with_level(level);
                move |[cos, sin]: &mut [Buffer<f32>; 2]| {
                    builder.fill(&Positions::from(black_box(1000)), cos, sin).expect("both slices hold all rows");
                }
            },
            |tables, level| {
                for data in tables {
                    level.run(Fill { data, value: black_box(1.0) });
                }
            },
        );
    }
}

criterion_group!(benches, exact, single);
criterion_main!(benches);

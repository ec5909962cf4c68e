//! What does it cost to add sinusoids to activations without a table, and to write one?

#[path = "shared/compare.rs"]
mod compare;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use posenc::{Level, Order, Positions, Result, Sinusoidal};

use compare::limits::{Fill, Shift};
use compare::{Buffer, Group};

/// Tokens and features: a decode step and a prompt of a model, and an odd width.
const SHAPES: [[usize; 2]; 3] = [[1, 1024], [512, 1024], [512, 1023]];

const ORDERS: [(Order, &str); 2] = [(Order::Interleaved, "interleaved"), (Order::SinCos, "halves")];

type Form = fn(&Sinusoidal, &mut [f32], &Positions<'_>) -> Result<()>;

fn add(criterion: &mut Criterion) {
    for_all("sinusoid_add", |name, shape, order, data| {
        let bytes = 2 * size_of_val(&**data);
        Group::new(name, bytes, Level::available()).run(
            criterion,
            data,
            at_level(Sinusoidal::add, shape, order),
            |data, level| {
                level.run(Shift { data, term: black_box(0.0) });
            },
        );
    });
}

fn write(criterion: &mut Criterion) {
    for_all("sinusoid_write", |name, shape, order, data| {
        let bytes = size_of_val(&**data);
        Group::new(name, bytes, Level::available()).run(
            criterion,
            data,
            at_level(Sinusoidal::write, shape, order),
            |data, level| {
                level.run(Fill { data, value: black_box(1.0) });
            },
        );
    });
}

/// Names the groups of an operation and makes the rows that they work on.
fn for_all(operation: &str, mut run: impl FnMut(String, [usize; 2], Order, &mut Buffer<f32>)) {
    for (order, order_name) in ORDERS {
        for [tokens, features] in SHAPES {
            let name = format!("{operation}/{order_name}/f32/{tokens}x{features}");
            run(name, [tokens, features], order, &mut Buffer::random(tokens * features));
        }
    }
}

type Work = Box<dyn FnMut(&mut Buffer<f32>)>;

/// One of the two forms, for any level.
fn at_level(form: Form, [_, features]: [usize; 2], order: Order) -> impl Fn(Level) -> Work {
    let encoding = Sinusoidal::new(features, 10_000.0).expect("a valid width").with_order(order);
    move |level| {
        let encoding = encoding.clone().with_level(level);
        Box::new(move |data| form(&encoding, data, &Positions::from(black_box(1000))).expect("whole rows"))
    }
}

criterion_group!(benches, add, write);
criterion_main!(benches);

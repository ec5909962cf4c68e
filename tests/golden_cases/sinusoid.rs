//! Absolute sinusoidal tables of published models, in the orders and widths that they use.
//! They stand apart because their frequencies come from the width alone, odd ones included.

use posenc::{Order, Positions, Sinusoidal};
use posenc_oracle::tolerance::{GOLDEN_EXACT, golden_table};

use crate::{Case, assert_near_single, check_all, common, golden};

const INEXPRESSIBLE: [(&str, &str); 12] = [
    ("fairseq/tensor2tensor halves", "the divisor of the exponent is h − 1, and padding has a row of zeros"),
    ("whisper sinusoids", "the divisor of the exponent is d/2 − 1"),
    ("scaled sinusoid", "a learned factor"),
    ("2d sincos", "two axes"),
    ("diffusers/DiT 2d sincos", "two axes"),
    ("cogvideox-2b 3d sincos", "three axes"),
    ("timm 2d sincos", "two axes"),
    ("detr 2d sine", "two axes, normalised positions"),
    ("perceiver fourier features", "frequencies in equal steps, fractional positions"),
    ("SAM random gaussian fourier", "random frequencies, fractional positions"),
    ("NeRF encoding", "frequencies of powers of two, fractional positions"),
    ("time2vec", "learned frequencies and phases"),
];

/// The order of a table, and whether its reference had its angles in f64, so that it is correct to f32.
fn kind(case: &Case) -> (Order, bool) {
    let id = case.id();
    let begins = |start: &str| id.starts_with(start);
    match id {
        _ if begins("interleaved sin/cos, exp form f32") => (Order::Interleaved, false),
        _ if begins("interleaved sin/cos, f64 then f32 cast") => (Order::Interleaved, true),
        _ if begins("conformer relative sinusoid") => (Order::Interleaved, false),
        _ if begins("marian/pegasus/roformer halves") => (Order::SinCos, true),
        _ if begins("gpt-j sin|cos table") => (Order::SinCos, false),
        _ if begins("ctrl halves") => (Order::SinCos, false),
        _ if begins("transformer-xl/xlnet halves") => (Order::SinCos, false),
        _ => panic!("{id} is neither checked nor skipped"),
    }
}

/// The positions of the rows: a list, or those of a relative encoding, from the farthest key before the query down.
fn positions(case: &Case) -> Vec<i64> {
    match case.get("/params/seq_len") {
        Some(tokens) => (1 - tokens.as_i64().unwrap()..tokens.as_i64().unwrap()).rev().collect(),
        None if case.get("/positions").is_some() => case.integers("/positions"),
        None => case.integers("/params/positions"),
    }
}

#[test]
fn tables_hold_the_rows_of_published_models() {
    check_all(&golden!("sinusoid"), &INEXPRESSIBLE, |case| {
        let (order, correct) = kind(case);
        let width =
            ["/params/d_model", "/params/dim", "/params/hidden_size"].into_iter().find(|p| case.get(p).is_some());
        let base = case.get("/params/base").map_or(10_000.0, |base| base.as_f64().unwrap());
        let encoding = Sinusoidal::new(case.count(width.unwrap()), base).unwrap().with_order(order);
        let positions = positions(case);
        // The first frequency is 1, and none is larger.
        let angle = positions.iter().map(|p| p.unsigned_abs()).max().unwrap() as f64;
        let tolerance = if correct { GOLDEN_EXACT } else { golden_table(angle) };
        for level in common::levels() {
            let encoding = encoding.clone().with_level(level);
            let rows = encoding.table(&Positions::ids(&positions), positions.len()).unwrap();
            let what = format!("{} at {level}", case.id());
            assert_near_single(&what, &rows, &case.singles("/expect/rows_f32"), tolerance);
        }
    });
}

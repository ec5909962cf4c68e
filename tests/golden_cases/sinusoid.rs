//! Absolute sinusoidal tables of published models, in the orders, divisors and widths that they use.
//! They stand apart because their frequencies come from the width alone, odd ones included.

use posenc::{Divisor, Level, Order, Positions, Sinusoidal};
use posenc_oracle::tolerance::{GOLDEN_EXACT, golden_table};

use crate::{Case, assert_near_single, check_all, common, golden};

/// Cases that are checked elsewhere: by `grids` and by `fourier`.
const ELSEWHERE: [(&str, &str); 9] = [
    ("2d sincos", "two axes"),
    ("diffusers/DiT 2d sincos", "two axes"),
    ("cogvideox-2b 3d sincos", "three axes"),
    ("timm 2d sincos", "two axes"),
    ("detr 2d sine", "two axes"),
    ("perceiver fourier features", "real coordinates"),
    ("SAM random gaussian fourier", "real coordinates"),
    ("NeRF encoding", "real coordinates"),
    ("time2vec", "real coordinates"),
];

/// The order and divisor of a table, and whether its reference had its angles in f64, so that it is correct to f32.
fn kind(case: &Case) -> (Order, Divisor, bool) {
    let id = case.id();
    let begins = |start: &str| id.starts_with(start);
    let less_one = Divisor::HalfLess(1.0);
    match id {
        _ if begins("interleaved sin/cos, exp form f32") => (Order::Interleaved, Divisor::Half, false),
        _ if begins("interleaved sin/cos, f64 then f32 cast") => (Order::Interleaved, Divisor::Half, true),
        _ if begins("conformer relative sinusoid") => (Order::Interleaved, Divisor::Half, false),
        _ if begins("marian/pegasus/roformer halves") => (Order::SinCos, Divisor::Half, true),
        _ if begins("fairseq/tensor2tensor halves") => (Order::SinCos, less_one, false),
        _ if begins("whisper sinusoids") => (Order::SinCos, less_one, false),
        _ if begins("gpt-j sin|cos table") => (Order::SinCos, Divisor::Half, false),
        _ if begins("ctrl halves") => (Order::SinCos, Divisor::Half, false),
        _ if begins("scaled sinusoid") => (Order::SinCos, Divisor::Half, false),
        _ if begins("transformer-xl/xlnet halves") => (Order::SinCos, Divisor::Half, false),
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

fn encoding(case: &Case, level: Level) -> Sinusoidal {
    let (order, divisor, _) = kind(case);
    let width = ["/params/d_model", "/params/dim", "/params/hidden_size"].into_iter().find(|p| case.get(p).is_some());
    let features = case.count(width.unwrap());
    let base = case.get("/params/base").map_or(10_000.0, |base| base.as_f64().unwrap());
    let encoding = Sinusoidal::with_divisor(features, base, divisor).unwrap().with_order(order).with_level(level);
    match case.get("/params/padding_idx").and_then(serde_json::Value::as_i64) {
        Some(padding) => encoding.with_padding(padding),
        None if case.id().starts_with("scaled") => encoding.with_magnitude((features as f64).powf(-0.5)).unwrap(),
        None => encoding,
    }
}

#[test]
fn tables_hold_the_rows_of_published_models() {
    check_all(&golden!("sinusoid"), &ELSEWHERE, |case| {
        let positions = positions(case);
        // The first frequency is 1, and none is larger.
        let angle = positions.iter().map(|p| p.unsigned_abs()).max().unwrap() as f64;
        let tolerance = if kind(case).2 { GOLDEN_EXACT } else { golden_table(angle) };
        for level in common::levels() {
            let rows = encoding(case, level).table(&Positions::ids(&positions), positions.len()).unwrap();
            let what = format!("{} at {level}", case.id());
            assert_near_single(&what, &rows, &case.singles("/expect/rows_f32"), tolerance);
        }
    });
}

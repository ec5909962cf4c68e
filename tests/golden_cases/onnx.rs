//! The rotary operators of ONNX and of its runtime: tables are given, positions are ids or the offset of the first token.

use posenc::{Axes, HeadsMut, Pairing, Positions, Rotary, Tables};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::GOLDEN_VALUE;

use crate::{Case, assert_near_single, check_all, common, golden};

/// The tables that the rule of the file describes.
fn tables(case: &Case, width: usize) -> Tables {
    let (pairs, base) = (width / 2, case.number("/theta"));
    let angles = (0..case.count("/cache_rows"))
        .flat_map(|position| (0..pairs).map(move |j| position as f64 * base.powf(-(j as f64) / pairs as f64)));
    let (cos, sin) = angles.map(|angle| (angle.cos() as f32, angle.sin() as f32)).unzip();
    Tables::new(cos, sin, pairs).unwrap()
}

fn attribute(case: &Case, name: &str) -> Option<usize> {
    let path = format!("/attributes/{name}");
    case.get(&path).map(|_| case.count(&path)).filter(|&count| count > 0)
}

/// The input as a view: `[batch, heads, tokens, dim]`, or `[batch, tokens, heads · dim]`.
fn view<'a>(case: &Case, x: &'a mut [f32]) -> HeadsMut<'a, f32> {
    if case.field("/x_shape").as_array().unwrap().len() == 4 {
        return HeadsMut::head_major(x, case.shape("/x_shape")).unwrap();
    }
    let [batch, tokens, hidden]: [usize; 3] = case.shape("/x_shape");
    // Where no heads are named, the tables say how wide one is: 8 features in the one such case.
    let heads = attribute(case, "num_heads").unwrap_or(hidden / 8);
    HeadsMut::token_major(x, [batch, tokens, heads, hidden / heads]).unwrap()
}

#[test]
fn operators_of_onnx_turn_alike() {
    check_all(&golden!("onnx_rotary"), &[], |case| {
        let shape = case.integers("/x_shape");
        let x = golden_inputs(case.count("/x_seed") as u64, shape.iter().product::<i64>() as usize);
        let dim = view(case, &mut x.clone()).shape().dim;
        let width = attribute(case, "rotary_embedding_dim").unwrap_or(dim);
        let pairing = if attribute(case, "interleaved").is_some() { Pairing::Interleaved } else { Pairing::Halves };
        let ids = case.integers("/position_ids");
        let mut rope = Rotary::from_tables(tables(case, width), pairing);
        let mut positions = if let [first] = ids[..] { Positions::from(first) } else { Positions::ids(&ids) };
        if case.get("/attributes/mrope_section").is_some() {
            let sections: [usize; 3] = case.shape("/attributes/mrope_section");
            let axes = match case.count("/attributes/mrope_layout") {
                0 => Axes::sectioned(&sections),
                _ => Axes::interleaved(&sections),
            };
            rope = rope.on_axes(axes.unwrap()).unwrap();
            positions = Positions::axes(&ids, 3);
        }
        for level in common::levels() {
            let mut got = x.clone();
            rope.clone().with_level(level).rotate(&mut view(case, &mut got), &positions).unwrap();
            assert_near_single(
                &format!("{} at {level}", case.id()),
                &got,
                &case.singles("/expect/y_f32"),
                GOLDEN_VALUE,
            );
        }
    });
}

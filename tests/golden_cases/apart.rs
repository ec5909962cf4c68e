//! Two published encodings in which the features of a pair turn by angles of their own: HunYuan-VL's and V-JEPA 2's.
//! They stand apart because neither is a rotation. Each is two: the first features are kept of one, the second of the other.

use posenc::{Axes, Frequencies, HeadsMut, Pairing, Positions, Precision, Rotary, Tables};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::{GOLDEN_VALUE, golden_table};

use crate::{Case, assert_near_single, common, golden, largest_angle, rows};

/// Frequencies of the first and of the second features of the pairs.
type Apart = [Frequencies; 2];

/// The one case of a file whose id begins so.
fn only(cases: Vec<Case>, id: &str) -> Case {
    let mut named = cases.into_iter().filter(|case| case.id().starts_with(id));
    let case = named.next().unwrap_or_else(|| panic!("no case {id}"));
    assert!(named.next().is_none(), "two cases {id}");
    case
}

fn hunyuan() -> Case {
    only(golden!("mrope"), "hunyuan-vl xdrope")
}

/// The axes of the first and of the second features.
fn axes(case: &Case) -> [Axes; 2] {
    let sections: [usize; 4] = case.shape("/rope_parameters/mrope_section");
    Axes::doubled(&sections).unwrap()
}

/// The frequencies of HunYuan-VL's case, exact or as it states them, and what they may differ by.
fn contracts(case: &Case) -> [(Apart, Precision, f64); 2] {
    let exact = Frequencies::new(case.count("/rope_parameters/head_dim"), case.number("/rope_parameters/rope_theta"));
    let given = Frequencies::from_inv_freq(&case.singles("/expect/inv_freq_f32")).unwrap();
    let angle = largest_angle(&case.integers("/position_ids"), given.as_slice());
    let apart = |frequencies: Frequencies| axes(case).map(|axes| frequencies.clone().on_axes(axes).unwrap());
    [(apart(given), Precision::Single, GOLDEN_VALUE), (apart(exact.unwrap()), Precision::Exact, golden_table(angle))]
}

/// Turns heads twice, `[batch, heads, tokens, dim]`, and keeps the first features of the one and the second of the other.
fn turned(ropes: &[Rotary; 2], pairing: Pairing, x: &[f32], shape: [usize; 4], positions: &Positions<'_>) -> Vec<f32> {
    let [mut kept, second] = ropes.each_ref().map(|rope| {
        let mut turned = x.to_vec();
        rope.rotate(&mut HeadsMut::head_major(&mut turned, shape).unwrap(), positions).unwrap();
        turned
    });
    let dim = shape[3];
    for (kept, second) in kept.chunks_exact_mut(dim).zip(second.chunks_exact(dim)) {
        match pairing {
            Pairing::Halves => kept[dim / 2..].copy_from_slice(&second[dim / 2..]),
            Pairing::Interleaved => (1..dim).step_by(2).for_each(|i| kept[i] = second[i]),
        }
    }
    kept
}

#[test]
fn features_of_hunyuan_vl_read_the_axes_that_they_read_in_the_model() {
    let case = hunyuan();
    let got: Vec<i64> = axes(&case).iter().flat_map(|axes| axes.as_slice().to_vec()).map(|axis| axis as i64).collect();
    assert_eq!(got, case.integers("/expect/axis_of_feature"));
}

#[test]
fn tables_of_hunyuan_vl_are_those_of_two_rotations() {
    let case = hunyuan();
    let ids = case.integers("/position_ids");
    let (positions, tokens) = (Positions::axes(&ids, 4), ids.len() / 4);
    for (apart, precision, tolerance) in contracts(&case) {
        let pairs = apart[0].pairs();
        let [first, second] = apart.map(|frequencies| rows(&frequencies, precision, &positions, tokens));
        for (what, first, second) in [("cos", &first[0], &second[0]), ("sin", &first[1], &second[1])] {
            let rows = first.chunks_exact(pairs).zip(second.chunks_exact(pairs));
            let got: Vec<f32> = rows.flat_map(|(first, second)| [first, second].concat()).collect();
            let want = case.singles(&format!("/expect/{what}_f32"));
            assert_near_single(&format!("{what} of {}", case.id()), &got, &want, tolerance);
        }
    }
}

/// `x·cos + rotate_half(x)·sin`, with the tables of the case, is what the model computes.
#[test]
fn heads_turn_as_in_hunyuan_vl_to_the_bit() {
    let case = hunyuan();
    let [cos, sin] = ["cos", "sin"].map(|what| case.singles(&format!("/expect/{what}_f32")));
    let dim = case.count("/rope_parameters/head_dim");
    let (half, tokens) = (dim / 2, cos.len() / dim);
    let halves = |table: &[f32], start: usize| -> Vec<f32> {
        table.chunks_exact(dim).flat_map(|row| row[start..start + half].to_vec()).collect()
    };
    let x = golden_inputs(7, 3 * tokens * dim);
    let model = |i: usize| {
        let (row, feature) = (i / dim % tokens * dim, i % dim);
        let other = if feature < half { -x[i + half] } else { x[i - half] };
        x[i] * cos[row + feature] + other * sin[row + feature]
    };
    let want: Vec<u32> = (0..x.len()).map(|i| model(i).to_bits()).collect();
    for level in common::levels() {
        let ropes = [0, half].map(|start| {
            let tables = Tables::new(halves(&cos, start), halves(&sin, start), half).unwrap();
            Rotary::from_tables(tables, Pairing::Halves).with_level(level)
        });
        let got = turned(&ropes, Pairing::Halves, &x, [1, 3, tokens, dim], &Positions::from(0));
        assert_eq!(got.into_iter().map(f32::to_bits).collect::<Vec<_>>(), want, "{level}");
    }
}

/// Feature `m` turns by frequency `m mod pairs`, and neighbours make a pair.
#[test]
fn queries_turn_as_in_v_jepa_2() {
    let case = only(golden!("rope_apply"), "vjepa2 tiled cos/sin");
    let shape: [usize; 4] = case.shape("/shape_q");
    let x = golden_inputs(case.count("/q_seed") as u64, shape.iter().product());
    let positions = case.numbers("/positions");
    let listed = Frequencies::new(shape[3], case.number("/theta")).unwrap();
    let tiled: Vec<f64> = listed.as_slice().repeat(2);
    let of = |first: usize| tiled.iter().copied().skip(first).step_by(2).collect();
    let apart = [0, 1].map(|first| Frequencies::from_values(of(first)).unwrap());
    let angle = positions.iter().fold(0.0_f64, |largest, p| largest.max(p.abs()));
    let want = case.singles("/expect/q_f32");
    for level in common::levels() {
        for (precision, tolerance) in [(Precision::Single, GOLDEN_VALUE), (Precision::Exact, golden_table(angle))] {
            let ropes = apart.each_ref().map(|frequencies| {
                Rotary::with_precision(frequencies, Pairing::Interleaved, precision).with_level(level)
            });
            let got = turned(&ropes, Pairing::Interleaved, &x, shape, &Positions::fractions(&positions));
            assert_near_single(&format!("{} at {level}", case.id()), &got, &want, tolerance);
        }
    }
}

/// The gradient of a sum of two halves is the sum of two gradients, each without the features that were dropped.
#[test]
fn gradients_go_back_through_both_rotations() {
    let case = hunyuan();
    let ids = case.integers("/position_ids");
    let (tokens, dim) = (ids.len() / 4, case.count("/rope_parameters/head_dim"));
    let (half, shape, positions) = (dim / 2, [1, 2, tokens, dim], Positions::axes(&ids, 4));
    let [.., (apart, precision, _)] = contracts(&case);
    let (x, gradient) = (golden_inputs(1, 2 * tokens * dim), golden_inputs(2, 2 * tokens * dim));
    let ropes = apart.each_ref().map(|frequencies| Rotary::with_precision(frequencies, Pairing::Halves, precision));
    let y = turned(&ropes, Pairing::Halves, &x, shape, &positions);
    let mut back = vec![0.0; x.len()];
    for (rope, kept) in ropes.into_iter().zip([0..half, half..dim]) {
        let mut part: Vec<f32> = vec![0.0; x.len()];
        for (part, gradient) in part.chunks_exact_mut(dim).zip(gradient.chunks_exact(dim)) {
            part[kept.clone()].copy_from_slice(&gradient[kept.clone()]);
        }
        let mut heads = HeadsMut::head_major(&mut part, shape).unwrap();
        rope.with_direction(posenc::Direction::Inverse).rotate(&mut heads, &positions).unwrap();
        back.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
    }
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    let (forward, backward) = (product(&y, &gradient), product(&x, &back));
    assert!((forward - backward).abs() < GOLDEN_VALUE * x.len() as f64, "{forward} and {backward}");
}

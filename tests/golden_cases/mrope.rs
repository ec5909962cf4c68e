//! Multimodal encodings: which axis each pair reads, tables, and rotated queries and keys of published models.

use posenc::{Axes, Frequencies, HeadsMut, Positions, Precision, Rotary};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::{GOLDEN_VALUE, golden_table};

use crate::{Case, assert_near_single, check_all, common, full_width, golden, largest_angle, pair_of_features};
use crate::{pairing, rows};

/// The two features of a pair read different axes: not one rotation.
const APART: [(&str, &str); 1] = [("hunyuan-vl xdrope", "checked in apart.rs")];

/// The cases that have a field.
fn with(field: &str) -> Vec<Case> {
    golden!("mrope").into_iter().filter(|case| case.get(field).is_some()).collect()
}

/// The axes of a case's pairs.
fn axes(case: &Case) -> Axes {
    let sections: [usize; 3] = case.shape("/rope_parameters/mrope_section");
    match case.text("/source") {
        source if source.contains("qwen3_vl") => Axes::interleaved(&sections),
        source if source.contains("ernie") => Axes::ernie(sections),
        _ => Axes::sectioned(&sections),
    }
    .unwrap()
}

/// The frequencies of a case; in f32 as it states them, if `given` and it does.
fn frequencies(case: &Case, given: bool) -> Frequencies {
    let dim = case.count("/rope_parameters/head_dim");
    let factor = case.get("/rope_parameters/partial_rotary_factor").map_or(1.0, |factor| factor.as_f64().unwrap());
    let width = (dim as f64 * factor) as usize;
    let base = case.number("/rope_parameters/rope_theta");
    // ERNIE stores them in another order than that of the pairs.
    let states = case.get("/expect/inv_freq_f32").is_some() && !case.id().starts_with("ernie");
    let plain = if given && states {
        Frequencies::from_inv_freq(&case.singles("/expect/inv_freq_f32")).unwrap()
    } else {
        Frequencies::new(width, base).unwrap()
    };
    plain.on_axes(axes(case)).unwrap()
}

/// What the contracts may differ from the reference by.
fn contracts(case: &Case) -> [(Frequencies, Precision, f64); 2] {
    let exact = frequencies(case, false);
    let angle = largest_angle(&case.integers("/position_ids"), exact.as_slice());
    [(frequencies(case, true), Precision::Single, GOLDEN_VALUE), (exact, Precision::Exact, golden_table(angle))]
}

#[test]
fn axes_are_those_of_the_models() {
    check_all(&with("/expect/axis_of_feature"), &APART, |case| {
        let axes = axes(case);
        let width = 2 * axes.as_slice().len();
        let got: Vec<i64> =
            pair_of_features(pairing(case.text("/layout")), width).map(|pair| axes.as_slice()[pair] as i64).collect();
        assert_eq!(got, case.integers("/expect/axis_of_feature"), "{}", case.id());
    });
}

#[test]
fn tables_are_those_of_the_models() {
    check_all(&with("/expect/cos_f32"), &APART, |case| {
        let ids = case.integers("/position_ids");
        let (positions, tokens) = (Positions::axes(&ids, 3), ids.len() / 3);
        for (frequencies, precision, tolerance) in contracts(case) {
            let [cos, sin] = rows(&frequencies, precision, &positions, tokens);
            for (what, got) in [("cos", cos), ("sin", sin)] {
                let got = full_width(&got, frequencies.pairs(), pairing(case.text("/layout")));
                let want = case.singles(&format!("/expect/{what}_f32"));
                assert_near_single(&format!("{what} of {}", case.id()), &got, &want, tolerance);
            }
        }
    });
}

#[test]
fn queries_and_keys_turn_as_in_the_models() {
    let cases = with("/expect/q_f32");
    assert_eq!(cases.len(), 2);
    check_all(&cases, &[], |case| {
        let ids = case.integers("/position_ids");
        for ((frequencies, precision, tolerance), tensor) in
            contracts(case).into_iter().flat_map(|c| [(c.clone(), "q"), (c, "k")])
        {
            let shape: [usize; 4] = case.shape(&format!("/shape_{tensor}"));
            let input = golden_inputs(case.count(&format!("/{tensor}_seed")) as u64, shape.iter().product());
            let want = case.singles(&format!("/expect/{tensor}_f32"));
            let rope = Rotary::with_precision(&frequencies, pairing(case.text("/layout")), precision);
            let rows = ids.iter().max().unwrap() + 1;
            // Worked out, and from a table of which each pair reads the row of its axis.
            for rope in [rope.clone(), rope.with_table(rows as usize).unwrap()] {
                for level in common::levels() {
                    let mut got = input.clone();
                    let mut heads = HeadsMut::head_major(&mut got, shape).unwrap();
                    rope.clone().with_level(level).rotate(&mut heads, &Positions::axes(&ids, 3)).unwrap();
                    assert_near_single(&format!("{tensor} of {} at {level}", case.id()), &got, &want, tolerance);
                }
            }
        }
    });
}

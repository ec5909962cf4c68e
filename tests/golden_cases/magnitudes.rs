//! What models multiply queries, keys and scores by beside turning them: xPos, temperatures, the scale of latent attention.
//! They stand apart from the rest of their file because they belong to rotations.

use posenc::{Frequencies, HeadsMut, Pairing, Positions, QueryTemperature, Rotary, Xpos, Yarn};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::{F64_ROUNDOFF, GOLDEN_VALUE};

use crate::{Case, assert_near, assert_near_single, common, golden};

/// The cases of a file whose id begins so.
fn cases(id: &str) -> Vec<Case> {
    let cases: Vec<Case> = golden!("relative").into_iter().filter(|case| case.id().starts_with(id)).collect();
    assert!(!cases.is_empty(), "no case {id}");
    cases
}

#[test]
fn xpos_turns_as_the_formula_says() {
    for case in cases("xpos") {
        let [tokens, dim] = ["seq_len", "dim"].map(|key| case.count(&format!("/params/{key}")));
        let base = case.number("/params/scale_base");
        let frequencies = Frequencies::new(dim, 1e4).unwrap();
        let xpos = Xpos::new(&frequencies, base, case.count("/params/center") as i64).unwrap();
        let input = golden_inputs(case.count("/params/x_seed") as u64, tokens * dim);
        for (tables, path) in xpos.tables(tokens).unwrap().into_iter().zip(["/expect/q", "/expect/k"]) {
            for level in common::levels() {
                let rope = Rotary::from_tables(tables.clone(), Pairing::Interleaved).with_level(level);
                let mut heads = input.clone();
                let mut view = HeadsMut::new(&mut heads, [tokens, 1, dim]).unwrap();
                rope.rotate(&mut view, &Positions::from(0)).unwrap();
                assert_near(&format!("{} at {level}", case.id()), &heads, &case.numbers(path), GOLDEN_VALUE);
            }
        }
    }
}

/// The factors of a case's positions.
fn assert_factors(case: &Case, temperature: QueryTemperature) {
    let positions = case.integers("/params/positions");
    let factors: Vec<f32> = positions.into_iter().map(|p| temperature.factor(p) as f32).collect();
    assert_near_single(case.id(), &factors, &case.singles("/expect/scale_f32"), GOLDEN_VALUE);
}

#[test]
fn temperatures_are_those_of_llama4_and_ministral() {
    for case in cases("llama4 NoPE-layer attention temperature") {
        let [scale, length] = ["attn_scale", "floor_scale"].map(|key| case.number(&format!("/params/{key}")));
        assert_factors(&case, QueryTemperature::llama4(scale, length).unwrap());
    }
    for case in cases("ministral-3 query scale") {
        let [scale, length] =
            ["beta", "original_max_position_embeddings"].map(|key| case.number(&format!("/params/{key}")));
        assert_factors(&case, QueryTemperature::ministral(scale, length).unwrap());
    }
}

#[test]
fn latent_attention_scales_its_scores() {
    for case in cases("MLA softmax scale") {
        let number =
            |key: &str| case.get(&format!("/params/rope_parameters/{key}")).map(|value| value.as_f64().unwrap());
        let yarn = Yarn::new(number("factor").unwrap(), 4096)
            .with_mscale(number("mscale").unwrap_or(0.0), number("mscale_all_dim").unwrap_or(0.0));
        let got = yarn.softmax_factor() / case.number("/params/qk_head_dim").sqrt();
        let want = case.number("/expect/softmax_scale");
        // A root, a quotient, a logarithm and three products here, as many there.
        assert!((got / want - 1.0).abs() <= 16.0 * F64_ROUNDOFF, "{}: {got}, not {want}", case.id());
    }
}

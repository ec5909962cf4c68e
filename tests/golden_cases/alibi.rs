//! Slopes of ALiBi for many head counts, and its biases in the three conventions.
//! They stand apart because their conventions are alike enough to be mistaken for each other.

use posenc::{Alibi, AlibiForm, AlibiRounding, DistanceBias};
use posenc_oracle::tolerance::{GOLDEN_VALUE, SLOPE_RELATIVE};

use crate::{Case, assert_near, assert_near_single, check_all, golden};

#[test]
fn slopes_and_biases_are_those_of_published_models() {
    check_all(&golden!("alibi"), &[], |case| match case.id() {
        id if id.starts_with("slopes heads=") => check_slopes(case),
        id if id.starts_with("mpt alibi_bias_max=") => check_causal(case),
        id if id.starts_with("bloom key-only bias") => check_key_only(case, AlibiRounding::Single),
        id if id.starts_with("falcon bias") => check_key_only(case, AlibiRounding::Bf16),
        id if id.starts_with("symmetric bias") => check_symmetric(case),
        id => panic!("{id} is neither checked nor skipped"),
    });
}

fn alibi(case: &Case) -> Alibi {
    let max_bias = case.get("/params/max_bias").map_or(8.0, |max_bias| max_bias.as_f64().unwrap());
    Alibi::with_max_bias(case.count("/params/num_heads"), max_bias).unwrap()
}

fn check_slopes(case: &Case) {
    let alibi = alibi(case);
    let exact = case.numbers("/expect/slopes_exact");
    assert_eq!(exact.len(), alibi.slopes().len(), "{}", case.id());
    for (&got, want) in alibi.slopes().iter().zip(exact) {
        let error = (f64::from(got) / want - 1.0).abs();
        assert!(error <= SLOPE_RELATIVE, "{}: {got}, not {want}", case.id());
    }
    // Powers of a rounded first slope: the small ones are farther from the truth than the tolerance of the exact ones.
    assert_near_single(case.id(), alibi.slopes(), &case.singles("/expect/slopes_f32_bloom"), GOLDEN_VALUE);
}

/// One query behind all keys but the last, which is its own.
fn check_causal(case: &Case) {
    let keys = case.count("/params/sequence_length");
    let alibi = alibi(case).with_form(AlibiForm::Causal);
    let mut scores = vec![0.0; alibi.heads() * keys];
    alibi.add(&mut scores, [1, keys], keys - 1).unwrap();
    assert_near_single(case.id(), &scores, &case.singles("/expect/bias_h1k_f32"), GOLDEN_VALUE);
}

/// Sequences padded on the left: keys are counted from the first that is not padding, and the padding has no bias.
fn check_key_only(case: &Case, rounding: AlibiRounding) {
    let alibi = alibi(case).with_form(AlibiForm::KeyOnly).with_rounding(rounding);
    let want = case.singles("/expect/bias_bh1k_f32");
    let masks: Vec<Vec<i64>> = serde_json::from_value(case.field("/params/attention_mask").clone()).unwrap();
    let mut biases = Vec::new();
    for mask in masks {
        let padding = mask.iter().take_while(|&&seen| seen == 0).count();
        assert!(mask[padding..].iter().all(|&seen| seen == 1), "padding is on the left");
        let keys = mask.len() - padding;
        let mut scores = vec![0.0; alibi.heads() * keys];
        alibi.add(&mut scores, [1, keys], keys - 1).unwrap();
        for head in scores.chunks_exact(keys) {
            biases.extend(vec![0.0; padding]);
            biases.extend(head);
        }
    }
    assert_near_single(case.id(), &biases, &want, GOLDEN_VALUE);
}

fn check_symmetric(case: &Case) {
    let [queries, keys] = [case.count("/params/q_len"), case.count("/params/k_len")];
    let alibi = alibi(case).with_form(AlibiForm::Symmetric);
    let mut scores = vec![0.0; alibi.heads() * queries * keys];
    alibi.add(&mut scores, [queries, keys], case.count("/params/q_offset")).unwrap();
    assert_near(case.id(), &scores, &case.numbers("/expect/bias_hqk"), GOLDEN_VALUE);
}

//! Biases that are worked out: kernels of the distance, networks, contextual positions.

use posenc::{
    Cope, CopeLogits, DistanceBias, Extent, Fire, FireWeights, Kerple, KerpleForm, RelativeGather, Sandwich, Side,
};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::GOLDEN_VALUE;

use crate::{Case, assert_near, assert_near_single};

/// The bias of all queries and keys.
fn whole(bias: &impl DistanceBias, tokens: usize) -> Vec<f32> {
    let mut scores = vec![0.0; bias.heads() * tokens * tokens];
    bias.write(&mut scores, [tokens, tokens], 0).unwrap();
    scores
}

pub(crate) fn check_kerple(case: &Case) {
    let form = if case.id().starts_with("kerple-log") { KerpleForm::Logarithmic } else { KerpleForm::Power };
    let [r1, r2] =
        ["/params/r1", "/params/r2"].map(|path| case.numbers(path).iter().map(|&r| r as f32).collect::<Vec<_>>());
    let kerple = Kerple::new(form, &r1, &r2).unwrap();
    assert_near(case.id(), &whole(&kerple, case.count("/params/n")), &case.numbers("/expect/bias"), GOLDEN_VALUE);
}

pub(crate) fn check_sandwich(case: &Case) {
    let (tokens, heads) = (case.count("/params/n"), case.count("/params/num_heads"));
    let sandwich = Sandwich::new(heads, case.count("/params/d_bar"), tokens).unwrap();
    assert_near(case.id(), &whole(&sandwich, tokens), &case.numbers("/expect/bias"), GOLDEN_VALUE);
}

/// The inputs of a seed that is named with its shape.
fn seeded(case: &Case, name: &str, count: usize) -> Vec<f32> {
    let seeds = case.field("/params/seeds").as_object().unwrap();
    golden_inputs(seeds[name].as_u64().unwrap(), count)
}

pub(crate) fn check_fire(case: &Case) {
    let tokens = case.count("/params/n");
    // The output layer is stored [units, heads].
    let stored = seeded(case, "w2[8,2]", 16);
    let output: Vec<f32> =
        (0..2).flat_map(|head| stored[head..].iter().step_by(2).copied().collect::<Vec<_>>()).collect();
    let weights = FireWeights {
        hidden: &seeded(case, "w1[8]", 8),
        hidden_bias: &seeded(case, "b1[8]", 8),
        output: &output,
        output_bias: &seeded(case, "b2[2]", 2),
        c: case.number("/params/c") as f32,
        threshold: (case.number("/params/init_L") * case.number("/params/L_multiplier")) as f32,
    };
    let mut scores = vec![0.0; 2 * tokens * tokens];
    Fire::new(weights, tokens).unwrap().write(&mut scores, [tokens, tokens], 0).unwrap();
    assert_near(case.id(), &scores, &case.numbers("/expect/bias"), GOLDEN_VALUE);
}

pub(crate) fn check_cope(case: &Case) {
    let [tokens, dim, positions] = ["n", "d", "max_pos"].map(|name| case.count(&format!("/params/{name}")));
    let gates: Vec<f32> = seeded(case, "logits(x2, causal masked)", tokens * tokens).iter().map(|x| 2.0 * x).collect();
    let (queries, embeddings) = (seeded(case, "q", tokens * dim), seeded(case, "pos_emb", positions * dim));
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>() as f32;
    let products: Vec<f32> =
        queries.chunks_exact(dim).flat_map(|q| embeddings.chunks_exact(dim).map(move |e| dot(q, e))).collect();
    let logits = CopeLogits { gates: &gates, positions: &products, heads: 1, size: [tokens, tokens], first_query: 0 };
    let mut scores = vec![0.0; tokens * tokens];
    Cope::new(logits).unwrap().add(&mut scores, [tokens, tokens], 0).unwrap();
    assert_near_single(case.id(), &scores, &case.singles("/expect/bias_qk_f32"), GOLDEN_VALUE);
}

/// Profiles of each query over the distance, from its state: the gather of the crate takes them where it finds them.
pub(crate) fn check_content(case: &Case) {
    let [extent, width] = [case.count("/params/rel_extent"), case.count("/params/d_rel")];
    let (tokens, heads) = (5, 2);
    let projection = seeded(case, "proj[4,3]", width * extent);
    let states = seeded(case, "states[1,5,2,4]", tokens * heads * width);
    let mut profiles = vec![];
    for head in 0..heads {
        for token in 0..tokens {
            let state = &states[(token * heads + head) * width..][..width];
            let profile =
                |d: usize| -> f32 { state.iter().enumerate().map(|(i, x)| x * projection[i * extent + d]).sum() };
            profiles.extend((0..extent).map(profile));
        }
    }
    let mut scores = vec![0.0; heads * tokens * tokens];
    let gather = RelativeGather::new(Extent(extent), heads, Side::Query).unwrap();
    gather.add(&mut scores, &profiles, [tokens, tokens], 0).unwrap();
    assert_near_single(case.id(), &scores, &case.singles("/expect/bias_hqk_f32"), GOLDEN_VALUE);
}

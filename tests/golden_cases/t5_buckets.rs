//! Buckets of T5 and its kin over wide ranges of distances, and the biases gathered from a table.
//! They stand apart because they are whole numbers, which must match one and all.

use posenc::{DistanceBias, T5Bias, T5Buckets, T5Form};
use posenc_oracle::lcg::golden_inputs;

use crate::{Case, check_all, golden};

#[test]
fn buckets_and_biases_are_those_of_published_models() {
    check_all(&golden!("t5_buckets"), &[], |case| match case.get("/expect/buckets") {
        Some(_) => check_buckets(case),
        None => check_bias(case),
    });
}

fn buckets(case: &Case) -> T5Buckets {
    let form = match case.field("/params/bidirectional").as_bool().unwrap() {
        true => T5Form::Bidirectional,
        false => T5Form::Causal,
    };
    T5Buckets::new(form, case.count("/params/num_buckets"), case.count("/params/max_distance")).unwrap()
}

fn check_buckets(case: &Case) {
    let buckets = buckets(case);
    let [first, last] = case.integers("/relative_position_range")[..] else { panic!("not a range") };
    let got: Vec<i64> = (first..=last).map(|distance| buckets.bucket(distance) as i64).collect();
    assert_eq!(got, case.integers("/expect/buckets"), "{}", case.id());
}

fn check_bias(case: &Case) {
    let [rows, heads] = case.shape("/table_shape");
    let table = golden_inputs(case.count("/table_seed") as u64, rows * heads);
    let bias = T5Bias::new(buckets(case), &table).unwrap();
    let size = [case.count("/params/q_len"), case.count("/params/k_len")];
    let mut scores = vec![0.0; heads * size[0] * size[1]];
    bias.add(&mut scores, size, case.count("/params/past")).unwrap();
    assert_eq!(scores, case.singles("/expect/bias_hqk_f32"), "{}", case.id());
}

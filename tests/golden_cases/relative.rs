//! Relative encodings: which row of a learned table serves a query and a key, and attention that uses the rows.
//! They stand apart because their values are few; most of the file is about encodings that the crate does not have.

use posenc::{Clip, RelativeEmbedding};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::GOLDEN_VALUE;

use crate::{Case, check_all, golden};

const INEXPRESSIBLE: [(&str, &str); 22] = [
    ("deberta-v2 log buckets", "logarithmic buckets"),
    ("swin index", "a window of two axes"),
    ("beit index", "a window of two axes"),
    ("swin-v2 log-CPB coords", "a window of two axes"),
    ("decomposed rel-pos lookup", "two axes, resized tables"),
    ("rel-shift conformer/transformer-xl", "a shift of given logits"),
    ("rel-shift xlnet", "a shift of given logits"),
    ("music-transformer skew", "a shift of given logits"),
    ("kerple-log", "a bias that the caller would have to write"),
    ("kerple-power", "a bias that the caller would have to write"),
    ("fire", "a bias by a network"),
    ("sandwich", "a bias that the caller would have to write"),
    ("CoPE", "positions that depend on the content"),
    ("xpos", "checked in magnitudes.rs"),
    ("llama4 NoPE-layer attention temperature", "checked in magnitudes.rs"),
    ("ministral-3 query scale", "checked in magnitudes.rs"),
    ("MLA softmax scale deepseek-v3", "checked in magnitudes.rs"),
    ("MLA softmax scale no mscale_all_dim", "checked in magnitudes.rs"),
    ("MLA softmax scale mistral-4 style", "checked in magnitudes.rs"),
    ("dual chunk positions", "positions that the caller would have to make"),
    ("LieRE", "a rotation of more than two features"),
    ("content-dependent relative logits", "a bias that depends on the content"),
];

#[test]
fn rows_are_those_of_published_models() {
    check_all(&golden!("relative"), &INEXPRESSIBLE, |case| match case.id() {
        id if id.starts_with("shaw clip") => check_shaw(case),
        id if id.starts_with("speecht5 clipped index") => check_speecht5(case),
        id if id.starts_with("w2v-bert relative_key index") => check_w2v_bert(case),
        id => panic!("{id} is neither checked nor skipped"),
    });
}

/// Rows of one feature, their own number: a look-up shows which ones are taken.
fn numbered(clip: Clip) -> RelativeEmbedding {
    RelativeEmbedding::new((0..clip.rows()).map(|row| row as f32).collect(), clip, 1).unwrap()
}

/// The number of the row for every query and key, by all the ways there are to ask for it.
fn indices(clip: Clip, first_query: usize, [queries, keys]: [usize; 2]) -> Vec<i64> {
    let embedding = numbered(clip);
    let looked_up = embedding.lookup(first_query, [queries, keys]).unwrap();
    let mut added = vec![0.0; queries * keys];
    embedding.add(&mut added, first_query, [queries, keys]).unwrap();
    assert_eq!(added, looked_up);
    for (cell, &row) in looked_up.iter().enumerate() {
        let (query, key) = (first_query + cell / keys, cell % keys);
        assert_eq!(embedding.index(query, key), row as usize);
    }
    looked_up.into_iter().map(|row| row as i64).collect()
}

fn check_w2v_bert(case: &Case) {
    let clip = Clip { left: case.count("/params/left"), right: case.count("/params/right") };
    let tokens = case.count("/params/seq_len");
    assert_eq!(indices(clip, 0, [tokens, tokens]), case.integers("/expect/index"));
}

/// There, distances are `query − key`, so its rows stand in the opposite order and the other side is the longer one.
fn check_speecht5(case: &Case) {
    let longest = case.count("/params/max_length");
    let clip = Clip { left: longest - 1, right: longest };
    let tokens = case.count("/params/seq_len");
    let last = clip.rows() as i64 - 1;
    let reversed: Vec<i64> = indices(clip, 0, [tokens, tokens]).into_iter().map(|row| last - row).collect();
    assert_eq!(reversed, case.integers("/expect/index"));
}

/// The inner product, in f64.
fn dot(a: impl IntoIterator<Item = f64>, b: &[f32]) -> f64 {
    a.into_iter().zip(b).map(|(a, &b)| a * f64::from(b)).sum()
}

fn check_shaw(case: &Case) {
    let [queries, keys, dim] = ["q_len", "k_len", "d"].map(|name| case.count(&format!("/params/{name}")));
    let (clip, first_query) = (Clip::symmetric(case.count("/params/clip")), case.count("/params/q_offset"));
    assert_eq!(indices(clip, first_query, [queries, keys]), case.integers("/expect/index"));

    let input =
        |name: &str, rows: usize| golden_inputs(case.count(&format!("/params/seeds/{name}")) as u64, rows * dim);
    let (q, mut k, v) = (input("q", queries), input("k", keys), input("v", keys));
    let table = |name: &str| RelativeEmbedding::new(input(name, clip.rows()), clip, dim).unwrap();
    // One copy of the keys and values a query, to which its rows are added.
    k = k.repeat(queries);
    let mut v = v.repeat(queries);
    table("a_k").add(&mut k, first_query, [queries, keys]).unwrap();
    table("a_v").add(&mut v, first_query, [queries, keys]).unwrap();
    let mut logits = Vec::new();
    let mut outputs = vec![0.0; queries * dim];
    for (query, output) in outputs.chunks_exact_mut(dim).enumerate() {
        let (k, v) = (&k[query * keys * dim..], &v[query * keys * dim..]);
        let q = q[query * dim..][..dim].iter().map(|&q| f64::from(q));
        let row: Vec<f64> = k.chunks_exact(dim).take(keys).map(|k| dot(q.clone(), k) / (dim as f64).sqrt()).collect();
        let sum: f64 = row.iter().map(|logit| logit.exp()).sum();
        for (logit, v) in row.iter().zip(v.chunks_exact(dim)) {
            output.iter_mut().zip(v).for_each(|(z, &v)| *z += logit.exp() / sum * f64::from(v));
        }
        logits.extend(row);
    }
    for (got, path) in [(logits, "/expect/logits"), (outputs, "/expect/z")] {
        let want = case.numbers(path);
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= GOLDEN_VALUE, "{} {path}: {got}, not {want}", case.id());
        }
    }
}

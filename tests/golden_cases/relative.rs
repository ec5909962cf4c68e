//! Relative encodings: which row of a learned table serves a query and a key, and attention that uses the rows; the files
//! beside hold the maps of other models and the biases that are worked out.

use posenc::{ChunkRole, Clip, DistanceIndex, DualChunk, RelativeEmbedding, RelativeGather, Reversed, Side};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::GOLDEN_VALUE;

use crate::{Case, check_all, golden};

#[path = "relative_biases.rs"]
mod biases;
#[path = "relative_maps.rs"]
mod maps;

const APART: [(&str, &str); 7] = [
    ("xpos", "checked in magnitudes.rs"),
    ("llama4 NoPE-layer attention temperature", "checked in magnitudes.rs"),
    ("ministral-3 query scale", "checked in magnitudes.rs"),
    ("MLA softmax scale deepseek-v3", "checked in magnitudes.rs"),
    ("MLA softmax scale no mscale_all_dim", "checked in magnitudes.rs"),
    ("MLA softmax scale mistral-4 style", "checked in magnitudes.rs"),
    ("LieRE", "a rotation of more than two features"),
];

type Check = fn(&Case);

/// What begins the id of a case, and how such cases are checked.
const CHECKS: [(&str, Check); 17] = [
    ("shaw clip", check_shaw),
    ("speecht5 clipped index", check_speecht5),
    ("w2v-bert relative_key index", check_w2v_bert),
    ("deberta-v2 log buckets", maps::check_deberta),
    ("swin index", maps::check_swin),
    ("beit index", maps::check_beit),
    ("swin-v2 log-CPB coords", maps::check_swin_v2),
    ("decomposed rel-pos lookup", maps::check_decomposed),
    ("rel-shift conformer/transformer-xl", maps::check_conformer),
    ("rel-shift xlnet", maps::check_xlnet),
    ("music-transformer skew", maps::check_music),
    ("kerple", biases::check_kerple),
    ("fire", biases::check_fire),
    ("sandwich", biases::check_sandwich),
    ("CoPE", biases::check_cope),
    ("content-dependent relative logits", biases::check_content),
    ("dual chunk positions", check_dual_chunk),
];

#[test]
fn relative_encodings_are_those_of_published_models() {
    check_all(&golden!("relative"), &APART, |case| {
        let check = CHECKS.iter().find(|(id, _)| case.id().starts_with(id));
        check.unwrap_or_else(|| panic!("{} is neither checked nor skipped", case.id())).1(case);
    });
}

/// Rows of one feature, their own number: a look-up shows which ones are taken.
fn numbered(clip: Clip) -> RelativeEmbedding {
    RelativeEmbedding::new((0..clip.rows()).map(|row| row as f32).collect(), clip, 1).unwrap()
}

/// The number of the row for every query and key, by all the ways there are to ask for it.
fn indices(clip: Clip, first_query: usize, [queries, keys]: [usize; 2]) -> Vec<i64> {
    let embedding = numbered(clip);
    let looked_up = embedding.lookup([queries, keys], first_query).unwrap();
    let mut added = vec![0.0; queries * keys];
    embedding.add(&mut added, [queries, keys], first_query).unwrap();
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
    let distances = (0..tokens as i64).flat_map(|query| (0..tokens as i64).map(move |key| key - query));
    let columns: Vec<i64> = distances.map(|distance| Reversed(clip).column(distance).unwrap() as i64).collect();
    assert_eq!(columns, reversed);
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
    table("a_k").add(&mut k, [queries, keys], first_query).unwrap();
    table("a_v").add(&mut v, [queries, keys], first_query).unwrap();
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
    check_shaw_by_columns(case, [&logits, &outputs]);
    for (got, path) in [(logits, "/expect/logits"), (outputs, "/expect/z")] {
        let want = case.numbers(path);
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= GOLDEN_VALUE, "{} {path}: {got}, not {want}", case.id());
        }
    }
}

/// The same through the products of queries and rows, in f64: no row is ever added to a key or a value.
fn check_shaw_by_columns(case: &Case, [logits, outputs]: [&[f64]; 2]) {
    let [queries, keys, dim] = ["q_len", "k_len", "d"].map(|name| case.count(&format!("/params/{name}")));
    let (clip, first_query) = (Clip::symmetric(case.count("/params/clip")), case.count("/params/q_offset"));
    let input =
        |name: &str, rows: usize| golden_inputs(case.count(&format!("/params/seeds/{name}")) as u64, rows * dim);
    let (q, k, v) = (input("q", queries), input("k", keys), input("v", keys));
    let products = |rows: &[f32]| -> Vec<f64> {
        let q = q.chunks_exact(dim);
        q.flat_map(|q| rows.chunks_exact(dim).map(move |row| dot(q.iter().map(|&q| q.into()), row))).collect()
    };
    let mut scores = products(&k);
    let gather = RelativeGather::new(clip, 1, Side::Query).unwrap();
    gather.add(&mut scores, &products(&input("a_k", clip.rows())), [queries, keys], first_query).unwrap();
    for (score, logit) in scores.iter_mut().zip(logits) {
        *score /= (dim as f64).sqrt();
        assert!((*score - logit).abs() <= 1e-6, "{}: {score}, not {logit}", case.id());
    }
    // Attention weights, then values and their rows.
    for row in scores.chunks_exact_mut(keys) {
        let sum: f64 = row.iter().map(|score| score.exp()).sum();
        row.iter_mut().for_each(|score| *score = score.exp() / sum);
    }
    let mut z = vec![0.0; queries * dim];
    for (z, weights) in z.chunks_exact_mut(dim).zip(scores.chunks_exact(keys)) {
        for (weight, v) in weights.iter().zip(v.chunks_exact(dim)) {
            z.iter_mut().zip(v).for_each(|(z, &v)| *z += weight * f64::from(v));
        }
    }
    let table = RelativeEmbedding::new(input("a_v", clip.rows()), clip, dim).unwrap();
    table.add_weighted(&mut z, &scores, [queries, keys], first_query).unwrap();
    for (got, want) in z.iter().zip(outputs) {
        assert!((got - want).abs() <= 1e-6, "{}: {got}, not {want}", case.id());
    }
}

fn check_dual_chunk(case: &Case) {
    let chunks = DualChunk::new(case.count("/params/chunk_size"), case.count("/params/local_size")).unwrap();
    for (role, name) in [
        (ChunkRole::Key, "k"),
        (ChunkRole::Intra, "q_intra"),
        (ChunkRole::Successive, "q_succ"),
        (ChunkRole::Inter, "q_inter"),
        (ChunkRole::SuccessiveCritical, "q_succ_critical"),
        (ChunkRole::InterCritical, "q_inter_critical"),
    ] {
        let got = chunks.ids(role, 0..case.count("/params/n")).unwrap();
        assert_eq!(got, case.integers(&format!("/expect/{name}")), "{}: {name}", case.id());
    }
}

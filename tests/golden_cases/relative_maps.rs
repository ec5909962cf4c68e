//! Maps of other models: from a query and a key to a column or a row.

use posenc::{
    AxisEmbedding, DebertaBuckets, DistanceIndex, RelativeGather, Shift, Side, Window, WindowForm, log_cpb_coordinates,
};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::GOLDEN_VALUE;

use crate::{Case, assert_near_single};

pub(crate) fn check_deberta(case: &Case) {
    let span = case.count("/params/bucket_size");
    let buckets = DebertaBuckets::logarithmic(span, case.count("/params/max_position")).unwrap();
    let [first, last] = case.integers("/relative_position_range")[..] else { panic!("not a range") };
    let want = case.integers("/expect/buckets");
    let got: Vec<i64> = (first..=last).map(|relative| buckets.bucket(relative)).collect();
    assert_eq!(got, want, "{}", case.id());
    let span = span as i64;
    for (relative, bucket) in (first..=last).zip(want) {
        let column = (bucket + span).clamp(0, 2 * span - 1) as usize;
        assert_eq!(buckets.column(-relative), Some(column), "{}: {relative}", case.id());
    }
}

fn check_window(case: &Case, form: WindowForm) {
    let window = Window::new(case.shape("/params/window"), form).unwrap();
    let got: Vec<i64> = window.indices().unwrap().into_iter().map(|row| row as i64).collect();
    assert_eq!(got, case.integers("/expect/index"), "{}", case.id());
}

pub(crate) fn check_swin(case: &Case) {
    check_window(case, WindowForm::Signed);
}

pub(crate) fn check_beit(case: &Case) {
    check_window(case, WindowForm::WithClassToken);
}

pub(crate) fn check_swin_v2(case: &Case) {
    check_window(case, WindowForm::Signed);
    let pretrained = Some(case.shape("/params/pretrained_window")).filter(|&sides| sides != [0, 0]);
    let coordinates = log_cpb_coordinates(case.shape("/params/window"), pretrained).unwrap();
    let got: Vec<f32> = coordinates.as_flattened().iter().map(|&x| x as f32).collect();
    assert_near_single(case.id(), &got, &case.singles("/expect/coords_f32"), GOLDEN_VALUE);
}

pub(crate) fn check_decomposed(case: &Case) {
    let [rows, features] = case.shape("/table_shape");
    let table = golden_inputs(case.count("/table_seed") as u64, rows * features);
    let [queries, keys] = [case.count("/params/q_size"), case.count("/params/k_size")];
    let axis = AxisEmbedding::new(&table, features, [queries, keys]).unwrap();
    let cells = (0..queries).flat_map(|query| (0..keys).map(move |key| (query, key)));
    let got: Vec<f32> = cells.flat_map(|(query, key)| axis.row(query, key).to_vec()).collect();
    assert_near_single(case.id(), &got, &case.singles("/expect/rows_qk_f32"), GOLDEN_VALUE);
}

/// Scores of zeros after logits were added to them.
fn shifted(shift: Shift, heads: usize, logits: &[f64], size: [usize; 2], first_query: usize) -> Vec<f64> {
    let mut scores = vec![0.0; heads * size[0] * size[1]];
    RelativeGather::new(shift, heads, Side::Query).unwrap().add(&mut scores, logits, size, first_query).unwrap();
    scores
}

/// The reference shows what padding leaves behind in the columns past the keys: as many keys as queries are valid.
pub(crate) fn check_conformer(case: &Case) {
    let rows = case.field("/params/x").as_array().unwrap().len();
    let logits = case.numbers("/params/x");
    let columns = logits.len() / rows;
    let got = shifted(Shift { zero: rows - 1, columns }, 1, &logits, [rows, rows], 0);
    let want: Vec<f64> = case.numbers("/expect/y").chunks_exact(columns).flat_map(|row| row[..rows].to_vec()).collect();
    assert_eq!(got, want, "{}", case.id());
}

pub(crate) fn check_xlnet(case: &Case) {
    let [batch, heads, queries, columns] = case.shape("/params/shape");
    let keys = case.count("/params/klen");
    let shift = Shift { zero: queries, columns };
    let got = shifted(shift, batch * heads, &case.numbers("/params/x"), [queries, keys], 0);
    assert_eq!(got, case.numbers("/expect/y"), "{}", case.id());
    // The same with the queries behind a memory: all distances are as much larger.
    let moved = Shift { zero: queries + 7, columns };
    let later = shifted(moved, batch * heads, &case.numbers("/params/x"), [queries, keys], 7);
    assert_eq!(later, got, "{}", case.id());
}

pub(crate) fn check_music(case: &Case) {
    let rows = case.field("/params/qe").as_array().unwrap().len();
    let shift = Shift { zero: rows - 1, columns: rows };
    let got = shifted(shift, 1, &case.numbers("/params/qe"), [rows, rows], 0);
    let lower: Vec<f64> = got.chunks_exact(rows).enumerate().flat_map(|(i, row)| row[..=i].to_vec()).collect();
    assert_eq!(lower, case.numbers("/expect/y_lower"), "{}", case.id());
    let upper = got.chunks_exact(rows).enumerate().flat_map(|(i, row)| row[i + 1..].to_vec());
    assert!(upper.into_iter().all(|x| x == 0.0), "{}: keys after the query stay", case.id());
}

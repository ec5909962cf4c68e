//! What is refused, with what was expected and what was found; buffers stay as they were, and nothing panics.
//! They stand apart because nothing may be computed here.

use std::ops::RangeInclusive;

use crate::random;
use posenc::{
    Alibi, AxisEmbedding, Clip, Cope, CopeLogits, DebertaBuckets, DecomposedBias, DistanceBias, DistanceIndex,
    DistanceScale, DistanceTable, Error, Extent, Fire, FireWeights, ForgetGates, GatedBias, Kerple, KerpleForm, Mlp,
    RelativeEmbedding, RelativeGather, Result, Reversed, Sandwich, Shift, Side, Stabiliser, T5Bias, T5Buckets, T5Form,
    Tile, Window, WindowBias, WindowForm, disentangled_scale, dynamic_bias, log_cpb_bias, log_cpb_coordinates,
};

const HUGE: usize = usize::MAX;

/// The error is about this, and found this.
#[track_caller]
fn refused<T>(result: Result<T>, what: &str, found: f64) {
    let (got, number) = match result.err().expect("a refusal") {
        Error::Length { what, found, .. } | Error::Count { what, found, .. } => (what, found as f64),
        Error::Number { what, found, .. } => (what, found),
        other => panic!("{other}"),
    };
    assert_eq!(got, what);
    assert!(number == found || number.is_nan() && found.is_nan(), "{what}: found {number}, not {found}");
}

#[test]
fn degenerate_buckets() {
    for (form, buckets) in
        [(T5Form::Causal, 0), (T5Form::Causal, 1), (T5Form::Bidirectional, 3), (T5Form::Causal, 4097)]
    {
        refused(T5Buckets::new(form, buckets, 128), "buckets", buckets as f64);
        refused(T5Buckets::new(form, HUGE, 128), "buckets", HUGE as f64);
    }
    for max_distance in [0, 16, (1 << 24) + 1, HUGE] {
        refused(T5Buckets::new(T5Form::Causal, 32, max_distance), "max_distance", max_distance as f64);
    }
    for span in [0, HUGE] {
        refused(DebertaBuckets::linear(span), "span", span as f64);
    }
    for buckets in [0, 3, 4097, HUGE] {
        refused(DebertaBuckets::logarithmic(buckets, 512), "position_buckets", buckets as f64);
    }
    for positions in [0, 128, 129, (1 << 24) + 1, HUGE] {
        refused(DebertaBuckets::logarithmic(256, positions), "max_relative_positions", positions as f64);
    }
    refused(disentangled_scale(0, 1), "head width", 0.0);
    refused(disentangled_scale(64, 0), "score terms", 0.0);
}

#[test]
fn tables_of_another_size() {
    let buckets = T5Buckets::new(T5Form::Causal, 4, 8).unwrap();
    for len in [0, 3, 5, 9] {
        refused(T5Bias::new(buckets.clone(), &vec![0.0; len]), "bucket table", len as f64);
        refused(DistanceTable::new(&vec![0.0; len], Clip { left: 1, right: 2 }), "distance weights", len as f64);
        let window = Window::new([1, 2], WindowForm::WithClassToken).unwrap();
        refused(WindowBias::new(window, &vec![0.0; len]), "window table", len as f64);
    }
    refused(DistanceTable::new(&[], Clip::symmetric(HUGE)), "clip", HUGE as f64);
    let bias = T5Bias::new(buckets, &[0.0; 8]).unwrap();
    let mut gradient = [1.0; 8];
    refused(bias.table_gradient(&[1.0_f32; 7], [2, 2], 0, &mut gradient), "score gradients", 7.0);
    refused(bias.table_gradient(&[1.0_f32; 8], [2, 2], 0, &mut gradient[..7]), "table gradient", 7.0);
    refused(bias.table_gradient(&[1.0_f32; 8], [2, 2], HUGE, &mut gradient), "distance", HUGE as f64);
    refused(bias.diagonal_sums(&[1.0_f32; 8], [HUGE, 2], 0), "score gradients", HUGE as f64);
    assert_eq!(gradient, [1.0; 8]);
}

#[test]
fn parameters_of_kernels_and_networks() {
    let kerple = |r1: &[f32], r2: &[f32]| Kerple::new(KerpleForm::Power, r1, r2);
    refused(kerple(&[1.0], &[1.0, 1.0]), "r2", 2.0);
    refused(kerple(&[], &[]), "heads", 0.0);
    refused(kerple(&[0.0], &[1.0]), "r1", 0.0);
    refused(kerple(&[1.0], &[f32::NAN]), "r2", f64::NAN);
    refused(kerple(&[1.0], &[2.5]), "r2", 2.5);
    for (heads, features, farthest, what, found) in [
        (0, 8, 9, "heads", 0),
        (HUGE, 8, 9, "heads", HUGE),
        (1, 0, 9, "features", 0),
        (1, 7, 9, "features", 7),
        (1, HUGE - 1, 9, "features", HUGE - 1),
        (1, 8, HUGE, "distance", HUGE),
    ] {
        refused(Sandwich::new(heads, features, farthest), what, found as f64);
    }
    refused(Mlp::new(0), "network inputs", 0.0);
    let network = || Mlp::new(2).unwrap();
    refused(network().linear(&[1.0; 2], &[]), "network outputs", 0.0);
    refused(network().linear(&[1.0; 3], &[0.0]), "network weights", 3.0);
    refused(network().layer_norm(-1.0, &[1.0; 2], &[0.0; 2]), "epsilon", -1.0);
    refused(network().layer_norm(0.0, &[1.0; 3], &[0.0; 2]), "gain", 3.0);
    refused(network().layer_norm(0.0, &[1.0; 2], &[0.0; 1]), "shift", 1.0);
    refused(network().run(&[1.0; 3], &mut [0.0; 2]), "network inputs", 3.0);
    refused(network().run(&[1.0; 4], &mut [0.0; 3]), "network outputs", 3.0);
    refused(dynamic_bias(&network(), DistanceScale::Linear, -1..=1), "network inputs", 2.0);
    let one = Mlp::new(1).unwrap();
    refused(dynamic_bias(&one, DistanceScale::Linear, RangeInclusive::new(1, -1)), "distance", 1.0);
    refused(dynamic_bias(&one, DistanceScale::Linear, i64::MIN..=0), "distance", 2.0_f64.powi(63));
    refused(dynamic_bias(&one, DistanceScale::Normalised { length: 0.0 }, 0..=1), "length", 0.0);
    refused(log_cpb_bias(&one, [2, 2], None), "network inputs", 1.0);
    refused(log_cpb_coordinates([0, 2], None), "window height", 0.0);
    refused(log_cpb_coordinates([2, HUGE], None), "window width", HUGE as f64);
    refused(log_cpb_coordinates([2, 2], Some([2, 1])), "pretrained window", 1.0);
}

#[test]
fn parameters_of_fire() {
    let good = FireWeights {
        hidden: &[1.0, 2.0],
        hidden_bias: &[0.0; 2],
        output: &[1.0; 6],
        output_bias: &[0.0; 3],
        c: 0.1,
        threshold: 4.0,
    };
    refused(Fire::new(FireWeights { hidden: &[], ..good }, 9), "hidden units", 0.0);
    refused(Fire::new(FireWeights { output_bias: &[], ..good }, 9), "heads", 0.0);
    refused(Fire::new(FireWeights { hidden_bias: &[0.0], ..good }, 9), "hidden biases", 1.0);
    refused(Fire::new(FireWeights { output: &[0.0; 5], ..good }, 9), "output weights", 5.0);
    refused(Fire::new(FireWeights { c: f32::NAN, ..good }, 9), "c", f64::NAN);
    refused(Fire::new(FireWeights { threshold: f32::INFINITY, ..good }, 9), "threshold", f64::INFINITY);
    refused(Fire::new(good, HUGE), "distance", HUGE as f64);
    let fire = Fire::new(good, 9).unwrap();
    // Ten keys are at most 9 apart from queries at 0 to 9.
    let mut scores = [7.0_f32; 30];
    assert!(fire.write(&mut scores, [1, 10], 9).is_ok());
    let before = scores;
    refused(fire.add(&mut scores, [1, 10], 10), "distance", 10.0);
    refused(fire.add_tile(&mut scores, &Tile { heads: 0..3, queries: 0..1, keys: 1..11 }), "distance", 10.0);
    assert_eq!(scores, before);
}

#[test]
fn tiles_outside_the_scores() {
    let alibi = Alibi::new(2).unwrap();
    let mut scores = [7.0_f32; 4];
    #[allow(clippy::reversed_empty_ranges, reason = "a range that runs backward is what is tried")]
    for (heads, queries, keys, what, found) in [
        (1..0, 0..2, 0..2, "heads", 1),
        (0..1, 2..0, 0..2, "queries", 2),
        (0..1, 0..2, 9..1, "keys", 9),
        (2..3, 0..2, 0..2, "heads", 3),
        (0..1, 0..2, 0..3, "scores", 4),
        (0..1, HUGE - 2..HUGE, 0..2, "distance", HUGE),
        (0..1, 0..2, HUGE - 2..HUGE, "distance", HUGE),
        (0..HUGE, 0..HUGE, 0..HUGE, "scores", HUGE),
    ] {
        let tile = Tile { heads, queries, keys };
        refused(alibi.add_tile(&mut scores, &tile), what, found as f64);
        refused(alibi.write_tile(&mut scores, &tile), what, found as f64);
    }
    assert_eq!(scores, [7.0; 4]);
    // Nothing at all is a tile, wherever it is.
    let nothing: &mut [f32] = &mut [];
    assert_eq!(alibi.add_tile(nothing, &Tile { heads: 0..0, queries: 0..9, keys: 0..9 }), Ok(()));
    assert_eq!(alibi.add_tile(nothing, &Tile { heads: 0..2, queries: 0..0, keys: 0..9 }), Ok(()));
}

#[test]
fn distances_beyond_a_table() {
    let alibi = Alibi::new(2).unwrap();
    let table = alibi.tabulated(-3..=1).unwrap();
    let mut scores = [7.0_f32; 10];
    refused(table.add(&mut scores, [1, 5], 4), "distance", 4.0);
    refused(table.add(&mut scores, [1, 5], 2), "distance", 2.0);
    refused(table.write(&mut scores, [5, 1], 0), "distance", 4.0);
    refused(table.diagonals(0, [1, 5], 4), "distance", 4.0);
    refused(table.tabulated(-4..=0), "distance", 4.0);
    assert_eq!(scores, [7.0; 10]);
    assert!(table.add(&mut scores, [1, 5], 3).is_ok());
    refused(alibi.tabulated(RangeInclusive::new(1, 0)), "distance", 1.0);
    refused(alibi.tabulated(i64::MIN..=i64::MAX), "distance", 2.0_f64.powi(63));
    refused(alibi.clone().with_form(posenc::AlibiForm::KeyOnly).tabulated(0..=1), "distance", 1.0);
}

#[test]
fn positions_too_far_apart() {
    let alibi = Alibi::new(1).unwrap();
    let far = 1 << 24;
    let mut scores = [7.0_f32; 2];
    for (queries, keys, found) in [
        ([0], [0, far + 1], (far + 1) as f64),
        ([i64::MIN], [0, 1], 2.0_f64.powi(63)),
        ([i64::MAX], [i64::MIN, 0], -(2.0_f64.powi(64))),
    ] {
        refused(alibi.add_at(&mut scores, &queries, &keys), "distance", found);
    }
    refused(alibi.add_at(&mut scores, &[0], &[0]), "scores", 2.0);
    refused(alibi.tabulated(-3..=3).unwrap().add_at(&mut scores, &[0], &[4, 0]), "distance", 4.0);
    assert_eq!(scores, [7.0; 2]);
    assert!(alibi.add_at(&mut scores, &[-far], &[0, -far]).is_ok());
}

#[test]
fn tokens_without_a_gate() {
    refused(ForgetGates::new(&[0.0; 5], 0), "heads", 0.0);
    refused(ForgetGates::new(&[0.0; 5], 2), "gate logits", 5.0);
    let mut gates = ForgetGates::new(&[0.0; 6], 2).unwrap();
    refused(gates.extend(&[0.0; 3]), "gate logits", 3.0);
    assert_eq!(gates.tokens(), 3);
    let mut scores = [7.0_f32; 8];
    refused(gates.add(&mut scores, [1, 4], 0), "tokens", 4.0);
    refused(gates.add(&mut scores[..4], [1, 2], 3), "tokens", 4.0);
    assert_eq!(scores, [7.0; 8]);
    refused(ForgetGates::new(&[], HUGE), "heads", HUGE as f64);
    assert_eq!(ForgetGates::new(&[], 3).unwrap().tokens(), 0);

    let alibi = Alibi::new(2).unwrap();
    refused(GatedBias::new(&alibi, &[1.0; 3], 0), "gates", 3.0);
    let gated = GatedBias::new(&alibi, &[1.0; 4], 5).unwrap();
    refused(gated.add(&mut scores, [2, 2], 4), "first query", 4.0);
    refused(gated.add(&mut scores, [2, 2], 6), "first query", 6.0);
    assert_eq!(scores, [7.0; 8]);

    let good = CopeLogits { gates: &[0.0; 6], positions: &[0.0; 4], heads: 1, size: [2, 3], first_query: 1 };
    refused(Cope::new(CopeLogits { heads: 0, ..good }), "heads", 0.0);
    refused(Cope::new(CopeLogits { size: [0, 3], ..good }), "queries", 0.0);
    refused(Cope::new(CopeLogits { gates: &[0.0; 5], ..good }), "gates", 5.0);
    refused(Cope::new(CopeLogits { positions: &[0.0], ..good }), "positions", 0.0);
    refused(Cope::new(CopeLogits { positions: &[0.0; 5], ..good }), "position logits", 5.0);
    refused(Cope::new(CopeLogits { first_query: HUGE, ..good }), "distance", HUGE as f64);
    let cope = Cope::new(good).unwrap();
    refused(cope.add(&mut scores[..6], [2, 3], 0), "first query", 0.0);
    refused(cope.add(&mut scores, [2, 4], 1), "keys", 4.0);
    refused(cope.positions_gradient(&[0.0_f32; 5], &mut [0.0; 4]), "score gradients", 5.0);
    refused(cope.positions_gradient(&[0.0_f32; 6], &mut [0.0; 3]), "position gradients", 3.0);
    refused(cope.gates_gradient(&[0.0_f32; 5], &mut [0.0; 6]), "score gradients", 5.0);
    refused(cope.gates_gradient(&[0.0_f32; 6], &mut [0.0; 4]), "gates gradient", 4.0);
    assert_eq!(scores, [7.0; 8]);
}

#[test]
fn logits_and_windows_of_another_size() {
    refused(RelativeGather::new(Extent(3), 0, Side::Query), "heads", 0.0);
    let gather = RelativeGather::new(Extent(3), 2, Side::Key).unwrap();
    let (mut scores, mut logits) = ([7.0_f32; 12], [8.0_f32; 18]);
    refused(gather.add(&mut scores, &logits[1..], [2, 3], 0), "relative logits", 17.0);
    refused(gather.add(&mut scores[1..], &logits, [2, 3], 0), "scores", 11.0);
    refused(gather.add(&mut scores, &logits, [2, 3], HUGE), "distance", HUGE as f64);
    refused(gather.add(&mut scores, &logits, [HUGE, HUGE], 0), "scores", HUGE as f64);
    refused(gather.scatter(&scores, &mut logits[1..], [2, 3], 0), "relative logits", 17.0);
    let endless = RelativeGather::new(Shift { zero: HUGE, columns: HUGE }, 1, Side::Query).unwrap();
    refused(endless.add(&mut scores, &logits, [2, 6], 0), "relative logits", HUGE as f64);
    assert_eq!((scores, logits), ([7.0; 12], [8.0; 18]));

    let window = Window::new([2, 2], WindowForm::Signed).unwrap();
    let bias = WindowBias::new(window, &random(1, 9)).unwrap();
    refused(bias.add(&mut scores[..5], [1, 5], 0), "tokens", 5.0);
    refused(bias.add(&mut scores[..2], [2, 1], 3), "tokens", 5.0);
    refused(bias.table_gradient(&scores, &mut [0.0; 9]), "score gradients", 12.0);
    refused(Window::new([1, 1025], WindowForm::Signed), "window width", 1025.0);

    refused(AxisEmbedding::new(&[], 2, [1, 1]), "axis table", 0.0);
    refused(AxisEmbedding::new(&[0.0; 3], 2, [1, 1]), "axis table", 3.0);
    refused(AxisEmbedding::new(&[0.0; 3], 0, [1, 1]), "features", 0.0);
    refused(AxisEmbedding::new(&[0.0; 3], 1, [0, 1]), "queries", 0.0);
    refused(AxisEmbedding::new(&[0.0; 3], 1, [1, HUGE]), "keys", HUGE as f64);
    let axis = |features: usize| AxisEmbedding::new(&[0.0; 6], features, [2, 2]).unwrap();
    refused(DecomposedBias::new(axis(2), axis(1)), "axis features", 1.0);
    let bias = DecomposedBias::new(axis(2), axis(2)).unwrap();
    refused(bias.add(&mut [0.0_f32; 16], &[0.0; 7], 1), "queries", 7.0);
    refused(bias.add(&mut [0.0_f32; 15], &[0.0; 8], 1), "scores", 15.0);
    refused(bias.add(&mut [0.0_f32; 16], &[0.0; 8], HUGE), "scores", HUGE as f64);
    // Places beyond the axis are its last.
    assert_eq!(axis(2).index(HUGE, HUGE), axis(2).index(1, 1));
}

#[test]
fn stabilisers_and_rows() {
    let mut table = [7.0; 6];
    refused(Stabiliser::Tanh.apply(&mut table, 0), "features", 0.0);
    refused(Stabiliser::ScaleToUnit.apply(&mut table, 4), "table", 6.0);
    for epsilon in [-1.0, f64::NAN, f64::INFINITY] {
        refused(Stabiliser::RmsNorm { epsilon, gain: None }.apply(&mut table, 3), "epsilon", epsilon);
    }
    let short = Some(&[1.0_f32, 1.0][..]);
    refused(Stabiliser::RmsNorm { epsilon: 0.0, gain: short }.apply(&mut table, 3), "gain", 2.0);
    refused(Stabiliser::LayerNorm { epsilon: 0.0, gain: None, shift: short }.apply(&mut table, 3), "shift", 2.0);
    assert_eq!(table, [7.0; 6]);
    let embedding = RelativeEmbedding::new(vec![1.0; 6], Clip::symmetric(1), 2).unwrap();
    refused(embedding.add_weighted(&mut [0.0_f32; 3], &[0.0; 4], [2, 2], 0), "outputs", 3.0);
    refused(embedding.add_weighted(&mut [0.0_f32; 4], &[0.0; 5], [2, 2], 0), "scores", 5.0);
    refused(embedding.weights_gradient(&[0.0_f32; 7], [2, 2], 0, &mut table), "relative rows", 7.0);
    refused(embedding.weights_gradient(&[0.0_f32; 8], [2, 2], 0, &mut table[1..]), "weights gradient", 5.0);
}

#[test]
fn columns_beyond_all_numbers_are_none_or_the_last() {
    let clip = Clip { left: HUGE, right: HUGE };
    assert_eq!((clip.column(i64::MIN), clip.column(1)), (Some(HUGE - (1 << 63)), Some(HUGE)));
    assert_eq!([0, 1].map(|distance| Reversed(clip).column(distance)), [None; 2]);
    let table = DistanceTable::new(&[1.0; 3], Clip::symmetric(1)).unwrap();
    assert_eq!(table.stored(0, -1, 3), Some(&[1.0; 3][..]));
    assert_eq!([1, HUGE / 2, HUGE].map(|head| table.stored(head, -1, 3)), [None; 3]);
}

#[test]
fn no_scores_of_large_pictures_take_no_memory() {
    // A row of these scores would have 2^32 keys.
    let axis = AxisEmbedding::new(&[1.0], 1, [1 << 16, 1 << 16]).unwrap();
    let bias = DecomposedBias::new(axis.clone(), axis).unwrap();
    assert_eq!(bias.add::<f32>(&mut [], &[], 0), Ok(()));
}

//! What keeps tables tame, against the oracle.
//! They stand apart because they work on rows of learned tables, whatever these are for.

use posenc::{Clip, RelativeEmbedding, Stabiliser};
use posenc_oracle::relative as oracle;
use posenc_oracle::tolerance::EXACT_ULP;
use posenc_oracle::ulp::ulp_error;
use proptest::prelude::*;

use crate::{random, tried};

fn assert_near(got: &[f32], want: impl IntoIterator<Item = f64>, scale: f64) {
    let want: Vec<f64> = want.into_iter().collect();
    assert_eq!(got.len(), want.len());
    for (&got, want) in got.iter().zip(want) {
        let near = (f64::from(got) - want).abs() <= 1e-12 * scale || ulp_error(got, want) <= EXACT_ULP;
        assert!(near, "{got:e}, not {want:e}");
    }
}

proptest! {
    #![proptest_config(tried(200))]

    #[test]
    fn norms_are_those_of_the_oracle(
        rows in 0..5_usize, features in 1..40_usize, epsilon in 0.0..0.1_f64, affine in any::<bool>(), size in -8..8_i32
    ) {
        let scale = 10.0_f32.powi(size);
        let table: Vec<f32> = random(1, rows * features).into_iter().map(|x| x * scale).collect();
        let (gain, shift) = (random(2, features), random(3, features));
        let wide = |x: &[f32]| x.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
        let (some_gain, some_shift) = (affine.then_some(&gain[..]), affine.then_some(&shift[..]));
        let with = |row: Vec<f64>, shifted: bool| -> Vec<f64> {
            let factor = |i: usize| if affine { f64::from(gain[i]) } else { 1.0 };
            let added = |i: usize| if affine && shifted { f64::from(shift[i]) } else { 0.0 };
            row.iter().enumerate().map(|(i, x)| x * factor(i) + added(i)).collect()
        };

        let mut got = table.clone();
        Stabiliser::LayerNorm { epsilon, gain: some_gain, shift: some_shift }.apply(&mut got, features).unwrap();
        let normal = |row: &[f32]| oracle::layer_norm(&wide(row), epsilon);
        // A single feature is its own mean; what the oracle divides by may be 0.
        if features > 1 || epsilon > 0.0 {
            let want = table.chunks_exact(features).flat_map(|row| with(normal(row), true));
            assert_near(&got, want, 1e3);
        }

        let mut got = table.clone();
        Stabiliser::RmsNorm { epsilon, gain: some_gain }.apply(&mut got, features).unwrap();
        let want = table.chunks_exact(features).flat_map(|row| {
            let row = wide(row);
            let square = row.iter().map(|x| x * x).sum::<f64>() / features as f64;
            with(row.iter().map(|x| x / (square + epsilon).sqrt()).collect(), false)
        });
        assert_near(&got, want, 1.0);
    }

    #[test]
    fn tables_come_to_lie_between_minus_one_and_one(rows in 0..5_usize, features in 1..9_usize, size in -30..30_i32) {
        let scale = 10.0_f32.powi(size);
        let table: Vec<f32> = random(1, rows * features).into_iter().map(|x| x * scale).collect();
        let wide: Vec<f64> = table.iter().map(|&x| x.into()).collect();
        let mut scaled = table.clone();
        Stabiliser::ScaleToUnit.apply(&mut scaled, features).unwrap();
        assert_near(&scaled, oracle::scaled_to_unit(&wide), 0.0);
        let mut squashed = table;
        Stabiliser::Tanh.apply(&mut squashed, features).unwrap();
        assert_near(&squashed, wide.iter().map(|x| x.tanh()), 0.0);
        for x in scaled.iter().chain(&squashed) {
            prop_assert!(x.abs() <= 1.0);
        }
    }
}

#[test]
fn the_methods_of_an_embedding_are_the_stabilisers() {
    let clip = Clip::symmetric(3);
    let embedding = RelativeEmbedding::new(random(1, 35), clip, 5).unwrap();
    let applied = |stabiliser: Stabiliser<'_>| {
        let mut table = embedding.weights().to_vec();
        stabiliser.apply(&mut table, 5).unwrap();
        table
    };
    assert_eq!(embedding.clone().scaled_to_unit().weights(), applied(Stabiliser::ScaleToUnit));
    let norm = Stabiliser::LayerNorm { epsilon: 1e-5, gain: None, shift: None };
    assert_eq!(embedding.clone().layer_norm(1e-5).unwrap().weights(), applied(norm));
    assert_eq!(embedding.clone().stabilised(&Stabiliser::Tanh).unwrap().weights(), applied(Stabiliser::Tanh));
}

#[test]
fn rows_without_spread_become_zeros() {
    let mut table = [3.0, 3.0, 3.0, 0.0, 0.0, 0.0];
    Stabiliser::LayerNorm { epsilon: 0.0, gain: None, shift: None }.apply(&mut table, 3).unwrap();
    assert_eq!(table, [0.0; 6]);
    Stabiliser::RmsNorm { epsilon: 0.0, gain: None }.apply(&mut table, 3).unwrap();
    Stabiliser::ScaleToUnit.apply(&mut table, 3).unwrap();
    assert_eq!(table, [0.0; 6]);
    // A NaN does not vanish.
    let mut table = [f32::NAN, 1.0];
    Stabiliser::RmsNorm { epsilon: 0.0, gain: None }.apply(&mut table, 2).unwrap();
    assert!(table.iter().all(|x| x.is_nan()));
}

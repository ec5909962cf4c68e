//! Real coordinates: timesteps, Fourier features, Time2Vec, against exact products and the addition theorem.

use posenc::{Coordinates, FourierFeatures, Frequencies, Order, Positions, Sinusoidal, Time2Vec};
use posenc_oracle::absolute::wave;
use posenc_oracle::tolerance::{EXACT_ULP, WAVE};
use posenc_oracle::ulp::ulp_error;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::levels;
use crate::support::{Kind, assert_same, for_every_kind, numbers};
use crate::tried;

/// Frequencies from far below to far above a turn for each step.
fn frequencies() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), -1.0..1.0_f64, -7.0..7.0_f64, -2000.0..2000.0_f64, 1e-9..1e-3_f64]
}

/// Coordinates of up to 24 digits.
fn short() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0_f32), -1.0..1.0_f32, -1000.0..1000.0_f32, -1e6..1e6_f32, 1e-30..1e-20_f32].prop_map(f64::from)
}

/// Coordinates of 53 digits.
fn long() -> impl Strategy<Value = f64> {
    prop_oneof![-1.0..1.0_f64, -1000.0..1000.0_f64, -1e6..1e6_f64]
}

proptest! {
    #![proptest_config(tried(200))]

    #[test]
    fn short_coordinates_are_as_exact_as_whole_numbers(values in vec(frequencies(), 1..40), at in vec(short(), 1..4)) {
        let encoding = Sinusoidal::from_frequencies(&Frequencies::from_values(values.clone()).unwrap());
        for level in levels() {
            let rows = encoding.clone().with_order(Order::SinCos).with_level(level).table_at(&at).unwrap();
            for (row, &at) in rows.chunks(2 * values.len()).zip(&at) {
                for (j, &frequency) in values.iter().enumerate() {
                    let want = wave(&[(at, frequency)]);
                    let error = ulp_error(row[j], want.sin).max(ulp_error(row[values.len() + j], want.cos));
                    prop_assert!(error <= EXACT_ULP, "{level}: {at} · {frequency}: {error} ULP");
                }
            }
        }
    }

    #[test]
    fn long_coordinates_keep_their_digits(values in vec(frequencies(), 1..40), at in long()) {
        let encoding = Sinusoidal::from_frequencies(&Frequencies::from_values(values.clone()).unwrap());
        let scalar = encoding.clone().with_level(posenc::Level::named("scalar").unwrap());
        let mut want = vec![0.0_f64; 2 * values.len()];
        scalar.write_at(&mut want, &[at]).unwrap();
        for (j, &frequency) in values.iter().enumerate() {
            let point = wave(&[(at, frequency)]);
            let error = (want[2 * j] - point.sin).abs().max((want[2 * j + 1] - point.cos).abs());
            prop_assert!(error <= WAVE, "{at} · {frequency}: off by {error:e}");
        }
        for level in levels() {
            let mut got = vec![0.0_f64; 2 * values.len()];
            encoding.clone().with_level(level).write_at(&mut got, &[at]).unwrap();
            prop_assert_eq!(&got, &want, "{}", level);
        }
    }

    #[test]
    fn axes_add_their_angles(matrix in vec(frequencies(), 3 * 7), points in vec(long(), 3 * 2)) {
        let features = FourierFeatures::new(&matrix, 3).unwrap().with_coordinates(Coordinates::First);
        for level in levels() {
            let mut rows = vec![0.0_f64; 2 * features.features()];
            features.clone().with_level(level).write(&mut rows, &points).unwrap();
            for (row, point) in rows.chunks(17).zip(points.chunks(3)) {
                prop_assert_eq!(&row[..3], point);
                for j in 0..7 {
                    let parts: Vec<(f64, f64)> = (0..3).map(|axis| (point[axis], matrix[axis * 7 + j])).collect();
                    let want = wave(&parts);
                    let error = (row[3 + j] - want.sin).abs().max((row[10 + j] - want.cos).abs());
                    prop_assert!(error <= 3.0 * WAVE, "{level}: {parts:?}: off by {error:e}");
                }
            }
        }
    }

    #[test]
    fn times_have_phases(w in vec(frequencies(), 1..20), b in vec(-4.0..4.0_f64, 20), time in long()) {
        let b = &b[..w.len()];
        for level in levels() {
            let mut row = vec![0.0_f64; w.len()];
            Time2Vec::new(&w, b).unwrap().with_level(level).write(&mut row, &[time]).unwrap();
            prop_assert_eq!(row[0], w[0] * time + b[0]);
            for j in 1..w.len() {
                let error = (row[j] - wave(&[(time, w[j]), (1.0, b[j])]).sin).abs();
                prop_assert!(error <= 2.0 * WAVE, "{level}: feature {j}: off by {error:e}");
            }
        }
    }
}

/// A row is added as it is written, alone or among others.
fn points_are_added<K: Kind>(blocks: usize)
where
    K::Work: Kind<Work = K::Work>,
{
    let features = FourierFeatures::octaves(2, blocks, 1.0).unwrap().with_embedding_scale(-0.5).unwrap();
    let points: Vec<f64> = (0..2 * 67).map(|i| f64::from(i) * 0.013 - 0.8).collect();
    let x: Vec<K> = numbers(5, 67 * features.features());
    let mut rows = vec![K::Work::default(); x.len()];
    features.write(&mut rows, &points).unwrap();
    let scale: K::Work = crate::support::Number::of(-0.5);
    let want: Vec<K> = x.iter().zip(&rows).map(|(x, &row)| K::nearest(x.wide() * scale + row)).collect();
    for level in levels() {
        let (features, mut got) = (features.clone().with_level(level), x.clone());
        features.add(&mut got, &points).unwrap();
        assert_same(&got, &want, format_args!("{level}: {blocks} octaves"));
        let mut alone = vec![K::Work::default(); features.features()];
        features.write(&mut alone, &points[2 * 40..][..2]).unwrap();
        assert_same(&alone, &rows[40 * alone.len()..][..alone.len()], format_args!("{level}: one point"));
    }
}

#[test]
fn fourier_features_are_added_with_one_rounding() {
    for blocks in [1, 3, 10] {
        for_every_kind!(points_are_added(blocks));
    }
}

#[test]
fn a_quarter_of_a_step_is_its_own_position() {
    // In steps of a quarter, with a frequency four times as high, positions are whole.
    let slow = Sinusoidal::new(64, 10_000.0).unwrap();
    let fast = slow.clone().with_position_scale(4.0).unwrap();
    for level in levels() {
        let quarters = fast.clone().with_level(level).table_at(&[0.25, 10.75, -3.5]).unwrap();
        let whole = slow.clone().with_level(level).table(&Positions::ids(&[1, 43, -14]), 3).unwrap();
        assert_eq!(quarters, whole, "{level}");
    }
}

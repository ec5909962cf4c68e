//! Real coordinates: timesteps, Fourier features, Time2Vec, against exact products and the addition theorem.

use posenc::{FourierFeatures, Frequencies, Leading, Level, Order, Positions, Sinusoidal, Time2Vec};
use posenc_oracle::absolute::wave;
use posenc_oracle::tolerance::{EXACT_ULP, WAVE};
use posenc_oracle::ulp::ulp_error;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::levels;
use crate::support::{Kind, Number, assert_same, for_every_kind, numbers};
use crate::tried;

/// Frequencies from far below to far above a turn for each step.
fn frequencies() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), -1.0..1.0_f64, -7.0..7.0_f64, -2000.0..2000.0_f64, 1e-9..1e-3_f64]
}

/// Coordinates of 53 digits, and of few.
fn coordinates() -> impl Strategy<Value = f64> {
    let short = prop_oneof![Just(0.0), Just(0.5), -1000.0..1000.0_f32].prop_map(f64::from);
    prop_oneof![short, -1.0..1.0_f64, -1000.0..1000.0_f64, -1e5..1e5_f64]
}

proptest! {
    #![proptest_config(tried(200))]

    #[test]
    fn timesteps_are_exact(values in vec(frequencies(), 1..40), at in vec(coordinates(), 1..4)) {
        let encoding = Sinusoidal::from_frequencies(&Frequencies::from_values(values.clone()).unwrap());
        for level in levels() {
            let encoding = encoding.clone().with_order(Order::SinCos).with_level(level);
            let rows = encoding.table(&Positions::fractions(&at), at.len()).unwrap();
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
    fn axes_add_their_angles(matrix in vec(frequencies(), 3 * 7), points in vec(coordinates(), 3 * 2)) {
        let features = FourierFeatures::new(&matrix, 3).unwrap().with_leading(Leading::Coordinates);
        for level in levels() {
            let mut rows = vec![0.0_f64; 2 * features.features()];
            features.clone().with_level(level).write(&mut rows, &Positions::axes(&points, 3)).unwrap();
            for (i, row) in rows.chunks(17).enumerate() {
                let point = [points[i], points[2 + i], points[4 + i]];
                prop_assert_eq!(&row[..3], &point);
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
    fn times_have_phases(w in vec(frequencies(), 1..20), b in vec(-4.0..4.0_f64, 20), time in coordinates()) {
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

/// A row is added as it is written, alone or among others, in one thread or in many.
fn points_are_added<K: Kind>(octaves: usize)
where
    K::Work: Kind<Work = K::Work>,
{
    let features = FourierFeatures::octaves(2, octaves, 1.0).unwrap().with_embedding_scale(-0.5).unwrap();
    let count = 67;
    let points: Vec<f64> = (0..2 * count).map(|i| i as f64 * 0.013 - 0.8).collect();
    let positions = Positions::axes(&points, 2);
    let x: Vec<K> = numbers(5, count * features.features());
    let mut rows = vec![K::Work::default(); x.len()];
    features.clone().with_level(Level::named("scalar").unwrap()).write(&mut rows, &positions).unwrap();
    let scale = K::Work::of(-0.5);
    let want: Vec<K> = x.iter().zip(&rows).map(|(x, &row)| K::nearest(x.wide() * scale + row)).collect();
    for level in levels() {
        let (features, mut got) = (features.clone().with_level(level), x.clone());
        features.add(&mut got, &positions).unwrap();
        assert_same(&got, &want, format_args!("{level}: {octaves} octaves"));
        let mut alone = vec![K::Work::default(); features.features()];
        features.write(&mut alone, &Positions::axes(&[points[40], points[count + 40]], 2)).unwrap();
        assert_same(&alone, &rows[40 * alone.len()..][..alone.len()], format_args!("{level}: one point"));
    }
}

#[test]
fn fourier_features_are_added_with_one_rounding() {
    for octaves in [1, 3, 10] {
        for_every_kind!(points_are_added(octaves));
    }
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_is_serial() {
    use crate::support::in_pool;
    let features = FourierFeatures::random(3, 33, 1.0, 7).unwrap();
    let count = 4000;
    let points: Vec<f32> = numbers(4, 3 * count);
    let positions = Positions::axes(&points, 3);
    let mut serial: Vec<half::f16> = numbers(6, count * features.features());
    let mut parallel = serial.clone();
    features.add(&mut serial, &positions).unwrap();
    in_pool(|| features.par_add(&mut parallel, &positions)).unwrap();
    assert_same(&parallel, &serial, "added");
    features.write(&mut serial, &positions).unwrap();
    in_pool(|| features.par_write(&mut parallel, &positions)).unwrap();
    assert_same(&parallel, &serial, "written");
}

#[test]
fn a_quarter_of_a_step_is_its_own_position() {
    // In steps of a quarter, with a frequency four times as high, positions are whole.
    let slow = Sinusoidal::new(64, 10_000.0).unwrap();
    let fast = slow.clone().with_position_scale(4.0).unwrap();
    for level in levels() {
        let at = Positions::fractions(&[0.25, 10.75, -3.5]);
        let quarters = fast.clone().with_level(level).table(&at, 3).unwrap();
        let whole = slow.clone().with_level(level).table(&Positions::ids(&[1, 43, -14]), 3).unwrap();
        assert_eq!(quarters, whole, "{level}");
    }
}

#[test]
fn only_the_padding_itself_is_zero() {
    let encoding = Sinusoidal::new(2, 10_000.0).unwrap().with_padding(1);
    for level in levels() {
        let at = Positions::fractions(&[1.0, 1.5, -1.0]);
        let rows = encoding.clone().with_level(level).table(&at, 3).unwrap();
        assert_eq!(rows[..2], [0.0; 2], "{level}");
        assert!(rows[2..].iter().all(|&x| x != 0.0), "{level}: {rows:?}");
    }
}

#[test]
fn frequencies_of_several_axes_read_them() {
    let frequencies = Frequencies::axial(&[(4, 100.0), (2, 100.0)]).unwrap();
    for level in levels() {
        let encoding = Sinusoidal::from_frequencies(&frequencies).with_order(Order::SinCos).with_level(level);
        let row = encoding.table(&Positions::axes(&[3.0, 0.5], 2), 1).unwrap();
        let want = [(3.0, 1.0), (3.0, 0.1), (0.5, 1.0)].map(|part| wave(&[part]));
        for (j, want) in want.iter().enumerate() {
            assert!(ulp_error(row[j], want.sin).max(ulp_error(row[3 + j], want.cos)) <= EXACT_ULP, "{level}: pair {j}");
        }
    }
}

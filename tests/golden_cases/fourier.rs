//! Sines and cosines of real coordinates: Fourier features, timesteps, Time2Vec.
//! They stand apart because their coordinates are no positions of tokens.

use std::f64::consts::{PI, TAU};

use posenc::{Divisor, FourierFeatures, Frequencies, Leading, Order, Positions, Sinusoidal, Time2Vec};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::{GOLDEN_VALUE, golden_table};
use serde_json::Value;

use crate::{Case, assert_near, assert_near_single, check_all, common, golden};

fn case(start: &str) -> Case {
    golden!("sinusoid").into_iter().find(|case| case.id().starts_with(start)).expect(start)
}

#[test]
fn perceiver() {
    let case = case("perceiver fourier features");
    let ([height, width], bands) = (case.shape::<2>("/params/index_dims"), case.count("/params/num_bands"));
    let spread = |from: f64, to: f64, count: usize| -> Vec<f64> {
        (0..count).map(|i| from + (to - from) * i as f64 / (count - 1) as f64).collect()
    };
    let [y, x] = [height, width].map(|size| spread(1.0, size as f64 / 2.0, bands).iter().map(|f| f * PI).collect());
    let (y, x): (Vec<f64>, Vec<f64>) = (y, x);
    let (rows, columns) = (spread(-1.0, 1.0, height), spread(-1.0, 1.0, width));
    let cells = height * width;
    let points: Vec<f64> =
        (0..2 * cells).map(|i| if i < cells { rows[i / width] } else { columns[i % width] }).collect();
    for level in common::levels() {
        let features = FourierFeatures::bands(&[&y, &x]).unwrap().with_leading(Leading::Coordinates);
        let got = features.with_level(level).table(&Positions::axes(&points, 2), cells).unwrap();
        assert_near_single(case.id(), &got, &case.singles("/expect/rows_f32"), golden_table(1.5 * PI));
    }
}

#[test]
fn sam() {
    let case = case("SAM random gaussian fourier");
    let [axes, pairs] = case.shape("/params/G_shape");
    let matrix = golden_inputs(case.count("/params/G_seed") as u64, axes * pairs);
    let matrix: Vec<f64> = matrix.into_iter().map(|g| TAU * f64::from(g)).collect();
    let [height, width] = case.shape::<2>("/params/input_shape_hw").map(|size| size as f64);
    let points = case.numbers("/params/coords_xy");
    let axis = |axis: usize, size: f64| points.iter().skip(axis).step_by(2).map(move |x| 2.0 * x / size - 1.0);
    let points: Vec<f64> = axis(0, width).chain(axis(1, height)).collect();
    for level in common::levels() {
        let got = FourierFeatures::new(&matrix, axes).unwrap().with_level(level);
        let got = got.table(&Positions::axes(&points, axes), points.len() / axes).unwrap();
        assert_near_single(case.id(), &got, &case.singles("/expect/rows_f32"), golden_table(2.0 * TAU));
    }
}

#[test]
fn nerf() {
    let case = case("NeRF encoding");
    let features = FourierFeatures::octaves(3, case.count("/params/L"), PI).unwrap();
    let features = features.with_leading(Leading::Coordinates);
    let (points, want) = (case.numbers("/params/x"), case.numbers("/expect/rows_f64"));
    for level in common::levels() {
        let mut got = vec![0.0_f64; features.features()];
        features.clone().with_level(level).write(&mut got, &Positions::axes(&points, 3)).unwrap();
        // The reference rounds its angles to f64.
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            assert!((got - want).abs() <= 8.0 * PI * f64::EPSILON, "{level}, feature {i}: {got} is not {want}");
        }
    }
}

#[test]
fn time2vec() {
    let case = case("time2vec");
    let encoding = Time2Vec::new(&case.numbers("/params/w"), &case.numbers("/params/b")).unwrap();
    for level in common::levels() {
        let got = encoding.clone().with_level(level).table(&[case.number("/params/t")]).unwrap();
        assert_near(case.id(), &got, &case.numbers("/expect/rows_f64"), GOLDEN_VALUE);
    }
}

/// The encoding of a case of timesteps, and its largest frequency.
fn timesteps(case: &Case) -> (Sinusoidal, f64) {
    let number =
        |name: &str, otherwise: f64| case.get(&format!("/params/{name}")).map_or(otherwise, |x| x.as_f64().unwrap());
    let flipped = case.get("/params/flip_sin_to_cos").is_some_and(|flip| flip == &Value::Bool(true));
    let order = if flipped { Order::CosSin } else { Order::SinCos };
    if case.id().starts_with("pi0") {
        let (low, high) = (number("min_period", 1.0), number("max_period", 1.0));
        let pairs = case.count("/params/hidden_size") / 2;
        let period = |i: usize| low * (high / low).powf(i as f64 / (pairs - 1) as f64);
        let frequencies = Frequencies::from_values((0..pairs).map(|i| TAU / period(i)).collect()).unwrap();
        return (Sinusoidal::from_frequencies(&frequencies).with_order(order), TAU / low);
    }
    if case.id().starts_with("gaussian") {
        let weights =
            golden_inputs(case.count("/params/weight_seed") as u64, case.shape::<1>("/params/weight_shape")[0]);
        let frequencies = weights.into_iter().map(|w| TAU * f64::from(w)).collect();
        let frequencies = Frequencies::from_values(frequencies).unwrap();
        return (Sinusoidal::from_frequencies(&frequencies).with_order(order), TAU);
    }
    let divisor = Divisor::HalfLess(number("downscale_freq_shift", 1.0));
    let encoding = Sinusoidal::with_divisor(case.count("/params/embedding_dim"), number("max_period", 1e4), divisor);
    let scale = number("scale", 1.0);
    (encoding.unwrap().with_order(order).with_position_scale(scale).unwrap(), scale)
}

#[test]
fn timesteps_of_diffusion_models() {
    check_all(&golden!("timestep"), &[], |case| {
        let path = if case.get("/params/x").is_some() { "/params/x" } else { "/params/timesteps" };
        // The references took their times as f32.
        let times: Vec<f32> = case.numbers(path).into_iter().map(|t| t as f32).collect();
        let (encoding, largest) = timesteps(case);
        let angle = times.iter().fold(0.0_f64, |angle, &t| angle.max(f64::from(t) * largest));
        for level in common::levels() {
            let got = encoding.clone().with_level(level).table(&Positions::fractions(&times), times.len()).unwrap();
            let what = format!("{} at {level}", case.id());
            assert_near_single(&what, &got, &case.singles("/expect/rows_f32"), golden_table(angle));
        }
    });
}

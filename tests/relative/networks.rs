//! Gradients of the parameters of small networks: against central differences of their outputs, which are those of the
//! oracle's layers, and of the biases that are made of them.

use posenc::{DistanceBias, DistanceScale, Error, Mlp, dynamic_bias};

use crate::random;

/// A step that f32 parameters below 2 take without rounding.
const STEP: f64 = 1.0 / (1 << 20) as f64;

/// All kinds of layers, from so many inputs to so many outputs.
fn network(inputs: usize, outputs: usize, parameters: &[f32]) -> Mlp {
    let mut rest = parameters;
    let mut next = |count: usize| {
        let (first, others) = rest.split_at(count);
        rest = others;
        first
    };
    let network = Mlp::new(inputs).unwrap().linear(next(4 * inputs), next(4)).unwrap();
    let network = network.layer_norm(1e-3, next(4), next(4)).unwrap().silu();
    let network = network.linear(next(20), next(5)).unwrap().relu();
    let network = network.linear(next(5 * outputs), next(outputs)).unwrap();
    assert!(rest.is_empty());
    network
}

fn count(inputs: usize, outputs: usize) -> usize {
    4 * inputs + 4 + 8 + 25 + 6 * outputs
}

/// The slopes of a function of parameters.
fn slopes(parameters: &[f32], loss: impl Fn(&[f32]) -> f64) -> Vec<f64> {
    let moved = |at: usize, by: f64| {
        let mut moved = parameters.to_vec();
        moved[at] = (f64::from(moved[at]) + by) as f32;
        loss(&moved)
    };
    (0..parameters.len()).map(|at| (moved(at, STEP) - moved(at, -STEP)) / (2.0 * STEP)).collect()
}

#[track_caller]
fn assert_slopes(what: &str, got: &[f32], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    assert!(want.iter().any(|&want| want != 0.0), "{what}: nothing depends on anything");
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let error = (f64::from(got) - want).abs();
        assert!(error <= 1e-6 * want.abs() + 1e-7, "{what}, parameter {i}: {got}, not {want}");
    }
}

#[test]
fn parameters_of_every_kind_of_layer() {
    for (inputs, outputs, rows) in [(1, 1, 1), (2, 3, 7), (5, 2, 4), (3, 1, 0)] {
        let parameters = random(3, count(inputs, outputs));
        let given: Vec<f64> = random(4, rows * inputs).into_iter().map(f64::from).collect();
        let y = random(5, rows * outputs);
        let made = network(inputs, outputs, &parameters);
        assert_eq!(made.parameters(), parameters.len());
        let mut gradient = vec![0.0; parameters.len()];
        made.parameters_gradient(&given, &y, &mut gradient).unwrap();
        if rows == 0 {
            assert!(gradient.iter().all(|&x| x == 0.0));
            continue;
        }
        let want = slopes(&parameters, |parameters| {
            let mut out = vec![0.0; y.len()];
            network(inputs, outputs, parameters).run(&given, &mut out).unwrap();
            out.iter().zip(&y).map(|(out, &y)| out * f64::from(y)).sum()
        });
        assert_slopes(&format!("{inputs} inputs, {outputs} outputs"), &gradient, &want);
        // It adds to what is there.
        made.parameters_gradient(&given, &y, &mut gradient).unwrap();
        assert_slopes("twice", &gradient, &want.iter().map(|x| 2.0 * x).collect::<Vec<_>>());
    }
}

/// Values of a dynamic bias are rounded to f32, so both sides are only as near.
#[test]
fn parameters_of_a_dynamic_bias() {
    let (heads, size, first_query, scale) = (2, [3, 9], 4, DistanceScale::Logarithmic);
    let parameters = random(8, count(1, heads));
    let y = random(9, heads * size[0] * size[1]);
    let bias = |parameters: &[f32]| dynamic_bias(&network(1, heads, parameters), scale, -9..=9).unwrap();
    let mut outputs = vec![0.0; 19 * heads];
    bias(&parameters).table_gradient(&y, size, first_query, &mut outputs).unwrap();
    let inputs: Vec<f64> = (-9..=9).map(|distance: i64| scale.of(-distance)).collect();
    let mut gradient = vec![0.0; parameters.len()];
    network(1, heads, &parameters).parameters_gradient(&inputs, &outputs, &mut gradient).unwrap();
    // The last layer enters as a factor.
    let last = parameters.len() - 6 * heads;
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    let mut scores = vec![0.0_f32; y.len()];
    bias(&parameters).write(&mut scores, size, first_query).unwrap();
    let (forward, backward) = (dot(&scores, &y), dot(&parameters[last..], &gradient[last..]));
    assert!((forward - backward).abs() < 1e-5, "{forward} {backward}");
}

#[test]
fn gradients_of_another_size_are_refused_whole() {
    let made = network(2, 3, &random(1, count(2, 3)));
    let mut gradient = vec![7.0; count(2, 3)];
    let refused = |what, expected, found| Err(Error::Length { what, expected, found });
    assert_eq!(made.parameters_gradient(&[0.0; 3], &[0.0_f32; 3], &mut gradient), refused("network inputs", 2, 3));
    assert_eq!(made.parameters_gradient(&[0.0; 4], &[0.0_f32; 3], &mut gradient), refused("output gradients", 6, 3));
    let short = made.parameters_gradient(&[0.0; 2], &[0.0_f32; 3], &mut gradient[1..]);
    assert_eq!(short, refused("parameters gradient", count(2, 3), count(2, 3) - 1));
    assert!(gradient.iter().all(|&x| x == 7.0));
    // No layers, no parameters.
    assert_eq!(Mlp::new(1).unwrap().parameters_gradient(&[1.0], &[1.0_f64], &mut []), Ok(()));
}

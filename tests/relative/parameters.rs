//! Gradients of the parameters of biases that are formulas: against central differences of the oracle's formulas, by the
//! identity `⟨bias, y⟩ = ⟨parameter, gradient(y)⟩` where a parameter enters as a factor, and in parts.
//! They stand apart from the gradients of tables because these are rounded.

use posenc::{Alibi, AlibiForm, DistanceBias, Error, Fire, FireGradient, FireWeights, GatedBias, Kerple, KerpleForm};
use posenc_oracle::bias::{Scores, from_distance};
use posenc_oracle::functional::{fire_input, kerple_log, kerple_power, rectified};
use proptest::prelude::*;

use crate::{random, sizes, tried};

/// A step that f32 parameters below 2 take without rounding.
const STEP: f64 = 1.0 / (1 << 20) as f64;

/// `Σ y·bias` over all scores, in the oracle's formulas.
fn loss(heads: usize, size: [usize; 2], first_query: usize, y: &[f32], bias: impl Fn(usize, i64) -> f64) -> f64 {
    let scores = Scores { heads, queries: size[0], keys: size[1], first_query: first_query as i64 };
    from_distance(scores, bias).iter().zip(y).map(|(bias, &y)| bias * f64::from(y)).sum()
}

/// The slope of a function at a place.
fn slope(at: f64, function: impl Fn(f64) -> f64) -> f64 {
    (function(at + STEP) - function(at - STEP)) / (2.0 * STEP)
}

/// Both are the same but for the rounding of the sum to f32, and that of the differences.
#[track_caller]
fn assert_slope(what: &str, got: f32, want: f64, scale: f64) {
    let error = (f64::from(got) - want).abs();
    assert!(error <= 1e-6 * want.abs() + 1e-8 * (1.0 + scale), "{what}: {got}, not {want}");
}

/// Positive numbers in [0.25, 1.25).
fn positive(seed: u64, count: usize) -> Vec<f32> {
    random(seed, count).into_iter().map(|x| 0.75 + 0.5 * x).collect()
}

proptest! {
    #![proptest_config(tried(60))]

    #[test]
    fn kernels_of_the_distance(
        power in any::<bool>(), heads in 1..4_usize, (size, first_query) in sizes(), seed in any::<u16>()
    ) {
        let (form, formula): (_, fn(i64, f64, f64) -> f64) =
            if power { (KerpleForm::Power, kerple_power) } else { (KerpleForm::Logarithmic, kerple_log) };
        let (r1, r2) = (positive(seed.into(), heads), positive(u64::from(seed) + 1, heads));
        let y = random(u64::from(seed) + 2, heads * size[0] * size[1]);
        let bias = Kerple::new(form, &r1, &r2).unwrap();
        let (mut of_r1, mut of_r2) = (vec![0.0; heads], vec![0.0; heads]);
        bias.parameters_gradient(&y, size, first_query, [&mut of_r1, &mut of_r2]).unwrap();
        for head in 0..heads {
            let (a, b) = (f64::from(r1[head]), f64::from(r2[head]));
            let y = &y[head * size[0] * size[1]..][..size[0] * size[1]];
            let sum = |a: f64, b: f64| loss(1, size, first_query, y, |_, d| formula(d, a, b));
            let scale = loss(1, size, first_query, &vec![1.0; y.len()], |_, d| formula(d, a, b)).abs();
            assert_slope("r1", of_r1[head], slope(a, |a| sum(a, b)), scale);
            assert_slope("r2", of_r2[head], slope(b, |b| sum(a, b)), scale);
            // r1 is a factor.
            assert_slope("identity", of_r1[head], sum(a, b) / a, scale);
        }
        // It adds to what is there, and takes any element type.
        let (mut again_r1, mut again_r2) = (of_r1.clone(), of_r2.clone());
        let wide: Vec<f64> = y.iter().map(|&y| y.into()).collect();
        bias.parameters_gradient(&wide, size, first_query, [&mut again_r1, &mut again_r2]).unwrap();
        let twice = |once: Vec<f32>| once.into_iter().map(|x| 2.0 * x).collect::<Vec<_>>();
        for (again, once) in again_r1.iter().chain(&again_r2).zip(twice([of_r1, of_r2].concat())) {
            prop_assert!((again - once).abs() <= 2.0 * f32::EPSILON * once.abs());
        }
    }

    /// Whole numbers, so that both sides are exact.
    #[test]
    fn learned_slopes(form in 0..3_usize, heads in 1..4_usize, (size, first_query) in sizes()) {
        let form = [AlibiForm::Causal, AlibiForm::Symmetric, AlibiForm::KeyOnly][form];
        let whole = |seed, count| random(seed, count).into_iter().map(|x| (x * 8.0).round()).collect::<Vec<f32>>();
        let (slopes, y) = (whole(1, heads), whole(2, heads * size[0] * size[1]));
        let bias = Alibi::from_slopes(&slopes).unwrap().with_form(form);
        let (mut scores, mut gradient) = (vec![0.0_f32; y.len()], vec![0.0; heads]);
        bias.write(&mut scores, size, first_query).unwrap();
        bias.slopes_gradient(&y, size, first_query, &mut gradient).unwrap();
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
        prop_assert_eq!(dot(&scores, &y), dot(&slopes, &gradient));
    }

    /// Of whole numbers, and for queries that are a part of those that have gates.
    #[test]
    fn gates_of_queries(
        heads in 1..4_usize, (size, first_query) in sizes(), before in 0..3_usize, after in 0..3_usize,
        key_only in any::<bool>()
    ) {
        let whole = |seed, count| random(seed, count).into_iter().map(|x| (x * 8.0).round()).collect::<Vec<f32>>();
        let form = if key_only { AlibiForm::KeyOnly } else { AlibiForm::Symmetric };
        let alibi = Alibi::from_slopes(&whole(1, heads)).unwrap().with_form(form);
        let first_gate = first_query.saturating_sub(before);
        let count = first_query - first_gate + size[0] + after;
        let (gates, y) = (whole(2, heads * count), whole(3, heads * size[0] * size[1]));
        let gated = GatedBias::new(&alibi, &gates, first_gate).unwrap();
        let (mut scores, mut gradient) = (vec![0.0_f32; y.len()], vec![0.0; gates.len()]);
        gated.write(&mut scores, size, first_query).unwrap();
        gated.gates_gradient(&y, size, first_query, &mut gradient).unwrap();
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
        prop_assert_eq!(dot(&scores, &y), dot(&gates, &gradient));
        // Queries without scores get nothing.
        let is_asked = |query: usize| (first_query..first_query + size[0]).contains(&(first_gate + query));
        prop_assert!(gradient.iter().enumerate().all(|(i, &x)| is_asked(i % count.max(1)) || x == 0.0));
    }
}

/// All parameters of FIRE one behind the other: hidden, hidden biases, output, output biases, c, threshold.
#[derive(Clone)]
struct Parameters {
    values: Vec<f32>,
    units: usize,
    heads: usize,
}

impl Parameters {
    fn weights(&self) -> FireWeights<'_> {
        let (hidden, rest) = self.values.split_at(self.units);
        let (hidden_bias, rest) = rest.split_at(self.units);
        let (output, rest) = rest.split_at(self.units * self.heads);
        let (output_bias, rest) = rest.split_at(self.heads);
        FireWeights { hidden, hidden_bias, output, output_bias, c: rest[0], threshold: rest[1] }
    }

    /// `Σ y·bias`, in the oracle's formulas.
    fn loss(&self, size: [usize; 2], first_query: usize, y: &[f32]) -> f64 {
        let weights = self.weights();
        let (c, threshold) = (weights.c.into(), weights.threshold.into());
        let mut sum = 0.0;
        for (i, &y) in y.iter().enumerate() {
            let (head, query, key) = (i / size[1] / size[0], first_query + i / size[1] % size[0], i % size[1]);
            let input = fire_input(query as i64, key as i64, c, threshold);
            let output = &weights.output[head * self.units..][..self.units];
            let bias = rectified(input, weights.hidden, weights.hidden_bias, output, weights.output_bias[head]);
            sum += bias * f64::from(y);
        }
        sum
    }

    /// The gradients in the same order, added to `sums`.
    fn add_gradient(&self, size: [usize; 2], first_query: usize, y: &[f32], sums: &mut [f32]) {
        let (hidden, rest) = sums.split_at_mut(self.units);
        let (hidden_bias, rest) = rest.split_at_mut(self.units);
        let (output, rest) = rest.split_at_mut(self.units * self.heads);
        let (output_bias, rest) = rest.split_at_mut(self.heads);
        let [c, threshold] = rest else { panic!("two more") };
        let gradient = FireGradient { hidden, hidden_bias, output, output_bias, c, threshold };
        let fire = Fire::new(self.weights(), 200).unwrap();
        fire.weights_gradient(y, size, first_query, gradient).unwrap();
    }

    /// Whether a step of one parameter may switch a unit on or off.
    fn is_near_a_bend(&self, size: [usize; 2], first_query: usize) -> bool {
        let weights = self.weights();
        let sums = (first_query..first_query + size[0]).flat_map(|query| (0..size[1]).map(move |key| (query, key)));
        sums.map(|(query, key)| fire_input(query as i64, key as i64, weights.c.into(), weights.threshold.into())).any(
            |input| {
                let mut units = weights.hidden.iter().zip(weights.hidden_bias);
                units.any(|(&w, &b)| (f64::from(w) * input + f64::from(b)).abs() < 64.0 * STEP)
            },
        )
    }
}

proptest! {
    #![proptest_config(tried(60))]

    #[test]
    fn parameters_of_fire(
        units in 1..6_usize, heads in 1..3_usize, (size, first_query) in sizes(), seed in any::<u16>(),
        threshold in 0..70_u8, signs in any::<[bool; 2]>()
    ) {
        let mut values = random(seed.into(), 2 * units + units * heads + heads);
        let [c, threshold] = [0.125 + f32::from(seed % 16) / 16.0, f32::from(threshold) + 0.5];
        values.extend([if signs[0] { c } else { -c }, if signs[1] { threshold } else { -threshold }]);
        let fire = Parameters { values, units, heads };
        prop_assume!(!fire.is_near_a_bend(size, first_query));
        let y = random(u64::from(seed) + 1, heads * size[0] * size[1]);
        let mut gradient = vec![0.0; fire.values.len()];
        fire.add_gradient(size, first_query, &y, &mut gradient);
        for (i, &got) in gradient.iter().enumerate() {
            // The threshold is larger than other parameters, and its steps too.
            let step = if i + 1 == gradient.len() { 64.0 * STEP } else { STEP };
            let moved = |by: f64| {
                let mut moved = fire.clone();
                moved.values[i] = (f64::from(moved.values[i]) + by) as f32;
                moved.loss(size, first_query, &y)
            };
            let want = (moved(step) - moved(-step)) / (2.0 * step);
            assert_slope(&format!("parameter {i} of {units} units, {heads} heads"), got, want, y.len() as f64);
        }
        // The output layer enters as a factor.
        let linear = 2 * units..2 * units + units * heads + heads;
        let products = fire.values[linear.clone()].iter().zip(&gradient[linear]);
        let sum: f64 = products.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
        prop_assert!((sum - fire.loss(size, first_query, &y)).abs() <= 1e-5 * (1.0 + y.len() as f64));
    }

    /// Queries apart, in two calls that add to one gradient, are the whole.
    #[test]
    fn parts_of_the_queries_are_the_whole(
        heads in 1..3_usize, (size, first_query) in sizes(), cut in any::<u8>(), seed in any::<u16>()
    ) {
        let mut values = random(seed.into(), 6 + 3 * heads + heads);
        values.extend([0.1, 20.0]);
        let fire = Parameters { values, units: 3, heads };
        let y = random(u64::from(seed) + 1, heads * size[0] * size[1]);
        let cut = usize::from(cut) % (size[0] + 1);
        let part = |queries: std::ops::Range<usize>| -> Vec<f32> {
            let row = |head: usize, query: usize| &y[(head * size[0] + query) * size[1]..][..size[1]];
            let rows = (0..heads).flat_map(|head| queries.clone().map(move |query| (head, query)));
            rows.flat_map(|(head, query)| row(head, query).to_vec()).collect()
        };
        let (mut whole, mut parts) = (vec![0.0; fire.values.len()], vec![0.0; fire.values.len()]);
        fire.add_gradient(size, first_query, &y, &mut whole);
        fire.add_gradient([cut, size[1]], first_query, &part(0..cut), &mut parts);
        fire.add_gradient([size[0] - cut, size[1]], first_query + cut, &part(cut..size[0]), &mut parts);
        for (whole, part) in whole.iter().zip(&parts) {
            prop_assert!((whole - part).abs() <= 1e-6 * (1.0 + y.len() as f32), "{} {}", whole, part);
        }
    }
}

/// Where a derivative has two sides: the units of the key at its query, and queries at the threshold.
#[test]
fn sides_of_bends_and_thresholds() {
    let values = vec![0.5, -0.5, 0.0, 0.0, 1.0, 1.0, 0.0, 0.25, 3.0];
    let fire = Parameters { values, units: 2, heads: 1 };
    let gradient = |keys: usize, query: usize| {
        let mut gradient = vec![0.0; 9];
        fire.add_gradient([1, keys], query, &vec![1.0; keys], &mut gradient);
        gradient
    };
    // An input of 0 switches no unit of bias 0 on, whichever way its weight points.
    assert_eq!(gradient(1, 0), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    // The first unit is on for keys before the query.
    assert!(gradient(2, 2)[2] == 2.0 && gradient(2, 2)[3] == 0.0);
    // The threshold counts up to itself.
    assert!(gradient(2, 3)[8] < 0.0);
    assert_eq!(gradient(2, 4)[8], 0.0);
    // Neither c nor the threshold leaves 0.
    let still = Parameters { values: vec![0.5, -0.5, 0.1, 0.2, 1.0, 1.0, 0.0, 0.0, 0.0], units: 2, heads: 1 };
    let mut gradient = vec![0.0; 9];
    still.add_gradient([2, 2], 0, &[1.0; 4], &mut gradient);
    assert_eq!(gradient[7..], [0.0; 2]);
}

#[test]
fn gradients_of_another_size_are_refused_whole() {
    let kerple = Kerple::new(KerpleForm::Power, &[1.0; 2], &[1.0; 2]).unwrap();
    let (mut a, mut b) = ([7.0_f32; 2], [7.0_f32; 3]);
    let refused = |what, expected, found| Err(Error::Length { what, expected, found });
    let y = [1.0_f32; 8];
    assert_eq!(kerple.parameters_gradient(&y, [2, 2], 0, [&mut a, &mut b]), refused("gradient of r2", 2, 3));
    assert_eq!(kerple.parameters_gradient(&y, [2, 2], 0, [&mut b, &mut a]), refused("gradient of r1", 2, 3));
    let short = kerple.parameters_gradient(&y[1..], [2, 2], 0, [&mut a, &mut b[1..]]);
    assert_eq!(short, refused("score gradients", 8, 7));
    let far = Err(Error::Count { what: "distance", expected: "at most 2^24", found: usize::MAX });
    assert_eq!(kerple.parameters_gradient(&y, [2, 2], usize::MAX, [&mut a, &mut b[1..]]), far);

    let alibi = Alibi::from_slopes(&[1.0; 2]).unwrap();
    assert_eq!(alibi.slopes_gradient(&y, [2, 2], 0, &mut b), refused("slopes gradient", 2, 3));
    let gated = GatedBias::new(&alibi, &[1.0; 4], 0).unwrap();
    assert_eq!(gated.gates_gradient(&y, [2, 2], 0, &mut b), refused("gates gradient", 4, 3));
    let first = Error::Count { what: "first query", expected: "queries that have a gate", found: 1 };
    assert_eq!(gated.gates_gradient(&y, [2, 2], 1, &mut [7.0; 4]), Err(first));

    let fire = Parameters { values: vec![0.5; 9], units: 2, heads: 1 };
    let made = Fire::new(fire.weights(), 9).unwrap();
    let [mut two, mut other, mut out, mut bias] = [[7.0; 2], [7.0; 2], [7.0; 2], [7.0; 2]];
    let (mut c, mut threshold) = (7.0, 7.0);
    let mut call = |lengths: [usize; 4], size, query| {
        let gradient = FireGradient {
            hidden: &mut two[..lengths[0]],
            hidden_bias: &mut other[..lengths[1]],
            output: &mut out[..lengths[2]],
            output_bias: &mut bias[..lengths[3]],
            c: &mut c,
            threshold: &mut threshold,
        };
        made.weights_gradient(&y[..4], size, query, gradient)
    };
    assert_eq!(call([1, 2, 2, 1], [2, 2], 0), refused("hidden gradient", 2, 1));
    assert_eq!(call([2, 1, 2, 1], [2, 2], 0), refused("hidden bias gradient", 2, 1));
    assert_eq!(call([2, 2, 1, 1], [2, 2], 0), refused("output gradient", 2, 1));
    assert_eq!(call([2, 2, 2, 2], [2, 2], 0), refused("output bias gradient", 1, 2));
    assert_eq!(call([2, 2, 2, 1], [2, 3], 0), refused("scores", 6, 4));
    assert!(call([2, 2, 2, 1], [2, 2], 9).is_err());
    assert_eq!(
        (a, b, two, other, out, bias, c, threshold),
        ([7.0; 2], [7.0; 3], [7.0; 2], [7.0; 2], [7.0; 2], [7.0; 2], 7.0, 7.0)
    );
}

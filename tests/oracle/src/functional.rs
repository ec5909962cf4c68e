//! Biases that are worked out from the distance or from the tokens, one score at a time, in f64 with std's functions.
//! They stand apart from the crate's tables, pieces and running sums: nothing is shared between two scores.

/// KERPLE, logarithmic: `-r1 ln(1 + r2 d)`.
pub fn kerple_log(distance: i64, r1: f64, r2: f64) -> f64 {
    -r1 * (1.0 + r2 * distance.abs() as f64).ln()
}

/// KERPLE, power: `-r1 d^r2`.
pub fn kerple_power(distance: i64, r1: f64, r2: f64) -> f64 {
    -r1 * (distance.abs() as f64).powf(r2)
}

/// Sandwich for the head of index `head` of so many.
pub fn sandwich(distance: i64, features: usize, head: usize, heads: usize) -> f64 {
    let half = features / 2;
    let cosine = |k: usize| (distance.abs() as f64 * 10_000.0_f64.powf(-2.0 * k as f64 / features as f64)).cos();
    let sum: f64 = (1..=half).map(cosine).sum();
    (sum - half as f64) / (8.0 * (head + 1) as f64 / heads as f64)
}

/// A network with one hidden layer of rectifiers, from `input` to one output.
pub fn rectified(input: f64, hidden: &[f32], hidden_bias: &[f32], output: &[f32], output_bias: f32) -> f64 {
    let units = hidden.iter().zip(hidden_bias).zip(output);
    let sum: f64 = units.map(|((&w, &b), &o)| (f64::from(w) * input + f64::from(b)).max(0.0) * f64::from(o)).sum();
    sum + f64::from(output_bias)
}

/// What FIRE asks its network about.
pub fn fire_input(query: i64, key: i64, c: f64, threshold: f64) -> f64 {
    let psi = |x: f64| ((c * x).abs() + 1.0).ln();
    psi((query - key) as f64) / (psi((query as f64).max(threshold.abs())) + 1e-6)
}

/// `1/(1 + e^-x)`.
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// A layer `W x + b`, the weights `[outputs, inputs]`.
pub fn linear(x: &[f64], weights: &[f32], bias: &[f32]) -> Vec<f64> {
    let row = |o: usize| (0..x.len()).map(|i| f64::from(weights[o * x.len() + i]) * x[i]).sum::<f64>();
    (0..bias.len()).map(|o| row(o) + f64::from(bias[o])).collect()
}

/// The contextual position of a key: the gates from it up to the query, at most `last`.
pub fn cope_position(gates: &[f32], query: usize, key: usize, last: usize) -> f64 {
    let sum: f64 = (key..=query).filter(|&k| k < gates.len()).map(|k| sigmoid(f64::from(gates[k]))).sum();
    sum.min(last as f64)
}

/// Between the logits of the whole positions beside a position.
pub fn between(logits: &[f32], position: f64) -> f64 {
    let (floor, ceil) = (position.floor(), position.ceil());
    let share = position - floor;
    f64::from(logits[ceil as usize]) * share + f64::from(logits[floor as usize]) * (1.0 - share)
}

/// What forget gates leave of a key at or before the query.
pub fn forget(logits: &[f32], query: usize, key: usize) -> f64 {
    (key + 1..=query).map(|t| sigmoid(f64::from(logits[t])).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, want: f64) {
        assert!((got - want).abs() <= 1e-13 * want.abs().max(1.0), "{got}, not {want}");
    }

    // Values to sixteen digits, worked out apart.
    #[test]
    fn kernels_at_single_distances() {
        near(kerple_log(-3, 0.5, 0.3), -0.320_926_943_086_197_35);
        near(kerple_power(2, 0.5, 0.3), -0.615_572_206_672_457_8);
        near(sandwich(1, 8, 0, 2), -0.001_261_584_826_316_775);
        near(sandwich(0, 8, 1, 2), 0.0);
    }

    #[test]
    fn networks_by_hand() {
        near(rectified(2.0, &[1.0, -1.0], &[0.5, 0.0], &[2.0, 100.0], 0.25), 5.25);
        assert_eq!(linear(&[1.0, 2.0], &[1.0, 10.0, 0.5, 0.0], &[0.0, 1.0]), [21.0, 1.5]);
        // The farthest key of a query beyond the threshold: all but 1.
        near(fire_input(9, 0, 1.0, 3.0), 10.0_f64.ln() / (10.0_f64.ln() + 1e-6));
        near(fire_input(1, 0, 1.0, -3.0), 2.0_f64.ln() / (4.0_f64.ln() + 1e-6));
    }

    #[test]
    fn positions_count_open_gates() {
        let gates = [0.0, 0.0, 0.0];
        assert_eq!([0, 1, 2].map(|key| cope_position(&gates, 2, key, 9)), [1.5, 1.0, 0.5]);
        assert_eq!(cope_position(&gates, 2, 0, 1), 1.0);
        assert_eq!(cope_position(&gates, 0, 2, 9), 0.0);
        assert_eq!([0.0, 0.25, 1.0].map(|p| between(&[4.0, 8.0], p)), [4.0, 5.0, 8.0]);
    }

    #[test]
    fn gates_multiply_up() {
        near(forget(&[9.0, 0.0, 0.0], 2, 0), 0.25_f64.ln());
        assert_eq!(forget(&[9.0, 0.0, 0.0], 1, 1), 0.0);
    }
}

//! Biases on attention scores: ALiBi in its three conventions, and any bias that is a function of distance.
//! They stand apart from the crate's sliding windows: each score is visited on its own and asks for its own value.

/// Sizes of a score tensor `[heads, queries, keys]`, row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scores {
    /// Heads.
    pub heads: usize,
    /// Queries of a head.
    pub queries: usize,
    /// Keys of a query.
    pub keys: usize,
    /// Position of the first query; the first key is at position 0.
    pub first_query: i64,
}

/// The three forms of ALiBi, for a query at `i` and a key at `j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alibi {
    /// `-slope * (i - j)`, positive for keys in the future, which a causal mask hides.
    Causal,
    /// `slope * j`: the same as `Causal` after softmax, and not a function of distance.
    KeyOnly,
    /// `-slope * |i - j|`.
    Symmetric,
}

impl Alibi {
    /// All three, for tests that sweep them.
    pub const ALL: [Alibi; 3] = [Alibi::Causal, Alibi::KeyOnly, Alibi::Symmetric];

    /// The bias of one score.
    pub fn bias(self, slope: f64, query: i64, key: i64) -> f64 {
        match self {
            Alibi::Causal => -slope * (query - key) as f64,
            Alibi::KeyOnly => slope * key as f64,
            Alibi::Symmetric => -slope * (query - key).abs() as f64,
        }
    }
}

/// ALiBi slopes of any number of heads; the usual `max_bias` is 8.
///
/// With `p` the largest power of two within `heads`: `2^(-max_bias (i+1) / p)` for the first `p` heads, then
/// the odd powers of the sequence for `2p`, `2^(-max_bias (2k+1) / 2p)`.
pub fn alibi_slopes(heads: usize, max_bias: f64) -> Vec<f64> {
    if heads == 0 {
        return Vec::new();
    }
    let p = 1_usize << heads.ilog2();
    let first = (1..=p).map(|i| (-max_bias * i as f64 / p as f64).exp2());
    let rest = (0..heads - p).map(|k| (-max_bias * (2 * k + 1) as f64 / (2 * p) as f64).exp2());
    first.chain(rest).collect()
}

/// The ALiBi bias of every score, `slopes` holding one value a head.
///
/// # Panics
///
/// If there is not one slope a head.
pub fn alibi(scores: Scores, slopes: &[f64], form: Alibi) -> Vec<f64> {
    assert_eq!(slopes.len(), scores.heads, "one slope a head");
    every_score(scores, |head, query, key| form.bias(slopes[head], query, key))
}

/// The bias `function(head, distance)` of every score, with `distance = key - query - first_query`.
pub fn from_distance(scores: Scores, function: impl Fn(usize, i64) -> f64) -> Vec<f64> {
    every_score(scores, |head, query, key| function(head, key - query))
}

/// The scores with [`from_distance`] added.
///
/// # Panics
///
/// If the length of `values` is not `heads * queries * keys`.
pub fn add_from_distance(values: &[f64], scores: Scores, function: impl Fn(usize, i64) -> f64) -> Vec<f64> {
    let biases = from_distance(scores, function);
    assert_eq!(values.len(), biases.len(), "one value a score");
    values.iter().zip(biases).map(|(value, bias)| value + bias).collect()
}

/// Calls `bias(head, query position, key position)` for every score in row-major order.
fn every_score(scores: Scores, bias: impl Fn(usize, i64, i64) -> f64) -> Vec<f64> {
    let mut biases = Vec::with_capacity(scores.heads * scores.queries * scores.keys);
    for head in 0..scores.heads {
        for query in 0..scores.queries as i64 {
            for key in 0..scores.keys as i64 {
                biases.push(bias(head, scores.first_query + query, key));
            }
        }
    }
    biases
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_1_SQRT_2;

    fn assert_close(got: &[f64], want: &[f64]) {
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= 1e-15 * want.abs(), "got {got}, want {want}");
        }
    }

    #[test]
    fn slopes_of_a_power_of_two_are_geometric() {
        assert_eq!(alibi_slopes(1, 8.0), [0.003_906_25]);
        assert_eq!(alibi_slopes(2, 8.0), [0.0625, 0.003_906_25]);
        assert_eq!(alibi_slopes(4, 8.0), [0.25, 0.0625, 0.015_625, 0.003_906_25]);
    }

    #[test]
    fn slopes_of_other_counts_take_the_odd_powers() {
        assert_eq!(alibi_slopes(3, 8.0), [0.0625, 0.003_906_25, 0.25]);
        assert_eq!(alibi_slopes(7, 8.0), [0.25, 0.0625, 0.015_625, 0.003_906_25, 0.5, 0.125, 0.031_25]);
        // 2^(-1/2), 2^(-3/2) and 2^(-5/2) follow the eight powers of a half.
        let rest = [FRAC_1_SQRT_2, FRAC_1_SQRT_2 / 2.0, FRAC_1_SQRT_2 / 4.0];
        assert_close(&alibi_slopes(11, 8.0)[8..], &rest);
        assert_eq!(alibi_slopes(11, 8.0)[7], 0.003_906_25);
        assert!(alibi_slopes(0, 8.0).is_empty());
    }

    #[test]
    fn the_largest_bias_scales_the_exponents() {
        assert_eq!(alibi_slopes(3, 4.0), [0.25, 0.0625, 0.5]);
        assert_eq!(alibi_slopes(2, 16.0), [0.003_906_25, 1.0 / 65536.0]);
    }

    #[test]
    fn three_conventions_of_the_second_query_block() {
        let scores = Scores { heads: 2, queries: 2, keys: 4, first_query: 1 };
        let slopes = [0.5, 0.25];
        let causal = [-0.5, 0.0, 0.5, 1.0, -1.0, -0.5, 0.0, 0.5, -0.25, 0.0, 0.25, 0.5, -0.5, -0.25, 0.0, 0.25];
        assert_eq!(alibi(scores, &slopes, Alibi::Causal), causal);
        let key_only = [0.0, 0.5, 1.0, 1.5, 0.0, 0.5, 1.0, 1.5, 0.0, 0.25, 0.5, 0.75, 0.0, 0.25, 0.5, 0.75];
        assert_eq!(alibi(scores, &slopes, Alibi::KeyOnly), key_only);
        let symmetric: Vec<f64> = causal.iter().map(|bias| -bias.abs()).collect();
        assert_eq!(alibi(scores, &slopes, Alibi::Symmetric), symmetric);
    }

    #[test]
    fn distances_run_from_key_minus_query() {
        let scores = Scores { heads: 2, queries: 2, keys: 3, first_query: 4 };
        let biases = from_distance(scores, |head, distance| (100 * head as i64 + distance) as f64);
        assert_eq!(biases, [-4.0, -3.0, -2.0, -5.0, -4.0, -3.0, 96.0, 97.0, 98.0, 95.0, 96.0, 97.0]);
        let values = [0.5; 12];
        let sums = add_from_distance(&values, scores, |_, distance| distance as f64);
        assert_eq!(sums[..6], [-3.5, -2.5, -1.5, -4.5, -3.5, -2.5]);
    }

    #[test]
    fn empty_scores() {
        let scores = Scores { heads: 3, queries: 0, keys: 5, first_query: 0 };
        assert!(from_distance(scores, |_, _| 1.0).is_empty());
    }
}

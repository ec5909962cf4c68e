//! Laws of distance biases: a cell depends on its distance alone, so decoding sees what prefilling saw.
//! They stand apart because scores have queries and keys, and no features.

use posenc::{Alibi, Anchor, DistanceBias, Level};
use posenc_kernels::{F32, SlidingAdd};
use posenc_oracle::{bias as oracle, tolerance};

use super::bits::{assert_same, framed};
use super::case::{mixed, scattered};

/// Scores to add a bias to.
#[derive(Clone, Debug)]
pub(crate) struct Scores {
    /// Queries of a head.
    pub(crate) queries: usize,
    /// Keys of a query.
    pub(crate) keys: usize,
    /// Where the first query stands.
    pub(crate) first_query: usize,
    /// At least one value, of which the scores are made.
    pub(crate) values: Vec<f32>,
}

impl Scores {
    /// The scores of so many heads.
    pub(crate) fn data(&self, heads: usize) -> Vec<f32> {
        scattered(&self.values, heads * self.queries * self.keys)
    }

    /// Zeros with the bias added.
    fn biased(&self, bias: &impl DistanceBias) -> Vec<f32> {
        // −0 is what adds nothing; +0 would turn a bias of −0 around.
        let mut scores = vec![-0.0; bias.heads() * self.queries * self.keys];
        bias.add(&mut scores, self.size(), self.first_query).expect("scores that fit");
        scores
    }

    fn size(&self) -> [usize; 2] {
        [self.queries, self.keys]
    }
}

/// A bias without any pattern: a cell that reads its neighbour's value shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patternless {
    /// How many heads there are.
    pub(crate) heads: usize,
}

impl DistanceBias for Patternless {
    fn heads(&self) -> usize {
        self.heads
    }

    fn value(&self, head: usize, distance: i64) -> f32 {
        // 24 bits, exact in f32, around 0.
        (mixed(distance as u64 ^ (head as u64) << 40) >> 40) as f32 / 8_388_608.0 - 1.0
    }
}

/// Each score grows by the value of its distance, to the bit.
pub(crate) fn a_bias_is_a_function_of_the_distance(bias: &impl DistanceBias, scores: &Scores) {
    let before = scores.data(bias.heads());
    let mut after = before.clone();
    bias.add(&mut after, scores.size(), scores.first_query).expect("scores that fit");
    let mut want = vec![];
    for head in 0..bias.heads() {
        for query in 0..scores.queries {
            for key in 0..scores.keys {
                let from = match bias.anchor() {
                    Anchor::Query => (scores.first_query + query) as i64,
                    Anchor::FirstKey => 0,
                };
                want.push(before[want.len()] + bias.value(head, key as i64 - from));
            }
        }
    }
    assert_same(&after, &want, format_args!("{scores:?}"));
}

/// Decoding one query at a time gives the rows of one prefill.
pub(crate) fn a_decoded_row_is_a_row_of_the_prefill(bias: &impl DistanceBias, scores: &Scores) {
    let whole = scores.biased(bias);
    for query in 0..scores.queries {
        let step = Scores { queries: 1, first_query: scores.first_query + query, ..scores.clone() };
        let decoded = step.biased(bias);
        for head in 0..bias.heads() {
            let at = (head * scores.queries + query) * scores.keys;
            let row = &decoded[head * scores.keys..][..scores.keys];
            assert_same(row, &whole[at..][..scores.keys], format_args!("head {head}, query {query}"));
        }
    }
}

/// The diagonals hold every row as a window, and adding those windows is adding the bias, at every level.
pub(crate) fn every_row_is_a_window_of_the_diagonals(bias: &impl DistanceBias, scores: &Scores, levels: &[Level]) {
    let Scores { queries, keys, first_query, .. } = *scores;
    let before = scores.data(bias.heads());
    let mut after = before.clone();
    bias.add(&mut after, [queries, keys], first_query).expect("scores that fit");
    for head in 0..bias.heads() {
        let window = bias.diagonals(head, [queries, keys], first_query).expect("a head there is");
        if queries * keys == 0 {
            continue;
        }
        let (start, step) = match bias.anchor() {
            Anchor::Query => (queries - 1, 1),
            Anchor::FirstKey => (0, 0),
        };
        assert_eq!(window.len(), keys + start);
        let cells = head * queries * keys..(head + 1) * queries * keys;
        for &level in levels {
            // Guards on both sides, and another alignment for each head.
            let shift = head % 4;
            let mut buffer = framed(&before[cells.clone()], shift);
            let rows = &mut buffer[shift..][..queries * keys];
            level.run(SlidingAdd::<F32> { rows, width: keys, window: &window, start, step });
            assert_same(&buffer, &framed(&after[cells.clone()], shift), format_args!("{level}: head {head}"));
        }
    }
}

/// ALiBi is that of the oracle, in the same form.
pub(crate) fn alibi_is_that_of_the_oracle(alibi: &Alibi, form: oracle::Alibi, scores: &Scores) {
    let got = scores.biased(alibi);
    let Scores { queries, keys, first_query, .. } = *scores;
    let heads = alibi.heads();
    let sizes = oracle::Scores { heads, queries, keys, first_query: first_query as i64 };
    let want = oracle::alibi(sizes, &oracle::alibi_slopes(heads, 8.0), form);
    for (i, (&got, want)) in got.iter().zip(want).enumerate() {
        // One rounding of the slope and one of its product.
        let allowed = tolerance::SLOPE_RELATIVE * want.abs();
        assert!((f64::from(got) - want).abs() <= allowed, "{scores:?}: score {i} is {got}, not {want}");
    }
}

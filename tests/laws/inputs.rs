//! Strategies: where the property tests draw the inputs of the laws from.
//! They stand apart from the laws, which know nothing of proptest.

use std::ops::RangeInclusive;

use posenc::{Alibi, AlibiForm, Clip, Direction, Order, Pairing, Precision, RelativeEmbedding, Shape};
use proptest::collection::vec;
use proptest::prelude::*;

use super::laws::absolute::Absolute;
use super::laws::bias::{Patternless, Scores};
use super::laws::bits::SPECIALS;
use super::laws::case::{Case, Turn};
use super::laws::layout::Layout;
use super::laws::relative::Cells;

/// Positions for which tables are held to the stricter contract, and some beyond.
pub(crate) const ANYWHERE: RangeInclusive<i64> = -(1 << 31)..=1 << 31;

/// Positions that a short table has rows for.
pub(crate) const IN_TABLES: RangeInclusive<i64> = 0..=300;

/// Values that no product with a cosine or sine takes out of the normal numbers.
pub(crate) fn numbers() -> BoxedStrategy<Vec<f32>> {
    let number = prop_oneof![-1.0_f32..1.0, -1e15_f32..1e15, Just(0.0), Just(1.0)];
    // Those next to 0 would underflow in the rotation, which its relative bounds leave out.
    vec(number.prop_map(|x| if x.abs() < 1e-9 { 0.0 } else { x }), 4..24).boxed()
}

/// Any bits at all, with those that go wrong most often among them.
pub(crate) fn wild() -> BoxedStrategy<Vec<f32>> {
    let special = prop::sample::select(SPECIALS.to_vec()).prop_map(f32::from_bits);
    vec(prop_oneof![special, any::<u32>().prop_map(f32::from_bits), -1.0_f32..1.0], 4..24).boxed()
}

/// Any way to turn up to `most` pairs.
pub(crate) fn turns(most: usize) -> impl Strategy<Value = Turn> {
    let pairing = prop_oneof![Just(Pairing::Halves), Just(Pairing::Interleaved)];
    let direction = prop_oneof![Just(Direction::Forward), Just(Direction::Inverse)];
    let precision = prop_oneof![Just(Precision::Exact), Just(Precision::Single)];
    let magnitude = prop_oneof![Just(1.0_f32), 0.5_f32..2.0];
    (0..=most, 0..4_usize, pairing, direction, precision, magnitude).prop_map(
        |(pairs, start, pairing, direction, precision, magnitude)| Turn {
            pairs,
            start,
            pairing,
            direction,
            precision,
            magnitude,
        },
    )
}

/// Positions of which half are near 0, where both signs and zero itself are met.
pub(crate) fn ids(within: RangeInclusive<i64>, count: usize) -> impl Strategy<Value = Vec<i64>> {
    let near = (*within.start()).max(-300)..=(*within.end()).min(300);
    vec(prop_oneof![near, within], count)
}

/// Small views, zero sizes included; now and then so many tokens that they are worked off in blocks.
pub(crate) fn cases(values: BoxedStrategy<Vec<f32>>, within: RangeInclusive<i64>) -> impl Strategy<Value = Case> {
    let sizes =
        prop_oneof![4 => (0..=3_usize, 0..=5_usize, 0..=4_usize), 1 => (1..=2_usize, 30..=70_usize, 1..=2_usize)];
    (turns(40), sizes, 0..4_usize, values).prop_flat_map(move |(turn, (batch, tokens, heads), end, values)| {
        let shape = Shape { batch, tokens, heads, dim: turn.start + 2 * turn.pairs + end };
        ids(within.clone(), batch * tokens).prop_map(move |ids| Case { shape, turn, ids, values: values.clone() })
    })
}

/// Views of at least `elements` elements, with the axes in any proportion.
#[cfg(feature = "rayon")]
pub(crate) fn large_cases(elements: usize) -> impl Strategy<Value = Case> {
    (turns(40), 1..=4_usize, 1..=40_usize, wild(), any::<u64>()).prop_map(move |(turn, batch, heads, values, seed)| {
        let dim = (turn.start + 2 * turn.pairs).max(8);
        let tokens = elements.div_ceil(batch * heads * dim);
        let shape = Shape { batch, tokens, heads, dim };
        let ids = (0..(batch * tokens) as u64).map(|i| (super::laws::case::mixed(seed ^ i) % 300) as i64).collect();
        Case { shape, turn, ids, values }
    })
}

/// Any order of axes, with and without gaps.
pub(crate) fn layouts() -> impl Strategy<Value = Layout> {
    let gaps = prop_oneof![Just([0; 3]), [0..6_usize, 0..6_usize, 0..6_usize]];
    (0..6_usize, gaps, 0..4_usize).prop_map(|(order, gaps, before)| Layout { order, gaps, before })
}

/// Rows of sinusoids of any width.
pub(crate) fn absolutes(within: RangeInclusive<i64>) -> impl Strategy<Value = Absolute> {
    let order = prop_oneof![Just(Order::Interleaved), Just(Order::SinCos), Just(Order::CosSin)];
    (0..=70_usize, order, 0..=40_usize, wild()).prop_flat_map(move |(features, order, rows, values)| {
        let rows = if features == 0 { 0 } else { rows };
        ids(within.clone(), rows).prop_map(move |ids| Absolute { features, order, ids, values: values.clone() })
    })
}

/// Scores of any size, decode steps and empty ones included.
pub(crate) fn scores() -> impl Strategy<Value = Scores> {
    let queries = prop_oneof![Just(1_usize), 0..12_usize];
    (queries, 0..70_usize, 0..100_usize, wild()).prop_map(|(queries, keys, first_query, values)| Scores {
        queries,
        keys,
        first_query,
        values,
    })
}

/// Biases without a pattern.
pub(crate) fn patternless() -> impl Strategy<Value = Patternless> {
    (0..4_usize).prop_map(|heads| Patternless { heads })
}

/// ALiBi in any form.
pub(crate) fn alibis() -> impl Strategy<Value = (Alibi, AlibiForm)> {
    let form = prop_oneof![Just(AlibiForm::Causal), Just(AlibiForm::Symmetric), Just(AlibiForm::KeyOnly)];
    (1..20_usize, form).prop_map(|(heads, form)| (Alibi::new(heads).expect("few heads").with_form(form), form))
}

/// Relative embeddings whose rows all differ.
pub(crate) fn embeddings() -> impl Strategy<Value = RelativeEmbedding> {
    (0..9_usize, 0..9_usize, 1..40_usize).prop_map(|(left, right, features)| {
        let clip = Clip { left, right };
        let weights = (0..clip.rows() * features).map(|i| i as f32 + 0.5).collect();
        RelativeEmbedding::new(weights, clip, features).expect("as many weights as rows ask for")
    })
}

/// Cells of any size, empty ones included.
pub(crate) fn cells() -> impl Strategy<Value = Cells> {
    (0..5_usize, 0..20_usize, 0..20_usize, wild()).prop_map(|(queries, keys, first_query, values)| Cells {
        queries,
        keys,
        first_query,
        values,
    })
}

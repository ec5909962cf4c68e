//! Arbitrary sizes, strides and ids: a call does its work or refuses it whole.
//! They stand apart from the list of refusals because here nobody knows beforehand which it will be.

use proptest::prelude::*;

use super::refusals::{self, Careless};
use super::{HUGE, LIMIT};

/// Sizes as they come, with those that overflow among them.
fn sizes() -> impl Strategy<Value = usize> {
    let huge = prop::sample::select(vec![HUGE, HUGE / 2, HUGE / 2 + 1, HUGE / 3, 1 << 33, 1 << 32, 1 << 24]);
    prop_oneof![8 => 0..6_usize, 2 => 0..40_usize, 1 => huge]
}

fn careless() -> impl Strategy<Value = Careless> {
    let far = prop::sample::select(vec![i64::MIN, i64::MAX, LIMIT, LIMIT + 1, -LIMIT, -LIMIT - 1, -1, 9]);
    let ids = prop::collection::vec(prop_oneof![8 => 0..9_i64, 1 => far], 0..30);
    let start = prop_oneof![6 => 0..3_usize, 1 => sizes()];
    let far = prop::sample::select(vec![f64::NAN, f64::INFINITY, 2.5e9, -2_147_483_648.5, 2_147_483_648.0, 1e-300]);
    let places = prop::collection::vec(prop_oneof![8 => -9.0..9.0_f64, 4 => Just(3.0), 1 => far], 1..9);
    let positions = (ids, places, prop_oneof![1 => 0..10_usize, 1 => Just(3_usize)]);
    ([sizes(), sizes(), sizes(), sizes()], [sizes(), sizes(), sizes()], 0..300_usize, positions, 0..4_usize, start)
        .prop_map(|(sizes, strides, len, (mut ids, mut places, axes), pairs, start)| {
            // Half of all cases have as many ids as tokens, and would seldom do so by chance.
            let tokens = sizes[0].saturating_mul(sizes[1]);
            if len.is_multiple_of(2) && tokens < 100 && !ids.is_empty() {
                ids = ids.into_iter().cycle().take(tokens).collect();
                places = places.into_iter().cycle().take(axes * tokens).collect();
            }
            // Bounds of packed sequences are seldom in order by chance.
            if len % 8 == 2 {
                ids.sort_unstable();
                ids.splice(0..ids.len().min(1), [0]);
                ids.push(tokens.min(100) as i64);
            }
            Careless { sizes, strides, len, ids, places, axes, pairs, start }
        })
}

/// The number of elements, if there may be so many.
fn of_size(sizes: &[usize]) -> usize {
    sizes.iter().fold(1_usize, |product, &size| product.saturating_mul(size)).min(5000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn careless_rotations_stay_in_their_heads(careless in careless()) {
        refusals::a_careless_rotation_stays_in_its_heads(&careless);
    }

    #[test]
    fn careless_views_are_whole_or_refused(careless in careless()) {
        refusals::a_careless_view_is_whole_or_refused(&careless);
        // The right length is seldom met by chance.
        let len = of_size(&careless.sizes);
        refusals::a_careless_view_is_whole_or_refused(&Careless { len, ..careless });
    }

    #[test]
    fn careless_pairs_of_views_are_whole_or_refused(careless in careless()) {
        refusals::a_careless_pair_is_whole_or_refused(&careless);
    }

    #[test]
    fn careless_cuts_keep_all_entries(careless in careless()) {
        refusals::a_careless_cut_keeps_all_entries(&careless);
    }

    #[test]
    fn careless_additions_are_whole_or_refused(careless in careless()) {
        refusals::a_careless_addition_is_whole_or_refused(&careless);
        let [queries, keys, heads, features] = careless.sizes;
        for size in [[queries, keys, heads], [queries, keys, refusals::FEATURES], [queries, features, 1]] {
            let len = of_size(&size);
            refusals::a_careless_addition_is_whole_or_refused(&Careless { len, ..careless.clone() });
        }
    }
}

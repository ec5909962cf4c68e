//! Property tests: every law of `tests/laws`, at every level of this machine, on inputs drawn at random.
//! The laws themselves stand in that directory, because the fuzz targets check them as well.

mod common;
#[path = "laws/inputs.rs"]
mod inputs;
#[path = "laws/all.rs"]
mod laws;
#[cfg(feature = "rayon")]
#[path = "laws/parallel.rs"]
mod parallel;

#[cfg(feature = "half")]
use half::{bf16, f16};
use inputs::{ANYWHERE, IN_TABLES, absolutes, cases, cells, embeddings, ids, layouts, numbers, scores, turns, wild};
use laws::{absolute, bias, elements, kinds, paths, relative, rotation, tables};
use posenc::{AlibiForm, Precision};
use proptest::prelude::*;

/// Failing inputs are short and printed; files of seeds would only collect.
fn tried(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Positions that stay in range when two of them are added.
const HALF_WAY: std::ops::RangeInclusive<i64> = -(1 << 30)..=1 << 30;

proptest! {
    #![proptest_config(tried(200))]

    #[test]
    fn the_norm_of_each_pair_is_kept(case in cases(numbers(), ANYWHERE)) {
        rotation::the_norm_of_each_pair_is_kept(&case, &common::levels());
    }

    #[test]
    fn the_inverse_undoes_the_rotation(case in cases(numbers(), ANYWHERE)) {
        rotation::the_inverse_undoes_the_rotation(&case, &common::levels());
    }

    #[test]
    fn scores_depend_on_the_distance_alone(mut case in cases(numbers(), HALF_WAY), shift in HALF_WAY) {
        case.turn.precision = Precision::Exact;
        rotation::scores_depend_on_the_distance_alone(&case, shift, &common::levels());
    }

    #[test]
    fn the_rotation_is_that_of_the_oracle(case in cases(numbers(), ANYWHERE)) {
        rotation::the_rotation_is_that_of_the_oracle(&case, &common::levels());
    }

    #[test]
    fn all_levels_agree(case in cases(wild(), ANYWHERE)) {
        paths::all_levels_agree(&case, &common::levels());
    }

    #[test]
    fn strides_and_gaps_change_nothing(case in cases(wild(), ANYWHERE), layout in layouts()) {
        paths::strides_and_gaps_change_nothing(&case, &layout, &common::levels());
    }

    #[test]
    fn a_table_changes_nothing(case in cases(wild(), IN_TABLES)) {
        paths::a_table_changes_nothing(&case, &common::levels());
    }

    #[test]
    fn ids_of_every_type_are_an_offset(
        case in cases(wild(), IN_TABLES), first in -(1_i64 << 31)..(1 << 31) - 100
    ) {
        paths::ids_of_every_type_are_an_offset(&case, first, &common::levels());
        paths::ids_of_every_type_are_an_offset(&case, first % 100, &common::levels());
    }

    #[test]
    fn shared_ids_are_repeated_ids(case in cases(wild(), ANYWHERE)) {
        paths::shared_ids_are_repeated_ids(&case, &common::levels());
    }

    #[test]
    fn parts_are_the_whole(case in cases(wild(), ANYWHERE), cut in 0..1000_usize) {
        paths::parts_are_the_whole(&case, cut, &common::levels());
    }

    #[test]
    fn parts_of_a_split_are_the_whole(case in cases(wild(), ANYWHERE), layout in layouts(), cut in 0..1000_usize) {
        paths::parts_of_a_split_are_the_whole(&case, &layout, cut, &common::levels());
    }

    #[test]
    fn every_kind_of_positions_is_its_ids(
        case in cases(wild(), ANYWHERE), cuts in prop::collection::vec(0..1000_usize, 1..6)
    ) {
        kinds::every_kind_is_its_ids(&case, &cuts, &common::levels());
    }

    #[test]
    fn several_axes_are_each_of_them_alone(
        case in cases(wild(), ANYWHERE), of_pairs in prop::collection::vec(0..8_usize, 1..9),
        fraction in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64]
    ) {
        kinds::axes_are_each_of_them_alone(&case, &of_pairs, fraction, &common::levels());
    }

    #[test]
    fn interleaved_is_halves_reordered(case in cases(wild(), ANYWHERE)) {
        paths::interleaved_is_halves_reordered(&case, &common::levels());
    }
}

proptest! {
    #![proptest_config(tried(100))]

    #[test]
    fn rows_of_tables_are_true(turn in turns(70), ids in ids(ANYWHERE, 20)) {
        let single = turn.precision == Precision::Single;
        let turn = laws::case::Turn { magnitude: if single { 1.0 } else { turn.magnitude }, ..turn };
        tables::rows_are_true(&turn, &ids, &common::levels());
    }

    #[test]
    fn a_magnitude_is_multiplied_afterwards(turn in turns(70), ids in ids(ANYWHERE, 20)) {
        tables::a_magnitude_is_multiplied_afterwards(&turn, &ids, &common::levels());
    }

    #[test]
    fn a_row_alone_is_the_row_of_the_list(turn in turns(70), ids in ids(ANYWHERE, 70)) {
        tables::a_row_alone_is_the_row_of_the_list(&turn, &ids, &common::levels());
    }

    #[test]
    fn parts_are_the_table(turn in turns(40), count in 0..80_usize, first in any::<usize>()) {
        tables::parts_are_the_table(&turn, count, first, &common::levels());
    }

    #[test]
    fn negative_positions_mirror(turn in turns(70), ids in ids(ANYWHERE, 40)) {
        tables::negative_positions_mirror(&turn, &ids, &common::levels());
    }

    #[test]
    fn adding_sinusoids_is_adding_the_table(rows in absolutes(ANYWHERE)) {
        absolute::adding_is_adding_the_table(&rows, &common::levels());
    }

    #[test]
    fn a_sinusoidal_row_alone_is_the_row_of_the_table(rows in absolutes(ANYWHERE)) {
        absolute::a_row_alone_is_the_row_of_the_table(&rows, &common::levels());
    }

    #[test]
    fn sinusoidal_orders_hold_the_same_values(rows in absolutes(ANYWHERE)) {
        absolute::orders_hold_the_same_values(&rows, &common::levels());
    }

    #[test]
    fn sinusoids_are_the_rows_of_rotary_tables(rows in absolutes(ANYWHERE)) {
        absolute::sinusoids_are_the_rows_of_rotary_tables(&rows, &common::levels());
    }

    #[test]
    fn sinusoids_are_those_of_the_oracle(rows in absolutes(-4000..=4000)) {
        absolute::sinusoids_are_those_of_the_oracle(&rows, &common::levels());
    }
}

proptest! {
    #![proptest_config(tried(200))]

    #[test]
    fn a_bias_is_a_function_of_the_distance(
        pattern in inputs::patternless(), alibi in inputs::alibis(), scores in scores()
    ) {
        bias::a_bias_is_a_function_of_the_distance(&pattern, &scores);
        bias::a_bias_is_a_function_of_the_distance(&alibi.0, &scores);
    }

    #[test]
    fn a_decoded_row_of_biases_is_a_row_of_the_prefill(
        pattern in inputs::patternless(), alibi in inputs::alibis(), scores in scores()
    ) {
        bias::a_decoded_row_is_a_row_of_the_prefill(&pattern, &scores);
        bias::a_decoded_row_is_a_row_of_the_prefill(&alibi.0, &scores);
    }

    #[test]
    fn every_row_of_biases_is_a_window_of_the_diagonals(
        pattern in inputs::patternless(), alibi in inputs::alibis(), scores in scores()
    ) {
        bias::every_row_is_a_window_of_the_diagonals(&pattern, &scores, &common::levels());
        bias::every_row_is_a_window_of_the_diagonals(&alibi.0, &scores, &common::levels());
    }

    #[test]
    fn alibi_is_that_of_the_oracle((alibi, form) in inputs::alibis(), scores in scores()) {
        let form = match form {
            AlibiForm::Causal => posenc_oracle::bias::Alibi::Causal,
            AlibiForm::Symmetric => posenc_oracle::bias::Alibi::Symmetric,
            AlibiForm::KeyOnly => posenc_oracle::bias::Alibi::KeyOnly,
        };
        bias::alibi_is_that_of_the_oracle(&alibi, form, &scores);
    }

    #[test]
    fn a_relative_lookup_is_the_rows_of_the_distances(embedding in embeddings(), cells in cells()) {
        relative::a_lookup_is_the_rows_of_the_distances(&embedding, &cells);
    }

    #[test]
    fn adding_relative_rows_is_adding_the_lookup(embedding in embeddings(), cells in cells()) {
        relative::adding_is_adding_the_lookup(&embedding, &cells, &common::levels());
    }

    #[test]
    fn a_decoded_relative_row_is_a_row_of_the_prefill(embedding in embeddings(), cells in cells()) {
        relative::a_decoded_row_is_a_row_of_the_prefill(&embedding, &cells);
    }
}

proptest! {
    #![proptest_config(tried(100))]

    #[test]
    fn elements_of_f64_turn_alike(
        case in cases(wild(), IN_TABLES), key_heads in 0..5_usize, a in layouts(), b in layouts()
    ) {
        let levels = common::levels();
        elements::all_levels_agree::<f64>(&case, &a, &levels);
        elements::elsewhere_is_in_place::<f64, f64>(&case, [&a, &b], &levels);
        elements::both_are_each::<f64>(&case, key_heads, [&a, &b], &levels);
    }

    #[test]
    fn sums_of_every_type_are_rounded_once(embedding in embeddings(), cells in cells()) {
        elements::sums_are_rounded_once::<f64>(&embedding, &cells);
        #[cfg(feature = "half")]
        elements::sums_are_rounded_once::<f16>(&embedding, &cells);
        #[cfg(feature = "half")]
        elements::sums_are_rounded_once::<bf16>(&embedding, &cells);
    }

    #[test]
    fn elements_of_f32_turn_elsewhere(
        case in cases(wild(), ANYWHERE), key_heads in 0..5_usize, a in layouts(), b in layouts()
    ) {
        let levels = common::levels();
        elements::elsewhere_is_in_place::<f32, f32>(&case, [&a, &b], &levels);
        elements::both_are_each::<f32>(&case, key_heads, [&a, &b], &levels);
    }
}

#[cfg(feature = "half")]
proptest! {
    #![proptest_config(tried(100))]

    #[test]
    fn elements_of_16_bits_are_rounded_once(case in cases(wild(), IN_TABLES), layout in layouts()) {
        let levels = common::levels();
        elements::sixteen_bits_are_rounded_once::<f16>(&case, &levels);
        elements::sixteen_bits_are_rounded_once::<bf16>(&case, &levels);
        elements::all_levels_agree::<f16>(&case, &layout, &levels);
        elements::all_levels_agree::<bf16>(&case, &layout, &levels);
    }

    #[test]
    fn elements_of_16_bits_turn_elsewhere(
        case in cases(wild(), ANYWHERE), key_heads in 0..5_usize, a in layouts(), b in layouts()
    ) {
        let levels = common::levels();
        elements::elsewhere_is_in_place::<f16, f16>(&case, [&a, &b], &levels);
        elements::elsewhere_is_in_place::<bf16, bf16>(&case, [&a, &b], &levels);
        elements::elsewhere_is_in_place::<f32, f16>(&case, [&a, &b], &levels);
        elements::elsewhere_is_in_place::<f32, bf16>(&case, [&a, &b], &levels);
        elements::both_are_each::<bf16>(&case, key_heads, [&a, &b], &levels);
    }
}

#[cfg(feature = "rayon")]
proptest! {
    #![proptest_config(tried(10))]

    #[test]
    fn parallel_is_serial(case in inputs::large_cases(parallel::CUT), layout in layouts()) {
        let levels = common::levels();
        for layout in [layout, laws::layout::Layout::TOKEN_MAJOR, laws::layout::Layout::HEAD_MAJOR] {
            parallel::parallel_is_serial(&case, &layout, &levels);
        }
    }

    #[test]
    fn parallel_rows_are_serial_rows(turn in turns(40), first in ANYWHERE) {
        let turn = laws::case::Turn { pairs: turn.pairs + 8, ..turn };
        let rows = (parallel::CUT_ROWS * 3).div_ceil(turn.pairs);
        let first = first.min((1 << 31) - rows as i64);
        parallel::parallel_rows_are_serial_rows(&turn, first, rows, &common::levels());
    }

    #[test]
    fn parallel_sinusoids_are_serial_sinusoids(mut rows in absolutes(ANYWHERE), first in -1000..1000_i64) {
        rows.features += 8;
        // Ids that differ from row to row, so that a piece that forgets where it begins shows.
        rows.ids = (first..).step_by(3).take((parallel::CUT_ROWS * 3).div_ceil(rows.features)).collect();
        parallel::parallel_sinusoids_are_serial_sinusoids(&rows, &common::levels());
    }
}

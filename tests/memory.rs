//! Sweeps over memory: every length past several vectors, every alignment, strides with gaps, guards on all sides.
//! They stand apart from the laws that they check because nothing here is left to chance.

mod common;
#[allow(dead_code, reason = "the laws are one directory; sweeps need those about places in memory")]
#[path = "laws/all.rs"]
mod laws;

use laws::absolute::{Absolute, ORDERS};
use laws::bias::{Patternless, Scores};
use laws::bits::{assert_same, framed, guards};
use laws::case::{Case, Turn};
use laws::layout::Layout;
use laws::relative::Cells;
use laws::{absolute, bias, paths, relative, rotation, tables};
use posenc::{Clip, Direction, Level, Pairing, Positions, Precision, RelativeEmbedding, Shape, TableBuilder};
use posenc_oracle::lcg::golden_inputs;

/// Every number of pairs past four of the widest vectors, and the halves of the widths that heads have.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=70).chain([80, 96, 112, 128, 160, 192, 256, 288])
}

/// All ways to turn that many pairs.
fn turns(pairs: usize) -> impl Iterator<Item = Turn> {
    let directions = |pairing| [Direction::Forward, Direction::Inverse].map(|direction| (pairing, direction));
    let ways = [Pairing::Halves, Pairing::Interleaved].into_iter().flat_map(directions);
    ways.map(move |(pairing, direction)| Turn { direction, ..Turn::plain(pairs, pairing) })
}

/// Values that all differ.
fn values() -> Vec<f32> {
    golden_inputs(11, 997)
}

fn case(turn: Turn, [batch, tokens, heads, dim]: [usize; 4]) -> Case {
    let ids = (0..(batch * tokens) as i64).map(|i| 5 + 3 * i).collect();
    Case { shape: Shape { batch, tokens, heads, dim }, turn, ids, values: values() }
}

#[test]
fn heads_of_every_length_turn_by_the_formula_at_every_level() {
    let levels = common::levels();
    for turn in lengths().flat_map(turns) {
        let case = case(turn, [1, 2, 2, 2 * turn.pairs]);
        rotation::the_rotation_is_that_of_the_oracle(&case, &levels);
        paths::all_levels_agree(&case, &levels);
    }
}

#[test]
fn heads_of_every_length_turn_at_every_alignment_and_touch_nothing_else() {
    let levels = common::levels();
    for turn in lengths().flat_map(turns) {
        let case = case(turn, [1, 2, 2, 2 * turn.pairs]);
        for before in 0..4 {
            // A head's stride is its width and three, so each head has an alignment of its own.
            let layout = Layout { order: before, gaps: [3, 2, 0], before };
            paths::strides_and_gaps_change_nothing(&case, &layout, &levels);
        }
    }
}

#[test]
fn slices_of_every_length_turn_anywhere_in_a_head() {
    let levels = common::levels();
    for turn in (0..=35).flat_map(turns) {
        for start in [1, 2, 7, 16] {
            let turn = Turn { start, ..turn };
            let case = case(turn, [1, 2, 2, start + 2 * turn.pairs + 3]);
            rotation::the_rotation_is_that_of_the_oracle(&case, &levels);
            paths::strides_and_gaps_change_nothing(&case, &Layout { order: 0, gaps: [1, 0, 0], before: 1 }, &levels);
        }
    }
}

/// Tokens are worked off in blocks of 33; a block more or less must not show.
#[test]
fn any_number_of_tokens_is_its_tokens_one_by_one() {
    let levels = common::levels();
    for turn in turns(5) {
        for tokens in [1, 2, 32, 33, 34, 65, 66, 67, 100] {
            for (batch, heads) in [(1, 1), (2, 3)] {
                let case = case(turn, [batch, tokens, heads, 10]);
                for order in 0..6 {
                    let layout = Layout { order, gaps: [0, 1, 2], before: 0 };
                    paths::strides_and_gaps_change_nothing(&case, &layout, &levels);
                }
                paths::parts_are_the_whole(&case, 1, &levels);
                paths::a_table_changes_nothing(&case, &levels);
            }
        }
    }
}

/// The cosines of one token fit the stack up to 128 pairs and the heap beyond.
#[test]
fn wide_heads_turn_with_and_without_a_table() {
    let levels = common::levels();
    for turn in [127, 128, 129, 257].into_iter().flat_map(turns) {
        for tokens in [1, 2, 34] {
            paths::a_table_changes_nothing(&case(turn, [1, tokens, 1, 2 * turn.pairs]), &levels);
        }
    }
}

#[test]
fn rows_of_every_length_are_true_at_every_level() {
    let levels = common::levels();
    for (pairs, precision) in lengths().flat_map(|n| [(n, Precision::Exact), (n, Precision::Single)]) {
        let turn = Turn { precision, ..Turn::plain(pairs, Pairing::Halves) };
        let ids = [0, 1, -7, 4095, (1 << 24) - 1, -(1 << 31)];
        tables::rows_are_true(&turn, &ids, &levels);
        tables::a_row_alone_is_the_row_of_the_list(&turn, &ids, &levels);
    }
}

#[test]
fn rows_of_every_length_are_filled_at_every_alignment_and_nothing_else() {
    let ids = [3, 1, 4];
    for (pairs, precision) in lengths().skip(1).flat_map(|n| [(n, Precision::Exact), (n, Precision::Single)]) {
        let turn = Turn { precision, ..Turn::plain(pairs, Pairing::Halves) };
        let want = tables::rows(&turn, &ids, Level::named("scalar").expect("every machine has it"));
        for level in common::levels() {
            let builder = TableBuilder::new(&turn.frequencies(), precision).with_level(level);
            for shift in 0..4 {
                let empty = guards(want.0.len());
                let (mut cos, mut sin) = (framed(&empty, shift), framed(&empty, 3 - shift));
                let (c, s) = (&mut cos[shift..][..empty.len()], &mut sin[3 - shift..][..empty.len()]);
                builder.fill(&Positions::ids(&ids), c, s).expect("positions that are served");
                assert_same(&cos, &framed(&want.0, shift), format_args!("{level}: {pairs} cosines"));
                assert_same(&sin, &framed(&want.1, 3 - shift), format_args!("{level}: {pairs} sines"));
            }
        }
    }
}

#[test]
fn sinusoids_of_every_width_are_added_and_written_at_every_alignment() {
    let levels = common::levels();
    for features in (0..=140).chain([160, 191, 192, 256, 257, 576]) {
        for order in ORDERS {
            let ids = if features == 0 { vec![] } else { vec![0, -3, 1000] };
            let rows = Absolute { features, order, ids, values: values() };
            absolute::adding_is_adding_the_table(&rows, &levels);
            absolute::sinusoids_are_those_of_the_oracle(&rows, &levels);
        }
    }
}

#[test]
fn biases_of_every_width_slide_at_every_alignment() {
    let levels = common::levels();
    for keys in (0..=70).chain([128, 191]) {
        for queries in 0..=4 {
            let scores = Scores { queries, keys, first_query: 2, values: values() };
            bias::every_row_is_a_window_of_the_diagonals(&Patternless { heads: 5 }, &scores, &levels);
        }
    }
}

#[test]
fn relative_rows_of_every_width_are_added_at_every_alignment() {
    let levels = common::levels();
    for features in (1..=70).chain([128, 191]) {
        let clip = Clip { left: 2, right: 1 };
        let weights = golden_inputs(13, clip.rows() * features);
        let embedding = RelativeEmbedding::new(weights, clip, features).expect("as many weights as rows ask for");
        let cells = Cells { queries: 3, keys: 5, first_query: 1, values: values() };
        relative::adding_is_adding_the_lookup(&embedding, &cells, &levels);
    }
}

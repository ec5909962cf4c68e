//! Checks the laws of `tests/laws` on arbitrary bytes: all levels agree to the bit, and no path changes a bit.
//! The property tests draw well-shaped inputs; here coverage steers, and the sanitizer watches.
//!
//! ```text
//! cargo +nightly fuzz run laws -- -max_total_time=60 -max_len=512 -len_control=0
//! ```

#![no_main]

mod bytes;
#[allow(dead_code, reason = "the property tests check more laws")]
#[path = "../../tests/laws/all.rs"]
mod laws;

use bytes::Bytes;
#[cfg(feature = "half")]
use half::{bf16, f16};
use laws::absolute::{Absolute, ORDERS};
use laws::bias::{Patternless, Scores};
use laws::case::{Case, Turn};
use laws::layout::Layout;
use laws::relative::Cells;
use laws::{absolute, bias, elements, kinds, paths, relative, rotation, tables};
use libfuzzer_sys::fuzz_target;
use posenc::{Clip, Direction, Level, Pairing, Precision, RelativeEmbedding, Shape};

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let levels: Vec<Level> = Level::available().collect();
    match bytes.byte() {
        0..70 => rotations(&mut bytes, &levels),
        70..100 => positions(&mut bytes, &levels),
        100..160 => every_type(&mut bytes, &levels),
        160..190 => rows(&mut bytes, &levels),
        190..220 => sinusoids(&mut bytes, &levels),
        220..240 => biases(&mut bytes, &levels),
        _ => relatives(&mut bytes, &levels),
    }
});

fn case(bytes: &mut Bytes<'_>) -> (Case, Layout, usize) {
    let turn = turn(bytes);
    let (batch, tokens, heads) = (bytes.up_to(2), bytes.up_to(35), bytes.up_to(3));
    let shape = Shape { batch, tokens, heads, dim: turn.start + 2 * turn.pairs + bytes.up_to(3) };
    let gaps = [bytes.up_to(5), bytes.up_to(5), bytes.up_to(5)];
    let layout = Layout { order: bytes.up_to(5), gaps, before: bytes.up_to(17) };
    let cut = bytes.up_to(255);
    // A few positions, handed out in turn: a list of seventy would use up the bytes.
    let few: Vec<i64> = (0..=bytes.up_to(7)).map(|_| position(bytes)).collect();
    let ids = few.iter().copied().cycle().zip(0..).map(|(id, i)| id.saturating_sub(i * i % 5).max(-(1 << 31)));
    (Case { shape, turn, ids: ids.take(batch * tokens).collect(), values: values(bytes) }, layout, cut)
}

fn rotations(bytes: &mut Bytes<'_>, levels: &[Level]) {
    let (case, layout, cut) = case(bytes);
    paths::all_levels_agree(&case, levels);
    paths::strides_and_gaps_change_nothing(&case, &layout, levels);
    paths::parts_are_the_whole(&case, cut, levels);
    paths::parts_of_a_split_are_the_whole(&case, &layout, cut, levels);
    paths::interleaved_is_halves_reordered(&case, levels);
    let in_table = Case { ids: case.ids.iter().map(|id| id.rem_euclid(100)).collect(), ..case.clone() };
    paths::a_table_changes_nothing(&in_table, levels);
    // The oracle wants numbers whose rotation neither overflows nor underflows.
    let fraction = |x: &f32| x.to_bits() as i32 as f32 / (1_u32 << 31) as f32;
    let numbers = Case { values: case.values.iter().map(fraction).collect(), ..case };
    rotation::the_rotation_is_that_of_the_oracle(&numbers, levels);
    rotation::the_norm_of_each_pair_is_kept(&numbers, levels);
}

/// Positions of every kind, and of several axes.
fn positions(bytes: &mut Bytes<'_>, levels: &[Level]) {
    let cuts: Vec<usize> = (0..=bytes.up_to(4)).map(|_| bytes.up_to(255)).collect();
    let of_pairs: Vec<usize> = (0..=bytes.up_to(8)).map(|_| bytes.up_to(7)).collect();
    let fraction = bytes.up_to(128) as f64 / 128.0;
    let (case, ..) = case(bytes);
    kinds::every_kind_is_its_ids(&case, &cuts, levels);
    kinds::axes_are_each_of_them_alone(&case, &of_pairs, fraction, levels);
}

/// The forms and the types that the plain rotation of f32 is not.
fn every_type(bytes: &mut Bytes<'_>, levels: &[Level]) {
    let (key_heads, order) = (bytes.up_to(3), bytes.up_to(5));
    let (case, layout, _) = case(bytes);
    let layouts = [&layout, &Layout { order, ..layout }];
    elements::all_levels_agree::<f64>(&case, &layout, levels);
    elements::elsewhere_is_in_place::<f32, f32>(&case, layouts, levels);
    elements::both_are_each::<f64>(&case, key_heads, layouts, levels);
    #[cfg(feature = "half")]
    {
        elements::all_levels_agree::<f16>(&case, &layout, levels);
        elements::all_levels_agree::<bf16>(&case, &layout, levels);
        elements::sixteen_bits_are_rounded_once::<f16>(&case, levels);
        elements::sixteen_bits_are_rounded_once::<bf16>(&case, levels);
        elements::elsewhere_is_in_place::<bf16, bf16>(&case, layouts, levels);
        elements::elsewhere_is_in_place::<f32, f16>(&case, layouts, levels);
    }
}

fn turn(bytes: &mut Bytes<'_>) -> Turn {
    Turn {
        pairs: bytes.up_to(70),
        start: bytes.up_to(3),
        pairing: one_of(bytes, &[Pairing::Halves, Pairing::Interleaved]),
        direction: one_of(bytes, &[Direction::Forward, Direction::Inverse]),
        precision: one_of(bytes, &[Precision::Exact, Precision::Single]),
        magnitude: one_of(bytes, &[1.0, 1.5, 0.707_106_77]),
    }
}

fn rows(bytes: &mut Bytes<'_>, levels: &[Level]) {
    let turn = turn(bytes);
    let (count, first) = (bytes.up_to(70), bytes.up_to(70));
    let ids: Vec<i64> = (0..bytes.up_to(40)).map(|_| position(bytes)).collect();
    tables::a_row_alone_is_the_row_of_the_list(&turn, &ids, levels);
    tables::negative_positions_mirror(&turn, &ids, levels);
    tables::parts_are_the_table(&turn, count, first, levels);
    tables::rows_are_true(&Turn { magnitude: 1.0, ..turn }, &ids, levels);
}

fn sinusoids(bytes: &mut Bytes<'_>, levels: &[Level]) {
    let (features, order) = (bytes.up_to(140), one_of(bytes, &ORDERS));
    let count = if features == 0 { 0 } else { bytes.up_to(40) };
    let ids = (0..count).map(|_| position(bytes)).collect();
    let rows = Absolute { features, order, ids, values: values(bytes) };
    absolute::adding_is_adding_the_table(&rows, levels);
    absolute::a_row_alone_is_the_row_of_the_table(&rows, levels);
    absolute::orders_hold_the_same_values(&rows, levels);
}

fn biases(bytes: &mut Bytes<'_>, levels: &[Level]) {
    let pattern = Patternless { heads: bytes.up_to(4) };
    let (queries, keys, first_query) = (bytes.up_to(12), bytes.up_to(70), bytes.up_to(255));
    let scores = Scores { queries, keys, first_query, values: values(bytes) };
    bias::a_bias_is_a_function_of_the_distance(&pattern, &scores);
    bias::a_decoded_row_is_a_row_of_the_prefill(&pattern, &scores);
    bias::every_row_is_a_window_of_the_diagonals(&pattern, &scores, levels);
}

fn relatives(bytes: &mut Bytes<'_>, levels: &[Level]) {
    let (clip, features) = (Clip { left: bytes.up_to(9), right: bytes.up_to(9) }, bytes.up_to(69) + 1);
    let (queries, keys, first_query) = (bytes.up_to(4), bytes.up_to(20), bytes.up_to(255));
    let weights = (0..clip.rows() * features).map(|i| i as f32 + 0.5).collect();
    let embedding = RelativeEmbedding::new(weights, clip, features).expect("as many weights as rows ask for");
    let cells = Cells { queries, keys, first_query, values: values(bytes) };
    relative::a_lookup_is_the_rows_of_the_distances(&embedding, &cells);
    relative::adding_is_adding_the_lookup(&embedding, &cells, levels);
}

fn one_of<T: Copy>(bytes: &mut Bytes<'_>, choices: &[T]) -> T {
    choices[usize::from(bytes.byte()) % choices.len()]
}

/// A position: near 0, or anywhere that is served.
fn position(bytes: &mut Bytes<'_>) -> i64 {
    match bytes.byte() {
        near @ 0..128 => near.into(),
        near @ 128..192 => 127 - i64::from(near),
        _ => i64::from(bytes.word() as i32),
    }
}

/// All that is left, as the bits of f32 values, at least one.
fn values(bytes: &mut Bytes<'_>) -> Vec<f32> {
    let words = bytes.0.chunks(4).map(|word| word.iter().rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte)));
    let values: Vec<f32> = words.map(f32::from_bits).collect();
    if values.is_empty() { vec![1.0] } else { values }
}

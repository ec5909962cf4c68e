//! All 65 536 patterns of each 16-bit type through the rotation, beside partners that are hard themselves.
//! They stand apart because nothing is sampled here: whatever an element can be, it was turned.

use half::{bf16, f16};
use posenc::{HeadsMut, Level, Pairing, Positions, Rotary, Tables};

use super::common::levels;
use super::heads::{Task, scalar, ways};
use super::kinds::{Half, Kind, assert_alike, turned};
use super::laws::case::Turn;

/// Zeros, a number, the ends of the subnormals and of the range, infinity, and NaN of both kinds.
fn partners<K: Half>() -> Vec<K> {
    let infinity = u64::from(K::INFINITY);
    let subnormal = (1 << K::DIGITS) - 1;
    let ends = [0, 0x8000, 1, subnormal | 0x8000, subnormal + 1, infinity - 1, infinity, infinity | 0x8000];
    let nan = [infinity + 1, 0xffff, infinity | 1 << (K::DIGITS - 1)];
    let numbers = [K::rounded(-0.737), K::rounded(1.0)].map(Kind::bits);
    ends.into_iter().chain(nan).chain(numbers).map(K::of_bits).collect()
}

/// Every pattern with its partner, as many heads of so many pairs as it takes; patterns come first or second.
fn heads<K: Half>(turn: &Turn, partner: K, first: bool) -> (Task, Vec<K>) {
    const TOKENS: usize = 5;
    let Turn { pairs, start, .. } = *turn;
    let heads = (1_usize << 16).div_ceil(TOKENS * pairs);
    let task = Task::new(*turn, [1, TOKENS, heads, start + 2 * pairs + 1]);
    let mut elements = super::kinds::elements(task.len(), 3);
    let features: Vec<_> = turn.features().collect();
    for (head, elements) in elements.chunks_mut(task.shape.dim).enumerate() {
        for (j, &(a, b)) in features.iter().enumerate() {
            let pattern = K::of_bits((head * pairs + j) as u64);
            (elements[a], elements[b]) = if first { (pattern, partner) } else { (partner, pattern) };
        }
    }
    (task, elements)
}

fn every_pattern_turns<K: Half>() {
    let levels = levels();
    // One vector of none, some and all levels, and odd ends; a partner meets two of them.
    let pairs = [1, 64, 3, 33, 5, 16, 7];
    for (i, partner) in partners::<K>().into_iter().enumerate() {
        for (first, pairs) in [(true, pairs[i % 7]), (false, pairs[(i + 3) % 7])] {
            for turn in ways(pairs, i % 3) {
                let (task, elements) = heads(&turn, partner, first);
                let want: Vec<K> = task.expected(&elements);
                let plain = task.rotated(&task.rope(scalar()), &elements);
                let what = format_args!("{turn:?} beside {partner:?}");
                assert_alike(&plain, &want, |i| task.turns(i), format_args!("scalar against the formula: {what}"));
                for &level in &levels {
                    let rotated = task.rotated(&task.rope(level), &elements);
                    assert_alike(&rotated, &plain, |i| task.turns(i), format_args!("{level}: {what}"));
                }
            }
        }
    }
}

#[test]
fn every_f16_turns_by_the_formula_at_every_level() {
    every_pattern_turns::<f16>();
}

#[test]
fn every_bf16_turns_by_the_formula_at_every_level() {
    every_pattern_turns::<bf16>();
}

/// Cosines and sines that a caller may bring along, NaN whose payload 16 bits cannot hold among them.
const SPECIAL: [u32; 10] = [
    0x0000_0000,
    0x8000_0000,
    0x3f80_0000,
    0xbf19_999a,
    0x0000_0001,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0xffff_ffff,
    0x7fc0_ffff,
];

fn every_pattern_turns_by<K: Half>(level: Level, pairing: Pairing, [c, s]: [f32; 2]) -> Vec<K> {
    let tables = Tables::new(vec![c; 1 << 15], vec![s; 1 << 15], 1 << 15).expect("one row");
    let rope = Rotary::from_tables(tables, pairing).with_level(level);
    let mut elements = K::all();
    let mut view = HeadsMut::new(&mut elements, [1, 1, 1 << 16]).expect("one head");
    rope.rotate(&mut view, &Positions::from(0)).expect("a row for it");
    elements
}

fn special_tables_turn_every_pattern<K: Half>() {
    let specials = SPECIAL.map(f32::from_bits);
    for (c, s) in specials.into_iter().flat_map(|c| specials.map(|s| (c, s))) {
        for pairing in [Pairing::Halves, Pairing::Interleaved] {
            let turn = Turn::plain(1 << 15, pairing);
            let mut want = K::all();
            for (a, b) in turn.features() {
                [want[a], want[b]] = turned([want[a], want[b]], [c, s]);
            }
            for level in levels() {
                let got = every_pattern_turns_by::<K>(level, pairing, [c, s]);
                assert_alike(&got, &want, |_| true, format_args!("{level}: {pairing:?} by {c:e} and {s:e}"));
            }
        }
    }
}

#[test]
fn every_f16_turns_by_special_cosines_and_sines_that_were_brought_along() {
    special_tables_turn_every_pattern::<f16>();
}

#[test]
fn every_bf16_turns_by_special_cosines_and_sines_that_were_brought_along() {
    special_tables_turn_every_pattern::<bf16>();
}

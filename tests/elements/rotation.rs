//! Rotations of every element type in place: the formula, any layout, any number of pairs, with and without a table.
//! They stand apart from the patterns because here it is places that are tried, not values.

use posenc::{Error, Pairing, Positions, Precision, Rotary, TableBuilder, Tables};
use posenc_oracle::{tolerance::ROTATION_F64_RELATIVE, twofold};

use super::common::levels;
use super::heads::{Task, buffer, for_every_kind, layouts, marked, rotate, table, view, ways};
use super::kinds::{Kind, assert_alike, assert_same, elements, guards};
use super::laws::case::Turn;
use super::laws::layout::Layout;

fn turn_in_any_layout<K: Kind>() {
    for pairs in [1, 2, 3, 5, 8, 31, 33, 40, 64] {
        for turn in ways(pairs, pairs % 4) {
            let task = Task::new(Turn { magnitude: 1.25, ..turn }, [2, 3, 2, pairs % 4 + 2 * pairs + pairs % 3]);
            let before: Vec<K> = elements(task.len(), pairs as u64);
            let want: Vec<K> = task.expected(&before);
            for layout in layouts() {
                let want = buffer(&layout, task.shape, &want);
                let turns = marked(&task, &layout, |element| task.turns(element));
                for level in levels() {
                    let mut got = buffer(&layout, task.shape, &before);
                    rotate(&task, &layout, &task.rope(level), &mut got);
                    assert_alike(&got, &want, |i| turns[i], format_args!("{level}: {turn:?} in {layout:?}"));
                }
            }
        }
    }
}

#[test]
fn heads_of_every_type_turn_by_the_formula_in_any_layout_and_nothing_else_is_touched() {
    for_every_kind!(turn_in_any_layout());
}

fn turn_from_a_table<K: Kind>() {
    for turn in ways(33, 1) {
        let task = Task::new(turn, [1, 40, 3, 70]);
        let before: Vec<K> = elements(task.len(), 8);
        let rows = TableBuilder::new(&turn.frequencies(), Precision::Exact).build_as::<K::Work>(4001).expect("it fits");
        let want: Vec<K> = task.expected(&before);
        for level in levels() {
            let brought = Rotary::from_tables(rows.clone(), turn.pairing);
            let brought = brought.with_direction(turn.direction).starting_at(1).with_level(level);
            let built = task.rope(level).with_table(4001).expect("it fits");
            for rope in [&brought, &built] {
                let what = format_args!("{level}: {turn:?}, {rope:?}");
                assert_alike(&task.rotated(rope, &before), &want, |i| task.turns(i), what);
            }
        }
    }
}

#[test]
fn a_table_gives_every_type_the_bits_that_no_table_gives() {
    for_every_kind!(turn_from_a_table());
}

#[test]
fn f64_turns_are_those_of_the_oracle() {
    for turn in ways(33, 2) {
        let turn = Turn { magnitude: 1.3, ..turn };
        let mut task = Task::new(turn, [1, 60, 2, 70]);
        task.ids = (0..60).map(|i| (i * i * 4649 - 8_388_608) % (1 << 24)).collect();
        let before: Vec<f64> = (0..task.len()).map(|i| (i as f64 * 0.618).sin()).collect();
        let frequencies = turn.frequencies();
        let sign = if turn.direction == posenc::Direction::Forward { 1.0 } else { -1.0 };
        for level in levels() {
            let after = task.rotated(&task.rope(level), &before);
            for (head, (x, y)) in before.chunks(70).zip(after.chunks(70)).enumerate() {
                for ((a, b), &frequency) in turn.features().zip(frequencies.as_slice()) {
                    let point = twofold::sincos(task.ids[head / 2], frequency);
                    let (cos, sin) = (f64::from(1.3_f32) * point.cos.high, sign * f64::from(1.3_f32) * point.sin.high);
                    let error = (y[a] - (x[a] * cos - x[b] * sin)).hypot(y[b] - (x[b] * cos + x[a] * sin));
                    // The formula above rounds as often as the one under test.
                    let allowed = 2.0 * ROTATION_F64_RELATIVE * f64::from(1.3_f32) * x[a].hypot(x[b]);
                    assert!(error <= allowed, "{level}: {turn:?}, head {head}, feature {a}: {error:e} of {allowed:e}");
                }
            }
        }
    }
}

#[test]
fn elements_are_computed_in_their_own_type() {
    // f64 with cosines of f32 would be right to seven digits only, and 16 bits with cosines of 16 bits to three.
    let turn = Turn::plain(1, Pairing::Halves);
    let (cos, _) = table::<f64>(&turn, &[1]);
    let task = Task { ids: vec![1], ..Task::new(turn, [1, 1, 1, 2]) };
    for level in levels() {
        assert_eq!(task.rotated(&task.rope(level), &[1.0, 0.0])[0], cos[0]);
        let thousandth = half::f16::from_f32_const(1e-3);
        let want = half::f16::from_f32_const(thousandth.to_f32_const() * cos[0] as f32);
        assert_same(&task.rotated(&task.rope(level), &[thousandth, half::f16::ZERO])[..1], &[want], level);
    }
}

fn tables_of_another_type_are_refused<K: Kind, W: posenc::Work + Kind>(needed: &'static str, brought: &'static str) {
    let tables = Tables::<W>::new(guards(3), guards(3), 1).expect("three rows of one pair");
    let rope = Rotary::from_tables(tables, Pairing::Halves);
    let task = Task::new(Turn::plain(1, Pairing::Halves), [1, 2, 1, 2]);
    let mut heads = guards::<K>(4);
    let mut view = view(&Layout::TOKEN_MAJOR, task.shape, &mut heads);
    let error = rope.rotate(&mut view, &Positions::from(0)).expect_err("tables of another type");
    assert_eq!(error, Error::Element { expected: needed, found: brought }, "{}", K::TYPE);
    assert_same(&heads, &guards::<K>(4), "refused");
}

#[test]
fn tables_of_the_wrong_type_are_refused_and_nothing_is_written() {
    tables_of_another_type_are_refused::<f32, f64>("f32", "f64");
    tables_of_another_type_are_refused::<half::f16, f64>("f32", "f64");
    tables_of_another_type_are_refused::<half::bf16, f64>("f32", "f64");
    tables_of_another_type_are_refused::<f64, f32>("f64", "f32");
}

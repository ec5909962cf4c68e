//! Laws of bits: whichever path a rotation takes, the result is the same.
//! They stand apart from the laws of values because nothing is rounded here, so nothing may differ.

use std::ops::Range;

use posenc::{Axis, HeadsMut, Level, Pairing, PositionId, Positions, Rotary, Shape, Strides};

use super::bits::{assert_same, assert_same_where, is_determined};
use super::case::{Case, Turn};
use super::layout::Layout;

/// All levels give the bits of the plainest one, for any input; a NaN stays NaN.
pub(crate) fn all_levels_agree(case: &Case, levels: &[Level]) {
    let before = case.data();
    let scalar = case.rotated(Level::named("scalar").expect("every machine has it"));
    let mut strict = vec![true; before.len()];
    for (first, second) in case.pairs() {
        let (x, y) = (before[first], before[second]);
        strict[first] = is_determined(x, y);
        strict[second] = strict[first];
        if x.is_nan() && y.is_nan() {
            assert!(scalar[first].is_nan() && scalar[second].is_nan(), "pair at {first}: two NaN became a number");
        }
    }
    for &level in levels {
        assert_same_where(&case.rotated(level), &scalar, |i| strict[i], level);
    }
}

/// Heads in any order and with any gaps turn as they do side by side; what lies between them stays.
pub(crate) fn strides_and_gaps_change_nothing(case: &Case, layout: &Layout, levels: &[Level]) {
    let before = layout.buffer(case.shape, &case.data());
    for &level in levels {
        let want = layout.buffer(case.shape, &case.rotated(level));
        let mut buffer = before.clone();
        let mut view = layout.view(case.shape, &mut buffer);
        case.turn.rope(level).rotate(&mut view, &Positions::ids(&case.ids)).expect("positions that are served");
        assert_same(&buffer, &want, format_args!("{level}, {layout:?}"));
    }
}

/// A table holds the very cosines and sines that are worked out without one. No position may be negative.
pub(crate) fn a_table_changes_nothing(case: &Case, levels: &[Level]) {
    let rows = case.ids.iter().max().map_or(0, |&last| last as usize + 1);
    for &level in levels {
        let rope = case.turn.rope(level);
        let with_table = rope.clone().with_table(rows).expect("a table that fits");
        assert_same(&case.rotated_by(&with_table), &case.rotated_by(&rope), level);
        let tables = with_table.tables().expect("just made").clone();
        let brought = Rotary::from_tables(tables, case.turn.pairing)
            .with_direction(case.turn.direction)
            .starting_at(case.turn.start)
            .with_level(level);
        assert_same(&case.rotated_by(&brought), &case.rotated_by(&rope), level);
    }
}

/// Consecutive ids, of every type that can hold them, are an offset.
pub(crate) fn ids_of_every_type_are_an_offset(case: &Case, first: i64, levels: &[Level]) {
    for &level in levels {
        let rotated = |positions: &Positions<'_>| {
            let mut data = case.data();
            let Shape { batch, tokens, heads, dim } = case.shape;
            let mut view = HeadsMut::token_major(&mut data, [batch, tokens, heads, dim]).expect("a shape that fits");
            case.turn.rope(level).rotate(&mut view, positions).expect("positions that are served");
            data
        };
        let want = rotated(&Positions::from(first));
        let ids: Vec<i64> = (first..).take(case.shape.tokens).collect();
        for (name, got) in [
            ("i64", Some(rotated(&Positions::ids(&ids)))),
            ("i32", converted::<i32>(&ids).map(|ids| rotated(&Positions::ids(&ids)))),
            ("u32", converted::<u32>(&ids).map(|ids| rotated(&Positions::ids(&ids)))),
            ("usize", converted::<usize>(&ids).map(|ids| rotated(&Positions::ids(&ids)))),
            ("i32 offset", i32::try_from(first).ok().map(|first| rotated(&Positions::from(first)))),
            ("u32 offset", u32::try_from(first).ok().map(|first| rotated(&Positions::from(first)))),
            ("usize offset", usize::try_from(first).ok().map(|first| rotated(&Positions::from(first)))),
        ] {
            if let Some(got) = got {
                assert_same(&got, &want, format_args!("{level}: {name}"));
            }
        }
    }
}

fn converted<T: PositionId + TryFrom<i64>>(ids: &[i64]) -> Option<Vec<T>> {
    ids.iter().map(|&id| T::try_from(id).ok()).collect()
}

/// One list of ids for all sequences is that list, once for each sequence.
pub(crate) fn shared_ids_are_repeated_ids(case: &Case, levels: &[Level]) {
    let Shape { batch, tokens, .. } = case.shape;
    let shared = &case.ids[..tokens.min(case.ids.len())];
    let repeated = Case { ids: shared.repeat(batch), ..case.clone() };
    let once = Case { ids: shared.to_vec(), ..case.clone() };
    for &level in levels {
        assert_same(&once.rotated(level), &repeated.rotated(level), level);
    }
}

/// Sequences, tokens or heads apart, in two calls, are the whole. `cut` says where, taken modulo what there is.
pub(crate) fn parts_are_the_whole(case: &Case, cut: usize, levels: &[Level]) {
    let Shape { batch, tokens, heads, dim } = case.shape;
    let strides = Layout::TOKEN_MAJOR.strides(case.shape);
    let of_tokens = |from: usize, to: usize| {
        let sequences = (0..batch).flat_map(move |b| b * tokens + from..b * tokens + to);
        sequences.map(|i| case.ids[i]).collect::<Vec<_>>()
    };
    for &level in levels {
        let rope = case.turn.rope(level);
        let want = case.rotated(level);

        let at = cut % (batch + 1);
        let mut data = case.data();
        part(&rope, &mut data, Shape { batch: at, ..case.shape }, strides, &case.ids[..at * tokens]);
        let rest = &mut data[at * tokens * heads * dim..];
        part(&rope, rest, Shape { batch: batch - at, ..case.shape }, strides, &case.ids[at * tokens..]);
        assert_same(&data, &want, format_args!("{level}: sequences before {at}, and from it on"));

        let at = cut % (tokens + 1);
        let mut data = case.data();
        part(&rope, &mut data, Shape { tokens: at, ..case.shape }, strides, &of_tokens(0, at));
        let rest = data.get_mut(at * heads * dim..).unwrap_or_default();
        part(&rope, rest, Shape { tokens: tokens - at, ..case.shape }, strides, &of_tokens(at, tokens));
        assert_same(&data, &want, format_args!("{level}: tokens before {at}, and from it on"));

        let at = cut % (heads + 1);
        let mut data = case.data();
        part(&rope, &mut data, Shape { heads: at, ..case.shape }, strides, &case.ids);
        let rest = data.get_mut(at * dim..).unwrap_or_default();
        part(&rope, rest, Shape { heads: heads - at, ..case.shape }, strides, &case.ids);
        assert_same(&data, &want, format_args!("{level}: heads before {at}, and from it on"));
    }
}

fn part(rope: &Rotary, data: &mut [f32], shape: Shape, strides: Strides, ids: &[i64]) {
    let mut view = HeadsMut::strided(data, shape, strides).expect("a part of a view");
    rope.rotate(&mut view, &Positions::ids(ids)).expect("positions that are served");
}

/// A view that is cut in two, each part rotated with the positions of its own tokens, is the whole. `cut` says where,
/// taken modulo what there is.
pub(crate) fn parts_of_a_split_are_the_whole(case: &Case, layout: &Layout, cut: usize, levels: &[Level]) {
    let Shape { batch, tokens, .. } = case.shape;
    let before = layout.buffer(case.shape, &case.data());
    for &level in levels {
        let rope = case.turn.rope(level);
        let mut buffer = before.clone();
        let view = layout.view(case.shape, &mut buffer);
        let Some((axis, count)) = view.outer_axis() else { return };
        let at = cut % (count + 1);
        let (left_ids, right_ids) = match axis {
            Axis::Batch => (case.ids[..at * tokens].to_vec(), case.ids[at * tokens..].to_vec()),
            Axis::Token => {
                let of = |range: Range<usize>| (0..batch).flat_map(move |b| range.clone().map(move |t| b * tokens + t));
                let ids = |range| of(range).map(|i| case.ids[i]).collect::<Vec<_>>();
                (ids(0..at), ids(at..tokens))
            }
            Axis::Head => (case.ids.clone(), case.ids.clone()),
        };
        let (mut left, mut right) = view.split_at(at).expect("an entry of the outer axis");
        rope.rotate(&mut right, &Positions::ids(&right_ids)).expect("positions that are served");
        rope.rotate(&mut left, &Positions::ids(&left_ids)).expect("positions that are served");
        let want = layout.buffer(case.shape, &case.rotated(level));
        assert_same(&buffer, &want, format_args!("{level}, {layout:?}, {axis:?} before {at} and from it on"));
    }
}

/// The pairings are one function on features in another order.
pub(crate) fn interleaved_is_halves_reordered(case: &Case, levels: &[Level]) {
    let with = |pairing| Case { turn: Turn { pairing, ..case.turn }, ..case.clone() };
    let (halves, interleaved) = (with(Pairing::Halves), with(Pairing::Interleaved));
    let moves: Vec<_> = halves.pairs().zip(interleaved.pairs()).collect();
    let original = case.data();
    let mut reordered = original.clone();
    for &((h0, h1), (i0, i1)) in &moves {
        (reordered[i0], reordered[i1]) = (original[h0], original[h1]);
    }
    for &level in levels {
        let (mut h, mut i) = (original.clone(), reordered.clone());
        halves.rotate(&halves.turn.rope(level), &mut h);
        interleaved.rotate(&interleaved.turn.rope(level), &mut i);
        let mut back = i.clone();
        let mut strict = vec![true; i.len()];
        for &((h0, h1), (i0, i1)) in &moves {
            (back[h0], back[h1]) = (i[i0], i[i1]);
            let determined = is_determined(original[h0], original[h1]);
            (strict[h0], strict[h1]) = (determined, determined);
        }
        assert_same_where(&back, &h, |i| strict[i], level);
    }
}

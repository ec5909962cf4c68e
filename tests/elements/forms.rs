//! Queries and keys in one call, and views that were split: each is the plain rotation, to the bit.
//! They stand apart because nothing is expected of them but what several plain calls do.

use posenc::{Error, HeadsMut, Positions, Rotary, Shape, Strides};

use super::common::levels;
use super::heads::{Task, buffer, for_every_kind, layouts, rotate, view, ways};
use super::kinds::{Kind, assert_alike, assert_same, elements, guards};
use super::laws::layout::Layout;

fn one_call_is_two<K: Kind>() {
    for (turn, tokens) in ways(5, 1).flat_map(|turn| [1, 3, 33].map(|tokens| (turn, tokens))) {
        let queries = Task::new(turn, [2, tokens, 4, 12]);
        let keys = Task { shape: Shape { heads: 1, dim: 11, ..queries.shape }, ..queries.clone() };
        let (q, k): (Vec<K>, Vec<K>) = (elements(queries.len(), 1), elements(keys.len(), 2));
        for (layout_q, layout_k) in layouts().zip(layouts().skip(1)) {
            for level in levels() {
                let ropes = [queries.rope(level), queries.rope(level).with_table(4001).expect("it fits")];
                for rope in ropes {
                    let before = (buffer(&layout_q, queries.shape, &q), buffer(&layout_k, keys.shape, &k));
                    let (mut both, mut apart) = (before.clone(), before);
                    rotate(&queries, &layout_q, &rope, &mut apart.0);
                    rotate(&keys, &layout_k, &rope, &mut apart.1);
                    let mut view_q = view(&layout_q, queries.shape, &mut both.0);
                    let mut view_k = view(&layout_k, keys.shape, &mut both.1);
                    rope.rotate_both(&mut view_q, &mut view_k, &queries.positions()).expect("positions of both");
                    let what = format_args!("{level}: {turn:?}, {tokens} tokens");
                    assert_same(&both.0, &apart.0, format_args!("queries, {what}"));
                    assert_same(&both.1, &apart.1, format_args!("keys, {what}"));
                }
            }
        }
    }
}

#[test]
fn queries_and_keys_in_one_call_are_two_calls() {
    for_every_kind!(one_call_is_two());
}

fn refused_together<K: Kind>(rope: &Rotary, [q, k]: [[usize; 4]; 2]) -> Error {
    let (mut queries, mut keys) = (guards::<K>(q.iter().product()), guards::<K>(k.iter().product()));
    let mut view_q = HeadsMut::token_major(&mut queries, q).expect("a shape that fits");
    let mut view_k = HeadsMut::token_major(&mut keys, k).expect("a shape that fits");
    let error = rope.rotate_both(&mut view_q, &mut view_k, &Positions::from(0)).expect_err("they do not go together");
    assert_same(&queries, &guards::<K>(queries.len()), "queries");
    assert_same(&keys, &guards::<K>(keys.len()), "keys");
    error
}

fn either_is_refused<K: Kind>() {
    for rope in ways(2, 0).flat_map(|turn| levels().into_iter().map(move |level| turn.rope(level))) {
        let error = |q, k| refused_together::<K>(&rope, [q, k]);
        assert!(matches!(error([2, 3, 1, 4], [2, 2, 1, 4]), Error::Shape { .. }));
        assert!(matches!(error([2, 3, 1, 4], [3, 3, 1, 4]), Error::Shape { .. }));
        assert_eq!(error([2, 3, 1, 4], [2, 3, 1, 3]), Error::Width { expected: 3, found: 4 });
        assert_eq!(error([2, 3, 1, 3], [2, 3, 1, 4]), Error::Width { expected: 3, found: 4 });
    }
}

#[test]
fn queries_and_keys_that_do_not_go_together_are_refused_and_nothing_is_written() {
    for_every_kind!(either_is_refused());
}

/// The ids of the tokens in each part of a view that was cut at `index` of the axis whose entries are `count`.
fn parted(task: &Task, layout: &Layout, index: usize) -> [Vec<i64>; 2] {
    let Shape { batch, tokens, heads, .. } = task.shape;
    let Strides { batch: b, token: t, head: h } = layout.strides(task.shape);
    let sequences = task.ids.chunks(tokens);
    match [(batch, b), (tokens, t), (heads, h)].iter().filter(|(count, _)| *count > 1).max_by_key(|(_, stride)| stride)
    {
        Some(&(_, stride)) if batch > 1 && stride == b => {
            [task.ids[..index * tokens].to_vec(), task.ids[index * tokens..].to_vec()]
        }
        Some(&(_, stride)) if tokens > 1 && stride == t => [
            sequences.clone().flat_map(|s| &s[..index]).copied().collect(),
            sequences.flat_map(|s| &s[index..]).copied().collect(),
        ],
        _ => [task.ids.clone(), task.ids.clone()],
    }
}

fn parts_are_the_whole<K: Kind>() {
    for (turn, shape) in
        ways(3, 1).flat_map(|turn| [[2, 3, 4, 7], [1, 3, 2, 8], [1, 1, 5, 7]].map(|shape| (turn, shape)))
    {
        let task = Task::new(turn, shape);
        let before: Vec<K> = elements(task.len(), 9);
        for layout in layouts() {
            for level in levels() {
                let rope = task.rope(level);
                let mut want = buffer(&layout, task.shape, &before);
                rotate(&task, &layout, &rope, &mut want);
                let mut got = buffer(&layout, task.shape, &before);
                let (_, count) = view(&layout, task.shape, &mut got).outer_axis().expect("an axis of several entries");
                for index in 0..=count {
                    let mut got = buffer(&layout, task.shape, &before);
                    let ids = parted(&task, &layout, index);
                    let (mut left, mut right) = view(&layout, task.shape, &mut got).split_at(index).expect("within");
                    rope.rotate(&mut right, &Positions::ids(&ids[1])).expect("the ids of the second part");
                    rope.rotate(&mut left, &Positions::ids(&ids[0])).expect("the ids of the first part");
                    let what = format_args!("{level}: {task:?} in {layout:?}, cut at {index}");
                    assert_alike(&got, &want, |_| false, what);
                }
                assert!(view(&layout, task.shape, &mut got).split_at(count + 1).is_err());
            }
        }
    }
}

#[test]
fn the_parts_of_a_view_turn_as_the_whole() {
    for_every_kind!(parts_are_the_whole());
}

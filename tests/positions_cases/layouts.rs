//! Memory layouts: every view turns what the same heads turn without gaps, and nothing else.

use std::mem::MaybeUninit;

use posenc::{Axis, Element, Frequencies, Heads, HeadsMut, Pairing, Positions, Rotary, Shape, Strides};
use proptest::prelude::*;

use crate::common::levels;
use crate::{PAIRINGS, bits, random, tried, turned};

fn rope(width: usize, pairing: Pairing) -> Rotary {
    Rotary::new(&Frequencies::new(width, 1e4).unwrap(), pairing)
}

/// Every element of a shape, as its place in data without gaps and in a buffer with strides.
fn cells(shape: Shape, strides: Strides, before: usize) -> Vec<usize> {
    let mut cells = vec![];
    for batch in 0..shape.batch {
        for token in 0..shape.tokens {
            for head in 0..shape.heads {
                let first = before + batch * strides.batch + token * strides.token + head * strides.head;
                cells.extend(first..first + shape.dim);
            }
        }
    }
    cells
}

/// Data without gaps, in one of the three orders.
fn view(data: &mut [f32], Shape { batch, tokens, heads, dim }: Shape, order: usize) -> HeadsMut<'_, f32> {
    match order {
        0 => HeadsMut::token_major(data, [batch, tokens, heads, dim]),
        1 => HeadsMut::head_major(data, [batch, heads, tokens, dim]),
        _ => HeadsMut::sequence_major(data, [tokens, batch, heads, dim]),
    }
    .unwrap()
}

/// Any part of `count` entries.
fn part(count: usize, a: usize, b: usize) -> std::ops::Range<usize> {
    let (a, b) = (a % (count + 1), b % (count + 1));
    a.min(b)..a.max(b)
}

proptest! {
    #![proptest_config(tried(100))]

    #[test]
    fn a_narrowed_view_turns_its_entries_alone(
        sizes in (1..4_usize, 1..7_usize, 1..5_usize, 0..3_usize), cuts in any::<[u8; 6]>(), order in 0..3_usize
    ) {
        let (batch, tokens, heads, end) = sizes;
        let dim = 6 + end;
        let shape = Shape { batch, tokens, heads, dim };
        let cuts = cuts.map(usize::from);
        let ranges = [part(batch, cuts[0], cuts[1]), part(tokens, cuts[2], cuts[3]), part(heads, cuts[4], cuts[5])];
        let data = random(31, batch * tokens * heads * dim);
        // Which positions the tokens that are left have.
        let ids: Vec<i64> = ranges[1].clone().map(|token| 100 * token as i64 + 3).collect();
        for level in levels() {
            let rope = rope(6, Pairing::Interleaved).with_level(level);
            let mut got = data.clone();
            let mut whole = view(&mut got, shape, order);
            let strides = whole.strides();
            assert_eq!(whole.shape(), shape);
            let mut narrow = whole.narrow(Axis::Head, ranges[2].clone()).unwrap();
            let mut narrow = narrow.narrow(Axis::Batch, ranges[0].clone()).unwrap();
            let mut narrow = narrow.narrow(Axis::Token, ranges[1].clone()).unwrap();
            let left = narrow.shape();
            rope.rotate(&mut narrow, &Positions::ids(&ids)).unwrap();

            let before = ranges[0].start * strides.batch
                + ranges[1].start * strides.token
                + ranges[2].start * strides.head;
            let places = cells(left, strides, before);
            let alone: Vec<f32> = places.iter().map(|&place| data[place]).collect();
            let mut want = data.clone();
            let rotated =
                turned(&rope, &alone, [left.batch, left.tokens, left.heads, dim], &Positions::ids(&ids));
            for (&place, x) in places.iter().zip(rotated) {
                want[place] = x;
            }
            assert_eq!(bits(&got), bits(&want), "{level}");
        }
    }

    #[test]
    fn packed_rows_turn_queries_and_keys_alone(
        tokens in 0..40_usize, queries in 1..5_usize, keys in 1..3_usize, gap in 0..5_usize
    ) {
        let (dim, heads) = (10, queries + 2 * keys);
        let row = heads * dim + gap;
        let data = random(32, tokens * row);
        let shape = Shape { batch: 1, tokens, heads, dim };
        let strides = Strides { batch: tokens * row, token: row, head: dim };
        for pairing in PAIRINGS {
            for level in levels() {
                let rope = rope(dim, pairing).with_level(level);
                let mut got = data.clone();
                let mut rows = HeadsMut::strided(&mut got, shape, strides).unwrap();
                rope.rotate(&mut rows.narrow(Axis::Head, 0..queries + keys).unwrap(), &Positions::from(9)).unwrap();
                for token in 0..tokens {
                    let (got, data) = (&got[token * row..][..row], &data[token * row..][..row]);
                    let (turning, staying) = data.split_at((queries + keys) * dim);
                    let place = Positions::from(9 + token);
                    let want = turned(&rope, turning, [1, 1, queries + keys, dim], &place);
                    assert_eq!(bits(got), bits(&[&want[..], staying].concat()), "{level}");
                }
            }
        }
    }

    #[test]
    fn another_order_is_written_by_moving_features(
        width in 0..40_usize, start in 0..4_usize, end in 0..4_usize, tokens in 1..40_usize
    ) {
        let (width, dim) = (2 * width, start + 2 * width + end);
        let data = random(33, tokens * 2 * dim);
        if dim == 0 {
            return Ok(());
        }
        for (from, to) in [(Pairing::Interleaved, Pairing::Halves), (Pairing::Halves, Pairing::Interleaved)] {
            for level in levels() {
                let plain = rope(width, from).starting_at(start).with_level(level);
                let mut want = turned(&plain, &data, [1, tokens, 2, dim], &Positions::from(5));
                for head in want.chunks_exact_mut(dim) {
                    let turned = head[start..start + width].to_vec();
                    for j in 0..width / 2 {
                        let (a, b) = crate::in_oracle(from).features(width, j);
                        let (c, d) = crate::in_oracle(to).features(width, j);
                        (head[start + c], head[start + d]) = (turned[a], turned[b]);
                    }
                }
                let crossing = plain.clone().writing(to);
                let got = turned(&crossing, &data, [1, tokens, 2, dim], &Positions::from(5));
                assert_eq!(bits(&got), bits(&want), "{level}");
                let mut elsewhere = vec![f32::NAN; data.len()];
                let mut view = HeadsMut::new(&mut elsewhere, [tokens, 2, dim]).unwrap();
                let from = Heads::new(&data, [tokens, 2, dim]).unwrap();
                crossing.rotate_into(&from, &mut view, &Positions::from(5)).unwrap();
                assert_eq!(bits(&elsewhere), bits(&want), "{level}");
            }
        }
    }
}

/// The same for the other element types, and for heads wider than the room for one that needs no allocation.
#[test]
fn another_order_is_written_in_every_type() {
    fn check<T: Element + PartialEq + std::fmt::Debug>(convert: impl Fn(f32) -> T) {
        for width in [2, 34, 300] {
            let x: Vec<T> = random(42, 3 * width).into_iter().map(&convert).collect();
            for (from, to) in [(Pairing::Interleaved, Pairing::Halves), (Pairing::Halves, Pairing::Interleaved)] {
                for level in levels() {
                    let turned = |rope: &Rotary| {
                        let mut x = x.clone();
                        rope.rotate(&mut HeadsMut::new(&mut x, [3, 1, width]).unwrap(), &Positions::from(5)).unwrap();
                        x
                    };
                    let rope = rope(width, from).with_level(level);
                    let (plain, got) = (turned(&rope), turned(&rope.clone().writing(to)));
                    for (got, plain) in got.chunks_exact(width).zip(plain.chunks_exact(width)) {
                        for j in 0..width / 2 {
                            let (a, b) = crate::in_oracle(from).features(width, j);
                            let (c, d) = crate::in_oracle(to).features(width, j);
                            assert_eq!((got[c], got[d]), (plain[a], plain[b]), "{level}, pair {j}");
                        }
                    }
                }
            }
        }
    }
    check::<f32>(|x| x);
    check::<f64>(f64::from);
    #[cfg(feature = "half")]
    check(half::f16::from_f32);
    #[cfg(feature = "half")]
    check(half::bf16::from_f32);
}

// B078 and B079: vllm-project/vllm #14667, ggml-org/llama.cpp #14580
#[test]
fn one_buffer_is_seen_alike_by_every_constructor() {
    let data = random(34, 2 * 3 * 4 * 8);
    let rope = rope(8, Pairing::Halves);
    let want = turned(&rope, &data, [2, 3, 4, 8], &Positions::from(1));
    // The same heads, carried into the other orders and back.
    let carried = |place: &dyn Fn(usize, usize, usize) -> usize, data: &[f32], back: bool| {
        let mut out = vec![0.0; data.len()];
        for (i, head) in (0..2 * 3 * 4).map(|i| (i, place(i / 12, i / 4 % 3, i % 4))) {
            let (to, from) = if back { (i, head) } else { (head, i) };
            out[8 * to..][..8].copy_from_slice(&data[8 * from..][..8]);
        }
        out
    };
    let head_major = |b: usize, t: usize, h: usize| (b * 4 + h) * 3 + t;
    let sequence_major = |b: usize, t: usize, h: usize| (t * 2 + b) * 4 + h;
    let mut moved = carried(&head_major, &data, false);
    rope.rotate(&mut HeadsMut::head_major(&mut moved, [2, 4, 3, 8]).unwrap(), &Positions::from(1)).unwrap();
    assert_eq!(bits(&carried(&head_major, &moved, true)), bits(&want));
    let mut moved = carried(&sequence_major, &data, false);
    let read = Heads::sequence_major(&moved, [3, 2, 4, 8]).unwrap();
    assert_eq!(read.shape(), Shape { batch: 2, tokens: 3, heads: 4, dim: 8 });
    let mut elsewhere = vec![0.0; data.len()];
    let mut to = HeadsMut::token_major(&mut elsewhere, [2, 3, 4, 8]).unwrap();
    rope.rotate_into(&read, &mut to, &Positions::from(1)).unwrap();
    assert_eq!(bits(&elsewhere), bits(&want));
    rope.rotate(&mut HeadsMut::sequence_major(&mut moved, [3, 2, 4, 8]).unwrap(), &Positions::from(1)).unwrap();
    assert_eq!(bits(&carried(&sequence_major, &moved, true)), bits(&want));
}

/// Gaps between heads, tokens and sequences keep their bits, in place and elsewhere, initialised or not.
#[test]
fn what_lies_between_heads_is_never_written() {
    let shape = Shape { batch: 2, tokens: 35, heads: 3, dim: 11 };
    let strides = Strides { batch: 2100, token: 13, head: 35 * 13 + 5 };
    let places = cells(shape, strides, 0);
    let len = places.iter().max().unwrap() + 4;
    let guards = |i: usize| f32::from_bits(0x7FC0_0000 + i as u32);
    let x = random(37, places.len());
    let mut buffer: Vec<f32> = (0..len).map(guards).collect();
    places.iter().zip(&x).for_each(|(&place, &x)| buffer[place] = x);
    let bounds = [0, 35];
    let firsts = [3, 90];
    let fractions: Vec<f64> = (0..70).map(|token| 0.5 * f64::from(token)).collect();
    let two = Frequencies::axial(&[(4, 1e4), (6, 1e4)]).unwrap();
    for pairing in PAIRINGS {
        for output in PAIRINGS {
            for level in levels() {
                let one = rope(10, pairing).writing(output).with_level(level);
                let axial = Rotary::new(&two, pairing).writing(output).with_level(level);
                for (rope, positions) in [
                    (&one, Positions::offsets(&firsts)),
                    (&one, Positions::fractions(&fractions)),
                    (&axial, Positions::axes(&fractions, 2)),
                ] {
                    let want = turned(rope, &x, [2, 35, 3, 11], &positions);
                    let mut got = buffer.clone();
                    rope.rotate(&mut HeadsMut::strided(&mut got, shape, strides).unwrap(), &positions).unwrap();
                    let mut expected = buffer.clone();
                    places.iter().zip(&want).for_each(|(&place, &x)| expected[place] = x);
                    assert_eq!(bits(&got), bits(&expected), "{level}");

                    let mut fresh = vec![MaybeUninit::<f32>::uninit(); x.len()];
                    let mut to = HeadsMut::token_major(&mut fresh, [2, 35, 3, 11]).unwrap();
                    let from = Heads::strided(&buffer, shape, strides).unwrap();
                    rope.rotate_into(&from, &mut to, &positions).unwrap();
                    let mut elsewhere: Vec<f32> = (0..len).map(guards).collect();
                    let mut to = HeadsMut::strided(&mut elsewhere, shape, strides).unwrap();
                    rope.rotate_into(&Heads::token_major(&x, [2, 35, 3, 11]).unwrap(), &mut to, &positions).unwrap();
                    assert_eq!(bits(&elsewhere), bits(&expected), "{level}");
                }
            }
        }
    }
    assert!(
        rope(10, Pairing::Halves)
            .rotate(&mut HeadsMut::strided(&mut buffer, shape, strides).unwrap(), &Positions::packed(&bounds))
            .is_err()
    );
}

/// Rows of `[q q k v]` for each group of heads, as Megatron and InternLM2 pack them: groups are the batch of the view.
#[test]
fn groups_of_queries_keys_and_values_are_a_strided_view() {
    let (tokens, groups, dim) = (5, 3, 6);
    let group = 4 * dim;
    let data = random(35, tokens * groups * group);
    let rope = rope(dim, Pairing::Halves);
    let mut got = data.clone();
    let shape = Shape { batch: groups, tokens, heads: 3, dim };
    let strides = Strides { batch: group, token: groups * group, head: dim };
    let mut heads = HeadsMut::strided(&mut got, shape, strides).unwrap();
    rope.rotate(&mut heads, &Positions::from(2)).unwrap();
    for (i, (got, x)) in got.chunks_exact(dim).zip(data.chunks_exact(dim)).enumerate() {
        let token = i / (4 * groups);
        let want = if i % 4 == 3 { x.to_vec() } else { turned(&rope, x, [1, 1, 1, dim], &Positions::from(2 + token)) };
        assert_eq!(bits(got), bits(&want), "row {i}");
    }
}

/// Blocks of a head that turn by axes of their own, each as halves: Gemma-4 vision, Allegro.
#[test]
fn blocks_of_a_head_turn_one_after_the_other() {
    let grid = posenc::grids::raster(&[2, 3]).unwrap();
    let data = random(36, 6 * 16);
    let mut got = data.clone();
    for axis in 0..2 {
        let frequencies = Frequencies::new(8, 100.0).unwrap();
        let rope = Rotary::new(&frequencies, Pairing::Halves).starting_at(8 * axis);
        let view = &mut HeadsMut::new(&mut got, [6, 1, 16]).unwrap();
        rope.rotate(view, &Positions::fractions(grid.axis(axis))).unwrap();
    }
    for (token, (got, x)) in got.chunks_exact(16).zip(data.chunks_exact(16)).enumerate() {
        let place = |axis: usize| Positions::from(grid.axis(axis)[token] as i64);
        let halves = (0..2).flat_map(|axis| {
            turned(
                &Rotary::new(&Frequencies::new(8, 100.0).unwrap(), Pairing::Halves),
                &x[8 * axis..][..8],
                [1, 1, 1, 8],
                &place(axis),
            )
        });
        assert_eq!(bits(got), bits(&halves.collect::<Vec<_>>()));
    }
}

// B024: vllm-project/vllm-ascend #12723
#[test]
fn widths_that_are_no_powers_of_two_keep_their_lengths_on_several_axes() {
    for width in [6, 24, 48, 80, 96, 112, 192] {
        let runs = [(width / 2 / 2 * 2, 1e4), (width - width / 2 / 2 * 2, 1e4)];
        let frequencies = Frequencies::axial(&runs).unwrap();
        let data = random(24, 6 * width);
        for pairing in PAIRINGS {
            for level in levels() {
                let rope = Rotary::new(&frequencies, pairing).with_level(level);
                let grid = posenc::grids::dinov3(2, 3).unwrap();
                let got = turned(&rope, &data, [1, 6, 1, width], &grid.positions());
                for (got, x) in got.chunks_exact(width).zip(data.chunks_exact(width)) {
                    for j in 0..width / 2 {
                        let (a, b) = crate::in_oracle(pairing).features(width, j);
                        let length = |x: &[f32]| f64::from(x[a]).hypot(f64::from(x[b]));
                        assert!((length(got) / length(x) - 1.0).abs() < 1e-6);
                    }
                }
            }
        }
    }
}

//! Kind I: slices, strides, remainders and shapes.
//! A shape is given and checked, never guessed; what lies between heads keeps its bits.

use posenc::{
    Alibi, Clip, DistanceBias, Error, Frequencies, HeadsMut, Init, Level, Pairing, Positions, Precision,
    RelativeEmbedding, Rotary, Shape, Sinusoidal, Strides, Tables,
};

use crate::common::levels;
use crate::support::{PAIRINGS, PRECISIONS, bits, builder, frequencies, points, random, rope};

// B078: vllm-project/vllm #14667 and #12729
#[test]
fn flat_rows_and_split_heads_are_one_buffer_with_one_result() {
    let (tokens, heads, dim) = (5, 3, 16);
    let x = random(78, tokens * heads * dim);
    for pairing in PAIRINGS {
        for level in levels() {
            let rope = rope(dim, 1e4, pairing, level);
            let mut whole = x.clone();
            let mut view = HeadsMut::new(&mut whole, [tokens, heads, dim]).unwrap();
            rope.rotate(&mut view, &Positions::from(3)).unwrap();
            // As [tokens, heads · dim]: a slice of each row at a time, with the stride of the row.
            let mut flat = x.clone();
            for head in 0..heads {
                let shape = Shape { batch: 1, tokens, heads: 1, dim };
                let strides = Strides { batch: 0, token: heads * dim, head: 0 };
                let mut view = HeadsMut::strided(&mut flat[head * dim..], shape, strides).unwrap();
                rope.rotate(&mut view, &Positions::from(3)).unwrap();
            }
            assert_eq!(bits(&flat), bits(&whole), "{pairing:?}, {level}");
            // Tokens and heads exchanged make another view of the same size; no guess could tell the two apart.
            let mut exchanged = x.clone();
            let mut view = HeadsMut::new(&mut exchanged, [heads, tokens, dim]).unwrap();
            rope.rotate(&mut view, &Positions::from(3)).unwrap();
            assert_ne!(bits(&exchanged), bits(&whole), "{pairing:?}, {level}");
        }
    }
}

// B078: vllm-project/vllm #14667 and #12729
#[test]
fn dims_whose_product_is_not_the_length_are_refused() {
    let mut data = random(78, 5 * 3 * 16);
    for shape in [[5, 3, 17], [6, 3, 16], [5, 4, 16], [5, 48, 16], [1, 3, 16], [0, 3, 16], [usize::MAX, 3, 16]] {
        assert!(HeadsMut::new(&mut data, shape).is_err(), "{shape:?}");
    }
    let [tokens, heads, dim] = [5, 3, 16];
    let shape = Shape { batch: 1, tokens, heads, dim };
    let strides = Strides { batch: 0, token: heads * dim, head: dim };
    assert!(HeadsMut::strided(&mut data, shape, strides).is_ok());
    let short = HeadsMut::strided(&mut data[..239], shape, strides).unwrap_err();
    assert_eq!(short, Error::Length { what: "head data", expected: 240, found: 239 });
    let far = Strides { token: usize::MAX / 2, ..strides };
    assert!(HeadsMut::strided(&mut data, shape, far).is_err());
}

// B079: ggml-org/llama.cpp #14580
#[test]
fn strided_heads_turn_as_dense_ones_and_gaps_keep_their_bits() {
    let (tokens, heads, dim, width) = (5, 3, 12, 8);
    let shape = Shape { batch: 1, tokens, heads, dim };
    let strides = Strides { batch: 0, token: heads * (dim + 3) + 5, head: dim + 3 };
    let x = random(79, tokens * heads * dim);
    let starts: Vec<usize> =
        (0..tokens * heads).map(|i| i / heads * strides.token + i % heads * strides.head).collect();
    // Finite and all different: any arithmetic and any copy would show.
    let gap = |i: usize| 1000.5 + i as f32;
    for pairing in PAIRINGS {
        for level in levels() {
            let plain = rope(width, 1e4, pairing, level).starting_at(2);
            for rope in [plain.clone(), plain.with_table(tokens + 9).unwrap()] {
                let mut dense = x.clone();
                let mut view = HeadsMut::new(&mut dense, [tokens, heads, dim]).unwrap();
                rope.rotate(&mut view, &Positions::from(9)).unwrap();
                let mut want: Vec<f32> = (0..tokens * strides.token).map(gap).collect();
                let mut got = want.clone();
                for ((&start, before), after) in starts.iter().zip(x.chunks(dim)).zip(dense.chunks(dim)) {
                    got[start..start + dim].copy_from_slice(before);
                    want[start..start + dim].copy_from_slice(after);
                }
                let mut view = HeadsMut::strided(&mut got, shape, strides).unwrap();
                rope.rotate(&mut view, &Positions::from(9)).unwrap();
                assert_eq!(bits(&got), bits(&want), "{pairing:?}, {level}");
            }
        }
    }
}

// B079: numpy/numpy #16572
#[test]
fn one_large_angle_among_zeros_stays_at_its_own_index() {
    let cos_72000 = 0.557_383_7;
    let mut tenth = [0.0; 10];
    tenth[4] = 72_000.0;
    let ids = tenth.map(|x| x as i64);
    for precision in PRECISIONS {
        for level in levels() {
            // As a frequency among others, and as a position among others.
            let (by_pair, _) = points(precision, level, 1, &tenth);
            let (mut by_row, mut sin) = ([0.0; 10], [0.0; 10]);
            let one = Frequencies::from_values(vec![1.0]).unwrap();
            builder(&one, precision, level).fill(&Positions::ids(&ids), &mut by_row, &mut sin).unwrap();
            for cos in [&by_pair[..], &by_row] {
                for (i, &cos) in cos.iter().enumerate() {
                    let want = if i == 4 { cos_72000 } else { 1.0_f32 };
                    assert!((cos - want).abs() < 6e-8, "{precision:?}, {level}, index {i}: {cos}");
                }
            }
        }
    }
}

/// Rotations of nothing, in all orders of memory.
fn assert_no_op(rope: &Rotary, shape: [usize; 4], positions: Positions<'_>) {
    let what = format!("{shape:?}");
    let [batch, tokens, heads, dim] = shape;
    let rotate = |view: posenc::Result<HeadsMut<'_, f32>>| {
        let mut view = view.expect(&what);
        rope.rotate(&mut view, &positions).expect(&what);
        #[cfg(feature = "rayon")]
        rope.par_rotate(&mut view, &positions).expect(&what);
    };
    // An empty slice has a dangling pointer, which nothing may follow.
    rotate(HeadsMut::token_major(&mut [], shape));
    rotate(HeadsMut::head_major(&mut [], [batch, heads, tokens, dim]));
    let strides = Strides { batch: 1, token: 1, head: 1 };
    rotate(HeadsMut::strided(&mut [], Shape { batch, tokens, heads, dim }, strides));
}

// B083: rust-ndarray/ndarray #361, huggingface/candle #3778, deepseek-ai/FlashMLA #11
#[test]
fn an_empty_dim_makes_a_rotation_a_successful_no_op() {
    for level in levels() {
        for pairing in PAIRINGS {
            let rope = rope(8, 1e4, pairing, level);
            for rope in [rope.clone(), rope.with_table(3).unwrap()] {
                for shape in [[2, 0, 4, 8], [2, 3, 0, 8], [0, 3, 4, 8], [0, 0, 0, 8], [1 << 40, 0, 1 << 40, 8]] {
                    assert_no_op(&rope, shape, Positions::from(0));
                    assert_no_op(&rope, shape, Positions::ids(&vec![0_i64; shape[1]]));
                }
            }
            let nothing = Rotary::new(&frequencies(0, 1e4), pairing).with_level(level);
            assert_no_op(&nothing, [2, 3, 4, 0], Positions::from(0));
            let mut x = [1.0, 2.0, 3.0];
            let mut view = HeadsMut::new(&mut x, [1, 1, 3]).unwrap();
            nothing.rotate(&mut view, &Positions::from(5)).unwrap();
            assert_eq!(x, [1.0, 2.0, 3.0]);
        }
    }
}

// B083: rust-ndarray/ndarray #361, huggingface/candle #3778, deepseek-ai/FlashMLA #11
#[test]
fn an_empty_dim_wins_over_the_others_however_large_they_are() {
    let rope = rope(8, 1e4, Pairing::Halves, Level::detect());
    // The products of the other dims do not fit a usize; none of them may be worked out, let alone walked along.
    for shape in [[1 << 50, 1 << 20, 0, 8], [0, 1 << 20, 1 << 40, 1 << 30], [usize::MAX, 0, usize::MAX, usize::MAX]] {
        assert_no_op(&rope, shape, Positions::from(0));
    }
}

// B083: rust-ndarray/ndarray #361, huggingface/candle #3778, deepseek-ai/FlashMLA #11
#[test]
fn nothing_is_a_fine_table_but_no_pair_and_no_feature_are_errors() {
    let nowhere = Positions::ids::<i64>(&[]);
    for level in levels() {
        let empty = builder(&frequencies(8, 1e4), Precision::Exact, level).build(0).unwrap();
        assert_eq!((empty.rows(), empty.cos().len()), (0, 0));
        builder(&frequencies(0, 1e4), Precision::Exact, level).fill::<f32>(&nowhere, &mut [], &mut []).unwrap();
        for features in [0, 8] {
            let encoding = Sinusoidal::new(features, 1e4).unwrap().with_level(level);
            assert!(encoding.table(&nowhere, 0).unwrap().is_empty());
            encoding.add::<f32>(&mut [], &nowhere).unwrap();
        }
        assert!(Sinusoidal::new(0, 1e4).unwrap().with_level(level).table(&Positions::from(0), 3).unwrap().is_empty());
    }
    for [queries, keys] in [[0, 5], [5, 0], [0, 0]] {
        Alibi::new(4).unwrap().add::<f32>(&mut [], [queries, keys], 7).unwrap();
        let rows = RelativeEmbedding::random(Clip::symmetric(2), 4, Init::Normal { deviation: 1.0 }, 1).unwrap();
        assert!(rows.lookup([queries, keys], 3).unwrap().is_empty());
        rows.add::<f32>(&mut [], [queries, keys], 3).unwrap();
    }
    assert!(Alibi::new(0).is_err());
    assert!(Tables::<f32>::new(vec![], vec![], 0).is_err());
    assert!(Tables::<f32>::from_full_width(&[], &[], 0, Pairing::Halves).is_err());
    assert!(RelativeEmbedding::new(vec![], Clip::symmetric(2), 0).is_err());
}

// B084: PyO3/rust-numpy #101, #114 and #523, oxiglade/mlx-rs #310
#[test]
fn transposed_and_skipping_views_are_right_and_overlapping_ones_refused() {
    let (tokens, heads, dim) = (4, 6, 8);
    let x = random(84, tokens * heads * dim);
    for level in levels() {
        let rope = rope(dim, 1e4, Pairing::Halves, level);
        let mut dense = x.clone();
        rope.rotate(&mut HeadsMut::new(&mut dense, [tokens, heads, dim]).unwrap(), &Positions::from(1)).unwrap();
        let shape = Shape { batch: heads, tokens, heads: 1, dim };
        // The same memory with the heads as sequences: strides that fall instead of rise.
        let strides = Strides { batch: dim, token: heads * dim, head: 0 };
        let mut transposed = x.clone();
        let mut view = HeadsMut::strided(&mut transposed, shape, strides).unwrap();
        rope.rotate(&mut view, &Positions::from(1)).unwrap();
        assert_eq!(bits(&transposed), bits(&dense), "{level}");
        // Every second head; the others stay.
        let mut second = x.clone();
        let every_second = Shape { batch: 1, tokens, heads: heads / 2, dim };
        let strides = Strides { batch: 0, token: heads * dim, head: 2 * dim };
        let mut view = HeadsMut::strided(&mut second, every_second, strides).unwrap();
        rope.rotate(&mut view, &Positions::from(1)).unwrap();
        for (i, got) in second.chunks_exact(dim).enumerate() {
            let want = if i % 2 == 0 { &dense } else { &x };
            assert_eq!(bits(got), bits(&want[i * dim..][..dim]), "{level}, head {i}");
        }
        for head in [0, 1, dim - 1] {
            let overlapping = HeadsMut::strided(&mut second, every_second, Strides { head, ..strides });
            assert!(matches!(overlapping, Err(Error::Stride { what: "head", .. })), "{level}, stride {head}");
        }
    }
}

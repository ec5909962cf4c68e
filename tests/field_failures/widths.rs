//! Kind C: partial rotation, odd and unusual widths.
//! A width that fast paths were not written for is where partners, remainders and untouched features go wrong.

use posenc::{Error, Frequencies, HeadsMut, Level, Pairing, Positions, Rotary};
use posenc_oracle::sinusoid::{self, Arrangement};
use posenc_oracle::tolerance::EXACT_ULP;
use posenc_oracle::ulp::ulp_error;

use crate::common::levels;
use crate::support::{PAIRINGS, Turn, bits, frequencies, lengths, random, rope, turned};

// B019: labscommunity/cascadia #69
#[test]
fn partners_lie_within_the_rotated_slice_and_not_half_a_head_away() {
    let head = random(19, 128);
    let frequencies = frequencies(32, 1e4);
    for pairing in PAIRINGS {
        for level in levels() {
            let got = turned(&rope(32, 1e4, pairing, level), &head, 17);
            let turn = Turn { head: &head, position: 17, frequencies: frequencies.as_slice(), pairing, start: 0 };
            turn.assert(&got, &format!("{pairing:?}, {level}"));
        }
    }
    // Padded with zeros to the whole head, the same table gives other vectors: right tables are no proof.
    let padded = [frequencies.as_slice(), &[0.0; 48]].concat();
    let padded = Rotary::new(&Frequencies::from_values(padded).unwrap(), Pairing::Halves);
    let wrong = turned(&padded, &head, 17);
    let right = turned(&rope(32, 1e4, Pairing::Halves, Level::detect()), &head, 17);
    assert!(right.iter().zip(&wrong).filter(|(a, b)| a != b).count() >= 32);
}

// B020: AI-Hypercomputer/maxtext #4616, vllm-project/vllm #43770, ml-explore/mlx-lm #1698
#[test]
fn a_quarter_of_the_head_turns_on_every_path() {
    let (tokens, heads, dim) = (5, 2, 16);
    let x = random(20, tokens * heads * dim);
    for pairing in PAIRINGS {
        for level in levels() {
            let plain = rope(4, 1e4, pairing, level);
            assert_eq!(plain.width(), 4);
            for rope in [plain.clone(), plain.with_table(6).unwrap()] {
                let check = |got: &[f32], path: &str| {
                    for (got, head) in got.chunks_exact(dim).zip(x.chunks_exact(dim)) {
                        assert_ne!(bits(&got[..4]), bits(&head[..4]), "{path}, {pairing:?}, {level}");
                        assert_eq!(bits(&got[4..]), bits(&head[4..]), "{path}, {pairing:?}, {level}");
                    }
                };
                let mut got = x.clone();
                let mut view = HeadsMut::new(&mut got, [tokens, heads, dim]).unwrap();
                rope.rotate(&mut view, &Positions::from(1)).unwrap();
                check(&got, "token-major");
                let mut got = x.clone();
                let mut view = HeadsMut::head_major(&mut got, [1, heads, tokens, dim]).unwrap();
                rope.rotate(&mut view, &Positions::from(1)).unwrap();
                check(&got, "head-major");
                check(&parallel(&rope, &x, [tokens, heads, dim]), "parallel");
            }
        }
    }
}

/// In pieces on two threads, where the crate has them.
fn parallel(rope: &Rotary, x: &[f32], shape: [usize; 3]) -> Vec<f32> {
    // Enough copies that the work is cut.
    let batch = 2 * (1 << 19) / x.len();
    let mut many = x.repeat(batch);
    let mut view = HeadsMut::token_major(&mut many, [batch, shape[0], shape[1], shape[2]]).unwrap();
    #[cfg(feature = "rayon")]
    crate::threads::pool(2).install(|| rope.par_rotate(&mut view, &Positions::from(1)).unwrap());
    #[cfg(not(feature = "rayon"))]
    rope.rotate(&mut view, &Positions::from(1)).unwrap();
    many.split_off((batch - 1) * x.len())
}

// B021: huggingface/transformers #35233, fla-org/flash-linear-attention #1177
#[test]
fn odd_widths_and_widths_beyond_the_head_are_refused() {
    // Head and factor, and the width that they make: int(head · factor).
    for (head, factor, width) in [(4, 0.75, 3), (64, 0.3, 19), (64, 0.4, 25), (128, 0.4, 51), (33, 1.0, 33)] {
        assert_eq!((f64::from(head) * factor) as usize, width);
        let refused = Frequencies::new(width, 1e4).unwrap_err();
        assert!(matches!(refused, Error::Count { found, .. } if found == width), "{refused}");
    }
    for level in levels() {
        for (width, start, dim) in [(66, 0, 64), (64, 2, 64), (2, usize::MAX, 64), (2, 0, 1)] {
            let before = random(21, dim);
            let mut data = before.clone();
            let mut view = HeadsMut::new(&mut data, [1, 1, dim]).unwrap();
            let rope = rope(width, 1e4, Pairing::Halves, level).starting_at(start);
            let refused = rope.rotate(&mut view, &Positions::from(1)).unwrap_err();
            assert_eq!(refused, Error::Width { expected: dim, found: start.saturating_add(width) });
            assert_eq!(bits(&data), bits(&before));
        }
    }
}

// B021: huggingface/transformers #35233, fla-org/flash-linear-attention #1177
#[test]
fn odd_absolute_encodings_end_with_their_own_column() {
    for level in levels() {
        for width in [1, 3, 33, 129] {
            let encoding = posenc::Sinusoidal::new(width, 1e4).unwrap().with_level(level);
            let got = encoding.table(&Positions::from(0), 5).unwrap();
            let want = sinusoid::table(0, 5, width, 1e4, Arrangement::Interleaved);
            assert_eq!(got.len(), want.len());
            for (got, want) in got.iter().zip(want) {
                assert!(ulp_error(*got, want) <= EXACT_ULP, "width {width}, {level}: {got} is not {want}");
            }
        }
    }
}

// B024: vllm-project/vllm-ascend #12723
#[test]
fn widths_that_fill_no_vector_keep_the_length_of_every_pair() {
    for width in [6, 24, 48, 80, 96, 112, 192] {
        let head = random(24, width);
        for pairing in PAIRINGS {
            for level in levels() {
                let got = turned(&rope(width, 1e4, pairing, level), &head, 1000);
                for (got, want) in lengths(&got, pairing).into_iter().zip(lengths(&head, pairing)) {
                    assert!((got / want - 1.0).abs() <= 1e-6, "width {width}, {pairing:?}, {level}: {}", got / want);
                }
            }
        }
    }
}

// B024: vllm-project/vllm-ascend #12723
// B025: sgl-project/sglang #4064, vllm-project/vllm-ascend #2847, deepspeedai/DeepSpeed #2448
#[test]
fn every_even_width_turns_as_the_oracle_and_equals_the_scalar_level() {
    let scalar = Level::named("scalar").unwrap();
    for width in (2..=130).step_by(2).chain([160, 192, 256, 320, 512, 576]) {
        let head = random(25, width);
        let frequencies = frequencies(width, 1e4);
        for pairing in PAIRINGS {
            let want = turned(&rope(width, 1e4, pairing, scalar), &head, 1000);
            let turn = Turn { head: &head, position: 1000, frequencies: frequencies.as_slice(), pairing, start: 0 };
            turn.assert(&want, &format!("width {width}, {pairing:?}"));
            for level in levels() {
                let got = turned(&rope(width, 1e4, pairing, level), &head, 1000);
                assert_eq!(bits(&got), bits(&want), "width {width}, {pairing:?}, {level}");
            }
        }
    }
}

// B027: zml/zml #660
#[test]
fn skipping_before_or_after_the_halving_makes_other_partners() {
    let head: Vec<f32> = (1..=8_u8).map(f32::from).collect();
    let two = [1.0, 0.01];
    let turn_by = |(a, b): (f32, f32), frequency: f64| {
        let (sin, cos) = (3.0 * frequency).sin_cos();
        let (a, b) = (f64::from(a), f64::from(b));
        [a * cos - b * sin, b * cos + a * sin]
    };
    for level in levels() {
        let run = |frequencies: &[f64]| {
            let frequencies = Frequencies::from_values(frequencies.to_vec()).unwrap();
            turned(&Rotary::new(&frequencies, Pairing::Halves).with_level(level), &head, 3)
        };
        // The common rule, and the proportional one, whose skipped pairs have frequency 0.
        for (got, partner, kept) in [(run(&two), 2, [4, 5, 6, 7]), (run(&[1.0, 0.01, 0.0, 0.0]), 4, [2, 3, 6, 7])] {
            for (j, frequency) in two.into_iter().enumerate() {
                let [a, b] = turn_by((head[j], head[j + partner]), frequency);
                assert!((f64::from(got[j]) - a).abs() < 1e-6, "{level}: pair {j}");
                assert!((f64::from(got[j + partner]) - b).abs() < 1e-6, "{level}: pair {j}");
            }
            for i in kept {
                assert_eq!(got[i].to_bits(), head[i].to_bits(), "{level}: feature {i}");
            }
        }
    }
}

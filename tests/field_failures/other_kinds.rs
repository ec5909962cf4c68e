//! Entries of other kinds, as far as they are about plain rotations and distance biases.
//! Scaled frequencies are written out as numbers here: what is tested is how handles treat them.

use std::f32::consts::FRAC_1_SQRT_2;

use posenc::{
    Alibi, AlibiForm, Clip, Direction, DistanceBias, Frequencies, HeadsMut, Pairing, Positions, Precision,
    RelativeEmbedding, Rotary,
};
use posenc_kernels::{F32, SlidingAdd};
use posenc_oracle::angle::{CosSin, sincos, sincos_product};
use posenc_oracle::bias::{self, Scores};
use posenc_oracle::tolerance::{EXACT_ULP, rotations};
use posenc_oracle::ulp::ulp_error;

use crate::common::levels;
use crate::support::{PAIRINGS, assert_near, bits, builder, frequencies, random, rope, row, turned};

// B033: huggingface/transformers #27226, #27227 and #25104
#[test]
fn a_long_input_leaves_nothing_behind_and_cached_keys_move_to_another_base() {
    let key = random(33, 64);
    for pairing in PAIRINGS {
        for level in levels() {
            let (old, new) = (rope(64, 1e4, pairing, level), rope(64, 5e5, pairing, level));
            let table = |rows| old.clone().with_table(rows).unwrap().tables().unwrap().clone();
            let before = table(100);
            table(8192);
            assert_eq!(table(100), before, "{level}");
            let cached = turned(&old, &key, 900);
            let raw = turned(&old.with_direction(Direction::Inverse), &cached, 900);
            // Three rotations against one.
            let what = format!("{pairing:?}, {level}");
            assert_near(&turned(&new, &raw, 900), &turned(&new, &key, 900), pairing, rotations(4), &what);
        }
    }
}

/// Rows of a builder against true points.
fn assert_points(got: (Vec<f32>, Vec<f32>), want: impl Fn(usize) -> CosSin, what: &str) {
    for (j, (&cos, &sin)) in got.0.iter().zip(&got.1).enumerate() {
        let want = want(j);
        let error = ulp_error(cos, want.cos).max(ulp_error(sin, want.sin));
        assert!(error <= EXACT_ULP, "{what}, pair {j}: {error} ULP");
    }
}

// B034: ml-explore/mlx-lm #1545, lablup/mlxcel #1324 and #1389
// B040: deepspeedai/DeepSpeed #4442, lyogavin/airllm #369, sgl-project/SpecForge #651
#[test]
fn without_scaling_the_angle_is_the_position_times_a_power_of_the_given_base() {
    for base in [1e4, 5e5, 1e6] {
        for level in levels() {
            let got = row(&builder(&frequencies(128, base), Precision::Exact, level), 6);
            assert_points(got, |j| sincos(6, base.powf(-(j as f64) / 64.0)), &format!("base {base}, {level}"));
        }
    }
}

// B035: vllm-project/vllm #27431, trymirai/uzu #604, ml-explore/mlx-lm #660
#[test]
fn a_prompt_in_six_chunks_turns_as_it_does_at_once() {
    let (tokens, dim) = (5511_usize, 16);
    let chunk = tokens.div_ceil(6);
    let x = random(35, tokens * dim);
    for level in levels() {
        let rope = rope(dim, 1e4, Pairing::Halves, level);
        let mut once = x.clone();
        rope.rotate(&mut HeadsMut::new(&mut once, [tokens, 1, dim]).unwrap(), &Positions::from(0)).unwrap();
        let mut chunked = x.clone();
        for (i, part) in chunked.chunks_mut(chunk * dim).enumerate() {
            let count = part.len() / dim;
            let mut view = HeadsMut::new(part, [count, 1, dim]).unwrap();
            rope.rotate(&mut view, &Positions::from(i * chunk)).unwrap();
        }
        assert_eq!(bits(&chunked), bits(&once), "{level}");
    }
}

// B039: lablup/mlxcel #1340, Blaizzy/mlx-vlm #1709, antonellof/ferrox #39
#[test]
fn two_handles_of_a_model_keep_their_own_frequencies() {
    let (global, local) = (frequencies(128, 1e6), frequencies(128, 1e4));
    let scaled = Frequencies::from_values(global.as_slice().iter().map(|f| f / 8.0).collect()).unwrap();
    for level in levels() {
        let [a, b] = [&scaled, &local].map(|f| builder(f, Precision::Exact, level));
        let (got_a, got_b) = (row(&a, 4095), row(&b, 4095));
        // A linear factor of 8 makes position 4095 the plain position 511.875.
        assert_points(got_a, |j| sincos_product(511.875, global.as_slice()[j]), &format!("{level}, scaled"));
        assert_points(got_b, |j| sincos(4095, local.as_slice()[j]), &format!("{level}, plain"));
    }
}

// B041: rajveer43/VeloxQuant-MLX #148, ggml-org/llama.cpp #4889
#[test]
fn a_shift_by_the_same_frequencies_moves_a_partial_key_and_scales_it_once() {
    let (head, width, magnitude) = (80, 32, 1.25);
    let key = random(41, head);
    let plain: Vec<f64> = frequencies(width, 1e4).as_slice().to_vec();
    let scaled = plain.iter().enumerate().map(|(j, f)| if j < 8 { *f } else { f / 8.0 }).collect();
    for values in [plain, scaled] {
        let frequencies = Frequencies::from_values(values).unwrap();
        let magnified = frequencies.clone().with_magnitude(magnitude).unwrap();
        for pairing in PAIRINGS {
            for level in levels() {
                let rope = Rotary::new(&magnified, pairing).with_level(level);
                let shift = Rotary::new(&frequencies, pairing).with_level(level);
                let got = turned(&shift, &turned(&rope, &key, 1000), 5);
                let want = turned(&rope, &key, 1005);
                let what = format!("{pairing:?}, {level}");
                assert_near(&got[..width], &want[..width], pairing, rotations(3), &what);
                assert_eq!(bits(&got[width..]), bits(&key[width..]), "{what}");
            }
        }
    }
}

// B065: ml-explore/mlx #343 and #3071, huggingface/transformers #28380
#[test]
fn slopes_of_any_head_count_follow_the_published_rule() {
    let six = [1.0 / 4.0, 1.0 / 16.0, 1.0 / 64.0, 1.0 / 256.0, 1.0 / 2.0, 1.0 / 8.0];
    assert_eq!(Alibi::new(6).unwrap().slopes(), six);
    let twelve = Alibi::new(12).unwrap();
    for (i, &slope) in twelve.slopes()[..8].iter().enumerate() {
        assert_eq!(slope, 0.5_f32.powi(i as i32 + 1));
    }
    for (slope, want) in twelve.slopes()[8..].iter().zip([FRAC_1_SQRT_2, 0.353_553_4, 0.176_776_7, 0.088_388_3]) {
        assert!((slope - want).abs() < 1e-7, "{slope} is not {want}");
    }
    assert_eq!(Alibi::new(1).unwrap().slopes(), [1.0 / 256.0]);
    assert!(Alibi::new(0).is_err());
    // Other counts made in between leave no trace.
    assert_eq!(Alibi::new(6).unwrap().slopes(), six);
    for heads in 1..=130 {
        let (got, want) = (Alibi::new(heads).unwrap(), bias::alibi_slopes(heads, 8.0));
        assert_eq!(got.slopes().len(), heads);
        assert!(got.slopes().iter().zip(want).all(|(&got, want)| ulp_error(got, want) <= EXACT_ULP), "{heads}");
    }
}

/// The bias of `[queries, keys]`, by the sliding add of every level.
fn matrix(alibi: &Alibi, [queries, keys]: [usize; 2], first_query: usize) -> Vec<f32> {
    let mut by_call = vec![0.0; alibi.heads() * queries * keys];
    alibi.add(&mut by_call, [queries, keys], first_query).unwrap();
    for level in levels().into_iter().filter(|_| alibi.anchor() == posenc::Anchor::Query) {
        for (head, want) in by_call.chunks_exact(queries * keys).enumerate() {
            let window = &alibi.diagonals(head, [queries, keys], first_query).unwrap();
            let mut got = vec![0.0; queries * keys];
            level.run(SlidingAdd::<F32> { rows: &mut got, width: keys, window, start: queries - 1, step: 1 });
            assert_eq!(bits(&got), bits(want), "{level}, head {head}");
        }
    }
    by_call
}

// B067: vllm-project/vllm #945, mosaicml/llm-foundry #186
#[test]
fn the_newest_key_is_at_distance_0_in_prefill_and_in_decode() {
    let (heads, tokens) = (4, 6);
    let alibi = Alibi::new(heads).unwrap();
    let full = matrix(&alibi, [tokens, tokens], 0);
    let decode = matrix(&alibi, [1, tokens], 5);
    let scores = Scores { heads, queries: tokens, keys: tokens, first_query: 0 };
    let want = bias::alibi(scores, &bias::alibi_slopes(heads, 8.0), bias::Alibi::Causal);
    assert!(full.iter().zip(want).all(|(&got, want)| f64::from(got) == want), "{full:?}");
    let row_form = matrix(&alibi.clone().with_form(AlibiForm::KeyOnly), [tokens, tokens], 0);
    for head in 0..heads {
        let of_head = |x: &[f32]| x[head * tokens * tokens..][..tokens * tokens].to_vec();
        let newest = &decode[head * tokens..][..tokens];
        assert_eq!(bits(&of_head(&full)[30..]), bits(newest));
        assert_eq!(newest[5], 0.0);
        assert!(newest.windows(2).all(|pair| pair[1] - pair[0] == alibi.slopes()[head]));
        let (full, row_form) = (of_head(&full), of_head(&row_form));
        for query in 0..tokens {
            let constant = alibi.slopes()[head] * query as f32;
            let causal = query * tokens..=query * tokens + query;
            assert!(causal.into_iter().all(|i| row_form[i] - full[i] == constant), "head {head}, query {query}");
        }
    }
}

// B068: NVIDIA/TensorRT-Model-Connect #667
// B069: HabanaAI/vllm-fork #503, Dao-AILab/flash-attention #846
#[test]
fn far_neighbours_have_different_biases() {
    let alibi = Alibi::new(8).unwrap();
    assert_eq!(alibi.slopes()[0], 0.5);
    assert_eq!((alibi.value(0, -4094), alibi.value(0, -4095)), (-2047.0, -2047.5));
    let scores = matrix(&alibi, [1, 4096], 4095);
    // Distances 4095 to 4088, eight different values in steps of a half.
    assert_eq!(scores[..8], [-2047.5, -2047.0, -2046.5, -2046.0, -2045.5, -2045.0, -2044.5, -2044.0]);
}

// B074, told without a public thread: the key-side index without the transpose that belongs to it
#[test]
fn the_index_of_a_query_and_a_key_keeps_its_sign() {
    let (tokens, clip) = (5, Clip { left: 3, right: 2 });
    // A row holds its own distance, so no two are alike and nothing is symmetric.
    let forward = RelativeEmbedding::new(vec![-3.0, -2.0, -1.0, 0.0, 1.0, 2.0], clip, 1).unwrap();
    let matrix = forward.lookup([tokens, tokens], 0).unwrap();
    // The other axis order: negated distances, reaching as far to the other side.
    let mirrored = Clip { left: 2, right: 3 };
    let backward = RelativeEmbedding::new(vec![2.0, 1.0, 0.0, -1.0, -2.0, -3.0], mirrored, 1).unwrap();
    let transposed = backward.lookup([tokens, tokens], 0).unwrap();
    for query in 0..tokens {
        for key in 0..tokens {
            let distance = (key as f32 - query as f32).clamp(-3.0, 2.0);
            assert_eq!(matrix[query * tokens + key], distance, "query {query}, key {key}");
            assert_eq!(transposed[key * tokens + query], distance, "query {query}, key {key}");
        }
    }
}

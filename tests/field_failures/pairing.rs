//! Kind B: which features make a pair, in the rotation and in absolute tables.
//! Rotated vectors are compared, each feature with the oracle's, for tables alone cannot show a wrong partner.

use posenc::{HeadsMut, Level, Order, Pairing, Positions, Precision, Rotary, Shape, Sinusoidal, Strides, Tables};
use posenc_oracle::rotary::{inverse_frequencies, points};
use posenc_oracle::sinusoid::{self, Arrangement};
use posenc_oracle::tolerance::{EXACT_ULP, NORM_RELATIVE};
use posenc_oracle::ulp::ulp_error;

use crate::common::levels;
use crate::support::{PAIRINGS, Turn, bits, frequencies, lengths, random, rope, turned};

/// The rows of each head re-ordered from adjacent pairs to halves.
fn to_halves(x: &[f32], heads: usize) -> Vec<f32> {
    let dim = x.len() / heads;
    let head = |head: &[f32]| {
        let (even, odd) = (head.iter().step_by(2), head.iter().skip(1).step_by(2));
        even.chain(odd).copied().collect::<Vec<f32>>()
    };
    x.chunks_exact(dim).flat_map(head).collect()
}

// B013: ggml-org/llama.cpp #3364, huggingface/transformers #31788
#[test]
fn the_two_layouts_are_one_rotation_of_reordered_heads() {
    let dim = 64;
    // Query and key heads of grouped-query models; in the last one a wrong head count went unnoticed.
    for (heads, seed) in [(32, 1), (4, 2), (64, 3), (8, 4)] {
        let x = random(seed, heads * dim);
        for level in levels() {
            let run = |x: &[f32], pairing| {
                let mut x = x.to_vec();
                let mut view = HeadsMut::new(&mut x, [1, heads, dim]).unwrap();
                rope(dim, 1e4, pairing, level).rotate(&mut view, &Positions::from(1234)).unwrap();
                x
            };
            let reordered_last = to_halves(&run(&x, Pairing::Interleaved), heads);
            let reordered_first = run(&to_halves(&x, heads), Pairing::Halves);
            assert_eq!(bits(&reordered_first), bits(&reordered_last), "{level}, {heads} heads");
            assert_ne!(bits(&reordered_first), bits(&run(&x, Pairing::Halves)), "{level}, {heads} heads");
        }
    }
}

const TOKENS: [i64; 4] = [0, 1, 7, 300];
const HEADS: usize = 3;
const DIM: usize = 16;

/// A way through memory: takes and gives `[tokens, heads, dim]`, whatever it does in between.
type Walk = fn(&Rotary, &[f32]) -> Vec<f32>;

fn token_major(rope: &Rotary, x: &[f32]) -> Vec<f32> {
    let mut x = x.to_vec();
    let mut view = HeadsMut::new(&mut x, [TOKENS.len(), HEADS, DIM]).unwrap();
    rope.rotate(&mut view, &Positions::ids(&TOKENS)).unwrap();
    x
}

fn head_major(rope: &Rotary, x: &[f32]) -> Vec<f32> {
    let at = |token: usize, head: usize| (token * HEADS + head) * DIM;
    let cells = |order: &dyn Fn(usize) -> usize, x: &[f32]| -> Vec<f32> {
        (0..TOKENS.len() * HEADS).flat_map(|i| x[order(i)..][..DIM].to_vec()).collect()
    };
    let mut swapped = cells(&|i| at(i % TOKENS.len(), i / TOKENS.len()), x);
    let mut view = HeadsMut::head_major(&mut swapped, [1, HEADS, TOKENS.len(), DIM]).unwrap();
    rope.rotate(&mut view, &Positions::ids(&TOKENS)).unwrap();
    cells(&|i| (i % HEADS * TOKENS.len() + i / HEADS) * DIM, &swapped)
}

fn strided(rope: &Rotary, x: &[f32]) -> Vec<f32> {
    let strides = Strides { batch: 0, token: HEADS * (DIM + 3) + 5, head: DIM + 3 };
    let mut spread = vec![f32::NAN; TOKENS.len() * strides.token];
    let starts: Vec<usize> =
        (0..TOKENS.len() * HEADS).map(|i| i / HEADS * strides.token + i % HEADS * strides.head).collect();
    for (head, &start) in x.chunks_exact(DIM).zip(&starts) {
        spread[start..start + DIM].copy_from_slice(head);
    }
    let shape = Shape { batch: 1, tokens: TOKENS.len(), heads: HEADS, dim: DIM };
    let mut view = HeadsMut::strided(&mut spread, shape, strides).unwrap();
    rope.rotate(&mut view, &Positions::ids(&TOKENS)).unwrap();
    starts.iter().flat_map(|&start| spread[start..start + DIM].to_vec()).collect()
}

/// Each token as a call of its own.
fn piecewise(rope: &Rotary, x: &[f32]) -> Vec<f32> {
    let mut x = x.to_vec();
    for (token, position) in x.chunks_exact_mut(HEADS * DIM).zip(TOKENS) {
        rope.rotate(&mut HeadsMut::new(token, [1, HEADS, DIM]).unwrap(), &Positions::from(position)).unwrap();
    }
    x
}

const WALKS: [(&str, Walk); 4] =
    [("token-major", token_major), ("head-major", head_major), ("strided", strided), ("piecewise", piecewise)];

// B014: vllm-project/vllm #49290
#[test]
fn every_path_honours_both_layouts() {
    let x = random(14, TOKENS.len() * HEADS * DIM);
    for (start, width) in [(0, 16), (0, 8), (6, 10)] {
        let frequencies = frequencies(width, 1e4);
        for pairing in PAIRINGS {
            for level in levels() {
                let plain = Rotary::new(&frequencies, pairing).starting_at(start).with_level(level);
                let tabled = plain.clone().with_table(301).unwrap();
                for (source, rope) in [("no table", plain), ("table", tabled)] {
                    for (walk, run) in WALKS {
                        let what = format!("{pairing:?} {start}+{width} {level} {source} {walk}");
                        let got = run(&rope, &x);
                        for (i, (got, head)) in got.chunks_exact(DIM).zip(x.chunks_exact(DIM)).enumerate() {
                            let position = TOKENS[i / HEADS];
                            let frequencies = frequencies.as_slice();
                            Turn { head, position, frequencies, pairing, start }.assert(got, &what);
                        }
                    }
                }
            }
        }
    }
}

/// Tables of three positions from the oracle, with not one value to spare.
fn exact_length_tables(width: usize) -> Tables {
    let rows = (0..3).map(|p| points(p, &inverse_frequencies(width, 1e4)));
    let (cos, sin): (Vec<f32>, Vec<f32>) = rows.flatten().map(|p| (p.cos as f32, p.sin as f32)).unzip();
    Tables::new(cos.into_boxed_slice().into_vec(), sin.into_boxed_slice().into_vec(), width / 2).unwrap()
}

// B015: microsoft/onnxruntime #26390, ROCm/aiter #3078
#[test]
fn tables_of_half_the_width_suffice_in_both_layouts() {
    for width in [8, 24, 64, 66] {
        let head = random(15, width);
        let frequencies = inverse_frequencies(width, 1e4);
        for pairing in PAIRINGS {
            for level in levels() {
                let rope = Rotary::from_tables(exact_length_tables(width), pairing).with_level(level);
                // The last row: reading any further would leave the table.
                let got = turned(&rope, &head, 2);
                let turn = Turn { head: &head, position: 2, frequencies: &frequencies, pairing, start: 0 };
                turn.assert(&got, &format!("width {width}, {pairing:?}, {level}"));
            }
        }
        // Tables as wide as the head need a head twice as wide, and odd lengths are no tables at all.
        let full = Tables::new(vec![1.0; 3 * width], vec![0.0; 3 * width], width).unwrap();
        let mut head = head.clone();
        let mut view = HeadsMut::new(&mut head, [1, 1, width]).unwrap();
        assert!(Rotary::from_tables(full, Pairing::Halves).rotate(&mut view, &Positions::from(0)).is_err());
        assert!(Tables::new(vec![1.0; 3 * width - 1], vec![0.0; 3 * width - 1], width / 2).is_err());
    }
}

/// Every way to come by cosines and sines.
fn sources(width: usize, pairing: Pairing, level: Level) -> [(&'static str, Rotary); 4] {
    let plain = rope(width, 1e4, pairing, level);
    let single = Rotary::with_precision(&frequencies(width, 1e4), pairing, Precision::Single).with_level(level);
    let tabled = plain.clone().with_table(3).unwrap();
    let brought = Rotary::from_tables(exact_length_tables(width), pairing).with_level(level);
    [("no table", plain), ("single", single), ("table", tabled), ("brought along", brought)]
}

// B016: NVIDIA/Megatron-LM #7465
#[test]
fn whatever_the_source_position_0_is_the_identity_and_pairs_keep_their_length() {
    let head = random(16, 66);
    for pairing in PAIRINGS {
        for level in levels() {
            for (source, rope) in sources(66, pairing, level) {
                assert_eq!(bits(&turned(&rope, &head, 0)), bits(&head), "{source}, {pairing:?}, {level}");
                for position in [1, 2] {
                    let got = turned(&rope, &head, position);
                    for (got, want) in lengths(&got, pairing).into_iter().zip(lengths(&head, pairing)) {
                        let error = (got / want - 1.0).abs();
                        assert!(error <= NORM_RELATIVE, "{source}, {pairing:?}, {level}, position {position}: {error}");
                    }
                }
            }
        }
    }
}

// B017: tatp22/multidim-positional-encoding #20, allenai/allennlp #2993, tensorflow/tensorflow #37191
#[test]
fn both_orders_of_sines_and_cosines_are_there_by_name() {
    let orders = [
        (Order::Interleaved, Arrangement::Interleaved, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]),
        (Order::SinCos, Arrangement::SinCos, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
        (Order::CosSin, Arrangement::CosSin, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
    ];
    for level in levels() {
        for (order, arrangement, at_zero) in orders {
            let encoding = Sinusoidal::new(6, 1e4).unwrap().with_order(order).with_level(level);
            let got = encoding.table(&Positions::from(0), 8).unwrap();
            assert_eq!(got[..6], at_zero, "{order:?}, {level}");
            for (got, want) in got.iter().zip(sinusoid::table(0, 8, 6, 1e4, arrangement)) {
                assert!(ulp_error(*got, want) <= EXACT_ULP, "{order:?}, {level}: {got} is not {want}");
            }
        }
        // The orders hold the same values to the bit: re-ordering one gives the other.
        let table = |order| Sinusoidal::new(6, 1e4).unwrap().with_order(order).with_level(level);
        let interleaved = table(Order::Interleaved).table(&Positions::from(0), 8).unwrap();
        let blocked = table(Order::SinCos).table(&Positions::from(0), 8).unwrap();
        assert_eq!(bits(&to_halves(&interleaved, 8)), bits(&blocked), "{level}");
    }
}

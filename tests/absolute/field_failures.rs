//! Faults of absolute encodings that were reported in public, each with the input that showed it.

use half::{bf16, f16};
use posenc::{
    AxialEmbedding, Blocks, Divisor, EmbeddingTable, Error, Frequencies, Numbering, Order, Positions, Sinusoidal,
};
use posenc_oracle::angle::sincos;

use crate::common::levels;
use crate::support::{Kind, assert_same};

// B001: EleutherAI/gpt-neox #1003
// B092: VoidStarKat/half-rs #116
#[test]
fn rows_of_16_bits_are_the_true_values_rounded_once() {
    let frequency = Sinusoidal::new(32, 1e4).unwrap().frequencies().as_slice()[1];
    let point = sincos(1857, frequency);
    assert!((point.cos - 0.306_692_8).abs() < 1e-7);
    for level in levels() {
        let encoding = Sinusoidal::new(32, 1e4).unwrap().with_level(level);
        let (mut half, mut brain) = ([f16::ZERO; 32], [bf16::ZERO; 32]);
        encoding.write(&mut half, &Positions::from(1857)).unwrap();
        encoding.write(&mut brain, &Positions::from(1857)).unwrap();
        assert_eq!((half[3], brain[3]), (f16::from_f64_const(point.cos), bf16::from_f64_const(point.cos)), "{level}");
    }
    // Next to the middle of two bf16, f32 lands on it, and a second rounding then errs.
    let positions: Vec<i64> = (0..60_000).collect();
    let encoding = Sinusoidal::from_frequencies(&Frequencies::from_values(vec![1.0]).unwrap());
    let (mut single, mut brain) = (vec![0.0_f32; 120_000], vec![bf16::ZERO; 120_000]);
    encoding.write(&mut single, &Positions::ids(&positions)).unwrap();
    encoding.write(&mut brain, &Positions::ids(&positions)).unwrap();
    let twice = single.iter().zip(&brain).filter(|(single, brain)| bf16::from_f32_const(**single) != **brain).count();
    assert!(twice > 0, "no value shows the difference");
    for (i, &got) in brain.iter().enumerate() {
        let point = sincos(i as i64 / 2, 1.0);
        let want = if i % 2 == 0 { point.sin } else { point.cos };
        let error = (got.to_f64_const() - want).abs();
        let neighbours =
            [-1_i16, 1].map(|step| bf16::from_bits(got.to_bits().wrapping_add_signed(step)).to_f64_const());
        assert!(neighbours.iter().all(|other| error <= (other - want).abs() || other.is_nan()), "value {i}: {got}");
    }
}

// B003: nkalyanv99/UNI-D2 #6, tinygrad/tinygrad #4587
// B004: huggingface/diffusers #13922
#[test]
fn neighbours_have_rows_of_their_own() {
    for level in levels() {
        let encoding = Sinusoidal::new(128, 1e4).unwrap().with_level(level);
        let mut rows = vec![bf16::ZERO; 4096 * 128];
        encoding.write(&mut rows, &Positions::from(0)).unwrap();
        let mut distinct: Vec<Vec<u16>> =
            rows.chunks(128).map(|row| row.iter().map(|x| x.to_bits()).collect()).collect();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 4096, "{level}");
        let far = encoding.table(&Positions::from(65_536), 1024).unwrap();
        let mut first: Vec<u32> = far.chunks(128).map(|row| row[0].to_bits()).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 1024, "{level}");
        let mut halves = vec![f16::ZERO; 70_000 * 2];
        Sinusoidal::new(2, 1e4).unwrap().with_level(level).write(&mut halves, &Positions::from(0)).unwrap();
        assert!(halves.iter().all(|x| x.is_finite()), "{level}");
    }
}

// B017: tatp22/multidim-positional-encoding #20, allenai/allennlp #2993, tensorflow/tensorflow #37191
#[test]
fn both_orders_are_offered_by_name_and_hold_the_same_values() {
    for divisor in [Divisor::Half, Divisor::HalfLess(1.0)] {
        let row = |order, position| {
            let encoding = Sinusoidal::with_divisor(6, 1e4, divisor).unwrap().with_order(order);
            encoding.table(&Positions::from(position), 1).unwrap()
        };
        assert_eq!(row(Order::Interleaved, 0), [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        assert_eq!(row(Order::SinCos, 0), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let (woven, blocked) = (row(Order::Interleaved, 9), row(Order::SinCos, 9));
        let converted: Vec<f32> = (0..6).map(|i| blocked[i % 2 * 3 + i / 2]).collect();
        assert_eq!(woven, converted);
    }
}

// B064: huggingface/transformers #41380, facebookresearch/mae #18 and #67, lucidrains/deformable-attention #7
#[test]
fn tokens_of_a_grid_are_row_by_row_whichever_axis_comes_first() {
    let (height, width, half) = (2, 3, 4);
    for level in levels() {
        let encoding = Sinusoidal::new(half, 1e4).unwrap().with_order(Order::SinCos).with_level(level);
        let [y, x] = [height, width].map(|size| encoding.table(&Positions::from(0), size).unwrap());
        let part = |table| EmbeddingTable::new(table, half).unwrap();
        let grid = |parts: &[_]| AxialEmbedding::new(parts, Blocks::ByAxis).unwrap().table().unwrap();
        let (y_first, x_first) = (grid(&[(0, part(&y)), (1, part(&x))]), grid(&[(1, part(&x)), (0, part(&y))]));
        for (token, (row, column)) in [(1, (0, 1)), (3, (1, 0)), (5, (1, 2))] {
            let (by_y, by_x) = (&y_first[token * 8..][..8], &x_first[token * 8..][..8]);
            assert_same(by_y, &[&y[row * half..][..half], &x[column * half..][..half]].concat(), level);
            assert_same(by_x, &[&x[column * half..][..half], &y[row * half..][..half]].concat(), level);
        }
    }
}

// B011: huggingface/transformers #31228
// B052: NVIDIA/Megatron-LM #453, allenai/OLMo-core #591, pytorch/torchtitan #2849
// B054: pegainfer-project/pegainfer #253
// B055: microsoft/onnxruntime #27597, #28214 and #28205
#[test]
fn positions_are_taken_literally_and_those_without_a_row_are_refused() {
    let weights: Vec<f32> = (0..8 * 3).map(|i| i as f32).collect();
    let table = EmbeddingTable::new(&weights, 3).unwrap();
    let rows = table.lookup(&Positions::ids(&[7, 3, 7]), 3).unwrap();
    assert_eq!((&rows[..3], &rows[3..6]), (&weights[21..], &weights[9..12]));
    assert_eq!(rows[..3], rows[6..]);
    assert!(table.lookup(&Positions::from(0), 8).is_ok());
    let error = table.lookup(&Positions::from(0), 9).unwrap_err();
    assert_eq!(error.to_string(), "position 8: expected 0 to 7, found 8");
    for bad in [-1, 8, i64::MIN, i64::MAX] {
        let mut ids = vec![0; 1000];
        ids[999] = bad;
        let mut x = vec![0.5_f32; 3000];
        let error = table.add(&mut x, &Positions::ids(&ids)).unwrap_err();
        assert_eq!(error, Error::Position { index: 999, min: 0, max: 7, found: bad.into() });
        assert!(x.iter().all(|&x| x == 0.5));
    }
}

// B051: huggingface/transformers #22161, unslothai/unsloth #3699
#[test]
fn padding_on_the_left_moves_no_token() {
    let numbering = Numbering { first: 0, padding: 0, past: 0 };
    let ids = numbering.of_mask(&[1, 1, 1, 1, 1, 0, 0, 1, 1, 1], 5).unwrap();
    assert_eq!(ids, [0, 1, 2, 3, 4, 0, 0, 0, 1, 2]);
    for level in levels() {
        let encoding = Sinusoidal::new(16, 1e4).unwrap().with_level(level);
        let batch = encoding.table(&Positions::ids(&ids), 10).unwrap();
        assert_same(&batch[7 * 16..], &encoding.table(&Positions::from(0), 3).unwrap(), level);
    }
}

// B010: huggingface/transformers #25681 and #29496
// B057: NVIDIA/TensorRT-LLM #14241, vllm-project/vllm #44738, pytorch/torchtitan #4111
#[test]
fn a_longer_table_begins_with_the_shorter_one() {
    fn grown<K: Kind>(encoding: &Sinusoidal) {
        let rows = |count: usize| {
            let mut rows = vec![K::default(); count * 64];
            encoding.write(&mut rows, &Positions::from(0)).unwrap();
            rows
        };
        let (short, long) = (rows(2048), rows(4096));
        assert_same(&long[..short.len()], &short, "the first rows");
    }
    let encoding = Sinusoidal::with_divisor(64, 1e4, Divisor::HalfLess(1.0)).unwrap();
    crate::support::for_every_kind!(grown(&encoding));
}

// B083: rust-ndarray/ndarray #361, huggingface/candle #3778, deepseek-ai/FlashMLA #11
#[test]
fn nothing_to_do_is_done() {
    let table = EmbeddingTable::new(&[1.0_f32; 4], 2).unwrap();
    assert_eq!(table.add::<f32>(&mut [], &Positions::from(0)), Ok(()));
    assert_eq!(table.lookup(&Positions::ids::<i64>(&[]), 0), Ok(vec![]));
    #[cfg(feature = "rayon")]
    assert_eq!(table.par_add::<f32>(&mut [], &Positions::from(9)), Ok(()));
    assert_eq!(posenc::scatter_add::<f32, f32>(&mut [1.0; 4], &[], 2, 1.0, &Positions::from(0)), Ok(()));
}

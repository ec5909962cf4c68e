//! Several axes: which position each pair turns by, in every path.

use posenc::grids::{blocks, raster};
use posenc::{Axes, Frequencies, Heads, HeadsMut, Pairing, Positions, Precision, Rotary};
use posenc_oracle::angle::sincos_sum;
use posenc_oracle::rotary::{Direction, Rotation, rotate_by};
use posenc_oracle::tolerance::ROTATION_RELATIVE;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::levels;
use crate::{PAIRINGS, assert_near, bits, in_oracle, random, tried, turned};

/// Heads of `dim` features turned by the oracle: pair `j` of a token by the sum of its products.
fn by_oracle(
    data: &[f32],
    dim: usize,
    heads: usize,
    pairing: Pairing,
    products: &dyn Fn(usize) -> Vec<Vec<(f64, f64)>>,
) -> Vec<f32> {
    let turn = |(head, x): (usize, &[f32])| {
        let points: Vec<_> = products(head / heads).iter().map(|products| sincos_sum(products)).collect();
        let width = 2 * points.len();
        let pairing = in_oracle(pairing);
        let rotation = Rotation { pairing, direction: Direction::Forward, offset: 0, width, magnitude: 1.0 };
        let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
        rotate_by(&wide, &points, rotation).into_iter().map(|x| x as f32).collect::<Vec<_>>()
    };
    data.chunks_exact(dim).enumerate().flat_map(turn).collect()
}

/// Axes of pairs, and whole or fractional coordinates of tokens.
fn cases() -> impl Strategy<Value = (Vec<usize>, usize, Vec<f64>, usize)> {
    (1..=4_usize, 0..24_usize, 1..40_usize).prop_flat_map(|(axes, pairs, tokens)| {
        let coordinate = prop_oneof![(-5000..5000_i32).prop_map(f64::from), -1e5..1e5_f64];
        (vec(0..axes, pairs), Just(axes), vec(coordinate, axes * tokens), Just(tokens))
    })
}

proptest! {
    #![proptest_config(tried(60))]

    // B014: vllm-project/vllm #49290
    #[test]
    fn every_pair_reads_its_axis_in_both_pairings((of_pairs, axes, list, tokens) in cases(), end in 0..3_usize) {
        let pairs = of_pairs.len();
        let dim = 2 * pairs + end;
        let plain = Frequencies::new(2 * pairs, 1e4).unwrap();
        let values = plain.as_slice().to_vec();
        let frequencies = plain.on_axes(Axes::new(axes, &of_pairs).unwrap()).unwrap();
        let data = random(21, tokens * 2 * dim);
        let positions = Positions::axes(&list, axes);
        let products = |token: usize| {
            (0..pairs).map(|j| vec![(list[of_pairs[j] * tokens + token], values[j])]).collect()
        };
        for pairing in PAIRINGS {
            if dim == 0 {
                continue;
            }
            let want = by_oracle(&data, dim, 2, pairing, &products);
            for level in levels() {
                let rope = Rotary::new(&frequencies, pairing).with_level(level);
                let got = turned(&rope, &data, [1, tokens, 2, dim], &positions);
                assert_near(&got, &want, pairing, 2 * pairs, dim, 2.0 * ROTATION_RELATIVE);
                let mut elsewhere = vec![f32::NAN; data.len()];
                let from = Heads::new(&data, [tokens, 2, dim]).unwrap();
                let mut to = HeadsMut::new(&mut elsewhere, [tokens, 2, dim]).unwrap();
                rope.rotate_into(&from, &mut to, &positions).unwrap();
                assert_eq!(bits(&elsewhere), bits(&got), "{level}");
            }
        }
    }

    #[test]
    fn mixed_axes_turn_by_the_sum(axes in 1..=4_usize, pairs in 1..20_usize, seed in 0..1000_u64) {
        let (tokens, dim) = (5, 2 * pairs);
        let values: Vec<f64> = random(seed, axes * pairs).into_iter().map(f64::from).collect();
        let list: Vec<f32> = random(seed + 1, axes * tokens).into_iter().map(|x| 300.0 * x).collect();
        let frequencies = Frequencies::mixed(values.clone(), axes).unwrap();
        let data = random(seed + 2, tokens * dim);
        let products = |token: usize| {
            let of_pair = |j| (0..axes).map(move |axis| (axis * tokens + token, axis * pairs + j));
            let product = |(position, value): (usize, usize)| (f64::from(list[position]), values[value]);
            (0..pairs).map(|j| of_pair(j).map(product).collect()).collect()
        };
        for pairing in PAIRINGS {
            let want = by_oracle(&data, dim, 1, pairing, &products);
            for level in levels() {
                let rope = Rotary::new(&frequencies, pairing).with_level(level);
                let got = turned(&rope, &data, [1, tokens, 1, dim], &Positions::axes(&list, axes));
                assert_near(&got, &want, pairing, dim, dim, 2.0 * ROTATION_RELATIVE);
            }
        }
    }

    #[test]
    fn a_table_changes_nothing(
        axes in 1..=4_usize, pairs in 1..24_usize, ids in vec(0..200_u32, 12 * 4), batch in 1..=3_usize
    ) {
        let of_pairs: Vec<usize> = (0..pairs).map(|j| (j * 5 + 1) % axes).collect();
        let frequencies = Frequencies::new(2 * pairs, 1e4).unwrap();
        let frequencies = frequencies.on_axes(Axes::new(axes, &of_pairs).unwrap()).unwrap();
        let ids = &ids[..axes * 12];
        let shape = [batch, 12 / batch, 3, 2 * pairs];
        let data = random(23, shape.iter().product());
        for precision in [Precision::Exact, Precision::Single] {
            for level in levels() {
                let rope = Rotary::with_precision(&frequencies, Pairing::Halves, precision).with_level(level);
                let want = turned(&rope, &data, shape, &Positions::axes(ids, axes));
                let tabled = rope.with_table(200).unwrap();
                assert_eq!(bits(&turned(&tabled, &data, shape, &Positions::axes(ids, axes))), bits(&want));
                let wide: Vec<f64> = ids.iter().map(|&id| f64::from(id)).collect();
                assert_eq!(bits(&turned(&tabled, &data, shape, &Positions::axes(&wide, axes))), bits(&want));
            }
        }
    }
}

/// Text has the bits of the encoding of one axis.
#[test]
fn text_on_all_axes_is_plain() {
    let plain = Frequencies::new(64, 1e6).unwrap();
    let frequencies = plain.clone().on_axes(Axes::interleaved(&[12, 10, 10]).unwrap()).unwrap();
    let data = random(24, 2 * 40 * 64);
    let bounds = [0, 13, 13, 40];
    for positions in [Positions::from(70_000), Positions::packed(&bounds)] {
        for level in levels() {
            let [plain, rope] = [&plain, &frequencies].map(|f| Rotary::new(f, Pairing::Halves).with_level(level));
            let shape = [1, 40, 2, 64];
            let want = turned(&plain, &data, shape, &positions);
            assert_eq!(bits(&turned(&rope, &data, shape, &positions.on_all_axes())), bits(&want), "{level}");
            let repeated = plain.on_axes(Axes::new(1, &[0; 32]).unwrap()).unwrap();
            assert_eq!(bits(&turned(&repeated, &data, shape, &positions)), bits(&want), "{level}");
        }
    }
}

// B060: alibaba/MNN #4133, vllm-project/vllm-gaudi #1437, vllm-project/vllm-omni #1784
#[test]
fn blocks_of_axes_and_turns_of_axes_are_two_schemes() {
    assert_eq!(Axes::sectioned(&[2, 1, 1]).unwrap().as_slice(), [0, 0, 1, 2]);
    assert_eq!(Axes::interleaved(&[2, 1, 1]).unwrap().as_slice(), [0, 1, 2, 0]);
    let data = random(60, 8);
    let turn = |axes: Axes, places: [i64; 3]| {
        let frequencies = Frequencies::new(8, 1e4).unwrap().on_axes(axes).unwrap();
        turned(&Rotary::new(&frequencies, Pairing::Halves), &data, [1, 1, 1, 8], &Positions::axes(&places, 3))
    };
    let both = |places| {
        let [a, b] =
            [Axes::sectioned(&[2, 1, 1]), Axes::interleaved(&[2, 1, 1])].map(|axes| turn(axes.unwrap(), places));
        (bits(&a), bits(&b))
    };
    // Distinct places show the choice pair by pair, text hides it.
    let (sectioned, interleaved) = both([5, 7, 11]);
    let same: Vec<bool> = (0..4).map(|j| sectioned[j] == interleaved[j]).collect();
    assert_eq!(same, [true, false, false, false]);
    let (sectioned, interleaved) = both([5, 5, 5]);
    assert_eq!(sectioned, interleaved);
}

// B063: vllm-project/vllm-ascend #14858, vllm-project/vllm-gaudi #1437
#[test]
fn any_sections_that_add_up_are_served() {
    let on = |sections: &[usize]| Frequencies::new(64, 1e4).unwrap().on_axes(Axes::sectioned(sections).unwrap());
    for sections in [&[16, 16, 0][..], &[16, 16], &[32], &[8, 8, 8, 8], &[0, 0, 32]] {
        assert_eq!(on(sections).unwrap().axes(), sections.len());
    }
    for sections in [&[16, 15, 0][..], &[16, 24, 24], &[]] {
        assert!(Axes::sectioned(sections).and_then(|axes| Frequencies::new(64, 1e4)?.on_axes(axes)).is_err());
    }
}

// B020: AI-Hypercomputer/maxtext #4616, vllm-project/vllm #43770, ml-explore/mlx-lm #1698
#[test]
fn partial_rotation_holds_on_several_axes_as_well() {
    let frequencies = Frequencies::axial(&[(2, 1e4), (2, 1e4)]).unwrap();
    let data = random(20, 6 * 16);
    for start in [0, 5, 12] {
        for pairing in PAIRINGS {
            for level in levels() {
                let rope = Rotary::new(&frequencies, pairing).starting_at(start).with_level(level);
                let got = turned(&rope, &data, [1, 6, 1, 16], &raster(&[2, 3]).unwrap().positions());
                let moved = |i: &usize| got[*i].to_bits() != data[*i].to_bits();
                let features: Vec<usize> = (0..6 * 16).filter(moved).map(|i| i % 16).collect();
                assert!(features.iter().all(|feature| (start..start + 4).contains(feature)), "{features:?}");
                // The first token stands at 0 on both axes, two more at 0 on the first, one more on the second.
                assert_eq!(features.len(), 2 * 3 + 2 * 4, "{pairing:?} from {start}: {features:?}");
            }
        }
    }
}

// B064: huggingface/transformers #41380, facebookresearch/mae #18 and #67, lucidrains/deformable-attention #7
#[test]
fn tokens_of_a_grid_run_row_by_row() {
    let grid = raster(&[2, 3]).unwrap();
    let place = |token: usize| (grid.axis(0)[token], grid.axis(1)[token]);
    assert_eq!((place(1), place(3)), ((0.0, 1.0), (1.0, 0.0)));
    // Which axis fills the first half is the caller's choice.
    let columns_first = grid.with_axes(&[1, 0]).unwrap();
    assert_eq!((columns_first.axis(0)[1], columns_first.axis(1)[3]), (1.0, 1.0));
    let merged = blocks(2, 4, 2).unwrap();
    assert_eq!((merged.axis(0)[4], merged.axis(1)[4]), (0.0, 2.0));
}

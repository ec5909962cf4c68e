//! Kind D: stretched contexts, by the crate's own scalings. How handles treat any scaled frequencies is tested elsewhere.

use posenc::{
    Direction, DynamicNtk, FactorList, Frequencies, LongRope, MagnitudeRule, NtkMixed, Pairing, Precision,
    Proportional, Rotary, Scaling, Yarn,
};
use posenc_oracle::angle::{sincos, sincos_product};
use posenc_oracle::tolerance::{EXACT_ULP, rotations};
use posenc_oracle::ulp::ulp_error;

use crate::common::levels;
use crate::support::{PAIRINGS, assert_near, bits, builder, random, row, turned};

fn plain() -> Frequencies {
    Frequencies::new(64, 1e4).unwrap()
}

/// One of each method, for 32 pairs and a sequence of 8192 tokens where the length counts.
fn all_scalings() -> Vec<Scaling> {
    let list: Vec<f64> = (0..32).map(|j| 1.0 + f64::from(j) / 4.0).collect();
    vec![
        Scaling::Default,
        Scaling::linear(8.0),
        Scaling::ntk(4.0),
        DynamicNtk::new(2.0, 4096, 8192).into(),
        NtkMixed::new(4.0).into(),
        Scaling::yarn(4.0, 4096),
        LongRope::new(list.clone(), list.clone(), 4.0, 4096, FactorList::Long).into(),
        Scaling::llama3(8.0),
        Proportional::new(0.5).into(),
        Scaling::Learned(vec![0.25; 32]),
        Scaling::Divisors(list),
    ]
}

// B028: turboderp-org/exllamav3 #259, sgl-project/sglang #22711, NVIDIA/Megatron-LM #1429
#[test]
fn the_magnitude_follows_a_rule_that_can_be_asked_for() {
    let magnitude = |yarn: Yarn| plain().scaled(&yarn.into()).unwrap().magnitude();
    let near = |got: f64, want: f64| assert!((got - want).abs() < 5e-7, "{got} is not {want}");
    let sixteen = Yarn::new(16.0, 4096);
    assert_eq!((magnitude(sixteen.with_mscale(1.0, 1.0)), sixteen.magnitude_rule()), (1.0, MagnitudeRule::Plain));
    near(magnitude(sixteen), 1.277_259);
    assert_eq!(sixteen.with_mscale(1.0, 1.0).magnitude_rule(), MagnitudeRule::Ratio);
    near(magnitude(Yarn::new(40.0, 4096).with_mscale(1.0, 0.707)), 1.085_726);
    assert_eq!(sixteen.with_attention_factor(2.0).magnitude_rule(), MagnitudeRule::Given);
}

// B033: huggingface/transformers #27226, #27227 and #25104
#[test]
fn dynamic_scaling_is_a_function_of_the_length_alone() {
    let scaled = |length| plain().scaled(&DynamicNtk::new(2.0, 2048, length).into()).unwrap();
    let first = scaled(100);
    let long = scaled(8192);
    assert_eq!(scaled(100), first);
    assert_ne!(long, first);
    let key = random(33, 64);
    for pairing in PAIRINGS {
        for level in levels() {
            let [old, new] = [&first, &long].map(|f| Rotary::new(f, pairing).with_level(level));
            let raw = turned(&old.clone().with_direction(Direction::Inverse), &turned(&old, &key, 2000), 2000);
            // Three rotations against one.
            let (got, want) = (turned(&new, &raw, 2000), turned(&new, &key, 2000));
            assert_near(&got, &want, pairing, rotations(4), &format!("{pairing:?}, {level}"));
        }
    }
}

// B034: ml-explore/mlx-lm #1545, lablup/mlxcel #1324 and #1389
#[test]
fn dynamic_scaling_within_the_trained_length_is_none() {
    for length in [0, 1, 4095, 4096] {
        assert_eq!(plain().scaled(&DynamicNtk::new(6.0, 4096, length).into()).unwrap(), plain());
    }
}

// B035: vllm-project/vllm #27431, trymirai/uzu #604, ml-explore/mlx-lm #660
// B036: unslothai/unsloth #10681
#[test]
fn a_list_is_chosen_for_a_whole_sequence_and_kept_by_its_handle() {
    let (short, long) = (vec![1.0; 32], vec![4.0; 32]);
    let handle = |length| {
        let list = FactorList::for_length(length, 4096);
        let longrope = LongRope::new(short.clone(), long.clone(), 32.0, 4096, list);
        Rotary::new(&plain().scaled(&longrope.into()).unwrap(), Pairing::Halves)
    };
    let key = random(35, 64);
    let [below, at, above, prompt] = [4095, 4096, 4097, 5511].map(|length| turned(&handle(length), &key, 1000));
    assert_eq!(bits(&below), bits(&at));
    assert_ne!(bits(&at), bits(&above));
    // The first chunk of a prompt of 5511 tokens turns by the list of its whole.
    assert_eq!(bits(&prompt), bits(&above));
}

// B039: lablup/mlxcel #1340, Blaizzy/mlx-vlm #1709, antonellof/ferrox #39
#[test]
fn linear_scaling_belongs_to_one_handle() {
    let (global, local) = (Frequencies::new(128, 1e6).unwrap(), Frequencies::new(128, 1e4).unwrap());
    let scaled = global.scaled(&Scaling::linear(8.0)).unwrap();
    for level in levels() {
        let (cos, sin) = row(&builder(&scaled, Precision::Exact, level), 4095);
        for (j, &f) in global.as_slice().iter().enumerate() {
            let want = sincos_product(511.875, f);
            let error = ulp_error(cos[j], want.cos).max(ulp_error(sin[j], want.sin));
            assert!(error <= EXACT_ULP, "{level}, pair {j}: {error} ULP");
        }
        let (cos, _) = row(&builder(&local, Precision::Exact, level), 4095);
        assert!(ulp_error(cos[1], sincos(4095, local.as_slice()[1]).cos) <= EXACT_ULP, "{level}");
    }
}

// B040: deepspeedai/DeepSpeed #4442, lyogavin/airllm #369, sgl-project/SpecForge #651
#[test]
fn every_scaling_keeps_the_base() {
    for scaling in all_scalings() {
        let last = |base: f64| Frequencies::new(64, base).unwrap().scaled(&scaling).unwrap().as_slice()[15];
        let [small, middle, large] = [1e4, 5e5, 1e6].map(last);
        assert!(small > middle && middle > large && large > 0.0, "{scaling:?}");
    }
}

// B041: rajveer43/VeloxQuant-MLX #148, ggml-org/llama.cpp #4889
#[test]
fn a_shift_takes_the_scaled_frequencies_without_their_magnitude() {
    let key = random(41, 80);
    for scaling in [Scaling::llama3(8.0), Scaling::yarn(4.0, 4096)] {
        let scaled = Frequencies::new(32, 1e4).unwrap().scaled(&scaling).unwrap();
        let shift = scaled.clone().with_magnitude(1.0).unwrap();
        for pairing in PAIRINGS {
            for level in levels() {
                let [rope, shift] = [&scaled, &shift].map(|f| Rotary::new(f, pairing).with_level(level));
                let (got, want) = (turned(&shift, &turned(&rope, &key, 1000), 5), turned(&rope, &key, 1005));
                assert_near(&got[..32], &want[..32], pairing, rotations(3), &format!("{scaling:?}, {level}"));
                assert_eq!(bits(&got[32..]), bits(&key[32..]), "{scaling:?}, {level}");
            }
        }
    }
}

// B057: NVIDIA/TensorRT-LLM #14241, vllm-project/vllm #44738, pytorch/torchtitan #4111
#[test]
fn a_shorter_table_has_the_same_rows() {
    for scaling in all_scalings() {
        let scaled = plain().scaled(&scaling).unwrap();
        for level in levels() {
            let builder = builder(&scaled, Precision::Exact, level);
            let [short, long] = [10, 3000].map(|rows| builder.build(rows).unwrap());
            assert_eq!(bits(short.cos()), bits(&long.cos()[..320]), "{scaling:?}, {level}");
            assert_eq!(bits(short.sin()), bits(&long.sin()[..320]), "{scaling:?}, {level}");
        }
    }
}

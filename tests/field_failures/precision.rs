//! Kind A: precision of positions, frequencies and tables.
//! Of the entries about half types, what is tested here is the f32 table that a half type is rounded from.

use std::collections::HashSet;

use posenc::{Frequencies, HeadsMut, Pairing, Positions, Precision, Sinusoidal, TableBuilder};
use posenc_oracle::angle::sincos;
use posenc_oracle::tolerance::EXACT_ULP;
use posenc_oracle::ulp::ulp_error;

use crate::common::levels;
use crate::support::{bits, builder, frequencies, random, rope, row};

/// Every cell of a row against the oracle.
fn assert_row_is_exact(builder: &TableBuilder, frequencies: &Frequencies, position: i64) {
    let (cos, sin) = row(builder, position);
    for (j, &f) in frequencies.as_slice().iter().enumerate() {
        let want = sincos(position, f);
        let error = ulp_error(cos[j], want.cos).max(ulp_error(sin[j], want.sin));
        assert!(error <= EXACT_ULP, "position {position}, pair {j}: {error} ULP");
    }
}

// B001: EleutherAI/gpt-neox #1003
#[test]
fn a_cell_at_a_large_angle_is_the_true_cosine() {
    let frequencies = frequencies(32, 1e4);
    assert!((1857.0 * frequencies.as_slice()[1] - 1_044.267_84).abs() < 1e-5);
    for level in levels() {
        let builder = builder(&frequencies, Precision::Exact, level);
        let (cos, _) = row(&builder, 1857);
        assert!((cos[1] - 0.306_692_8).abs() < 1e-7, "{level}: {}", cos[1]);
        assert_row_is_exact(&builder, &frequencies, 1857);
    }
}

// B003: nkalyanv99/UNI-D2 #6, tinygrad/tinygrad #4587
#[test]
fn every_position_of_a_context_has_a_row_of_its_own() {
    let frequencies = frequencies(128, 1e4);
    for level in levels() {
        let tables = builder(&frequencies, Precision::Exact, level).build(4096).unwrap();
        let rows = |p| tables.row(p).map(|(cos, sin)| (bits(cos), bits(sin))).unwrap();
        assert_eq!((0..4096).map(rows).collect::<HashSet<_>>().len(), 4096, "{level}");
        // The first pair of whole numbers that a bf16 counter merges.
        assert_ne!((tables.cos()[256 * 64], tables.sin()[256 * 64]), (tables.cos()[257 * 64], tables.sin()[257 * 64]));
    }
}

// B003: nkalyanv99/UNI-D2 #6, tinygrad/tinygrad #4587
#[test]
fn neither_length_nor_width_beyond_65504_turns_a_counter_infinite() {
    for level in levels() {
        let tables = builder(&frequencies(128, 1e4), Precision::Exact, level).build(70_000).unwrap();
        assert_eq!(tables.rows(), 70_000);
        assert!(tables.cos().iter().chain(tables.sin()).all(|x| x.abs() <= 1.0), "{level}: length");
        let wide = Sinusoidal::new(70_000, 1e4).unwrap().with_level(level);
        let row = wide.table(&Positions::from(1), 1).unwrap();
        assert!(row.iter().all(|x| x.abs() <= 1.0), "{level}: width");
        // The last pair turns by 10^(-4 · 69998/70000).
        let last = 10_f64.powf(-4.0 * 69_998.0 / 70_000.0);
        assert!((f64::from(row[69_998]) - last.sin()).abs() < 1e-11, "{level}: {}", row[69_998]);
    }
}

// B004: huggingface/diffusers #13922
#[test]
fn neighbours_far_out_keep_apart_in_the_fastest_pair() {
    let ids: Vec<i64> = (65_536..66_560).collect();
    for level in levels() {
        let builder = builder(&frequencies(2, 1e4), Precision::Exact, level);
        for positions in [Positions::from(65_536), Positions::ids(&ids)] {
            let (mut cos, mut sin) = ([0.0_f32; 1024], [0.0_f32; 1024]);
            builder.fill(&positions, &mut cos, &mut sin).unwrap();
            let rows: HashSet<_> = cos.iter().zip(&sin).map(|(c, s)| (c.to_bits(), s.to_bits())).collect();
            assert_eq!(rows.len(), 1024, "{level}");
        }
    }
}

/// The farthest that a phase of a row lies from `position · frequency`, in radians, up to half a turn.
fn phase_error(builder: &TableBuilder, frequencies: &Frequencies, position: i64) -> f64 {
    let (cos, sin) = row(builder, position);
    let error = |j: usize| {
        let want = sincos(position, frequencies.as_slice()[j]);
        let (c, s) = (f64::from(cos[j]), f64::from(sin[j]));
        // The angle between the two points.
        (s * want.cos - c * want.sin).atan2(c * want.cos + s * want.sin).abs()
    };
    (0..frequencies.pairs()).map(error).fold(0.0, f64::max)
}

// B005: sgl-project/sglang-jax #1472, Modalities/modalities #462
#[test]
fn no_phase_error_grows_out_of_rounded_frequencies() {
    let frequencies = frequencies(128, 1e4);
    for level in levels() {
        let exact = phase_error(&builder(&frequencies, Precision::Exact, level), &frequencies, 4095);
        // Half a unit of f32 in each coordinate moves the point by up to 2^-24.5.
        assert!(exact < 4.3e-8, "{level}: {exact}");
        let single = phase_error(&builder(&frequencies, Precision::Single, level), &frequencies, 4095);
        assert!(single < 5e-4, "{level}: {single}");
    }
    // The fault itself, so that the measure is seen to notice it: frequencies in the upper 16 bits of an f32.
    let rounded = |f: &f64| f32::from_bits(((*f as f32).to_bits() + 0x8000) & 0xffff_0000);
    let rounded: Vec<f32> = frequencies.as_slice().iter().map(rounded).collect();
    let rounded = Frequencies::from_inv_freq(&rounded).unwrap();
    let faulty = phase_error(&TableBuilder::new(&rounded, Precision::Exact), &frequencies, 4095);
    assert!(faulty > 1.0, "{faulty}");
}

// B006: huggingface/transformers #48428
#[test]
fn positions_past_2048_do_not_merge_whatever_the_batch() {
    let (tokens, heads, dim) = (4, 2, 64);
    let sequence = random(6, tokens * heads * dim);
    for level in levels() {
        let rope = rope(dim, 1e4, Pairing::Halves, level);
        let run = |batch: usize| {
            let mut data = sequence.repeat(batch);
            let mut view = HeadsMut::token_major(&mut data, [batch, tokens, heads, dim]).unwrap();
            rope.rotate(&mut view, &Positions::from(2048)).unwrap();
            data
        };
        let (one, two) = (run(1), run(2));
        assert_eq!(bits(&two), bits(&one).repeat(2), "{level}");
        let builder = builder(&frequencies(dim, 1e4), Precision::Exact, level);
        assert_ne!(row(&builder, 2048).0[0], row(&builder, 2049).0[0], "{level}");
    }
}

// B008: eole-nlp/eole #200
#[test]
fn exact_tables_do_not_lose_accuracy_with_the_position() {
    for base in [1e4, 1e6] {
        let frequencies = frequencies(128, base);
        for level in levels() {
            let builder = builder(&frequencies, Precision::Exact, level);
            for position in [4095, 131_071, 1_048_575, 16_777_215] {
                assert_row_is_exact(&builder, &frequencies, position);
            }
        }
    }
}

// B008: eole-nlp/eole #200
#[test]
fn single_precision_errs_as_an_f32_product_does_and_no_more() {
    // The worst error over the pairs that the entry gives, in its two digits.
    for (base, position, worst) in [(1e4, 131_071, 2.6e-3), (1e4, 1_048_575, 2.5e-2), (1e6, 1_048_575, 3.2e-2)] {
        let frequencies = frequencies(128, base);
        for level in levels() {
            let (cos, sin) = row(&builder(&frequencies, Precision::Single, level), position);
            let error = |j: usize| {
                let want = sincos(position, frequencies.as_slice()[j]);
                (f64::from(cos[j]) - want.cos).abs().max((f64::from(sin[j]) - want.sin).abs())
            };
            let error = (0..64).map(error).fold(0.0, f64::max);
            assert!((error / worst - 1.0).abs() < 0.03, "{level}, base {base}, position {position}: {error}");
        }
    }
}

// B010: huggingface/transformers #25681 and #29496
#[test]
fn a_longer_table_begins_with_the_shorter_one() {
    let frequencies = frequencies(64, 1e4);
    for level in levels() {
        let builder = builder(&frequencies, Precision::Exact, level);
        let short = builder.build(2048).unwrap();
        let long = builder.build(4096).unwrap();
        let cells = 2048 * 32;
        assert_eq!(bits(&long.cos()[..cells]), bits(short.cos()), "{level}");
        assert_eq!(bits(&long.sin()[..cells]), bits(short.sin()), "{level}");
        let (mut cos, mut sin) = (vec![0.0; cells], vec![0.0; cells]);
        builder.fill(&Positions::from(2048), &mut cos, &mut sin).unwrap();
        assert_eq!((bits(&long.cos()[cells..]), bits(&long.sin()[cells..])), (bits(&cos), bits(&sin)), "{level}");
    }
}

// B011: huggingface/transformers #31228
#[test]
fn a_table_serves_exactly_its_rows_and_keeps_no_state() {
    let dim = 8;
    let data = random(11, 8193 * dim);
    for level in levels() {
        let rope = rope(dim, 1e4, Pairing::Halves, level).with_table(8192).unwrap();
        let run = |tokens: usize| {
            let mut data = data[..tokens * dim].to_vec();
            let mut view = HeadsMut::new(&mut data, [tokens, 1, dim]).unwrap();
            rope.rotate(&mut view, &Positions::from(0)).map(|()| bits(&data))
        };
        let full = run(8191).unwrap();
        assert_eq!(run(8192).unwrap()[..full.len()], full, "{level}");
        assert!(run(8193).is_err(), "{level}");
        assert_eq!(run(100).unwrap(), full[..100 * dim], "{level}");
    }
}

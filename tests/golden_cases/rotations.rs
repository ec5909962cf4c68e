//! Queries and keys that were rotated by published model code, in every layout that the crate has.
//! They stand apart because their inputs are not stored but made by the generator that the files name.

use posenc::{Direction, Frequencies, HeadsMut, Pairing, Positions, Precision, Rotary};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::{GOLDEN_VALUE, golden_table};

use crate::{Case, assert_near_single, check_all, common, golden, largest_angle};

/// The two features of a pair turn by different angles: not one rotation.
const APART: [(&str, &str); 1] = [("vjepa2 tiled cos/sin", "checked in apart.rs")];

/// The pairing that a case names.
fn pairing(layout: &str) -> Pairing {
    match layout {
        "half" => Pairing::Halves,
        "interleaved" => Pairing::Interleaved,
        other => panic!("layout {other}"),
    }
}

/// The encoding of a case for given frequencies, all that is optional filled in.
fn rotary(case: &Case, frequencies: Frequencies, precision: Precision) -> Rotary {
    let magnitude = case.get("/cos_sin_scale").map_or(1.0, |scale| scale.as_f64().unwrap());
    let start = case.get("/rotary_offset").map_or(0, |_| case.count("/rotary_offset"));
    let direction = match case.get("/direction").map_or("forward", |_| case.text("/direction")) {
        "forward" => Direction::Forward,
        "inverse" => Direction::Inverse,
        other => panic!("direction {other}"),
    };
    let frequencies = frequencies.with_magnitude(magnitude).unwrap();
    let read = pairing(case.text("/layout"));
    let written = case.get("/output_layout").map_or(read, |_| pairing(case.text("/output_layout")));
    let rope = Rotary::with_precision(&frequencies, read, precision);
    rope.starting_at(start).with_direction(direction).writing(written)
}

/// The shape of `q`, `k` or `v`, as batch, heads, tokens and features.
fn shape(case: &Case, tensor: &str) -> [usize; 4] {
    assert_eq!(case.text("/axis_order"), "BHSD");
    // Where one shape is given, all have it.
    let path = format!("/shape_{tensor}");
    case.shape(if case.get(&path).is_some() { &path } else { "/shape_q" })
}

/// Rotates the tensors of a case at all levels and compares them.
fn check(case: &Case, rope: &Rotary, tolerance: f64) {
    let positions = case.integers("/position_ids");
    let tensors: Vec<&str> =
        ["q", "k", "v"].into_iter().filter(|t| case.get(&format!("/{t}_seed")).is_some()).collect();
    assert!(tensors.len() >= 2, "{}", case.id());
    for tensor in tensors {
        let shape = shape(case, tensor);
        let seed = case.count(&format!("/{tensor}_seed")) as u64;
        let input = golden_inputs(seed, shape.iter().product());
        let want = case.singles(&format!("/expect/{tensor}_f32"));
        for level in common::levels() {
            let mut got = input.clone();
            let mut heads = HeadsMut::head_major(&mut got, shape).unwrap();
            rope.clone().with_level(level).rotate(&mut heads, &Positions::ids(&positions)).unwrap();
            assert_near_single(&format!("{tensor} of {} at {level}", case.id()), &got, &want, tolerance);
            assert_rest_is_untouched(case, rope.width(), &input, &got, shape[3]);
        }
    }
}

/// Features outside the rotated slice are those of the input, to the bit.
fn assert_rest_is_untouched(case: &Case, width: usize, input: &[f32], got: &[f32], dim: usize) {
    let start = case.get("/rotary_offset").map_or(0, |_| case.count("/rotary_offset"));
    for (i, (before, after)) in input.iter().zip(got).enumerate() {
        let inside = (start..start + width).contains(&(i % dim));
        assert!(inside || before.to_bits() == after.to_bits(), "{}: feature {} moved", case.id(), i % dim);
    }
}

/// How many features turn; all of them unless the case says otherwise.
fn width(case: &Case) -> usize {
    if case.get("/rotary_dim").is_some() { case.count("/rotary_dim") } else { shape(case, "q")[3] }
}

/// The default frequencies of a case.
fn default_frequencies(case: &Case) -> Frequencies {
    Frequencies::new(width(case), case.number("/theta")).unwrap()
}

/// The frequencies that a case states, as f32.
fn given_frequencies(case: &Case) -> Option<Frequencies> {
    case.get("/inv_freq_f32")?;
    Some(Frequencies::from_inv_freq(&case.singles("/inv_freq_f32")).unwrap())
}

#[test]
fn single_precision_rotates_as_the_models_do() {
    check_all(&golden!("rope_apply"), &APART, |case| {
        let frequencies = given_frequencies(case).unwrap_or_else(|| default_frequencies(case));
        check(case, &rotary(case, frequencies, Precision::Single), GOLDEN_VALUE);
    });
}

#[test]
fn a_table_rotates_as_the_models_do() {
    check_all(&golden!("rope_apply"), &APART, |case| {
        let frequencies = given_frequencies(case).unwrap_or_else(|| default_frequencies(case));
        let rows = case.integers("/position_ids").into_iter().max().unwrap() as usize + 1;
        let rope = rotary(case, frequencies, Precision::Single).with_table(rows).unwrap();
        check(case, &rope, GOLDEN_VALUE);
    });
}

#[test]
fn exact_angles_rotate_as_the_models_do_but_for_their_rounding() {
    check_all(&golden!("rope_apply"), &APART, |case| {
        let frequencies = default_frequencies(case);
        let angle = largest_angle(&case.integers("/position_ids"), frequencies.as_slice());
        check(case, &rotary(case, frequencies, Precision::Exact), golden_table(angle));
    });
}

#[test]
fn exact_angles_of_given_frequencies_are_as_far_from_the_models_as_the_files_say() {
    check_all(&golden!("rope_apply"), &APART, |case| {
        let Some(frequencies) = given_frequencies(case) else {
            // This case says neither.
            return assert_eq!(case.id(), "clvp rotates v too");
        };
        let deviation = case.number("/expect/max_abs_dev_from_exact");
        check(case, &rotary(case, frequencies, Precision::Exact), deviation + GOLDEN_VALUE);
    });
}

//! Cosines and sines of given f32 angles, easy and hard, up to 1.7e7.
//! They stand apart because each angle must reach the kernel as it is, in one contract or the other.

use posenc::{Frequencies, Positions, Precision, TableBuilder};
use posenc_oracle::tolerance::{EXACT_ULP, SINCOS_ULP};
use posenc_oracle::ulp::ulp_error;

use crate::{check_all, common, golden};

/// A power of two by which all angles of the file are in the range of frequencies when divided.
const POSITION: i64 = 32;

/// The contract where it holds, the file's own tolerance beyond.
fn allowed(angle: f32) -> f64 {
    if angle.abs() < 16_777_216.0 { EXACT_ULP } else { SINCOS_ULP }
}

/// Makes one row at every level and compares it with the cosines and sines of the angles.
fn check(angles: &[(f32, f64, f64)], frequencies: &[f32], position: i64, precision: Precision) {
    assert_eq!(angles.len(), frequencies.len());
    let frequencies = Frequencies::from_inv_freq(frequencies).unwrap();
    for level in common::levels() {
        let (mut cos, mut sin) = (vec![f32::NAN; angles.len()], vec![f32::NAN; angles.len()]);
        let builder = TableBuilder::new(&frequencies, precision).with_level(level);
        builder.fill(&Positions::from(position), &mut cos, &mut sin).unwrap();
        for (&(x, want_cos, want_sin), got) in angles.iter().zip(cos.into_iter().zip(sin)) {
            let error = ulp_error(got.0, want_cos).max(ulp_error(got.1, want_sin));
            assert!(error <= allowed(x), "cos and sin of {x}: {got:?}, off by {error} ULP ({level}, {precision:?})");
        }
    }
}

/// The angles of the file, each with its cosine and sine.
fn angles() -> Vec<(f32, f64, f64)> {
    let mut angles = Vec::new();
    check_all(&golden!("sincos"), &[], |_| ());
    for case in golden!("sincos") {
        let (cos, sin) = (case.numbers("/expect/cos"), case.numbers("/expect/sin"));
        let arguments = case.singles("/expect/x_f32");
        assert!(arguments.len() == case.count("/n") && cos.len() == arguments.len() && sin.len() == cos.len());
        angles.extend(arguments.into_iter().zip(cos.into_iter().zip(sin)).map(|(x, (cos, sin))| (x, cos, sin)));
    }
    angles
}

#[test]
fn angles_given_as_frequencies() {
    let mut angles = angles();
    angles.retain(|(x, _, _)| x.abs() <= 1_048_576.0);
    assert!(angles.len() > 150);
    let frequencies: Vec<f32> = angles.iter().map(|&(x, _, _)| x).collect();
    let negated: Vec<f32> = frequencies.iter().map(|x| -x).collect();
    for precision in [Precision::Single, Precision::Exact] {
        check(&angles, &frequencies, 1, precision);
        check(&angles, &negated, -1, precision);
    }
}

#[test]
fn angles_given_as_frequencies_times_a_power_of_two() {
    let mut angles = angles();
    let frequency = |x: f32| x / POSITION as f32;
    // The smallest of all would lose digits when divided.
    angles.retain(|&(x, _, _)| frequency(x) * POSITION as f32 == x);
    assert!(angles.len() > 300 && angles.iter().any(|(x, _, _)| x.abs() > 1.6e7));
    let frequencies: Vec<f32> = angles.iter().map(|&(x, _, _)| frequency(x)).collect();
    for precision in [Precision::Single, Precision::Exact] {
        check(&angles, &frequencies, POSITION, precision);
    }
}

#[test]
fn whole_angles_given_as_positions() {
    let mut angles = angles();
    angles.retain(|(x, _, _)| x.fract() == 0.0);
    assert!(angles.len() > 20);
    for angle in angles {
        for precision in [Precision::Single, Precision::Exact] {
            // Copies fill the lanes of every level.
            check(&[angle; 17], &[1.0; 17], angle.0 as i64, precision);
            check(&[angle; 17], &[-1.0; 17], -angle.0 as i64, precision);
        }
    }
}

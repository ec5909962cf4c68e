//! Tables of cosines and sines from published configurations, each column in its own contract.
//! They stand apart from rotations because a table that is off shows here with its position and pair.

use posenc::{Frequencies, Level, Positions, Precision, TableBuilder};
use posenc_oracle::tolerance::{GOLDEN_EXACT, GOLDEN_FREQUENCY_RELATIVE, GOLDEN_VALUE, SCALED_RELATIVE};

use crate::frequencies::scaled;
use crate::{Case, assert_near, assert_near_single, check_all, common, golden};

/// The tables of a case's positions.
fn tables(case: &Case, frequencies: Frequencies, precision: Precision, level: Level) -> (Vec<f32>, Vec<f32>) {
    let frequencies = frequencies.with_magnitude(case.number("/attention_factor")).unwrap();
    let positions = case.integers("/positions");
    let cells = positions.len() * frequencies.pairs();
    let (mut cos, mut sin) = (vec![f32::NAN; cells], vec![f32::NAN; cells]);
    let builder = TableBuilder::new(&frequencies, precision).with_level(level);
    builder.fill(&Positions::ids(&positions), &mut cos, &mut sin).unwrap();
    (cos, sin)
}

#[test]
fn single_precision_follows_the_f32_pipeline() {
    check_all(&golden!("rope_tables"), &[], |case| {
        for level in common::levels() {
            let frequencies = Frequencies::from_inv_freq(&case.singles("/inv_freq_f32")).unwrap();
            let (cos, sin) = tables(case, frequencies, Precision::Single, level);
            let what = format!("{} at {level}", case.id());
            // The angles are the same f32 numbers, so the tolerance need not grow with them.
            assert_near_single(&what, &cos, &case.singles("/expect/cos_f32_pipeline"), GOLDEN_VALUE);
            assert_near_single(&what, &sin, &case.singles("/expect/sin_f32_pipeline"), GOLDEN_VALUE);
        }
    });
}

#[test]
fn inverse_frequencies_of_a_checkpoint_are_taken_as_they_are() {
    check_all(&golden!("rope_tables"), &[], |case| {
        for level in common::levels() {
            let frequencies = Frequencies::from_inv_freq(&case.singles("/inv_freq_f32")).unwrap();
            let (cos, sin) = tables(case, frequencies, Precision::Exact, level);
            let what = format!("{} at {level}", case.id());
            assert_near(&what, &cos, &case.numbers("/expect/cos_exact_of_f32_inv_freq"), GOLDEN_EXACT);
            assert_near(&what, &sin, &case.numbers("/expect/sin_exact_of_f32_inv_freq"), GOLDEN_EXACT);
        }
    });
}

#[test]
fn frequencies_of_the_configuration_give_the_exact_columns() {
    check_all(&golden!("rope_tables"), &[], |case| {
        let frequencies = scaled(case);
        let magnitude = frequencies.magnitude();
        assert!(
            (magnitude / case.number("/attention_factor") - 1.0).abs() <= SCALED_RELATIVE,
            "{}: {magnitude}",
            case.id()
        );
        for (f, reference) in frequencies.as_slice().iter().zip(case.singles("/inv_freq_f32")) {
            let error = (f64::from(reference) / f - 1.0).abs();
            assert!(error <= GOLDEN_FREQUENCY_RELATIVE, "{f} against {reference}");
        }
        for level in common::levels() {
            let (cos, sin) = tables(case, frequencies.clone(), Precision::Exact, level);
            let what = format!("{} at {level}", case.id());
            assert_near(&what, &cos, &case.numbers("/expect/cos_exact"), GOLDEN_EXACT);
            assert_near(&what, &sin, &case.numbers("/expect/sin_exact"), GOLDEN_EXACT);
        }
    });
}

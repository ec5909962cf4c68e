//! The ends of the range and the symmetries of rows, most of them to the bit.
//! They stand apart because they are few cells, chosen one by one.

use posenc::{Error, Frequencies, Precision};
use posenc_oracle::angle::{CosSin, sincos, sincos_product};
use posenc_oracle::tolerance::{EXACT_ULP, SUBNORMAL_ULP};
use posenc_oracle::ulp::ulp_error;

use crate::{Rows, Worst, models, scattered};

const CONTRACTS: [Precision; 2] = [Precision::Exact, Precision::Single];

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// Enough positions and frequencies for whole vectors and a tail at every level.
fn mixed_frequencies() -> Frequencies {
    let values = (0..37).map(|j| 1.7_f64.powi(-j) * 3.0).chain([0.0, 1e-30, 5e-324, 77.7]).collect();
    Frequencies::from_values(values).unwrap()
}

#[test]
fn negative_positions_mirror_to_the_bit() {
    let forward: Vec<i64> = (0..100).chain(scattered(7..31, 20)).map(i64::abs).chain([1 << 31]).collect();
    let backward: Vec<i64> = forward.iter().map(|p| -p).collect();
    for frequencies in models().chain([mixed_frequencies()]) {
        for precision in CONTRACTS {
            let there = Rows::new(&frequencies, precision, &forward);
            let back = Rows::new(&frequencies, precision, &backward);
            assert_eq!(bits(&there.cos), bits(&back.cos));
            // Position 0 is its own mirror image; its sines are +0 either way.
            let start = frequencies.pairs();
            let negated: Vec<f32> = there.sin[start..].iter().map(|sin| -sin).collect();
            assert_eq!(bits(&negated), bits(&back.sin[start..]));
        }
    }
}

#[test]
fn negative_frequencies_mirror_to_the_bit() {
    let positions: Vec<i64> = (1..100).chain(scattered(7..31, 20)).collect();
    let forward = mixed_frequencies();
    let backward = Frequencies::from_values(forward.as_slice().iter().map(|f| -f).collect()).unwrap();
    for precision in CONTRACTS {
        let there = Rows::new(&forward, precision, &positions);
        let back = Rows::new(&backward, precision, &positions);
        assert_eq!(bits(&there.cos), bits(&back.cos));
        // The frequency 0 has no sign, so its sines are compared as numbers.
        assert!(
            there.sin.iter().zip(&back.sin).all(|(a, b)| a.to_bits() == (-b).to_bits() || (*a == 0.0 && *b == 0.0))
        );
    }
}

#[test]
fn position_zero_is_one_and_plus_zero() {
    let values = mixed_frequencies().as_slice().to_vec();
    let negative = values.iter().map(|f| -f).collect();
    for frequencies in [values, negative].map(|values| Frequencies::from_values(values).unwrap()) {
        let rows = Rows::new(&frequencies, Precision::Exact, &[0, 0]);
        assert!(rows.cos.iter().all(|cos| cos.to_bits() == 1.0_f32.to_bits()), "{:?}", rows.cos);
        assert!(rows.sin.iter().all(|sin| sin.to_bits() == 0), "{:?}", rows.sin);
    }
}

#[test]
fn position_zero_has_the_sign_of_an_f32_product_in_single_precision() {
    let values = mixed_frequencies().as_slice().to_vec();
    let values: Vec<f64> = values.iter().copied().chain(values.iter().map(|f| -f)).collect();
    let rows = Rows::new(&Frequencies::from_values(values.clone()).unwrap(), Precision::Single, &[0]);
    assert!(rows.cos.iter().all(|cos| cos.to_bits() == 1.0_f32.to_bits()), "{:?}", rows.cos);
    for (&frequency, sin) in values.iter().zip(&rows.sin) {
        // Zero times a negative number is -0, and so is the sine of that.
        let angle = 0.0_f32 * frequency as f32;
        assert_eq!(sin.to_bits(), angle.to_bits(), "{frequency}");
    }
}

#[test]
fn a_frequency_of_zero_never_turns() {
    let frequencies = Frequencies::from_values(vec![0.0; 21]).unwrap();
    let positions = [1, 2, 4095, (1 << 24) + 1, 1 << 31, -1, -(1 << 31)];
    for precision in CONTRACTS {
        let rows = Rows::new(&frequencies, precision, &positions);
        assert!(rows.cos.iter().all(|&cos| cos == 1.0) && rows.sin.iter().all(|&sin| sin == 0.0));
    }
}

#[test]
fn tiny_and_subnormal_frequencies_are_within_the_contract() {
    // From the smallest f64 past the smallest f32 (1e-45) to where a cosine first leaves one.
    let sizes = [5e-324, 1e-310, f64::MIN_POSITIVE, 1e-300, 1e-100, 1e-60, 2e-48, 1e-45, 3e-42, 1e-38, 1e-20, 1e-9];
    let values: Vec<f64> = sizes.iter().flat_map(|&f| [f, -f, f * 1.37]).collect();
    let frequencies = Frequencies::from_values(values).unwrap();
    let mut worst = Worst::default();
    worst.see_rows(&frequencies, &[1, 3, 12_345, (1 << 24) - 1, -7, 1 << 24, (1 << 31) - 1, 1 << 31, -(1 << 31)]);
    println!("tiny: {worst:?}");
    assert!(worst.near > 0.3 && worst.far > 0.3, "{worst:?}");
}

#[test]
fn the_largest_frequencies_are_within_the_contract() {
    const LARGEST: f64 = (1 << 20) as f64;
    let below = [LARGEST.next_down(), 1_000_003.7, 777_777.125, 524_288.0, 131_071.99, 5000.5, 1000.1, 37.3];
    let values: Vec<f64> = below.into_iter().chain([LARGEST]).flat_map(|f| [f, -f]).collect();
    let frequencies = Frequencies::from_values(values.clone()).unwrap();
    let positions: Vec<i64> = (1..50).chain(scattered(6..31, 50)).chain([1 << 31, -(1 << 31)]).collect();
    let rows = Rows::new(&frequencies, Precision::Exact, &positions);
    let mut cells = rows.cos.into_iter().zip(rows.sin);
    let mut worst = Worst::default();
    for &position in &positions {
        for &frequency in &values {
            let got = cells.next().unwrap();
            // Unlike `sincos`, this oracle takes the limit itself.
            let truth = sincos_product(position as f64, frequency);
            worst.see(position, frequency, got, truth);
        }
    }
    println!("largest: {worst:?}");
    assert!(worst.cells > 10_000 && worst.near > 0.499 && worst.far > 0.499, "{worst:?}");
}

#[test]
fn frequencies_out_of_range_are_refused() {
    let above = f64::from(1 << 20).next_up();
    for wrong in [above, -above, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        match Frequencies::from_values(vec![1.0, wrong]) {
            Err(Error::Number { found, .. }) => assert_eq!(found.to_bits(), wrong.to_bits()),
            other => panic!("{wrong}: {other:?}"),
        }
    }
}

#[test]
fn a_magnitude_is_multiplied_in_before_the_one_rounding() {
    let positions: Vec<i64> = (0..500).chain(scattered(9..24, 30)).collect();
    for magnitude in [1.138_629_436_111_989, 0.1, 1.346_573_590_279_972_7, 7.0] {
        let frequencies = Frequencies::new(64, 150_000.0).unwrap().with_magnitude(magnitude).unwrap();
        let rows = Rows::new(&frequencies, Precision::Exact, &positions);
        let mut cells = rows.cos.into_iter().zip(rows.sin);
        for &position in &positions {
            for &frequency in frequencies.as_slice() {
                let CosSin { cos, sin } = sincos(position, frequency);
                let got = cells.next().unwrap();
                let error = ulp_error(got.0, magnitude * cos).max(ulp_error(got.1, magnitude * sin));
                assert!(error <= EXACT_ULP, "{magnitude} at {position} * {frequency:e}: off by {error} ULP");
            }
        }
    }
}

/// Frequencies next to half-way between two numbers that are no normal f32, and magnitudes that make such numbers of all
/// cells. The short way is not looked at there, so some cells are the second nearest; all keep a contract of their own.
#[test]
fn numbers_below_the_normal_ones_of_f32_are_nearly_the_nearest() {
    let smallest = f64::from(f32::from_bits(1));
    let ties = (0..23).flat_map(|digits| [(1_u32 << digits) - 1, (2 << digits) - 1, (3 << digits) / 2]);
    let slow = ties.flat_map(|k| [1e-13, 1e-12, 3e-12, 4.4e-12].map(|near| (f64::from(k) + 0.5, near)));
    let values: Vec<f64> = slow.flat_map(|(k, near)| [1.0 - near, 1.0, 1.0 + near].map(|x| k * smallest * x)).collect();
    let (mut worst, mut count) = (0.0_f64, 0);
    for magnitude in [1.0, 1e-39, 3e-42] {
        let frequencies = Frequencies::from_values(values.clone()).unwrap().with_magnitude(magnitude).unwrap();
        let plain = Frequencies::from_values((1..200).map(f64::from).collect()).unwrap();
        for frequencies in [frequencies, plain.with_magnitude(magnitude).unwrap()] {
            let rows = Rows::new(&frequencies, Precision::Exact, &[1]);
            for ((&frequency, cos), sin) in frequencies.as_slice().iter().zip(rows.cos).zip(rows.sin) {
                let truth = sincos(1, frequency);
                for (got, want) in [(cos, truth.cos * magnitude), (sin, truth.sin * magnitude)] {
                    let error = ulp_error(got, want);
                    assert!(error <= SUBNORMAL_ULP, "{frequency:e} times {magnitude:e}: {got:e}, off by {error} ULP");
                    (worst, count) = (worst.max(error), count + 1);
                }
            }
        }
    }
    assert!(worst > EXACT_ULP && count > 2000, "{worst} in {count} cells");
}

//! Angles next to multiples of a quarter turn, searched for on purpose: there one of cosine and sine nearly vanishes,
//! and every digit of the angle that was lost shows in it. The search stands apart, in integers of its own.

use std::f64::consts::FRAC_PI_2;

use posenc::{Frequencies, Precision};
use posenc_oracle::angle::sincos;

use crate::{LARGEST_ANGLE, Rows, Worst, models};

/// 2/π · 2^128.
const TWO_OVER_PI: u128 = 0xa2f9_836e_4e44_1529_fc27_57d1_f534_ddc0;

/// The part behind the point of `mantissa · 2^-scale · 2/π`, times 2^127.
fn quarter_turns(mantissa: u64, scale: u32) -> u128 {
    let (high, low) = (TWO_OVER_PI >> 64, TWO_OVER_PI & u128::from(u64::MAX));
    let mantissa = u128::from(mantissa);
    // The product has three words: the top one, and two that wrap.
    let top = (mantissa * high + ((mantissa * low) >> 64)) >> 64;
    let rest = mantissa.wrapping_mul(TWO_OVER_PI);
    let shifted = match scale + 1 {
        down @ 1..128 => top << (128 - down) | rest >> down,
        down => top.checked_shr(down - 128).unwrap_or(0),
    };
    shifted & (u128::MAX >> 1)
}

/// Denominators below `limit` of the convergents of `x / 2^127`: no smaller multiple of it is as near to a whole number.
fn convergents(x: u128, limit: u64) -> Vec<u64> {
    let (mut divisor, mut rest) = (1_u128 << 127, x);
    let (mut before, mut last) = (0, 1_u128);
    let mut denominators = Vec::new();
    while last < u128::from(limit) {
        denominators.push(last as u64);
        let Some(quotient) = divisor.checked_div(rest) else { break };
        (divisor, rest) = (rest, divisor % rest);
        (before, last) = (last, quotient.saturating_mul(last).saturating_add(before));
    }
    denominators
}

/// The mantissa of a normal f64 and the power of two that it is to be divided by.
fn decoded(f: f64) -> (u64, u32) {
    let bits = f.to_bits();
    (bits & ((1 << 52) - 1) | 1 << 52, 1075 - (bits >> 52) as u32)
}

/// How near to a quarter turn the angle comes: the smaller of its cosine and sine.
fn nearness(position: i64, frequency: f64) -> f64 {
    let point = sincos(position, frequency);
    point.cos.abs().min(point.sin.abs())
}

/// Positions of one frequency that come nearest to quarter turns, with their neighbours and mirror images.
fn near_crossings(frequency: f64) -> Vec<i64> {
    let (mantissa, scale) = decoded(frequency);
    let found = convergents(quarter_turns(mantissa, scale), 1 << 31);
    // A theorem on convergents says how near the last one before a limit must come; a broken search would not.
    for limit in [1 << 24, 1 << 31] {
        let last = *found.iter().rfind(|&&position| position < limit).unwrap() as i64;
        let promised = FRAC_PI_2 / limit as f64;
        assert!(nearness(last, frequency) < promised, "{last} * {frequency:e} is not near a quarter turn");
    }
    found.into_iter().flat_map(|p| [p as i64, -(p as i64), p as i64 - 1, p as i64 + 1]).collect()
}

#[test]
fn the_nearest_crossings_of_every_frequency_are_within_the_contract() {
    let mut worst = Worst::default();
    let (mut small_cosines, mut small_sines) = (0, 0);
    for frequencies in models() {
        for (j, &frequency) in frequencies.as_slice().iter().enumerate() {
            // Whole rows are made, so that the frequency stands in the lane where it always does.
            let positions = near_crossings(frequency);
            let rows = Rows::new(&frequencies, Precision::Exact, &positions);
            for (row, &position) in positions.iter().enumerate() {
                let cell = row * frequencies.pairs() + j;
                let truth = sincos(position, frequency);
                worst.see(position, frequency, (rows.cos[cell], rows.sin[cell]), truth);
                small_cosines += u32::from(truth.cos.abs() < 1e-7);
                small_sines += u32::from(truth.sin.abs() < 1e-7 && position != 0);
            }
        }
    }
    println!("crossings: {worst:?}, {small_cosines} small cosines, {small_sines} small sines");
    assert!(small_cosines >= 1000 && small_sines >= 1000, "{small_cosines} and {small_sines}");
    assert!(worst.near > 0.49 && worst.far > 0.49, "{worst:?}");
}

/// The f64 with the given unit whose product with `position` comes nearest to a quarter turn, any f64 being allowed.
fn hostile_frequency(position: i64, scale: u32) -> f64 {
    let mantissa = *convergents(quarter_turns(position as u64, scale), 1 << 53).last().unwrap();
    let frequency = mantissa as f64 / 2_f64.powi(scale as i32);
    assert!(nearness(position, frequency) < FRAC_PI_2 / (1_u64 << 52) as f64, "{position} * {frequency:e}");
    frequency
}

#[test]
fn frequencies_chosen_to_be_hard_are_within_the_contract() {
    let mut worst = Worst::default();
    for position in [1, 3, 4095, 65_537, 9_999_991, (1 << 24) - 1, 1 << 24, 999_999_937, (1 << 31) - 1, 1 << 31] {
        // Frequencies below 2^20, 2^19, …
        let hard = (33..80).map(|scale| hostile_frequency(position, scale));
        // Sixteen copies fill the lanes of every level.
        let values = hard.filter(|f| f * (position as f64) < LARGEST_ANGLE).flat_map(|f| [f; 16]).collect();
        let frequencies = Frequencies::from_values(values).unwrap();
        worst.see_rows(&frequencies, &[position, -position, position - 1]);
    }
    println!("chosen frequencies: {worst:?}");
    assert!(worst.cells >= 10_000 && worst.near > 0.49 && worst.far > 0.49, "{worst:?}");
}

//! Cosines and sines of f32 angles, as `Precision::Single` makes them, argument by argument.
//! They stand apart because here all numbers there are can be tried, if one has the minutes.

use std::num::NonZero;
use std::ops::Range;
use std::thread;

use posenc::{Frequencies, Precision};
use posenc_oracle::angle::{sincos_f32_arg, single_angle};
use posenc_oracle::tolerance::EXACT_ULP;
use posenc_oracle::ulp::ulp_error;

use crate::{Rows, models, scattered};

/// Arguments to a call.
const BLOCK: u64 = 1 << 12;

const TWO_TO_THE_17: f32 = 131_072.0;
const TWO_TO_THE_24: f32 = 16_777_216.0;

/// Positive f32 numbers, by the range of their bits.
#[derive(Clone)]
struct Sweep {
    bits: Range<u64>,
    /// Every how many of them is tried.
    stride: u64,
    /// A power of two: an argument is this position times a frequency, which is exact and keeps the frequency small.
    position: i64,
}

impl Sweep {
    fn new(arguments: Range<f32>, stride: u64, position: i64) -> Self {
        // The bits of positive numbers grow with them.
        Self { bits: u64::from(arguments.start.to_bits())..u64::from(arguments.end.to_bits()), stride, position }
    }

    /// The largest error, the work being shared between all cores.
    fn worst_error(&self) -> f64 {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let step = BLOCK * self.stride;
        let part = |first: usize| {
            let blocks = self.bits.clone().step_by(step as usize).skip(first).step_by(threads);
            blocks.map(|start| self.worst_of_block(start)).fold(0.0, f64::max)
        };
        thread::scope(|scope| {
            let parts: Vec<_> = (0..threads).map(|first| scope.spawn(move || part(first))).collect();
            parts.into_iter().map(|part| part.join().unwrap()).fold(0.0, f64::max)
        })
    }

    /// The largest error of one block of arguments.
    fn worst_of_block(&self, start: u64) -> f64 {
        let bits = (start..self.bits.end).step_by(self.stride as usize).take(BLOCK as usize);
        let arguments: Vec<f32> = bits.map(|bits| f32::from_bits(bits as u32)).collect();
        let frequencies: Vec<f32> = arguments.iter().map(|x| x / self.position as f32).collect();
        let frequencies = Frequencies::from_inv_freq(&frequencies).unwrap();
        let rows = Rows::new(&frequencies, Precision::Single, &[self.position]);
        let mut worst = 0.0_f64;
        for ((&x, &cos), &sin) in arguments.iter().zip(&rows.cos).zip(&rows.sin) {
            let truth = sincos_f32_arg(x);
            let error = ulp_error(cos, truth.cos).max(ulp_error(sin, truth.sin));
            assert!(error <= EXACT_ULP, "cos {cos:e} and sin {sin:e} of {x:e}: off by {error} ULP");
            assert!(cos.abs() <= 1.0 && sin.abs() <= 1.0, "{x:e}");
            worst = worst.max(error);
        }
        worst
    }
}

/// Every step that f32 arithmetic rounds: the position, the frequency and their product.
#[test]
fn positions_and_frequencies_of_any_size_are_rounded_as_f32() {
    let positions = scattered(1..31, 40);
    let mut worst = 0.0_f64;
    for frequencies in models() {
        let rows = Rows::new(&frequencies, Precision::Single, &positions);
        let mut cells = rows.cos.into_iter().zip(rows.sin);
        for &position in &positions {
            for &frequency in frequencies.as_slice() {
                let (got, angle) = (cells.next().unwrap(), single_angle(position, frequency));
                if angle.abs() < TWO_TO_THE_24 {
                    let truth = sincos_f32_arg(angle);
                    let error = ulp_error(got.0, truth.cos).max(ulp_error(got.1, truth.sin));
                    assert!(error <= EXACT_ULP, "{got:?} of {position} * {frequency:e}: off by {error} ULP");
                    worst = worst.max(error);
                }
            }
        }
    }
    println!("f32 products: {worst} ULP");
    assert!(worst > 0.4999, "{worst}");
}

#[test]
fn a_part_of_all_f32_below_2_to_the_17_is_within_the_contract() {
    let worst = Sweep::new(0.0..TWO_TO_THE_17, 307, 1).worst_error();
    println!("every 307th f32 below 2^17: {worst} ULP");
    assert!(worst > 0.4999, "{worst}");
}

#[test]
fn a_part_of_all_f32_from_2_to_the_17_to_2_to_the_24_is_within_the_contract() {
    let worst = Sweep::new(TWO_TO_THE_17..TWO_TO_THE_24, 31, 16).worst_error();
    println!("every 31st f32 from 2^17 to 2^24: {worst} ULP");
    assert!(worst > 0.4999, "{worst}");
}

#[test]
#[ignore = "takes minutes: every f32 below 2^17"]
fn every_f32_below_2_to_the_17_is_within_the_contract() {
    let worst = Sweep::new(0.0..TWO_TO_THE_17, 1, 1).worst_error();
    println!("every f32 below 2^17: {worst} ULP");
    assert!(worst > 0.4999, "{worst}");
}

#[test]
#[ignore = "takes a minute: every f32 from 2^17 to 2^24"]
fn every_f32_from_2_to_the_17_to_2_to_the_24_is_within_the_contract() {
    let worst = Sweep::new(TWO_TO_THE_17..TWO_TO_THE_24, 1, 16).worst_error();
    println!("every f32 from 2^17 to 2^24: {worst} ULP");
    assert!(worst > 0.4999, "{worst}");
}

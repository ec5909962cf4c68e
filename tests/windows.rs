//! Windows that slide along, and gathered rows, in the 16-bit formats: as many rows and columns as are taken in stripes and
//! blocks, whatever stands in scores and biases, at every level.
//! They stand apart because the crate's own shapes would need millions of scores to come to all of these edges.
#![cfg(feature = "half")]

mod common;

use half::{bf16, f16};
use posenc_kernels::{Bf16, F16, Format, GatherSum, Lookup, SlidingAdd, SlidingSet, Wide};

/// A 16-bit type, by its bits.
trait Half {
    type Stored: Format<Store = u16, Work = f32>;

    fn wide(bits: u16) -> f32;
    fn narrow(x: f32) -> u16;
}

macro_rules! half {
    ($type:ident, $format:ident) => {
        impl Half for $type {
            type Stored = $format;

            fn wide(bits: u16) -> f32 {
                $type::from_bits(bits).to_f32()
            }

            fn narrow(x: f32) -> u16 {
                $type::from_f32(x).to_bits()
            }
        }
    };
}

half!(f16, F16);
half!(bf16, Bf16);

/// Ties, ends of the ranges, subnormals, infinities, and NaN: of one digit, of all digits, and signalling.
const SPECIALS: [u32; 20] = [
    0x0000_0000,
    0x8000_0000,
    0x3F80_8000,
    0x3F81_8000,
    0xBF80_8001,
    0x3F80_1000,
    0x0000_0001,
    0x807F_8000,
    0x0080_7FFF,
    0x7F7F_7FFF,
    0x7F7F_8000,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFFF_FFFF,
    0x7FFF_FFFF,
    0x7F80_0001,
    0xFFA0_0042,
    0x7FFF_8000,
];

/// Random numbers, of which every so manieth is a special one; none is if that is 0.
fn numbers(count: usize, every: usize) -> Vec<f32> {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let number = |i: usize, random: u32| match i.checked_rem(every) {
        Some(0) => f32::from_bits(SPECIALS[random as usize % SPECIALS.len()]),
        // Few digits, so that sums are often ties.
        _ => (random % 4096) as f32 / 512.0 - 4.0,
    };
    (0..count).map(|i| number(i, next())).collect()
}

/// Same bits, or NaN both.
#[track_caller]
fn assert_alike<H: Half>(got: &[u16], want: &[u16], what: impl std::fmt::Display) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let alike = got == want || H::wide(got).is_nan() && H::wide(want).is_nan();
        assert!(alike, "{what}: element {i} is {got:#06x}, not {want:#06x}");
    }
}

/// Rows of a window, added and set; `every` tells how often there is a special number.
fn slides<H: Half>([count, width]: [usize; 2], step: usize, every: usize) {
    let odd = (count + width + step) % 2;
    let start = count.saturating_sub(1) * step + odd;
    let window = numbers(start + width + 3, every);
    let scores: Vec<u16> = numbers(count * width + 1, every).into_iter().map(H::narrow).collect();
    let (mut sums, mut values) = (scores.clone(), scores.clone());
    if width > 0 {
        for i in 0..count {
            for j in 0..width {
                let (at, value) = (i * width + j, window[start - i * step + j]);
                (sums[at], values[at]) = (H::narrow(H::wide(scores[at]) + value), H::narrow(value));
            }
        }
    }
    for level in common::levels() {
        let what = format!("{level}: {count} rows of {width}, step {step}, special every {every}");
        let (mut added, mut set) = (scores.clone(), scores.clone());
        // A last element that makes no row stays what it is, unless rows are that short.
        let end = if width > 1 { count * width + 1 } else { count * width };
        level.run(SlidingAdd::<H::Stored> { rows: &mut added[..end], width, window: &window, start, step });
        level.run(SlidingSet(SlidingAdd::<H::Stored> { rows: &mut set[..end], width, window: &window, start, step }));
        assert_alike::<H>(&added, &sums, format_args!("{what}, added"));
        assert_alike::<H>(&set, &values, format_args!("{what}, set"));
    }
}

fn all_slides<H: Half>() {
    for every in [0, 1, 37] {
        for width in (0..=70).chain([127, 128, 129]) {
            for count in [0, 1, 2, 7, 8, 9, 13] {
                slides::<H>([count, width], width % 4, every);
            }
        }
        for width in 1..=40 {
            slides::<H>([9000 / width, width], 1, every);
        }
        // Columns in stripes, rows in blocks, steps up to those that are too long for either.
        for size in [[8, 1023], [8, 1024], [9, 1025], [11, 2049], [1030, 33], [2060, 1], [1025, 1024], [2100, 40]] {
            for step in [0, 1, 2] {
                slides::<H>(size, step, every);
            }
        }
        for step in [3, 127, 128, 129, 1000] {
            slides::<H>([17, 1100], step, every);
        }
    }
}

#[test]
fn windows_of_bf16_slide_in_stripes_and_blocks() {
    all_slides::<bf16>();
}

#[test]
fn windows_of_f16_slide_in_stripes_and_blocks() {
    all_slides::<f16>();
}

fn gathers<H: Half>() {
    for (width, every) in (0..=70).chain([127, 128, 129]).flat_map(|width| [(width, 0), (width, 1), (width, 37)]) {
        let index = [3, 0, 0, 2, 3, 1];
        let table = numbers(4 * width, every);
        // Fewer rows than the table has, and more.
        for count in [2, 6] {
            let before: Vec<u16> = numbers(count * width, every).into_iter().map(H::narrow).collect();
            let added = index[..count].iter().flat_map(|&row| &table[row * width..][..width]);
            let want: Vec<u16> = before.iter().zip(added).map(|(&x, y)| H::narrow(H::wide(x) + y)).collect();
            for level in common::levels() {
                let mut rows = before.clone();
                let tables = [Lookup { table: &table, index: &index[..count], factor: 1.0 }];
                level.run(GatherSum::<H::Stored, Wide, 1> { rows: &mut rows, width, scale: Some(1.0), tables });
                assert_alike::<H>(&rows, &want, format_args!("{level}: {count} rows of {width}"));
            }
        }
    }
}

#[test]
fn gathered_rows_of_16_bits_are_added() {
    gathers::<bf16>();
    gathers::<f16>();
}

//! Levels against each other: every operation and every kernel, at every level of this machine, on every special value.
//! They stand apart from the laws because kernels are called here without the crate around them.

mod common;
#[path = "laws/kernels.rs"]
mod kernels;
#[path = "laws/lanes.rs"]
mod lanes;
#[allow(dead_code, reason = "the laws are one directory; this file needs their comparisons")]
#[path = "laws/all.rs"]
mod laws;

use kernels::{special_pairs, zipped};
use laws::bits::{assert_same, assert_same_where};
use posenc::{Frequencies, Level, Positions, Precision, TableBuilder};
use posenc_kernels::Arrangement;

#[test]
fn levels_go_by_their_names_from_the_plainest_to_the_widest() {
    let levels = common::levels();
    let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
    assert_eq!(names[..2], ["scalar", "portable"]);
    assert_eq!(levels.last(), Some(&Level::detect()));
    for &level in &levels {
        assert_eq!(Level::named(level.name()), Ok(level));
        assert_eq!(level.to_string().parse(), Ok(level));
        assert_eq!(format!("{level:>10}"), format!("{:>10}", level.name()));
    }
    for name in ["", "Scalar", "avx3", "neon "] {
        let error = Level::named(name).unwrap_err();
        assert_eq!(error.to_string(), format!("no such level on this machine; here are: {}", names.join(" ")));
    }
}

#[test]
fn single_lanes_mean_plain_rust() {
    let (a, b) = special_pairs();
    let strict = |i: usize| !(a[i].is_nan() && b[i].is_nan());
    let bits =
        |operation: fn(u32, u32) -> u32| zipped(&a, &b, |a, b| f32::from_bits(operation(a.to_bits(), b.to_bits())));
    let mask = |set: bool| if set { u32::MAX } else { 0 };
    for level in common::levels() {
        let [sums, differences, products, interleaved, swapped] = level.run(lanes::Arithmetic { a: &a[..], b: &b[..] });
        assert_same_where(&sums, &zipped(&a, &b, |a, b| a + b), strict, format_args!("{level}: sums"));
        assert_same_where(&differences, &zipped(&a, &b, |a, b| a - b), strict, format_args!("{level}: differences"));
        assert_same_where(&products, &zipped(&a, &b, |a, b| a * b), strict, format_args!("{level}: products"));
        assert_same(&interleaved, &zipped(&a, &b, |a, b| [a, b]).concat(), format_args!("{level}: interleaved"));
        let neighbours: Vec<f32> = (0..a.len()).map(|i| a[i ^ 1]).collect();
        assert_same(&swapped, &neighbours, format_args!("{level}: swapped"));
        assert_same(&level.run(lanes::Splats(&a)), &a, format_args!("{level}: splats"));
        let [even, odd] = level.run(lanes::Deinterleaved(&interleaved));
        assert_same(&even, &a, format_args!("{level}: even elements"));
        assert_same(&odd, &b, format_args!("{level}: odd elements"));

        let [common, either, added, up, down, nan] = level.run(lanes::SingleBits { a: &a, b: &b });
        assert_same(&common, &bits(|a, b| a & b), format_args!("{level}: common bits"));
        assert_same(&either, &bits(|a, b| a | b), format_args!("{level}: bits of either"));
        assert_same(&added, &bits(u32::wrapping_add), format_args!("{level}: bits added"));
        assert_same(&up, &bits(|a, _| a << 16), format_args!("{level}: bits moved up"));
        assert_same(&down, &bits(|a, _| a >> 16), format_args!("{level}: bits moved down"));
        let nan_want: Vec<f32> = a.iter().map(|a| f32::from_bits(mask(a.is_nan()))).collect();
        assert_same(&nan, &nan_want, format_args!("{level}: masks of NaN"));
    }
}

#[test]
fn pairs_of_16_bits_share_a_lane_the_first_below_the_second() {
    let elements: Vec<u16> = (0..256).map(|i| (i * 257) ^ 0x1234).collect();
    let (pairs, _) = elements.as_chunks::<2>();
    let want: Vec<f32> = pairs.iter().map(|[a, b]| f32::from_bits(u32::from(*b) << 16 | u32::from(*a))).collect();
    for level in common::levels() {
        let (lanes, back) = level.run(lanes::Pairs(&elements));
        assert_same(&lanes, &want, format_args!("{level}: lanes"));
        assert_eq!(back, elements, "{level}: written back");
    }
}

#[test]
fn double_lanes_mean_plain_rust() {
    let (a, b) = special_pairs();
    // The widened specials have zeros at their ends; the lowest bit decides between two lanes.
    let lowest = [0, 1].into_iter().cycle();
    let a: Vec<f64> = a.into_iter().zip(lowest).map(|(x, bit)| f64::from_bits(f64::from(x).to_bits() ^ bit)).collect();
    let b: Vec<f64> = b.into_iter().map(f64::from).collect();
    let bits =
        |operation: fn(u64, u64) -> u64| zipped(&a, &b, |a, b| f64::from_bits(operation(a.to_bits(), b.to_bits())));
    for level in common::levels() {
        let [sums, differences, products, interleaved, swapped] = level.run(lanes::Arithmetic { a: &a[..], b: &b[..] });
        let [common, different, by_one, by_most, chosen, flipped, larger] =
            level.run(lanes::DoubleBits { a: &a, b: &b });
        let numbers = |i: usize| !(a[i].is_nan() || b[i].is_nan());
        let one_nan = |i: usize| !(a[i].is_nan() && b[i].is_nan());
        assert_doubles(level, "sums", &sums, &zipped(&a, &b, |a, b| a + b), one_nan);
        assert_doubles(level, "differences", &differences, &zipped(&a, &b, |a, b| a - b), one_nan);
        assert_doubles(level, "products", &products, &zipped(&a, &b, |a, b| a * b), one_nan);
        assert_doubles(level, "interleaved", &interleaved, &zipped(&a, &b, |a, b| [a, b]).concat(), |_| true);
        let neighbours: Vec<f64> = (0..a.len()).map(|i| a[i ^ 1]).collect();
        assert_doubles(level, "swapped", &swapped, &neighbours, |_| true);
        assert_doubles(level, "common bits", &common, &bits(|a, b| a & b), |_| true);
        assert_doubles(level, "different bits", &different, &bits(|a, b| a ^ b), |_| true);
        assert_doubles(level, "bits moved by 1", &by_one, &bits(|a, _| a << 1), |_| true);
        assert_doubles(level, "bits moved by 63", &by_most, &bits(|a, _| a << 63), |_| true);
        assert_doubles(level, "chosen", &chosen, &bits(|a, b| if a & 1 == 1 { a } else { b }), |_| true);
        assert_doubles(level, "flipped", &flipped, &bits(|a, b| a ^ (b & 1 << 63)), |_| true);
        // Only of numbers is one the larger; and of two zeros, either.
        let ordered = |i: usize| numbers(i) && (a[i] != 0.0 || b[i] != 0.0);
        let larger: Vec<f64> = (0..a.len()).filter(|&i| ordered(i)).map(|i| larger[i]).collect();
        let want: Vec<f64> = (0..a.len()).filter(|&i| ordered(i)).map(|i| a[i].max(b[i])).collect();
        assert_doubles(level, "larger", &larger, &want, |_| true);
    }
}

/// A number is in doubt next to half-way between two of fewer digits, and below a bound; nowhere else.
#[test]
fn doubts_are_where_they_should_be() {
    for digits in [29, 42, 45] {
        let half = 1_u64 << (digits - 1);
        let offsets = [0, 1, 0xFFFF, 0x1_0000, 0x1_0001, half - 1];
        let bits = offsets.into_iter().flat_map(|offset| [half + offset, half - offset, offset]);
        let numbers: Vec<f64> = bits
            .flat_map(|bits| [0x3FE5 << 48 | bits, 0xBF05 << 48 | 7 << digits | bits])
            .map(f64::from_bits)
            .chain([0.0, -0.0, 1.0, -2.0])
            .collect();
        let ones = vec![1.0; numbers.len()];
        for bound in [None, Some(0.0), Some(0.5)] {
            let in_doubt = |x: &f64| {
                let rest = x.to_bits() % (2 * half);
                (half - 0x1_0000..half + 0x1_0000).contains(&rest) || bound.is_some_and(|bound| x.abs() < bound)
            };
            let want: Vec<bool> = numbers.iter().map(in_doubt).collect();
            assert!(want.contains(&true) && want.contains(&false));
            for level in common::levels() {
                for (a, b) in [(&numbers, &ones), (&ones, &numbers)] {
                    let got = level.run(lanes::Doubts { a, b, bound, digits });
                    assert_eq!(got, want, "{level}: {digits} digits less, {bound:?}");
                }
            }
        }
    }
}

fn assert_doubles(level: Level, name: &str, got: &[f64], want: &[f64], strict: impl Fn(usize) -> bool) {
    assert_eq!(got.len(), want.len(), "{level}: {name}");
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let same = got.to_bits() == want.to_bits() || !strict(i) && got.is_nan() && want.is_nan();
        assert!(same, "{level}: {name} {i}: {got:e} ({:#x}), not {want:e} ({:#x})", got.to_bits(), want.to_bits());
    }
}

#[test]
fn narrowing_rounds_to_nearest_even_and_keeps_subnormals_and_nan() {
    let smallest = 2.0_f64.powi(-149);
    let unit = 2.0_f64.powi(-24);
    let mut exact = vec![
        (0.0, 0.0),
        (1.0 + unit, 1.0),
        (1.0 + 3.0 * unit, 1.0 + 4.0 * unit),
        (1.0 + 1.000_001 * unit, 1.0 + 2.0 * unit),
        (smallest / 2.0, 0.0),
        (smallest * 0.500_001, smallest),
        (smallest * 1.5, smallest * 2.0),
        (smallest * 2.5, smallest * 2.0),
        (5e-324, 0.0),
        (f64::from(f32::MAX) * (1.0 + unit / 4.0), f32::MAX.into()),
        (f64::from(f32::MAX) * (1.0 + unit), f64::INFINITY),
        (f64::MAX, f64::INFINITY),
        (f64::INFINITY, f64::INFINITY),
        (f64::from(f32::MIN_POSITIVE) * (1.0 - unit / 2.0), f32::MIN_POSITIVE.into()),
        (1e-40, 1e-40_f32.into()),
        (16_777_217.0, 16_777_216.0),
    ];
    exact.extend(exact.clone().into_iter().map(|(from, to)| (-from, -to)));
    let (from, want): (Vec<f64>, Vec<f64>) = exact.into_iter().unzip();
    for level in common::levels() {
        let (narrow, wide) = level.run(lanes::Conversions(&from));
        let want_narrow: Vec<f32> = want.iter().map(|&x| x as f32).collect();
        assert_same(&narrow, &want_narrow, format_args!("{level}: narrowed"));
        assert_eq!(zipped(&wide, &want, |a, b| a.to_bits() == b.to_bits()), vec![true; want.len()], "{level}: widened");
        let (narrow, wide) = level.run(lanes::Conversions(&[f64::NAN; 16]));
        assert!(narrow.iter().all(|x| x.is_nan()) && wide.iter().all(|x| x.is_nan()), "{level}: NaN");
    }
}

#[test]
fn rows_of_special_frequencies_are_true_at_every_level() {
    let frequencies = [0.0, -0.0, 1.0, -1.0, 1_048_575.9, -1e-3, 5e-324, f64::MIN_POSITIVE, 1e-300, 0.1, -0.7];
    let encoding = Frequencies::from_values(frequencies.to_vec()).expect("none above 2^20");
    let positions = [0, 1, -1, 12_345, (1 << 24) - 1, 1 << 31, -(1 << 31)];
    let rows = |level| {
        let (mut cos, mut sin) = (vec![0.0; 77], vec![0.0; 77]);
        let builder = TableBuilder::new(&encoding, Precision::Exact).with_level(level);
        builder.fill(&Positions::ids(&positions), &mut cos, &mut sin).expect("positions that are served");
        (cos, sin)
    };
    let want = rows(Level::named("scalar").expect("every machine has it"));
    for level in common::levels() {
        let (cos, sin) = rows(level);
        assert_same(&cos, &want.0, format_args!("{level}: cosines"));
        assert_same(&sin, &want.1, format_args!("{level}: sines"));
        for (cell, (cos, sin)) in cos.into_iter().zip(sin).enumerate() {
            let (p, f) = (positions[cell / 11], frequencies[cell % 11]);
            let point = posenc_oracle::angle::sincos(p, f);
            for (got, want) in [(cos, point.cos), (sin, point.sin)] {
                let error = posenc_oracle::ulp::ulp_error(got, want);
                assert!(
                    error <= posenc_oracle::tolerance::EXACT_ULP_FAR,
                    "{level}: {p} · {f:e}: {got:e}, not {want:e}"
                );
            }
        }
    }
}

#[test]
fn special_values_turn_alike() {
    kernels::special_values_turn_alike(&common::levels());
}

#[test]
fn kernels_that_add_do_so_at_every_width() {
    let levels = common::levels();
    for width in (0..=70).chain([127, 128, 129]) {
        if width > 0 {
            kernels::placed_rows_hold_both_sources_in_order(width, Arrangement::Woven, &levels);
            kernels::placed_rows_hold_both_sources_in_order(width, Arrangement::Blocked, &levels);
        }
        for step in 0..4 {
            kernels::windows_slide_to_the_left(width, step, &levels);
        }
        kernels::rows_grow_by_the_rows_of_their_index(width, &levels);
    }
}

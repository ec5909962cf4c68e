//! Kind J: sine and cosine, remainders of vectors, and the floating-point environment.
//! An angle `x` is reached as position 1 times the frequency `x`, or as a power of two times a smaller one.

use std::hint::black_box;

use posenc::{Error, Frequencies, Level, Pairing, Positions, Precision, Rotary, Sinusoidal};
use posenc_oracle::tolerance::{EXACT_ULP, EXACT_ULP_FAR};
use posenc_oracle::ulp::ulp_error;

use crate::common::levels;
use crate::support::{
    PAIRINGS, PRECISIONS, Turn, bits, builder, frequencies, points, random, rope, true_point, turned,
};

// B085: shibatch/sleef #444
#[test]
fn no_lane_sees_its_neighbours() {
    let x = 0.1;
    for precision in PRECISIONS {
        for level in levels() {
            let lane_0 = |other: f64| {
                let mut lanes = [other; 16];
                lanes[0] = x;
                let (cos, sin) = points(precision, level, 1, &lanes);
                (cos[0].to_bits(), sin[0].to_bits())
            };
            assert_eq!(lane_0(1e6), lane_0(0.0), "{precision:?}, {level}");
            assert_eq!(lane_0(-1e6), lane_0(0.0), "{precision:?}, {level}");
        }
    }
    // What no position could reduce is refused, and so cannot disturb a lane.
    for other in [1e20, f64::NAN, f64::INFINITY] {
        assert!(matches!(Frequencies::from_values(vec![x, other]), Err(Error::Number { .. })), "{other}");
    }
}

/// Cosines and sines of angles next to each other, in 16 lanes at least.
///
/// The position is a power of two, so that no product is rounded and 1e8 becomes a frequency that is served.
fn angle_points(precision: Precision, level: Level, angles: &[f64]) -> Vec<(f64, f32, f32)> {
    let lanes: Vec<f64> = angles.iter().cycle().take(angles.len().max(16)).map(|x| x / 128.0).collect();
    let (cos, sin) = points(precision, level, 128, &lanes);
    lanes.into_iter().zip(cos.into_iter().zip(sin)).map(|(f, (cos, sin))| (f, cos, sin)).collect()
}

/// That each lane has the true point of its own angle.
fn assert_angles(precision: Precision, level: Level, angles: &[f64]) {
    for (i, (f, cos, sin)) in angle_points(precision, level, angles).into_iter().enumerate() {
        let want = true_point(precision, 128, f);
        let error = ulp_error(cos, want.cos).max(ulp_error(sin, want.sin));
        assert!(error <= EXACT_ULP, "{precision:?}, {level}, {angles:?}, lane {i}: {error} ULP");
    }
}

// B086: pocl/pocl #2327
#[test]
fn tiny_and_large_angles_mix_in_every_lane_order() {
    let smallest = f64::from(f32::MIN_POSITIVE);
    for precision in PRECISIONS {
        for level in levels() {
            for (f, cos, sin) in angle_points(precision, level, &[smallest, 1e8, 1.0, 1.0]) {
                if f < 1e-30 {
                    assert_eq!((cos, sin), (1.0, f32::MIN_POSITIVE), "{precision:?}, {level}");
                }
            }
            for tiny in [smallest, 1e-30, 1e-5] {
                for large in [8_388_608.0, 1e8] {
                    for mask in 0..16_u32 {
                        let lane = |i: u32| if mask >> i & 1 == 1 { large } else { tiny };
                        assert_angles(precision, level, &[lane(0), lane(1), lane(2), lane(3)]);
                    }
                }
            }
        }
    }
}

// B087: tenstorrent/tt-metal #51845, musm/SLEEF.jl #3, Lokathor/wide #26
#[test]
fn reduction_holds_next_to_multiples_of_a_quarter_turn_and_far_out() {
    // Angle, and the digits of the entry for the cosine or the sine. 104348 is an odd multiple of π and a little more, so
    // its sine is negative; the entry gives the size.
    let (cosines, sines) = (
        [(16_786_764.0, -0.981_232_6, 1e-7), (52_174.0, 5.5e-6, 5e-8)],
        [(96_079.328_125, -2.633_53e-7, 5e-13), (16_793_388.0, -0.970_823_9, 1e-7), (104_348.0, -1.1e-5, 5e-7)],
    );
    for precision in PRECISIONS {
        for level in levels() {
            for (angle, want, digits) in cosines {
                let (_, cos, _) = angle_points(precision, level, &[angle])[0];
                assert!((f64::from(cos) - want).abs() <= digits, "{precision:?}, {level}: cos {angle} is not {cos}");
                assert_angles(precision, level, &[angle]);
            }
            for (angle, want, digits) in sines {
                let (_, _, sin) = angle_points(precision, level, &[angle])[0];
                assert!((f64::from(sin) - want).abs() <= digits, "{precision:?}, {level}: sin {angle} is not {sin}");
                assert_angles(precision, level, &[angle]);
            }
        }
    }
}

// B087: tenstorrent/tt-metal #51845, musm/SLEEF.jl #3, Lokathor/wide #26
#[test]
fn up_to_the_stated_limit_results_are_right_and_beyond_it_refused() {
    // The largest frequency that the oracle takes too.
    let fastest = f64::from_bits(1_048_576_f64.to_bits() - 1);
    let frequencies: Vec<f64> = random(87, 61).into_iter().map(|x| f64::from(x) * fastest).chain([fastest]).collect();
    for precision in PRECISIONS {
        for level in levels() {
            for position in [1 << 31, (1 << 31) - 1, -(1 << 31), 1_999_999_973] {
                let (cos, sin) = points(precision, level, position, &frequencies);
                for (j, &f) in frequencies.iter().enumerate() {
                    let want = true_point(precision, position, f);
                    let error = ulp_error(cos[j], want.cos).max(ulp_error(sin[j], want.sin));
                    assert!(error <= EXACT_ULP_FAR, "{precision:?}, {level}, {position} · {f}: {error} ULP");
                    assert!(cos[j].abs() <= 1.0 && sin[j].abs() <= 1.0, "{precision:?}, {level}, {position} · {f}");
                }
            }
        }
        let one = Frequencies::from_values(vec![1.0]).unwrap();
        let builder = builder(&one, precision, Level::detect());
        for beyond in [(1_i64 << 31) + 1, -(1 << 31) - 1] {
            let refused = builder.fill(&Positions::from(beyond), &mut [0.0], &mut [0.0]);
            assert!(matches!(refused, Err(Error::Position { .. })), "{precision:?}, {beyond}");
        }
    }
    assert!(Frequencies::from_values(vec![1_048_576.1]).is_err());
}

// B088: shibatch/sleef #276
#[test]
fn a_quarter_turn_is_finite_and_rounded_alike_in_every_profile() {
    let quarter = 1.570_796_4_f32;
    let neighbours = (-3..=3).map(|ulp| f32::from_bits(quarter.to_bits().wrapping_add_signed(ulp)));
    let multiples = (1..=64_u8).map(|k| f32::from(k) * quarter);
    let angles: Vec<f64> = neighbours.chain(multiples).flat_map(|x| [f64::from(x), f64::from(-x)]).collect();
    for level in levels() {
        for precision in PRECISIONS {
            assert_angles(precision, level, &angles);
        }
        for (f, cos, sin) in angle_points(Precision::Exact, level, &angles) {
            let want = true_point(Precision::Exact, 128, f);
            // None of these lies near a tie, so the rounded truth is the one right result: in debug and in release.
            let want = [want.cos as f32, want.sin as f32];
            assert_eq!(bits(&[cos, sin]), bits(&want), "{level}: 128 · {f}");
        }
    }
}

// B091: JuliaMath/BFloat16s.jl #125, llvm/llvm-project #138424, JuliaLang/julia #63012
#[test]
fn subnormal_features_turn_alike_on_every_level_and_are_not_flushed() {
    let head: Vec<f32> = (0..66).map(|i| f32::from_bits(0x0001_2345 * (i + 1))).collect();
    let frequencies = frequencies(66, 1e4);
    for pairing in PAIRINGS {
        let want = turned(&rope(66, 1e4, pairing, Level::named("scalar").unwrap()), &head, 1);
        let turn = Turn { head: &head, position: 1, frequencies: frequencies.as_slice(), pairing, start: 0 };
        turn.assert(&want, "scalar");
        assert!(want.iter().filter(|x| x.is_subnormal()).count() > 60, "{want:?}");
        for level in levels() {
            assert_eq!(bits(&turned(&rope(66, 1e4, pairing, level), &head, 1)), bits(&want), "{pairing:?}, {level}");
        }
    }
}

// B093: vllm-project/vllm #52934, llvm/llvm-project #57589
#[test]
fn calls_leave_the_floating_point_environment_alone() {
    for level in levels() {
        turned(&rope(64, 1e4, Pairing::Halves, level), &random(93, 64), 1_000_003);
        Sinusoidal::new(33, 1e4).unwrap().with_level(level).table(&Positions::from(5), 9).unwrap();
        // With subnormals flushed these would be 0; in another rounding mode, one of the sums would be the other
        // neighbour.
        let subnormal = black_box(f32::from_bits(3));
        assert_eq!((subnormal * black_box(1.0)).to_bits(), 3, "{level}");
        assert_eq!((black_box(f32::MIN_POSITIVE) * black_box(0.5)).to_bits(), 0x0040_0000, "{level}");
        let half = black_box(f32::EPSILON / 2.0);
        assert_eq!(black_box(1.0) + half, 1.0, "{level}");
        assert_eq!(black_box(1.0 + f32::EPSILON) + half, 1.0 + 2.0 * f32::EPSILON, "{level}");
        assert_eq!(black_box(-1.0 - f32::EPSILON) - half, -1.0 - 2.0 * f32::EPSILON, "{level}");
    }
}

// B094: pytorch/executorch #22882, pytorch/pytorch #48641 and #143295, numpy/numpy #23523
#[test]
fn a_value_has_one_bit_pattern_at_every_index_of_every_length() {
    let scalar = Level::named("scalar").unwrap();
    for precision in PRECISIONS {
        let (cos, sin) = points(precision, scalar, 12_345, &[0.3]);
        for level in levels() {
            for len in 1..=35 {
                let (same_cos, same_sin) = points(precision, level, 12_345, &vec![0.3; len]);
                assert_eq!(bits(&same_cos), bits(&cos.repeat(len)), "{precision:?}, {level}, length {len}");
                assert_eq!(bits(&same_sin), bits(&sin.repeat(len)), "{precision:?}, {level}, length {len}");
                let equal = Frequencies::from_values(vec![0.3; len]).unwrap();
                let run = |pairing, head: &[f32], level| {
                    turned(&Rotary::with_precision(&equal, pairing, precision).with_level(level), head, 77)
                };
                let adjacent = run(Pairing::Interleaved, &[0.7, -0.4].repeat(len), level);
                assert_eq!(bits(&adjacent), bits(&adjacent[..2]).repeat(len), "{precision:?}, {level}, length {len}");
                let halves = run(Pairing::Halves, &[vec![0.7; len], vec![-0.4; len]].concat(), level);
                let [first, second] = [adjacent[0].to_bits(), adjacent[1].to_bits()];
                assert_eq!(bits(&halves), [vec![first; len], vec![second; len]].concat(), "{level}, length {len}");
            }
        }
    }
}

// B094: pytorch/executorch #22882, pytorch/pytorch #48641 and #143295, numpy/numpy #23523
#[test]
fn a_table_has_the_same_bits_on_every_level() {
    let frequencies = frequencies(128, 1e4);
    for precision in PRECISIONS {
        let want = builder(&frequencies, precision, Level::named("scalar").unwrap()).build(4096).unwrap();
        for level in levels() {
            let got = builder(&frequencies, precision, level).build(4096).unwrap();
            assert!(bits(got.cos()) == bits(want.cos()), "{precision:?}, {level}: cosines");
            assert!(bits(got.sin()) == bits(want.sin()), "{precision:?}, {level}: sines");
        }
    }
}

//! What published engines got wrong, each with the numbers that tell right from wrong.
//! They stand apart because their values are literals: what a model has, and what the mistake would give.

use posenc::{
    DynamicNtk, FactorList, Frequencies, HeadsMut, Llama3, MagnitudeRule, Pairing, Positions, Proportional, Rotary,
    Scaling, Truncation, Yarn,
};

fn scaled(width: usize, base: f64, scaling: impl Into<Scaling>) -> Frequencies {
    Frequencies::new(width, base).unwrap().scaled(&scaling.into()).unwrap()
}

fn assert_close(got: f64, want: f64, allowed: f64) {
    assert!((got - want).abs() <= allowed, "{got}, not {want}");
}

#[test]
fn gpt_oss_does_not_round_its_bounds() {
    let yarn = Yarn::new(32.0, 4096);
    let exact = scaled(64, 150_000.0, yarn.with_truncation(Truncation::Exact));
    let whole = scaled(64, 150_000.0, yarn);
    let plain = Frequencies::new(64, 150_000.0).unwrap();
    // The bounds 8.0928 and 17.398 can be read off the ramp.
    let ramp = |f: &Frequencies, j: usize| (1.0 - f.as_slice()[j] / plain.as_slice()[j]) / (1.0 - 1.0 / 32.0);
    assert_eq!((ramp(&exact, 8), ramp(&whole, 8)), (0.0, 0.0));
    assert_close(ramp(&exact, 9), (9.0 - 8.0928) / (17.398 - 8.0928), 1e-4);
    assert_close(ramp(&whole, 9), 0.1, 1e-12);
    assert_close(ramp(&exact, 17), (17.0 - 8.0928) / (17.398 - 8.0928), 1e-4);
    assert_close(whole.as_slice()[17] / exact.as_slice()[17], 1.76, 0.01);
    let phase = |j: usize| 4096.0 * (whole.as_slice()[j] - exact.as_slice()[j]).abs();
    assert_close((0..32).map(phase).fold(0.0, f64::max), 0.90, 0.01);
}

#[test]
fn a_given_attention_factor_takes_the_place_of_the_formula() {
    // Olmo-3 states the default; Laguna states 1, and 1.42 would be the default.
    assert_close(scaled(128, 5e5, Scaling::yarn(8.0, 8192)).magnitude(), 1.2079, 5e-5);
    let laguna = Yarn::new(64.0, 4096);
    assert_close(scaled(128, 5e5, laguna).magnitude(), 1.42, 0.005);
    assert_eq!(scaled(128, 5e5, laguna.with_attention_factor(1.0)).magnitude(), 1.0);
    assert_eq!(scaled(128, 5e5, laguna.with_attention_factor(1.25).with_mscale(1.0, 0.5)).magnitude(), 1.25);
}

#[test]
fn the_mscale_pair_is_a_ratio_and_scores_are_another_matter() {
    for (factor, want) in [(4.0, 1.138_629_44), (16.0, 1.277_258_87), (32.0, 1.346_573_59), (40.0, 1.368_887_95)] {
        assert_close(scaled(64, 1e4, Scaling::yarn(factor, 4096)).magnitude(), want, 5e-9);
    }
    // DeepSeek-V3, and DeepSeek-V2.
    for (mscale, want) in [(1.0, 1.873_854_2), (0.707, 1.589_626_2)] {
        let yarn = Yarn::new(40.0, 4096).with_mscale(mscale, mscale);
        assert_eq!((yarn.magnitude_rule(), scaled(64, 1e4, yarn).magnitude()), (MagnitudeRule::Ratio, 1.0));
        assert_close(yarn.softmax_factor(), want, 5e-7);
    }
    // Of one key alone, only the scores take notice.
    let yarn = Yarn::new(40.0, 4096).with_mscale(0.0, 1.0);
    assert_eq!(yarn.magnitude_rule(), MagnitudeRule::Plain);
    assert_close(scaled(64, 1e4, yarn).magnitude(), 1.368_887_95, 5e-9);
    assert_close(yarn.softmax_factor(), 1.873_854_2, 5e-7);
    assert_eq!(Yarn::new(40.0, 4096).softmax_factor(), 1.0);
}

#[test]
fn telechat_has_a_coefficient_of_its_own() {
    let yarn = Yarn::new(8.0, 32_768).with_log_coefficient(0.07);
    assert_close(scaled(128, 1e6, yarn).magnitude(), 1.0 + 0.07 * 8.0_f64.ln(), 1e-15);
}

#[test]
fn the_upper_bound_is_clamped_to_the_width_and_not_to_the_pairs() {
    // Bounds of 5.2 and 11.3 become 5 and 12 although the last pair is 7: its ramp is 2/7 and not 1.
    let plain = Frequencies::new(16, 100.0).unwrap();
    let wide = plain.scaled(&Scaling::yarn(4.0, 4096)).unwrap();
    assert_close(wide.as_slice()[7] / plain.as_slice()[7], 1.0 - 0.75 * 2.0 / 7.0, 1e-12);
    // Bounds of 14.8 and 20.8 become 14 and 15: every pair is kept.
    assert_eq!(plain.scaled(&Scaling::yarn(4.0, 1_000_000)).unwrap().as_slice(), plain.as_slice());
}

#[test]
fn llama4_has_equal_bounds() {
    let plain = Frequencies::new(128, 5e5).unwrap();
    let scaled = plain.scaled(&Llama3::new(16.0).with_high_freq_factor(1.0).into()).unwrap();
    // One turn within 8192 tokens lies between pairs 34 and 35.
    for (j, (scaled, plain)) in scaled.as_slice().iter().zip(plain.as_slice()).enumerate() {
        assert_eq!(*scaled, if j < 35 { *plain } else { plain / 16.0 }, "pair {j}");
    }
    // Just at the bound, where the blend would divide zero by zero, a pair is kept.
    let turn = Frequencies::from_values(vec![std::f64::consts::TAU / 8192.0]).unwrap();
    for low in [1.0, 1.0 - f64::EPSILON] {
        let llama3 = Llama3::new(16.0).with_low_freq_factor(low).with_high_freq_factor(low);
        assert!(turn.scaled(&llama3.into()).unwrap().as_slice()[0].is_finite());
    }
}

#[test]
fn llama31_keeps_29_pairs_blends_6_and_divides_29() {
    let plain = Frequencies::new(128, 5e5).unwrap();
    let scaled = plain.scaled(&Scaling::llama3(8.0)).unwrap();
    let count = |holds: fn(f64, f64) -> bool| {
        plain.as_slice().iter().zip(scaled.as_slice()).filter(|&(&plain, &scaled)| holds(plain, scaled)).count()
    };
    assert_eq!(count(|plain, scaled| scaled == plain), 29);
    assert_eq!(count(|plain, scaled| scaled == plain / 8.0), 29);
    assert_eq!(count(|plain, scaled| scaled < plain && scaled > plain / 8.0), 6);
}

#[test]
fn proportional_is_not_partial() {
    // A head of 8 of which a half turns: other exponents, and other partners.
    let proportional = scaled(8, 1e4, Proportional::new(0.5));
    let partial = Frequencies::new(4, 1e4).unwrap();
    assert_eq!((proportional.width(), partial.width()), (8, 4));
    assert_eq!(proportional.as_slice()[1], 0.1);
    assert_eq!(partial.as_slice()[1], 0.01);
    let moved = |frequencies: &Frequencies| {
        let mut head = [1.0_f32; 8];
        let mut view = HeadsMut::new(&mut head, [1, 1, 8]).unwrap();
        Rotary::new(frequencies, Pairing::Halves).rotate(&mut view, &Positions::from(1)).unwrap();
        (0..8).filter(|&i| head[i] != 1.0).collect::<Vec<_>>()
    };
    assert_eq!(moved(&proportional), [0, 1, 4, 5]);
    assert_eq!(moved(&partial), [0, 1, 2, 3]);
    // An odd number of features is cut to whole pairs.
    assert_eq!(scaled(10, 1e4, Proportional::new(0.5)).as_slice().iter().filter(|&&f| f > 0.0).count(), 2);
}

#[test]
fn hunyuan_alpha_is_the_factor_of_the_base() {
    // The base that converters write for alpha = 1000.
    let scaled = scaled(128, 1e4, Scaling::ntk(1000.0));
    let stated = Frequencies::new(128, 11_158_840.0).unwrap();
    for (scaled, stated) in scaled.as_slice().iter().zip(stated.as_slice()) {
        assert_close(scaled / stated, 1.0, 1e-7);
    }
}

#[test]
fn static_engines_use_dynamic_ntk_at_its_full_length() {
    // vLLM: a ratio of s² − s + 1 for all lengths, and so other numbers even for short sequences.
    let factor = 4.0;
    let full = scaled(128, 1e4, DynamicNtk::new(factor, 2048, 4 * 2048));
    assert_eq!(full, scaled(128, 1e4, Scaling::ntk(factor * factor - factor + 1.0)));
    let short = scaled(128, 1e4, DynamicNtk::new(factor, 2048, 2048));
    assert_eq!(short, Frequencies::new(128, 1e4).unwrap());
    assert_ne!(full, short);
}

#[test]
fn the_long_list_begins_after_the_trained_length() {
    let list = |length| FactorList::for_length(length, 4096);
    assert_eq!([0, 4095, 4096].map(list), [FactorList::Short; 3]);
    assert_eq!([4097, usize::MAX].map(list), [FactorList::Long; 2]);
}

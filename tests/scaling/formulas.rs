//! Drawn parameters: the crate's frequencies against the oracle's, for every method.
//! They stand apart because each property names its method and nothing else.

use posenc::{
    DynamicNtk, FactorList, Frequencies, Llama3, LongRope, NtkMixed, Proportional, Scaling, Truncation, Yarn,
};
use posenc_oracle::scaling::{self, longrope_magnitude, plain, yarn_g};
use posenc_oracle::tolerance::SCALED_RELATIVE;
use proptest::prelude::*;

/// Frequencies against the formula. Where a small number is the difference of larger ones, they count.
fn assert_frequencies(got: &Frequencies, width: usize, base: f64, want: &[f64]) {
    assert_eq!(got.pairs(), want.len());
    for (j, ((&got, &want), plain)) in got.as_slice().iter().zip(want).zip(plain(width, base)).enumerate() {
        let allowed = SCALED_RELATIVE * want.max(if want == 0.0 { 0.0 } else { plain });
        assert!((got - want).abs() <= allowed, "width {width}, base {base}, pair {j}: {got:e}, not {want:e}");
    }
}

fn assert_magnitude(got: &Frequencies, want: f64) {
    assert!((got.magnitude() / want - 1.0).abs() <= SCALED_RELATIVE, "{}, not {want}", got.magnitude());
}

fn scaled(width: usize, base: f64, scaling: impl Into<Scaling>) -> Frequencies {
    Frequencies::new(width, base).unwrap().scaled(&scaling.into()).unwrap()
}

/// An even width, and a base.
fn series() -> impl Strategy<Value = (usize, f64)> {
    ((2..=160_usize).prop_map(|pairs| 2 * pairs), prop_oneof![Just(1e4), Just(5e5), 20.0..1e8])
}

fn factor() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), Just(8.0), 0.25..200.0]
}

fn tokens() -> impl Strategy<Value = usize> {
    prop_oneof![Just(4096_usize), 16..2_000_000_usize]
}

proptest! {
    #![proptest_config(crate::tried(400))]

    #[test]
    fn linear((width, base) in series(), factor in factor()) {
        let want = scaling::linear(&plain(width, base), factor);
        assert_frequencies(&scaled(width, base, Scaling::linear(factor)), width, base, &want);
    }

    #[test]
    fn ntk((width, base) in series(), factor in factor()) {
        let want = scaling::ntk(width, base, factor);
        assert_frequencies(&scaled(width, base, Scaling::ntk(factor)), width, base, &want);
    }

    #[test]
    fn dynamic_ntk((width, base) in series(), factor in 1.0..40.0, trained in tokens(), length in tokens()) {
        let got = scaled(width, base, DynamicNtk::new(factor, trained, length));
        assert_frequencies(&got, width, base, &scaling::dynamic_ntk(width, base, factor, trained, length));
    }

    #[test]
    fn ntk_mixed((width, base) in series(), factor in factor(), exponent in 0.1..2.0) {
        let fixed = scaled(width, base, NtkMixed::new(factor));
        assert_frequencies(&fixed, width, base, &scaling::ntk_fixed(width, base, factor));
        let mixed = scaled(width, base, NtkMixed::new(factor).with_exponent(exponent));
        assert_frequencies(&mixed, width, base, &scaling::ntk_mixed(&plain(width, base), factor, exponent));
    }

    #[test]
    fn yarn(
        (width, base) in series(),
        factor in factor(),
        original in tokens(),
        slow in 0.5..4.0,
        ratio in 1.0..100.0,
        truncate: bool,
    ) {
        let formula = scaling::Yarn { factor, original: original as f64, beta_fast: slow * ratio, beta_slow: slow, truncate };
        let truncation = if truncate { Truncation::Whole } else { Truncation::Exact };
        let yarn = Yarn::new(factor, original).with_betas(slow * ratio, slow).with_truncation(truncation);
        let [low, high] = formula.bounds(width, base);
        // In a steeper ramp, a last bit of its bounds is seen in the frequencies.
        prop_assume!((high - low).abs() >= 0.1 * high.max(1.0));
        let got = scaled(width, base, yarn);
        assert_frequencies(&got, width, base, &formula.frequencies(width, base));
        assert_magnitude(&got, yarn_g(factor, 1.0, 0.1));
    }

    #[test]
    fn yarn_magnitudes(factor in factor(), mscale in 0.1..2.0, all in 0.1..2.0, coefficient in 0.01..0.2) {
        let yarn = Yarn::new(factor, 4096).with_mscale(mscale, all).with_log_coefficient(coefficient);
        let [g, g_all] = [mscale, all].map(|mscale| yarn_g(factor, mscale, coefficient));
        assert_magnitude(&scaled(64, 1e4, yarn), g / g_all);
        prop_assert!((yarn.softmax_factor() / (g_all * g_all) - 1.0).abs() <= SCALED_RELATIVE);
        // One of the two alone is as none.
        assert_magnitude(&scaled(64, 1e4, yarn.with_mscale(mscale, 0.0)), yarn_g(factor, 1.0, coefficient));
        assert_magnitude(&scaled(64, 1e4, yarn.with_mscale(0.0, all)), yarn_g(factor, 1.0, coefficient));
        assert_magnitude(&scaled(64, 1e4, yarn.with_attention_factor(all)), all);
    }

    #[test]
    fn llama3((width, base) in series(), factor in factor(), low in 0.1..8.0, ratio in prop_oneof![Just(1.0), 1.25..8.0], original in tokens()) {
        let high = low * ratio;
        let parameters = Llama3::new(factor).with_low_freq_factor(low).with_high_freq_factor(high);
        let got = scaled(width, base, parameters.with_original_length(original));
        let want = scaling::llama3(&plain(width, base), factor, low, high, original as f64);
        assert_frequencies(&got, width, base, &want);
    }

    #[test]
    fn proportional((width, base) in series(), part in 0.0..=1.0, factor in factor()) {
        let got = scaled(width, base, Proportional::new(part).with_factor(factor));
        assert_frequencies(&got, width, base, &scaling::proportional(width, base, part, factor));
    }

    #[test]
    fn lists((width, base) in series(), factor in factor(), original in tokens(), seed in prop::collection::vec(0.5..60.0, 320)) {
        let (short, long) = (seed[..width / 2].to_vec(), seed[width / 2..width].to_vec());
        let series = plain(width, base);
        let longrope = LongRope::new(short.clone(), long.clone(), factor, original, FactorList::Short);
        let got = scaled(width, base, longrope.clone());
        assert_frequencies(&got, width, base, &scaling::divided(&series, &short));
        assert_magnitude(&got, longrope_magnitude(factor, original as f64));
        let got = scaled(width, base, longrope.with_list(FactorList::Long));
        assert_frequencies(&got, width, base, &scaling::divided(&series, &long));
        assert_magnitude(&got, longrope_magnitude(factor, original as f64));
        assert_frequencies(&scaled(width, base, Scaling::Divisors(short.clone())), width, base, &scaling::divided(&series, &short));
        let alpha: Vec<f64> = short.iter().map(|x| (x - 30.0) / 10.0).collect();
        let got = scaled(width, base, Scaling::Learned(alpha.clone()));
        assert_frequencies(&got, width, base, &scaling::learned(&series, &alpha));
    }
}

#[test]
fn learned_factors_stand_on_top_of_yarn() {
    // Mistral-Large-4 begins with zeros, which change nothing.
    let yarn = Yarn::new(2048.0, 512).with_attention_factor(1.0);
    let below = scaled(64, 1e4, yarn);
    assert_eq!(below.scaled(&Scaling::Learned(vec![0.0; 32])).unwrap(), below);
    let above = below.scaled(&Scaling::Learned(vec![2.0_f64.ln(); 32])).unwrap();
    for (above, below) in above.as_slice().iter().zip(below.as_slice()) {
        assert!((above / (2.0 * below) - 1.0).abs() <= SCALED_RELATIVE);
    }
}

#[test]
fn edge_widths() {
    for width in [0, 2] {
        let plain = Frequencies::new(width, 1e4).unwrap();
        for scaling in [
            Scaling::Default,
            Scaling::linear(1.0),
            Scaling::yarn(1.0, 4096),
            Scaling::llama3(1.0),
            NtkMixed::new(1.0).into(),
            Proportional::new(1.0).into(),
            Scaling::Learned(vec![0.0; width / 2]),
            Scaling::Divisors(vec![1.0; width / 2]),
        ] {
            assert_eq!(plain.scaled(&scaling).unwrap().as_slice(), plain.as_slice(), "{scaling:?}");
        }
    }
}

#[test]
fn frequencies_of_several_axes_keep_them() {
    let mixed = Frequencies::mixed(vec![1.0, 0.5, -0.25, 1e-4], 2).unwrap();
    let scaled = |scaling: Scaling| mixed.scaled(&scaling).unwrap();
    let divided = scaled(Scaling::Divisors(vec![2.0, 4.0]));
    assert_eq!((divided.pairs(), divided.axes()), (2, 2));
    assert_eq!(divided.as_slice(), [0.5, 0.125, -0.125, 2.5e-5]);
    assert_eq!(scaled(Scaling::Learned(vec![0.0, 0.0])), mixed);
    // Turning back is turning.
    assert_eq!(scaled(Scaling::llama3(8.0)).as_slice(), [1.0, 0.5, -0.25, 1e-4 / 8.0]);
    let axes = posenc::Axes::sectioned(&[1, 1]).unwrap();
    let selected = Frequencies::new(4, 1e4).unwrap().on_axes(axes).unwrap();
    assert_eq!(selected.scaled(&Scaling::ntk(2.0)).unwrap().axes(), 2);
}

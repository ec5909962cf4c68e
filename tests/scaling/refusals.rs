//! Parameters that no scaling takes: each is refused with what was expected and what was found.
//! They stand apart because nothing may panic or become infinite here, whatever the numbers.

use posenc::{
    DynamicNtk, Error, FactorList, Frequencies, Llama3, LongRope, NtkMixed, Proportional, QueryTemperature, Scaling,
    Xpos, Yarn,
};
use proptest::prelude::*;

const BAD: [f64; 7] = [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e41];
const FACTOR: &str = "a positive number from 1e-40 to 1e40";

fn plain() -> Frequencies {
    Frequencies::new(8, 1e4).unwrap()
}

/// The error must be this one; compared as text, since NaN is no number's equal.
#[track_caller]
fn refused(scaling: impl Into<Scaling>, want: Error) {
    assert_eq!(format!("{:?}", plain().scaled(&scaling.into()).err()), format!("{:?}", Some(want)));
}

fn number(what: &'static str, expected: &'static str, found: f64) -> Error {
    Error::Number { what, expected, found }
}

#[test]
fn factors_that_are_none() {
    for bad in BAD {
        refused(Scaling::linear(bad), number("linear factor", FACTOR, bad));
        refused(Scaling::ntk(bad), number("NTK factor", FACTOR, bad));
        refused(DynamicNtk::new(bad, 10, 5), number("dynamic NTK factor", FACTOR, bad));
        refused(NtkMixed::new(bad), number("NTK-mixed factor", FACTOR, bad));
        refused(Scaling::yarn(bad, 4096), number("YaRN factor", FACTOR, bad));
        refused(Yarn::new(4.0, 4096).with_betas(bad, 1.0), number("beta_fast", FACTOR, bad));
        refused(Yarn::new(4.0, 4096).with_betas(32.0, bad), number("beta_slow", FACTOR, bad));
        refused(Scaling::llama3(bad), number("llama3 factor", FACTOR, bad));
        refused(Llama3::new(8.0).with_low_freq_factor(bad), number("low frequency factor", FACTOR, bad));
        refused(Llama3::new(8.0).with_high_freq_factor(bad), number("high frequency factor", FACTOR, bad));
        refused(Proportional::new(1.0).with_factor(bad), number("proportional factor", FACTOR, bad));
        refused(Scaling::Divisors(vec![1.0, bad, 1.0, 1.0]), number("divisors", FACTOR, bad));
        let list = |short: f64, long: f64| LongRope::new(vec![short; 4], vec![long; 4], 2.0, 4096, FactorList::Short);
        refused(list(bad, 1.0), number("short factors", FACTOR, bad));
        refused(list(1.0, bad), number("long factors", FACTOR, bad));
        if !(bad > 0.0 && bad <= 1e200) {
            let magnitude = number("magnitude", "a positive number up to 1e200", bad);
            refused(Yarn::new(4.0, 4096).with_attention_factor(bad), magnitude.clone());
            refused(list(1.0, 1.0).with_attention_factor(bad), magnitude);
        }
    }
    refused(
        NtkMixed::new(2.0).with_exponent(f64::NAN),
        number("NTK-mixed exponent", "a number from 0 to 100", f64::NAN),
    );
    refused(Proportional::new(1.5), number("proportional part", "a number from 0 to 1", 1.5));
    refused(Scaling::Learned(vec![0.0, 0.0, 61.0, 0.0]), number("learned exponent", "a number from -60 to 60", 61.0));
}

#[test]
fn contradictions() {
    refused(Yarn::new(4.0, 4096).with_betas(1.0, 32.0), number("beta_fast", "at least beta_slow", 1.0));
    let llama3 = Llama3::new(8.0).with_low_freq_factor(4.0).with_high_freq_factor(1.0);
    refused(llama3, number("high frequency factor", "at least the low frequency factor", 1.0));
    let slow = Frequencies::new(8, 1.0).unwrap();
    let want = number("base", "a number above 1, for YaRN", 1.0);
    assert_eq!(slow.scaled(&Scaling::yarn(4.0, 4096)), Err(want));
    // A logarithm that is negative for a negative mscale gives no magnitude.
    assert!(plain().scaled(&Yarn::new(1e6, 4096).with_mscale(-9.0, 1.0).into()).is_err());
}

#[test]
fn lengths_that_are_none() {
    for (tokens, what) in [(0, "original length"), (1, "original length"), (usize::MAX, "original length")] {
        let want = |what| Error::Count { what, expected: "2 to 2^48 tokens", found: tokens };
        refused(Scaling::yarn(4.0, tokens), want(what));
        refused(Llama3::new(8.0).with_original_length(tokens), want(what));
        refused(LongRope::new(vec![1.0; 4], vec![1.0; 4], 2.0, tokens, FactorList::Long), want(what));
        refused(DynamicNtk::new(2.0, tokens, 10), want("trained length"));
    }
    refused(
        DynamicNtk::new(2.0, 10, usize::MAX),
        Error::Count { what: "length", expected: "2 to 2^48 tokens", found: usize::MAX },
    );
}

// B037: apache/tvm #18102
#[test]
fn lists_of_another_length() {
    for (len, what) in [(3, "short factors"), (5, "short factors"), (0, "short factors")] {
        refused(
            LongRope::new(vec![1.0; len], vec![1.0; 4], 2.0, 4096, FactorList::Long),
            Error::Length { what, expected: 4, found: len },
        );
    }
    refused(
        LongRope::new(vec![1.0; 4], vec![1.0; 8], 2.0, 4096, FactorList::Short),
        Error::Length { what: "long factors", expected: 4, found: 8 },
    );
    refused(Scaling::Divisors(vec![1.0; 5]), Error::Length { what: "divisors", expected: 4, found: 5 });
    refused(Scaling::Learned(vec![]), Error::Length { what: "learned exponents", expected: 4, found: 0 });
}

#[test]
fn widths_without_a_second_pair() {
    let found = |scaling: Scaling| Frequencies::new(2, 1e4).unwrap().scaled(&scaling).unwrap_err();
    let expected = "at least 4 features, for NTK-aware scaling";
    let want = Error::Count { what: "rotary width", expected, found: 2 };
    assert_eq!(found(Scaling::ntk(2.0)), want);
    assert_eq!(found(DynamicNtk::new(2.0, 10, 20).into()), want);
}

#[test]
fn scalings_of_a_base_want_one() {
    let given = Frequencies::from_values(vec![1.0, 0.5, 0.25, 0.125]).unwrap();
    let scaled = plain().scaled(&Scaling::linear(2.0)).unwrap();
    for frequencies in [given, scaled] {
        for (scaling, what) in [
            (Scaling::ntk(2.0), "NTK-aware scaling"),
            (DynamicNtk::new(2.0, 10, 20).into(), "NTK-aware scaling"),
            (DynamicNtk::new(2.0, 10, 5).into(), "dynamic NTK scaling"),
            (NtkMixed::new(2.0).into(), "NTK-mixed scaling"),
            (Scaling::yarn(2.0, 4096), "YaRN"),
            (Proportional::new(0.5).into(), "proportional scaling"),
        ] {
            let error = frequencies.scaled(&scaling).unwrap_err();
            assert!(matches!(error, Error::Series { scaling, .. } if scaling == what), "{error:?}");
            assert!(error.to_string().contains("Frequencies::new"), "{error}");
        }
        // These know each frequency by itself.
        let list = vec![1.0; 4];
        for scaling in [
            Scaling::Default,
            Scaling::linear(2.0),
            Scaling::llama3(8.0),
            Scaling::Learned(list.clone()),
            Scaling::Divisors(list.clone()),
            LongRope::new(list.clone(), list.clone(), 2.0, 4096, FactorList::Short).into(),
        ] {
            assert!(frequencies.scaled(&scaling).is_ok(), "{scaling:?}");
        }
    }
}

#[test]
fn temperatures_and_xpos() {
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(QueryTemperature::llama4(bad, 8192.0).is_err());
        assert!(QueryTemperature::ministral(0.1, bad).is_err());
        assert!(Xpos::new(&plain(), bad, 0).is_err());
    }
    assert!(QueryTemperature::ministral(0.1, 0.0).is_err());
    assert!(Xpos::new(&plain(), 512.0, i64::MIN).is_err());
    let temperature = QueryTemperature::llama4(0.1, 8192.0).unwrap();
    assert_eq!((temperature.factor(i64::MIN), temperature.factor(-1)), (1.0, 1.0));
    assert!(temperature.factor(i64::MAX).is_finite());
}

proptest! {
    #![proptest_config(crate::tried(500))]

    /// Whatever the numbers: an error, or frequencies that are all finite.
    #[test]
    fn numbers_at_the_ends(
        pairs in 0..5_usize,
        base in prop_oneof![any::<f64>(), 1e-3..1e9],
        a in prop_oneof![any::<f64>(), 1e-30..1e30],
        b in prop_oneof![any::<f64>(), 1e-30..1e30],
        tokens in prop_oneof![any::<usize>(), 0..10_usize],
        length in prop_oneof![any::<usize>(), 0..10_usize],
    ) {
        let Ok(plain) = Frequencies::new(2 * pairs, base) else { return Ok(()) };
        for scaling in [
            Scaling::linear(a),
            Scaling::ntk(a),
            DynamicNtk::new(a, tokens, length).into(),
            NtkMixed::new(a).with_exponent(b).into(),
            Yarn::new(a, tokens).with_betas(b, b).into(),
            Yarn::new(a, tokens).with_mscale(a, b).into(),
            Yarn::new(a, tokens).with_attention_factor(b).with_log_coefficient(a).into(),
            LongRope::new(vec![a; pairs], vec![b; pairs], a, tokens, FactorList::Long).into(),
            Llama3::new(a).with_low_freq_factor(b).with_high_freq_factor(b).with_original_length(tokens).into(),
            Proportional::new(b).with_factor(a).into(),
            Scaling::Learned(vec![b; pairs]),
            Scaling::Divisors(vec![a; pairs]),
        ] {
            if let Ok(scaled) = plain.scaled(&scaling) {
                prop_assert_eq!(scaled.pairs(), pairs);
                prop_assert!(scaled.as_slice().iter().all(|f| f.is_finite()), "{:?}", scaling);
                prop_assert!(scaled.magnitude() > 0.0 && scaled.magnitude().is_finite());
            }
        }
    }
}

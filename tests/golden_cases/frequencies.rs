//! Inverse frequencies and magnitudes of published configurations, for every way to stretch a context.
//! They stand apart from tables because they are numbers that a model is made of, and are compared to the last bit.

use posenc::{DynamicNtk, FactorList, Frequencies, Llama3, LongRope, Proportional, Scaling, Truncation, Yarn};
use posenc_oracle::tolerance::GOLDEN_FREQUENCY_RELATIVE;
use posenc_oracle::ulp::ulp_error_f64;

use crate::{Case, check_all, golden};

/// A number of the parameters, if it is there.
fn number(case: &Case, key: &str) -> Option<f64> {
    case.get(&format!("/rope_parameters/{key}")).map(|value| value.as_f64().unwrap())
}

/// A number of tokens among the parameters.
fn tokens(case: &Case, key: &str) -> usize {
    case.count(&format!("/rope_parameters/{key}"))
}

/// The scaling that the parameters of a case name.
pub(crate) fn scaling(case: &Case) -> Scaling {
    let factor = number(case, "factor");
    match case.text("/rope_parameters/rope_type") {
        "default" => Scaling::Default,
        "linear" => Scaling::linear(factor.unwrap()),
        "proportional" => Proportional::new(number(case, "partial_rotary_factor").unwrap()).into(),
        "dynamic" => {
            let trained = case.count("/max_position_embeddings");
            let length = case.field("/seq_len").as_u64().map_or(1, |length| length as usize);
            DynamicNtk::new(factor.unwrap(), trained, length).into()
        }
        "llama3" => {
            let llama3 =
                Llama3::new(factor.unwrap()).with_original_length(tokens(case, "original_max_position_embeddings"));
            let [low, high] = ["low_freq_factor", "high_freq_factor"].map(|key| number(case, key).unwrap());
            llama3.with_low_freq_factor(low).with_high_freq_factor(high).into()
        }
        "yarn" => yarn(case).into(),
        "longrope" => longrope(case).into(),
        other => panic!("rope_type {other}"),
    }
}

fn yarn(case: &Case) -> Yarn {
    let original = tokens(case, "original_max_position_embeddings");
    let [fast, slow] = [("beta_fast", 32.0), ("beta_slow", 1.0)].map(|(key, or)| number(case, key).unwrap_or(or));
    let [mscale, all] = ["mscale", "mscale_all_dim"].map(|key| number(case, key).unwrap_or(0.0));
    let truncation = match case.get("/rope_parameters/truncate").is_none_or(|truncate| truncate.as_bool().unwrap()) {
        true => Truncation::Whole,
        false => Truncation::Exact,
    };
    let yarn = Yarn::new(number(case, "factor").unwrap(), original)
        .with_betas(fast, slow)
        .with_mscale(mscale, all)
        .with_truncation(truncation);
    number(case, "attention_factor").map_or(yarn, |given| yarn.with_attention_factor(given))
}

fn longrope(case: &Case) -> LongRope {
    // Models of the Phi-3 family have this number outside the parameters.
    let outside = "/config_extra/original_max_position_embeddings";
    let original = match case.get(outside) {
        Some(_) => case.count(outside),
        None => tokens(case, "original_max_position_embeddings"),
    };
    let factor = number(case, "factor");
    let factor = factor.unwrap_or_else(|| case.number("/max_position_embeddings") / original as f64);
    let list = FactorList::for_length(case.field("/seq_len").as_u64().unwrap_or(0) as usize, original);
    let [short, long] = ["short", "long"].map(|name| case.numbers(&format!("/rope_parameters/{name}_factor")));
    let longrope = LongRope::new(short, long, factor, original, list);
    number(case, "attention_factor").map_or(longrope.clone(), |given| longrope.with_attention_factor(given))
}

/// The width that turns: a part of the head, unless the part is a matter of the scaling.
fn width(case: &Case) -> usize {
    let head = case.count("/head_dim");
    match number(case, "partial_rotary_factor") {
        Some(part) if case.text("/rope_parameters/rope_type") != "proportional" => (head as f64 * part) as usize,
        _ => head,
    }
}

/// The frequencies of a case.
pub(crate) fn scaled(case: &Case) -> Frequencies {
    let plain = Frequencies::new(width(case), number(case, "rope_theta").unwrap()).unwrap();
    plain.scaled(&scaling(case)).unwrap()
}

#[test]
fn frequencies_and_magnitudes_are_those_of_published_models() {
    check_all(&golden!("rope_freqs"), &[], |case| {
        let frequencies = scaled(case);
        assert_eq!(frequencies.width(), case.count("/expect/rotary_dim"), "{}", case.id());
        let exact = case.numbers("/expect/inv_freq_exact");
        let references = case.singles("/expect/inv_freq_f32");
        assert_eq!((exact.len(), references.len()), (frequencies.pairs(), frequencies.pairs()), "{}", case.id());
        for (j, (&got, want)) in frequencies.as_slice().iter().zip(exact).enumerate() {
            // The same rule in exact arithmetic, rounded to f64.
            assert_eq!(got, want, "{}, pair {j}", case.id());
            let error = (f64::from(references[j]) - got).abs();
            assert!(error <= GOLDEN_FREQUENCY_RELATIVE * got, "{}, pair {j}: {}", case.id(), references[j]);
        }
        let magnitude = case.number("/expect/attention_factor");
        assert!(ulp_error_f64(frequencies.magnitude(), magnitude, 0.0) <= 1.0, "{}", case.id());
    });
}

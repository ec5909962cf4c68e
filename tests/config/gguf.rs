//! Metadata of GGUF files: the keys of each scaling, the kinds of layers, and what is refused.
//! They stand apart because here the pairing comes with the architecture, and constants that the converter has changed.

use posenc::config::{GgufConfig, GgufTensor, GgufValue, Layer, ModelRotary, Note, SectionOrder};
use posenc::{Frequencies, Pairing, Scaling, Yarn};

use crate::rope;

fn config(architecture: &str, keys: &[(&str, GgufValue)]) -> GgufConfig {
    let usual: [(&str, GgufValue); 3] = [
        ("block_count", 6_u32.into()),
        ("attention.key_length", 128_u32.into()),
        ("context_length", 131_072_u32.into()),
    ];
    let keys = usual.iter().chain(keys).map(|(key, value)| (format!("{architecture}.{key}"), value.clone()));
    GgufConfig::new(keys.chain([("general.architecture".to_string(), architecture.into())]))
}

#[track_caller]
fn read(architecture: &str, keys: &[(&str, GgufValue)]) -> ModelRotary {
    config(architecture, keys).rotary().unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refused(architecture: &str, keys: &[(&str, GgufValue)]) -> String {
    config(architecture, keys).rotary().expect_err("a refusal").key().to_string()
}

fn frequencies(model: &ModelRotary) -> Frequencies {
    rope(model).frequencies(1).unwrap()
}

fn plain(width: usize, base: f64) -> Frequencies {
    Frequencies::new(width, base).unwrap()
}

#[test]
fn pairings_come_with_the_architecture() {
    let pairing = |architecture: &str| rope(&read(architecture, &[("rope.freq_base", 1e4.into())])).pairing();
    for norm in ["llama", "deepseek", "chatglm", "glm4", "command-r", "granite", "ernie4_5"] {
        assert_eq!(pairing(norm), Pairing::Interleaved, "{norm}");
    }
    for neox in ["qwen2", "phi3", "gemma", "gptneox", "gpt-oss", "glm4moe", "stablelm", "exaone"] {
        assert_eq!(pairing(neox), Pairing::Halves, "{neox}");
    }
    for none in ["gpt2", "bloom", "mpt", "t5"] {
        assert!(read(none, &[]).layer(5).unwrap().rope().is_none(), "{none}");
    }
    assert_eq!(refused("new", &[]), "general.architecture");
}

#[test]
fn linear_and_old_keys() {
    let scaled = plain(128, 1e4).scaled(&Scaling::linear(4.0)).unwrap();
    for keys in [
        vec![("rope.scaling.type", "linear".into()), ("rope.scaling.factor", 4.0_f32.into())],
        vec![("rope.scaling.factor", 4.0_f32.into())],
        vec![("rope.scale_linear", 4.0_f32.into())],
    ] {
        assert_eq!(frequencies(&read("llama", &keys)).as_slice(), scaled.as_slice());
    }
    let grown = plain(128, 1e4).scaled(&Scaling::ntk(1000.0)).unwrap();
    assert_eq!(frequencies(&read("hunyuan-dense", &[("rope.scaling.alpha", 1000.0_f32.into())])), grown);
    // Zero is no factor, and no type is none.
    for keys in [vec![("rope.scaling.factor", 0.0_f32.into())], vec![("rope.scaling.type", "none".into())]] {
        assert_eq!(frequencies(&read("llama", &keys)), plain(128, 1e4));
    }
    assert_eq!(refused("llama", &[("rope.scaling.type", "warp".into())]), "llama.rope.scaling.type");
    assert_eq!(refused("llama", &[("rope.scaling.factor", f64::NAN.into())]), "llama.rope.scaling.factor");
}

#[test]
fn yarn_and_its_magnitudes() {
    let keys = |more: &[(&'static str, GgufValue)]| {
        let mut keys = vec![
            ("rope.scaling.type", "yarn".into()),
            ("rope.scaling.factor", 4.0_f32.into()),
            ("rope.scaling.original_context_length", 32_768_u32.into()),
            ("rope.freq_base", 1e6.into()),
        ];
        keys.extend_from_slice(more);
        keys
    };
    let yarn = Yarn::new(4.0, 32_768);
    let model = read("qwen2", &keys(&[("rope.scaling.finetuned", true.into())]));
    assert_eq!(frequencies(&model), plain(128, 1e6).scaled(&yarn.into()).unwrap());
    assert_eq!(model.notes(), [Note::Unused { key: "qwen2.rope.scaling.finetuned".into() }]);
    // A factor on top of the logarithm.
    let model = read("qwen2", &keys(&[("rope.scaling.attn_factor", 0.5_f32.into())]));
    assert_eq!(frequencies(&model).magnitude(), 0.5 * yarn.magnitude());
    let model = read("mistral3", &keys(&[("rope.scaling.yarn_log_multiplier", 1.0_f32.into())]));
    assert_eq!(frequencies(&model).magnitude(), 1.0);
    assert_eq!(
        refused("qwen2", &keys(&[("rope.scaling.yarn_ext_factor", 0.5_f32.into())])),
        "qwen2.rope.scaling.yarn_ext_factor"
    );
    assert_eq!(refused("qwen2", &[("rope.scaling.type", "yarn".into())]), "qwen2.rope.scaling.factor");
}

#[test]
fn latent_attention_stores_a_tenth() {
    let keys = [
        ("attention.key_length_mla", 192_u32.into()),
        ("rope.dimension_count", 64_u32.into()),
        ("rope.scaling.type", "yarn".into()),
        ("rope.scaling.factor", 40.0_f32.into()),
        ("rope.scaling.original_context_length", 4096_u32.into()),
        ("rope.scaling.yarn_log_multiplier", 0.1_f64.into()),
    ];
    let model = read("deepseek2", &keys);
    assert_eq!((rope(&model).head_dim(), rope(&model).start()), (192, 128));
    assert_eq!(frequencies(&model).magnitude(), 1.0);
    assert!((model.layer(0).unwrap().softmax_factor() - 1.873_854_2).abs() < 5e-8);
}

#[test]
fn tensors_divide_frequencies() {
    let divisors: Vec<f32> = (0..64).map(|j| if j < 30 { 1.0 } else { 8.0 }).collect();
    let model = config("llama", &[]).with_tensor(GgufTensor::RopeFreqs, &divisors).rotary().unwrap();
    let list = divisors.iter().map(|&divisor| f64::from(divisor)).collect();
    assert_eq!(frequencies(&model), plain(128, 1e4).scaled(&Scaling::Divisors(list)).unwrap());
    let wrong = config("llama", &[]).with_tensor(GgufTensor::RopeFreqs, &[1.0; 63]).rotary().unwrap_err();
    assert_eq!(wrong.to_string(), "llama.rope: divisors: expected 64 elements, found 63");
    // Pairs that do not turn have a huge one.
    let model = config("llama", &[]).with_tensor(GgufTensor::RopeFreqs, &[1e30; 64]).rotary().unwrap();
    assert!(frequencies(&model).as_slice()[0] < 1e-29);

    let lists = |keys: &[(&str, GgufValue)]| {
        let config = config("phi3", keys).with_tensor(GgufTensor::RopeFactorsShort, &[1.5; 64]);
        config.with_tensor(GgufTensor::RopeFactorsLong, &[3.0; 64])
    };
    let original = ("rope.scaling.original_context_length", GgufValue::from(4096_u32));
    let magnitude = ("rope.scaling.attn_factor", GgufValue::from(1.19_f64));
    let model = lists(&[original.clone(), magnitude]).rotary().unwrap();
    let first = |length| rope(&model).frequencies(length).unwrap();
    assert_eq!((first(4096).as_slice()[0], first(4097).as_slice()[0]), (1.0 / 1.5, 1.0 / 3.0));
    assert_eq!((first(1).magnitude(), rope(&model).switch_length()), (1.19, Some(4096)));
    let both = lists(&[original, ("rope.scaling.factor", 2.0_f32.into())]).rotary().unwrap_err();
    assert_eq!(both.key(), "phi3.rope.scaling.factor");
    let one = config("phi3", &[]).with_tensor(GgufTensor::RopeFactorsShort, &[1.5; 64]).rotary().unwrap_err();
    assert_eq!(one.key(), "rope_factors_long.weight");
    assert_eq!(refused("phi3", &[("rope.scaling.type", "longrope".into())]), "rope_factors_short.weight");
}

#[test]
fn kinds_of_layers() {
    let letters = |model: &ModelRotary| -> String {
        let letter = |layer: &Layer| if layer.rope().is_some() { &layer.label()[..1] } else { "." }.to_string();
        (0..6).map(|i| letter(model.layer(i).unwrap())).collect()
    };
    let gemma = read("gemma3", &[("rope.freq_base", 1e6.into()), ("rope.scaling.factor", 8.0_f32.into())]);
    assert_eq!(letters(&gemma), "sssssf");
    let base = |label: &str| gemma.kind(label).unwrap().rope().unwrap().frequencies(1).unwrap().as_slice()[0];
    assert_eq!((base("full_attention"), base("sliding_attention")), (0.125, 1.0));
    assert_eq!(gemma.notes(), [Note::Default { key: "gemma3.rope.freq_base_swa".into(), value: "10000".into() }]);
    assert_eq!(letters(&read("cohere2", &[])), "sss.ss");
    assert_eq!(letters(&read("llama4", &[])), "rrr.rr");
    assert!(read("llama4", &[]).layer(3).unwrap().query_temperature().is_some());
    assert_eq!(letters(&read("llama4", &[("attention.sliding_window", 0_u32.into())])), "aaaaaa");
    let window = ("attention.sliding_window", GgufValue::from(4096_u32));
    assert_eq!(letters(&read("exaone4", std::slice::from_ref(&window))), "sss.ss");
    assert_eq!(letters(&read("exaone4", &[])), "aaaaaa");
    assert_eq!(letters(&read("olmo2", std::slice::from_ref(&window))), "sssfss");
    let swa = ("rope.freq_base_swa", GgufValue::from(1e4));
    let slides = vec![true, true, false, true, true, false];
    let model = read("mimo2", &[swa.clone(), ("attention.sliding_window_pattern", slides.into())]);
    assert_eq!(letters(&model), "ssfssf");
    assert_eq!(refused("mimo2", std::slice::from_ref(&swa)), "mimo2.attention.sliding_window_pattern");
    let short = vec![true, false];
    assert_eq!(
        refused("mimo2", &[swa, ("attention.sliding_window_pattern", short.into())]),
        "mimo2.attention.sliding_window_pattern"
    );
}

#[test]
fn several_axes() {
    let sections = |architecture: &str, list: Vec<i32>| read(architecture, &[("rope.dimension_sections", list.into())]);
    let model = sections("qwen2vl", vec![16, 24, 24, 0]);
    let found = rope(&model).sections().unwrap();
    assert_eq!((found.counts(), found.order()), (&[16, 24, 24][..], SectionOrder::Blocks));
    let model = sections("qwen3vl", vec![24, 20, 20, 0]);
    assert_eq!(rope(&model).sections().unwrap().order(), SectionOrder::Interleaved);
    // Modes of several axes pair halves even where the architecture pairs neighbours.
    assert_eq!(rope(&sections("glm4", vec![16, 24, 24])).pairing(), Pairing::Halves);
    assert_eq!(rope(&sections("glm4", vec![0; 4])).pairing(), Pairing::Interleaved);
    assert_eq!(refused("qwen2vl", &[]), "qwen2vl.rope.dimension_sections");
}

#[test]
fn what_is_missing_is_named() {
    let metadata = [("general.architecture", "llama".into()), ("llama.block_count", 1_u32.into())];
    assert_eq!(GgufConfig::new(metadata).rotary().unwrap_err().key(), "llama.attention.key_length");
    let metadata = [("general.architecture", "llama".into())];
    assert_eq!(GgufConfig::new(metadata).rotary().unwrap_err().key(), "llama.block_count");
    let none: [(&str, GgufValue); 0] = [];
    assert_eq!(GgufConfig::new(none).rotary().unwrap_err().key(), "general.architecture");
    assert_eq!(refused("llama", &[("rope.dimension_count", 63_u32.into())]), "llama.rope.dimension_count");
}

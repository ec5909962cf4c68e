//! Kind E of the faults seen in the field, and what else went wrong where configurations are read.
//! They stand apart because each test names its entry and the public thread.

use posenc::config::{ConfigError, Note, SectionOrder};
use serde_json::{Value, json};

use crate::{llama, read, refused, rope};

fn unused(key: &str) -> Note {
    Note::Unused { key: key.into() }
}

// B020: AI-Hypercomputer/maxtext #4616, vllm-project/vllm #43770, ml-explore/mlx-lm #1698
#[test]
fn a_part_is_a_width_and_its_absence_is_an_error_where_the_family_has_one() {
    let config = |part: Value| json!({ "model_type": "phi", "num_hidden_layers": 1, "head_dim": 128, "partial_rotary_factor": part });
    assert_eq!(rope(&read(&config(json!(0.5)))).width(), 64);
    assert_eq!(refused(&config(Value::Null)).key(), "partial_rotary_factor");
    // GLM-4 has a default of its own.
    let glm = json!({ "model_type": "glm4", "num_hidden_layers": 1, "head_dim": 128, "rope_theta": 10000.0 });
    let model = read(&glm);
    assert_eq!(rope(&model).width(), 64);
    assert_eq!(model.notes(), [Note::Default { key: "partial_rotary_factor".into(), value: "0.5".into() }]);
}

// B021: huggingface/transformers #35233, fla-org/flash-linear-attention #1177
#[test]
fn parts_are_cut_to_whole_features_and_must_be_even() {
    let config = |head: usize, part: f64| llama(json!({ "head_dim": head, "partial_rotary_factor": part }));
    for (head, part, width) in [(4, 0.75, 3), (64, 0.3, 19), (64, 0.4, 25), (128, 0.4, 51)] {
        let error = refused(&config(head, part));
        let expected = format!("an even number of features within the {head} of a head");
        let key = "partial_rotary_factor".to_string();
        assert_eq!(error, ConfigError::Value { key, expected, found: width.to_string() });
    }
    assert_eq!(refused(&llama(json!({ "head_dim": 33 }))).key(), "head_dim");
    assert_eq!(refused(&llama(json!({ "rotary_dim": 66 }))).key(), "rotary_dim");
    assert_eq!(refused(&config(64, 1.5)).key(), "partial_rotary_factor");
    // Truncation, and not rounding.
    assert_eq!(rope(&read(&config(192, 0.334))).width(), 64);
}

// B037: apache/tvm #18102
#[test]
fn lists_of_factors_have_one_for_each_pair_that_turns() {
    let config = |count: usize, factor: f64| {
        llama(json!({ "head_dim": 128, "partial_rotary_factor": 0.75, "max_position_embeddings": 131072,
            "original_max_position_embeddings": 4096,
            "rope_scaling": { "type": "longrope", "short_factor": vec![1.0; count], "long_factor": vec![factor; count] } }))
    };
    assert_eq!(rope(&read(&config(48, 2.0))).switch_length(), Some(4096));
    for count in [47, 49, 64] {
        let error = refused(&config(count, 2.0));
        assert!(error.to_string().starts_with("rope_scaling: short factors: expected 48 elements"), "{error}");
    }
    assert_eq!(refused(&config(48, 0.0)).key(), "rope_scaling.long_factor[0]");
    assert_eq!(refused(&config(48, -1.0)).key(), "rope_scaling.long_factor[0]");
}

// B043: OpenNMT/CTranslate2 #1745, vllm-project/vllm #44133, ggml-org/llama.cpp #8262
#[test]
fn types_have_two_keys_and_several_names() {
    let scaled =
        |block: Value| rope(&read(&llama(json!({ "rope_scaling": block })))).frequencies(1).unwrap().as_slice()[31];
    let plain = scaled(json!({}));
    assert_eq!(scaled(json!({ "rope_theta": 10000.0 })), plain);
    let llama3 = json!({ "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0 });
    assert_eq!(scaled(llama3), plain / 8.0);
    for name in ["su", "longrope"] {
        let block = json!({ "type": name, "short_factor": vec![2.0; 32], "long_factor": vec![4.0; 32] });
        assert_eq!(scaled(block), plain / 2.0);
    }
    let error = refused(&llama(json!({ "rope_scaling": { "rope_type": "warp" } })));
    assert_eq!(error.key(), "rope_scaling.rope_type");
    for known in ["default", "linear", "dynamic", "yarn", "longrope", "su", "llama3", "proportional", "mrope"] {
        assert!(error.to_string().contains(known), "{error}");
    }
}

// B043: ggml-org/llama.cpp #8262
#[test]
fn phi3_says_yarn_and_means_longrope() {
    let block = json!({ "type": "yarn", "short_factor": vec![2.0; 32], "long_factor": vec![4.0; 32] });
    let mut config = llama(json!({ "rope_scaling": block, "max_position_embeddings": 8192,
        "original_max_position_embeddings": 4096 }));
    // For any other model, the lists are keys that YaRN does not know.
    let model = read(&config);
    assert_eq!(model.notes(), [unused("rope_scaling.long_factor"), unused("rope_scaling.short_factor")]);
    config["model_type"] = json!("phi3");
    let model = read(&config);
    assert_eq!((rope(&model).switch_length(), model.notes()), (Some(4096), &[][..]));
}

// B044: huggingface/transformers #32182, #32166 and #32167
#[test]
fn doubtful_values_are_reported_and_missing_ones_refused() {
    let block = json!({ "type": "yarn", "factor": 8, "original_max_position_embeddings": 4096.0, "new_key": 1 });
    let model = read(&llama(json!({ "rope_scaling": block })));
    let fraction = Note::Fraction { key: "rope_scaling.original_max_position_embeddings".into() };
    assert_eq!(model.notes(), [fraction, unused("rope_scaling.new_key")]);
    assert_eq!(refused(&llama(json!({ "rope_scaling": { "type": "linear" } }))).key(), "rope_scaling.factor");
    for factor in [json!(0), json!(0.0), json!(-2.0), json!(1e300), json!("8"), json!([8]), json!(true)] {
        let error = refused(&llama(json!({ "rope_scaling": { "type": "linear", "factor": factor } })));
        assert_eq!(error.key(), "rope_scaling.factor");
        assert!(error.to_string().contains("number"), "{error}");
    }
    // JSON has no such numbers; some writers have.
    for text in ["NaN", "Infinity", "1e999"] {
        assert!(posenc::config::HfConfig::parse(&format!("{{ \"rope_theta\": {text} }}")).is_err());
    }
}

// B046: EricLBuehler/mistral.rs #615, ModelTC/LightLLM #344
#[test]
fn null_is_absence() {
    let config = json!({ "rope_scaling": null, "rope_parameters": null, "partial_rotary_factor": null, "rotary_dim": null,
        "mrope_section": null, "layer_types": null, "original_max_position_embeddings": null, "text_config": null });
    let model = read(&llama(config));
    assert_eq!((rope(&model).width(), model.notes()), (64, &[][..]));
    let missing = refused(&llama(json!({ "rope_scaling": { "type": "linear", "factor": null } })));
    assert_eq!(missing.to_string(), "rope_scaling.factor: expected a positive number, found nothing");
    // Betas of zero, and a factor that is the ratio of the lengths.
    let block = json!({ "type": "yarn", "factor": null, "original_max_position_embeddings": 1024, "beta_fast": 0,
        "beta_slow": null, "attention_factor": null, "mscale": 0, "truncate": null });
    let given = json!({ "type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024 });
    let [null, given] = [block, given].map(|block| read(&llama(json!({ "rope_scaling": block }))));
    assert_eq!(rope(&null).frequencies(1), rope(&given).frequencies(1));
}

// B047: huggingface/transformers #45887
// B039: lablup/mlxcel #1340, Blaizzy/mlx-vlm #1709, antonellof/ferrox #39
#[test]
fn nested_objects_are_handles_of_their_own() {
    let config = llama(json!({ "num_hidden_layers": 3, "head_dim": 128,
        "layer_types": ["sliding_attention", "full_attention", "conv_free"],
        "rope_parameters": {
            "full_attention": { "rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0,
                                "original_max_position_embeddings": 32768 },
            "sliding_attention": { "rope_type": "default", "rope_theta": 1e4 },
            "conv_free": null } }));
    let model = read(&config);
    assert_eq!((model.kinds().len(), model.layer_count()), (3, 3));
    let frequencies = |layer: usize| model.layer(layer).unwrap().rope().map(|rope| rope.frequencies(1).unwrap());
    let [sliding, full, still] = [0, 1, 2].map(frequencies);
    let (sliding, full) = (sliding.unwrap(), full.unwrap());
    assert_eq!(still, None);
    assert_eq!((sliding.base(), sliding.magnitude()), (Some(1e4), 1.0));
    assert!((full.magnitude() - 1.138_629_436_111_989).abs() < 1e-15);
    assert!(full.as_slice()[63] < sliding.as_slice()[63]);
    // What a nested object lacks is looked for in it, and named so.
    let mut config = config;
    config["rope_parameters"]["full_attention"]["rope_type"] = json!("llama3");
    assert_eq!(refused(&config).key(), "rope_parameters.full_attention.low_freq_factor");
    config["layer_types"][2] = json!("linear_attention");
    config["rope_parameters"]["full_attention"]["rope_type"] = json!("yarn");
    let error = refused(&config);
    assert_eq!(error.key(), "layer_types[2]");
    assert!(error.to_string().contains("conv_free, full_attention, sliding_attention"), "{error}");
}

// B062: kekzl/imp #1174
#[test]
fn sections_are_found_in_either_object_and_wanted_by_models_of_several_axes() {
    let qwen = |keys: Value| {
        let mut config = llama(keys);
        config["model_type"] = json!("qwen2_vl");
        config["head_dim"] = json!(128);
        config
    };
    for key in ["rope_scaling", "rope_parameters"] {
        let model = read(&qwen(json!({ key: { "rope_type": "default", "mrope_section": [16, 24, 24] } })));
        assert_eq!(rope(&model).sections().unwrap().counts(), [16, 24, 24]);
    }
    for config in [json!({}), json!({ "rope_scaling": { "type": "mrope" } })] {
        assert!(refused(&qwen(config)).key().ends_with("mrope_section"));
    }
    // A type of several axes wants them, too, whatever the model.
    assert_eq!(refused(&llama(json!({ "rope_scaling": { "type": "mrope" } }))).key(), "rope_scaling.mrope_section");
}

// B063: vllm-project/vllm-ascend #14858, vllm-project/vllm-gaudi #1437
#[test]
fn sections_may_be_empty_and_must_add_up() {
    let config = |sections: Value| llama(json!({ "rope_scaling": { "type": "mrope", "mrope_section": sections } }));
    for sections in [json!([16, 16, 0]), json!([16, 16]), json!([32]), json!([8, 8, 8, 8])] {
        let model = read(&config(sections.clone()));
        let found = rope(&model).sections().unwrap();
        assert_eq!((json!(found.counts()), found.order()), (sections, SectionOrder::Blocks));
    }
    for sections in [json!([16, 15, 0]), json!([16, 24, 24]), json!([8, 8, 8, 4, 4]), json!([]), json!([u64::MAX, 1])] {
        assert_eq!(refused(&config(sections)).key(), "rope_scaling.mrope_section");
    }
    assert_eq!(refused(&config(json!([16, -1, 17]))).key(), "rope_scaling.mrope_section[1]");
}

#[test]
fn contradictions() {
    // Inside comes before beside, as in the reference; the other is reported.
    let model = read(&llama(json!({ "rope_parameters": { "rope_theta": 5e5 } })));
    assert_eq!(rope(&model).base(), 5e5);
    let note = Note::Contradiction { key: "rope_parameters.rope_theta".into(), other: "rope_theta".into() };
    assert_eq!(model.notes(), [note]);
    // Two objects may say different things, but not of one key.
    let both = |factor: f64| {
        llama(json!({ "rope_parameters": { "rope_type": "linear", "factor": 2.0 },
                      "rope_scaling": { "type": "linear", "factor": factor } }))
    };
    assert_eq!(rope(&read(&both(2.0))).frequencies(1).unwrap().as_slice()[0], 0.5);
    assert_eq!(refused(&both(4.0)).key(), "rope_scaling.factor");
    let model = read(&llama(json!({ "rope_scaling": { "rope_type": "default", "type": "linear", "factor": 2.0 } })));
    let note = Note::Contradiction { key: "rope_scaling.rope_type".into(), other: "rope_scaling.type".into() };
    assert_eq!(model.notes(), [note, unused("rope_scaling.factor")]);
    let swapped = json!({ "type": "yarn", "factor": 4.0, "beta_fast": 1, "beta_slow": 32 });
    let error = refused(&llama(json!({ "rope_scaling": swapped })));
    assert_eq!(error.to_string(), "rope_scaling: beta_fast: expected at least beta_slow, found 1");
}

#[test]
fn what_is_not_known_is_named() {
    assert_eq!(refused(&llama(json!({ "model_type": "new" }))).key(), "model_type");
    assert_eq!(refused(&llama(json!({ "model_type": null }))).key(), "model_type");
    assert_eq!(refused(&llama(json!({ "model_type": 7 }))).key(), "model_type");
    assert_eq!(refused(&llama(json!({ "num_hidden_layers": null }))).key(), "num_hidden_layers");
    assert_eq!(refused(&llama(json!({ "num_hidden_layers": 1u64 << 40 }))).key(), "num_hidden_layers");
    assert_eq!(refused(&llama(json!({ "head_dim": null }))).key(), "head_dim");
    assert_eq!(refused(&llama(json!({ "head_dim": -64 }))).key(), "head_dim");
    assert_eq!(refused(&llama(json!({ "head_dim": 64.5 }))).key(), "head_dim");
    assert_eq!(
        refused(&llama(json!({ "head_dim": null, "hidden_size": 100, "num_attention_heads": 3 }))).key(),
        "hidden_size"
    );
    assert_eq!(refused(&llama(json!({ "rope_scaling": 8.0 }))).key(), "rope_scaling");
    assert_eq!(refused(&llama(json!({ "rope_scaling": { "type": 8 } }))).key(), "rope_scaling.type");
    assert_eq!(refused(&llama(json!({ "model_type": "seed_oss", "rope_theta": null }))).key(), "rope_theta");
    assert_eq!(refused(&json!([])).key(), "config");
    let dynamic = json!({ "rope_scaling": { "type": "dynamic", "factor": 2.0 }, "max_position_embeddings": null });
    assert_eq!(refused(&llama(dynamic)).key(), "max_position_embeddings");
    let yarn = json!({ "rope_scaling": { "type": "yarn", "factor": 2.0 }, "max_position_embeddings": null });
    assert_eq!(refused(&llama(yarn)).key(), "rope_scaling.original_max_position_embeddings");
}

/// What a file says must not decide how long it takes to read.
#[test]
fn heads_kinds_and_keys_beyond_all_models_cost_nothing() {
    for (keys, key) in [
        (json!({ "head_dim": 4098 }), "head_dim"),
        (json!({ "head_dim": 1 << 20 }), "head_dim"),
        (json!({ "head_dim": 1 << 20, "partial_rotary_factor": 0.5 }), "partial_rotary_factor"),
        (json!({ "head_dim": null, "hidden_size": 1_u64 << 40, "num_attention_heads": 2 }), "head_dim"),
    ] {
        let error = refused(&llama(keys));
        assert_eq!(error.key(), key);
        assert!(error.to_string().contains("expected a head of at most 4096 features, found "), "{error}");
    }
    assert_eq!(rope(&read(&llama(json!({ "head_dim": 4096 })))).width(), 4096);

    let kinds = |count: usize| {
        let kind = |i: usize| (format!("kind {i}"), json!({ "rope_type": "default", "rope_theta": 10000.0 }));
        let kinds: serde_json::Map<String, Value> = (0..count).map(kind).collect();
        llama(json!({ "rope_parameters": kinds }))
    };
    assert_eq!(read(&kinds(64)).kinds().len(), 64);
    let error = refused(&kinds(65));
    assert_eq!(error.to_string(), "rope_parameters: expected at most 64 kinds of layers, found 65");

    // Every key that has no meaning is noted, and none of them is looked for among the others.
    let mut keys: serde_json::Map<String, Value> = (0..200_000).map(|i| (format!("key {i}"), json!(i))).collect();
    keys.extend([("type".into(), json!("linear")), ("factor".into(), json!(2.0))]);
    let model = read(&llama(json!({ "rope_scaling": keys })));
    assert_eq!(model.notes().len(), 200_000);
}

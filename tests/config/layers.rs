//! Rules for layers that no published file here shows: other spellings, and what cannot be.
//! They stand apart from the table of models because their configurations are made up.

use posenc::config::{Layer, ModelRotary, Note, SectionOrder};
use posenc::{Direction, Pairing};
use serde_json::{Value, json};

use crate::{llama, read, refused, rope};

fn of(model_type: &str, keys: Value) -> Value {
    let mut config = llama(keys);
    config["model_type"] = json!(model_type);
    config
}

/// One letter a layer: the first of the kind's label, or a point for layers that do not turn.
fn letters(model: &ModelRotary) -> String {
    let letter = |layer: &Layer| if layer.rope().is_some() { &layer.label()[..1] } else { "." }.to_string();
    (0..model.layer_count()).map(|i| letter(model.layer(i).unwrap())).collect()
}

#[test]
fn sliding_windows() {
    let gemma = |keys: Value| letters(&read(&of("gemma3_text", keys)));
    assert_eq!(gemma(json!({ "num_hidden_layers": 8 })), "sssssfss");
    assert_eq!(letters(&read(&of("gemma3n_text", json!({ "num_hidden_layers": 6 })))), "ssssfs");
    assert_eq!(gemma(json!({ "num_hidden_layers": 5, "sliding_window_pattern": 2 })), "sfsfs");
    assert_eq!(gemma(json!({ "num_hidden_layers": 5, "_sliding_window_pattern": "LG" })), "sfsfs");
    let types = ["full_attention", "sliding_attention"];
    assert_eq!(gemma(json!({ "num_hidden_layers": null, "layer_types": types })), "fs");
    let wrong = |keys: Value| refused(&of("gemma3_text", keys)).key().to_string();
    assert_eq!(wrong(json!({ "num_hidden_layers": 3, "layer_types": types })), "layer_types");
    assert_eq!(wrong(json!({ "sliding_window_pattern": 0 })), "sliding_window_pattern");
    assert_eq!(wrong(json!({ "sliding_window_pattern": "LX" })), "sliding_window_pattern");
    assert_eq!(wrong(json!({ "sliding_window_pattern": "" })), "sliding_window_pattern");
    assert_eq!(wrong(json!({ "layer_types": ["half_attention"] })), "layer_types[0]");
    assert_eq!(wrong(json!({ "layer_types": [7] })), "layer_types[0]");
}

#[test]
fn exaone_turns_everywhere_without_a_window() {
    let exaone =
        |window: Value| letters(&read(&of("exaone4", json!({ "num_hidden_layers": 4, "sliding_window": window }))));
    assert_eq!(exaone(json!(4096)), "sss.");
    assert_eq!(exaone(Value::Null), "aaaa");
}

#[test]
fn nested_objects_without_a_base_have_that_of_their_layers() {
    let bases = |keys: Value| {
        let mut config = of("gemma3_text", keys);
        config["rope_theta"] = Value::Null;
        config["rope_parameters"] = json!({ "full_attention": { "rope_type": "default" }, "sliding_attention": {} });
        let model = read(&config);
        ["full_attention", "sliding_attention"].map(|label| model.kind(label).unwrap().rope().unwrap().base())
    };
    assert_eq!(bases(json!({})), [1e6, 1e4]);
    assert_eq!(bases(json!({ "rope_local_base_freq": 500.0 })), [1e6, 500.0]);
}

#[test]
fn models_with_linear_biases_do_not_turn() {
    let falcon = |alibi: Value| letters(&read(&of("falcon", json!({ "num_hidden_layers": 2, "alibi": alibi }))));
    assert_eq!([true, false].map(|alibi| falcon(json!(alibi))), ["..", "aa"]);
    assert_eq!(falcon(Value::Null), "aa");
}

#[test]
fn no_rope_layers_says_which_do_turn() {
    let smollm = |keys: Value| of("smollm3", keys);
    assert_eq!(letters(&read(&smollm(json!({ "num_hidden_layers": 5 })))), "rrr.r");
    assert_eq!(letters(&read(&smollm(json!({ "num_hidden_layers": 3, "no_rope_layer_interval": 2 })))), "r.r");
    assert_eq!(letters(&read(&smollm(json!({ "num_hidden_layers": 2, "no_rope_layers": [0, 1] })))), ".r");
    assert_eq!(refused(&smollm(json!({ "num_hidden_layers": 2, "no_rope_layers": [0] }))).key(), "no_rope_layers");
    assert_eq!(refused(&smollm(json!({ "no_rope_layer_interval": 0 }))).key(), "no_rope_layer_interval");
    let two = json!({ "num_hidden_layers": 2, "no_rope_layers": [0, 2] });
    assert_eq!(refused(&smollm(two)).key(), "no_rope_layers[1]");
}

#[test]
fn deepseek_v4_has_labels_that_are_no_layer_types() {
    let flat = json!({ "num_hidden_layers": 3, "head_dim": 512, "qk_rope_head_dim": 64, "compress_ratios": [0, 4, 128],
        "compress_rope_theta": 160000, "rope_scaling": { "type": "yarn", "factor": 16,
        "original_max_position_embeddings": 65536, "beta_fast": 32, "beta_slow": 1 } });
    let yarn = json!({ "rope_type": "yarn", "rope_theta": 160000, "factor": 16, "attention_factor": 1.0,
        "original_max_position_embeddings": 65536, "partial_rotary_factor": 0.125 });
    let nested = json!({ "num_hidden_layers": 3, "head_dim": 512,
        "layer_types": ["sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"],
        "rope_parameters": { "main": { "rope_theta": 10000, "partial_rotary_factor": 0.125 }, "compress": yarn } });
    let models = [flat, nested].map(|keys| read(&of("deepseek_v4", keys)));
    for model in &models {
        assert_eq!(letters(model), "mcc");
        let [main, compress] = ["main", "compress"].map(|label| model.kind(label).unwrap().rope().unwrap());
        assert_eq!((main.width(), main.start(), main.base(), main.pairing()), (64, 448, 1e4, Pairing::Interleaved));
        assert_eq!((compress.start(), compress.base()), (448, 160_000.0));
        // YaRN without its magnitude.
        assert_eq!(compress.frequencies(1).unwrap().magnitude(), 1.0);
        assert_eq!(model.kind("compress").unwrap().softmax_factor(), 1.0);
        assert_eq!(model.notes(), []);
    }
    let frequencies = |model: &ModelRotary| model.kind("compress").unwrap().rope().unwrap().frequencies(1).unwrap();
    assert_eq!(frequencies(&models[0]), frequencies(&models[1]));
}

#[test]
fn nested_objects_without_layer_types_are_kinds_alone() {
    let model = read(&llama(json!({ "rope_parameters": { "a": { "rope_theta": 1e4 }, "b": { "rope_theta": 1e6 } } })));
    assert_eq!((model.kinds().len(), model.layer_count(), model.layer(0)), (2, 0, None));
    assert_eq!(model.kind("b").unwrap().rope().unwrap().base(), 1e6);
    assert_eq!(model.notes(), [Note::Missing { key: "layer_types".into() }]);
}

#[test]
fn truncate_beside_nested_objects_holds_for_all() {
    let yarn =
        json!({ "rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4096, "rope_theta": 150000 });
    let nested = |keys: Value| {
        let mut keys = keys;
        keys["full_attention"] = yarn.clone();
        let model = read(&llama(json!({ "rope_parameters": keys, "layer_types": ["full_attention"] })));
        model.layer(0).unwrap().rope().unwrap().frequencies(1).unwrap()
    };
    assert_ne!(nested(json!({ "truncate": false })), nested(json!({})));
}

#[test]
fn pairings_and_directions() {
    let pairing = |config: Value| rope(&read(&config)).pairing();
    assert_eq!(pairing(of("glm4", json!({}))), Pairing::Interleaved);
    assert_eq!(pairing(of("glm4_moe", json!({}))), Pairing::Halves);
    assert_eq!(pairing(of("cohere", json!({}))), Pairing::Interleaved);
    let latent = |keys: Value| {
        let mut config = of("deepseek_v3", keys);
        config["qk_nope_head_dim"] = json!(128);
        config["qk_rope_head_dim"] = json!(64);
        config
    };
    assert_eq!(pairing(latent(json!({}))), Pairing::Interleaved);
    assert_eq!(pairing(latent(json!({ "rope_interleave": false }))), Pairing::Halves);
    assert_eq!(rope(&read(&of("nanochat", json!({})))).direction(), Direction::Inverse);
    assert_eq!(rope(&read(&llama(json!({})))).direction(), Direction::Forward);
    assert_eq!(refused(&of("deepseek_v3", json!({}))).key(), "qk_rope_head_dim");
}

#[test]
fn telechat_and_phimoe_have_magnitudes_of_their_own() {
    let yarn = json!({ "rope_scaling": { "type": "yarn", "factor": 8.0, "original_max_position_embeddings": 4096 } });
    let magnitude = |config: Value, length| rope(&read(&config)).frequencies(length).unwrap().magnitude();
    assert!((magnitude(of("telechat3", yarn), 1) - (1.0 + 0.07 * 8.0_f64.ln())).abs() < 1e-15);
    let lists = json!({ "original_max_position_embeddings": 4096, "rope_scaling": { "type": "longrope",
        "short_factor": vec![1.0; 32], "long_factor": vec![2.0; 32], "short_mscale": 1.25, "long_mscale": 1.5 } });
    let phimoe = of("phimoe", lists);
    assert_eq!((magnitude(phimoe.clone(), 4096), magnitude(phimoe, 4097)), (1.25, 1.5));
}

#[test]
fn longrope_takes_the_length_beside_its_object_and_the_factor_in_it() {
    let block = json!({ "type": "longrope", "short_factor": vec![1.0; 32], "long_factor": vec![2.0; 32], "factor": 8.0,
        "original_max_position_embeddings": 1024 });
    let keys = |more: Value| {
        let mut block = block.clone();
        block.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        of("phi3", json!({ "original_max_position_embeddings": 2048, "rope_scaling": block }))
    };
    let model = read(&keys(json!({})));
    assert_eq!(rope(&model).switch_length(), Some(2048));
    let formula = (1.0 + 8.0_f64.ln() / 2048.0_f64.ln()).sqrt();
    assert!((rope(&model).frequencies(1).unwrap().magnitude() - formula).abs() < 1e-15);
    // What is given comes before what the two lists have of their own.
    let model = read(&keys(json!({ "attention_factor": 1.1, "short_mscale": 1.2, "long_mscale": 1.3 })));
    assert_eq!([1, 4096].map(|length| rope(&model).frequencies(length).unwrap().magnitude()), [1.1, 1.1]);
}

#[test]
fn hunyuan_vl_doubles_its_sections() {
    let block = json!({ "type": "xdrope", "alpha": 1000.0, "xdrope_section": [8, 8, 8, 8] });
    let model = read(&of("hunyuan_vl", json!({ "rope_scaling": block })));
    assert_eq!(rope(&model).sections().unwrap().order(), SectionOrder::Doubled);
}

#[test]
fn ernie_lists_height_and_width_before_time() {
    let ernie = |sections: Value| of("ernie4_5_vl_moe_text", json!({ "rope_scaling": { "mrope_section": sections } }));
    let model = read(&ernie(json!([11, 11, 10])));
    assert_eq!(rope(&model).pairing(), Pairing::Interleaved);
    let axes = posenc::Axes::ernie([11, 11, 10]).unwrap();
    let plain = posenc::Frequencies::new(64, 1e4).unwrap().on_axes(axes).unwrap();
    assert_eq!(rope(&model).frequencies(1).unwrap(), plain);
    let error = refused(&ernie(json!([22, 10])));
    assert_eq!(error.to_string(), "rope_scaling: sections of height, width and time: expected 3 elements, found 2");
}

#[test]
fn sections_follow_the_key_before_the_architecture() {
    let order = |model_type: &str, interleaved: Value| {
        let block = json!({ "mrope_section": [12, 10, 10], "mrope_interleaved": interleaved });
        rope(&read(&of(model_type, json!({ "rope_scaling": block })))).sections().unwrap().order()
    };
    assert_eq!(order("qwen2_vl", Value::Null), SectionOrder::Blocks);
    assert_eq!(order("qwen2_vl", json!(true)), SectionOrder::Interleaved);
    assert_eq!(order("qwen3_vl", Value::Null), SectionOrder::Interleaved);
    assert_eq!(order("qwen3_vl", json!(false)), SectionOrder::Blocks);
}

#[test]
fn gemma4_has_wider_heads_where_it_sees_everything() {
    let full = json!({ "rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6 });
    let keys = |global: Value| {
        json!({ "layer_types": ["full_attention"], "head_dim": 256, "global_head_dim": global,
        "rope_parameters": { "full_attention": full } })
    };
    let model = read(&of("gemma4_text", keys(json!(512))));
    let rope = rope(&model);
    assert_eq!((rope.head_dim(), rope.width()), (512, 512));
    let turning = rope.frequencies(1).unwrap().as_slice().iter().filter(|&&f| f > 0.0).count();
    assert_eq!(turning, 64);
    assert_eq!(refused(&of("gemma4_text", keys(Value::Null))).key(), "global_head_dim");
}

#[test]
fn a_scaling_beside_nested_objects_is_that_of_the_layers_that_see_everything() {
    let model = read(&of(
        "olmo3",
        json!({ "num_hidden_layers": 4,
        "rope_parameters": { "full_attention": { "rope_theta": 5e5 }, "sliding_attention": { "rope_theta": 5e5 } },
        "rope_scaling": { "rope_type": "linear", "factor": 4.0 } }),
    ));
    let first = |layer: usize| model.layer(layer).unwrap().rope().unwrap().frequencies(1).unwrap().as_slice()[0];
    assert_eq!([0, 3].map(first), [1.0, 0.25]);
}

#[test]
fn temperatures_can_be_off() {
    let llama4 = |keys: Value| {
        let mut config = of("llama4_text", keys);
        config["num_hidden_layers"] = json!(4);
        read(&config).layer(3).unwrap().query_temperature()
    };
    for off in [json!(false), json!(0)] {
        assert_eq!(llama4(json!({ "attn_temperature_tuning": off })), None);
    }
    for on in [json!(true), json!(4), Value::Null] {
        assert!(llama4(json!({ "attn_temperature_tuning": on })).is_some());
    }
    assert_eq!(
        refused(&of("llama4_text", json!({ "attn_temperature_tuning": "on" }))).key(),
        "attn_temperature_tuning"
    );
    let scaled = llama4(json!({ "attn_scale": 0.5, "floor_scale": 100 })).unwrap();
    assert_eq!(scaled.factor(99), 1.0 + 0.5 * 2.0_f64.ln());
}

#[test]
fn dynamic_scaling_needs_the_length_of_the_sequence() {
    let model = read(&llama(json!({ "rope_scaling": { "type": "dynamic", "factor": 2.0 } })));
    let rope = rope(&model);
    assert_eq!(rope.switch_length(), Some(4096));
    assert_eq!(rope.frequencies(4096).unwrap().base(), Some(1e4));
    let longer = rope.frequencies(8192).unwrap();
    assert!(longer.as_slice()[31] < rope.frequencies(4097).unwrap().as_slice()[31]);
    assert!(rope.frequencies(usize::MAX).is_err());
}

#[test]
fn models_that_do_not_turn_say_so() {
    for (name, key) in
        [("bert", "num_hidden_layers"), ("gpt2", "n_layer"), ("t5", "num_layers"), ("distilbert", "n_layers")]
    {
        let model = read(&json!({ "model_type": name, key: 7, "hidden_size": 768, "num_attention_heads": 12 }));
        assert_eq!((model.layer_count(), model.kinds().len(), model.notes()), (7, 1, &[][..]), "{name}");
        assert!(model.layer(6).unwrap().rope().is_none());
        assert_eq!(refused(&json!({ "model_type": name })).key(), "num_hidden_layers");
    }
    // The same inside a model of several parts.
    let inside = read(&json!({ "text_config": { "model_type": "bert", "num_hidden_layers": 2 } }));
    assert_eq!((inside.layer_count(), inside.kind("all").unwrap().rope()), (2, None));
}

/// Code that is not Hugging Face's has rotations under old names.
#[test]
fn a_still_name_beside_keys_of_rotations_needs_a_pairing() {
    for keys in [
        json!({ "rope_theta": 10000.0 }),
        json!({ "rotary_pct": 0.5 }),
        json!({ "position_embedding_type": "rotary" }),
        json!({ "position_embedding_type": "rope" }),
        json!({ "attn_config": { "rope": true } }),
    ] {
        let mut config = json!({ "model_type": "bert", "num_hidden_layers": 1, "head_dim": 64, "rope_scaling": null });
        config.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        assert_eq!(refused(&config).key(), "model_type", "{keys}");
        config["rope_theta"] = json!(10000.0);
        let stated = posenc::config::HfConfig::from_value(config).with_pairing(Pairing::Halves).rotary().unwrap();
        assert!(rope(&stated).width() > 0);
    }
    let without = json!({ "model_type": "mpt", "n_layers": 2, "rope_scaling": null, "position_embedding_type": "absolute",
        "attn_config": { "alibi": true, "rope": false, "rope_theta": null } });
    assert_eq!(read(&without).layer_count(), 2);
}

//! The settings of `golden/rope_freqs.json`, read from both spellings that the file has of them.
//! They stand apart from the table of models because every value here was made elsewhere.

use posenc_oracle::ulp::ulp_error_f64;
use serde_json::{Map, Value, json};

use crate::{read, rope};

fn cases() -> Vec<Value> {
    let text = include_str!("../golden/rope_freqs.json");
    let file: Value = serde_json::from_str(text).unwrap();
    file["cases"].as_array().unwrap().clone()
}

/// Adds what a file of that model also has.
fn completed(mut config: Map<String, Value>, case: &Value) -> Value {
    config.insert("model_type".into(), json!("llama"));
    config.insert("num_hidden_layers".into(), json!(1));
    config.insert("head_dim".into(), case["head_dim"].clone());
    config.insert("max_position_embeddings".into(), case["max_position_embeddings"].clone());
    config.extend(case["config_extra"].as_object().unwrap().clone());
    Value::Object(config)
}

#[test]
fn both_spellings_give_the_reference_values() {
    for case in cases() {
        let old = completed(case["legacy_config"].as_object().unwrap().clone(), &case);
        let mut new = Map::new();
        new.insert("rope_parameters".into(), case["rope_parameters"].clone());
        let new = completed(new, &case);
        let length = case["seq_len"].as_u64().unwrap_or(1) as usize;
        for config in [old, new] {
            let model = read(&config);
            let frequencies = rope(&model).frequencies(length).unwrap();
            let expect = &case["expect"];
            assert_eq!(rope(&model).width() as u64, expect["rotary_dim"].as_u64().unwrap(), "{}", case["id"]);
            let exact = expect["inv_freq_exact"].as_array().unwrap();
            assert_eq!(frequencies.pairs(), exact.len(), "{}", case["id"]);
            for (got, want) in frequencies.as_slice().iter().zip(exact) {
                assert_eq!(*got, want.as_f64().unwrap(), "{}", case["id"]);
            }
            let magnitude = expect["attention_factor"].as_f64().unwrap();
            assert!(ulp_error_f64(frequencies.magnitude(), magnitude, 0.0) <= 1.0, "{}", case["id"]);
            assert_eq!(model.notes(), [], "{}", case["id"]);
        }
    }
}

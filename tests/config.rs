//! Reading configurations: published models, reference values in both spellings, faults seen in the field, and anything at all.
//! They stand apart because they need the feature `config`, and because what is wrong here is wrong without a sound.

#[path = "config/failures.rs"]
mod failures;
#[path = "config/gguf.rs"]
mod gguf;
#[path = "config/golden.rs"]
mod golden;
#[path = "config/law.rs"]
mod law;
#[path = "config/layers.rs"]
mod layers;
#[path = "config/models.rs"]
mod models;
#[path = "config/onnx.rs"]
mod onnx;

use posenc::config::{ConfigError, HfConfig, Layer, ModelRotary, Rope};
use proptest::prelude::*;
use serde_json::Value;

/// A configuration that must be read.
#[track_caller]
fn read(value: &Value) -> ModelRotary {
    HfConfig::from_value(value.clone()).rotary().unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// A configuration that must be refused.
#[track_caller]
fn refused(value: &Value) -> ConfigError {
    HfConfig::from_value(value.clone()).rotary().expect_err("a refusal")
}

/// What the first layer has, where all turn alike.
#[track_caller]
fn rope(model: &ModelRotary) -> &Rope {
    model.layer(0).and_then(Layer::rope).expect("it turns")
}

/// A Llama of one layer, with these keys on top.
fn llama(keys: Value) -> Value {
    let mut config = serde_json::json!({
        "model_type": "llama", "num_hidden_layers": 1, "head_dim": 64, "rope_theta": 10000.0,
        "max_position_embeddings": 4096
    });
    let (Value::Object(config), Value::Object(keys)) = (&mut config, keys) else { panic!("objects") };
    config.extend(keys);
    Value::Object(config.clone())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_read_ends_in_data_or_in_an_error_that_names_its_key(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        law::hugging_face(&bytes);
        law::gguf(&bytes);
        law::onnx(&bytes);
    }
}

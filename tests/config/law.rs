//! Any bytes become a configuration of keys and values that matter, which must end in data or in an error that names its key.
//! It stands apart so that the fuzz target and the property test check the same.

use posenc::Pairing;
use posenc::config::{
    ConfigError, GgufConfig, GgufTensor, GgufValue, HfConfig, Layer, ModelRotary, OnnxConfig, OnnxValue,
};
use serde_json::{Map, Value, json};

/// Keys of every place.
#[rustfmt::skip]
const KEYS: [&str; 53] = [
    "model_type", "text_config", "rope_parameters", "rope_scaling", "rope_theta", "rope_type", "type", "factor",
    "alpha", "beta_fast", "beta_slow", "attention_factor", "mscale", "mscale_all_dim", "truncate", "short_factor",
    "long_factor", "short_mscale", "long_mscale", "low_freq_factor", "high_freq_factor",
    "original_max_position_embeddings", "mixed_b", "partial_rotary_factor", "rotary_pct", "rotary_dim", "head_dim",
    "global_head_dim", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings",
    "layer_types", "sliding_window", "sliding_window_pattern", "no_rope_layers", "no_rope_layer_interval",
    "rope_local_base_freq", "global_rope_theta", "local_rope_theta", "compress_rope_theta", "compress_ratios",
    "qk_rope_head_dim", "qk_nope_head_dim", "rope_interleave", "mrope_section", "mrope_interleaved",
    "xdrope_section", "llama_4_scaling_beta", "attn_scale", "floor_scale", "full_attention", "sliding_attention",
];

/// Texts that some key takes.
#[rustfmt::skip]
const TEXTS: [&str; 30] = [
    "llama", "qwen2_vl", "gemma3_text", "gemma4_text", "olmo3", "modernbert", "smollm3", "llama4_text", "cohere2",
    "exaone4", "deepseek_v3", "deepseek_v4", "phi3", "gptj", "ministral3", "hunyuan_vl", "default", "linear",
    "dynamic", "ntk", "yarn", "longrope", "su", "llama3", "proportional", "mrope", "xdrope", "LLG",
    "full_attention", "warp",
];

/// Names of GGUF files, of every kind of layers.
#[rustfmt::skip]
const ARCHITECTURES: [&str; 12] = [
    "llama", "gemma3", "deepseek2", "qwen2vl", "llama4", "cohere2", "olmo2", "exaone4", "mistral3", "gpt2", "phi3",
    "none",
];

/// Keys of GGUF files, without the name.
#[rustfmt::skip]
const GGUF_KEYS: [&str; 23] = [
    "block_count", "embedding_length", "attention.head_count", "attention.key_length", "attention.key_length_mla",
    "context_length", "rope.dimension_count", "rope.dimension_count_swa", "rope.freq_base", "rope.freq_base_swa",
    "rope.scaling.type", "rope.scaling.factor", "rope.scaling.alpha", "rope.scaling.attn_factor",
    "rope.scaling.original_context_length", "rope.scaling.yarn_log_multiplier", "rope.scaling.yarn_ext_factor",
    "rope.scaling.yarn_beta_fast", "rope.dimension_sections", "attention.sliding_window",
    "attention.sliding_window_pattern", "attention.temperature_scale", "attention.temperature_length",
];

/// Reads bytes until they end, then zeros.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[usize::from(self.next()) % list.len()]
    }

    fn number(&mut self) -> Value {
        let small = self.next();
        match self.next() % 8 {
            0 => json!(0),
            1 => json!(-1),
            2 => json!(f64::from(small) / 16.0),
            3 => json!(u64::MAX - u64::from(small)),
            4 => json!(10_f64.powi(i32::from(small) - 128)),
            5 => json!(64.0),
            6 => json!(1_u64 << (small % 64)),
            _ => json!(small),
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.next() % 9 {
            0 => Value::Null,
            1 => json!(self.next().is_multiple_of(2)),
            2 | 3 => json!(self.pick(&TEXTS)),
            4 if depth < 3 => Value::Object(self.object(depth + 1)),
            5 if depth < 3 => (0..self.next() % 40).map(|_| self.value(3)).collect(),
            6 => (0..self.next() % 40).map(|_| json!(1.5)).collect(),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Map<String, Value> {
        let count = self.next() % 12;
        (0..count).map(|_| (self.pick(&KEYS).to_string(), self.value(depth))).collect()
    }
}

/// What every outcome must be.
fn check(outcome: Result<ModelRotary, ConfigError>) {
    let model = match outcome {
        Ok(model) => model,
        Err(error) => {
            assert!(!error.key().is_empty() && error.to_string().contains(error.key()), "{error}");
            return;
        }
    };
    for rope in model.kinds().iter().filter_map(Layer::rope) {
        assert!(rope.width() > 0 && rope.width().is_multiple_of(2) && rope.start() + rope.width() <= rope.head_dim());
        for length in [0, 1, rope.switch_length().unwrap_or(9).saturating_add(1)] {
            let frequencies = rope.frequencies(length).expect("lengths around the switch were tried");
            assert_eq!(frequencies.width(), rope.width());
            assert!(frequencies.as_slice().iter().all(|f| f.is_finite()) && frequencies.magnitude().is_finite());
        }
        if let Some(sections) = rope.sections() {
            assert_eq!(2 * sections.counts().iter().sum::<usize>(), rope.width());
            assert!(rope.frequencies(1).is_ok_and(|frequencies| frequencies.axes() <= sections.counts().len()));
        }
    }
    for i in 0..model.layer_count().min(100) {
        let layer = model.layer(i).expect("within the layers");
        assert!(layer.softmax_factor().is_finite());
        assert!(layer.query_temperature().is_none_or(|temperature| temperature.factor(i64::MAX).is_finite()));
    }
    assert_eq!(model.layer(model.layer_count()), None);
}

/// A `config.json` that is mostly one, as JSON and as any text.
pub(crate) fn hugging_face(bytes: &[u8]) {
    let mut input = Bytes(bytes);
    let mut config = Map::new();
    if input.next() % 4 > 0 {
        config.insert("num_hidden_layers".into(), json!(input.next() % 9));
        config.insert("head_dim".into(), json!(2 * (input.next() % 40)));
        config.insert("max_position_embeddings".into(), json!(4096));
        config.insert("rope_theta".into(), json!(10000.0));
        config.insert("model_type".into(), json!(input.pick(&TEXTS)));
    }
    config.extend(input.object(0));
    let config = HfConfig::from_value(Value::Object(config));
    check(config.clone().rotary());
    check(config.with_pairing(Pairing::Halves).rotary());
    check(HfConfig::parse(&String::from_utf8_lossy(bytes)).and_then(|config| config.rotary()));
}

/// Metadata, half of it well formed.
pub(crate) fn gguf(bytes: &[u8]) {
    let mut input = Bytes(bytes);
    let name = input.pick(&ARCHITECTURES);
    let usual = [("block_count", 4_u64), ("attention.key_length", 64), ("context_length", 4096)];
    let mut metadata: Vec<(String, GgufValue)> =
        usual.map(|(key, value)| (format!("{name}.{key}"), value.into())).into();
    metadata.push(("general.architecture".into(), name.into()));
    for _ in 0..input.next() % 10 {
        let key = input.pick(&GGUF_KEYS);
        let value: GgufValue = match input.next() % 9 {
            0 => f64::NAN.into(),
            1 => "yarn".into(),
            2 => "longrope".into(),
            3 => vec![1_i32; usize::from(input.next() % 9)].into(),
            4 => vec![true; 4].into(),
            5 => f64::from(input.next()).into(),
            6 => i64::MIN.into(),
            7 => true.into(),
            _ => u64::from(input.next()).into(),
        };
        metadata.push((format!("{name}.{key}"), value));
    }
    let mut config = GgufConfig::new(metadata);
    for tensor in [GgufTensor::RopeFreqs, GgufTensor::RopeFactorsShort, GgufTensor::RopeFactorsLong] {
        if input.next().is_multiple_of(3) {
            let value = input.pick(&[1.0, 2.5, 0.0, f32::NAN]);
            config = config.with_tensor(tensor, &vec![value; if input.next().is_multiple_of(2) { 32 } else { 7 }]);
        }
    }
    check(config.clone().rotary());
    check(config.with_pairing(Pairing::Interleaved).rotary());
}

/// Attributes.
pub(crate) fn onnx(bytes: &[u8]) {
    let mut input = Bytes(bytes);
    let keys = [
        "interleaved",
        "rotary_embedding_dim",
        "num_heads",
        "scale",
        "is_packed_batching",
        "mrope_section",
        "mrope_layout",
    ];
    let attribute = |input: &mut Bytes<'_>| -> (&str, OnnxValue) {
        let key = input.pick(&keys);
        let value = match input.next() % 6 {
            0 => i64::MAX.into(),
            1 => f32::NAN.into(),
            2 => 1.0.into(),
            3 => vec![i64::from(input.next()) - 1; usize::from(input.next() % 10)].into(),
            _ => i64::from(input.next() % 4).into(),
        };
        (key, value)
    };
    let attributes: Vec<(&str, OnnxValue)> = (0..input.next() % 8).map(|_| attribute(&mut input)).collect();
    if let Err(error) = OnnxConfig::read(attributes) {
        assert!(keys.contains(&error.key()) && error.to_string().contains(error.key()), "{error}");
    }
}

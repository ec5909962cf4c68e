//! Configurations of published models, and what each layer of them needs: frequencies by the oracle's formulas.
//! They stand apart because the files are data: a model more is a file and a line.

use posenc::Pairing::{self, Halves, Interleaved};
use posenc::config::{HfConfig, Layer, Note, SectionOrder};
use posenc_oracle::scaling::{self, longrope_magnitude, plain, yarn_g};
use posenc_oracle::tolerance::SCALED_RELATIVE;
use serde_json::Value;

/// How frequencies are scaled; numbers in the order of the formula.
enum Scaled {
    Plain,
    Linear(f64),
    Ntk(f64),
    /// Factor, low, high.
    Llama3(f64, f64, f64),
    /// Factor, original length, beta_fast, beta_slow.
    Yarn(f64, f64, [f64; 2]),
    YarnExact(f64, f64),
    Proportional(f64),
    /// The short list of the file.
    Short,
    /// The long list of the file, for a length beyond this.
    Long(usize),
}
use Scaled::*;

const BETAS: [f64; 2] = [32.0, 1.0];

/// What a kind of layer needs.
struct Kind {
    label: &'static str,
    /// Features of a head, of which so many turn from here on.
    head: [usize; 3],
    pairing: Pairing,
    base: f64,
    scaled: Scaled,
    magnitude: f64,
    softmax_factor: f64,
}

/// The common case.
fn turns(label: &'static str, head: usize, base: f64, scaled: Scaled) -> Kind {
    Kind { label, head: [head, head, 0], pairing: Halves, base, scaled, magnitude: 1.0, softmax_factor: 1.0 }
}

fn all(head: usize, base: f64, scaled: Scaled) -> Kind {
    turns("all", head, base, scaled)
}

impl Kind {
    fn part(self, width: usize) -> Self {
        Self { head: [self.head[0], width, 0], ..self }
    }

    fn interleaved(self) -> Self {
        Self { pairing: Interleaved, ..self }
    }

    /// A trailing slice in pairs of neighbours.
    fn latent(self, still: usize, width: usize) -> Self {
        Self { head: [still + width, width, still], ..self.interleaved() }
    }

    fn magnitude(self, magnitude: f64) -> Self {
        Self { magnitude, ..self }
    }

    fn softmax(self, g: f64) -> Self {
        Self { softmax_factor: g * g, ..self }
    }

    fn length(&self) -> usize {
        if let Long(original) = self.scaled { original + 1 } else { 1 }
    }

    fn frequencies(&self, file: &Value) -> Vec<f64> {
        let width = self.head[1];
        let series = plain(width, self.base);
        let list = |name: &str| -> Vec<f64> {
            file["rope_scaling"][name].as_array().unwrap().iter().map(|factor| factor.as_f64().unwrap()).collect()
        };
        let yarn = |factor, original, [beta_fast, beta_slow]: [f64; 2], truncate| {
            scaling::Yarn { factor, original, beta_fast, beta_slow, truncate }.frequencies(width, self.base)
        };
        match self.scaled {
            Plain => series,
            Linear(factor) => scaling::linear(&series, factor),
            Ntk(factor) => scaling::ntk(width, self.base, factor),
            Llama3(factor, low, high) => scaling::llama3(&series, factor, low, high, 8192.0),
            Yarn(factor, original, betas) => yarn(factor, original, betas, true),
            YarnExact(factor, original) => yarn(factor, original, BETAS, false),
            Proportional(part) => scaling::proportional(width, self.base, part, 1.0),
            Short => scaling::divided(&series, &list("short_factor")),
            Long(_) => scaling::divided(&series, &list("long_factor")),
        }
    }

    fn assert(&self, layer: &Layer, file: &Value, what: &str) {
        let rope = layer.rope().unwrap_or_else(|| panic!("{what}: {} turns", self.label));
        assert_eq!([rope.head_dim(), rope.width(), rope.start()], self.head, "{what}");
        assert_eq!((rope.pairing(), rope.base()), (self.pairing, self.base), "{what}");
        let frequencies = rope.frequencies(self.length()).unwrap();
        let want = self.frequencies(file);
        assert_eq!(frequencies.pairs(), want.len(), "{what}");
        for ((&got, want), plain) in frequencies.as_slice().iter().zip(want).zip(plain(self.head[1], self.base)) {
            let allowed = if want == 0.0 { 0.0 } else { SCALED_RELATIVE * plain };
            assert!((got - want).abs() <= allowed, "{what}: {got:e}, not {want:e}");
        }
        for (got, want) in [(frequencies.magnitude(), self.magnitude), (layer.softmax_factor(), self.softmax_factor)] {
            assert!((got / want - 1.0).abs() <= SCALED_RELATIVE, "{what}: {got}, not {want}");
        }
        assert_eq!(rope.rotary(self.length()).unwrap().width(), rope.width(), "{what}");
    }
}

/// The model of a file: how many layers, which kinds in which order over and over, and of which keys there is a note.
fn check(name: &str, count: usize, pattern: &[usize], kinds: &[Option<Kind>], notes: &[&str]) {
    let path = format!("{}/tests/config/models/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let model = HfConfig::parse(&text).unwrap().rotary().unwrap_or_else(|error| panic!("{name}: {error}"));
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((model.kinds().len(), model.layer_count()), (kinds.len(), count), "{name}");
    for i in 0..count {
        let layer = model.layer(i).unwrap();
        match &kinds[pattern[i % pattern.len()]] {
            Some(kind) => assert_eq!((layer.label(), layer.rope().is_some()), (kind.label, true), "{name}, layer {i}"),
            None => assert!(layer.rope().is_none(), "{name}, layer {i}"),
        }
    }
    for kind in kinds.iter().flatten() {
        kind.assert(model.kind(kind.label).unwrap(), &file, name);
    }
    let found: Vec<&str> = model.notes().iter().map(note_key).collect();
    assert_eq!(found, notes, "{name}");
}

fn note_key(note: &Note) -> &str {
    match note {
        Note::Unused { key } | Note::Default { key, .. } | Note::Fraction { key } | Note::Contradiction { key, .. } => {
            key
        }
        other => panic!("{other:?}"),
    }
}

/// A model whose layers are alike, with nothing to note.
fn alike(name: &str, count: usize, kind: Kind) {
    check(name, count, &[0], &[Some(kind)], &[]);
}

#[test]
fn every_file_is_checked() {
    let source = include_str!("models.rs");
    let files = std::fs::read_dir(format!("{}/tests/config/models", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let names: Vec<String> =
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into()).collect();
    assert!(names.len() >= 25);
    for name in names {
        assert!(source.contains(&format!("\"{name}\",")), "{name}");
    }
}

#[test]
fn plain_models() {
    check("llama-2-7b", 32, &[0], &[Some(all(128, 1e4, Plain))], &["rope_theta"]);
    alike("mistral-nemo-12b", 40, all(128, 1e6, Plain));
    alike("mixtral-8x7b", 32, all(128, 1e6, Plain));
    alike("qwen2.5-7b-1m", 28, all(128, 1e7, Plain));
    alike("qwen3-8b", 36, all(128, 1e6, Plain));
    alike("gemma-2-9b", 42, all(256, 1e4, Plain));
    alike("starcoder2-3b", 30, all(128, 999_999.442_035_881_3, Plain));
    alike("command-r", 40, all(128, 8e6, Plain).interleaved());
}

#[test]
fn parts_of_heads() {
    alike("qwen3-next-80b", 48, all(256, 1e7, Plain).part(64));
    alike("phi-2", 32, all(80, 1e4, Plain).part(32));
    alike("gpt-neox-20b", 44, all(96, 1e4, Plain).part(24));
    alike("stablelm-2-1.6b", 24, all(64, 1e4, Plain).part(16));
    alike("glm-4.5-air", 46, all(128, 1e6, Plain).part(64));
    alike("glm-4-9b-0414", 40, all(128, 1e4, Plain).part(64).interleaved());
    check("gpt-j-6b", 28, &[0], &[Some(all(256, 1e4, Plain).part(64).interleaved())], &["rope_theta"]);
}

#[test]
fn scaled_models() {
    alike("llama-3.1-8b", 32, all(128, 5e5, Llama3(8.0, 1.0, 4.0)));
    alike("llama-3.2-1b", 16, all(64, 5e5, Llama3(32.0, 1.0, 4.0)));
    alike("qwen2.5-7b-yarn", 28, all(128, 1e6, Yarn(4.0, 32_768.0, BETAS)).magnitude(yarn_g(4.0, 1.0, 0.1)));
    alike("deepseek-coder-6.7b", 32, all(128, 1e5, Linear(4.0)));
    alike("internlm2-chat-7b", 32, all(128, 1e6, Plain));
    let unused = ["rope_scaling.beta_fast", "rope_scaling.beta_slow", "rope_scaling.factor", "rope_scaling.mscale"];
    let unused: Vec<&str> = unused.into_iter().chain(["rope_scaling.mscale_all_dim"]).collect();
    check("hunyuan-a13b", 32, &[0], &[Some(all(128, 1e4, Ntk(1000.0)))], &unused);
    let magnitude = longrope_magnitude(32.0, 4096.0);
    alike("phi-3.5-mini", 32, all(96, 1e4, Short).magnitude(magnitude));
    alike("phi-3.5-mini", 32, all(96, 1e4, Long(4096)).magnitude(magnitude));
    alike("gpt-oss-20b", 24, all(64, 150_000.0, YarnExact(32.0, 4096.0)).magnitude(yarn_g(32.0, 1.0, 0.1)));
    alike("ministral-3", 34, all(128, 1e6, Yarn(16.0, 16_384.0, BETAS)));
}

#[test]
fn latent_attention() {
    let deepseek = |g: f64| all(192, 1e4, Yarn(40.0, 4096.0, BETAS)).latent(128, 64).softmax(g);
    alike("deepseek-v3", 61, deepseek(yarn_g(40.0, 1.0, 0.1)));
    alike("deepseek-v2-lite", 27, deepseek(yarn_g(40.0, 0.707, 0.1)));
    let kimi = all(192, 5e4, Yarn(32.0, 4096.0, [1.0, 1.0])).latent(128, 64);
    alike("kimi-k2", 61, kimi.softmax(yarn_g(32.0, 1.0, 0.1)));
    let mistral = all(128, 1e4, Yarn(128.0, 8192.0, BETAS)).latent(64, 64);
    let mistral = mistral.softmax(yarn_g(128.0, 1.0, 0.1));
    check("mistral-4", 36, &[0], &[Some(mistral)], &["rope_parameters.max_position_embeddings"]);
}

#[test]
fn layers_that_differ() {
    let full = |head, base, scaled| Some(turns("full_attention", head, base, scaled));
    let sliding = |head, base| Some(turns("sliding_attention", head, base, Plain));
    let five = [1, 1, 1, 1, 1, 0];
    let defaults = ["text_config.rope_local_base_freq", "text_config.rope_theta", "text_config.head_dim"];
    check("gemma-3-4b", 34, &five, &[full(256, 1e6, Linear(8.0)), sliding(256, 1e4)], &defaults);
    check("gemma-4", 30, &five, &[full(512, 1e6, Proportional(0.25)), sliding(256, 1e4)], &[]);
    check("modernbert-base", 22, &[0, 1, 1], &[full(64, 160_000.0, Plain), sliding(64, 1e4)], &[]);
    let yarn = turns("full_attention", 128, 5e5, Yarn(8.0, 8192.0, BETAS)).magnitude(1.207_944_154_167_983_6);
    check("olmo-3-7b", 32, &[1, 1, 1, 0], &[Some(yarn), sliding(128, 5e5)], &[]);
}

#[test]
fn layers_that_do_not_turn() {
    let three = [0, 0, 0, 1];
    let scout = turns("rope", 128, 5e5, Llama3(16.0, 1.0, 1.0)).interleaved();
    check("llama-4-scout", 48, &three, &[Some(scout), None], &[]);
    check("smollm3-3b", 36, &three, &[Some(turns("rope", 128, 5e6, Plain)), None], &[]);
    let command = turns("sliding_attention", 128, 5e4, Plain).interleaved();
    check("command-r7b", 32, &three, &[Some(command), None], &[]);
    let exaone = turns("sliding_attention", 128, 1e6, Llama3(16.0, 1.0, 4.0));
    check("exaone-4-32b", 64, &three, &[Some(exaone), None], &[]);
}

#[test]
fn several_axes() {
    alike("qwen2-vl-7b", 28, all(128, 1e6, Plain));
    alike("qwen3-vl-8b", 36, all(128, 5e6, Plain));
    let sections = |text: &str| {
        let model = HfConfig::parse(text).unwrap().rotary().unwrap();
        let sections = crate::rope(&model).sections().unwrap();
        (sections.counts().to_vec(), sections.order())
    };
    let qwen2 = sections(include_str!("models/qwen2-vl-7b.json"));
    assert_eq!(qwen2, (vec![16, 24, 24], SectionOrder::Blocks));
    let qwen3 = sections(include_str!("models/qwen3-vl-8b.json"));
    assert_eq!(qwen3, (vec![24, 20, 20], SectionOrder::Interleaved));
}

#[test]
fn temperatures() {
    let model = |text: &str| HfConfig::parse(text).unwrap().rotary().unwrap();
    let llama4 = model(include_str!("models/llama-4-scout.json"));
    let factor = |layer: usize, position| llama4.layer(layer).unwrap().query_temperature().map(|t| t.factor(position));
    assert_eq!((factor(0, 9000), factor(3, 8190)), (None, Some(1.0)));
    assert_eq!(factor(3, 8191), Some(1.0 + 0.1 * 2.0_f64.ln()));
    for text in [include_str!("models/ministral-3.json"), include_str!("models/mistral-4.json")] {
        let model = model(text);
        let temperature = model.layer(0).unwrap().query_temperature().unwrap();
        let original = crate::models::original(text);
        assert_eq!(temperature.factor(original - 1), 1.0);
        assert_eq!(temperature.factor(original), 1.0 + 0.1 * 2.0_f64.ln());
    }
    assert_eq!(model(include_str!("models/deepseek-v3.json")).layer(0).unwrap().query_temperature(), None);
}

fn original(text: &str) -> i64 {
    let file: Value = serde_json::from_str(text).unwrap();
    file["rope_parameters"]["original_max_position_embeddings"].as_i64().unwrap()
}

//! What no configuration says, by the name of the architecture: pairing, slice, defaults. The data of
//! `docs/architectures.md`.

use super::error::ConfigError;
use super::model::{SectionOrder, Slice};
use crate::{Direction, Pairing};

/// Which part of a head turns where no key says so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// This part.
    Of(f64),
    /// So many features.
    Features(usize),
    /// A key must say so.
    Stated,
}

/// Which layers differ, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Layers {
    /// None does.
    Alike,
    /// Every so many layers, one sees everything; it alone is scaled, and the others have a base of their own.
    LocalBase { every: usize, base: f64 },
    /// The same, with one base for all.
    FullScaled { every: usize },
    /// The first of every so many layers sees everything; both kinds have a base of their own.
    FirstOf { every: usize },
    /// The last of every so many layers does not turn.
    NopeEvery { every: usize },
    /// Only layers with a sliding window turn; the last of every so many has none.
    LocalOnly { every: usize },
    /// The same, where the model has a sliding window at all.
    LocalOnlyIfWindow { every: usize },
    /// Layers with compressed keys have a base and a scaling of their own.
    Compressed,
}

/// What the scale of the scores knows of the scaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scores {
    /// Nothing.
    Plain,
    /// Multi-head latent attention: `mscale_all_dim` changes it.
    Latent,
}

/// Whether queries have a temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Temperature {
    None,
    /// On layers that do not turn.
    Llama4,
    /// On all layers.
    Ministral,
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Architecture {
    pub(super) names: &'static [&'static str],
    pub(super) pairing: Pairing,
    pub(super) direction: Direction,
    pub(super) slice: Slice,
    pub(super) part: Part,
    /// Features of a head where no key says so.
    pub(super) head: Option<usize>,
    /// The key of the wider heads of layers that see everything.
    pub(super) full_head_key: Option<&'static str>,
    /// The base where no key says so.
    pub(super) base: Option<f64>,
    pub(super) layers: Layers,
    /// How positions of several axes are read; such models must have sections.
    pub(super) sections: Option<SectionOrder>,
    pub(super) scores: Scores,
    pub(super) temperature: Temperature,
    pub(super) yarn_is_longrope: bool,
    /// The coefficient of the logarithm in YaRN's magnitude.
    pub(super) yarn_coefficient: f64,
    /// YaRN's magnitude where no key says so, if it is not the usual one.
    pub(super) yarn_magnitude: Option<f64>,
}

/// The common case: halves, the whole head, all layers alike, and a base that must be stated.
pub(super) const fn halves(names: &'static [&'static str]) -> Architecture {
    Architecture {
        names,
        pairing: Pairing::Halves,
        direction: Direction::Forward,
        slice: Slice::Leading,
        part: Part::Whole,
        head: None,
        full_head_key: None,
        base: None,
        layers: Layers::Alike,
        sections: None,
        scores: Scores::Plain,
        temperature: Temperature::None,
        yarn_is_longrope: false,
        yarn_coefficient: 0.1,
        yarn_magnitude: None,
    }
}

pub(super) const fn interleaved(names: &'static [&'static str]) -> Architecture {
    Architecture { pairing: Pairing::Interleaved, ..halves(names) }
}

/// Multi-head latent attention.
pub(super) const fn latent(names: &'static [&'static str]) -> Architecture {
    Architecture { slice: Slice::Trailing, part: Part::Stated, scores: Scores::Latent, ..interleaved(names) }
}

impl Architecture {
    pub(super) const fn base(self, base: f64) -> Self {
        Self { base: Some(base), ..self }
    }

    pub(super) const fn part(self, part: Part) -> Self {
        Self { part, ..self }
    }

    pub(super) const fn layers(self, layers: Layers) -> Self {
        Self { layers, ..self }
    }

    pub(super) const fn sections(self, order: SectionOrder) -> Self {
        Self { sections: Some(order), ..self }
    }

    pub(super) const fn temperature(self, temperature: Temperature) -> Self {
        Self { temperature, ..self }
    }
}

/// A model that is not in the table, in a pairing that the caller knows.
pub(super) const fn unknown(pairing: Pairing) -> Architecture {
    Architecture { pairing, ..halves(&["any other, with a pairing that is given"]) }
}

/// Source: the model code and the configuration classes of Hugging Face's library.
#[rustfmt::skip]
pub(super) const TABLE: &[Architecture] = &[
    halves(&["llama", "mistral", "qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "gemma", "gemma2", "olmo", "olmo2", "olmoe",
             "starcoder2", "granite", "granitemoe", "falcon"]).base(1e4),
    halves(&["mixtral"]).base(1e6),
    halves(&["gpt_oss"]).base(150_000.0),
    halves(&["internlm2", "internlm3", "seed_oss", "exaone", "arcee", "apertus", "hunyuan_v1_dense", "hunyuan_v1_moe",
             "laguna"]),
    halves(&["stablelm", "gpt_neox"]).base(1e4).part(Part::Of(0.25)),
    halves(&["nemotron", "glm4_moe"]).base(1e4).part(Part::Of(0.5)),
    halves(&["phi"]).base(1e4).part(Part::Stated),
    halves(&["minimax", "minimax_m2"]).part(Part::Stated),
    halves(&["qwen3_next"]).part(Part::Of(0.25)),
    halves(&["mimo_v2", "mimo_v2_flash"]).part(Part::Of(0.334)),
    Architecture { yarn_is_longrope: true, ..halves(&["phi3"]) }.base(1e4),
    halves(&["phimoe"]),
    Architecture { yarn_coefficient: 0.07, ..halves(&["telechat3"]) },
    Architecture { direction: Direction::Inverse, ..halves(&["nanochat"]) },
    halves(&["ministral3"]).temperature(Temperature::Ministral),
    Architecture { head: Some(256), ..halves(&["gemma3", "gemma3_text"]) }
        .base(1e6).layers(Layers::LocalBase { every: 6, base: 1e4 }),
    Architecture { head: Some(256), ..halves(&["gemma3n", "gemma3n_text"]) }
        .base(1e6).layers(Layers::LocalBase { every: 5, base: 1e4 }),
    Architecture { full_head_key: Some("global_head_dim"), ..halves(&["gemma4", "gemma4_text"]) }
        .layers(Layers::LocalBase { every: 6, base: 1e4 }),
    halves(&["olmo3"]).base(5e5).layers(Layers::FullScaled { every: 4 }),
    halves(&["modernbert"]).layers(Layers::FirstOf { every: 3 }),
    halves(&["smollm3"]).base(2e6).layers(Layers::NopeEvery { every: 4 }),
    halves(&["exaone4"]).layers(Layers::LocalOnlyIfWindow { every: 4 }),
    halves(&["qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "paddleocr_vl", "paddleocr_vl_text"])
        .sections(SectionOrder::Blocks),
    halves(&["qwen3_vl", "qwen3_vl_text", "qwen3_vl_moe", "qwen3_vl_moe_text"]).sections(SectionOrder::Interleaved),
    halves(&["glm4v_moe", "glm4v_moe_text"]).part(Part::Of(0.5)).sections(SectionOrder::Blocks),
    halves(&["hunyuan_vl", "hunyuan_vl_text"]).sections(SectionOrder::Doubled),
    interleaved(&["cohere", "roformer"]).base(1e4),
    interleaved(&["cohere2"]).base(1e4).layers(Layers::LocalOnly { every: 4 }),
    interleaved(&["glm", "glm4"]).base(1e4).part(Part::Of(0.5)),
    interleaved(&["glm4v", "glm4v_text", "glm_ocr", "glm_ocr_text"]).part(Part::Stated).sections(SectionOrder::Blocks),
    interleaved(&["gptj", "codegen"]).base(1e4).part(Part::Features(64)),
    interleaved(&["helium"]).base(1e5),
    interleaved(&["moonshine"]).base(1e4).part(Part::Of(0.9)),
    interleaved(&["ernie4_5", "ernie4_5_moe"]).base(5e5),
    interleaved(&["ernie4_5_vl_moe", "ernie4_5_vl_moe_text"]).sections(SectionOrder::HeightWidthTime),
    interleaved(&["llama4_text"]).base(5e5).layers(Layers::NopeEvery { every: 4 }).temperature(Temperature::Llama4),
    latent(&["deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2"]).base(1e4),
    latent(&["longcat_flash", "glm4_moe_lite", "glm_moe_dsa"]),
    latent(&["mistral4"]).temperature(Temperature::Ministral),
    Architecture { yarn_magnitude: Some(1.0), scores: Scores::Plain, ..latent(&["deepseek_v4"]) }
        .layers(Layers::Compressed),
];

/// Model types that do not turn: their positions are learned rows, sinusoids, or biases of the scores.
#[rustfmt::skip]
pub(super) const STILL: &[&str] = &[
    "bert", "roberta", "xlm-roberta", "camembert", "distilbert", "albert", "electra", "mpnet", "deberta", "deberta-v2",
    "gpt2", "gpt_neo", "gpt_bigcode", "opt", "xglm", "biogpt", "bloom", "mpt", "xlnet", "t5", "mt5", "umt5", "bart", "mbart",
    "pegasus", "marian", "m2m_100", "whisper", "mamba", "mamba2", "rwkv",
];

/// The line of a model type.
pub(super) fn named(key: &str, name: &str) -> Result<&'static Architecture, ConfigError> {
    let expected = "an architecture of docs/architectures.md, or a pairing given by the caller";
    TABLE
        .iter()
        .find(|architecture| architecture.names.contains(&name))
        .ok_or_else(|| ConfigError::value(key, expected, format!("{name:?}")))
}

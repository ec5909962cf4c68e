//! What no GGUF file says, by the name of the architecture. The data of the second table of `docs/architectures.md`.

use super::super::architecture::{Architecture, Layers, Temperature, halves, interleaved, latent};
use super::super::model::SectionOrder;

/// Architectures that do not turn.
pub(in super::super) const STILL: &[&str] =
    &["gpt2", "bloom", "mpt", "t5", "t5encoder", "jina-bert-v2", "jais", "refact", "mamba", "mamba2", "rwkv6"];

/// Source: `llama_model_rope_type` and the model files of llama.cpp.
#[rustfmt::skip]
pub(in super::super) const TABLE: &[Architecture] = &[
    interleaved(&["llama", "deci", "baichuan", "internlm2", "minicpm", "xverse", "command-r", "olmo", "arctic", "deepseek",
                  "chatglm", "glm4", "granite", "granitemoe", "granitehybrid", "chameleon", "arcee", "ernie4_5",
                  "ernie4_5-moe", "bailingmoe"]),
    interleaved(&["llama4"]).layers(Layers::NopeEvery { every: 4 }).temperature(Temperature::Llama4),
    interleaved(&["mistral3"]).temperature(Temperature::Ministral),
    interleaved(&["smollm3"]).layers(Layers::NopeEvery { every: 4 }),
    interleaved(&["cohere2"]).layers(Layers::LocalOnly { every: 4 }),
    latent(&["deepseek2", "mistral4", "glm-dsa"]).temperature(Temperature::Ministral),
    latent(&["plm"]),
    halves(&["falcon", "grok", "dbrx", "bert", "nomic-bert", "nomic-bert-moe", "stablelm", "bitnet", "qwen", "qwen2",
             "qwen2moe", "qwen3", "qwen3moe", "qwen3next", "olmoe", "phi2", "phi3", "phimoe", "plamo", "gemma", "gemma2",
             "starcoder2", "openelm", "gptneox", "codeshell", "orion", "nemotron", "exaone", "minicpm3", "dots1",
             "hunyuan-moe", "hunyuan-dense", "gpt-oss", "glm4moe", "seed_oss", "lfm2", "lfm2moe", "bailingmoe2", "apertus",
             "minimax-m2", "mimo2", "laguna"]),
    halves(&["gemma3"]).layers(Layers::LocalBase { every: 6, base: 1e4 }),
    halves(&["gemma3n"]).layers(Layers::LocalBase { every: 5, base: 1e4 }),
    halves(&["olmo2"]).layers(Layers::FullScaled { every: 4 }),
    halves(&["modern-bert"]).layers(Layers::FirstOf { every: 3 }),
    halves(&["exaone4"]).layers(Layers::LocalOnlyIfWindow { every: 4 }),
    halves(&["qwen2vl", "paddleocr"]).sections(SectionOrder::Blocks),
    halves(&["qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe"]).sections(SectionOrder::Interleaved),
];

pub(super) fn named(name: &str) -> Option<&'static Architecture> {
    TABLE.iter().find(|architecture| architecture.names.contains(&name))
}

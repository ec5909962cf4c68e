//! What models say about their encodings: Hugging Face's `config.json` ([`HfConfig`]), the metadata of GGUF files
//! ([`GgufConfig`]) and the attributes of ONNX operators ([`OnnxConfig`]).
//!
//! All three end in the same data: which layers turn, by which frequencies, in which pairs and where in the head; what else
//! multiplies the scores; and what was found but not understood. No key is guessed: what is missing, contradicts itself or
//! is not known is an error that names the key, what was found and what is allowed.
//!
//! ```
//! use posenc::config::HfConfig;
//! use posenc::{HeadsMut, Positions};
//!
//! let text = r#"{
//!     "model_type": "llama", "num_hidden_layers": 2, "head_dim": 64, "rope_theta": 500000.0,
//!     "max_position_embeddings": 131072,
//!     "rope_scaling": { "rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
//!                       "original_max_position_embeddings": 8192 }
//! }"#;
//! let model = HfConfig::parse(text)?.rotary()?;
//! let rope = model.layer(1).and_then(|layer| layer.rope()).expect("every layer of this model turns");
//! let rotary = rope.rotary(4096)?;
//!
//! let mut q = vec![1.0_f32; 8 * 64];
//! rotary.rotate(&mut HeadsMut::new(&mut q, [1, 8, 64])?, &Positions::from(7))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod architecture;
mod dict;
#[cfg(test)]
mod document;
mod error;
mod gguf;
mod hf;
mod layers;
mod model;
mod onnx;
mod rope;
mod widths;

pub use error::{ConfigError, Note};
pub use gguf::{GgufConfig, GgufTensor, GgufValue};
pub use hf::HfConfig;
pub use model::{Layer, ModelRotary, Rope, SectionOrder, Sections, Slice};
pub use onnx::{OnnxConfig, OnnxValue};

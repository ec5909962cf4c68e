//! The metadata of GGUF files, as key and value pairs that the caller has read.

mod model;
mod scaling;
mod table;
mod value;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::architecture::{Architecture, unknown};
use super::dict::Dict;
use super::error::{ConfigError, Note};
use super::model::ModelRotary;
use crate::Pairing;
use model::Model;
#[cfg(test)]
pub(super) use table::{STILL, TABLE};
pub use value::{GgufTensor, GgufValue};

type Result<T> = core::result::Result<T, ConfigError>;

/// The metadata of a GGUF file. The pairing is implied by the architecture; `docs/architectures.md` lists what is known.
///
/// ```
/// use posenc::Pairing;
/// use posenc::config::GgufConfig;
///
/// let metadata = [
///     ("general.architecture", "qwen2".into()),
///     ("qwen2.block_count", 28_u32.into()),
///     ("qwen2.embedding_length", 3584_u32.into()),
///     ("qwen2.attention.head_count", 28_u32.into()),
///     ("qwen2.rope.freq_base", 1_000_000.0_f32.into()),
/// ];
/// let model = GgufConfig::new(metadata).rotary()?;
/// let rope = model.layer(27).and_then(|layer| layer.rope()).expect("it turns");
/// assert_eq!((rope.width(), rope.pairing(), rope.base()), (128, Pairing::Halves, 1_000_000.0));
/// # Ok::<(), posenc::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GgufConfig {
    metadata: BTreeMap<String, GgufValue>,
    tensors: BTreeMap<GgufTensor, Vec<f64>>,
    pairing: Option<Pairing>,
}

impl GgufConfig {
    /// Takes the pairs; keys that have nothing to do with positions may be among them.
    #[must_use]
    pub fn new<K: Into<String>>(metadata: impl IntoIterator<Item = (K, GgufValue)>) -> Self {
        let metadata = metadata.into_iter().map(|(key, value)| (key.into(), value)).collect();
        Self { metadata, tensors: BTreeMap::new(), pairing: None }
    }

    /// Adds a tensor.
    #[must_use]
    pub fn with_tensor(mut self, tensor: GgufTensor, values: &[f32]) -> Self {
        self.tensors.insert(tensor, values.iter().map(|&value| value.into()).collect());
        self
    }

    /// States the pairing of an architecture that is not known.
    ///
    /// ```
    /// use posenc::Pairing;
    /// use posenc::config::GgufConfig;
    ///
    /// let metadata = [("general.architecture", "new".into()), ("new.block_count", 1_u32.into()),
    ///                 ("new.attention.key_length", 64_u32.into())];
    /// let config = GgufConfig::new(metadata);
    /// assert_eq!(config.rotary().unwrap_err().key(), "general.architecture");
    /// assert!(config.with_pairing(Pairing::Interleaved).rotary().is_ok());
    /// # Ok::<(), posenc::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn with_pairing(self, pairing: Pairing) -> Self {
        Self { pairing: Some(pairing), ..self }
    }

    /// What each layer needs.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] that names the key or the tensor.
    pub fn rotary(&self) -> Result<ModelRotary> {
        let name = match self.metadata.get("general.architecture") {
            Some(GgufValue::Text(name)) => name,
            Some(other) => return Err(ConfigError::value("general.architecture", "a text", other.json())),
            None => return Err(ConfigError::missing("general.architecture", "the name of an architecture")),
        };
        let prefix = format!("{name}.");
        let own =
            self.metadata.iter().filter_map(|(key, value)| Some((key.strip_prefix(&prefix)?.into(), value.json())));
        let map: Map<String, Value> = own.collect();
        let keys = Dict::new(name.as_str(), &map);
        if table::STILL.contains(&name.as_str()) {
            let layers = keys.layers_of_blocks()?;
            return Ok(ModelRotary::still(layers));
        }
        let architecture = match (table::named(name), self.pairing) {
            (Some(known), Some(pairing)) => Architecture { pairing, ..*known },
            (Some(known), None) => *known,
            (None, Some(pairing)) => unknown(pairing).base(1e4),
            (None, None) => {
                let expected = "an architecture of docs/architectures.md, or a pairing given by the caller";
                return Err(ConfigError::value("general.architecture", expected, format!("{name:?}")));
            }
        };
        let model = Model { keys: &keys, tensors: &self.tensors, architecture: &architecture };
        let (kinds, layers) = model.read()?;
        let mut notes = keys.notes_and_unread();
        let unused = format!("{name}.rope.");
        notes.retain(|note| !matches!(note, Note::Unused { key } if !key.starts_with(&unused)));
        Ok(ModelRotary { kinds, layers, notes })
    }
}

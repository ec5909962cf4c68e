//! `config.json` of Hugging Face's library, in the spelling before version 5 and since.

use serde_json::{Map, Value};

use super::architecture::{Architecture, Part, STILL, Scores, Temperature, named, unknown};
use super::dict::Dict;
use super::error::{ConfigError, Note};
use super::layers::{self, Plan};
use super::model::{Layer, ModelRotary, Rope};
use super::rope::{Context, Kind};
use crate::{Pairing, QueryTemperature};

type Result<T> = core::result::Result<T, ConfigError>;

/// A model's `config.json`.
///
/// Both spellings are read: `rope_theta` and `rope_scaling`, and `rope_parameters`, flat or one object a kind of layer. The
/// keys of a language model inside a multi-modal one are those of `text_config`. What the file does not say (pairing, slice,
/// defaults) is known by `model_type`; `docs/architectures.md` lists what is known.
///
/// ```
/// use posenc::config::HfConfig;
///
/// let text = r#"{ "model_type": "gpt_oss", "num_hidden_layers": 24, "head_dim": 64, "max_position_embeddings": 131072,
///     "rope_parameters": { "rope_type": "yarn", "rope_theta": 150000.0, "factor": 32.0, "truncate": false,
///                          "original_max_position_embeddings": 4096 } }"#;
/// let model = HfConfig::parse(text)?.rotary()?;
/// assert!(model.notes().is_empty());
/// let rope = model.layer(23).and_then(|layer| layer.rope()).expect("it turns");
/// let frequencies = rope.frequencies(1).expect("they were checked");
/// assert!((frequencies.magnitude() - 1.346_573_59).abs() < 1e-8);
/// # Ok::<(), posenc::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HfConfig {
    value: Value,
    pairing: Option<Pairing>,
}

impl HfConfig {
    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Syntax`] if it is not JSON.
    pub fn parse(text: &str) -> Result<Self> {
        let value = serde_json::from_str(text).map_err(|error| ConfigError::Syntax { message: error.to_string() })?;
        Ok(Self { value, pairing: None })
    }

    /// Takes JSON that was read already.
    ///
    /// ```
    /// use posenc::config::HfConfig;
    ///
    /// let value = serde_json::json!({ "model_type": "llama", "num_hidden_layers": 3, "head_dim": 64, "rope_theta": 1e4 });
    /// assert_eq!(HfConfig::from_value(value).rotary()?.layer_count(), 3);
    /// # Ok::<(), posenc::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn from_value(value: Value) -> Self {
        Self { value, pairing: None }
    }

    /// States the pairing: for architectures that are not known, and in place of the known one for files whose weights
    /// were permuted.
    ///
    /// ```
    /// use posenc::Pairing;
    /// use posenc::config::HfConfig;
    ///
    /// let text = r#"{ "model_type": "new", "num_hidden_layers": 1, "head_dim": 64, "rope_theta": 10000.0 }"#;
    /// let config = HfConfig::parse(text)?;
    /// assert_eq!(config.rotary().unwrap_err().key(), "model_type");
    /// assert!(config.with_pairing(Pairing::Halves).rotary().is_ok());
    /// # Ok::<(), posenc::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn with_pairing(self, pairing: Pairing) -> Self {
        Self { pairing: Some(pairing), ..self }
    }

    /// What each layer needs. Models that are known not to turn have one kind of layers, without a
    /// [`rope`](Layer::rope).
    ///
    /// ```
    /// use posenc::config::HfConfig;
    ///
    /// let model = HfConfig::parse(r#"{ "model_type": "gpt2", "n_layer": 12 }"#)?.rotary()?;
    /// assert_eq!((model.layer_count(), model.kinds()[0].rope()), (12, None));
    /// # Ok::<(), posenc::config::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] that names the key. Heads above 4096 features are refused.
    pub fn rotary(&self) -> Result<ModelRotary> {
        let outer = self.value.as_object().ok_or_else(|| ConfigError::value("config", "an object", &self.value))?;
        let outside = Dict::new("", outer);
        let text = outside.object("text_config")?;
        let config = text.map_or_else(|| Dict::new("", outer), |text| Dict::new("text_config", text));
        if self.is_still(&config, &outside)? {
            let layers = config.layers()?.ok_or_else(|| config.missing("num_hidden_layers", "a whole number"))?;
            return Ok(ModelRotary::still(layers));
        }
        let architecture = self.architecture(&config, &outside)?;
        Model { config, architecture: &architecture }.read()
    }

    /// Whether the architecture does not turn, and nothing in the file speaks of turning.
    fn is_still(&self, config: &Dict<'_>, outside: &Dict<'_>) -> Result<bool> {
        let known = name(config, outside)?.is_some_and(|(_, name)| STILL.contains(&name));
        Ok(known && self.pairing.is_none() && !speaks_of_turning(config.map()))
    }

    /// The line of the table, with the pairing that was stated.
    fn architecture(&self, config: &Dict<'_>, outside: &Dict<'_>) -> Result<Architecture> {
        let known = match name(config, outside)? {
            Some((key, name)) => named(&key, name),
            None => Err(config.missing("model_type", "the name of an architecture, or a pairing given by the caller")),
        };
        match (known, self.pairing) {
            (Ok(known), Some(pairing)) => Ok(Architecture { pairing, ..*known }),
            (Ok(known), None) => Ok(*known),
            (Err(_), Some(pairing)) => Ok(unknown(pairing)),
            (Err(error), None) => Err(error),
        }
    }
}

/// The name of the architecture, and the key that says so.
fn name<'a>(config: &Dict<'a>, outside: &Dict<'a>) -> Result<Option<(String, &'a str)>> {
    Ok(match config.text("model_type")? {
        Some(name) => Some((config.key("model_type"), name)),
        None => outside.text("model_type")?.map(|name| ("model_type".to_string(), name)),
    })
}

/// Whether there are keys of rotations, as code that is not Hugging Face's puts them beside a known name.
fn speaks_of_turning(keys: &Map<String, Value>) -> bool {
    keys.iter().any(|(key, value)| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Object(keys) if key == "attn_config" => speaks_of_turning(keys),
        Value::String(text) if key == "position_embedding_type" => text.starts_with("ro"),
        _ => key.starts_with("rope") || key.starts_with("rotary"),
    })
}

/// A configuration and its architecture.
pub(super) struct Model<'a> {
    pub(super) config: Dict<'a>,
    pub(super) architecture: &'a Architecture,
}

impl Model<'_> {
    fn read(self) -> Result<ModelRotary> {
        let Plan { kinds, layers } = Plan::read(&self.config, self.architecture)?;
        let kinds: Vec<Layer> = kinds.iter().map(|kind| self.layer(kind)).collect::<Result<_>>()?;
        Ok(ModelRotary { kinds, layers, notes: self.config.notes() })
    }

    fn layer(&self, kind: &layers::Kind) -> Result<Layer> {
        let label = kind.label.clone();
        let Some(keys) = &kind.keys else {
            return Ok(Layer { label, rope: None, softmax_factor: 1.0, temperature: self.still_temperature()? });
        };
        let dict = Dict::new(kind.path.clone(), keys);
        let layer = self.turning(label, kind.base, &dict)?;
        dict.notes_and_unread().into_iter().for_each(|note| self.config.note(note));
        Ok(layer)
    }

    fn turning(&self, label: String, base: Option<f64>, dict: &Dict<'_>) -> Result<Layer> {
        let (part, key) = self.part(dict)?;
        let context = Context {
            part: if let Part::Of(part) = part { Some(part) } else { None },
            architecture: self.architecture,
            longest: self.config.count("max_position_embeddings")?,
            original_beside: self.config.count("original_max_position_embeddings")?,
        };
        let kind = Kind::read(dict, self.architecture)?;
        let read = context.read(dict, kind)?;
        let base = match dict.factor("rope_theta")?.or(base) {
            Some(base) => base,
            None => return Err(self.config.missing("rope_theta", "a positive number")),
        };
        let (head_dim, width) = self.widths(&label, kind, part, key)?;
        let rope = Rope {
            head_dim,
            width,
            base,
            rule: read.rule,
            pairing: self.pairing()?,
            direction: self.architecture.direction,
            slice: self.architecture.slice,
            sections: self.sections(dict, kind, width / 2)?,
        };
        let rope = Some(rope.checked(dict.path())?);
        Ok(Layer { label, rope, softmax_factor: read.softmax_factor, temperature: read.temperature })
    }

    /// Of layers that do not turn.
    fn still_temperature(&self) -> Result<Option<QueryTemperature>> {
        let tuned = match self.config.get("attn_temperature_tuning") {
            Some(Value::Bool(tuned)) => *tuned,
            Some(Value::Number(tuned)) => tuned.as_f64() != Some(0.0),
            Some(other) => {
                let key = self.config.key("attn_temperature_tuning");
                return Err(ConfigError::value(key, "true, false or a number", other));
            }
            None => true,
        };
        if self.architecture.temperature != Temperature::Llama4 || !tuned {
            return Ok(None);
        }
        let number = |key: &str, default: f64| match self.config.factor(key)? {
            Some(number) => Ok::<f64, ConfigError>(number),
            None => {
                self.config.note(Note::Default { key: self.config.key(key), value: default.to_string() });
                Ok(default)
            }
        };
        let temperature = QueryTemperature::llama4(number("attn_scale", 0.1)?, number("floor_scale", 8192.0)?);
        temperature.map(Some).map_err(ConfigError::refused(&self.config.key("floor_scale")))
    }

    /// Models with latent attention may say that their weights are permuted.
    fn pairing(&self) -> Result<Pairing> {
        if self.architecture.scores != Scores::Latent {
            return Ok(self.architecture.pairing);
        }
        Ok(match self.config.flag("rope_interleave")? {
            Some(true) => Pairing::Interleaved,
            Some(false) => Pairing::Halves,
            None => self.architecture.pairing,
        })
    }
}

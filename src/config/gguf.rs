//! The metadata of GGUF files, as key and value pairs that the caller has read.

mod table;

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use super::architecture::{Architecture, Layers, Scores, Temperature, unknown};
use super::dict::Dict;
use super::error::{ConfigError, Note};
use super::hf::{fits, sum_up};
use super::layers::{FULL, SLIDING};
use super::model::{Layer, ModelRotary, Rope, SectionOrder, Sections};
use super::rope::Rule;
use crate::{FactorList, LongRope, Pairing, QueryTemperature, Scaling, Yarn};

#[cfg(test)]
pub(super) use table::{STILL, TABLE};

type Result<T> = core::result::Result<T, ConfigError>;

/// A value of the metadata. Numbers and texts turn into it by `into`.
///
/// ```
/// use posenc::config::GgufValue;
///
/// assert_eq!(GgufValue::from(128_u32), GgufValue::Unsigned(128));
/// assert_eq!(GgufValue::from(0.5_f32), GgufValue::Float(0.5));
/// assert_eq!(GgufValue::from("yarn"), GgufValue::Text("yarn".into()));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GgufValue {
    /// Any unsigned integer.
    Unsigned(u64),
    /// Any signed integer.
    Signed(i64),
    /// Any floating point number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(String),
    /// An array.
    List(Vec<GgufValue>),
}

macro_rules! value {
    ($($type:ty => $variant:ident),*) => {
        $(impl From<$type> for GgufValue {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        })*
    };
}

value!(u8 => Unsigned, u16 => Unsigned, u32 => Unsigned, u64 => Unsigned, i8 => Signed, i16 => Signed, i32 => Signed);
value!(i64 => Signed, f32 => Float, f64 => Float, bool => Bool, &str => Text, String => Text);

impl<T: Into<GgufValue>> From<Vec<T>> for GgufValue {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl GgufValue {
    /// As JSON, which has no numbers that are not finite: those become texts, and are refused where a number is expected.
    fn json(&self) -> Value {
        match self {
            Self::Unsigned(number) => (*number).into(),
            Self::Signed(number) => (*number).into(),
            Self::Float(number) => Number::from_f64(*number).map_or_else(|| number.to_string().into(), Value::Number),
            Self::Bool(flag) => (*flag).into(),
            Self::Text(text) => text.as_str().into(),
            Self::List(values) => values.iter().map(Self::json).collect(),
        }
    }
}

/// A tensor that changes frequencies.
///
/// ```
/// use posenc::config::{GgufConfig, GgufTensor};
///
/// // Llama-3 files hold the scaling as divisors.
/// let metadata = [("general.architecture", "llama".into()), ("llama.block_count", 1_u32.into()),
///                 ("llama.rope.dimension_count", 4_u32.into()), ("llama.attention.key_length", 4_u32.into())];
/// let model = GgufConfig::new(metadata).with_tensor(GgufTensor::RopeFreqs, &[1.0, 8.0]).rotary()?;
/// let rope = model.layer(0).and_then(|layer| layer.rope()).expect("it turns");
/// assert_eq!(rope.frequencies(1).expect("they were checked").as_slice(), [1.0, 0.01 / 8.0]);
/// # Ok::<(), posenc::config::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum GgufTensor {
    /// `rope_freqs.weight`: a divisor for each pair.
    RopeFreqs,
    /// `rope_factors_short.weight`: divisors for sequences within the trained context.
    RopeFactorsShort,
    /// `rope_factors_long.weight`: divisors for sequences beyond it.
    RopeFactorsLong,
}

impl GgufTensor {
    fn name(self) -> &'static str {
        match self {
            Self::RopeFreqs => "rope_freqs.weight",
            Self::RopeFactorsShort => "rope_factors_short.weight",
            Self::RopeFactorsLong => "rope_factors_long.weight",
        }
    }
}

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
            let still = Layer { label: "all".into(), rope: None, softmax_factor: 1.0, temperature: None };
            return Ok(ModelRotary { kinds: vec![still], layers: vec![0; layers], notes: Vec::new() });
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

/// The keys of an architecture, and what is known of it.
struct Model<'a> {
    keys: &'a Dict<'a>,
    tensors: &'a BTreeMap<GgufTensor, Vec<f64>>,
    architecture: &'a Architecture,
}

/// Whether a kind of layer has the keys of layers with a sliding window (`_swa`).
#[derive(Clone, Copy, PartialEq)]
enum Window {
    Full,
    Sliding,
}

impl Model<'_> {
    fn read(&self) -> Result<(Vec<Layer>, Vec<usize>)> {
        let count = self.keys.layers_of_blocks()?;
        let window = self.keys.count("attention.sliding_window")?;
        let still = |label: &str| -> Result<Layer> {
            let temperature = self.temperature(Temperature::Llama4)?;
            Ok(Layer { label: label.into(), rope: None, softmax_factor: 1.0, temperature })
        };
        match self.architecture.layers {
            Layers::NopeEvery { every } if window != Some(0) => {
                let layers = (0..count).map(|i| usize::from((i + 1) % every == 0)).collect();
                Ok((vec![self.turning("rope", Window::Full)?, still("nope")?], layers))
            }
            Layers::LocalOnly { every } => {
                Ok((vec![still(FULL)?, self.turning(SLIDING, Window::Full)?], self.pattern(count, every, every - 1)?))
            }
            Layers::LocalOnlyIfWindow { every } if window.is_some_and(|window| window > 0) => {
                Ok((vec![still(FULL)?, self.turning(SLIDING, Window::Full)?], self.pattern(count, every, every - 1)?))
            }
            Layers::LocalBase { every, .. } => self.both(count, every, every - 1),
            Layers::FullScaled { every } if window.is_some_and(|window| window > 0) => {
                self.both(count, every, every - 1)
            }
            Layers::FirstOf { every } => self.both(count, every, 0),
            _ if self.keys.get("rope.freq_base_swa").is_some() => self.both(count, 0, 0),
            _ => Ok((vec![self.turning("all", Window::Full)?], vec![0; count])),
        }
    }

    fn both(&self, count: usize, every: usize, full: usize) -> Result<(Vec<Layer>, Vec<usize>)> {
        let kinds = vec![self.turning(FULL, Window::Full)?, self.turning(SLIDING, Window::Sliding)?];
        Ok((kinds, self.pattern(count, every, full)?))
    }

    /// The kind of each layer, 0 for those that see everything: as stated, or the architecture's own.
    fn pattern(&self, count: usize, every: usize, full: usize) -> Result<Vec<usize>> {
        let key = "attention.sliding_window_pattern";
        if let Some(list) = self.keys.get(key).and_then(Value::as_array) {
            let slides: Option<Vec<usize>> = list.iter().map(|slides| slides.as_bool().map(usize::from)).collect();
            return match slides {
                Some(slides) if slides.len() == count => Ok(slides),
                _ => {
                    let expected = format!("a number, or true or false for each of {count} layers");
                    Err(ConfigError::value(self.keys.key(key), expected, Value::from(list.clone())))
                }
            };
        }
        let (every, full) = match self.keys.count(key)? {
            Some(stated) if stated > 0 => (stated, if full == 0 { 0 } else { stated - 1 }),
            _ => (every, full),
        };
        if every == 0 {
            return Err(self.keys.missing(key, "a number, or true or false for each layer"));
        }
        Ok((0..count).map(|i| usize::from(i % every != full)).collect())
    }

    fn turning(&self, label: &str, window: Window) -> Result<Layer> {
        let own = |key: &str| if window == Window::Sliding { format!("{key}_swa") } else { key.to_string() };
        let either = |key: &str| match self.keys.count(&own(key))? {
            None => self.keys.count(key),
            found => Ok::<_, ConfigError>(found),
        };
        let head = match self.keys.count("attention.key_length_mla")? {
            None => either("attention.key_length")?,
            found => found,
        };
        let head = head.map_or_else(|| self.head(), Ok)?;
        let (head_dim, width) =
            fits(self.keys.key("rope.dimension_count"), head, either("rope.dimension_count")?.unwrap_or(head))?;
        let (scaling, softmax_factor) = match (window, self.architecture.layers) {
            // These scale the layers that see everything, and no others.
            (Window::Sliding, Layers::LocalBase { .. } | Layers::FullScaled { .. } | Layers::FirstOf { .. }) => {
                (Rule::Fixed(Vec::new()), 1.0)
            }
            _ => self.scaling()?,
        };
        let sections = self.sections(width / 2)?;
        // The modes of several axes pair halves, whatever the architecture does otherwise.
        let pairing = if sections.is_some() { Pairing::Halves } else { self.architecture.pairing };
        let rope = Rope {
            head_dim,
            width,
            base: self.base(window)?,
            rule: scaling,
            pairing,
            direction: self.architecture.direction,
            slice: self.architecture.slice,
            sections,
        };
        let rope = Some(rope.checked(&self.keys.key("rope"))?);
        let temperature = self.temperature(Temperature::Ministral)?;
        Ok(Layer { label: label.into(), rope, softmax_factor, temperature })
    }

    fn base(&self, window: Window) -> Result<f64> {
        let (key, default) = match (window, self.architecture.layers) {
            (Window::Sliding, Layers::LocalBase { base, .. }) => ("rope.freq_base_swa", base),
            (Window::Sliding, _) => match self.keys.factor("rope.freq_base_swa")? {
                Some(base) => return Ok(base),
                None => return self.base(Window::Full),
            },
            (Window::Full, _) => ("rope.freq_base", 1e4),
        };
        match self.keys.factor(key)? {
            Some(base) => Ok(base),
            None => {
                self.keys.note(Note::Default { key: self.keys.key(key), value: default.to_string() });
                Ok(default)
            }
        }
    }

    fn head(&self) -> Result<usize> {
        let (embedding, heads) = (self.keys.count("embedding_length")?, self.keys.count("attention.head_count")?);
        match (embedding, heads) {
            (Some(embedding), Some(heads)) if heads > 0 && embedding % heads == 0 => Ok(embedding / heads),
            (Some(embedding), Some(heads)) => {
                let expected = format!("a multiple of the {heads} heads");
                Err(ConfigError::value(self.keys.key("embedding_length"), expected, embedding))
            }
            _ => {
                Err(self.keys.missing("attention.key_length", "a number, or embedding_length and attention.head_count"))
            }
        }
    }

    /// The scaling, and what it makes of the scale of the scores.
    fn scaling(&self) -> Result<(Rule, f64)> {
        let factor = match self.keys.number("rope.scaling.factor")? {
            None => self.keys.number("rope.scale_linear")?,
            factor => factor,
        };
        // Zero stands for an absent factor.
        let factor = factor.filter(|&factor| factor != 0.0);
        let kind = self.keys.text("rope.scaling.type")?;
        let (mut scalings, mut softmax_factor) = (Vec::new(), 1.0);
        if let Some(alpha) = self.keys.factor("rope.scaling.alpha")?.filter(|&alpha| alpha != 1.0) {
            scalings.push(Scaling::ntk(alpha));
        }
        match kind {
            Some("linear") | None => scalings.extend(factor.map(Scaling::linear)),
            Some("none") => {}
            Some("yarn") => {
                let (yarn, latent) = self.yarn(factor)?;
                softmax_factor = latent;
                scalings.push(yarn.into());
            }
            Some("longrope") => {}
            Some(other) => {
                let expected = "one of none, linear, yarn, longrope";
                return Err(ConfigError::value(self.keys.key("rope.scaling.type"), expected, format!("{other:?}")));
            }
        }
        let list = |tensor: GgufTensor| self.tensors.get(&tensor).cloned();
        let lists = (list(GgufTensor::RopeFactorsShort), list(GgufTensor::RopeFactorsLong));
        if let (Some(short), Some(long)) = lists {
            return Ok((self.longrope(short, long, factor)?, softmax_factor));
        }
        if kind == Some("longrope")
            || list(GgufTensor::RopeFactorsShort).or(list(GgufTensor::RopeFactorsLong)).is_some()
        {
            let absent =
                [GgufTensor::RopeFactorsShort, GgufTensor::RopeFactorsLong].map(|tensor| (tensor, list(tensor)));
            let name = absent.iter().find(|(_, list)| list.is_none()).map_or("", |(tensor, _)| tensor.name());
            return Err(ConfigError::missing(name, "a tensor with a divisor for each pair"));
        }
        scalings.extend(list(GgufTensor::RopeFreqs).map(Scaling::Divisors));
        Ok((Rule::Fixed(scalings), softmax_factor))
    }

    fn original(&self) -> Result<usize> {
        match self.keys.count("rope.scaling.original_context_length")? {
            None => self.keys.required_count("context_length"),
            Some(original) => Ok(original),
        }
    }

    fn yarn(&self, factor: Option<f64>) -> Result<(Yarn, f64)> {
        let factor = factor.ok_or_else(|| self.keys.missing("rope.scaling.factor", "a positive number"))?;
        if let Some(part) = self.keys.number("rope.scaling.yarn_ext_factor")?
            && part >= 0.0
            && part != 1.0
        {
            return Err(ConfigError::value(self.keys.key("rope.scaling.yarn_ext_factor"), "1, or nothing", part));
        }
        let beta = |key: &str, default: f64| Ok::<f64, ConfigError>(self.keys.factor(key)?.unwrap_or(default));
        let betas = (beta("rope.scaling.yarn_beta_fast", 32.0)?, beta("rope.scaling.yarn_beta_slow", 1.0)?);
        let latent = self.architecture.scores == Scores::Latent;
        let stored = self.keys.number("rope.scaling.yarn_log_multiplier")?.unwrap_or(0.0);
        // Converters store a tenth of it for models with latent attention, whose mscale is the same number.
        let all = if latent { stored / 0.1 } else { stored };
        let yarn = Yarn::new(factor, self.original()?)
            .with_betas(betas.0, betas.1)
            .with_mscale(if latent { all } else { 1.0 }, all);
        let softmax_factor = if latent { yarn.softmax_factor() } else { 1.0 };
        let yarn = match self.keys.factor("rope.scaling.attn_factor")? {
            Some(on_top) => yarn.with_attention_factor(yarn.magnitude() * on_top),
            None => yarn,
        };
        Ok((yarn, softmax_factor))
    }

    fn longrope(&self, short: Vec<f64>, long: Vec<f64>, factor: Option<f64>) -> Result<Rule> {
        if let Some(factor) = factor.filter(|&factor| factor != 1.0) {
            let expected = "1, or nothing, beside rope_factors_short and rope_factors_long";
            return Err(ConfigError::value(self.keys.key("rope.scaling.factor"), expected, factor));
        }
        let original = self.original()?;
        let magnitude = self.keys.factor("rope.scaling.attn_factor")?.unwrap_or(1.0);
        let lists = LongRope::new(short, long, 1.0, original, FactorList::Short);
        Ok(Rule::LongRope { lists, original, magnitudes: [Some(magnitude); 2] })
    }

    fn sections(&self, pairs: usize) -> Result<Option<Sections>> {
        let key = "rope.dimension_sections";
        let Some(mut counts) = self.keys.counts(key)? else {
            return match self.architecture.sections {
                Some(_) => Err(self.keys.missing(key, "a list of pairs for each axis")),
                None => Ok(None),
            };
        };
        while counts.last() == Some(&0) {
            counts.pop();
        }
        if counts.is_empty() && self.architecture.sections.is_none() {
            return Ok(None);
        }
        let counts = sum_up(self.keys.key(key), counts, pairs)?;
        Ok(Some(Sections { counts, order: self.architecture.sections.unwrap_or(SectionOrder::Blocks) }))
    }

    /// The temperature of layers that turn, or of those that do not.
    fn temperature(&self, which: Temperature) -> Result<Option<QueryTemperature>> {
        if self.architecture.temperature != which {
            return Ok(None);
        }
        let [scale, length] = ["attention.temperature_scale", "attention.temperature_length"];
        let refused = |error| ConfigError::Refused { key: self.keys.key(scale), error };
        match (which, self.keys.number(scale)?) {
            (Temperature::Llama4, scale) => {
                let length = self.keys.factor(length)?.unwrap_or(8192.0);
                QueryTemperature::llama4(scale.unwrap_or(0.1), length).map(Some).map_err(refused)
            }
            (Temperature::Ministral, Some(scale)) if scale != 0.0 => {
                let length = self.keys.required_factor(length)?;
                QueryTemperature::ministral(scale, length).map(Some).map_err(refused)
            }
            _ => Ok(None),
        }
    }
}

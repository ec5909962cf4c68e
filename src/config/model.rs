//! What a configuration comes to: rules for layers, and which layer has which.

use super::error::{ConfigError, Note};
use super::rope::Rule;
use crate::error::{Error, Result};
use crate::{Axes, Direction, Frequencies, MagnitudeRule, Pairing, QueryTemperature, Rotary};

/// The rotary encodings of a model: one rule for each kind of layer.
///
/// ```
/// use posenc::config::HfConfig;
///
/// // Gemma-3: five layers with a sliding window, then one that sees everything.
/// let text = r#"{ "model_type": "gemma3_text", "num_hidden_layers": 6, "head_dim": 256, "rope_theta": 1000000.0,
///                 "rope_local_base_freq": 10000.0, "sliding_window_pattern": 6,
///                 "rope_scaling": { "rope_type": "linear", "factor": 8.0 } }"#;
/// let model = HfConfig::parse(text)?.rotary()?;
/// assert_eq!((model.kinds().len(), model.layer_count()), (2, 6));
/// let first = |layer: usize| model.layer(layer)?.rope()?.frequencies(1).ok().map(|f| f.as_slice()[0]);
/// assert_eq!((first(4), first(5), first(6)), (Some(1.0), Some(0.125), None));
/// assert_eq!(model.kind("full_attention"), model.layer(5));
/// # Ok::<(), posenc::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRotary {
    pub(super) kinds: Vec<Layer>,
    /// The kind of each layer.
    pub(super) layers: Vec<usize>,
    pub(super) notes: Vec<Note>,
}

impl ModelRotary {
    /// A model that does not turn.
    pub(super) fn still(layers: usize) -> Self {
        let still = Layer { label: "all".into(), rope: None, softmax_factor: 1.0, temperature: None };
        Self { kinds: vec![still], layers: vec![0; layers], notes: Vec::new() }
    }

    /// The kinds of layers that the configuration tells apart.
    #[must_use]
    pub fn kinds(&self) -> &[Layer] {
        &self.kinds
    }

    /// The kind of that name; a model whose layers are all alike has one, `all`.
    #[must_use]
    pub fn kind(&self, label: &str) -> Option<&Layer> {
        self.kinds.iter().find(|kind| kind.label == label)
    }

    /// How many layers there are; 0 where the configuration does not say, or not which layer is of which kind.
    #[must_use]
    pub fn layer_count(&self) -> usize {
        self.layers.len()
    }

    /// What a layer has; `None` beyond the last.
    #[must_use]
    pub fn layer(&self, index: usize) -> Option<&Layer> {
        self.layers.get(index).and_then(|&kind| self.kinds.get(kind))
    }

    /// What was found and not used, and which defaults were.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

/// What the layers of one kind need.
///
/// ```
/// use posenc::config::HfConfig;
///
/// // SmolLM3: every fourth layer does not turn.
/// let text = r#"{ "model_type": "smollm3", "num_hidden_layers": 4, "head_dim": 128, "rope_theta": 5000000.0,
///                 "no_rope_layers": [1, 1, 1, 0] }"#;
/// let model = HfConfig::parse(text)?.rotary()?;
/// let turns = |layer: usize| model.layer(layer).is_some_and(|layer| layer.rope().is_some());
/// assert_eq!([0, 1, 2, 3].map(turns), [true, true, true, false]);
///
/// let layer = model.layer(0).expect("the first of four");
/// assert_eq!((layer.label(), layer.softmax_factor(), layer.query_temperature()), ("rope", 1.0, None));
/// # Ok::<(), posenc::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    pub(super) label: String,
    pub(super) rope: Option<Rope>,
    pub(super) softmax_factor: f64,
    pub(super) temperature: Option<QueryTemperature>,
}

impl Layer {
    /// The name of the kind, as the configuration has it.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// How queries and keys turn; `None` for layers without positions ("NoPE").
    #[must_use]
    pub fn rope(&self) -> Option<&Rope> {
        self.rope.as_ref()
    }

    /// What the scale of the scores is multiplied by, besides `1/sqrt(head_dim)`: other than 1 in models with multi-head
    /// latent attention and YaRN.
    #[must_use]
    pub fn softmax_factor(&self) -> f64 {
        self.softmax_factor
    }

    /// What queries are multiplied by, according to their position.
    #[must_use]
    pub fn query_temperature(&self) -> Option<QueryTemperature> {
        self.temperature
    }
}

/// Which part of a head turns.
///
/// ```
/// use posenc::config::{HfConfig, Slice};
///
/// let text = r#"{ "model_type": "deepseek_v3", "num_hidden_layers": 1, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
///                 "rope_theta": 10000.0 }"#;
/// let model = HfConfig::parse(text)?.rotary()?;
/// let rope = model.layer(0).and_then(|layer| layer.rope()).expect("it turns");
/// assert_eq!((rope.slice(), rope.head_dim(), rope.width(), rope.start()), (Slice::Trailing, 192, 64, 128));
/// # Ok::<(), posenc::config::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slice {
    /// The first features.
    Leading,
    /// The last features: multi-head latent attention.
    Trailing,
}

/// In which order the pairs read the axes of a multi-axis position. Making such positions is the caller's; text has one
/// position on all axes ([`Positions::on_all_axes`](crate::Positions::on_all_axes)).
///
/// ```
/// use posenc::config::{HfConfig, SectionOrder};
///
/// let text = r#"{ "model_type": "qwen2_vl", "num_hidden_layers": 1, "head_dim": 128, "rope_theta": 1000000.0,
///                 "rope_scaling": { "type": "mrope", "mrope_section": [16, 24, 24] } }"#;
/// let model = HfConfig::parse(text)?.rotary()?;
/// let sections = model.kinds()[0].rope().and_then(|rope| rope.sections()).expect("it has sections");
/// assert_eq!((sections.counts(), sections.order()), (&[16, 24, 24][..], SectionOrder::Blocks));
/// assert_eq!(model.kinds()[0].rope().and_then(|rope| rope.frequencies(1).ok()).map(|f| f.axes()), Some(3));
/// # Ok::<(), posenc::config::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SectionOrder {
    /// The pairs of the first axis, then those of the second, and so on: Qwen2-VL.
    Blocks,
    /// Pair `j` reads axis `j mod 3` while that axis has pairs left, else the first: Qwen3-VL. The weights of a GGUF file were
    /// trained so, too, although ggml has a fourth axis for what is left.
    Interleaved,
    /// Height and width take turns, the last pairs read time; the sections are listed in that order: ERNIE-4.5-VL.
    HeightWidthTime,
    /// Sections of features over the doubled table, so that the two features of a pair may read different axes: HunYuan-VL.
    /// Beside text this is no rotation: the frequencies and handles made here are those of one axis, for text alone, and
    /// [`Axes::doubled`] gives the axes of the two that together serve pictures.
    Doubled,
}

/// How many pairs read which axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sections {
    pub(super) counts: Vec<usize>,
    pub(super) order: SectionOrder,
}

impl Sections {
    /// As many pairs of each axis; together the pairs of the encoding.
    #[must_use]
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// Which pairs they are.
    #[must_use]
    pub fn order(&self) -> SectionOrder {
        self.order
    }

    /// The axis of each pair; `None` where the two features of a pair read different ones.
    fn axes(&self) -> Result<Option<Axes>> {
        match (self.order, &self.counts[..]) {
            (SectionOrder::Blocks, counts) => Axes::sectioned(counts).map(Some),
            (SectionOrder::Interleaved, counts) => Axes::interleaved(counts).map(Some),
            (SectionOrder::HeightWidthTime, &[h, w, t]) => Axes::ernie([h, w, t]).map(Some),
            (SectionOrder::HeightWidthTime, counts) => {
                Err(Error::Length { what: "sections of height, width and time", expected: 3, found: counts.len() })
            }
            (SectionOrder::Doubled, _) => Ok(None),
        }
    }
}

/// How the queries and keys of a layer turn.
///
/// ```
/// use posenc::Pairing;
/// use posenc::config::HfConfig;
///
/// let text = r#"{ "model_type": "gpt_neox", "num_hidden_layers": 1, "hidden_size": 6144, "num_attention_heads": 64,
///                 "rotary_pct": 0.25, "rotary_emb_base": 10000 }"#;
/// let model = HfConfig::parse(text)?.rotary()?;
/// let rope = model.layer(0).and_then(|layer| layer.rope()).expect("it turns");
/// assert_eq!((rope.head_dim(), rope.width(), rope.pairing(), rope.base()), (96, 24, Pairing::Halves, 10_000.0));
/// assert_eq!((rope.sections(), rope.switch_length()), (None, None));
/// assert_eq!(rope.direction(), posenc::Direction::Forward);
/// assert_eq!(rope.rotary(1).map(|rotary| rotary.width()), Ok(24));
/// # Ok::<(), posenc::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    pub(super) head_dim: usize,
    pub(super) width: usize,
    pub(super) base: f64,
    pub(super) rule: Rule,
    pub(super) pairing: Pairing,
    pub(super) direction: Direction,
    pub(super) slice: Slice,
    pub(super) sections: Option<Sections>,
}

impl Rope {
    /// The frequencies, with their magnitude, for a sequence of `length` tokens: its final length, to be chosen before the
    /// first key is turned. Where [`switch_length`](Self::switch_length) is `None`, all lengths have the same. With
    /// [`sections`](Self::sections), positions have several axes.
    ///
    /// # Errors
    ///
    /// [`Error::Count`](crate::Error::Count) if the length is above 2^48 and counts.
    pub fn frequencies(&self, length: usize) -> Result<Frequencies> {
        let scaled = self.rule.scaled(Frequencies::new(self.width, self.base)?, length)?;
        match self.sections.as_ref().map(Sections::axes).transpose()?.flatten() {
            Some(axes) => scaled.on_axes(axes),
            None => Ok(scaled),
        }
    }

    /// A handle for heads of [`head_dim`](Self::head_dim) features, exact and without a table. For the rotated part of keys
    /// alone, as multi-head latent attention has them, move it: `.starting_at(0)`.
    ///
    /// # Errors
    ///
    /// As [`frequencies`](Self::frequencies).
    pub fn rotary(&self, length: usize) -> Result<Rotary> {
        let rotary = Rotary::new(&self.frequencies(length)?, self.pairing);
        Ok(rotary.starting_at(self.start()).with_direction(self.direction))
    }

    /// By which rule YaRN's magnitude was set; `None` for other scalings.
    ///
    /// ```
    /// use posenc::MagnitudeRule;
    /// use posenc::config::HfConfig;
    ///
    /// let text = r#"{ "model_type": "llama", "num_hidden_layers": 1, "head_dim": 64, "rope_theta": 10000.0,
    ///     "rope_scaling": { "type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096, "mscale": 1.0,
    ///                       "mscale_all_dim": 1.0 } }"#;
    /// let model = HfConfig::parse(text)?.rotary()?;
    /// let rope = model.layer(0).and_then(|layer| layer.rope()).expect("it turns");
    /// assert_eq!(rope.magnitude_rule(), Some(MagnitudeRule::Ratio));
    /// assert_eq!(rope.frequencies(1).map(|frequencies| frequencies.magnitude()), Ok(1.0));
    /// # Ok::<(), posenc::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn magnitude_rule(&self) -> Option<MagnitudeRule> {
        self.rule.magnitude_rule()
    }

    /// The longest sequence that has the frequencies of short ones; `None` if the length does not count.
    ///
    /// ```
    /// use posenc::config::HfConfig;
    ///
    /// let text = r#"{ "model_type": "llama", "num_hidden_layers": 1, "head_dim": 4, "rope_theta": 10000.0,
    ///                 "max_position_embeddings": 2048, "rope_scaling": { "type": "dynamic", "factor": 2.0 } }"#;
    /// let model = HfConfig::parse(text)?.rotary()?;
    /// let rope = model.layer(0).and_then(|layer| layer.rope()).expect("it turns");
    /// assert_eq!(rope.switch_length(), Some(2048));
    /// assert_eq!(rope.frequencies(2048), rope.frequencies(1));
    /// assert_ne!(rope.frequencies(2049), rope.frequencies(1));
    /// # Ok::<(), posenc::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn switch_length(&self) -> Option<usize> {
        self.rule.switch_length()
    }

    /// Features of a query head; of both parts, where it has two.
    #[must_use]
    pub fn head_dim(&self) -> usize {
        self.head_dim
    }

    /// How many features turn.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Which features turn.
    #[must_use]
    pub fn slice(&self) -> Slice {
        self.slice
    }

    /// The first feature that turns.
    #[must_use]
    pub fn start(&self) -> usize {
        match self.slice {
            Slice::Leading => 0,
            Slice::Trailing => self.head_dim - self.width,
        }
    }

    /// Which two features turn together.
    #[must_use]
    pub fn pairing(&self) -> Pairing {
        self.pairing
    }

    /// By the angle, or by minus the angle.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The base, before any scaling.
    #[must_use]
    pub fn base(&self) -> f64 {
        self.base
    }

    /// Which pairs read which axis; `None` for positions of one axis.
    #[must_use]
    pub fn sections(&self) -> Option<&Sections> {
        self.sections.as_ref()
    }

    /// Makes the frequencies of all lengths once, so that what cannot be made is refused when it is read.
    pub(super) fn checked(self, key: &str) -> core::result::Result<Self, ConfigError> {
        for length in [1, self.switch_length().unwrap_or(1).saturating_add(1)] {
            self.frequencies(length).map_err(ConfigError::refused(key))?;
        }
        Ok(self)
    }
}

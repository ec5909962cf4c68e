//! Attributes of ONNX operators: `RotaryEmbedding` of ai.onnx (opset 23) and of com.microsoft, `MRotaryEmbedding`.

use std::collections::BTreeMap;

use super::error::{ConfigError, Note};
use crate::{Axes, Pairing, Rotary, Tables, Work};

/// A value of an attribute.
///
/// ```
/// use posenc::config::OnnxValue;
///
/// assert_eq!(OnnxValue::from(1), OnnxValue::Int(1));
/// assert_eq!(OnnxValue::from(1.0), OnnxValue::Float(1.0));
/// assert_eq!(OnnxValue::from(vec![1, 2]), OnnxValue::Ints(vec![1, 2]));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OnnxValue {
    /// An integer.
    Int(i64),
    /// A number.
    Float(f32),
    /// A list of integers.
    Ints(Vec<i64>),
}

impl From<i64> for OnnxValue {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f32> for OnnxValue {
    fn from(value: f32) -> Self {
        Self::Float(value)
    }
}

impl From<Vec<i64>> for OnnxValue {
    fn from(values: Vec<i64>) -> Self {
        Self::Ints(values)
    }
}

/// What the attributes of a `RotaryEmbedding` or `MRotaryEmbedding` say. The frequencies are in its inputs, as tables of half the rotary width.
///
/// ```
/// use posenc::config::OnnxConfig;
/// use posenc::{Pairing, Tables};
///
/// let config = OnnxConfig::read([("interleaved", 1.into()), ("rotary_embedding_dim", 4.into())])?;
/// assert_eq!((config.pairing(), config.width(), config.heads()), (Pairing::Interleaved, Some(4), None));
/// assert!(config.notes().is_empty());
/// let tables = |pairs| Tables::new(vec![1.0_f32; 8], vec![0.0; 8], pairs).expect("whole rows");
/// assert_eq!(config.rotary(tables(2))?.width(), 4);
/// assert_eq!(config.rotary(tables(4)).unwrap_err().key(), "rotary_embedding_dim");
/// # Ok::<(), posenc::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OnnxConfig {
    pairing: Pairing,
    width: Option<usize>,
    heads: Option<usize>,
    axes: Option<Axes>,
    notes: Vec<Note>,
}

impl OnnxConfig {
    /// Reads the attributes; those that are missing have the operator's defaults.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Value`] for a value that the operator does not have, for a `scale` other than 1, and for packed batches,
    /// which the operator lays out in a way of its own.
    pub fn read<K: Into<String>>(attributes: impl IntoIterator<Item = (K, OnnxValue)>) -> Result<Self, ConfigError> {
        let mut attributes: BTreeMap<String, OnnxValue> =
            attributes.into_iter().map(|(key, value)| (key.into(), value)).collect();
        let mut integer = |key: &str, expected: &str, allowed: &dyn Fn(i64) -> bool| match attributes.remove(key) {
            None => Ok(0),
            Some(OnnxValue::Int(value)) if allowed(value) => Ok(value as usize),
            Some(value) => Err(ConfigError::value(key, expected, value)),
        };
        let interleaved = integer("interleaved", "0 or 1", &|value| matches!(value, 0 | 1))?;
        let even = |value| (0..=1 << 20).contains(&value) && value % 2 == 0;
        let width = integer("rotary_embedding_dim", "an even number of features, or 0 for all", &even)?;
        let heads = integer("num_heads", "a number of heads, or 0", &|value| (0..=1 << 20).contains(&value))?;
        integer("is_packed_batching", "0", &|value| value == 0)?;
        let layout =
            integer("mrope_layout", "0 for sections, or 1 for axes that take turns", &|value| matches!(value, 0 | 1))?;
        let axes = attributes.remove("mrope_section").map(|sections| axes(sections, layout)).transpose()?;
        match attributes.remove("scale") {
            None | Some(OnnxValue::Float(1.0)) => {}
            Some(value) => return Err(ConfigError::value("scale", "1.0", value)),
        }
        Ok(Self {
            pairing: if interleaved == 1 { Pairing::Interleaved } else { Pairing::Halves },
            width: Some(width).filter(|&width| width > 0),
            heads: Some(heads).filter(|&heads| heads > 0),
            axes,
            notes: attributes.into_keys().map(|key| Note::Unused { key }).collect(),
        })
    }

    /// Which two features turn together.
    #[must_use]
    pub fn pairing(&self) -> Pairing {
        self.pairing
    }

    /// How many leading features of a head turn; `None` for all of them.
    #[must_use]
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// How many heads an input of three axes, `[batch, tokens, heads · dim]`, has; `None` where the operator is given none.
    #[must_use]
    pub fn heads(&self) -> Option<usize> {
        self.heads
    }

    /// Which axis of the positions each pair reads; `None` for positions of one axis.
    ///
    /// ```
    /// use posenc::Axes;
    /// use posenc::config::OnnxConfig;
    ///
    /// let config = OnnxConfig::read([("mrope_section", vec![2, 1, 1].into()), ("mrope_layout", 1.into())])?;
    /// assert_eq!(config.axes().map(Axes::as_slice), Some(&[0, 1, 2, 0][..]));
    /// # Ok::<(), posenc::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn axes(&self) -> Option<&Axes> {
        self.axes.as_ref()
    }

    /// Attributes that are not those of these operators.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// A handle with the operator's `cos_cache` and `sin_cache`. Without a stated width the tables say how many features turn.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Value`] if the tables have another width than is stated, [`ConfigError::Refused`] if the sections are those
    /// of other tables.
    pub fn rotary<W: Work>(&self, tables: Tables<W>) -> Result<Rotary, ConfigError> {
        if let Some(width) = self.width.filter(|&width| width != 2 * tables.pairs()) {
            let expected = format!("{}, twice the columns of the tables", 2 * tables.pairs());
            return Err(ConfigError::value("rotary_embedding_dim", expected, width));
        }
        let rotary = Rotary::from_tables(tables, self.pairing);
        match &self.axes {
            Some(axes) => rotary.on_axes(axes.clone()).map_err(ConfigError::refused("mrope_section")),
            None => Ok(rotary),
        }
    }
}

/// The axes of sections, in blocks or in turns.
fn axes(sections: OnnxValue, layout: usize) -> Result<Axes, ConfigError> {
    let counts = match &sections {
        OnnxValue::Ints(counts) => counts.iter().map(|&count| usize::try_from(count).ok()).collect(),
        _ => None,
    };
    let counts: Vec<usize> =
        counts.ok_or_else(|| ConfigError::value("mrope_section", "a list of pairs for each axis", &sections))?;
    let axes = if layout == 0 { Axes::sectioned(&counts) } else { Axes::interleaved(&counts) };
    axes.map_err(ConfigError::refused("mrope_section"))
}

impl core::fmt::Display for OnnxValue {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Ints(values) => write!(f, "{values:?}"),
        }
    }
}

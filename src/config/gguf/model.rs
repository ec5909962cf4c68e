//! From the keys of an architecture to its layers.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::architecture::{Architecture, Layers, Temperature};
use super::super::dict::Dict;
use super::super::error::{ConfigError, Note};
use super::super::layers::{FULL, SLIDING};
use super::super::model::{Layer, Rope, SectionOrder, Sections};
use super::super::rope::Rule;
use super::super::widths::{fits, sum_up};
use super::value::GgufTensor;
use crate::{Pairing, QueryTemperature};

type Result<T> = core::result::Result<T, ConfigError>;

/// The keys of an architecture, and what is known of it.
pub(super) struct Model<'a> {
    pub(super) keys: &'a Dict<'a>,
    pub(super) tensors: &'a BTreeMap<GgufTensor, Vec<f64>>,
    pub(super) architecture: &'a Architecture,
}

/// Whether a kind of layer has the keys of layers with a sliding window (`_swa`).
#[derive(Clone, Copy, PartialEq)]
enum Window {
    Full,
    Sliding,
}

impl Model<'_> {
    /// The kinds of layers, and the kind of each layer.
    pub(super) fn read(&self) -> Result<(Vec<Layer>, Vec<usize>)> {
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

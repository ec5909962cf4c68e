//! From the keys of a rope object to a scaling, by its type.

use super::architecture::{Architecture, Scores, Temperature};
use super::dict::Dict;
use super::error::{ConfigError, Note};
use crate::{
    DynamicNtk, FactorList, Frequencies, Llama3, LongRope, MagnitudeRule, NtkMixed, Proportional, QueryTemperature,
    Scaling,
};
use crate::{Truncation, Yarn};

type Result<T> = core::result::Result<T, ConfigError>;

/// How the frequencies of a length are made.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rule {
    /// The same for all lengths: one scaling after the other.
    Fixed(Vec<Scaling>),
    /// A base that grows with the length.
    Dynamic { factor: f64, trained: usize },
    /// One of two lists; the magnitudes of the two, where they are given.
    LongRope { lists: LongRope, original: usize, magnitudes: [Option<f64>; 2] },
}

impl Rule {
    pub(super) fn scaled(&self, plain: Frequencies, length: usize) -> crate::Result<Frequencies> {
        match self {
            Self::Fixed(scalings) => scalings.iter().try_fold(plain, |plain, scaling| plain.scaled(scaling)),
            Self::Dynamic { factor, trained } => plain.scaled(&DynamicNtk::new(*factor, *trained, length).into()),
            Self::LongRope { lists, original, magnitudes: [short, long] } => {
                let list = FactorList::for_length(length, *original);
                let magnitude = if list == FactorList::Short { short } else { long };
                let lists = lists.clone().with_list(list);
                let lists = magnitude.map_or(lists.clone(), |magnitude| lists.with_attention_factor(magnitude));
                plain.scaled(&lists.into())
            }
        }
    }

    pub(super) fn magnitude_rule(&self) -> Option<MagnitudeRule> {
        let Self::Fixed(scalings) = self else { return None };
        scalings
            .iter()
            .find_map(|scaling| if let Scaling::Yarn(yarn) = scaling { Some(yarn.magnitude_rule()) } else { None })
    }

    pub(super) fn switch_length(&self) -> Option<usize> {
        match self {
            Self::Fixed(_) => None,
            Self::Dynamic { trained, .. } => Some(*trained),
            Self::LongRope { original, .. } => Some(*original),
        }
    }
}

/// The types of a rope object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Default,
    Linear,
    Dynamic,
    NtkMixed,
    Yarn,
    LongRope,
    Llama3,
    Proportional,
    /// No scaling, and sections.
    Mrope,
    /// NTK-aware, and sections.
    Xdrope,
}

/// Every spelling of every type.
const KINDS: [(&str, Kind); 12] = [
    ("default", Kind::Default),
    ("linear", Kind::Linear),
    ("dynamic", Kind::Dynamic),
    ("ntk", Kind::NtkMixed),
    ("yarn", Kind::Yarn),
    ("deepseek_yarn", Kind::Yarn),
    ("longrope", Kind::LongRope),
    ("su", Kind::LongRope),
    ("llama3", Kind::Llama3),
    ("proportional", Kind::Proportional),
    ("mrope", Kind::Mrope),
    ("xdrope", Kind::Xdrope),
];

impl Kind {
    /// The type that an object states: `rope_type`, or `type` as it was called before; `default` without either.
    pub(super) fn read(dict: &Dict<'_>, architecture: &Architecture) -> Result<Self> {
        let [new, old] = [Self::named(dict, "rope_type")?, Self::named(dict, "type")?];
        if let (Some(new), Some(old)) = (new, old)
            && new != old
        {
            dict.note(Note::Contradiction { key: dict.key("rope_type"), other: dict.key("type") });
        }
        match new.or(old).unwrap_or(Self::Default) {
            Self::Yarn if architecture.yarn_is_longrope => Ok(Self::LongRope),
            kind => Ok(kind),
        }
    }

    fn named(dict: &Dict<'_>, key: &str) -> Result<Option<Self>> {
        let Some(name) = dict.text(key)? else { return Ok(None) };
        match KINDS.iter().find(|(known, _)| *known == name) {
            Some(&(_, kind)) => Ok(Some(kind)),
            None => {
                let known: Vec<&str> = KINDS.iter().map(|&(known, _)| known).collect();
                Err(ConfigError::value(dict.key(key), format!("one of {}", known.join(", ")), format!("{name:?}")))
            }
        }
    }
}

/// What a rope object is read with.
pub(super) struct Context<'a> {
    pub(super) architecture: &'a Architecture,
    /// `max_position_embeddings` of the model, if it says.
    pub(super) longest: Option<usize>,
    /// `original_max_position_embeddings` beside the rope object.
    pub(super) original_beside: Option<usize>,
    /// The part of a head that turns, in the rope object or beside it.
    pub(super) part: Option<f64>,
}

/// What a rope object comes to.
pub(super) struct Read {
    pub(super) rule: Rule,
    pub(super) softmax_factor: f64,
    pub(super) temperature: Option<QueryTemperature>,
}

impl Context<'_> {
    pub(super) fn read(&self, dict: &Dict<'_>, kind: Kind) -> Result<Read> {
        let mut softmax_factor = 1.0;
        let fixed = |scaling: Scaling| Rule::Fixed(vec![scaling]);
        let rule = match kind {
            Kind::Default | Kind::Mrope => Rule::Fixed(Vec::new()),
            Kind::Linear => fixed(Scaling::linear(dict.required_factor("factor")?)),
            Kind::Xdrope => fixed(Scaling::ntk(dict.required_factor("alpha")?)),
            Kind::Dynamic => self.dynamic(dict)?,
            Kind::NtkMixed => {
                let mixed = NtkMixed::new(dict.required_factor("factor")?);
                let exponent = dict.factor("mixed_b")?;
                fixed(exponent.map_or(mixed, |exponent| mixed.with_exponent(exponent)).into())
            }
            Kind::Yarn => {
                let yarn = self.yarn(dict)?;
                if self.architecture.scores == Scores::Latent {
                    softmax_factor = yarn.softmax_factor();
                }
                fixed(yarn.into())
            }
            Kind::LongRope => self.longrope(dict)?,
            Kind::Llama3 => {
                let llama3 = Llama3::new(dict.required_factor("factor")?)
                    .with_low_freq_factor(dict.required_factor("low_freq_factor")?)
                    .with_high_freq_factor(dict.required_factor("high_freq_factor")?)
                    .with_original_length(self.original(dict)?);
                fixed(llama3.into())
            }
            Kind::Proportional => fixed(
                Proportional::new(self.part.unwrap_or(1.0)).with_factor(dict.factor("factor")?.unwrap_or(1.0)).into(),
            ),
        };
        Ok(Read { rule, softmax_factor, temperature: self.temperature(dict)? })
    }

    /// The length of the context before it was stretched.
    fn original(&self, dict: &Dict<'_>) -> Result<usize> {
        let key = "original_max_position_embeddings";
        let original = dict.count(key)?.or(self.original_beside).or(self.longest);
        original.ok_or_else(|| dict.missing(key, "a number of tokens, here or as max_position_embeddings"))
    }

    /// How many times longer the context is than it was.
    fn stretch(&self, dict: &Dict<'_>, original: usize) -> Result<f64> {
        match (dict.factor("factor")?, self.longest) {
            (Some(factor), _) => Ok(factor),
            (None, Some(longest)) => Ok(longest as f64 / original as f64),
            (None, None) => Err(dict.missing("factor", "a positive number, here or by max_position_embeddings")),
        }
    }

    fn dynamic(&self, dict: &Dict<'_>) -> Result<Rule> {
        if let Some(alpha) = dict.factor("alpha")? {
            return Ok(Rule::Fixed(vec![Scaling::ntk(alpha)]));
        }
        let factor = dict.factor("factor")?.ok_or_else(|| dict.missing("factor", "a positive number, or alpha"))?;
        let trained =
            self.longest.ok_or_else(|| ConfigError::missing("max_position_embeddings", "a number of tokens"))?;
        Ok(Rule::Dynamic { factor, trained })
    }

    fn yarn(&self, dict: &Dict<'_>) -> Result<Yarn> {
        let original = self.original(dict)?;
        // Zero stands for an absent number in these four.
        let or = |key: &str, default: f64| match dict.number(key)? {
            Some(number) if number != 0.0 => Ok::<f64, ConfigError>(number),
            _ => Ok(default),
        };
        let truncation = match dict.flag("truncate")? {
            Some(false) => Truncation::Exact,
            Some(true) | None => Truncation::Whole,
        };
        let yarn = Yarn::new(self.stretch(dict, original)?, original)
            .with_betas(or("beta_fast", 32.0)?, or("beta_slow", 1.0)?)
            .with_mscale(or("mscale", 0.0)?, or("mscale_all_dim", 0.0)?)
            .with_log_coefficient(self.architecture.yarn_coefficient)
            .with_truncation(truncation);
        let given = dict.factor("attention_factor")?.or(self.architecture.yarn_magnitude);
        Ok(given.map_or(yarn, |given| yarn.with_attention_factor(given)))
    }

    fn longrope(&self, dict: &Dict<'_>) -> Result<Rule> {
        // The number beside the object comes first here.
        let inside = self.original(dict)?;
        let original = self.original_beside.unwrap_or(inside);
        let list = |key: &str| dict.factors(key)?.ok_or_else(|| dict.missing(key, "a list of positive numbers"));
        let (short, long) = (list("short_factor")?, list("long_factor")?);
        let factor = self.stretch(dict, original)?;
        let given = dict.factor("attention_factor")?;
        let magnitudes = [dict.factor("short_mscale")?, dict.factor("long_mscale")?].map(|own| given.or(own));
        let lists = LongRope::new(short, long, factor, original, FactorList::Short);
        Ok(Rule::LongRope { lists, original, magnitudes })
    }

    fn temperature(&self, dict: &Dict<'_>) -> Result<Option<QueryTemperature>> {
        if self.architecture.temperature != Temperature::Ministral {
            return Ok(None);
        }
        let Some(beta) = dict.number("llama_4_scaling_beta")? else { return Ok(None) };
        let temperature = QueryTemperature::ministral(beta, self.original(dict)? as f64);
        temperature.map(Some).map_err(ConfigError::refused(&dict.key("llama_4_scaling_beta")))
    }
}

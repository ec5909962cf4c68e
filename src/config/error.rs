//! Why a configuration was refused, and what of it was read but not used.

use core::fmt;

use crate::Error;

/// Why a configuration was refused.
///
/// ```
/// use posenc::config::{ConfigError, HfConfig};
///
/// let text = r#"{ "model_type": "qwen2", "num_hidden_layers": 2, "head_dim": 64, "rope_scaling": { "type": "linear" } }"#;
/// let error = HfConfig::parse(text)?.rotary().unwrap_err();
/// assert_eq!(error.key(), "rope_scaling.factor");
/// assert_eq!(error.to_string(), "rope_scaling.factor: expected a positive number, found nothing");
/// # Ok::<(), ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConfigError {
    /// The text is not JSON.
    Syntax {
        /// What the parser says, with line and column.
        message: String,
    },
    /// A key is missing, or is null.
    Missing {
        /// Which one, with the objects that it lies in.
        key: String,
        /// What is allowed.
        expected: String,
    },
    /// A key has a value that is not allowed.
    Value {
        /// Which one, with the objects that it lies in.
        key: String,
        /// What is allowed.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The numbers of an object were read, and make no encoding.
    Refused {
        /// Which object.
        key: String,
        /// Why.
        error: Error,
    },
}

impl ConfigError {
    /// The key that the error is about; `config` for the text as a whole.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::Syntax { .. } => "config",
            Self::Missing { key, .. } | Self::Value { key, .. } | Self::Refused { key, .. } => key,
        }
    }

    pub(super) fn missing(key: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Missing { key: key.into(), expected: expected.into() }
    }

    /// Long values are cut.
    pub(super) fn value(key: impl Into<String>, expected: impl Into<String>, found: impl fmt::Display) -> Self {
        let mut found = found.to_string();
        if found.chars().count() > 60 {
            found = found.chars().take(57).chain("...".chars()).collect();
        }
        Self::Value { key: key.into(), expected: expected.into(), found }
    }

    /// Adds the key to an error of the crate.
    pub(super) fn refused(key: &str) -> impl Fn(Error) -> Self + '_ {
        move |error| Self::Refused { key: key.into(), error }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { message } => write!(f, "config: expected JSON, found an error: {message}"),
            Self::Missing { key, expected } => write!(f, "{key}: expected {expected}, found nothing"),
            Self::Value { key, expected, found } => write!(f, "{key}: expected {expected}, found {found}"),
            Self::Refused { key, error } => write!(f, "{key}: {error}"),
        }
    }
}

impl core::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Refused { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Something that was found in a configuration and that a reader may want to know.
///
/// ```
/// use posenc::config::{HfConfig, Note};
///
/// let text = r#"{ "model_type": "llama", "num_hidden_layers": 1, "head_dim": 64,
///                 "rope_scaling": { "type": "linear", "factor": 2, "finetuned": true } }"#;
/// let model = HfConfig::parse(text)?.rotary()?;
/// assert_eq!(model.notes(), [
///     Note::Default { key: "rope_theta".into(), value: "10000".into() },
///     Note::Unused { key: "rope_scaling.finetuned".into() },
/// ]);
/// # Ok::<(), posenc::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Note {
    /// A key that nothing was made of: it is not known, or has no meaning beside the others.
    Unused {
        /// Which one.
        key: String,
    },
    /// A key is missing, and the architecture's own default was used.
    Default {
        /// Which one.
        key: String,
        /// What was used.
        value: String,
    },
    /// A key is missing that nothing stands in for: which layer is of which kind is not known.
    Missing {
        /// Which one.
        key: String,
    },
    /// A number of tokens, pairs or layers is written as a fraction.
    Fraction {
        /// Which one.
        key: String,
    },
    /// Two keys say the same thing differently; the first one was used, as the reference does.
    Contradiction {
        /// The one that was used.
        key: String,
        /// The one that was not.
        other: String,
    },
}

//! An object of JSON, read key by key: types are checked, null is absence, and what was not read is known afterwards.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::error::{ConfigError, Note};

type Result<T> = core::result::Result<T, ConfigError>;

/// More layers than any model has, and few enough that lists of them always fit.
const MAX_LAYERS: usize = 1 << 16;

/// An object, and where it lies.
pub(super) struct Dict<'a> {
    path: String,
    map: &'a Map<String, Value>,
    read: RefCell<BTreeSet<String>>,
    notes: RefCell<Vec<Note>>,
    noted: RefCell<HashSet<Note>>,
}

impl<'a> Dict<'a> {
    pub(super) fn new(path: impl Into<String>, map: &'a Map<String, Value>) -> Self {
        Self { path: path.into(), map, read: RefCell::default(), notes: RefCell::default(), noted: RefCell::default() }
    }

    /// The full name of a key.
    pub(super) fn key(&self, key: &str) -> String {
        if self.path.is_empty() { key.into() } else { format!("{}.{key}", self.path) }
    }

    pub(super) fn path(&self) -> &str {
        if self.path.is_empty() { "config" } else { &self.path }
    }

    /// All keys.
    pub(super) fn map(&self) -> &'a Map<String, Value> {
        self.map
    }

    /// A value, unless it is missing or null.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.read.borrow_mut().insert(key.into());
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// Keeps a note, once.
    pub(super) fn note(&self, note: Note) {
        if self.noted.borrow_mut().insert(note.clone()) {
            self.notes.borrow_mut().push(note);
        }
    }

    /// What is worth knowing of this object, with the keys that nobody asked for.
    pub(super) fn notes_and_unread(self) -> Vec<Note> {
        let read = self.read.take();
        let unread = self.map.keys().filter(|key| !read.contains(*key)).map(|key| Note::Unused { key: self.key(key) });
        let mut notes = self.notes.take();
        notes.extend(unread);
        notes
    }

    /// What is worth knowing of an object that has other business, too.
    pub(super) fn notes(self) -> Vec<Note> {
        self.notes.take()
    }

    fn wrong(&self, key: &str, expected: &str, found: &Value) -> ConfigError {
        ConfigError::value(self.key(key), expected, found)
    }

    pub(super) fn missing(&self, key: &str, expected: &str) -> ConfigError {
        ConfigError::missing(self.key(key), expected)
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<f64>> {
        let number = |value: &Value| value.as_f64().ok_or_else(|| self.wrong(key, "a number", value));
        self.get(key).map(number).transpose()
    }

    /// A number of the size of factors: positive, and far from the ends of f64.
    pub(super) fn factor(&self, key: &str) -> Result<Option<f64>> {
        match self.number(key)? {
            Some(factor) if !(1e-40..=1e40).contains(&factor) => {
                Err(ConfigError::value(self.key(key), "a positive number", factor))
            }
            factor => Ok(factor),
        }
    }

    pub(super) fn required_factor(&self, key: &str) -> Result<f64> {
        self.factor(key)?.ok_or_else(|| self.missing(key, "a positive number"))
    }

    /// A whole number, which may be written as a fraction.
    pub(super) fn count(&self, key: &str) -> Result<Option<usize>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let fraction = |number: f64| number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number);
        match (value.as_u64(), value.as_f64()) {
            (Some(count), _) => {
                usize::try_from(count).map(Some).map_err(|_| self.wrong(key, "a smaller number", value))
            }
            (None, Some(number)) if fraction(number) => {
                self.note(Note::Fraction { key: self.key(key) });
                Ok(Some(number as usize))
            }
            _ => Err(self.wrong(key, "a whole number that is not negative", value)),
        }
    }

    /// A number of layers after which something comes again.
    pub(super) fn interval(&self, key: &str) -> Result<Option<usize>> {
        match self.count(key)? {
            Some(every) if !(1..=MAX_LAYERS).contains(&every) => {
                Err(ConfigError::value(self.key(key), "1 to 65536 layers", every))
            }
            every => Ok(every),
        }
    }

    pub(super) fn required_count(&self, key: &str) -> Result<usize> {
        self.count(key)?.ok_or_else(|| self.missing(key, "a whole number"))
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>> {
        let text = |value: &'a Value| value.as_str().ok_or_else(|| self.wrong(key, "a text", value));
        self.get(key).map(text).transpose()
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>> {
        let flag = |value: &Value| value.as_bool().ok_or_else(|| self.wrong(key, "true or false", value));
        self.get(key).map(flag).transpose()
    }

    /// An object inside this one.
    pub(super) fn object(&self, key: &str) -> Result<Option<&'a Map<String, Value>>> {
        let object = |value: &'a Value| value.as_object().ok_or_else(|| self.wrong(key, "an object or null", value));
        self.get(key).map(object).transpose()
    }

    fn list<T>(&self, key: &str, of: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<Option<Vec<T>>> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let list = value.as_array().ok_or_else(|| self.wrong(key, &format!("a list of {of}"), value))?;
        if list.len() > MAX_LAYERS {
            return Err(ConfigError::value(self.key(key), "a list of at most 65536 entries", list.len()));
        }
        let entry =
            |(i, value)| read(value).ok_or_else(|| self.wrong(&format!("{key}[{i}]"), &format!("one of {of}"), value));
        list.iter().enumerate().map(entry).collect::<Result<_>>().map(Some)
    }

    /// A list of positive numbers.
    pub(super) fn factors(&self, key: &str) -> Result<Option<Vec<f64>>> {
        let factor = |value: &Value| value.as_f64().filter(|factor| (1e-40..=1e40).contains(factor));
        self.list(key, "positive numbers", factor)
    }

    /// A list of whole numbers.
    pub(super) fn counts(&self, key: &str) -> Result<Option<Vec<usize>>> {
        self.list(key, "whole numbers", |value| value.as_u64().and_then(|count| usize::try_from(count).ok()))
    }

    pub(super) fn texts(&self, key: &str) -> Result<Option<Vec<&'a str>>> {
        self.list(key, "texts", Value::as_str)
    }

    /// How many layers there are.
    pub(super) fn layers(&self) -> Result<Option<usize>> {
        self.layers_by(&["num_hidden_layers", "n_layer", "num_layers", "n_layers"])
    }

    /// How many layers there are, as GGUF files call them.
    pub(super) fn layers_of_blocks(&self) -> Result<usize> {
        self.layers_by(&["block_count"])?.ok_or_else(|| self.missing("block_count", "a whole number"))
    }

    fn layers_by(&self, keys: &[&str]) -> Result<Option<usize>> {
        for key in keys {
            match self.count(key)? {
                Some(layers) if layers > MAX_LAYERS => {
                    return Err(ConfigError::value(self.key(key), "at most 65536 layers", layers));
                }
                Some(layers) => return Ok(Some(layers)),
                None => {}
            }
        }
        Ok(None)
    }
}

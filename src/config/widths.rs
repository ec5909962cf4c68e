//! How wide a head is, how much of it turns, and which pairs read which axis.

use super::architecture::Part;
use super::dict::Dict;
use super::error::{ConfigError, Note};
use super::hf::Model;
use super::layers::FULL;
use super::model::{SectionOrder, Sections, Slice};
use super::rope::Kind;

type Result<T> = core::result::Result<T, ConfigError>;

impl Model<'_> {
    /// Features of a head, and how many of them turn, by a part and the key that says so. The proportional type has a
    /// meaning of its own for that key, and latent attention a key of its own.
    pub(super) fn widths(&self, label: &str, kind: Kind, part: Part, key: String) -> Result<(usize, usize)> {
        if let (Slice::Trailing, Some(width)) = (self.architecture.slice, self.config.count("qk_rope_head_dim")?) {
            let head = match self.config.count("qk_nope_head_dim")? {
                Some(still) => still.saturating_add(width),
                None => self.head(label)?,
            };
            return fits(self.config.key("qk_rope_head_dim"), head, width);
        }
        let head = self.head(label)?;
        if kind == Kind::Proportional {
            return fits(self.config.key("head_dim"), head, head);
        }
        if let Some(width) = self.config.count("rotary_dim")? {
            return fits(self.config.key("rotary_dim"), head, width);
        }
        match part {
            Part::Whole => fits(self.config.key("head_dim"), head, head),
            Part::Of(part) => fits(key, head, (head as f64 * part) as usize),
            Part::Features(width) => {
                self.config.note(Note::Default { key: self.config.key("rotary_dim"), value: width.to_string() });
                fits(self.config.key("rotary_dim"), head, width)
            }
            Part::Stated if self.architecture.slice == Slice::Trailing => {
                Err(self.config.missing("qk_rope_head_dim", "a whole number"))
            }
            Part::Stated => Err(self.config.missing("partial_rotary_factor", "a number up to 1, or rotary_dim")),
        }
    }

    /// The part of a head that turns, and the key that says so.
    pub(super) fn part(&self, dict: &Dict<'_>) -> Result<(Part, String)> {
        let keys = ["partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_percent", "rotary_emb_fraction"];
        let inside = (dict, "partial_rotary_factor");
        for (dict, key) in core::iter::once(inside).chain(keys.map(|key| (&self.config, key))) {
            match dict.number(key)? {
                Some(part) if part > 0.0 && part <= 1.0 => return Ok((Part::Of(part), dict.key(key))),
                Some(part) => return Err(ConfigError::value(dict.key(key), "a number above 0 up to 1", part)),
                None => {}
            }
        }
        if let Part::Of(part) = self.architecture.part {
            self.config.note(Note::Default { key: self.config.key(keys[0]), value: part.to_string() });
        }
        Ok((self.architecture.part, self.config.key(keys[0])))
    }

    /// Features of a query head.
    fn head(&self, label: &str) -> Result<usize> {
        if let (Some(key), FULL) = (self.architecture.full_head_key, label) {
            return self.config.required_count(key);
        }
        if let Some(head) = self.config.count("head_dim")? {
            return Ok(head);
        }
        let first = |keys: [&'static str; 2]| -> Result<Option<(&'static str, usize)>> {
            for key in keys {
                if let Some(count) = self.config.count(key)? {
                    return Ok(Some((key, count)));
                }
            }
            Ok(None)
        };
        match (first(["hidden_size", "n_embd"])?, first(["num_attention_heads", "n_head"])?) {
            (Some((_, hidden)), Some((_, heads))) if heads > 0 && hidden % heads == 0 => Ok(hidden / heads),
            (Some((key, hidden)), Some((_, heads))) => {
                Err(ConfigError::value(self.config.key(key), format!("a multiple of the {heads} heads"), hidden))
            }
            _ => match self.architecture.head {
                Some(head) => {
                    self.config.note(Note::Default { key: self.config.key("head_dim"), value: head.to_string() });
                    Ok(head)
                }
                None => Err(self.config.missing("head_dim", "a whole number, or hidden_size and num_attention_heads")),
            },
        }
    }

    /// How many pairs read which axis.
    pub(super) fn sections(&self, dict: &Dict<'_>, kind: Kind, pairs: usize) -> Result<Option<Sections>> {
        let interleaved = dict.flag("mrope_interleaved")?;
        let mut found = None;
        for (dict, key) in [(dict, "mrope_section"), (dict, "xdrope_section"), (&self.config, "mrope_section")] {
            if found.is_none()
                && let Some(counts) = dict.counts(key)?
            {
                found = Some((dict.key(key), counts));
            }
        }
        let wanted = self.architecture.sections.is_some() || matches!(kind, Kind::Mrope | Kind::Xdrope);
        let Some((key, counts)) = found else {
            return if wanted { Err(dict.missing("mrope_section", "a list of pairs for each axis")) } else { Ok(None) };
        };
        let counts = sum_up(key, counts, pairs)?;
        let known = match kind {
            Kind::Xdrope => SectionOrder::Doubled,
            _ => self.architecture.sections.unwrap_or(SectionOrder::Blocks),
        };
        let order = match interleaved {
            Some(true) => SectionOrder::Interleaved,
            Some(false) if known == SectionOrder::Interleaved => SectionOrder::Blocks,
            Some(false) | None => known,
        };
        Ok(Some(Sections { counts, order }))
    }
}

/// More features than any head has (the widest published ones have 576), and few enough that their frequencies are made in
/// no time.
const MAX_HEAD: usize = 4096;

/// Whether a number of rotated features is one.
pub(super) fn fits(key: String, head: usize, width: usize) -> Result<(usize, usize)> {
    if head > MAX_HEAD {
        return Err(ConfigError::value(key, format!("a head of at most {MAX_HEAD} features"), head));
    }
    if width == 0 || width > head || !width.is_multiple_of(2) {
        let expected = format!("an even number of features within the {head} of a head");
        return Err(ConfigError::value(key, expected, width));
    }
    Ok((head, width))
}

/// Whether sections are those of so many pairs.
pub(super) fn sum_up(key: String, counts: Vec<usize>, pairs: usize) -> Result<Vec<usize>> {
    let sum = counts.iter().fold(0, |sum: usize, &count| sum.saturating_add(count));
    if sum != pairs || !(1..=4).contains(&counts.len()) {
        let expected = format!("1 to 4 numbers with the sum of {pairs}");
        return Err(ConfigError::value(key, expected, format!("{counts:?}")));
    }
    Ok(counts)
}

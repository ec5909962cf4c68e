//! Which layer is of which kind, and which keys make up the rope object of each kind.

use serde_json::{Map, Value};

use super::architecture::{Architecture, Layers};
use super::dict::Dict;
use super::error::{ConfigError, Note};

type Result<T> = core::result::Result<T, ConfigError>;

pub(super) const FULL: &str = "full_attention";
pub(super) const SLIDING: &str = "sliding_attention";

/// More kinds of layers than any model has, and few enough that each can be looked for in all.
const MAX_KINDS: usize = 64;

/// A kind of layer: its name, where its object lies, and its keys; `None` for layers that do not turn.
pub(super) struct Kind {
    pub(super) label: String,
    pub(super) path: String,
    pub(super) keys: Option<Map<String, Value>>,
    /// The base where the object has none, with the key that it comes from.
    pub(super) base: Option<f64>,
}

impl Kind {
    fn new(label: &str, path: &str, keys: Map<String, Value>, base: Option<f64>) -> Self {
        Self { label: label.into(), path: path.into(), keys: Some(keys), base }
    }

    fn still(label: &str) -> Self {
        Self { label: label.into(), path: label.into(), keys: None, base: None }
    }
}

/// The kinds of layers of a model, and the kind of each layer.
pub(super) struct Plan {
    pub(super) kinds: Vec<Kind>,
    pub(super) layers: Vec<usize>,
}

/// The first of several keys that has a number, for the base.
fn base(config: &Dict<'_>, keys: &[&str], default: Option<f64>) -> Result<Option<f64>> {
    for key in keys {
        if let Some(base) = config.factor(key)? {
            return Ok(Some(base));
        }
    }
    if let Some(default) = default {
        config.note(Note::Default { key: config.key(keys[0]), value: default.to_string() });
    }
    Ok(default)
}

/// The base that a rope object has of its own.
fn own_base(keys: &Map<String, Value>) -> Option<&Value> {
    keys.get("rope_theta").filter(|base| !base.is_null())
}

/// Whether the one rope object has a base of its own, which comes before one beside it.
fn has_base(config: &Dict<'_>, keys: &Map<String, Value>) -> Result<bool> {
    let Some(own) = own_base(keys) else { return Ok(false) };
    if config.number("rope_theta")?.is_some_and(|beside| Some(beside) != own.as_f64()) {
        let key = config.key("rope_parameters.rope_theta");
        config.note(Note::Contradiction { key, other: config.key("rope_theta") });
    }
    Ok(true)
}

/// The rope object, of whatever name; nested ones as they are.
fn object(config: &Dict<'_>) -> Result<(&'static str, Map<String, Value>)> {
    let new = config.object("rope_parameters")?;
    let old = config.object("rope_scaling")?;
    let (Some(new), Some(old)) = (new, old) else {
        let name = if new.is_some() { "rope_parameters" } else { "rope_scaling" };
        return Ok((name, new.or(old).cloned().unwrap_or_default()));
    };
    let mut keys = new.clone();
    let into = match keys.get_mut(FULL) {
        // Models whose layers differ scale those that see everything.
        Some(Value::Object(full)) => full,
        _ => &mut keys,
    };
    for (key, value) in old {
        match into.get(key) {
            Some(other) if other != value && !other.is_null() => {
                let expected = format!("the same as in rope_parameters, which is {other}");
                return Err(ConfigError::value(config.key(&format!("rope_scaling.{key}")), expected, value));
            }
            _ => into.insert(key.clone(), value.clone()),
        };
    }
    Ok(("rope_parameters", keys))
}

/// The objects in an object, one a kind of layer. Of the keys beside them, `truncate` holds for all.
fn nested(
    config: &Dict<'_>,
    name: &str,
    mut keys: Map<String, Value>,
    architecture: &Architecture,
) -> Result<Vec<Kind>> {
    let truncate = keys.get("truncate").cloned();
    keys.retain(|_, value| value.is_object() || value.is_null());
    if keys.len() > MAX_KINDS {
        let expected = format!("at most {MAX_KINDS} kinds of layers");
        return Err(ConfigError::value(config.key(name), expected, keys.len()));
    }
    let mut kinds = Vec::new();
    for (label, value) in keys {
        let Value::Object(mut keys) = value else {
            kinds.push(Kind::still(&label));
            continue;
        };
        if let Some(truncate) = &truncate {
            keys.entry("truncate").or_insert_with(|| truncate.clone());
        }
        let base = match architecture.layers {
            _ if own_base(&keys).is_some() => None,
            Layers::LocalBase { base: local, .. } if label == SLIDING => {
                base(config, &["rope_local_base_freq"], Some(local))?
            }
            _ => base(config, &["rope_theta"], architecture.base)?,
        };
        let path = config.key(&format!("{name}.{label}"));
        kinds.push(Kind::new(&label, &path, keys, base));
    }
    Ok(kinds)
}

impl Plan {
    pub(super) fn read(config: &Dict<'_>, architecture: &Architecture) -> Result<Self> {
        let (name, keys) = object(config)?;
        let types = config.texts("layer_types")?;
        let count = match (config.layers()?, &types) {
            (Some(count), Some(types)) if types.len() != count => {
                let expected = format!("one entry for each of {count} layers");
                return Err(ConfigError::value(config.key("layer_types"), expected, types.len()));
            }
            (Some(count), _) => count,
            (None, Some(types)) => types.len(),
            (None, None) => return Err(config.missing("num_hidden_layers", "a whole number")),
        };
        // Falcon's models with linear biases have all the keys of a rotation.
        if config.get("alibi") == Some(&Value::Bool(true)) {
            return Ok(Self { kinds: vec![Kind::still("all")], layers: vec![0; count] });
        }
        let kinds = if keys.values().any(Value::is_object) {
            for key in keys.iter().filter(|(key, value)| !value.is_object() && !value.is_null() && *key != "truncate") {
                config.note(Note::Unused { key: config.key(&format!("{name}.{}", key.0)) });
            }
            nested(config, name, keys, architecture)?
        } else {
            flat(config, &config.key(name), keys, architecture)?
        };
        let labels = match (&kinds[..], architecture.layers) {
            ([only], _) if only.label == "all" => return Ok(Self { layers: vec![0; count], kinds }),
            (_, Layers::NopeEvery { every }) => nope_labels(config, count, every)?,
            (_, layers) => labels(config, types, count, layers)?,
        };
        let find = |(i, label): (usize, &String)| {
            kinds.iter().position(|kind| kind.label == *label).ok_or_else(|| {
                let known: Vec<&str> = kinds.iter().map(|kind| kind.label.as_str()).collect();
                let expected = format!("one of {}", known.join(", "));
                ConfigError::value(config.key(&format!("layer_types[{i}]")), expected, format!("{label:?}"))
            })
        };
        let layers = labels.iter().enumerate().map(find).collect::<Result<_>>()?;
        Ok(Self { kinds, layers })
    }
}

/// The kinds of a flat object, as the architecture has them.
fn flat(config: &Dict<'_>, path: &str, keys: Map<String, Value>, architecture: &Architecture) -> Result<Vec<Kind>> {
    let has_base = has_base(config, &keys)?;
    let usual = || {
        let keys = ["rope_theta", "rotary_emb_base"];
        if has_base { Ok(None) } else { base(config, &keys, architecture.base) }
    };
    let plain = |keys: &Map<String, Value>| {
        let mut keys = keys.clone();
        keys.retain(|key, _| ["rope_theta", "partial_rotary_factor"].contains(&key.as_str()));
        keys
    };
    Ok(match architecture.layers {
        Layers::LocalBase { base: local, .. } => {
            let local = base(config, &["rope_local_base_freq"], Some(local))?;
            let sliding = Kind::new(SLIDING, &config.key("rope_local_base_freq"), Map::new(), local);
            vec![Kind::new(FULL, path, keys, usual()?), sliding]
        }
        Layers::FullScaled { .. } => {
            let (sliding, base) = (plain(&keys), usual()?);
            vec![Kind::new(FULL, path, keys, base), Kind::new(SLIDING, path, sliding, base)]
        }
        Layers::FirstOf { .. } => {
            let global = base(config, &["global_rope_theta"], None)?;
            let local = base(config, &["local_rope_theta"], None)?.or(global);
            let sliding = Kind::new(SLIDING, &config.key("local_rope_theta"), Map::new(), local);
            vec![Kind::new(FULL, &config.key("global_rope_theta"), keys, global), sliding]
        }
        Layers::NopeEvery { .. } => vec![Kind::new("rope", path, keys, usual()?), Kind::still("nope")],
        Layers::LocalOnly { .. } => vec![Kind::new(SLIDING, path, keys, usual()?), Kind::still(FULL)],
        Layers::LocalOnlyIfWindow { .. } if config.get("sliding_window").is_some() => {
            vec![Kind::new(SLIDING, path, keys, usual()?), Kind::still(FULL)]
        }
        Layers::Compressed => {
            let main = Kind::new("main", &config.key("rope_theta"), Map::new(), usual()?);
            let compress = base(config, &["compress_rope_theta"], None)?;
            vec![main, Kind::new("compress", path, keys, compress)]
        }
        Layers::Alike | Layers::LocalOnlyIfWindow { .. } => vec![Kind::new("all", path, keys, usual()?)],
    })
}

/// Which layers turn, where some do not: `no_rope_layers` is 1 for those that do.
fn nope_labels(config: &Dict<'_>, count: usize, every: usize) -> Result<Vec<String>> {
    let list = config.counts("no_rope_layers")?.filter(|list| !list.is_empty());
    let every = config.interval("no_rope_layer_interval")?.unwrap_or(every);
    let Some(list) = list else {
        return Ok((0..count).map(|i| if (i + 1) % every == 0 { "nope" } else { "rope" }.into()).collect());
    };
    if list.len() != count {
        let expected = format!("one entry for each of {count} layers");
        return Err(ConfigError::value(config.key("no_rope_layers"), expected, list.len()));
    }
    let label = |(i, &turns): (usize, &usize)| match turns {
        0 => Ok("nope".into()),
        1 => Ok("rope".into()),
        found => Err(ConfigError::value(config.key(&format!("no_rope_layers[{i}]")), "0 or 1", found)),
    };
    list.iter().enumerate().map(label).collect()
}

/// The kind of each layer: as stated, or by the architecture's pattern.
fn labels(config: &Dict<'_>, types: Option<Vec<&str>>, count: usize, layers: Layers) -> Result<Vec<String>> {
    if layers == Layers::Compressed {
        return compressed_labels(config, types, count);
    }
    if let Some(types) = types {
        return Ok(types.into_iter().map(Into::into).collect());
    }
    let (every, full) = match layers {
        Layers::FirstOf { every } => (config.interval("global_attn_every_n_layers")?.unwrap_or(every), 0),
        Layers::LocalBase { every, .. }
        | Layers::FullScaled { every }
        | Layers::LocalOnly { every }
        | Layers::LocalOnlyIfWindow { every } => match pattern(config)? {
            Some(pattern) => return Ok((0..count).map(|i| pattern[i % pattern.len()].into()).collect()),
            None => (every, every - 1),
        },
        Layers::Alike | Layers::NopeEvery { .. } | Layers::Compressed => {
            // Kinds are told apart, but no key says which layer is which.
            config.note(Note::Missing { key: config.key("layer_types") });
            return Ok(Vec::new());
        }
    };
    Ok((0..count).map(|i| if i % every == full { FULL } else { SLIDING }.into()).collect())
}

/// `sliding_window_pattern`: a number, of which the last layer sees everything, or a text of `L` and `G`.
fn pattern(config: &Dict<'_>) -> Result<Option<Vec<&'static str>>> {
    for key in ["sliding_window_pattern", "_sliding_window_pattern"] {
        let Some(value) = config.get(key) else { continue };
        let Value::String(letters) = value else {
            let every = config.interval(key)?.unwrap_or(1);
            return Ok(Some((1..=every).map(|i| if i == every { FULL } else { SLIDING }).collect()));
        };
        let label = |letter: char| match letter {
            'L' => Some(SLIDING),
            'G' => Some(FULL),
            _ => None,
        };
        return match letters.chars().map(label).collect::<Option<Vec<_>>>() {
            Some(labels) if !labels.is_empty() => Ok(Some(labels)),
            _ => Err(ConfigError::value(config.key(key), "a number, or a text of L and G", value)),
        };
    }
    Ok(None)
}

/// DeepSeek-V4: layers with a sliding window alone are `main`, those with compressed keys `compress`.
fn compressed_labels(config: &Dict<'_>, types: Option<Vec<&str>>, count: usize) -> Result<Vec<String>> {
    let label = |slides| if slides { "main" } else { "compress" }.to_string();
    if let Some(types) = types {
        return Ok(types.into_iter().map(|name| label(name == SLIDING)).collect());
    }
    match config.counts("compress_ratios")? {
        Some(ratios) if ratios.len() < count => {
            let expected = format!("one entry for each of {count} layers");
            Err(ConfigError::value(config.key("compress_ratios"), expected, ratios.len()))
        }
        Some(ratios) => Ok(ratios.into_iter().take(count).map(|ratio| label(ratio == 0)).collect()),
        None => Err(config.missing("layer_types", "a list of texts, or compress_ratios")),
    }
}

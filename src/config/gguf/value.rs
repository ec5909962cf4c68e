//! Values of the metadata, and the tensors that belong to it.

use serde_json::{Number, Value};

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
    pub(super) fn json(&self) -> Value {
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
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::RopeFreqs => "rope_freqs.weight",
            Self::RopeFactorsShort => "rope_factors_short.weight",
            Self::RopeFactorsLong => "rope_factors_long.weight",
        }
    }
}

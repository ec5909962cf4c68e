//! A temperature of queries that falls with their position: what models multiply their queries by besides turning them.

use crate::error::{Error, Result};
use crate::math;

/// `1 + scale · ln(1 + floor((position + offset)/length))`: queries far along are made longer, so that their scores stay
/// sharp.
///
/// ```
/// use posenc::QueryTemperature;
///
/// // Llama-4 counts positions from one, Ministral-3 from zero.
/// let llama4 = QueryTemperature::llama4(0.1, 8192.0)?;
/// let ministral = QueryTemperature::ministral(0.1, 8192.0)?;
/// assert_eq!((llama4.factor(8190), ministral.factor(8191)), (1.0, 1.0));
/// assert_eq!(llama4.factor(8191), 1.0 + 0.1 * 2.0_f64.ln());
/// assert_eq!(ministral.factor(8192), llama4.factor(8192));
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Accuracy: within 1 ULP of f64. Source: Hugging Face's code of Llama-4 and Ministral-3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryTemperature {
    scale: f64,
    length: f64,
    offset: f64,
}

impl QueryTemperature {
    /// As Llama-4 has it, on its layers without rotation: `attn_scale` and `floor_scale`.
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if `scale` is not from 0 to 1e30, or `length` not from 1 to 1e30.
    pub fn llama4(scale: f64, length: f64) -> Result<Self> {
        Self::new(scale, length, 1.0)
    }

    /// As Ministral-3 and Mistral-4 have it, on all layers, after the rotation: `llama_4_scaling_beta` and
    /// `original_max_position_embeddings`.
    ///
    /// # Errors
    ///
    /// As [`llama4`](Self::llama4).
    pub fn ministral(scale: f64, length: f64) -> Result<Self> {
        Self::new(scale, length, 0.0)
    }

    fn new(scale: f64, length: f64, offset: f64) -> Result<Self> {
        if !(0.0..=1e30).contains(&scale) {
            return Err(Error::Number { what: "temperature scale", expected: "a number from 0 to 1e30", found: scale });
        }
        if !(1.0..=1e30).contains(&length) {
            return Err(Error::Number {
                what: "temperature length",
                expected: "a number from 1 to 1e30",
                found: length,
            });
        }
        Ok(Self { scale, length, offset })
    }

    /// What the query at a position is multiplied by; 1 for negative positions.
    #[must_use]
    pub fn factor(&self, position: i64) -> f64 {
        let lengths = math::floor((position as f64 + self.offset) / self.length);
        if lengths > 0.0 { 1.0 + self.scale * math::ln(1.0 + lengths) } else { 1.0 }
    }
}

//! Dynamic position bias: a small network of the distance.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::tile::LIMIT;
use super::{DistanceTable, Mlp};
use crate::error::{Error, Result};
use crate::math::elementary::ln_1p;

/// How a distance goes into a network.
///
/// ```
/// use posenc::DistanceScale;
///
/// assert_eq!(DistanceScale::Linear.of(-3), -3.0);
/// assert_eq!(DistanceScale::Logarithmic.of(-3), -4.0_f64.ln());
/// assert_eq!(DistanceScale::Normalised { length: 8.0 }.of(-3), -0.375);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum DistanceScale {
    /// As it is.
    Linear,
    /// `sign(d) · ln(|d| + 1)`.
    Logarithmic,
    /// `d/length`.
    Normalised {
        /// The distance that becomes 1.
        length: f64,
    },
}

impl DistanceScale {
    /// The input of a network for a distance.
    #[must_use]
    pub fn of(self, distance: i64) -> f64 {
        let distance = distance as f64;
        match self {
            Self::Linear => distance,
            Self::Logarithmic => ln_1p(distance.abs()).copysign(distance),
            Self::Normalised { length } => distance / length,
        }
    }
}

/// The bias that a network of one input and one output a head makes of each distance of a range.
///
/// The network is asked about `query − key`, as x-transformers does; `distances` are `key − query`, as everywhere in this
/// crate. A causal model of `n` tokens needs `1 − n ..= 0`.
///
/// ```
/// use posenc::{DistanceBias, DistanceScale, Mlp, dynamic_bias};
///
/// // One hidden unit, two heads.
/// let network = Mlp::new(1)?.linear(&[1.0], &[0.0])?.relu().linear(&[1.0, -2.0], &[0.0, 0.5])?;
/// let bias = dynamic_bias(&network, DistanceScale::Linear, -3..=3)?;
/// assert_eq!([bias.value(0, -3), bias.value(1, -3), bias.value(1, 2)], [3.0, -5.5, 0.5]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Its [`DistanceTable::table_gradient`] is that of the network's outputs:
///
/// ```
/// use posenc::{DistanceScale, Mlp, dynamic_bias};
///
/// let network = Mlp::new(1)?.linear(&[0.5], &[0.0])?;
/// let bias = dynamic_bias(&network, DistanceScale::Linear, -2..=0)?;
/// let mut outputs = [0.0; 3];
/// bias.table_gradient(&[1.0_f32, 10.0, 100.0], [1, 3], 2, &mut outputs)?;
/// let inputs: Vec<f64> = (-2..=0).map(|distance: i64| DistanceScale::Linear.of(-distance)).collect();
/// let mut gradient = [0.0; 2];
/// network.parameters_gradient(&inputs, &outputs, &mut gradient)?;
/// assert_eq!(gradient, [12.0, 111.0]);                                // 1·2 + 10·1, and the sum
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Count`] if the network has not one input, the range runs backward or goes beyond 2^24, or its values do not fit
/// the memory; [`Error::Number`] if the length of a scale is not positive and finite.
pub fn dynamic_bias(network: &Mlp, scale: DistanceScale, distances: RangeInclusive<i64>) -> Result<DistanceTable> {
    let (first, last) = (*distances.start(), *distances.end());
    let far = first.unsigned_abs().max(last.unsigned_abs());
    if first > last || far > LIMIT as u64 {
        let expected = "a range that runs forward, within 2^24";
        return Err(Error::Count { what: "distance", expected, found: far as usize });
    }
    if network.inputs() != 1 {
        return Err(Error::Count { what: "network inputs", expected: "1", found: network.inputs() });
    }
    if let DistanceScale::Normalised { length } = scale
        && !(length > 0.0 && length.is_finite())
    {
        return Err(Error::Number { what: "length", expected: "a positive finite number", found: length });
    }
    let inputs: Vec<f64> = distances.map(|distance| scale.of(-distance)).collect();
    let by_head = network.transposed(&inputs, |x| x)?;
    Ok(DistanceTable::refusing(by_head, inputs.len(), first))
}

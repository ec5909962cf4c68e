//! The inner products of sinusoidal rows, as a bias without the rows.

use alloc::vec::Vec;

use super::DistanceBias;
use super::tile::LIMIT;
use crate::error::{Error, Result, zeros};
use crate::positions::Positions;
use crate::{Frequencies, Precision, TableBuilder, math};

/// `(Σ cos(d·10000^(−2k/features)) − features/2) · heads/(8·(head + 1))` over `k = 1 .. features/2`, at the distance
/// `d = |key − query|`.
///
/// ```
/// use posenc::{DistanceBias, Sandwich};
///
/// let sandwich = Sandwich::new(2, 8, 100)?;
/// assert_eq!(sandwich.value(0, 0), 0.0);
/// assert_eq!(sandwich.value(0, -1), -0.0012615848);
/// assert_eq!(sandwich.value(1, 1), -0.0006307924);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// The sums are taken in f64 over cosines within 1 ULP, and rounded once. They are worked out when the bias is made, for
/// all distances up to a farthest one; those beyond are refused.
///
/// Source: Chi et al., *Dissecting transformer length extrapolation via the lens of receptive field analysis*, 2023.
#[derive(Clone, Debug, PartialEq)]
pub struct Sandwich {
    /// The sum of each distance.
    sums: Vec<f64>,
    heads: usize,
}

/// Distances whose cosines are made in one go.
const BLOCK: usize = 64;

impl Sandwich {
    /// A bias of so many heads, from sinusoids of `features` values, for distances up to `farthest`.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no heads or more than 65536, `features` is odd, 0 or above 2^20, or `farthest` is above
    /// 2^24 or does not fit the memory.
    pub fn new(heads: usize, features: usize, farthest: usize) -> Result<Self> {
        if heads == 0 || heads > 1 << 16 {
            return Err(Error::Count { what: "heads", expected: "1 to 65536", found: heads });
        }
        if features == 0 || !features.is_multiple_of(2) || features > 1 << 20 {
            return Err(Error::Count { what: "features", expected: "an even number, 2 to 2^20", found: features });
        }
        if farthest > LIMIT {
            return Err(Error::Count { what: "distance", expected: "at most 2^24", found: farthest });
        }
        let half = features / 2;
        let frequency = |k: usize| math::power(10_000.0, -2.0 * k as f64, features as f64);
        let frequencies = Frequencies::from_values((1..=half).map(frequency).collect())?;
        let builder = TableBuilder::new(&frequencies, Precision::Exact);
        let mut sums: Vec<f64> = zeros("distances", &[farthest + 1])?;
        let rows = sums.len().min(BLOCK);
        let (mut cos, mut sin) = (zeros("cosines", &[rows, half])?, zeros("sines", &[rows, half])?);
        for (block, sums) in sums.chunks_mut(BLOCK).enumerate() {
            let cells = sums.len() * half;
            let (cos, sin) = (&mut cos[..cells], &mut sin[..cells]);
            builder.fill::<f64>(&Positions::from((block * BLOCK) as i64), cos, sin)?;
            for (sum, cos) in sums.iter_mut().zip(cos.chunks_exact(half)) {
                // Each 1 − cos is small near distance 0, where the whole sum would lose its digits.
                *sum = cos.iter().map(|cos| cos - 1.0).sum();
            }
        }
        Ok(Self { sums, heads })
    }
}

impl DistanceBias for Sandwich {
    fn heads(&self) -> usize {
        self.heads
    }

    fn value(&self, head: usize, distance: i64) -> f32 {
        match self.sums.get(distance.unsigned_abs() as usize) {
            Some(sum) if head < self.heads => (sum * self.heads as f64 / (8.0 * (head + 1) as f64)) as f32,
            _ => f32::NAN,
        }
    }

    fn distances(&self) -> core::ops::RangeInclusive<i64> {
        let farthest = self.sums.len() as i64 - 1;
        -farthest..=farthest
    }
}

//! xPos: rotations whose magnitude depends on the position, as tables for queries and for keys.

use alloc::vec::Vec;

use crate::error::{Error, Result, zeros};
use crate::math::{self, Twofold};
use crate::{Frequencies, Positions, Precision, TableBuilder, Tables};

/// Queries grow and keys shrink with the position, so that scores fade with the distance.
///
/// With `zeta_j = (2j + 0.4·width)/(1.4·width)` and `w = zeta_j^((position − centre)/scale_base)`, the tables of queries hold
/// `cos·w` and `sin·w`, those of keys `cos/w` and `sin/w`. Of `centre` only the choice matters that it is the same for queries
/// and keys, so a cache of keys must keep it for as long as it lives. Published code takes the middle of the
/// sequence.
///
/// ```
/// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary, Xpos};
///
/// let frequencies = Frequencies::new(64, 10_000.0)?;
/// let [queries, keys] = Xpos::new(&frequencies, 512.0, 50)?.tables(100)?;
/// let queries = Rotary::from_tables(queries, Pairing::Interleaved);
/// let keys = Rotary::from_tables(keys, Pairing::Interleaved);
///
/// let score = |query: i64, key: i64| {
///     let (mut q, mut k) = ([1.0_f32; 64], [1.0_f32; 64]);
///     queries.rotate(&mut HeadsMut::new(&mut q, [1, 1, 64])?, &Positions::from(query))?;
///     keys.rotate(&mut HeadsMut::new(&mut k, [1, 1, 64])?, &Positions::from(key))?;
///     Ok::<f32, posenc::Error>(q.iter().zip(k).map(|(q, k)| q * k).sum())
/// };
/// assert!((score(90, 80)? - score(30, 20)?).abs() < 1e-3);    // only the distance counts
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Accuracy: as that of exact tables, for `w` within a few units of the last place of f64.
///
/// Source: Sun et al., *A length-extrapolatable transformer*, 2022; torchscale and flash-attn.
#[derive(Clone, Debug)]
pub struct Xpos {
    builder: TableBuilder,
    /// `ln zeta_j / scale_base`, one a pair.
    slopes: Vec<Twofold>,
    centre: i64,
    /// The positions whose `w` lies within the range of the tables.
    range: (i64, i64),
}

/// The largest size of `ln w`, so that neither `w` nor `1/w` leaves the range of an f32: both stay below 2^115.
const MAX_LOGARITHM: f64 = 80.0;

impl Xpos {
    /// The paper has a `scale_base` of 512.
    ///
    /// # Errors
    ///
    /// [`Error::Number`] if `scale_base` is not a number from 1 to 2^40, [`Error::Position`] if `centre` is larger than 2^31 in
    /// size.
    pub fn new(frequencies: &Frequencies, scale_base: f64, centre: i64) -> Result<Self> {
        if !(1.0..=1_099_511_627_776.0).contains(&scale_base) {
            let expected = "a number from 1 to 2^40";
            return Err(Error::Number { what: "scale base", expected, found: scale_base });
        }
        Positions::from(centre).resolve(1, 1, None, 1)?;
        let width = frequencies.width() as f64;
        let slope = |j: usize| {
            // Times five, so that all is whole.
            let zeta = Twofold::from(10.0 * j as f64 + 2.0 * width).over(Twofold::from(7.0 * width));
            zeta.ln().over(Twofold::from(scale_base))
        };
        let slopes: Vec<Twofold> = (0..frequencies.pairs()).map(slope).collect();
        // The first pair has the smallest zeta, and all are below one.
        let reach = slopes.first().map_or(f64::MAX, |first| math::floor(-MAX_LOGARITHM / first.value())) as i64;
        let range = (centre.saturating_sub(reach), centre.saturating_add(reach));
        Ok(Self { builder: TableBuilder::new(frequencies, Precision::Exact), slopes, centre, range })
    }

    /// The tables of queries and those of keys, for positions `0 .. rows`, in f32: for elements of `f32` and
    /// of 16 bits.
    ///
    /// # Errors
    ///
    /// [`Error::Position`] if a position is so far from the centre that a magnitude would leave the range of f32: about 64 times
    /// the `scale_base`, or if `rows` goes beyond 2^31; [`Error::Count`] if the tables do not fit the memory or there are no pairs.
    pub fn tables(&self, rows: usize) -> Result<[Tables; 2]> {
        Positions::from(0_usize).resolve(1, rows, None, 1)?;
        let (min, max) = self.range;
        let last = rows.saturating_sub(1);
        for (index, found) in [(0, 0), (last, last as i128)] {
            if rows > 0 && !(i128::from(min)..=i128::from(max)).contains(&found) {
                return Err(Error::Position { index, min, max, found });
            }
        }
        let pairs = self.builder.pairs();
        let mut cells: [Vec<f32>; 4] = Default::default();
        for cells in &mut cells {
            *cells = zeros("table", &[rows, pairs])?;
        }
        let (mut cos, mut sin) = (zeros::<f64>("row", &[pairs])?, zeros::<f64>("row", &[pairs])?);
        for row in 0..rows {
            self.builder.fill(&Positions::from(row), &mut cos, &mut sin)?;
            let distance = Twofold::from((row as i64 - self.centre) as f64);
            for (j, slope) in self.slopes.iter().enumerate() {
                let logarithm = slope.times(distance);
                let grown = logarithm.exp().value();
                let shrunk = logarithm.times(Twofold::from(-1.0)).exp().value();
                let values: [f64; 4] = [cos[j] * grown, sin[j] * grown, cos[j] * shrunk, sin[j] * shrunk];
                for (cells, value) in cells.iter_mut().zip(values) {
                    cells[row * pairs + j] = value as f32;
                }
            }
        }
        let [query_cos, query_sin, key_cos, key_sin] = cells;
        Ok([Tables::new(query_cos, query_sin, pairs)?, Tables::new(key_cos, key_sin, pairs)?])
    }
}

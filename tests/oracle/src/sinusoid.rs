//! Sinusoidal absolute encodings: one row a position, sines and cosines of the same angles side by side or apart.
//! It stands apart because odd widths, where the sines outnumber the cosines by one, are decided here alone.

use crate::angle::{CosSin, sincos};

/// How a row of `width` columns holds its `ceil(width/2)` sines and `floor(width/2)` cosines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// `sin, cos, sin, cos, …`; an odd row ends with a sine.
    Interleaved,
    /// All sines, then all cosines.
    SinCos,
    /// All cosines, then all sines.
    CosSin,
}

impl Arrangement {
    /// All three, for tests that sweep them.
    pub const ALL: [Arrangement; 3] = [Arrangement::Interleaved, Arrangement::SinCos, Arrangement::CosSin];
}

/// The `ceil(width/2)` frequencies `base^(-2i/width)`, each for a sine and, but for the last of an odd width,
/// a cosine.
pub fn frequencies(width: usize, base: f64) -> Vec<f64> {
    (0..width.div_ceil(2)).map(|i| base.powf(-(2.0 * i as f64) / width as f64)).collect()
}

/// One row from given frequencies, `ceil(width/2)` of them.
///
/// # Panics
///
/// If the number of frequencies is another, or as [`sincos`].
pub fn row(position: i64, width: usize, frequencies: &[f64], arrangement: Arrangement) -> Vec<f64> {
    assert_eq!(frequencies.len(), width.div_ceil(2), "frequencies for {width} columns");
    let points: Vec<CosSin> = frequencies.iter().map(|&frequency| sincos(position, frequency)).collect();
    let sines = points.iter().map(|point| point.sin);
    let cosines = points.iter().map(|point| point.cos).take(width / 2);
    match arrangement {
        Arrangement::Interleaved => points.iter().flat_map(|point| [point.sin, point.cos]).take(width).collect(),
        Arrangement::SinCos => sines.chain(cosines).collect(),
        Arrangement::CosSin => cosines.chain(sines).collect(),
    }
}

/// `rows` rows of the standard table, from `first` on, in one row-major vector.
pub fn table(first: i64, rows: usize, width: usize, base: f64, arrangement: Arrangement) -> Vec<f64> {
    let frequencies = frequencies(width, base);
    (0..rows as i64).flat_map(|i| row(first + i, width, &frequencies, arrangement)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Position 3 of width 5 and base 1e4, worked out to forty digits.
    const SINES: [f64; 3] = [0.1411200080598672, 0.07528529299888896, 0.001892870903091888];
    const COSINES: [f64; 2] = [-0.9899924966004454, 0.997162035307237];

    fn assert_close(got: &[f64], want: &[f64]) {
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= 1e-15, "got {got}, want {want}");
        }
    }

    #[test]
    fn odd_rows_hold_one_more_sine() {
        let [s0, s1, s2] = SINES;
        let [c0, c1] = COSINES;
        let row = |arrangement| row(3, 5, &frequencies(5, 1e4), arrangement);
        assert_close(&row(Arrangement::Interleaved), &[s0, c0, s1, c1, s2]);
        assert_close(&row(Arrangement::SinCos), &[s0, s1, s2, c0, c1]);
        assert_close(&row(Arrangement::CosSin), &[c0, c1, s0, s1, s2]);
    }

    #[test]
    fn even_rows_and_negative_positions() {
        let (s0, s1, s2) = (-0.9092974268256817, -0.09269850077872722, -0.004308856046742812);
        let (c0, c1, c2) = (-0.4161468365471424, 0.9956942241237399, 0.9999907168366957);
        let row = |arrangement| row(-2, 6, &frequencies(6, 1e4), arrangement);
        assert_close(&row(Arrangement::Interleaved), &[s0, c0, s1, c1, s2, c2]);
        assert_close(&row(Arrangement::SinCos), &[s0, s1, s2, c0, c1, c2]);
        assert_close(&row(Arrangement::CosSin), &[c0, c1, c2, s0, s1, s2]);
    }

    #[test]
    fn tables_are_rows_in_order() {
        let table = table(2, 3, 5, 1e4, Arrangement::SinCos);
        assert_eq!(table.len(), 15);
        assert_close(&table[5..8], &SINES);
        assert_close(&table[8..10], &COSINES);
    }

    #[test]
    fn a_hundred_rows_of_five_have_497_values() {
        let mut values = table(0, 100, 5, 1e4, Arrangement::Interleaved);
        values.iter_mut().for_each(|value| *value = f64::from(*value as f32));
        values.sort_by(f64::total_cmp);
        values.dedup();
        assert_eq!(values.len(), 497);
    }

    #[test]
    fn narrow_rows() {
        assert_eq!(table(0, 2, 1, 1e4, Arrangement::Interleaved).len(), 2);
        assert_close(&table(0, 1, 2, 1e4, Arrangement::CosSin), &[1.0, 0.0]);
        assert!(table(0, 3, 0, 1e4, Arrangement::SinCos).is_empty());
        assert!(table(0, 0, 4, 1e4, Arrangement::SinCos).is_empty());
    }
}

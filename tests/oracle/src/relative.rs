//! Learned relative embeddings: the clipped index of Shaw et al., its look-up, and the ways to keep a table tame.
//! They stand apart because they work on tables of rows, where the biases work on single scores.

use std::ops::Range;

/// Index of a distance `key - query` into a table of `left + right + 1` rows: clipped, then counted from 0.
pub fn clipped_index(distance: i64, left: u32, right: u32) -> usize {
    let clipped = distance.clamp(-i64::from(left), i64::from(right));
    (clipped + i64::from(left)) as usize
}

/// Shaw's index, the same reach on both sides: `clip(key - query, -reach, reach) + reach`.
pub fn shaw_index(query: i64, key: i64, reach: u32) -> usize {
    clipped_index(key - query, reach, reach)
}

/// The row of `table` for every query and every key, as `[queries, keys, width]`, from ranges of positions.
///
/// # Panics
///
/// If the table has not `2 * reach + 1` rows of `width`.
pub fn shaw_rows(table: &[f64], width: usize, reach: u32, queries: Range<i64>, keys: Range<i64>) -> Vec<f64> {
    assert_eq!(table.len(), (2 * reach as usize + 1) * width, "2 * {reach} + 1 rows of {width}");
    let mut rows = Vec::new();
    for query in queries {
        for key in keys.clone() {
            let start = width * shaw_index(query, key, reach);
            rows.extend_from_slice(&table[start..start + width]);
        }
    }
    rows
}

/// Layer norm of one row: `(x - mean) / sqrt(variance + epsilon)`, the variance divided by the row's length.
pub fn layer_norm(row: &[f64], epsilon: f64) -> Vec<f64> {
    let length = row.len() as f64;
    let mean = row.iter().sum::<f64>() / length;
    let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / length;
    row.iter().map(|x| (x - mean) / (variance + epsilon).sqrt()).collect()
}

/// [`layer_norm`] times `gain` plus `shift`, feature by feature.
///
/// # Panics
///
/// If the lengths differ.
pub fn affine_layer_norm(row: &[f64], epsilon: f64, gain: &[f64], shift: &[f64]) -> Vec<f64> {
    assert!(row.len() == gain.len() && row.len() == shift.len(), "one gain and one shift a feature");
    let normal = layer_norm(row, epsilon).into_iter();
    normal.zip(gain.iter().zip(shift)).map(|(x, (gain, shift))| x * gain + shift).collect()
}

/// A table divided by its largest magnitude, so that it fills [-1, 1]. A table of zeros stays as it is.
pub fn scaled_to_unit(table: &[f64]) -> Vec<f64> {
    let largest = table.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if largest == 0.0 {
        return table.to_vec();
    }
    table.iter().map(|x| x / largest).collect()
}

/// A distance over a length, in [-1, 1] for distances within it: what a distance network is fed.
///
/// # Panics
///
/// If `length` is 0.
pub fn normalised_distance(distance: i64, length: u32) -> f64 {
    assert!(length > 0, "a distance over no length");
    distance as f64 / f64::from(length)
}

/// [`normalised_distance`] of the distance clipped to the length: always within [-1, 1].
///
/// # Panics
///
/// If `length` is 0.
pub fn clipped_distance(distance: i64, length: u32) -> f64 {
    let length_signed = i64::from(length);
    normalised_distance(distance.clamp(-length_signed, length_signed), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(got: &[f64], want: &[f64]) {
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= 1e-14, "got {got}, want {want}");
        }
    }

    #[test]
    fn shaw_indices_of_a_four_by_four_block() {
        let indices: Vec<usize> = (0..4).flat_map(|query| (0..4).map(move |key| shaw_index(query, key, 2))).collect();
        assert_eq!(indices, [2, 3, 4, 4, 1, 2, 3, 4, 0, 1, 2, 3, 0, 0, 1, 2]);
    }

    #[test]
    fn shaw_indices_of_a_decode_step() {
        let indices: Vec<usize> = (0..9).map(|key| shaw_index(8, key, 3)).collect();
        assert_eq!(indices, [0, 0, 0, 0, 0, 0, 1, 2, 3]);
        assert_eq!(shaw_index(5, 9, 0), 0);
    }

    #[test]
    fn unequal_reaches_clip_each_side() {
        let indices: Vec<usize> = (-4..=3).map(|distance| clipped_index(distance, 3, 1)).collect();
        assert_eq!(indices, [0, 0, 1, 2, 3, 4, 4, 4]);
        assert_eq!(clipped_index(i64::MIN, 64, 8), 0);
        assert_eq!(clipped_index(i64::MAX, 64, 8), 72);
    }

    #[test]
    fn rows_follow_the_indices() {
        let table = [10.0, 11.0, 20.0, 21.0, 30.0, 31.0];
        let rows = shaw_rows(&table, 2, 1, 0..2, 0..3);
        assert_eq!(rows, [20.0, 21.0, 30.0, 31.0, 30.0, 31.0, 10.0, 11.0, 20.0, 21.0, 30.0, 31.0]);
        let later = shaw_rows(&table, 2, 1, 2..3, 0..3);
        assert_eq!(later, [10.0, 11.0, 10.0, 11.0, 20.0, 21.0]);
    }

    // Rows worked out to forty digits; the second is small enough for epsilon to matter.
    #[test]
    fn layer_norm_divides_by_the_length_and_adds_epsilon() {
        let row = [0.0, 0.3922319685595852, 1.1766959056787556, -1.5689278742383408];
        assert_close(&layer_norm(&[1.0, 2.0, 4.0, -3.0], 1e-5), &row);
        assert_close(&layer_norm(&[0.001, 0.003], 1e-5), &[-0.30151134457776363, 0.30151134457776363]);
        assert_close(&layer_norm(&[7.0, 7.0, 7.0], 1e-5), &[0.0; 3]);
    }

    #[test]
    fn gain_and_shift_come_last() {
        let got = affine_layer_norm(&[0.001, 0.003], 1e-5, &[2.0, -1.0], &[0.5, 0.25]);
        assert_close(&got, &[0.5 - 0.6030226891555273, 0.25 - 0.30151134457776363]);
    }

    #[test]
    fn tables_are_scaled_by_the_largest_magnitude() {
        assert_eq!(scaled_to_unit(&[1.0, -4.0, 2.0, 0.0]), [0.25, -1.0, 0.5, 0.0]);
        assert_eq!(scaled_to_unit(&[0.125, 0.25]), [0.5, 1.0]);
        assert_eq!(scaled_to_unit(&[0.0, 0.0]), [0.0, 0.0]);
        assert!(scaled_to_unit(&[]).is_empty());
    }

    #[test]
    fn distances_over_a_length() {
        assert_eq!(normalised_distance(-3, 4), -0.75);
        assert_eq!(normalised_distance(6, 4), 1.5);
        assert_eq!(clipped_distance(6, 4), 1.0);
        assert_eq!(clipped_distance(-9, 4), -1.0);
        assert_eq!(clipped_distance(1, 4), 0.25);
    }
}

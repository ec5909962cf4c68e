//! Absolute encodings of other kinds: real coordinates, sums of looked-up rows, and interpolated tables.
//! It stands apart from `sinusoid`, whose positions are whole numbers.

use crate::angle::{CosSin, sincos_product};

/// The frequencies `base^(−i/(h − shift))` for `i < h`, of `width` features and their half `h`, rounded down.
pub fn frequencies(width: usize, base: f64, shift: f64) -> Vec<f64> {
    let half = width / 2;
    (0..half).map(|i| base.powf(-(i as f64) / (half as f64 - shift))).collect()
}

/// Cosine and sine of `Σ coordinate · frequency`, by the addition theorem; each product is exact.
///
/// # Panics
///
/// If a product exceeds 2^51.
pub fn wave(parts: &[(f64, f64)]) -> CosSin {
    parts.iter().fold(CosSin { cos: 1.0, sin: 0.0 }, |sum, &(coordinate, frequency)| {
        let CosSin { cos, sin } = sincos_product(coordinate, frequency);
        CosSin { cos: sum.cos * cos - sum.sin * sin, sin: sum.sin * cos + sum.cos * sin }
    })
}

/// `x·scale + rows[0]·factors[0] + …`.
pub fn sum(x: f64, scale: f64, rows: &[(f64, f64)]) -> f64 {
    x * scale + rows.iter().map(|(row, factor)| row * factor).sum::<f64>()
}

/// A table of `[height, width, features]` at a point between its cells, each of which is one wide and has its value in the
/// middle: the bilinear mean of the four nearest, where cells go on beyond the edge as they are at the edge.
pub fn bilinear(table: &[f64], size: [usize; 2], features: usize, point: [f64; 2], feature: usize) -> f64 {
    let [y, x] = point.map(|at| at - 0.5);
    let cell = |row: f64, column: f64| {
        let [row, column] =
            [(row, size[0]), (column, size[1])].map(|(at, size)| at.clamp(0.0, size as f64 - 1.0) as usize);
        table[(row * size[1] + column) * features + feature]
    };
    let (row, column) = (y.floor(), x.floor());
    let (down, right) = (y - row, x - column);
    let above = cell(row, column) * (1.0 - right) + cell(row, column + 1.0) * right;
    let below = cell(row + 1.0, column) * (1.0 - right) + cell(row + 1.0, column + 1.0) * right;
    above * (1.0 - down) + below * down
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_reach_the_base_when_one_is_taken_off() {
        assert_eq!(frequencies(6, 100.0, 1.0), [1.0, 0.1, 0.01]);
        assert_eq!(frequencies(5, 100.0, 0.0), [1.0, 0.1]);
        assert!(frequencies(1, 100.0, 0.0).is_empty());
    }

    #[test]
    fn angles_are_added() {
        let CosSin { cos, sin } = wave(&[(0.25, 1.0), (2.0, 0.5)]);
        assert!((cos - 1.25_f64.cos()).abs() < 1e-15 && (sin - 1.25_f64.sin()).abs() < 1e-15);
        assert_eq!(wave(&[]), CosSin { cos: 1.0, sin: 0.0 });
    }

    #[test]
    fn sums_by_hand() {
        assert_eq!(sum(2.0, 3.0, &[(1.0, 10.0), (5.0, 100.0)]), 516.0);
    }

    #[test]
    fn between_four_cells() {
        let table = [0.0, 1.0, 10.0, 11.0];
        assert_eq!(bilinear(&table, [2, 2], 1, [1.0, 1.0], 0), 5.5);
        assert_eq!(bilinear(&table, [2, 2], 1, [0.5, 1.0], 0), 0.5);
        // Beyond the middles of the outer cells, nothing changes.
        assert_eq!(bilinear(&table, [2, 2], 1, [0.0, 2.0], 0), 1.0);
        assert_eq!(bilinear(&table, [2, 2], 1, [2.0, 0.0], 0), 10.0);
    }
}

//! Windows of two axes by coordinates: every index is worked out from the places of its two tokens.
//! They stand apart from sequences, where one number is the place.

/// Row and column of a token.
fn place(token: usize, width: usize) -> [i64; 2] {
    [(token / width) as i64, (token % width) as i64]
}

/// Swin's index for two tokens of a window.
pub fn swin([height, width]: [usize; 2], query: usize, key: usize) -> usize {
    let ([qh, qw], [kh, kw]) = (place(query, width), place(key, width));
    let (h, w) = (height as i64, width as i64);
    ((qh - kh + h - 1) * (2 * w - 1) + (qw - kw + w - 1)) as usize
}

/// BEiT's index, the class token first: three rows behind those of Swin.
pub fn beit(window: [usize; 2], query: usize, key: usize) -> usize {
    let rows = (2 * window[0] - 1) * (2 * window[1] - 1) + 3;
    match (query, key) {
        (0, 0) => rows - 1,
        (_, 0) => rows - 2,
        (0, _) => rows - 3,
        _ => swin(window, query - 1, key - 1),
    }
}

/// LeViT's index, the way its implementation finds it: offsets are numbered in the order in which they are met.
pub fn levit([height, width]: [usize; 2]) -> Vec<usize> {
    let tokens = height * width;
    let mut met: Vec<[i64; 2]> = vec![];
    let mut indices = vec![];
    for query in 0..tokens {
        for key in 0..tokens {
            let ([qh, qw], [kh, kw]) = (place(query, width), place(key, width));
            let offset = [(qh - kh).abs(), (qw - kw).abs()];
            let index = met.iter().position(|&seen| seen == offset).unwrap_or_else(|| {
                met.push(offset);
                met.len() - 1
            });
            indices.push(index);
        }
    }
    indices
}

/// Swin-v2's coordinate for a distance along an axis, with the side that distances are measured by.
pub fn log_coordinate(distance: i64, side: usize) -> f64 {
    if side < 2 {
        return 0.0;
    }
    let scaled = distance as f64 / (side as f64 - 1.0) * 8.0;
    scaled.signum() * (scaled.abs() + 1.0).log2() / 8.0_f64.log2() * f64::from(scaled != 0.0)
}

/// The row of a decomposed table for a query and a key along an axis of `q` queries and `k` keys.
pub fn decomposed_row(query: usize, key: usize, q: usize, k: usize) -> usize {
    // The floor of (query·max(k/q, 1) − key·max(q/k, 1) + (k − 1)·max(q/k, 1)) over the common denominator q·k.
    let (kq, qk) = ((k * k).max(q * k), (q * q).max(q * k));
    (query * kq + (k - 1) * qk - key * qk) / (q * k)
}

/// A column of a table, resized linearly with half-pixel centres.
pub fn resized(column: &[f64], wanted: usize) -> Vec<f64> {
    let scale = column.len() as f64 / wanted as f64;
    let value = |row: usize| {
        let place = ((row as f64 + 0.5) * scale - 0.5).max(0.0);
        let floor = place.floor() as usize;
        let next = (floor + 1).min(column.len() - 1);
        column[floor] + (column[next] - column[floor]) * (place - floor as f64)
    };
    (0..wanted).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_of_a_two_by_three_window() {
        let row = |query: usize| (0..6).map(|key| swin([2, 3], query, key)).collect::<Vec<_>>();
        assert_eq!(row(0), [7, 6, 5, 2, 1, 0]);
        assert_eq!(row(5), [14, 13, 12, 9, 8, 7]);
        assert_eq!([beit([2, 3], 0, 0), beit([2, 3], 0, 4), beit([2, 3], 4, 0), beit([2, 3], 1, 1)], [17, 15, 16, 7]);
        assert_eq!(levit([1, 3]), [0, 1, 2, 1, 0, 1, 2, 1, 0]);
    }

    #[test]
    fn coordinates_and_rows_by_hand() {
        assert_eq!([log_coordinate(0, 5), log_coordinate(-3, 1)], [0.0, 0.0]);
        assert!((log_coordinate(-4, 5) + 9.0_f64.log2() / 3.0).abs() < 1e-15);
        // Two queries over four keys: a query counts for two rows.
        let rows: Vec<usize> = (0..2).flat_map(|q| (0..4).map(move |k| decomposed_row(q, k, 2, 4))).collect();
        assert_eq!(rows, [3, 2, 1, 0, 5, 4, 3, 2]);
        assert_eq!(decomposed_row(3, 0, 4, 2), 5);
    }

    #[test]
    fn resizing_keeps_the_ends() {
        assert_eq!(resized(&[1.0, 3.0], 3), [1.0, 2.0, 3.0]);
        assert_eq!(resized(&[1.0, 2.0, 3.0, 4.0], 2), [1.5, 3.5]);
        assert_eq!(resized(&[5.0], 3), [5.0; 3]);
    }
}

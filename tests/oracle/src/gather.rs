//! Relative logits on their way into scores, the long way round: index matrices, and the pad-and-reshape trick of the
//! papers. They stand apart because they make the large tensors that the crate does without.

/// `y[i, j] = x[i, index(i, j)]` for `x` of `[queries, columns]`.
pub fn by_query(
    x: &[f64],
    columns: usize,
    [queries, keys]: [usize; 2],
    index: impl Fn(usize, usize) -> usize,
) -> Vec<f64> {
    let cells = (0..queries).flat_map(|i| (0..keys).map(move |j| (i, j)));
    cells.map(|(i, j)| x[i * columns + index(i, j)]).collect()
}

/// DeBERTa's position-to-content term, as its implementation goes: `x` of `[tokens, columns]` belongs to keys; gather at
/// the index of `(row - column)` with the sign turned, then transpose.
pub fn by_key(x: &[f64], columns: usize, tokens: usize, index_of_relative: impl Fn(i64) -> usize) -> Vec<f64> {
    let turned = by_query(x, columns, [tokens, tokens], |row, column| index_of_relative(-(row as i64 - column as i64)));
    (0..tokens * tokens).map(|cell| turned[cell % tokens * tokens + cell / tokens]).collect()
}

/// Transformer-XL's shift: a zero column on the left, the rows read as columns, the first row dropped, read back. Of each
/// row the first `columns - queries + 1` values are meaningful.
pub fn pad_and_reshape(x: &[f64], queries: usize) -> Vec<f64> {
    let columns = x.len() / queries;
    let padded: Vec<f64> =
        x.chunks_exact(columns).flat_map(|row| std::iter::once(0.0).chain(row.iter().copied())).collect();
    // [columns + 1, queries] without its first row, read as [queries, columns].
    padded[queries..].to_vec()
}

/// `x[i, index(i, j)] += y[i, j]`: the transpose of [`by_query`].
pub fn back_to_columns(
    y: &[f64],
    columns: usize,
    [queries, keys]: [usize; 2],
    index: impl Fn(usize, usize) -> usize,
) -> Vec<f64> {
    let mut x = vec![0.0; queries * columns];
    for i in 0..queries {
        for j in 0..keys {
            x[i * columns + index(i, j)] += y[i * keys + j];
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_gathers_by_hand() {
        let x = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0];
        let index = |i: usize, j: usize| j + 1 - i;
        assert_eq!(by_query(&x, 3, [2, 2], index), [1.0, 2.0, 10.0, 11.0]);
        assert_eq!(back_to_columns(&[1.0, 2.0, 3.0, 4.0], 3, [2, 2], index), [0.0, 1.0, 2.0, 3.0, 4.0, 0.0]);
        assert_eq!(pad_and_reshape(&x, 2)[..2], [1.0, 2.0]);
        assert_eq!(pad_and_reshape(&x, 2)[3..5], [10.0, 11.0]);
    }

    #[test]
    fn keys_are_gathered_at_the_query_s_column() {
        // Column = query - key + 1: the score of query 1 and key 0 reads column 2 of key 0.
        let x = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0];
        assert_eq!(by_key(&x, 3, 2, |relative| (relative + 1) as usize), [1.0, 10.0, 2.0, 11.0]);
    }
}

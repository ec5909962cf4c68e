//! Laws of relative embeddings: a cell's row is the row of its clipped distance, and adding is adding the look-up.
//! They stand apart because every cell of queries and keys has features here.

use posenc::{Level, RelativeEmbedding};
use posenc_kernels::{F32, GatherSum, Lookup, Wide};
use posenc_oracle::relative::clipped_index;

use super::bits::{assert_same, framed};
use super::case::scattered;

/// Cells to look rows up for.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// How many queries there are.
    pub(crate) queries: usize,
    /// How many keys there are.
    pub(crate) keys: usize,
    /// Where the first query stands.
    pub(crate) first_query: usize,
    /// At least one value, of which the cells are made.
    pub(crate) values: Vec<f32>,
}

impl Cells {
    /// The number of each cell's row, as the oracle counts.
    fn index(&self, embedding: &RelativeEmbedding) -> Vec<usize> {
        let clip = embedding.clip();
        let (left, right) = (clip.left as u32, clip.right as u32);
        let positions = (0..self.queries).flat_map(|q| (0..self.keys).map(move |k| (q, k)));
        positions.map(|(q, k)| clipped_index(k as i64 - (self.first_query + q) as i64, left, right)).collect()
    }
}

/// A look-up is the rows of the clipped distances, one for each cell; so is asking for each row alone.
pub(crate) fn a_lookup_is_the_rows_of_the_distances(embedding: &RelativeEmbedding, cells: &Cells) {
    let features = embedding.features();
    let index = cells.index(embedding);
    let rows = index.iter().flat_map(|&row| &embedding.weights()[row * features..][..features]);
    let want: Vec<f32> = rows.copied().collect();
    let got = embedding.lookup([cells.queries, cells.keys], cells.first_query).expect("rows that fit");
    assert_same(&got, &want, "look-up");
    for (cell, &row) in index.iter().enumerate() {
        let (query, key) = (cells.first_query + cell / cells.keys, cell % cells.keys);
        assert_eq!(embedding.index(query, key), row, "query {query}, key {key}");
        assert_same(embedding.row(query, key), &want[cell * features..][..features], "row");
    }
}

/// `add` is `x + lookup`, to the bit, and so is the kernel at every level, in any place of a buffer.
pub(crate) fn adding_is_adding_the_lookup(embedding: &RelativeEmbedding, cells: &Cells, levels: &[Level]) {
    let sizes = [cells.queries, cells.keys];
    let rows = embedding.lookup(sizes, cells.first_query).expect("rows that fit");
    let x = scattered(&cells.values, rows.len());
    let sum: Vec<f32> = x.iter().zip(&rows).map(|(x, row)| x + row).collect();
    let mut added = x.clone();
    embedding.add(&mut added, sizes, cells.first_query).expect("cells that fit");
    assert_same(&added, &sum, "add");

    let index = cells.index(embedding);
    for &level in levels {
        for shift in 0..4 {
            let mut buffer = framed(&x, shift);
            let rows = &mut buffer[shift..][..x.len()];
            let lookup = Lookup { table: embedding.weights(), index: &index, factor: 1.0 };
            let (width, scale) = (embedding.features(), Some(1.0));
            level.run(GatherSum::<F32, Wide, 1> { rows, width, scale, tables: [lookup] });
            assert_same(&buffer, &framed(&sum, shift), format_args!("{level}: gathered"));
        }
    }
}

/// A decode step sees the last rows of the prefill.
pub(crate) fn a_decoded_row_is_a_row_of_the_prefill(embedding: &RelativeEmbedding, cells: &Cells) {
    let whole = embedding.lookup([cells.queries, cells.keys], cells.first_query).expect("rows that fit");
    let row = cells.keys * embedding.features();
    for query in 0..cells.queries {
        let decoded = embedding.lookup([1, cells.keys], cells.first_query + query).expect("rows that fit");
        assert_same(&decoded, &whole[query * row..][..row], format_args!("query {query}"));
    }
}

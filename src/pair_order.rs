//! Features in the order of another pairing: rows of weights, biases, and rotated heads.
//!
//! ```text
//! interleaved   x0 y0 x1 y1 x2 y2          halves   x0 x1 x2 y0 y1 y2
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use crate::Pairing;
use crate::error::{Error, Result, check_length, product};

/// How the rows of query or key weights (and biases, and norms of single features) are put into the order of another
/// pairing, head by head, so that a model that was trained with one pairing runs with the other and gives the same scores.
///
/// ```
/// use posenc::{Pairing, PairOrder};
///
/// // Two heads of four rows, one column; all features turn.
/// let order = PairOrder::new(2, 4, 0..4)?;
/// let mut weights = [0, 1, 2, 3, /* second head */ 4, 5, 6, 7];
/// order.permute(&mut weights, 1, Pairing::Interleaved, Pairing::Halves)?;
/// assert_eq!(weights, [0, 2, 1, 3, 4, 6, 5, 7]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// The heads are those of the tensor at hand: with grouped queries, keys have fewer than queries. Rows outside the rotated
/// features keep their places.
///
/// Checkpoints of architecture `llama` in GGUF files are permuted from halves to interleaved; those of `qwen2`, `gemma` and
/// `phi` are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairOrder {
    heads: usize,
    dim: usize,
    rotated: Range<usize>,
}

impl PairOrder {
    /// `heads` heads of `dim` features, of which `rotated` turn.
    ///
    /// # Errors
    ///
    /// [`Error::Width`] if the rotated features lie outside the head, [`Error::Count`] if their number is odd.
    pub fn new(heads: usize, dim: usize, rotated: Range<usize>) -> Result<Self> {
        let end = rotated.start.max(rotated.end);
        if end > dim {
            return Err(Error::Width { expected: dim, found: end });
        }
        if !rotated.len().is_multiple_of(2) {
            let expected = "an even number of features";
            return Err(Error::Count { what: "rotary width", expected, found: rotated.len() });
        }
        Ok(Self { heads, dim, rotated })
    }

    /// Permutes rows of `columns` elements in place.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there are `heads × dim` rows.
    pub fn permute<T: Copy>(&self, rows: &mut [T], columns: usize, from: Pairing, to: Pairing) -> Result<()> {
        self.check(rows.len(), columns)?;
        if rows.is_empty() {
            return Ok(());
        }
        let sources = self.sources(from, to);
        let mut scratch = Vec::new();
        for head in rows.chunks_exact_mut(self.dim * columns) {
            let rotated = &mut head[self.rotated.start * columns..self.rotated.end * columns];
            scratch.clear();
            scratch.extend_from_slice(rotated);
            carry(&scratch, rotated, columns, &sources);
        }
        Ok(())
    }

    /// Permutes rows of `columns` elements into another place.
    ///
    /// ```
    /// use posenc::{Pairing, PairOrder};
    ///
    /// // The first row keeps its place.
    /// let mut bias = [0; 5];
    /// PairOrder::new(1, 5, 1..5)?.permute_into(&[0, 1, 2, 3, 4], &mut bias, 1, Pairing::Halves, Pairing::Interleaved)?;
    /// assert_eq!(bias, [0, 1, 3, 2, 4]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there are `heads × dim` rows in both.
    pub fn permute_into<T: Copy>(
        &self,
        rows: &[T],
        out: &mut [T],
        columns: usize,
        from: Pairing,
        to: Pairing,
    ) -> Result<()> {
        self.check(rows.len(), columns)?;
        self.check(out.len(), columns)?;
        if rows.is_empty() {
            return Ok(());
        }
        out.copy_from_slice(rows);
        let sources = self.sources(from, to);
        let head = self.dim * columns;
        let rotated = self.rotated.start * columns..self.rotated.end * columns;
        for (rows, out) in rows.chunks_exact(head).zip(out.chunks_exact_mut(head)) {
            carry(&rows[rotated.clone()], &mut out[rotated.clone()], columns, &sources);
        }
        Ok(())
    }

    /// For each rotated row, which one takes its place.
    fn sources(&self, from: Pairing, to: Pairing) -> Vec<usize> {
        let places: Vec<usize> = (0..self.rotated.len()).collect();
        let mut sources = places.clone();
        reorder(&places, &mut sources, from, to);
        sources
    }

    fn check(&self, found: usize, columns: usize) -> Result<()> {
        check_length("weights", product("weights", &[self.heads, self.dim, columns])?, found)
    }
}

/// Copies rows of `columns` elements, each from the place that is named for it.
fn carry<T: Copy>(rows: &[T], out: &mut [T], columns: usize, sources: &[usize]) {
    for (row, &source) in out.chunks_exact_mut(columns).zip(sources) {
        row.copy_from_slice(&rows[source * columns..(source + 1) * columns]);
    }
}

/// Writes features in the order of another pairing.
pub(crate) fn reorder<T: Copy>(features: &[T], out: &mut [T], from: Pairing, to: Pairing) {
    let half = features.len() / 2;
    match (from, to) {
        (Pairing::Interleaved, Pairing::Halves) => {
            let (first, second) = out.split_at_mut(half);
            for ((&[a, b], x), y) in features.as_chunks().0.iter().zip(first).zip(second) {
                (*x, *y) = (a, b);
            }
        }
        (Pairing::Halves, Pairing::Interleaved) => {
            let (first, second) = features.split_at(half);
            for (([a, b], &x), &y) in out.as_chunks_mut().0.iter_mut().zip(first).zip(second) {
                (*a, *b) = (x, y);
            }
        }
        _ => out.copy_from_slice(features),
    }
}

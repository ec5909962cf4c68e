//! Position ids of padded sequences: only tokens that are none of the padding are counted.

use alloc::vec::Vec;

use crate::error::{Error, Result, check_length};

/// How the tokens of padded sequences are numbered: those that are no padding count up, the others share one id.
///
/// ```
/// use posenc::Numbering;
///
/// // RoBERTa and fairseq, padding_idx = 1: the first token has position 2.
/// let roberta = Numbering { first: 2, padding: 1, past: 0 };
/// assert_eq!(roberta.of_tokens(&[[1, 1, 5, 6, 7], [5, 1, 6, 1, 7]].concat(), 5, 1)?, [1, 1, 2, 3, 4, 2, 1, 3, 1, 4]);
///
/// // OPT counts the same way from the attention mask, and drops the tokens that are in the cache already.
/// let opt = Numbering { first: 2, padding: 1, past: 3 };
/// assert_eq!(opt.of_mask(&[0, 1, 1, 1, 1], 5)?, [4, 5]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: `cumsum(ids ≠ padding) · (ids ≠ padding) + padding` in fairseq's `make_positions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbering {
    /// The id of the first token that is no padding; tables that keep rows free in front begin later than 0.
    pub first: i64,
    /// The id of all padding.
    pub padding: i64,
    /// How many tokens of each sequence are counted but left out of the result, because they were encoded before.
    pub past: usize,
}

impl Numbering {
    /// The ids of `[batch, tokens]` token ids, of which those equal to `padding` are padding: `[batch, tokens − past]`.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if `tokens` is less than `past`, [`Error::Length`] if there are no whole sequences of `tokens`.
    pub fn of_tokens<T: Copy + PartialEq>(self, ids: &[T], tokens: usize, padding: T) -> Result<Vec<i64>> {
        self.count(ids, tokens, padding)
    }

    /// The ids of a `[batch, tokens]` attention mask, of any type, whose zeros are padding: `[batch, tokens − past]`.
    ///
    /// # Errors
    ///
    /// As [`of_tokens`](Self::of_tokens).
    pub fn of_mask<T: Copy + Default + PartialEq>(self, mask: &[T], tokens: usize) -> Result<Vec<i64>> {
        self.count(mask, tokens, T::default())
    }

    fn count<T: Copy + PartialEq>(self, tokens: &[T], length: usize, padding: T) -> Result<Vec<i64>> {
        if length < self.past {
            return Err(Error::Count { what: "tokens", expected: "at least as many as are past", found: length });
        }
        check_length("tokens", tokens.len() / length.max(1) * length, tokens.len())?;
        let mut ids = Vec::with_capacity(tokens.len());
        for sequence in tokens.chunks_exact(length.max(1)) {
            let mut next = self.first;
            ids.extend(sequence.iter().enumerate().filter_map(|(i, &token)| {
                let id = if token == padding { self.padding } else { next };
                next = if token == padding { next } else { next.saturating_add(1) };
                (i >= self.past).then_some(id)
            }));
        }
        Ok(ids)
    }
}

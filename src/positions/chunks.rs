//! Dual chunk attention: positions that stay small however long the context is.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::{Error, Result, zeros};

/// Positions of dual chunk attention, which runs a model over contexts far longer than those it was trained with.
///
/// The sequence is cut into pieces of `chunk − local` tokens. Keys are turned once, by their place within a piece; queries
/// are turned three times, for keys of their own piece, of the piece before it, and of all earlier ones.
///
/// ```
/// use posenc::{ChunkRole, DualChunk, Positions};
///
/// let chunks = DualChunk::new(6, 2)?;         // pieces of four tokens
/// assert_eq!(chunks.ids(ChunkRole::Key, 0..6)?, [0, 1, 2, 3, 0, 1]);
/// assert_eq!(chunks.ids(ChunkRole::Successive, 0..6)?, [4, 5, 6, 6, 4, 5]);
/// let ids = chunks.ids(ChunkRole::Inter, 0..6)?;
/// assert_eq!(ids, [6; 6]);
/// let positions = Positions::ids(&ids);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: An et al., *Training-Free Long-Context Scaling of Large Language Models*, 2024; as Qwen2.5-1M uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DualChunk {
    chunk: usize,
    piece: usize,
}

/// Which of the rotations of dual chunk attention positions are for. `c` is the length of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChunkRole {
    /// Keys: `p mod c`.
    Key,
    /// Queries, for keys of their own piece: `p mod c`.
    Intra,
    /// Queries, for keys of the piece before: `min(p mod c + c, chunk)`.
    Successive,
    /// Queries, for keys of earlier pieces: `min(2c − 1, chunk)`.
    Inter,
    /// [`Successive`](Self::Successive) where sparse attention looks for the keys that matter: `p mod c + c`.
    SuccessiveCritical,
    /// [`Inter`](Self::Inter) where sparse attention looks for the keys that matter: `p mod c + chunk`.
    InterCritical,
}

impl DualChunk {
    /// Chunks of `chunk` positions, of which the last `local` belong to the next piece.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if `chunk` is above 2^30, or `local` is not below it.
    pub fn new(chunk: usize, local: usize) -> Result<Self> {
        if chunk > 1 << 30 {
            return Err(Error::Count { what: "chunk", expected: "at most 2^30 tokens", found: chunk });
        }
        match chunk.checked_sub(local) {
            Some(piece @ 1..) => Ok(Self { chunk, piece }),
            _ => Err(Error::Count { what: "local tokens", expected: "less than a chunk", found: local }),
        }
    }

    /// The positions of some tokens.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if they do not fit the memory.
    pub fn ids(&self, role: ChunkRole, tokens: Range<usize>) -> Result<Vec<i64>> {
        let Self { chunk, piece } = *self;
        let mut ids: Vec<i64> = zeros("position ids", &[tokens.len()])?;
        for (id, token) in ids.iter_mut().zip(tokens) {
            let place = token % piece;
            *id = match role {
                ChunkRole::Key | ChunkRole::Intra => place,
                ChunkRole::Successive => (place + piece).min(chunk),
                ChunkRole::Inter => (2 * piece - 1).min(chunk),
                ChunkRole::SuccessiveCritical => place + piece,
                ChunkRole::InterCritical => place + chunk,
            } as i64;
        }
        Ok(ids)
    }
}

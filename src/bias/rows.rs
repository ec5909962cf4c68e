//! Rows of biases on their way into scores: in place or overwriting, whole or a tile of them, serial or parallel.
//! It stands apart because it is the same for all biases, whether they depend on the distance alone or not.

use alloc::vec;
use alloc::vec::Vec;

use posenc_kernels::{Isa, Kernel, Level, RowPut, SlidingAdd, SlidingSet, Write};

use super::tile::{Block, Tile};
use crate::element::{Element, Work};
use crate::error::Result;

/// How many queries share one window of biases, and by how many keys it moves from one to the next.
pub(crate) struct Shared {
    pub(crate) queries: usize,
    pub(crate) step: usize,
}

/// What gives each head and query a row of biases.
pub(crate) trait Rows {
    /// How many heads there are.
    fn heads(&self) -> usize;

    /// What the queries from one on share.
    fn shared(&self, query: usize) -> Shared;

    /// Fills a window from a key on: that of the last of the queries that share it, behind which stand those of the
    /// others.
    fn fill(&self, head: usize, last_query: usize, first_key: usize, out: &mut [f32]);

    /// The same window, where it stands in memory already.
    fn stored(&self, _head: usize, _last_query: usize, _first_key: usize, _len: usize) -> Option<&[f32]> {
        None
    }

    /// How long a piece of a row is best filled and used at once, while it is at hand.
    fn piece(&self) -> usize {
        PIECE
    }

    /// Whether there are values for a block that is not empty.
    fn check(&self, _block: &Block) -> Result<()> {
        Ok(())
    }

    /// The level to run on.
    fn level(&self) -> Level;
}

/// A piece of a row that stays in the innermost cache between its making and its use.
const PIECE: usize = 512;

/// Fills a window on the vectors of a level.
struct Fill<'a, R: ?Sized> {
    rows: &'a R,
    head: usize,
    last_query: usize,
    first_key: usize,
    out: &'a mut [f32],
}

impl<R: Rows> Kernel for Fill<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        self.rows.fill(self.head, self.last_query, self.first_key, self.out);
    }
}

/// Makes the biases of one row and puts them there, piece by piece.
struct Row<'a, T: Element, R: ?Sized> {
    rows: &'a R,
    head: usize,
    query: usize,
    first_key: usize,
    scores: &'a mut [T],
    room: &'a mut [f32],
    wide: &'a mut Vec<T::Work>,
    write: Write,
}

impl<T: Element, R: Rows> Kernel for Row<'_, T, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let mut key = self.first_key;
        for scores in self.scores.chunks_mut(self.room.len()) {
            let out = &mut self.room[..scores.len()];
            self.rows.fill(self.head, self.query, key, out);
            key += out.len();
            let values = T::Work::widen_into(out, self.wide);
            RowPut::<T::Format> { row: T::raw_mut(scores), values, write: self.write }.run(isa);
        }
    }
}

/// Adds or writes all heads, and all keys from the first on.
pub(crate) fn whole<T: Element>(
    rows: &impl Rows,
    scores: &mut [T],
    size: [usize; 2],
    first_query: usize,
    write: Write,
) -> Result<()> {
    block(rows, scores, &Block::new(rows.heads(), size, first_query), write)
}

/// Adds or writes a tile.
pub(crate) fn tile<T: Element>(rows: &impl Rows, scores: &mut [T], tile: &Tile, write: Write) -> Result<()> {
    block(rows, scores, &Block::of(tile)?, write)
}

fn block<T: Element>(rows: &impl Rows, scores: &mut [T], block: &Block, write: Write) -> Result<()> {
    block.check(rows, scores)?;
    stretch(rows, scores, block, 0, write);
    Ok(())
}

/// [`whole`] on the pool of the caller.
#[cfg(feature = "rayon")]
pub(crate) fn par_whole<T: Element>(
    rows: &(impl Rows + Sync),
    scores: &mut [T],
    size: [usize; 2],
    first_query: usize,
    write: Write,
) -> Result<()> {
    let block = Block::new(rows.heads(), size, first_query);
    block.check(rows, scores)?;
    crate::parallel::moved_rows(scores.len(), block.keys, scores, &|first, scores: &mut [T]| {
        stretch(rows, scores, &block, first, write);
    });
    Ok(())
}

/// A stretch of rows of a block, from one on; sizes were checked.
fn stretch<T: Element>(rows: &impl Rows, mut scores: &mut [T], block: &Block, mut first: usize, write: Write) {
    if scores.is_empty() {
        return;
    }
    let (level, keys, first_key) = (rows.level(), block.keys, block.first_key);
    let (mut room, mut wide) = (Vec::new(), Vec::new());
    while !scores.is_empty() {
        let (head, query) = (block.first_head + first / block.queries, first % block.queries);
        let shared = rows.shared(block.first_query + query);
        let count = shared.queries.min(block.queries - query).min(scores.len() / keys);
        let last_query = block.first_query + query + count - 1;
        let (start, step) = ((count - 1) * shared.step, shared.step);
        let (part, rest) = core::mem::take(&mut scores).split_at_mut(count * keys);
        (scores, first) = (rest, first + count);
        let len = start + keys;
        // A window of another length is none.
        let stored = rows.stored(head, last_query, first_key, len).filter(|window| window.len() == len);
        let window = match stored {
            Some(window) => window,
            None if count == 1 => {
                let room = of_length(&mut room, keys.min(rows.piece()));
                level.run(Row { rows, head, query: last_query, first_key, scores: part, room, wide: &mut wide, write });
                continue;
            }
            None => {
                let out = of_length(&mut room, len);
                level.run(Fill { rows, head, last_query, first_key, out });
                &room[..len]
            }
        };
        let window = T::Work::widen_into(window, &mut wide);
        put::<T>(level, part, SlidingWindow { width: keys, window, start, step }, write);
    }
}

/// Room for so many values, which is made once.
fn of_length(room: &mut Vec<f32>, len: usize) -> &mut [f32] {
    if room.len() < len {
        *room = vec![0.0; len];
    }
    &mut room[..len]
}

/// What a block of rows reads, and how.
pub(crate) struct SlidingWindow<'a, W> {
    pub(crate) width: usize,
    pub(crate) window: &'a [W],
    pub(crate) start: usize,
    pub(crate) step: usize,
}

/// Adds windows to rows, or writes them over.
pub(crate) fn put<T: Element>(level: Level, rows: &mut [T], slide: SlidingWindow<'_, T::Work>, write: Write) {
    let SlidingWindow { width, window, start, step } = slide;
    let add = SlidingAdd::<T::Format> { rows: T::raw_mut(rows), width, window, start, step };
    match write {
        Write::Add => level.run(add),
        Write::Set => level.run(SlidingSet(add)),
    }
}

/// A bias by reference is a bias: what `score_forms` is given for types that are [`Rows`] themselves.
pub(crate) struct Of<'a, R>(pub(crate) &'a R);

impl<R: Rows> Rows for Of<'_, R> {
    fn heads(&self) -> usize {
        self.0.heads()
    }

    fn shared(&self, query: usize) -> Shared {
        self.0.shared(query)
    }

    #[inline(always)]
    fn fill(&self, head: usize, last_query: usize, first_key: usize, out: &mut [f32]) {
        self.0.fill(head, last_query, first_key, out);
    }

    fn piece(&self) -> usize {
        self.0.piece()
    }

    fn check(&self, block: &Block) -> Result<()> {
        self.0.check(block)
    }

    fn level(&self) -> Level {
        self.0.level()
    }
}

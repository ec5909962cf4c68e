//! Biases of attention scores that depend on the distance between key and query.
//!
//! A bias is a short function of the distance. Laid along the diagonals it is one vector a head, and every row of scores
//! adds a window of it: no `[heads, queries, keys]` tensor is ever made.

mod alibi;

pub use alibi::{Alibi, AlibiForm};

use alloc::vec;
use alloc::vec::Vec;

use posenc_kernels::{Level, SlidingAdd};

use crate::element::{Element, Work};
use crate::error::{Error, Result, check_length, product};

/// The largest distance for which a bias is asked: distances stay exact in f32.
const LIMIT: usize = 1 << 24;

/// Where distances are counted from.
///
/// ```
/// use posenc::{Alibi, AlibiForm, Anchor, DistanceBias};
///
/// assert_eq!(Alibi::new(8)?.anchor(), Anchor::Query);
/// assert_eq!(Alibi::new(8)?.with_form(AlibiForm::KeyOnly).anchor(), Anchor::FirstKey);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Anchor {
    /// From the query: `key − query`. A key at its query has distance 0.
    Query,
    /// From the first key, for all queries alike.
    FirstKey,
}

/// A bias for each head and each distance `key − query`, added to attention scores.
///
/// Implement [`heads`](Self::heads) and [`value`](Self::value); the rest follows. [`fill`](Self::fill) is there to be
/// replaced where a stretch of values can be made faster than one by one.
///
/// ```
/// use posenc::DistanceBias;
///
/// /// Forbids what lies more than `self.0` keys back.
/// struct Window(i64);
///
/// impl DistanceBias for Window {
///     fn heads(&self) -> usize {
///         2
///     }
///
///     fn value(&self, _head: usize, distance: i64) -> f32 {
///         if distance < -self.0 { f32::NEG_INFINITY } else { 0.0 }
///     }
/// }
///
/// // A decode step: one query at position 3, keys 0 to 3.
/// let mut scores = [0.0_f32; 8];                                  // [2 heads, 1 query, 4 keys]
/// Window(2).add(&mut scores, [1, 4], 3)?;
/// assert_eq!(scores[..4], [f32::NEG_INFINITY, 0.0, 0.0, 0.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
pub trait DistanceBias {
    /// How many heads there are.
    fn heads(&self) -> usize;

    /// The bias of a head at `distance = key − query`.
    fn value(&self, head: usize, distance: i64) -> f32;

    /// The biases of a head at `first`, `first + 1`, ….
    fn fill(&self, head: usize, first: i64, out: &mut [f32]) {
        for (k, value) in out.iter_mut().enumerate() {
            *value = self.value(head, first.wrapping_add(k as i64));
        }
    }

    /// Where distances are counted from; the query, unless an encoding says otherwise.
    fn anchor(&self) -> Anchor {
        Anchor::Query
    }

    /// Adds the bias to scores, `[heads, queries, keys]`; the queries stand at `first_query` and after, the keys at 0 and
    /// after. Biases are f32; 16-bit sums are rounded once.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the scores have another size, [`Error::Count`] if a distance goes beyond 2^24. Nothing is
    /// written then.
    fn add<T: Element>(&self, scores: &mut [T], [queries, keys]: [usize; 2], first_query: usize) -> Result<()> {
        check_length("scores", product("scores", &[self.heads(), queries, keys])?, scores.len())?;
        let slide = Slide::new(self.anchor(), [queries, keys], first_query)?;
        if scores.is_empty() {
            return Ok(());
        }
        let (mut window, level) = (vec![0.0; slide.len], Level::detect());
        for (head, rows) in scores.chunks_exact_mut(queries * keys).enumerate() {
            self.fill(head, slide.first, &mut window);
            let (rows, window) = (T::raw_mut(rows), &T::Work::widen(&window));
            level.run(SlidingAdd::<T::Format> { rows, width: keys, window, start: slide.start, step: slide.step });
        }
        Ok(())
    }

    /// The bias of one head along the diagonals: `queries + keys − 1` values, of which query `i` reads the `keys` that
    /// begin at `queries − 1 − i`. Counted from the first key, it is one row of `keys` values, the same for all queries.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there is no such head, or a distance goes beyond 2^24.
    fn diagonals(&self, head: usize, [queries, keys]: [usize; 2], first_query: usize) -> Result<Vec<f32>> {
        if head >= self.heads() {
            return Err(Error::Count { what: "head", expected: "less than the number of heads", found: head });
        }
        let slide = Slide::new(self.anchor(), [queries, keys], first_query)?;
        let mut window = vec![0.0; slide.len];
        self.fill(head, slide.first, &mut window);
        Ok(window)
    }
}

/// The window of a call: the distances it holds, and how rows read it.
struct Slide {
    first: i64,
    len: usize,
    start: usize,
    step: usize,
}

impl Slide {
    fn new(anchor: Anchor, [queries, keys]: [usize; 2], first_query: usize) -> Result<Self> {
        let found = first_query.saturating_add(queries).max(keys);
        if found > LIMIT {
            return Err(Error::Count { what: "distance", expected: "at most 2^24", found });
        }
        Ok(match anchor {
            _ if queries == 0 || keys == 0 => Self { first: 0, len: 0, start: 0, step: 0 },
            Anchor::Query => Self {
                first: -((first_query + queries - 1) as i64),
                len: queries + keys - 1,
                start: queries - 1,
                step: 1,
            },
            Anchor::FirstKey => Self { first: 0, len: keys, start: 0, step: 0 },
        })
    }
}

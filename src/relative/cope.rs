//! Contextual positions: a query counts the keys that its gates let through.

use posenc_kernels::Level;

use crate::Element;
use crate::bias::forms::score_forms;
use crate::bias::learned::add_rounded;
use crate::bias::rows::{Of, Rows, Shared};
use crate::bias::tile::{Block, LIMIT};
use crate::error::{Error, Result, check_length, product};
use crate::math::elementary::sigmoid;

/// What contextual positions are made of.
///
/// ```
/// use posenc::CopeLogits;
///
/// // One head, one query, two keys, three positions.
/// let logits = CopeLogits { gates: &[0.0, 0.0], positions: &[1.0, 2.0, 3.0], heads: 1, size: [1, 2], first_query: 1 };
/// assert_eq!(logits.positions.len(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopeLogits<'a> {
    /// Logits of the gates, `[heads, queries, keys]`: products of queries and keys.
    pub gates: &'a [f32],
    /// Products of the queries and the embeddings of whole positions, `[heads, queries, positions]`.
    pub positions: &'a [f32],
    /// How many heads there are.
    pub heads: usize,
    /// How many queries and keys.
    pub size: [usize; 2],
    /// Where the first query stands; the first key is at 0.
    pub first_query: usize,
}

/// `p = Σ sigmoid(gate)` over the keys from one up to the query, at most the last position; the bias lies between the
/// logits of the whole positions beside `p`.
///
/// Keys after the query let nothing through, so their position is 0; they are meant to be masked.
///
/// ```
/// use posenc::{Cope, CopeLogits};
///
/// // Gates of a half: the key at the query is at position 1/2, the one before it at 1.
/// let logits = CopeLogits { gates: &[0.0, 0.0], positions: &[1.0, 2.0, 3.0], heads: 1, size: [1, 2], first_query: 1 };
/// let mut scores = [0.0_f32; 2];
/// Cope::new(logits)?.add(&mut scores, [1, 2], 1)?;
/// assert_eq!(scores, [2.0, 1.5]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Worked out in f64 and rounded once.
///
/// Source: Golovneva et al., *Contextual position encoding*, 2024.
#[derive(Clone, Debug, PartialEq)]
pub struct Cope<'a> {
    logits: CopeLogits<'a>,
    positions: usize,
    level: Level,
}

impl<'a> Cope<'a> {
    /// The bias of given logits.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no heads, no queries or no positions, or the queries or keys go beyond 2^24;
    /// [`Error::Length`] if the logits have another size.
    pub fn new(logits: CopeLogits<'a>) -> Result<Self> {
        let CopeLogits { gates, positions, heads, size: [queries, keys], first_query } = logits;
        for (what, found) in [("heads", heads), ("queries", queries)] {
            if found == 0 {
                return Err(Error::Count { what, expected: "at least 1", found });
            }
        }
        let found = first_query.saturating_add(queries).max(keys);
        if found > LIMIT {
            return Err(Error::Count { what: "distance", expected: "at most 2^24", found });
        }
        check_length("gates", product("gates", &[heads, queries, keys])?, gates.len())?;
        let lines = product("position logits", &[heads, queries])?;
        let count = positions.len() / lines;
        if count == 0 {
            return Err(Error::Count { what: "positions", expected: "at least 1", found: 0 });
        }
        check_length("position logits", count * lines, positions.len())?;
        Ok(Self { logits, positions: count, level: Level::detect() })
    }

    /// The same bias on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    score_forms!(pub, Of, where);

    /// The line of a head and a query, counted over all heads.
    fn line(&self, head: usize, query: usize) -> usize {
        head * self.logits.size[0] + query - self.logits.first_query
    }

    /// The position of each key of a line up to the query, from the query back to a first key.
    fn walk(&self, line: usize, query: usize, first_key: usize) -> impl Iterator<Item = (usize, f64)> {
        let keys = self.logits.size[1];
        let gates = &self.logits.gates[line * keys..][..keys];
        let mut position = 0.0;
        (first_key..keys.min(query + 1)).rev().map(move |key| {
            position += sigmoid(gates[key].into());
            (key, position)
        })
    }

    /// The whole positions beside a position, and how near it is to the upper one.
    fn between(&self, position: f64) -> (usize, usize, f64) {
        let last = self.positions - 1;
        // A NaN falls to the first position, and its share keeps it one.
        let lower = (position as usize).min(last);
        let share = if lower == last && position >= last as f64 { 0.0 } else { position - lower as f64 };
        (lower, (lower + 1).min(last), share)
    }

    /// Adds to `positions`, `[heads, queries, positions]`, what the gradient of all scores, `[heads, queries, keys]`, hands
    /// back to the logits of the positions. Summed in f64, rounded once.
    ///
    /// ```
    /// use posenc::{Cope, CopeLogits};
    ///
    /// let logits = CopeLogits { gates: &[0.0, 0.0], positions: &[0.0; 3], heads: 1, size: [1, 2], first_query: 1 };
    /// let mut gradient = [0.0; 3];
    /// Cope::new(logits)?.positions_gradient(&[4.0_f32, 1.0], &mut gradient)?;
    /// assert_eq!(gradient, [0.5, 4.5, 0.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if either has another size. Nothing is written then.
    pub fn positions_gradient<T: Element>(&self, gradient: &[T], positions: &mut [f32]) -> Result<()> {
        let CopeLogits { size: [queries, keys], first_query, gates, .. } = self.logits;
        check_length("score gradients", gates.len(), gradient.len())?;
        check_length("position gradients", self.logits.positions.len(), positions.len())?;
        let mut sums = alloc::vec![0.0; self.positions];
        for (line, out) in positions.chunks_exact_mut(self.positions).enumerate() {
            let (query, gradient) = (first_query + line % queries, &gradient[line * keys..][..keys]);
            sums.fill(0.0);
            // Keys after the query are at position 0.
            let after = gradient.get(query + 1..).unwrap_or_default().iter().map(|x| (0.0, x));
            let before = self.walk(line, query, 0).map(|(key, position)| (position, &gradient[key]));
            for (position, x) in before.chain(after) {
                let (lower, upper, share) = self.between(position);
                let x = x.to_double();
                sums[lower] += x * (1.0 - share);
                sums[upper] += x * share;
            }
            out.iter_mut().zip(&sums).for_each(|(out, &sum)| add_rounded(out, sum));
        }
        Ok(())
    }

    /// Adds to `gates`, `[heads, queries, keys]`, what the gradient of all scores, of the same size, hands back to the logits
    /// of the gates. Summed in f64, rounded once.
    ///
    /// A key that has reached the last position moves no farther, and hands nothing back. Between two whole positions the
    /// bias is a straight line; on one, that of the positions above it counts.
    ///
    /// ```
    /// use posenc::{Cope, CopeLogits};
    ///
    /// // The key at the query is at position 1/2, the one before it at 1; the bias grows by 3 and then by 5.
    /// let logits = CopeLogits { gates: &[0.0, 0.0], positions: &[1.0, 4.0, 9.0], heads: 1, size: [1, 2], first_query: 1 };
    /// let mut gradient = [0.0; 2];
    /// Cope::new(logits)?.gates_gradient(&[4.0_f32, 1.0], &mut gradient)?;
    /// assert_eq!(gradient, [5.0, 5.75]);                                  // 4·5/4, and 4·5/4 + 1·3/4
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if either has another size. Nothing is written then.
    pub fn gates_gradient<T: Element>(&self, gradient: &[T], gates: &mut [f32]) -> Result<()> {
        let CopeLogits { size: [queries, keys], first_query, gates: logits, .. } = self.logits;
        check_length("score gradients", logits.len(), gradient.len())?;
        check_length("gates gradient", logits.len(), gates.len())?;
        let mut slopes = alloc::vec![0.0; keys];
        for (line, out) in gates.chunks_exact_mut(keys.max(1)).enumerate() {
            let query = first_query + line % queries;
            let positions = &self.logits.positions[line * self.positions..][..self.positions];
            for (key, position) in self.walk(line, query, 0) {
                let (lower, upper, _) = self.between(position);
                slopes[key] = f64::from(positions[upper]) - f64::from(positions[lower]);
            }
            // A gate has a part in the positions of its own key and of all before it.
            let mut sum = 0.0;
            for (key, out) in out.iter_mut().enumerate().take(query + 1) {
                sum += gradient[line * keys + key].to_double() * slopes[key];
                let open = sigmoid(logits[line * keys + key].into());
                add_rounded(out, sum * open * (1.0 - open));
            }
        }
        Ok(())
    }
}

impl Rows for Cope<'_> {
    fn heads(&self) -> usize {
        self.logits.heads
    }

    fn shared(&self, _: usize) -> Shared {
        Shared { queries: 1, step: 0 }
    }

    #[inline(always)]
    fn fill(&self, head: usize, query: usize, first_key: usize, out: &mut [f32]) {
        let line = self.line(head, query);
        let logits = &self.logits.positions[line * self.positions..][..self.positions];
        out.fill(logits[0]);
        for (key, position) in self.walk(line, query, first_key) {
            if let Some(out) = out.get_mut(key - first_key) {
                let (lower, upper, share) = self.between(position);
                let (lower, upper) = (f64::from(logits[lower]), f64::from(logits[upper]));
                *out = (upper * share + lower * (1.0 - share)) as f32;
            }
        }
    }

    /// A row at once: the way from the query back to the keys is gone once.
    fn piece(&self) -> usize {
        usize::MAX
    }

    fn check(&self, block: &Block) -> Result<()> {
        let CopeLogits { size: [queries, keys], first_query, .. } = self.logits;
        let end = first_query + queries;
        if block.first_query < first_query || block.first_query + block.queries > end {
            let found = block.first_query;
            return Err(Error::Count { what: "first query", expected: "queries that have logits", found });
        }
        let found = block.first_key + block.keys;
        if found > keys {
            return Err(Error::Count { what: "keys", expected: "no more than have gates", found });
        }
        Ok(())
    }

    fn level(&self) -> Level {
        self.level
    }
}

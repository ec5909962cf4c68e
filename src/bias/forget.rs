//! Forget gates: how much of each key is left over when the query is reached.

use alloc::vec::Vec;

use posenc_kernels::Level;

use super::forms::score_forms;
use super::learned::add_rounded;
use super::rows::{Of, Rows, Shared};
use super::tile::Block;
use crate::Element;
use crate::error::{Error, Result, check_length, product};
use crate::math::elementary::{ln_sigmoid, sigmoid};

/// `Σ ln sigmoid(f_t)` over the tokens `t = key + 1 .. query`: a bias that the tokens themselves decide.
///
/// ```
/// use posenc::ForgetGates;
///
/// // One head, three tokens: the gates are 1/2, all but 1, and 1/2.
/// let gates = ForgetGates::new(&[0.0, 60.0, 0.0], 1)?;
/// let mut row = [0.0_f32; 3];
/// gates.write(&mut row, [1, 3], 2)?;
/// assert_eq!(row, [-core::f32::consts::LN_2, -core::f32::consts::LN_2, 0.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Sums are kept in f64 and their differences rounded once. Keys after the query get a positive bias and are meant to be
/// masked.
///
/// Source: Lin et al., *Forgetting transformer*, 2025.
#[derive(Clone, Debug, PartialEq)]
pub struct ForgetGates {
    /// For each head the sums up to and with each token.
    sums: Vec<Vec<f64>>,
    level: Level,
}

impl ForgetGates {
    /// From the logits of the gates, `[heads, tokens]`.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if there are no heads, or more than 65536; [`Error::Length`] if not all have as many tokens.
    pub fn new(logits: &[f32], heads: usize) -> Result<Self> {
        if !(1..=1 << 16).contains(&heads) {
            return Err(Error::Count { what: "heads", expected: "1 to 65536", found: heads });
        }
        check_length("gate logits", logits.len() / heads * heads, logits.len())?;
        let mut gates = Self { sums: alloc::vec![Vec::new(); heads], level: Level::detect() };
        gates.extend(logits)?;
        Ok(gates)
    }

    /// The logits of further tokens, `[heads, new tokens]`.
    ///
    /// ```
    /// use posenc::ForgetGates;
    ///
    /// let mut grown = ForgetGates::new(&[0.5, 0.25], 2)?;
    /// grown.extend(&[-1.0, 1.0])?;
    /// assert_eq!(grown, ForgetGates::new(&[0.5, -1.0, 0.25, 1.0], 2)?);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if not all heads have as many.
    pub fn extend(&mut self, logits: &[f32]) -> Result<()> {
        let new = logits.len() / self.sums.len();
        check_length("gate logits", new * self.sums.len(), logits.len())?;
        if new == 0 {
            return Ok(());
        }
        for (sums, logits) in self.sums.iter_mut().zip(logits.chunks_exact(new)) {
            let mut sum = sums.last().copied().unwrap_or(0.0);
            sums.extend(logits.iter().map(|&logit| {
                sum += ln_sigmoid(logit.into());
                sum
            }));
        }
        Ok(())
    }

    /// The same bias on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// How many tokens have a gate.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.sums[0].len()
    }

    score_forms!(pub, Of, where);

    /// Adds to `logits_gradient`, `[heads, tokens]`, what the gradient of the scores, `[heads, queries, keys]`, hands back to
    /// the logits of the gates, which have to be given once more. Summed in f64, rounded once.
    ///
    /// A query has no part in keys after it: their scores are masked, and their gradients not looked at.
    ///
    /// ```
    /// use posenc::ForgetGates;
    ///
    /// let logits = [0.0, 0.0, 0.0];
    /// let gates = ForgetGates::new(&logits, 1)?;
    /// let mut gradient = [0.0; 3];
    /// gates.logits_gradient(&[1.0_f32, 1.0, 1.0], [1, 3], 2, &logits, &mut gradient)?;
    /// assert_eq!(gradient, [0.0, 0.5, 1.0]);                              // one key is behind gate 1, two behind gate 2
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); [`Error::Length`] if the logits have another size. Nothing is written then.
    pub fn logits_gradient<T: Element>(
        &self,
        gradient: &[T],
        size: [usize; 2],
        first_query: usize,
        logits: &[f32],
        logits_gradient: &mut [f32],
    ) -> Result<()> {
        let ([queries, keys], tokens) = (size, self.tokens());
        Block::new(self.sums.len(), size, first_query).check(self, gradient)?;
        check_length("gate logits", product("gate logits", &[self.sums.len(), tokens])?, logits.len())?;
        check_length("logits gradient", logits.len(), logits_gradient.len())?;
        if gradient.is_empty() {
            return Ok(());
        }
        let heads = gradient.chunks_exact(queries * keys).zip(logits.chunks_exact(tokens));
        let mut sums = alloc::vec![0.0_f64; tokens + 1];
        for ((rows, logits), out) in heads.zip(logits_gradient.chunks_exact_mut(tokens)) {
            sums.fill(0.0);
            // A score has part in the gates behind its key, up to its query.
            for (query, row) in (first_query..).zip(rows.chunks_exact(keys)) {
                for (key, x) in row.iter().enumerate().take(query + 1) {
                    let x = x.to_double();
                    sums[key + 1] += x;
                    sums[query + 1] -= x;
                }
            }
            let mut sum = 0.0;
            for ((out, &logit), step) in out.iter_mut().zip(logits).zip(&sums) {
                sum += step;
                add_rounded(out, sum * sigmoid(-f64::from(logit)));
            }
        }
        Ok(())
    }
}

impl Rows for ForgetGates {
    fn heads(&self) -> usize {
        self.sums.len()
    }

    fn shared(&self, _: usize) -> Shared {
        Shared { queries: 1, step: 0 }
    }

    #[inline(always)]
    fn fill(&self, head: usize, query: usize, first_key: usize, out: &mut [f32]) {
        let sums = &self.sums[head];
        let whole = sums[query];
        for (out, sum) in out.iter_mut().zip(&sums[first_key..]) {
            *out = (whole - sum) as f32;
        }
    }

    fn check(&self, block: &Block) -> Result<()> {
        let found = (block.first_query + block.queries).max(block.first_key + block.keys);
        if found > self.tokens() {
            return Err(Error::Count { what: "tokens", expected: "no more than have a gate", found });
        }
        Ok(())
    }

    fn level(&self) -> Level {
        self.level
    }
}

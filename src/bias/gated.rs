//! A bias that each query weighs with a gate of its own.

use alloc::vec::Vec;

use posenc_kernels::Level;

use super::DistanceBias;
use super::by_distance::ByDistance;
use super::forms::score_forms;
use super::learned::add_rounded;
use super::rows::{Of, Rows, Shared};
use super::tile::Block;
use crate::Element;
use crate::error::{Error, Result, check_length, product, zeros};
use crate::math::elementary::sigmoid;

/// The gate of WavLM: `sigmoid(a) · (sigmoid(b)·constant − 1) + 2`, from two sums over a query and a learned constant of
/// its head.
///
/// ```
/// use posenc::wavlm_gate;
///
/// assert_eq!(wavlm_gate(0.0, 0.0, 1.0), 1.75);
/// ```
///
/// Source: Chen et al., *WavLM*, 2022; the operator `GatedRelativePositionBias` of ONNX Runtime.
#[must_use]
pub fn wavlm_gate(a: f32, b: f32, constant: f32) -> f32 {
    (sigmoid(a.into()) * (sigmoid(b.into()) * f64::from(constant) - 1.0) + 2.0) as f32
}

/// A bias of the distance times a gate for each head and query.
///
/// ```
/// use posenc::{Alibi, AlibiForm, GatedBias};
///
/// let alibi = Alibi::from_slopes(&[1.0])?.with_form(AlibiForm::Symmetric);
/// let gated = GatedBias::new(&alibi, &[1.0, 3.0], 0)?;                 // [1 head, 2 queries]
/// let mut scores = [0.0_f32; 4];
/// gated.add(&mut scores, [2, 2], 0)?;
/// assert_eq!(scores, [0.0, -1.0, -3.0, 0.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GatedBias<'a, B> {
    bias: &'a B,
    gates: &'a [f32],
    first_query: usize,
}

impl<'a, B: DistanceBias> GatedBias<'a, B> {
    /// A bias and its gates, `[heads, queries]`, for the queries at `first_query` and after.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if not all heads have as many gates, [`Error::Count`] if the bias has no heads.
    pub fn new(bias: &'a B, gates: &'a [f32], first_query: usize) -> Result<Self> {
        let heads = bias.heads();
        if heads == 0 {
            return Err(Error::Count { what: "heads", expected: "at least 1", found: 0 });
        }
        check_length("gates", product("gates", &[heads, gates.len() / heads])?, gates.len())?;
        Ok(Self { bias, gates, first_query })
    }

    score_forms!(pub, Of, where B: Sync);

    /// Adds to `gates_gradient`, `[heads, queries]`, what the gradient of the scores, `[heads, queries, keys]`, hands back to
    /// the gates: for each the sum of its row times the bias. Summed in f64, rounded once.
    ///
    /// The gradient of the bias itself is that of the scores times the gates, row by row.
    ///
    /// ```
    /// use posenc::{Alibi, GatedBias};
    ///
    /// let alibi = Alibi::from_slopes(&[1.0])?;
    /// let mut gradient = [0.0; 2];
    /// GatedBias::new(&alibi, &[1.0, 3.0], 0)?.gates_gradient(&[5.0_f32, 10.0], [1, 2], 1, &mut gradient)?;
    /// assert_eq!(gradient, [0.0, -5.0]);                                  // the query at 1, distances −1 and 0
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add); [`Error::Length`] unless there is a value for each gate. Nothing is written then.
    pub fn gates_gradient<T: Element>(
        &self,
        gradient: &[T],
        size: [usize; 2],
        first_query: usize,
        gates_gradient: &mut [f32],
    ) -> Result<()> {
        let [queries, keys] = size;
        Block::new(self.bias.heads(), size, first_query).check(self, gradient)?;
        check_length("gates gradient", self.gates.len(), gates_gradient.len())?;
        if gradient.is_empty() {
            return Ok(());
        }
        let mut biases: Vec<f32> = zeros("biases", &[keys])?;
        for (line, row) in gradient.chunks_exact(keys).enumerate() {
            let (head, query) = (line / queries, first_query + line % queries);
            self.bias.fill(head, self.distance(query, 0), &mut biases);
            let sum = biases.iter().zip(row).map(|(&bias, x)| f64::from(bias) * x.to_double()).sum();
            add_rounded(&mut gates_gradient[self.gate(head, query)], sum);
        }
        Ok(())
    }
}

impl<B: DistanceBias> GatedBias<'_, B> {
    fn queries(&self) -> usize {
        self.gates.len() / self.bias.heads()
    }

    /// The place of the gate of a head and a query.
    fn gate(&self, head: usize, query: usize) -> usize {
        head * self.queries() + query - self.first_query
    }

    fn distance(&self, query: usize, key: usize) -> i64 {
        ByDistance(self.bias).distance(query, key)
    }
}

impl<B: DistanceBias> Rows for GatedBias<'_, B> {
    fn heads(&self) -> usize {
        self.bias.heads()
    }

    fn shared(&self, _: usize) -> Shared {
        Shared { queries: 1, step: 0 }
    }

    #[inline(always)]
    fn fill(&self, head: usize, query: usize, first_key: usize, out: &mut [f32]) {
        let gate = self.gates[self.gate(head, query)];
        self.bias.fill(head, self.distance(query, first_key), out);
        out.iter_mut().for_each(|bias| *bias *= gate);
    }

    fn check(&self, block: &Block) -> Result<()> {
        let end = self.first_query.saturating_add(self.queries());
        if block.first_query < self.first_query || block.first_query + block.queries > end {
            let found = block.first_query;
            return Err(Error::Count { what: "first query", expected: "queries that have a gate", found });
        }
        ByDistance(self.bias).check(block)
    }

    fn level(&self) -> Level {
        self.bias.level()
    }
}

//! A bias that each query weighs with a gate of its own.

use posenc_kernels::Level;

use super::forms::score_forms;
use super::rows::{Of, Rows, Shared};
use super::tile::Block;
use super::{Anchor, DistanceBias};
use crate::error::{Error, Result, check_length, product};
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
}

impl<B: DistanceBias> GatedBias<'_, B> {
    fn queries(&self) -> usize {
        self.gates.len() / self.bias.heads()
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
        let gate = self.gates[head * self.queries() + query - self.first_query];
        let distance = match self.bias.anchor() {
            Anchor::Query => first_key as i64 - query as i64,
            Anchor::FirstKey => first_key as i64,
        };
        self.bias.fill(head, distance, out);
        out.iter_mut().for_each(|bias| *bias *= gate);
    }

    fn check(&self, block: &Block) -> Result<()> {
        let end = self.first_query.saturating_add(self.queries());
        if block.first_query < self.first_query || block.first_query + block.queries > end {
            let found = block.first_query;
            return Err(Error::Count { what: "first query", expected: "queries that have a gate", found });
        }
        super::by_distance::ByDistance(self.bias).check(block)
    }

    fn level(&self) -> Level {
        self.bias.level()
    }
}

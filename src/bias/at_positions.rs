//! Biases of the distance between positions that follow no order.

use posenc_kernels::Level;

use super::rows::{Rows, Shared};
use super::tile::{Block, LIMIT};
use super::{Anchor, DistanceBias};
use crate::error::{Error, Result};

/// A bias, and where the queries and keys of its scores stand.
pub(super) struct AtPositions<'a, B: ?Sized> {
    pub(super) bias: &'a B,
    pub(super) queries: &'a [i64],
    pub(super) keys: &'a [i64],
}

impl<B: DistanceBias + ?Sized> AtPositions<'_, B> {
    /// What distances are counted from for a query.
    fn origin(&self, query: i64) -> i64 {
        match self.bias.anchor() {
            Anchor::Query => query,
            Anchor::FirstKey => 0,
        }
    }
}

impl<B: DistanceBias + ?Sized> Rows for AtPositions<'_, B> {
    fn heads(&self) -> usize {
        self.bias.heads()
    }

    fn shared(&self, _: usize) -> Shared {
        Shared { queries: 1, step: 0 }
    }

    #[inline(always)]
    fn fill(&self, head: usize, query: usize, first_key: usize, out: &mut [f32]) {
        let origin = self.origin(self.queries[query]);
        for (out, key) in out.iter_mut().zip(&self.keys[first_key..]) {
            *out = self.bias.value(head, key - origin);
        }
    }

    fn check(&self, _: &Block) -> Result<()> {
        let origins = || self.queries.iter().map(|&query| i128::from(self.origin(query)));
        let keys = || self.keys.iter().map(|&key| i128::from(key));
        let least = keys().min().unwrap_or(0) - origins().max().unwrap_or(0);
        let most = keys().max().unwrap_or(0) - origins().min().unwrap_or(0);
        let distances = self.bias.distances();
        for distance in [least, most] {
            let is_served = i64::try_from(distance).is_ok_and(|distance| distances.contains(&distance));
            if !is_served || distance.unsigned_abs() > LIMIT as u128 {
                let expected = "at most 2^24 in size, and one that the bias has a value for";
                return Err(Error::Number { what: "distance", expected, found: distance as f64 });
            }
        }
        Ok(())
    }

    fn level(&self) -> Level {
        self.bias.level()
    }
}

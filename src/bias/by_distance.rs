//! Biases of the distance as rows: one window a head, which slides along with the query.

use core::ops::RangeInclusive;

use posenc_kernels::Level;

use super::rows::{Rows, Shared};
use super::tile::{Block, LIMIT};
use super::{Anchor, DistanceBias};
use crate::error::{Error, Result};

/// The window of a call: the distances it holds, and how rows read it.
pub(super) struct Slide {
    pub(super) first: i64,
    pub(super) len: usize,
    pub(super) start: usize,
    pub(super) step: usize,
}

impl Slide {
    pub(super) fn new<B: DistanceBias + ?Sized>(bias: &B, size: [usize; 2], first_query: usize) -> Result<Self> {
        let [queries, keys] = size;
        let found = first_query.saturating_add(queries).max(keys);
        if found > LIMIT {
            return Err(Error::Count { what: "distance", expected: "at most 2^24", found });
        }
        if queries == 0 || keys == 0 {
            return Ok(Self { first: 0, len: 0, start: 0, step: 0 });
        }
        ByDistance(bias).check(&Block::new(0, size, first_query))?;
        Ok(match bias.anchor() {
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

/// A bias of the distance as a giver of rows.
pub(super) struct ByDistance<'a, B: ?Sized>(pub(super) &'a B);

impl<B: DistanceBias + ?Sized> ByDistance<'_, B> {
    pub(super) fn distance(&self, query: usize, key: usize) -> i64 {
        match self.0.anchor() {
            Anchor::Query => key as i64 - query as i64,
            Anchor::FirstKey => key as i64,
        }
    }
}

impl<B: DistanceBias + ?Sized> Rows for ByDistance<'_, B> {
    fn heads(&self) -> usize {
        self.0.heads()
    }

    fn shared(&self, _: usize) -> Shared {
        let step = match self.0.anchor() {
            Anchor::Query => 1,
            Anchor::FirstKey => 0,
        };
        Shared { queries: usize::MAX, step }
    }

    #[inline(always)]
    fn fill(&self, head: usize, last_query: usize, first_key: usize, out: &mut [f32]) {
        self.0.fill(head, self.distance(last_query, first_key), out);
    }

    fn stored(&self, head: usize, last_query: usize, first_key: usize, len: usize) -> Option<&[f32]> {
        self.0.stored(head, self.distance(last_query, first_key), len)
    }

    fn check(&self, block: &Block) -> Result<()> {
        let last_query = block.first_query + block.queries - 1;
        let last_key = block.first_key + block.keys - 1;
        let (first, last) = (self.distance(last_query, block.first_key), self.distance(block.first_query, last_key));
        let distances = self.0.distances();
        for distance in [first, last] {
            if !distances.contains(&distance) {
                let found = distance.unsigned_abs() as usize;
                let expected = "one that the bias has a value for";
                return Err(Error::Count { what: "distance", expected, found });
            }
        }
        Ok(())
    }

    fn level(&self) -> Level {
        self.0.level()
    }
}

/// A bias that runs on a level of choice; [`DistanceBias::with_level`] makes it.
///
/// ```
/// use posenc::{Alibi, AtLevel, DistanceBias, Level};
///
/// let bias: AtLevel<Alibi> = Alibi::new(8)?.with_level(Level::named("portable").unwrap());
/// assert_eq!(bias.level().name(), "portable");
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AtLevel<B> {
    bias: B,
    level: Level,
}

impl<B> AtLevel<B> {
    pub(super) fn new(bias: B, level: Level) -> Self {
        Self { bias, level }
    }
}

impl<B: DistanceBias> DistanceBias for AtLevel<B> {
    fn heads(&self) -> usize {
        self.bias.heads()
    }

    fn value(&self, head: usize, distance: i64) -> f32 {
        self.bias.value(head, distance)
    }

    #[inline(always)]
    fn fill(&self, head: usize, first: i64, out: &mut [f32]) {
        self.bias.fill(head, first, out);
    }

    fn stored(&self, head: usize, first: i64, len: usize) -> Option<&[f32]> {
        self.bias.stored(head, first, len)
    }

    fn anchor(&self) -> Anchor {
        self.bias.anchor()
    }

    fn distances(&self) -> RangeInclusive<i64> {
        self.bias.distances()
    }

    fn level(&self) -> Level {
        self.level
    }
}

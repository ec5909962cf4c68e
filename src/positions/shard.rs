//! Context parallelism: which positions of a long sequence each rank holds.

/// How one long sequence is dealt out to the ranks of a context-parallel group, each of which holds equally many tokens.
///
/// ```text
/// 8 tokens, 2 ranks      rank 0      rank 1
/// Contiguous             0 1 2 3     4 5 6 7
/// Striped                0 2 4 6     1 3 5 7
/// Zigzag                 0 1 6 7     2 3 4 5
/// ```
///
/// Sources: Liu et al., *Ring Attention*, 2023 (contiguous); Brandon et al., *Striped Attention*, 2023; the
/// load-balanced order of Megatron-LM's context parallelism (zigzag).
///
/// ```
/// use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary, Shard};
///
/// let rope = Rotary::new(&Frequencies::new(2, 10_000.0)?, Pairing::Halves);
/// let (mut shard, mut whole) = ([1.0_f32; 8], [1.0_f32; 8]);
/// rope.rotate(&mut HeadsMut::new(&mut shard, [4, 1, 2])?, &Positions::shard(Shard::Zigzag, 0, 2)?)?;
/// rope.rotate(&mut HeadsMut::new(&mut whole, [4, 1, 2])?, &Positions::ids(&[0, 1, 6, 7]))?;
/// assert_eq!(shard, whole);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shard {
    /// Each rank holds one run of tokens.
    Contiguous,
    /// Token `i` goes to rank `i mod ranks`.
    Striped,
    /// The sequence is cut into `2·ranks` runs; rank `r` holds run `r` and, behind it, run `2·ranks − 1 − r`, so that all
    /// ranks have equal work under a causal mask. Each rank holds an even number of tokens.
    Zigzag,
}

/// Positions of one rank: two runs with a common step. The second one is empty but for zigzag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs {
    /// How many tokens the first run has.
    pub(super) length: usize,
    /// Where it begins.
    pub(super) first: i128,
    /// Where the other one begins.
    pub(super) second: i128,
    pub(super) step: i128,
}

impl Shard {
    /// The positions of `tokens` tokens of a rank; zigzag wants an even number.
    pub(super) fn runs(self, rank: usize, ranks: usize, tokens: usize) -> Runs {
        let [wide_rank, wide_ranks, count] = [rank, ranks, tokens].map(|n| n as i128);
        match self {
            Self::Contiguous => {
                let first = wide_rank.saturating_mul(count);
                Runs { length: tokens, first, second: first, step: 1 }
            }
            Self::Striped => Runs { length: tokens, first: wide_rank, second: wide_rank, step: wide_ranks },
            Self::Zigzag => {
                let half = count / 2;
                let [first, second] = [wide_rank, 2 * wide_ranks - 1 - wide_rank].map(|run| run.saturating_mul(half));
                Runs { length: tokens / 2, first, second, step: 1 }
            }
        }
    }
}

impl Runs {
    pub(super) fn get(&self, token: usize) -> i128 {
        let (start, index) = if token < self.length { (self.first, token) } else { (self.second, token - self.length) };
        start.saturating_add(self.step.saturating_mul(index as i128))
    }
}

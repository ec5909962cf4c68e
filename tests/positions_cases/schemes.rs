//! Position schemes: each gives what one id a token gives, and parts of a call what the whole gives.

use posenc::{
    ChunkRole, DualChunk, Frequencies, HeadsMut, Level, Pairing, Positions, Precision, Rotary, Shard, Sinusoidal,
    TableBuilder,
};
use posenc_oracle::tolerance::rotations;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::levels;
use crate::{PAIRINGS, assert_near, bits, random, tried, turned};

const DIM: usize = 14;

fn plain(level: Level) -> Rotary {
    Rotary::new(&Frequencies::new(DIM - 2, 1e4).unwrap(), Pairing::Halves).with_level(level)
}

/// That positions turn `[batch, tokens, 2, DIM]` as ids do: worked out, from a table, in parallel, as rows of a table.
fn assert_same(positions: &Positions<'_>, ids: &[i64], batch: usize, tokens: usize) {
    let shape = [batch, tokens, 2, DIM];
    let data = random(7, shape.iter().product());
    let ids = Positions::ids(ids);
    for level in levels() {
        let rope = plain(level);
        let want = turned(&rope, &data, shape, &ids);
        assert_eq!(bits(&turned(&rope, &data, shape, positions)), bits(&want), "{level}");
        let tabled = rope.clone().with_table(600).unwrap();
        if let Ok(()) = tabled.rotate(&mut HeadsMut::token_major(&mut data.clone(), shape).unwrap(), &ids) {
            assert_eq!(bits(&turned(&tabled, &data, shape, positions)), bits(&want), "{level}");
        }
        let mut parallel = data.clone();
        let mut view = HeadsMut::token_major(&mut parallel, shape).unwrap();
        #[cfg(feature = "rayon")]
        rope.par_rotate(&mut view, positions).unwrap();
        #[cfg(not(feature = "rayon"))]
        rope.rotate(&mut view, positions).unwrap();
        assert_eq!(bits(&parallel), bits(&want), "{level}");
    }
    if batch == 1 {
        let builder = TableBuilder::new(&Frequencies::new(DIM, 1e4).unwrap(), Precision::Exact);
        let rows = |positions: &Positions<'_>| {
            let (mut cos, mut sin) = (vec![0.0_f32; tokens * 7], vec![0.0_f32; tokens * 7]);
            builder.fill(positions, &mut cos, &mut sin).unwrap();
            bits(&[cos, sin].concat())
        };
        assert_eq!(rows(positions), rows(&ids));
        let absolute = Sinusoidal::new(5, 1e4).unwrap();
        assert_eq!(absolute.table(positions, tokens).unwrap(), absolute.table(&ids, tokens).unwrap());
    }
}

/// Lengths of sequences, empty ones among them, and where each begins.
fn sequences() -> impl Strategy<Value = Vec<(usize, i64)>> {
    vec((0..40_usize, prop_oneof![0..300_i64, -(1_i64 << 31)..(1 << 31) - 40]), 0..6)
}

fn bounds<T: TryFrom<usize>>(lengths: impl Iterator<Item = usize>) -> Vec<T> {
    let mut end = 0;
    let ends = lengths.map(|length| {
        end += length;
        end
    });
    let bounds: Vec<usize> = std::iter::once(0).chain(ends).collect();
    bounds.into_iter().map(|bound| T::try_from(bound).ok().unwrap()).collect()
}

proptest! {
    #![proptest_config(tried(60))]

    #[test]
    fn packed_sequences_are_ids(sequences in sequences()) {
        let lengths = || sequences.iter().map(|&(length, _)| length);
        let (narrow, wide) = (bounds::<i32>(lengths()), bounds::<usize>(lengths()));
        let tokens = *wide.last().unwrap();
        let from_zero: Vec<i64> = lengths().flat_map(|length| 0..length as i64).collect();
        assert_same(&Positions::packed(&narrow), &from_zero, 1, tokens);
        let firsts: Vec<i64> = sequences.iter().map(|&(_, first)| first).collect();
        let from_firsts: Vec<i64> =
            sequences.iter().flat_map(|&(length, first)| first..first + length as i64).collect();
        assert_same(&Positions::packed_from(&wide, &firsts), &from_firsts, 1, tokens);
    }

    #[test]
    fn each_packed_sequence_turns_as_alone(sequences in sequences()) {
        let lengths: Vec<usize> = sequences.iter().map(|&(length, _)| length).collect();
        let bounds = bounds::<u32>(lengths.iter().copied());
        let tokens: usize = lengths.iter().sum();
        let data = random(9, tokens * 2 * DIM);
        for level in levels() {
            let rope = plain(level);
            let got = turned(&rope, &data, [1, tokens, 2, DIM], &Positions::packed(&bounds));
            let mut rest = (&data[..], &got[..]);
            for &length in &lengths {
                let (alone, packed) = (rest.0.split_at(length * 2 * DIM), rest.1.split_at(length * 2 * DIM));
                let want = turned(&rope, alone.0, [1, length, 2, DIM], &Positions::from(0));
                assert_eq!(bits(packed.0), bits(&want), "{level}");
                rest = (alone.1, packed.1);
            }
        }
    }

    #[test]
    fn offsets_of_sequences_are_ids(
        tokens in 0..40_usize, firsts in vec(prop_oneof![0..300_i64, -(1_i64 << 31)..(1 << 31) - 40], 0..5)
    ) {
        let ids: Vec<i64> = firsts.iter().flat_map(|&first| first..first + tokens as i64).collect();
        assert_same(&Positions::offsets(&firsts), &ids, firsts.len(), tokens);
    }

    // B051: huggingface/transformers #22161, unslothai/unsloth #3699
    #[test]
    fn padded_batches_are_ids(tokens in 0..40_usize, shares in vec(0.0..=1.0_f64, 0..5)) {
        let padding: Vec<usize> = shares.iter().map(|share| (share * tokens as f64) as usize).collect();
        let lengths: Vec<i32> = padding.iter().map(|padding| (tokens - padding) as i32).collect();
        let ids: Vec<i64> = padding
            .iter()
            .flat_map(|&padding| (0..tokens as i64).map(move |token| (token - padding as i64).max(0)))
            .collect();
        assert_same(&Positions::left_padded(&padding), &ids, padding.len(), tokens);
        assert_same(&Positions::right_aligned(&lengths), &ids, padding.len(), tokens);
    }

    #[test]
    fn shards_together_are_the_whole(ranks in 1..6_usize, half in 0..20_usize) {
        let tokens = 2 * half;
        let whole: Vec<i64> = (0..(ranks * tokens) as i64).collect();
        for split in [Shard::Contiguous, Shard::Striped, Shard::Zigzag] {
            let mut met = vec![];
            for rank in 0..ranks {
                // Which tokens a rank holds, dealt out by hand.
                let ids: Vec<i64> = match split {
                    Shard::Contiguous => whole[rank * tokens..][..tokens].to_vec(),
                    Shard::Striped => whole.iter().copied().skip(rank).step_by(ranks).collect(),
                    _ => {
                        let runs: Vec<&[i64]> = whole.chunks(half.max(1)).collect();
                        if half == 0 { vec![] } else { [runs[rank], runs[2 * ranks - 1 - rank]].concat() }
                    }
                };
                assert_same(&Positions::shard(split, rank, ranks).unwrap(), &ids, 1, tokens);
                met.extend(ids);
            }
            met.sort_unstable();
            assert_eq!(met, whole, "{split:?}");
        }
    }

    #[test]
    fn a_turn_after_a_turn_is_their_sum(
        p in -(1_i64 << 30)..1 << 30, q in -(1_i64 << 30)..1 << 30, seed in 0..1000_u64
    ) {
        for pairing in PAIRINGS {
            for level in levels() {
                let rope = Rotary::new(&Frequencies::new(40, 5e5).unwrap(), pairing).with_level(level);
                let head = random(seed, 43);
                let at = |data: &[f32], p: i64| turned(&rope, data, [1, 1, 1, 43], &Positions::from(p));
                assert_near(&at(&at(&head, p), q), &at(&head, p + q), pairing, 40, 43, rotations(3));
            }
        }
    }

    #[test]
    fn fractions_add_up_as_well(p in -1e6..1e6_f64, q in -1e6..1e6_f64, seed in 0..1000_u64) {
        // Sums that are exact, so that only roundings of the turns differ.
        let (p, q) = ((p * 1024.0).round() / 1024.0, (q * 1024.0).round() / 1024.0);
        for pairing in PAIRINGS {
            for level in levels() {
                let rope = Rotary::new(&Frequencies::new(40, 5e5).unwrap(), pairing).with_level(level);
                let head = random(seed, 40);
                let at = |data: &[f32], p: f64| turned(&rope, data, [1, 1, 1, 40], &Positions::fractions(&[p]));
                assert_near(&at(&at(&head, p), q), &at(&head, p + q), pairing, 40, 40, rotations(3));
            }
        }
    }

    #[test]
    fn lengths_of_pairs_grow_by_the_magnitude(m in 0.1..4.0_f32, p in -1e6..1e6_f64, seed in 0..1000_u64) {
        let frequencies = Frequencies::new(24, 1e4).unwrap().with_magnitude(m.into()).unwrap();
        for pairing in PAIRINGS {
            let head = random(seed, 24);
            let rope = Rotary::new(&frequencies, pairing);
            let got = turned(&rope, &head, [1, 1, 1, 24], &Positions::fractions(&[p]));
            for j in 0..12 {
                let (a, b) = crate::in_oracle(pairing).features(24, j);
                let length = |x: &[f32]| f64::from(x[a]).hypot(f64::from(x[b]));
                let want = f64::from(m) * length(&head);
                assert!((length(&got) - want).abs() <= rotations(1) * want);
            }
        }
    }
}

/// What dual chunk attention is for: no distance is beyond the chunk, and those that count are the true ones.
#[test]
fn distances_of_dual_chunks_stay_within_a_chunk() {
    for (chunk, local) in [(6, 2), (8, 1), (16, 5), (7, 6), (5, 0)] {
        let piece = chunk - local;
        let ids = |role| DualChunk::new(chunk, local).unwrap().ids(role, 0..60).unwrap();
        let [keys, intra, successive, inter] =
            [ChunkRole::Key, ChunkRole::Intra, ChunkRole::Successive, ChunkRole::Inter].map(ids);
        for query in 0..60 {
            for (key, &key_place) in keys[..=query].iter().enumerate() {
                let distance = (query - key) as i64;
                match query / piece - key / piece {
                    0 => assert_eq!(intra[query] - key_place, distance),
                    1 => {
                        let seen = successive[query] - key_place;
                        assert!(seen <= chunk as i64 && seen <= distance.max(1));
                        assert!(seen == distance || query % piece + piece > chunk);
                    }
                    _ => assert_eq!(inter[query], (2 * piece as i64 - 1).min(chunk as i64)),
                }
            }
            // The critical forms are the others without their clamps.
            let place = (query % piece) as i64;
            assert_eq!(ids(ChunkRole::SuccessiveCritical)[query], place + piece as i64);
            assert_eq!(ids(ChunkRole::InterCritical)[query], place + chunk as i64);
        }
    }
    assert!(DualChunk::new(4, 4).is_err() && DualChunk::new(4, 5).is_err() && DualChunk::new(0, 0).is_err());
    assert!(DualChunk::new(usize::MAX, 0).is_err());
    assert!(DualChunk::new(4, 1).unwrap().ids(ChunkRole::Key, 0..usize::MAX).is_err());
    let far = DualChunk::new(4, 1).unwrap().ids(ChunkRole::Key, usize::MAX - 1..usize::MAX);
    assert_eq!(far.unwrap(), [((usize::MAX - 1) % 3) as i64]);
}

/// Cuts of a view by threads of the crate or of the caller do not move positions.
#[test]
fn parts_of_long_calls_keep_their_positions() {
    let tokens = 700;
    let shape = [1, tokens, 16, 64];
    let data = random(11, shape.iter().product());
    let rope = Rotary::new(&Frequencies::new(64, 1e4).unwrap(), Pairing::Interleaved);
    let bounds: Vec<usize> = (0..=100).map(|i| i * 7).collect();
    let seconds: Vec<f64> = (0..tokens).map(|token| token as f64 * 0.04).collect();
    let shard = Positions::shard(Shard::Zigzag, 1, 3).unwrap();
    let aligned = Positions::right_aligned(&[650]);
    for positions in [Positions::packed(&bounds), Positions::fractions(&seconds), shard, aligned] {
        let want = turned(&rope, &data, shape, &positions);
        let mut got = data.clone();
        let mut view = HeadsMut::token_major(&mut got, shape).unwrap();
        #[cfg(feature = "rayon")]
        rope.par_rotate(&mut view, &positions).unwrap();
        #[cfg(not(feature = "rayon"))]
        rope.rotate(&mut view, &positions).unwrap();
        assert_eq!(bits(&got), bits(&want));
    }
}

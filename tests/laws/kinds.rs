//! Laws of positions: each kind turns heads as the list of its ids does, and several axes as each of them alone.
//! They stand apart from the laws of paths because here the positions are what is told in several ways.

use posenc::{Axes, HeadsMut, Level, Positions, Shape, Shard};

use super::bits::{assert_same_where, is_determined};
use super::case::Case;

/// The largest position that is served, in size.
const LIMIT: i64 = 1 << 31;

/// Cases whose positions are told in another way. `cuts` are any numbers, at least one: they say how much is padding, where
/// sequences end, and which rank it is.
pub(crate) fn every_kind_is_its_ids(case: &Case, cuts: &[usize], levels: &[Level]) {
    let Shape { batch, tokens, .. } = case.shape;
    let steps = || 0..tokens as i64;
    let of_sequences = |ids: &dyn Fn(usize, i64) -> i64| -> Vec<i64> {
        (0..batch).flat_map(|b| steps().map(move |t| (b, t))).map(|(b, t)| ids(b, t)).collect()
    };

    let firsts: Vec<i64> = (0..batch).map(|b| first(case, b * tokens, tokens)).collect();
    assert_turns(case, &Positions::offsets(&firsts), of_sequences(&|b, t| firsts[b] + t), levels);

    let padding: Vec<usize> = (0..batch).map(|b| cuts[b % cuts.len()] % (tokens + 1)).collect();
    let lengths: Vec<u32> = padding.iter().map(|padding| (tokens - padding) as u32).collect();
    let padded = of_sequences(&|b, t| (t - padding[b] as i64).max(0));
    assert_turns(case, &Positions::left_padded(&padding), padded.clone(), levels);
    assert_turns(case, &Positions::right_aligned(&lengths), padded, levels);

    let (rank, ranks, half) = (cuts[0] % 3, 3, tokens as i64 / 2);
    let (r, n) = (rank as i64, ranks as i64);
    let zigzag = move |t: i64| if t < half { r * half + t } else { (2 * n - 1 - r) * half + t - half };
    let contiguous = move |t: i64| r * tokens as i64 + t;
    let shards: [(Shard, &dyn Fn(i64) -> i64); 3] =
        [(Shard::Contiguous, &contiguous), (Shard::Striped, &|t| r + n * t), (Shard::Zigzag, &zigzag)];
    for (shard, id) in shards {
        if shard != Shard::Zigzag || tokens.is_multiple_of(2) {
            let positions = Positions::shard(shard, rank, ranks).expect("a rank below the number of ranks");
            assert_turns(case, &positions, of_sequences(&|_, t| id(t)), levels);
        }
    }

    let whole: Vec<f64> = case.ids.iter().map(|&id| id as f64).collect();
    assert_turns(case, &Positions::fractions(&whole), case.ids.clone(), levels);
    packed_sequences_are_their_ids(case, cuts, levels);
}

/// The same of all tokens as one batch of sequences that stand behind one another.
fn packed_sequences_are_their_ids(case: &Case, cuts: &[usize], levels: &[Level]) {
    let Shape { batch, tokens, .. } = case.shape;
    let all = batch * tokens;
    let case = Case { shape: Shape { batch: 1, tokens: all, ..case.shape }, ..case.clone() };
    let mut bounds: Vec<usize> = cuts.iter().map(|cut| cut % (all + 1)).chain([0, all]).collect();
    bounds.sort_unstable();
    let sequences = || bounds.windows(2).map(|bound| (bound[0], bound[1] - bound[0]));
    let firsts: Vec<i64> = sequences().map(|(begin, length)| first(&case, begin, length)).collect();
    let from_zero = sequences().flat_map(|(_, length)| 0..length as i64).collect();
    assert_turns(&case, &Positions::packed(&bounds), from_zero, levels);
    let from_firsts = sequences().zip(&firsts).flat_map(|((_, length), &first)| first..first + length as i64).collect();
    assert_turns(&case, &Positions::packed_from(&bounds, &firsts), from_firsts, levels);
}

/// The id of a token, from which so many can be counted on.
fn first(case: &Case, token: usize, count: usize) -> i64 {
    case.ids.get(token).copied().unwrap_or(0).min(LIMIT - count as i64)
}

/// That positions turn the heads of a case as a list of ids does.
fn assert_turns(case: &Case, positions: &Positions<'_>, ids: Vec<i64>, levels: &[Level]) {
    let listed = Case { ids, ..case.clone() };
    for &level in levels {
        let got = turned(case, positions, level);
        assert_same_where(&got, &listed.rotated(level), |_| true, format_args!("{level}: {positions:?}"));
    }
}

fn turned(case: &Case, positions: &Positions<'_>, level: Level) -> Vec<f32> {
    let mut data = case.data();
    let Shape { batch, tokens, heads, dim } = case.shape;
    let mut view = HeadsMut::token_major(&mut data, [batch, tokens, heads, dim]).expect("a shape that fits");
    case.turn.rope(level).rotate(&mut view, positions).expect("positions that are served");
    data
}

/// Pairs that read one of several axes turn as they do where there is no other, at whole and at fractional places; all
/// levels agree. `of_pairs`, not empty, is repeated for all pairs; each axis stands a `fraction` farther than the one before
/// it.
pub(crate) fn axes_are_each_of_them_alone(case: &Case, of_pairs: &[usize], fraction: f64, levels: &[Level]) {
    let count = of_pairs.iter().max().expect("at least one") + 1;
    let of_pairs: Vec<usize> = of_pairs.iter().copied().cycle().take(case.turn.pairs).collect();
    let axes = Axes::new(count, &of_pairs).expect("few axes, and as many pairs as turn");
    let place = |axis: usize, i: usize| {
        let id = case.ids[(i + axis) % case.ids.len()].clamp(8 - LIMIT, LIMIT - 8);
        id as f64 + axis as f64 * fraction
    };
    let places: Vec<f64> = (0..count).flat_map(|axis| (0..case.ids.len()).map(move |i| place(axis, i))).collect();
    let before = case.data();
    let mut strict = vec![true; before.len()];
    for (x, y) in case.pairs() {
        strict[x] = is_determined(before[x], before[y]);
        strict[y] = strict[x];
    }
    let mut scalar = None;
    for &level in levels {
        let mut turn = case.data();
        let Shape { batch, tokens, heads, dim } = case.shape;
        let frequencies = case.turn.frequencies().on_axes(axes.clone()).expect("an axis for each pair");
        let rope = posenc::Rotary::with_precision(&frequencies, case.turn.pairing, case.turn.precision)
            .with_direction(case.turn.direction)
            .starting_at(case.turn.start)
            .with_level(level);
        let mut view = HeadsMut::token_major(&mut turn, [batch, tokens, heads, dim]).expect("a shape that fits");
        rope.rotate(&mut view, &Positions::axes(&places, count)).expect("positions that are served");

        let mut want = before.clone();
        for (axis, places) in places.chunks(case.ids.len().max(1)).enumerate() {
            let alone = turned(case, &Positions::fractions(places), level);
            for (pair, (x, y)) in case.pairs().enumerate() {
                if of_pairs[pair % of_pairs.len()] == axis {
                    (want[x], want[y]) = (alone[x], alone[y]);
                }
            }
        }
        assert_same_where(&turn, &want, |i| strict[i], format_args!("{level}: {axes:?} at {places:?}"));
        let scalar = scalar.get_or_insert(turn.clone());
        assert_same_where(&turn, scalar, |i| strict[i], format_args!("{level}: {axes:?} at {places:?}"));
    }
}

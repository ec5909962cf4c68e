//! Our side of a comparison: the same input, rotated in place and into a second tensor, and the check of a peer's result.
//!
//! Memory is a plain `Vec`, as the tensors of the peers are, so that nobody is better aligned.

use std::hint::black_box;

use posenc::{Error, Frequencies, Heads, HeadsMut, Positions, Rotary, Tables};

use crate::case::{BASE, Case, DIM, Dtype, FIRST, HEADS, Order};
use crate::measure::in_turns;

/// The encoding, with a table that just reaches the last position.
pub(crate) fn rotary(case: &Case) -> Result<Rotary, Error> {
    Rotary::new(&Frequencies::new(DIM, BASE)?, case.pairing).with_table(FIRST + case.tokens)
}

/// The table's rows of the case's positions, for peers that take tables along.
pub(crate) fn rows<T: Dtype>(tables: &Tables) -> [Vec<T>; 2] {
    [tables.cos(), tables.sin()].map(|values| values[FIRST * DIM / 2..].iter().map(|&x| T::narrow(x)).collect())
}

/// Numbers between −1 and 1, always the same, that the compiler cannot know.
pub(crate) fn input<T: Dtype>(len: usize) -> Vec<T> {
    let mut state = black_box(1_u64);
    let mut next = || {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        T::narrow((state >> 40) as f32 / (1 << 23) as f32 - 1.0)
    };
    (0..len).map(|_| next()).collect()
}

/// Checks that a peer's result is ours, then times ours in place, ours into a second tensor, and the peer, and prints.
/// Says why not and returns false if the results differ or a side fails.
pub(crate) fn compare<T: Dtype, R>(
    case: &Case,
    rope: &Rotary,
    input: &[T],
    peer: impl Fn() -> Result<R, String>,
    values: impl Fn(R) -> Result<Vec<T>, String>,
) -> bool {
    let mut data = input.to_vec();
    let mut target = vec![T::default(); input.len()];
    let checked = in_place(case, rope, &mut data)
        .and_then(|()| into(case, rope, input, &mut target))
        .map_err(|error| error.to_string())
        .and_then(|()| check(case, &data, &target, &values(peer()?)?));
    if let Err(reason) = checked {
        eprintln!("# {} {} tokens: {reason}", case.name::<T>(), case.tokens);
        return false;
    }
    // The calls below were made above and succeeded.
    let times = in_turns(&mut [
        &mut || drop(black_box(in_place(case, rope, black_box(&mut data)))),
        &mut || drop(black_box(into(case, rope, black_box(input), black_box(&mut target)))),
        &mut || drop(black_box(peer())),
    ]);
    case.print::<T>(times);
    true
}

fn check<T: Dtype>(case: &Case, in_place: &[T], into: &[T], peer: &[T]) -> Result<(), String> {
    let far = |a: &[T], b: &[T]| {
        let gaps = a.iter().zip(b).map(|(a, b)| (a.widen() - b.widen()).abs());
        gaps.fold(0.0, |most: f32, gap| if gap.is_nan() { f32::INFINITY } else { most.max(gap) })
    };
    let tolerance = T::TOLERANCE + case.slack;
    if peer.len() != in_place.len() {
        return Err(format!("{} values, expected {}", peer.len(), in_place.len()));
    }
    match (far(in_place, into), far(in_place, peer)) {
        (own, _) if own > 0.0 => Err(format!("ours differs from itself by {own}")),
        (_, gap) if gap > tolerance => Err(format!("results differ by {gap}, {tolerance} allowed")),
        _ => Ok(()),
    }
}

fn in_place<T: Dtype>(case: &Case, rope: &Rotary, data: &mut [T]) -> Result<(), Error> {
    let mut heads = match case.order {
        Order::TokenMajor => HeadsMut::token_major(data, [1, case.tokens, HEADS, DIM])?,
        Order::HeadMajor => HeadsMut::head_major(data, [1, HEADS, case.tokens, DIM])?,
    };
    let positions = Positions::from(black_box(FIRST));
    if case.threads == 1 { rope.rotate(&mut heads, &positions) } else { rope.par_rotate(&mut heads, &positions) }
}

fn into<T: Dtype>(case: &Case, rope: &Rotary, from: &[T], to: &mut [T]) -> Result<(), Error> {
    let (from, mut to) = match case.order {
        Order::TokenMajor => {
            let shape = [1, case.tokens, HEADS, DIM];
            (Heads::token_major(from, shape)?, HeadsMut::token_major(to, shape)?)
        }
        Order::HeadMajor => {
            let shape = [1, HEADS, case.tokens, DIM];
            (Heads::head_major(from, shape)?, HeadsMut::head_major(to, shape)?)
        }
    };
    let positions = Positions::from(black_box(FIRST));
    if case.threads == 1 {
        rope.rotate_into(&from, &mut to, &positions)
    } else {
        rope.par_rotate_into(&from, &mut to, &positions)
    }
}

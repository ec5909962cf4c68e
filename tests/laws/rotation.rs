//! Laws of a rotation's values: lengths, inverses, scores, and the formula itself.
//! They stand apart from the laws of bits because rounding is allowed here, as much as the oracle's table says.

use posenc::{Direction, Level, Precision, Shape};
use posenc_oracle::angle::{CosSin, sincos_f32_arg, single_angle};
use posenc_oracle::{rotary, tolerance};

use super::bits::assert_same;
use super::case::{Case, Turn};

/// The length of every pair is that of before, times the magnitude.
pub(crate) fn the_norm_of_each_pair_is_kept(case: &Case, levels: &[Level]) {
    let before = case.data();
    for &level in levels {
        let after = case.rotated(level);
        for (first, second) in case.pairs() {
            let want = f64::from(case.turn.magnitude) * length(&before, first, second);
            let error = (length(&after, first, second) - want).abs();
            assert!(error <= tolerance::NORM_RELATIVE * want, "{level}: pair at {first}: {error:e} of {want:e}");
        }
    }
}

/// Forward and back is where it began, times the square of the magnitude.
pub(crate) fn the_inverse_undoes_the_rotation(case: &Case, levels: &[Level]) {
    let before = case.data();
    let scale = f64::from(case.turn.magnitude).powi(2);
    let back = match case.turn.direction {
        Direction::Forward => Direction::Inverse,
        Direction::Inverse => Direction::Forward,
    };
    for &level in levels {
        let rope = case.turn.rope(level);
        let mut after = case.rotated_by(&rope);
        case.rotate(&rope.with_direction(back), &mut after);
        for (first, second) in case.pairs() {
            let off = |i: usize| f64::from(after[i]) - scale * f64::from(before[i]);
            let error = off(first).hypot(off(second));
            let allowed = tolerance::rotations(2) * scale * length(&before, first, second);
            assert!(error <= allowed, "{level}: pair at {first}: {error:e}, allowed {allowed:e}");
        }
    }
}

/// The score of two tokens is the same after both move by `shift`. For [`Precision::Exact`], at any distance.
pub(crate) fn scores_depend_on_the_distance_alone(case: &Case, shift: i64, levels: &[Level]) {
    let Shape { heads, dim, .. } = case.shape;
    let before = case.data();
    let moved = Case { ids: case.ids.iter().map(|id| id + shift).collect(), ..case.clone() };
    let row = heads * dim;
    let scale = f64::from(case.turn.magnitude).powi(2);
    for &level in levels {
        let (near, far) = (case.rotated(level), moved.rotated(level));
        for token in 1..case.ids.len() {
            // All heads together are one long query, and those of the token before it one long key.
            let (mut score, mut moved_score, mut lengths) = (0.0, 0.0, 0.0);
            for (first, second) in case.pairs().take(heads * case.turn.pairs) {
                let (q, k) = (token * row, (token - 1) * row);
                for i in [first, second] {
                    score += f64::from(near[q + i]) * f64::from(near[k + i]);
                    moved_score += f64::from(far[q + i]) * f64::from(far[k + i]);
                }
                lengths += length(&before, q + first, q + second) * length(&before, k + first, k + second);
            }
            let allowed = 2.0 * tolerance::rotated_score(scale * lengths);
            let error = (score - moved_score).abs();
            assert!(error <= allowed, "{level}: token {token}: {error:e}, allowed {allowed:e}");
        }
    }
}

/// Every element is what the f64 formula says; features that do not turn keep their bits.
pub(crate) fn the_rotation_is_that_of_the_oracle(case: &Case, levels: &[Level]) {
    let (before, want) = (case.data(), expected(case));
    let mut turns = vec![false; before.len()];
    case.pairs().for_each(|(first, second)| (turns[first], turns[second]) = (true, true));
    for &level in levels {
        let after = case.rotated(level);
        for (first, second) in case.pairs() {
            let allowed = tolerance::rotated_pair(want[first].hypot(want[second]));
            for i in [first, second] {
                let error = (f64::from(after[i]) - want[i]).abs();
                assert!(error <= allowed, "{level}: element {i}: {} is not {}", after[i], want[i]);
            }
        }
        let still =
            |data: &[f32]| data.iter().zip(&turns).filter(|(_, turns)| !**turns).map(|(x, _)| *x).collect::<Vec<_>>();
        assert_same(&still(&after), &still(&before), format_args!("{level}: features that do not turn"));
    }
}

/// The oracle's elements, `[batch, tokens, heads, dim]`.
fn expected(case: &Case) -> Vec<f64> {
    let data: Vec<f64> = case.data().into_iter().map(f64::from).collect();
    let Shape { heads, dim, .. } = case.shape;
    if heads * dim == 0 {
        return data;
    }
    let tokens = data.chunks_exact(heads * dim).zip(&case.ids);
    let rotated = tokens.flat_map(|(token, &id)| {
        let points = points(&case.turn, id);
        token
            .chunks_exact(dim)
            .flat_map(|head| rotary::rotate_by(head, &points, case.turn.rotation()))
            .collect::<Vec<_>>()
    });
    rotated.collect()
}

/// The true points of all pairs at a position, under the contract of the case.
pub(crate) fn points(turn: &Turn, id: i64) -> Vec<CosSin> {
    let frequencies = turn.frequencies();
    match turn.precision {
        Precision::Exact => rotary::points(id, frequencies.as_slice()),
        Precision::Single => frequencies.as_slice().iter().map(|&f| sincos_f32_arg(single_angle(id, f))).collect(),
    }
}

fn length(data: &[f32], first: usize, second: usize) -> f64 {
    f64::from(data[first]).hypot(f64::from(data[second]))
}

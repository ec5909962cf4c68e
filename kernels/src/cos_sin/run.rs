//! The rows of a run of positions, made from the middle one.

use super::rows::{Fill, each, finished, put, settled};
use super::steps::Steps;
use super::{Angles, Cell, load, long};
use crate::format::array_at_mut;
use crate::vector::{Double, Isa};

/// Pairs whose middle row is kept at once.
const STRIPE: usize = 128;

/// Fills an odd number of rows, from the middle one to both sides, a stripe of pairs after the other.
#[inline(always)]
pub(super) fn fill_run<I: Isa, A: Angles, F: Cell>(
    isa: I,
    angles: A,
    steps: &Steps,
    positions: &[A::Position],
    [cos, sin]: [&mut [F::Store]; 2],
) {
    let (pairs, middle) = (angles.pairs(), positions.len() / 2);
    let [mut base_cos, mut base_sin, mut bounds] = [[0.0; STRIPE]; 3];
    for first in (0..pairs).step_by(STRIPE) {
        let count = STRIPE.min(pairs - first);
        let row = middle * pairs + first..middle * pairs + first + count;
        let cells = [&mut cos[row.clone()], &mut sin[row]];
        let base = [&mut base_cos[..count], &mut base_sin[..count]];
        each(isa, count, Middle::<A, F> { angles, position: positions[middle], first, base, cells });
        steps.bounds::<F>(middle, first, &base_sin[..count], &mut bounds[..count]);
        for distance in 1..=middle {
            let (before, behind) = (middle - distance, middle + distance);
            let (upper_cos, lower_cos) = cos.split_at_mut(behind * pairs);
            let (upper_sin, lower_sin) = sin.split_at_mut(behind * pairs);
            let upper = before * pairs + first..before * pairs + first + count;
            let lower = first..first + count;
            each(
                isa,
                count,
                Beside::<A, F> {
                    angles,
                    first,
                    base: [&base_cos[..count], &base_sin[..count]],
                    step: steps.row(distance).map(|row| &row[first..first + count]),
                    bounds: &bounds[..count],
                    before: (positions[before], [&mut upper_cos[upper.clone()], &mut upper_sin[upper]]),
                    behind: (positions[behind], [&mut lower_cos[lower.clone()], &mut lower_sin[lower]]),
                },
            );
        }
    }
}

/// The middle row, which is kept with the digits of f64.
struct Middle<'a, A: Angles, F: Cell> {
    angles: A,
    position: A::Position,
    /// The pair that the row begins with.
    first: usize,
    base: [&'a mut [f64]; 2],
    cells: [&'a mut [F::Store]; 2],
}

impl<A: Angles, F: Cell> Fill for Middle<'_, A, F> {
    #[inline(always)]
    fn fill<V: Double>(&mut self, isa: V::Isa, at: usize) {
        let (cos, sin) = long(isa, self.angles.angle::<V>(isa, self.position, self.first + at));
        let [to_cos, to_sin] = &mut self.base;
        cos.store(array_at_mut::<V, _>(to_cos, at));
        sin.store(array_at_mut::<V, _>(to_sin, at));
        put::<V, F>(isa, finished(isa, self.angles, (cos, sin)), &mut self.cells, at);
    }
}

/// The two rows at a distance from the middle one.
struct Beside<'a, A: Angles, F: Cell> {
    angles: A,
    /// The pair that all rows begin with.
    first: usize,
    /// Cosines and sines of the middle position.
    base: [&'a [f64]; 2],
    /// Those of the distance.
    step: [&'a [f64]; 2],
    /// The sizes below which sums are in doubt.
    bounds: &'a [f64],
    before: (A::Position, [&'a mut [F::Store]; 2]),
    behind: (A::Position, [&'a mut [F::Store]; 2]),
}

impl<A: Angles, F: Cell> Fill for Beside<'_, A, F> {
    #[inline(always)]
    fn fill<V: Double>(&mut self, isa: V::Isa, at: usize) {
        let (cos, sin) = (load::<V>(isa, self.base[0], at), load::<V>(isa, self.base[1], at));
        let (step_cos, step_sin) = (load::<V>(isa, self.step[0], at), load::<V>(isa, self.step[1], at));
        let bounds = Some(load::<V>(isa, self.bounds, at));
        let (even, odd) = (cos * step_cos, sin * step_sin);
        let (along, across) = (sin * step_cos, cos * step_sin);
        let (position, cells) = &mut self.before;
        let values = (even + odd, along - across);
        let values = settled::<V, A, F>(isa, self.angles, *position, self.first + at, values, bounds);
        put::<V, F>(isa, values, cells, at);
        let (position, cells) = &mut self.behind;
        let values = (even - odd, along + across);
        let values = settled::<V, A, F>(isa, self.angles, *position, self.first + at, values, bounds);
        put::<V, F>(isa, values, cells, at);
    }
}

//! Rows of cosines and sines, each from its own angles, or in runs.

use super::run::fill_run;
use super::{Angles, Cell, load, long, short};
use crate::format::array_at_mut;
use crate::vector::{Double, Isa, Kernel, Scalar, Vector};

/// No level has more lanes of f64 side by side.
const WIDEST: usize = 32;

/// One lane.
type One = <Scalar as Isa>::F64;

/// Fills rows of cosines and sines, one row a position.
///
/// ```text
///              pair 0    1    2  …
/// position 0  [ cos0 cos1 cos2 … ]   [ sin0 sin1 sin2 … ]
/// position 1  [ cos0 cos1 cos2 … ]   [ sin0 sin1 sin2 … ]
/// ```
#[derive(Debug)]
pub struct Rows<'a, A: Angles, F: Cell> {
    /// Frequencies and precision.
    pub angles: A,
    /// Positions: whole numbers of at most 31 bits for [`Exact`](super::Exact) and [`Selected`](super::Selected), f32 values
    /// for [`Single32`](super::Single32) and [`Terms32`](super::Terms32).
    pub positions: &'a [A::Position],
    /// Receives `positions × pairs` cosines.
    pub cos: &'a mut [F::Store],
    /// Receives `positions × pairs` sines.
    pub sin: &'a mut [F::Store],
}

impl<A: Angles, F: Cell> Kernel for Rows<'_, A, F> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { angles, mut positions, mut cos, mut sin } = self;
        let pairs = angles.pairs();
        while !positions.is_empty() {
            let run = if F::DROPPED > 0 { angles.run(positions) } else { None };
            let count = run.map_or(1, |(count, _)| count);
            let (these, cos_rows, sin_rows);
            (these, positions) = positions.split_at(count);
            (cos_rows, cos) = cos.split_at_mut(count * pairs);
            (sin_rows, sin) = sin.split_at_mut(count * pairs);
            let cells = [cos_rows, sin_rows];
            match run {
                None => each(isa, pairs, Alone::<A, F> { angles, position: these[0], cells }),
                Some((_, steps)) => fill_run::<I, A, F>(isa, angles, steps, these, cells),
            }
        }
    }
}

/// What is done to one vector of pairs after the other.
pub(super) trait Fill {
    /// Fills the pairs from `at` on.
    fn fill<V: Double>(&mut self, isa: V::Isa, at: usize);
}

/// Fills all pairs, on narrower vectors what the widest leave over.
#[inline(always)]
pub(super) fn each<I: Isa, T: Fill>(isa: I, pairs: usize, mut row: T) {
    let done = whole::<I::ManyF64, T>(isa, &mut row, pairs, 0);
    let done = whole::<I::F64, T>(isa, &mut row, pairs, done);
    let done = whole::<<I::Narrower as Isa>::F64, T>(isa.narrower(), &mut row, pairs, done);
    whole::<One, T>(Scalar, &mut row, pairs, done);
}

/// Fills whole vectors from pair `at` on and tells where it stopped.
#[inline(always)]
fn whole<V: Double, T: Fill>(isa: V::Isa, row: &mut T, pairs: usize, mut at: usize) -> usize {
    while at + V::LANES <= pairs {
        row.fill::<V>(isa, at);
        at += V::LANES;
    }
    at
}

/// A row from its own angles.
struct Alone<'a, A: Angles, F: Cell> {
    angles: A,
    position: A::Position,
    cells: [&'a mut [F::Store]; 2],
}

impl<A: Angles, F: Cell> Fill for Alone<'_, A, F> {
    #[inline(always)]
    fn fill<V: Double>(&mut self, isa: V::Isa, at: usize) {
        let cells = cells::<V, A, F>(isa, self.angles, self.position, at);
        put::<V, F>(isa, cells, &mut self.cells, at);
    }
}

/// Cosines and sines of one position.
#[inline(always)]
fn cells<V: Double, A: Angles, F: Cell>(isa: V::Isa, angles: A, position: A::Position, at: usize) -> (V, V) {
    let angle = angles.angle::<V>(isa, position, at);
    if A::dropped(F::DROPPED) == 0 {
        return finished(isa, angles, long(isa, angle));
    }
    let values = short(isa, angle);
    // Where the format has smallest numbers, zeros and small angles come in whole rows.
    if let Some(bounds) = bounds::<V, F>(isa) {
        let (cos, sin) = scaled(isa, angles, values);
        let doubt = cos.in_doubt(sin, Some(bounds), A::dropped(F::DROPPED));
        return finished(isa, angles, if doubt { long(isa, angle) } else { values });
    }
    settled::<V, A, F>(isa, angles, position, at, values, None)
}

/// The sizes below which a format drops more digits than it usually does.
#[inline(always)]
fn bounds<V: Double, F: Cell>(isa: V::Isa) -> Option<V> {
    if F::SMALLEST > 0.0 { Some(V::splat(isa, F::SMALLEST)) } else { None }
}

/// What is to be rounded and put down, of values that are off by so much that some are in doubt: those are made again.
#[inline(always)]
pub(super) fn settled<V: Double, A: Angles, F: Cell>(
    isa: V::Isa,
    angles: A,
    position: A::Position,
    at: usize,
    values: (V, V),
    bounds: Option<V>,
) -> (V, V) {
    let (mut cos, mut sin) = scaled(isa, angles, values);
    if cos.in_doubt(sin, bounds, A::dropped(F::DROPPED)) {
        let mut lanes = [[0.0; WIDEST]; 3];
        let [cosines, sines, sizes] = &mut lanes;
        cos.store(array_at_mut::<V, _>(cosines, 0));
        sin.store(array_at_mut::<V, _>(sines, 0));
        if let Some(bounds) = bounds {
            bounds.store(array_at_mut::<V, _>(sizes, 0));
        }
        mend::<A, F>(angles, position, at, V::LANES, &mut lanes);
        (cos, sin) = (load(isa, &lanes[0], 0), load(isa, &lanes[1], 0));
    }
    (angles.finish(isa, cos), angles.finish(isa, sin))
}

/// Makes the lanes that are in doubt one by one, which happens once in some thousand cells: with few digits, or with all of
/// them where few do not tell which cell is the nearest.
#[cold]
#[inline(never)]
fn mend<A: Angles, F: Cell>(angles: A, position: A::Position, at: usize, count: usize, lanes: &mut [[f64; WIDEST]; 3]) {
    let digits = A::dropped(F::DROPPED);
    let [cosines, sines, bounds] = lanes;
    for lane in 0..count {
        let at_lane = (load::<One>(Scalar, cosines, lane), load::<One>(Scalar, sines, lane));
        if !at_lane.0.in_doubt(at_lane.1, Some(load(Scalar, bounds, lane)), digits) {
            continue;
        }
        let angle = angles.angle::<One>(Scalar, position, at + lane);
        let (mut cos, mut sin) = scaled(Scalar, angles, short(Scalar, angle));
        if cos.in_doubt(sin, self::bounds::<One, F>(Scalar), digits) {
            (cos, sin) = scaled(Scalar, angles, long(Scalar, angle));
        }
        cos.store(array_at_mut::<One, _>(cosines, lane));
        sin.store(array_at_mut::<One, _>(sines, lane));
    }
}

/// Both values as they are before the first rounding.
#[inline(always)]
fn scaled<V: Double, A: Angles>(isa: V::Isa, angles: A, (cos, sin): (V, V)) -> (V, V) {
    (angles.scale(isa, cos), angles.scale(isa, sin))
}

/// What is to be rounded and put down.
#[inline(always)]
pub(super) fn finished<V: Double, A: Angles>(isa: V::Isa, angles: A, values: (V, V)) -> (V, V) {
    let (cos, sin) = scaled(isa, angles, values);
    (angles.finish(isa, cos), angles.finish(isa, sin))
}

/// Rounds and puts down.
#[inline(always)]
pub(super) fn put<V: Double, F: Cell>(isa: V::Isa, (cos, sin): (V, V), cells: &mut [&mut [F::Store]; 2], at: usize) {
    let [to_cos, to_sin] = cells;
    F::put(isa, cos, array_at_mut::<V, _>(to_cos, at));
    F::put(isa, sin, array_at_mut::<V, _>(to_sin, at));
}

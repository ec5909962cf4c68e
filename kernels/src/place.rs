//! Two sources placed side by side in rows and added there: sines and cosines, without a table of them being made.

use core::fmt::Debug;

use crate::Level;
use crate::format::{Format, array_at, unit_at_mut, unit_len};
use crate::memory::Wide;
use crate::merge::{Sum, merge};
use crate::vector::{Isa, Kernel, Scalar, Shuffle, Vector};

/// How [`Place`] lays two sources out in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// `a0 b0 a1 b1 …`.
    Woven,
    /// `a0 a1 … b0 b1 …`.
    Blocked,
}

/// Adds two sources, side by side, to rows that are multiplied by `scale` first.
///
/// ```text
/// width = 2·pairs − 1    [ a0 b0 a1 ]          or   [ a0 a1 b0 ]           the last b is not used
/// width = 2·pairs        [ a0 b0 a1 b1 ]       or   [ a0 a1 b0 b1 ]
/// width = 2·pairs + 1    [ a0 b0 a1 b1 0 ]     or   [ a0 a1 b0 b1 0 ]
/// ```
#[derive(Debug)]
pub struct Place<'a, F: Format> {
    /// Rows of `width`, one behind the other.
    pub rows: &'a mut [F::Store],
    /// Length of a row.
    pub width: usize,
    /// Values that each source has for a row.
    pub pairs: usize,
    /// The source that comes first.
    pub a: &'a [F::Work],
    /// The source that comes second.
    pub b: &'a [F::Work],
    /// What rows are multiplied by; not NaN.
    pub scale: F::Work,
}

impl<F: Format> Place<'_, F> {
    /// Adds to all rows.
    #[inline]
    pub fn run(self, level: Level, arrangement: Arrangement) {
        match arrangement {
            Arrangement::Woven => level.run(Placing::<F, true>(self)),
            Arrangement::Blocked => level.run(Placing::<F, false>(self)),
        }
    }
}

struct Placing<'a, F: Format, const WOVEN: bool>(Place<'a, F>);

impl<F: Format, const WOVEN: bool> Kernel for Placing<'_, F, WOVEN> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Place { rows, width, pairs, a, b, scale } = self.0;
        if width == 0 {
            return;
        }
        for (i, row) in rows.chunks_exact_mut(width).enumerate() {
            let (a, b) = (&a[i * pairs..][..pairs], &b[i * pairs..][..pairs]);
            let (row, rest) = row.split_at_mut(width.min(2 * pairs));
            if WOVEN {
                let done = weave::<F, I>(isa, row, [a, b], scale, 0);
                let done = weave::<F, I::Narrower>(isa.narrower(), row, [a, b], scale, done);
                weave::<F, Scalar>(Scalar, row, [a, b], scale, done);
                let done = row.len() / 2;
                add::<F, Scalar>(Scalar, &mut row[2 * done..], &a[done..], scale);
            } else {
                let (first, second) = row.split_at_mut(row.len().div_ceil(2));
                add::<F, I>(isa, first, a, scale);
                add::<F, I>(isa, second, b, scale);
            }
            add::<F, Scalar>(Scalar, rest, &[F::Work::from(0)], scale);
        }
    }
}

/// `row·scale + values`.
#[inline(always)]
fn add<F: Format, I: Isa>(isa: I, row: &mut [F::Store], values: &[F::Work], scale: F::Work) {
    let sum = Sum::<F, Wide, 1, true, true> { scale, values: [values], factors: [F::Work::from(1)] };
    merge::<F, I>(isa, row, sum);
}

/// Weaves whole units from a pair on into a row, and tells where it stopped.
#[inline(always)]
fn weave<F: Format, I: Isa>(
    isa: I,
    row: &mut [F::Store],
    [a, b]: [&[F::Work]; 2],
    scale: F::Work,
    mut pair: usize,
) -> usize {
    let scale = F::Lanes::<I>::splat(isa, scale);
    while 2 * pair + unit_len::<F, I>() <= row.len() {
        let even = F::ready(isa, F::Lanes::<I>::load(isa, array_at::<F::Lanes<I>, _>(a, pair)));
        let odd = F::ready(isa, F::Lanes::<I>::load(isa, array_at::<F::Lanes<I>, _>(b, pair)));
        let [first, second] = if F::split::<I>() { [even, odd] } else { even.interleave(odd) };
        let unit = unit_at_mut::<F, I, _>(row, 2 * pair);
        let [x, y] = F::load(isa, unit);
        F::store(isa, [x * scale + first, y * scale + second], unit);
        pair += F::Lanes::<I>::LANES;
    }
    pair
}

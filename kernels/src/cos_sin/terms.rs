//! Angles of positions with several coordinates, which need not be whole: `p0·f0 + p1·f1 + …`.
//!
//! ```text
//! p = upper + lower       31 and 22 bits, so that products with the pieces of a frequency are exact
//! x = product mod 4       quarter turns: whole turns fall away from each product
//! high + low = Σ x        a sum of two f64, which loses nothing that counts
//! q = round(high)         from here on as with any angle
//! ```
//!
//! The error of the sum is below `2^-85` of a quarter turn, and that of the last products below `2^-114` of the angle.

use super::cells::two_sum;
use super::{Angles, Cell, FOURS, Reduced, WHOLE, exact, in_radians, load, rounded, scaled};
use crate::format::{F32, array_at};
use crate::turns::Turns;
use crate::vector::Double;

/// The most coordinates that a position can have.
pub const MAX_AXES: usize = 8;

/// The coordinates of a position; those beyond its axes are not read.
pub type Point = [f64; MAX_AXES];

/// Which coordinate each term of each angle reads.
///
/// ```text
/// weights      pair 0  1  2  3  …
/// axis 0     [      1  1  0  0  … ]      pairs 0 and 1 read the first coordinate,
/// axis 1     [      0  0  1  1  … ]      pairs 2 and 3 the second one
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// How many coordinates a position has, up to [`MAX_AXES`].
    pub axes: usize,
    /// How many angles a row has.
    pub pairs: usize,
    /// Ones and zeros, `[terms, axes, pairs]`.
    pub weights: &'a [f64],
}

impl Reading<'_> {
    /// How many products make an angle.
    #[inline(always)]
    fn terms(self) -> usize {
        self.weights.len() / (self.axes * self.pairs)
    }

    /// What the pairs from `at` on read for a term.
    #[inline(always)]
    fn coordinate<V: Double>(self, isa: V::Isa, point: &Point, term: usize, at: usize) -> V {
        let first = term * self.axes;
        let mut sum = V::splat(isa, point[0]) * load(isa, self.weights, first * self.pairs + at);
        for (axis, &coordinate) in point.iter().enumerate().take(self.axes).skip(1) {
            sum = sum + V::splat(isa, coordinate) * load(isa, self.weights, (first + axis) * self.pairs + at);
        }
        sum
    }
}

/// One whole coordinate a pair: the bits of [`Exact`](super::Exact) for that coordinate.
#[derive(Clone, Copy, Debug)]
pub struct Selected<'a> {
    /// The frequencies.
    pub turns: &'a Turns,
    /// Which coordinate each reads; one term.
    pub reading: Reading<'a>,
    /// Factor of both results, applied before the rounding.
    pub magnitude: f64,
}

impl Angles for Selected<'_> {
    type Position = Point;

    #[inline(always)]
    fn pairs(self) -> usize {
        self.reading.pairs
    }

    #[inline(always)]
    fn angle<V: Double>(self, isa: V::Isa, point: Point, at: usize) -> Reduced<V> {
        exact(isa, self.reading.coordinate(isa, &point, 0, at), self.turns, at)
    }

    #[inline(always)]
    fn scale<V: Double>(self, isa: V::Isa, value: V) -> V {
        scaled(isa, value, self.magnitude)
    }
}

/// Any coordinates up to 2^31 in size, and any number of terms.
///
/// In f32 within 0.50003 ULP of the true value where the angle is below 2^28 radians and the value above 2^-45; elsewhere
/// the absolute error is below 2^-59.
///
/// ```
/// use posenc_kernels::{F64, Level, MAX_AXES, Reading, Rows, Terms, Turns};
///
/// // One pair: 1·p0 + 0.5·p1, at (0.25, 3).
/// let turns = Turns::new(&[1.0, 0.5]).unwrap();
/// let reading = Reading { axes: 2, pairs: 1, weights: &[1.0, 0.0, 0.0, 1.0] };
/// let mut point = [0.0; MAX_AXES];
/// point[..2].copy_from_slice(&[0.25, 3.0]);
/// let (mut cos, mut sin) = ([0.0], [0.0]);
/// let angles = Terms { turns: &turns, reading, magnitude: 1.0 };
/// Level::detect().run(Rows::<_, F64> { angles, positions: &[point], cos: &mut cos, sin: &mut sin });
/// assert!((cos[0] - 1.75_f64.cos()).abs() < 1e-15 && (sin[0] - 1.75_f64.sin()).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The frequencies, `[terms, pairs]`.
    pub turns: &'a Turns,
    /// Which coordinate each reads.
    pub reading: Reading<'a>,
    /// Factor of both results, applied before the rounding.
    pub magnitude: f64,
}

impl Angles for Terms<'_> {
    type Position = Point;

    #[inline(always)]
    fn pairs(self) -> usize {
        self.reading.pairs
    }

    #[inline(always)]
    fn angle<V: Double>(self, isa: V::Isa, point: Point, at: usize) -> Reduced<V> {
        let zero = V::splat(isa, 0.0);
        let whole = V::splat(isa, WHOLE);
        let leading = V::splat(isa, f64::from_bits(u64::MAX << 22));
        let (mut high, mut low) = (zero, zero);
        for term in 0..self.reading.terms() {
            let coordinate = self.reading.coordinate::<V>(isa, &point, term, at);
            let upper = coordinate & leading;
            for part in [upper, coordinate - upper] {
                let cell = term * self.reading.pairs + at;
                let [a, b, c, d] = self.turns.pieces();
                for piece in [self.turns.whole(), a, b, c, d] {
                    let (sum, error) = two_sum(high, without_turns(isa, part * load(isa, piece, cell)));
                    high = sum;
                    low = low + error;
                }
            }
        }
        let quadrant = high + whole;
        Reduced { rest: [high - (quadrant - whole), low, zero, zero], quadrant }
    }

    #[inline(always)]
    fn scale<V: Double>(self, isa: V::Isa, value: V) -> V {
        scaled(isa, value, self.magnitude)
    }
}

/// Takes whole turns off a number of quarter turns; exact.
#[inline(always)]
fn without_turns<V: Double>(isa: V::Isa, quarters: V) -> V {
    let fours = V::splat(isa, FOURS);
    quarters - ((quarters + fours) - fours)
}

/// As [`Single32`](super::Single32): each product is rounded to f32, and so is each sum, term after term.
///
/// Coordinates must be f32 values already.
#[derive(Clone, Copy, Debug)]
pub struct Terms32<'a> {
    /// The frequencies, in radians per position, `[terms, pairs]`.
    pub frequencies: &'a [f32],
    /// Which coordinate each reads.
    pub reading: Reading<'a>,
    /// Factor of both results, an f32 multiplication after the rounding.
    pub magnitude: f32,
}

impl Terms32<'_> {
    #[inline(always)]
    fn product<V: Double>(self, isa: V::Isa, point: &Point, term: usize, at: usize) -> V {
        let frequencies = V::widen(isa, array_at::<V, _>(self.frequencies, term * self.reading.pairs + at));
        rounded(isa, self.reading.coordinate::<V>(isa, point, term, at) * frequencies)
    }
}

impl Angles for Terms32<'_> {
    type Position = Point;

    #[inline(always)]
    fn pairs(self) -> usize {
        self.reading.pairs
    }

    #[inline(always)]
    fn angle<V: Double>(self, isa: V::Isa, point: Point, at: usize) -> Reduced<V> {
        let mut angle = self.product::<V>(isa, &point, 0, at);
        for term in 1..self.reading.terms() {
            // A sum of two f32 keeps in f64 what its rounding to f32 depends on.
            angle = rounded(isa, angle + self.product(isa, &point, term, at));
        }
        in_radians(isa, angle)
    }

    #[inline(always)]
    fn dropped(_: u32) -> u32 {
        F32::DROPPED
    }

    #[inline(always)]
    fn finish<V: Double>(self, isa: V::Isa, value: V) -> V {
        rounded(isa, value) * V::splat(isa, f64::from(self.magnitude))
    }
}

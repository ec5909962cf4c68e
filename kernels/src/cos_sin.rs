//! Exact cosines and sines of `position · frequency`, in rows.
//!
//! ```text
//! t = p · (2f/π mod 4)    quarter turns, as four products of one position and four pieces of the frequency
//! q = round(t)            the quarter turns that are taken off; the lowest two bits count
//! r = t − q               about half a quarter turn at most
//! cos(r·π/2), sin(r·π/2)  polynomials in r², then swapped and negated as q says
//! ```
//!
//! The first two products are exact, and so is the sum wherever it cancels; the error of `r` is below
//! `|t| · 2^-114`, so a result next to a zero crossing is as good as any other. `docs/numerics.md` has the proof.

mod cells;
mod rows;
mod run;
mod steps;
mod terms;

pub use cells::Cell;
pub use rows::Rows;
pub use steps::Steps;
pub use terms::{MAX_AXES, Point, Reading, Selected, Terms, Terms32};

use crate::format::{F32, array_at};
use crate::turns::Turns;
use crate::vector::Double;
use cells::long;

/// `sin(r·π/2) / r` in powers of `r²`; `docs/polynomials.py` makes these numbers and states their error.
#[allow(clippy::approx_constant, reason = "the first coefficient balances the others and is not π/2")]
const SIN: [f64; 5] = [
    1.570_796_326_787_75,
    -0.645_964_096_102_418_3,
    0.079_692_581_842_968_61,
    -0.004_681_260_628_324_622,
    0.000_158_195_076_057_419_37,
];

/// `(cos(r·π/2) − 1) / r²` in powers of `r²`.
const COS: [f64; 5] = [
    -1.233_700_550_123_570_3,
    0.253_669_507_211_623_6,
    -0.020_863_468_401_139_77,
    0.000_919_162_921_568_633_2,
    -2.485_220_614_786_513e-5,
];

/// Adding it to a number below 2^51 rounds that number to a whole one, whose lowest bits become those of the sum.
const WHOLE: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52

/// Adding it and subtracting it again rounds a number to a multiple of four: to whole turns.
const FOURS: f64 = 4.0 * WHOLE;

/// 2/π in pieces, which make quarter turns of radians.
const RADIANS: [f64; 4] =
    [0.636_619_567_871_093_8, 2.044_964_730_885_112_7e-7, 1.450_445_666_351_107_8e-14, 1.076_057_281_073_874_8e-19];

/// An angle as it is left when whole quarter turns are taken off.
#[derive(Clone, Copy)]
pub struct Reduced<V> {
    /// What is left of it, in quarter turns: four parts, whose sum is about a half at most.
    rest: [V; 4],
    /// The quarter turns taken off, in the lowest bits.
    quadrant: V,
}

/// Takes the quarter turns off an angle that is given in four parts, of which `leading` decide how many there are.
#[inline(always)]
fn reduce<V: Double>(isa: V::Isa, leading: V, [first, second, third, last]: [V; 4]) -> Reduced<V> {
    let whole = V::splat(isa, WHOLE);
    let quadrant = leading + whole;
    Reduced { rest: [first - (quadrant - whole), second, third, last], quadrant }
}

/// Turns cosine and sine by the quarters that were taken off: two of them negate both, one makes `(−sin, cos)` of them.
#[inline(always)]
fn place<V: Double>(isa: V::Isa, quadrant: V, cos: V, sin: V) -> (V, V) {
    let signs = quadrant.shift_left::<62>();
    let (cos, sin) = (cos.flip(signs), sin.flip(signs));
    (quadrant.choose(sin.flip(V::splat(isa, -0.0)), cos), quadrant.choose(cos, sin))
}

/// Cos and sin as f64 with an error below 2^16 of their last places.
#[inline(always)]
fn short<V: Double>(isa: V::Isa, angle: Reduced<V>) -> (V, V) {
    let Reduced { rest: [a, b, c, d], quadrant } = angle;
    let r = ((a + b) + c) + d;
    let square = r * r;
    let sin = polynomial(isa, &SIN, square) * r;
    let cos = polynomial(isa, &COS, square) * square + V::splat(isa, 1.0);
    place(isa, quadrant, cos, sin)
}

/// `c0 + c1·x + c2·x² + …`, from the highest power down.
#[inline(always)]
fn polynomial<V: Double, const N: usize>(isa: V::Isa, coefficients: &[f64; N], x: V) -> V {
    let mut sum = V::splat(isa, coefficients[N - 1]);
    for &c in coefficients[..N - 1].iter().rev() {
        sum = sum * x + V::splat(isa, c);
    }
    sum
}

/// Where a row takes its angles from.
pub trait Angles: Copy {
    /// What is known of a position.
    type Position: Copy;

    /// How many pairs a row has.
    fn pairs(self) -> usize;

    /// The angles of one position and the pairs from `at` on.
    fn angle<V: Double>(self, isa: V::Isa, position: Self::Position, at: usize) -> Reduced<V>;

    /// How many digits the first rounding takes off, where a cell of the format has so many less than an f64.
    #[inline(always)]
    fn dropped(format: u32) -> u32 {
        format
    }

    /// What is done to a cosine or a sine before that rounding: the magnitude.
    #[inline(always)]
    fn scale<V: Double>(self, _: V::Isa, value: V) -> V {
        value
    }

    /// What is done behind it.
    #[inline(always)]
    fn finish<V: Double>(self, _: V::Isa, value: V) -> V {
        value
    }

    /// How many of the positions, from the first on, follow each other, and the steps between them, where there are any.
    #[inline(always)]
    fn run(&self, _: &[Self::Position]) -> Option<(usize, &Steps)> {
        None
    }
}

/// The angle is the exact product; the results are rounded once: as if the nearest f64 to the true cosines and sines were.
///
/// In f32 within 0.50003 ULP of the true value for `|position| < 2^24`, within 0.51 to 2^31.
#[derive(Clone, Copy, Debug)]
pub struct Exact<'a> {
    /// The frequencies.
    pub turns: &'a Turns,
    /// Cosines and sines of the first positions for these frequencies, which make runs of positions several times faster;
    /// empty if there are none.
    pub steps: &'a Steps,
    /// Factor of both results, applied before the rounding.
    pub magnitude: f64,
}

/// The exact product of positions of at most 31 bits with the frequencies from `at` on.
#[inline(always)]
fn exact<V: Double>(isa: V::Isa, position: V, turns: &Turns, at: usize) -> Reduced<V> {
    let [a, b, c, d] = turns.pieces();
    let first = position * load(isa, a, at);
    let second = position * load(isa, b, at);
    reduce(isa, first + second, [first, second, position * load(isa, c, at), position * load(isa, d, at)])
}

/// A cosine or sine times the magnitude.
#[inline(always)]
fn scaled<V: Double>(isa: V::Isa, value: V, magnitude: f64) -> V {
    if magnitude == 1.0 { value } else { value * V::splat(isa, magnitude) }
}

impl Angles for Exact<'_> {
    type Position = f64;

    #[inline(always)]
    fn pairs(self) -> usize {
        self.turns.len()
    }

    #[inline(always)]
    fn angle<V: Double>(self, isa: V::Isa, position: f64, at: usize) -> Reduced<V> {
        exact(isa, V::splat(isa, position), self.turns, at)
    }

    #[inline(always)]
    fn scale<V: Double>(self, isa: V::Isa, value: V) -> V {
        scaled(isa, value, self.magnitude)
    }

    #[inline(always)]
    fn run(&self, positions: &[f64]) -> Option<(usize, &Steps)> {
        // A factor that is far from 1 makes other values small than those that the steps look for.
        if !(0.5..=2.0).contains(&self.magnitude) {
            return None;
        }
        self.steps.count(positions).map(|count| (count, self.steps))
    }
}

/// The angle is rounded to f32 as in most training stacks: `fl32(fl32(position) · fl32(frequency))`; its cos and sin are
/// those of that f32, rounded to f32, and then multiplied in f32.
///
/// Positions must be f32 values already.
#[derive(Clone, Copy, Debug)]
pub struct Single32<'a> {
    /// The frequencies, in radians per position.
    pub frequencies: &'a [f32],
    /// Factor of both results, an f32 multiplication after the rounding.
    pub magnitude: f32,
}

/// Takes the quarter turns off an angle in radians.
#[inline(always)]
fn in_radians<V: Double>(isa: V::Isa, angle: V) -> Reduced<V> {
    let [first, second, third, last] = RADIANS;
    let [first, second] = [angle * V::splat(isa, first), angle * V::splat(isa, second)];
    let [third, last] = [angle * V::splat(isa, third), angle * V::splat(isa, last)];
    // An angle is no whole number, so whole turns are still in it, and the first product can hold many.
    let fours = V::splat(isa, FOURS);
    let first = first - ((first + fours) - fours);
    reduce(isa, (first + second) + third, [first, second, third, last])
}

impl Angles for Single32<'_> {
    type Position = f64;

    #[inline(always)]
    fn pairs(self) -> usize {
        self.frequencies.len()
    }

    #[inline(always)]
    fn angle<V: Double>(self, isa: V::Isa, position: f64, at: usize) -> Reduced<V> {
        let frequencies = V::widen(isa, array_at::<V, _>(self.frequencies, at));
        // A product of two f32 is exact in f64, so narrowing is the one rounding that f32 arithmetic makes.
        in_radians(isa, rounded(isa, V::splat(isa, position) * frequencies))
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

/// Rounded to f32.
#[inline(always)]
fn rounded<V: Double>(isa: V::Isa, x: V) -> V {
    V::widen(isa, &x.narrow())
}

#[inline(always)]
fn load<V: Double>(isa: V::Isa, slice: &[f64], at: usize) -> V {
    V::load(isa, array_at::<V, _>(slice, at))
}

#[cfg(test)]
mod tests {
    use super::RADIANS;
    use crate::turns::quarter_turns;

    #[test]
    fn radians_are_the_frequency_one() {
        assert_eq!(Some(RADIANS), quarter_turns(1.0));
    }
}

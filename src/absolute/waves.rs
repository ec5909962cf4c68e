//! Cosines and sines of real coordinates: timesteps, pixel coordinates, anything that is no whole number.
//!
//! A coordinate of up to 31 binary digits, as every f32 is, times a piece of a frequency is exact, so its row is as good
//! as that of a whole number. The digits that are left over of longer coordinates, and further axes, are angles of their
//! own; they are added by multiplying the points of the unit circle that belong to them, in f64.
//!
//! The pieces of a frequency leave out whole turns for a whole step, which are no whole turns for a part of one. So faster
//! frequencies are halved until they have none, and coordinates are doubled as often.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use posenc_kernels::{Exact, Level, Rows, Turns};

use crate::error::{Error, Result};
use crate::{Element, Frequencies};

/// The largest coordinate, in size.
const LIMIT: f64 = 2_147_483_648.0;

/// The largest angle, in size and in radians: 2^33.
const MAX_ANGLE: f64 = 4.0 * LIMIT;

/// The largest frequency that is not halved; below a whole turn.
const SLOW: f64 = 4.0;

/// Digits of an f64 that a first angle leaves to a second one.
const LOW_DIGITS: u32 = 22;

/// The frequencies of one axis, for real coordinates.
pub(crate) struct Axis<'a> {
    turns: Cow<'a, Turns>,
    /// How much slower they are than they should be: a power of two.
    slowness: f64,
    /// The largest one, as it should be.
    largest: f64,
}

impl<'a> Axis<'a> {
    pub(crate) fn new(frequencies: &'a Frequencies) -> Result<Self> {
        let values = frequencies.as_slice();
        let largest = values.iter().fold(0.0_f64, |largest, f| largest.max(f.abs()));
        let mut slowness = 1.0;
        while largest > SLOW * slowness {
            slowness *= 2.0;
        }
        let turns = if slowness == 1.0 {
            Cow::Borrowed(frequencies.turns())
        } else {
            let slow = Frequencies::from_values(values.iter().map(|f| f / slowness).collect())?;
            Cow::Owned(slow.turns().clone())
        };
        Ok(Self { turns, slowness, largest })
    }

    /// Whether all coordinates are numbers, and small enough.
    pub(crate) fn check(&self, what: &'static str, coordinates: impl IntoIterator<Item = f64>) -> Result<()> {
        for found in coordinates {
            if !(found.abs() <= LIMIT && found.abs() * self.largest <= MAX_ANGLE) {
                let expected = "a number up to 2^31 in size, and angles up to 2^33 radians";
                return Err(Error::Number { what, expected, found });
            }
        }
        Ok(())
    }
}

/// A row of cosines and sines of `Σ_axis coordinate[axis] · frequency[axis][j]`, times a magnitude.
pub(crate) struct Wave<'a> {
    /// A coordinate and the frequencies that it is multiplied by, for each axis.
    pub(crate) axes: &'a [(f64, &'a Axis<'a>)],
    /// Factor of all values.
    pub(crate) magnitude: f64,
    /// Where it is worked out.
    pub(crate) level: Level,
}

impl Wave<'_> {
    /// Fills one row, each value rounded once.
    pub(crate) fn fill<T: Element>(&self, cos: &mut [T], sin: &mut [T]) {
        let mut parts = Vec::with_capacity(2 * self.axes.len());
        for &(coordinate, axis) in self.axes {
            let coordinate = coordinate * axis.slowness;
            let high = f64::from_bits(coordinate.to_bits() >> LOW_DIGITS << LOW_DIGITS);
            let both = [high, coordinate - high].into_iter().filter(|&part| part != 0.0);
            parts.extend(both.map(|part| (part, &*axis.turns)));
        }
        match parts[..] {
            [] => {
                cos.fill(T::from_double(self.magnitude));
                sin.fill(T::from_double(0.0 * self.magnitude));
            }
            [(position, turns)] => self.run::<T>(position, turns, self.magnitude, cos, sin),
            [(first, turns), ref others @ ..] => self.multiply((first, turns), others, cos, sin),
        }
    }

    fn run<T: Element>(&self, position: f64, turns: &Turns, magnitude: f64, cos: &mut [T], sin: &mut [T]) {
        let (cos, sin) = (T::raw_mut(cos), T::raw_mut(sin));
        let angles = Exact { turns, magnitude };
        self.level.run(Rows::<_, T::Format> { angles, positions: &[position], cos, sin });
    }

    fn multiply<T: Element>(&self, first: (f64, &Turns), others: &[(f64, &Turns)], to_cos: &mut [T], to_sin: &mut [T]) {
        let pairs = to_cos.len();
        let mut cells = vec![0.0; 4 * pairs];
        let (product, factor) = cells.split_at_mut(2 * pairs);
        let (cos, sin) = product.split_at_mut(pairs);
        self.run::<f64>(first.0, first.1, self.magnitude, cos, sin);
        for &(position, turns) in others {
            let (c, s) = factor.split_at_mut(pairs);
            self.run::<f64>(position, turns, 1.0, c, s);
            for (((cos, sin), c), s) in cos.iter_mut().zip(sin.iter_mut()).zip(&*c).zip(&*s) {
                (*cos, *sin) = (*cos * c - *sin * s, *sin * c + *cos * s);
            }
        }
        for ((to, from), (to_sin, from_sin)) in to_cos.iter_mut().zip(cos).zip(to_sin.iter_mut().zip(sin)) {
            *to = T::from_double(*from);
            *to_sin = T::from_double(*from_sin);
        }
    }
}

//! What a law is tried on: sizes, a way to turn, positions and values, all of them plain.
//! It stands apart so that anything can be the source of cases: a strategy, a list, or the bytes of a fuzzer.

use posenc::{Direction, Element, Frequencies, HeadsMut, Level, Pairing, Positions, Precision, Rotary, Shape};
use posenc_oracle::rotary;

/// Everything about a rotation but the heads and their positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// How many pairs of a head turn.
    pub(crate) pairs: usize,
    /// The first feature that turns.
    pub(crate) start: usize,
    /// Which features turn together.
    pub(crate) pairing: Pairing,
    /// Which way.
    pub(crate) direction: Direction,
    /// How angles are rounded.
    pub(crate) precision: Precision,
    /// The factor on cosines and sines. Tolerances count on its being an f32.
    pub(crate) magnitude: f32,
}

impl Turn {
    /// Plain rotary embedding of so many pairs.
    pub(crate) fn plain(pairs: usize, pairing: Pairing) -> Self {
        let (direction, precision) = (Direction::Forward, Precision::Exact);
        Self { pairs, start: 0, pairing, direction, precision, magnitude: 1.0 }
    }

    /// The frequencies with base 10 000.
    pub(crate) fn frequencies(&self) -> Frequencies {
        let frequencies = Frequencies::new(2 * self.pairs, 10_000.0).expect("an even width and a good base");
        frequencies.with_magnitude(self.magnitude.into()).expect("a positive magnitude")
    }

    /// The encoding under test.
    pub(crate) fn rope(&self, level: Level) -> Rotary {
        Rotary::with_precision(&self.frequencies(), self.pairing, self.precision)
            .with_direction(self.direction)
            .starting_at(self.start)
            .with_level(level)
    }

    /// The encoding in the oracle's terms.
    pub(crate) fn rotation(&self) -> rotary::Rotation {
        rotary::Rotation {
            pairing: match self.pairing {
                Pairing::Halves => rotary::Pairing::Halves,
                Pairing::Interleaved => rotary::Pairing::Interleaved,
            },
            // The crate's inverse applies the magnitude and does not divide it out.
            direction: match self.direction {
                Direction::Forward => rotary::Direction::Forward,
                Direction::Inverse => rotary::Direction::Transposed,
            },
            offset: self.start,
            width: 2 * self.pairs,
            magnitude: self.magnitude.into(),
        }
    }

    /// The features of each pair, counted from the start of a head.
    pub(crate) fn features(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let rotary::Rotation { pairing, offset, width, .. } = self.rotation();
        (0..self.pairs).map(move |j| {
            let (first, second) = pairing.features(width, j);
            (offset + first, offset + second)
        })
    }
}

/// Heads to rotate.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// How many of each there are; the rotated slice fits the heads.
    pub(crate) shape: Shape,
    /// How they turn.
    pub(crate) turn: Turn,
    /// The position of each token, `[batch, tokens]`.
    pub(crate) ids: Vec<i64>,
    /// At least one value, of which the elements are made.
    pub(crate) values: Vec<f32>,
}

impl Case {
    /// The elements, `[batch, tokens, heads, dim]`.
    pub(crate) fn data(&self) -> Vec<f32> {
        let Shape { batch, tokens, heads, dim } = self.shape;
        scattered(&self.values, batch * tokens * heads * dim)
    }

    /// The elements after a rotation without gaps, which the other paths are compared with.
    pub(crate) fn rotated(&self, level: Level) -> Vec<f32> {
        self.rotated_by(&self.turn.rope(level))
    }

    /// [`rotated`](Self::rotated), by another encoding than the case's own.
    pub(crate) fn rotated_by(&self, rope: &Rotary) -> Vec<f32> {
        let mut data = self.data();
        self.rotate(rope, &mut data);
        data
    }

    /// Rotates other elements than the case's own.
    pub(crate) fn rotate<T: Element>(&self, rope: &Rotary, data: &mut [T]) {
        let Shape { batch, tokens, heads, dim } = self.shape;
        let mut view = HeadsMut::token_major(data, [batch, tokens, heads, dim]).expect("a shape that fits");
        rope.rotate(&mut view, &Positions::ids(&self.ids)).expect("positions that are served");
    }

    /// Where the two elements of each pair stand in [`data`](Self::data), head after head.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let Shape { batch, tokens, heads, dim } = self.shape;
        let turn = self.turn;
        (0..batch * tokens * heads)
            .flat_map(move |head| turn.features().map(move |(first, second)| (head * dim + first, head * dim + second)))
    }
}

/// `count` elements, each one of `values`, in an order that does not repeat: elements that change places show.
pub(crate) fn scattered(values: &[f32], count: usize) -> Vec<f32> {
    (0..count as u64).map(|i| values[(mixed(i) % values.len() as u64) as usize]).collect()
}

/// The finaliser of SplitMix64: neighbours become unlike.
pub(crate) fn mixed(i: u64) -> u64 {
    let z = i.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

//! Rotary embedding of one head in f64: inverse frequencies, and the rotation of each pair by its formula.
//! It stands apart, with enums of its own, so that a wrong pairing in the crate cannot be wrong here as well.

use crate::angle::{CosSin, sincos};

/// Which two features of the rotated slice, `width` long, make pair `j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// `(j, j + width/2)`, as in NeoX and Llama.
    Halves,
    /// `(2j, 2j + 1)`, as in GPT-J.
    Interleaved,
}

impl Pairing {
    /// Both, for tests that sweep them.
    pub const ALL: [Pairing; 2] = [Pairing::Halves, Pairing::Interleaved];

    /// The two features of pair `j`.
    pub fn features(self, width: usize, j: usize) -> (usize, usize) {
        match self {
            Pairing::Halves => (j, j + width / 2),
            Pairing::Interleaved => (2 * j, 2 * j + 1),
        }
    }
}

/// What to do with the angle and the magnitude `m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `m R(angle)`.
    Forward,
    /// `R(-angle) / m`, which undoes `Forward`.
    Inverse,
    /// `m R(-angle)`, the transpose of `Forward`: its gradient.
    Transposed,
}

impl Direction {
    /// All three, for tests that sweep them.
    pub const ALL: [Direction; 3] = [Direction::Forward, Direction::Inverse, Direction::Transposed];
}

/// Everything about a rotation except the head and the angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// Which features turn together.
    pub pairing: Pairing,
    /// Which way, and what happens to the magnitude.
    pub direction: Direction,
    /// First feature of the rotated slice.
    pub offset: usize,
    /// Length of the rotated slice, twice the number of pairs.
    pub width: usize,
    /// The factor `m` of cos and sin, 1 for plain rotary embedding.
    pub magnitude: f64,
}

/// The `width / 2` inverse frequencies `base^(-2j/width)`.
///
/// The last bit is that of the platform's `powf`. At far positions that bit is a visible angle, so tests of
/// exact angles compare frequencies here and then take the crate's own frequencies to [`rotate`].
///
/// # Panics
///
/// If `width` is odd.
pub fn inverse_frequencies(width: usize, base: f64) -> Vec<f64> {
    assert!(width.is_multiple_of(2), "a rotary width of {width} is odd");
    (0..width / 2).map(|j| base.powf(-(2.0 * j as f64) / width as f64)).collect()
}

/// The exact point of each frequency at one position.
pub fn points(position: i64, frequencies: &[f64]) -> Vec<CosSin> {
    frequencies.iter().map(|&frequency| sincos(position, frequency)).collect()
}

/// Rotates one head at an integer position; pair `j` turns by `position * frequencies[j]`.
///
/// # Panics
///
/// As [`rotate_by`], and as [`sincos`].
pub fn rotate(head: &[f64], position: i64, frequencies: &[f64], rotation: Rotation) -> Vec<f64> {
    rotate_by(head, &points(position, frequencies), rotation)
}

/// Rotates one head by given points, one for each pair. Features outside the slice are copied.
///
/// # Panics
///
/// If the slice leaves the head, or there are not `width / 2` points.
pub fn rotate_by(head: &[f64], points: &[CosSin], rotation: Rotation) -> Vec<f64> {
    let Rotation { pairing, direction, offset, width, magnitude } = rotation;
    assert!(offset + width <= head.len(), "the rotated slice leaves the head");
    assert_eq!(2 * points.len(), width, "one point for each pair");
    let (scale, sign) = match direction {
        Direction::Forward => (magnitude, 1.0),
        Direction::Inverse => (1.0 / magnitude, -1.0),
        Direction::Transposed => (magnitude, -1.0),
    };
    let mut rotated = head.to_vec();
    for (j, point) in points.iter().enumerate() {
        let (first, second) = pairing.features(width, j);
        let (first, second) = (offset + first, offset + second);
        let (cos, sin) = (scale * point.cos, scale * sign * point.sin);
        rotated[first] = head[first] * cos - head[second] * sin;
        rotated[second] = head[second] * cos + head[first] * sin;
    }
    rotated
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

    fn rotation(pairing: Pairing, direction: Direction) -> Rotation {
        Rotation { pairing, direction, offset: 1, width: 4, magnitude: 1.5 }
    }

    fn assert_close(got: &[f64], want: &[f64]) {
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= 4e-15 * want.abs().max(1.0), "got {got}, want {want}");
        }
    }

    #[test]
    fn inverse_frequencies_match_thirty_digits() {
        assert_close(&inverse_frequencies(4, 1e4), &[1.0, 0.01]);
        let six = [1.0, 0.01259921049894873, 0.00015874010519681994];
        assert_close(&inverse_frequencies(6, 5e5), &six);
        let wide = inverse_frequencies(128, 5e5);
        assert_eq!((wide.len(), wide[0]), (64, 1.0));
        assert!((wide[1] - 0.8146172338565447).abs() < 1e-15);
        assert!((wide[63] - 2.455140791131609e-06).abs() < 1e-20);
        assert!(inverse_frequencies(0, 1e4).is_empty());
    }

    #[test]
    #[should_panic(expected = "is odd")]
    fn odd_widths_are_refused() {
        inverse_frequencies(5, 1e4);
    }

    // Features 1 to 4 of the head, base 100, position 5 and magnitude 1.5, worked out to forty digits.
    #[test]
    fn every_pairing_and_direction_matches_forty_digits() {
        use Direction::*;
        let halves = |direction| rotate(&HEAD, 5, &[1.0, 0.1], rotation(Pairing::Halves, direction));
        let pairs = |direction| rotate(&HEAD, 5, &[1.0, 0.1], rotation(Pairing::Interleaved, direction));
        let want = [1.0, 6.6045322043685095, 0.3534299889751547, -1.1747997112100579, 8.739284137896709, 6.0];
        assert_close(&halves(Forward), &want);
        let want = [1.0, -2.178915151817401, 3.353250252461422, 2.0349981941194546, 1.9664241290928364, 6.0];
        assert_close(&halves(Inverse), &want);
        let want = [1.0, -4.902559091589152, 7.5448130680381995, 4.578745936768773, 4.424454290458882, 6.0];
        assert_close(&halves(Transposed), &want);
        let want = [1.0, 5.166145792373802, -1.6002929894048972, 1.6698038318107138, 9.458422445803013, 6.0];
        assert_close(&pairs(Forward), &want);
        let want = [1.0, -1.5396323020419753, 1.8458900704773038, 3.9383052937216707, 1.646807103356701, 6.0];
        assert_close(&pairs(Inverse), &want);
        let want = [1.0, -3.4641726795944443, 4.153252658573933, 8.861186910873759, 3.705315982552577, 6.0];
        assert_close(&pairs(Transposed), &want);
    }

    #[test]
    fn the_rest_of_the_head_keeps_its_bits() {
        let head = [-0.0, 1.0, 2.0, f64::NAN];
        let rotation = Rotation { width: 2, ..rotation(Pairing::Halves, Direction::Forward) };
        let rotated = rotate(&head, 3, &[1.0], rotation);
        assert_eq!(rotated[0].to_bits(), head[0].to_bits());
        assert_eq!(rotated[3].to_bits(), head[3].to_bits());
        assert_ne!(rotated[1], head[1]);
    }

    #[test]
    fn a_quarter_turn_has_a_direction() {
        let quarter = [CosSin { cos: 0.0, sin: 1.0 }];
        let plain = Rotation { offset: 0, width: 2, magnitude: 1.0, ..rotation(Pairing::Halves, Direction::Forward) };
        assert_eq!(rotate_by(&[1.0, 0.0], &quarter, plain), [0.0, 1.0]);
        assert_eq!(rotate_by(&[0.0, 1.0], &quarter, plain), [-1.0, 0.0]);
    }

    #[test]
    #[should_panic(expected = "leaves the head")]
    fn slices_past_the_head_are_refused() {
        rotate(&HEAD[..4], 1, &[1.0, 0.1], rotation(Pairing::Halves, Direction::Forward));
    }
}

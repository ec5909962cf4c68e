//! What the files of this test share: handles, single heads and rows, and the comparison with the oracle.
//! They stand apart so that a test reads as its entry does.

use posenc::{Frequencies, HeadsMut, Level, Pairing, Positions, Precision, Rotary, TableBuilder};
use posenc_oracle::angle::{CosSin, sincos, sincos_f32_arg, single_angle};
use posenc_oracle::rotary::{Direction, Rotation, inverse_frequencies, rotate};
use posenc_oracle::tolerance::rotated_pair;
use posenc_oracle::ulp::ulp_error_f64;
use posenc_oracle::{lcg, rotary};

pub(crate) const PAIRINGS: [Pairing; 2] = [Pairing::Halves, Pairing::Interleaved];
pub(crate) const PRECISIONS: [Precision; 2] = [Precision::Exact, Precision::Single];

/// Frequencies that were compared with the formula.
///
/// Angles of far positions are then taken from the crate's own frequencies: those of the oracle have a rounded exponent
/// and may be some last bits off, which is a visible angle there.
pub(crate) fn frequencies(width: usize, base: f64) -> Frequencies {
    let frequencies = Frequencies::new(width, base).unwrap();
    let wanted = inverse_frequencies(width, base);
    assert_eq!(frequencies.pairs(), wanted.len());
    for (&got, want) in frequencies.as_slice().iter().zip(wanted) {
        // Half a unit of an exponent below one moves the power by ln(base) times that; std and the crate add their own.
        assert!(
            ulp_error_f64(got, want, 0.0) <= 2.0 + 0.5 * base.ln(),
            "width {width}, base {base}: {got:e} is not {want:e}"
        );
    }
    frequencies
}

pub(crate) fn rope(width: usize, base: f64, pairing: Pairing, level: Level) -> Rotary {
    Rotary::new(&frequencies(width, base), pairing).with_level(level)
}

pub(crate) fn builder(frequencies: &Frequencies, precision: Precision, level: Level) -> TableBuilder {
    TableBuilder::new(frequencies, precision).with_level(level)
}

/// Random numbers in [-1, 1).
pub(crate) fn random(seed: u64, count: usize) -> Vec<f32> {
    lcg::golden_inputs(seed, count)
}

pub(crate) fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// One head, rotated at one position.
pub(crate) fn turned(rope: &Rotary, head: &[f32], position: i64) -> Vec<f32> {
    let mut out = head.to_vec();
    let mut view = HeadsMut::new(&mut out, [1, 1, head.len()]).unwrap();
    rope.rotate(&mut view, &Positions::from(position)).unwrap();
    out
}

/// Cosines and sines of one position.
pub(crate) fn row(builder: &TableBuilder, position: i64) -> (Vec<f32>, Vec<f32>) {
    let (mut cos, mut sin) = (vec![0.0; builder.pairs()], vec![0.0; builder.pairs()]);
    builder.fill(&Positions::from(position), &mut cos, &mut sin).unwrap();
    (cos, sin)
}

/// Cosines and sines of given frequencies at one position.
pub(crate) fn points(precision: Precision, level: Level, position: i64, frequencies: &[f64]) -> (Vec<f32>, Vec<f32>) {
    row(&builder(&Frequencies::from_values(frequencies.to_vec()).unwrap(), precision, level), position)
}

/// The true point under a contract.
pub(crate) fn true_point(precision: Precision, position: i64, frequency: f64) -> CosSin {
    match precision {
        Precision::Exact => sincos(position, frequency),
        Precision::Single => sincos_f32_arg(single_angle(position, frequency)),
    }
}

pub(crate) fn in_oracle(pairing: Pairing) -> rotary::Pairing {
    match pairing {
        Pairing::Halves => rotary::Pairing::Halves,
        Pairing::Interleaved => rotary::Pairing::Interleaved,
    }
}

/// A head at a position, and how it should turn.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub(crate) head: &'a [f32],
    pub(crate) position: i64,
    pub(crate) frequencies: &'a [f64],
    pub(crate) pairing: Pairing,
    /// First feature of the rotated slice.
    pub(crate) start: usize,
}

impl Turn<'_> {
    /// That `got` is the rotated head within the bound of one rotation, and its own bits outside the slice.
    pub(crate) fn assert(self, got: &[f32], what: &str) {
        let Self { head, position, frequencies, pairing, start } = self;
        let width = 2 * frequencies.len();
        let wide: Vec<f64> = head.iter().map(|&x| f64::from(x)).collect();
        let rotation = Rotation {
            pairing: in_oracle(pairing),
            direction: Direction::Forward,
            offset: start,
            width,
            magnitude: 1.0,
        };
        let want = rotate(&wide, position, frequencies, rotation);
        assert_eq!(got.len(), want.len(), "{what}");
        let slice = start..start + width;
        for j in 0..width / 2 {
            let (a, b) = in_oracle(pairing).features(width, j);
            let allowed = rotated_pair(want[start + a].hypot(want[start + b]));
            for i in [start + a, start + b] {
                let error = (f64::from(got[i]) - want[i]).abs();
                assert!(error <= allowed, "{what}, position {position}, feature {i}: {} is not {}", got[i], want[i]);
            }
        }
        for i in (0..head.len()).filter(|i| !slice.contains(i)) {
            assert_eq!(got[i].to_bits(), head[i].to_bits(), "{what}: feature {i} lies outside the slice");
        }
    }
}

/// Lengths of the pairs of a head that turns as a whole.
pub(crate) fn lengths(head: &[f32], pairing: Pairing) -> Vec<f64> {
    let pair = |j| {
        let (a, b) = in_oracle(pairing).features(head.len(), j);
        f64::from(head[a]).hypot(f64::from(head[b]))
    };
    (0..head.len() / 2).map(pair).collect()
}

/// That each pair ends within a part of its length.
pub(crate) fn assert_near(got: &[f32], want: &[f32], pairing: Pairing, relative: f64, what: &str) {
    let difference: Vec<f32> = got.iter().zip(want).map(|(a, b)| a - b).collect();
    for (error, length) in lengths(&difference, pairing).into_iter().zip(lengths(want, pairing)) {
        assert!(error <= relative * length, "{what}: off by {error}, length {length}");
    }
}

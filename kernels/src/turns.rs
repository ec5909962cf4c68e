//! Frequencies in quarter turns, with more digits than an f64 holds.
//!
//! The angle `position · f` matters modulo one turn only. Positions are whole numbers, so the same holds for `f`: it is kept
//! as `2f/π` modulo four, in four pieces whose products with a position are exact, or so small that their rounding does
//! not count. This file makes the pieces, in integers; the kernel that uses them is `cos_sin`.

use alloc::vec::Vec;

/// Bits of each of the three leading pieces: times a position of 31 bits, they fit the 53 of an f64.
const PIECE_BITS: u32 = 21;

/// Bits of the last piece, whose product is rounded.
const LAST_BITS: u32 = 53;

/// 2/π · 2^192, most significant word first.
const TWO_OVER_PI: [u64; 3] = [0xA2F9_836E_4E44_1529, 0xFC27_57D1_F534_DDC0, 0xDB62_9599_3C43_9041];

/// Frequencies, each as four f64 that add up to `2f/π` modulo four, within `2^-115` of its size.
///
/// ```
/// use posenc_kernels::Turns;
///
/// let turns = Turns::new(&[1.0, 0.01]).unwrap();
/// assert_eq!(turns.len(), 2);
/// assert_eq!(Turns::new(&[1.0, 1e9]), Err(1e9));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Turns {
    /// The first pieces of all frequencies, then the second ones, and so on.
    pieces: Vec<f64>,
    /// The quarter turns of all frequencies that are whole turns and left out of the pieces.
    whole: Vec<f64>,
    len: usize,
}

impl Turns {
    /// The largest frequency, in radians per position: 192 bits of 2/π leave all digits of its rest modulo four, and as
    /// angles of [`Single32`](crate::Single32), with positions up to 2^31, whole turns stay below 2^51, where rounding to a
    /// whole number by adding and subtracting a constant still works.
    pub const MAX_FREQUENCY: f64 = 1_048_576.0;

    /// Converts frequencies in radians per position.
    ///
    /// # Errors
    ///
    /// The first frequency that is not finite, or larger in size than [`MAX_FREQUENCY`](Self::MAX_FREQUENCY).
    pub fn new(frequencies: &[f64]) -> Result<Self, f64> {
        let len = frequencies.len();
        let mut pieces = Vec::new();
        pieces.resize(4 * len, 0.0);
        for (j, &f) in frequencies.iter().enumerate() {
            for (k, piece) in quarter_turns(f).ok_or(f)?.into_iter().enumerate() {
                pieces[k * len + j] = piece;
            }
        }
        let whole = frequencies.iter().map(|&f| whole_turns(f)).collect();
        Ok(Self { pieces, whole, len })
    }

    /// How many frequencies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What the pieces leave out, in quarter turns; fractions of a position turn by it as well.
    #[inline(always)]
    pub(crate) fn whole(&self) -> &[f64] {
        &self.whole
    }

    /// The four pieces of all frequencies, one slice for each place.
    #[inline(always)]
    pub(crate) fn pieces(&self) -> [&[f64]; 4] {
        let (low, high) = self.pieces.split_at(2 * self.len);
        let (first, second) = low.split_at(self.len);
        let (third, last) = high.split_at(self.len);
        [first, second, third, last]
    }
}

/// The four pieces of `2f/π` modulo four.
///
/// The last one is never negative: at position 0 all products are zeros, and this one makes their sum `+0`
/// whatever the sign of `f`.
pub(crate) fn quarter_turns(f: f64) -> Option<[f64; 4]> {
    if f.is_nan() || f.abs() > Turns::MAX_FREQUENCY {
        return None;
    }
    if f == 0.0 {
        return Some([0.0; 4]);
    }
    let (mantissa, exponent) = decompose(f.abs());
    let product = below(multiply(mantissa), whole_turns_from(exponent));
    let mut end = bit_length(&product);
    let mut pieces = [0.0; 4];
    let mut unit = 0.0;
    for (piece, count) in pieces.iter_mut().zip([PIECE_BITS, PIECE_BITS, PIECE_BITS, LAST_BITS]) {
        end -= count;
        unit = power_of_two(end as i32 + exponent - 192);
        *piece = bits(&product, end, count) as f64 * unit;
    }
    if f < 0.0 {
        pieces = pieces.map(|piece| -piece);
        if pieces[3] < 0.0 {
            let carry = unit * (1_u64 << LAST_BITS) as f64;
            pieces[2] -= carry;
            pieces[3] += carry;
        }
    }
    // Zeros of either sign become +0.
    pieces[3] += 0.0;
    Some(pieces)
}

/// The bit of `mantissa · 2/π · 2^192` from which on it holds whole turns of `mantissa · 2^exponent` radians.
fn whole_turns_from(exponent: i32) -> u32 {
    (194 - exponent).unsigned_abs()
}

/// The multiple of four that [`quarter_turns`] leaves out of `2f/π`: at most 20 bits.
fn whole_turns(f: f64) -> f64 {
    let (mantissa, exponent) = decompose(f.abs());
    let quarters = 4.0 * bits(&multiply(mantissa), whole_turns_from(exponent), 63) as f64;
    if f < 0.0 { -quarters } else { quarters }
}

/// `x > 0` as `mantissa · 2^exponent`.
fn decompose(x: f64) -> (u64, i32) {
    let fraction = x.to_bits() & ((1 << 52) - 1);
    match (x.to_bits() >> 52) as i32 {
        0 => (fraction, -1074),
        biased => (fraction | 1 << 52, biased - 1075),
    }
}

/// `mantissa · 2/π · 2^192` as four words, most significant first.
fn multiply(mantissa: u64) -> [u64; 4] {
    let mut words = [0; 4];
    let mut carry = 0;
    for (k, &word) in TWO_OVER_PI.iter().enumerate().rev() {
        let sum = u128::from(word) * u128::from(mantissa) + carry;
        words[k + 1] = sum as u64;
        carry = sum >> 64;
    }
    words[0] = carry as u64;
    words
}

/// What is left of the number when the bits from `end` upwards are cleared.
fn below(mut words: [u64; 4], end: u32) -> [u64; 4] {
    for (word, start) in words.iter_mut().rev().zip((0..).step_by(64)) {
        let kept = end.saturating_sub(start).min(64);
        *word &= ((1_u128 << kept) - 1) as u64;
    }
    words
}

/// How many bits the number has.
fn bit_length(words: &[u64; 4]) -> u32 {
    let zeros = words.iter().take_while(|&&word| word == 0).count();
    words.get(zeros).map_or(0, |word| 256 - 64 * zeros as u32 - word.leading_zeros())
}

/// `count` bits from bit `from` upwards.
fn bits(words: &[u64; 4], from: u32, count: u32) -> u64 {
    let word = |index: u32| words.get(3_usize.wrapping_sub(index as usize)).copied().unwrap_or(0);
    let pair = u128::from(word(from / 64 + 1)) << 64 | u128::from(word(from / 64));
    (pair >> (from % 64)) as u64 & ((1 << count) - 1)
}

/// `2^exponent`; zero below the normal numbers, where a piece is too small to matter to any f32 result.
fn power_of_two(exponent: i32) -> f64 {
    if exponent < -1022 { 0.0 } else { f64::from_bits(((exponent + 1023) as u64) << 52) }
}

#[cfg(test)]
mod tests {
    use super::{Turns, quarter_turns};

    /// The leading 53 bits must be 2f/π as f64 sees it, and each piece must keep to its width.
    #[test]
    fn pieces_add_up() {
        for f in [1.0, 0.1, 1e-4, 0.865_964_323_360_065_3, 3.0, 1e-30, 1e6, -1.0, -0.1] {
            let pieces = quarter_turns(f).unwrap();
            let sum = ((pieces[3] + pieces[2]) + pieces[1]) + pieces[0];
            let whole = f * core::f64::consts::FRAC_2_PI;
            assert!((sum - whole % 4.0).abs() <= whole.abs() * f64::EPSILON, "{f}: {sum} against {whole} modulo 4");
            assert!(pieces[3] >= 0.0, "{f}: last piece {}", pieces[3]);
            for piece in &pieces[..3] {
                assert!(piece.to_bits().trailing_zeros() >= 53 - super::PIECE_BITS, "{f}: piece {piece}");
            }
        }
    }

    /// 2/π in 40 digits is 0.6366197723675813430755350534900574481378; the remainder behind the leading 63 bits
    /// must continue it.
    #[test]
    fn pieces_continue_beyond_an_f64() {
        let [a, b, c, d] = quarter_turns(1.0).unwrap();
        let head = 5_871_781_006_564_002_452_u128; // floor(2/π · 2^63)
        assert_eq!(((a + b) * 2_f64.powi(42)) as u128 * (1 << 21) + (c * 2_f64.powi(63)) as u128, head);
        assert!(d > 0.0 && d < 2_f64.powi(-63));
    }

    #[test]
    fn refuses_what_it_cannot_reduce() {
        for f in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2.0 * Turns::MAX_FREQUENCY] {
            assert_eq!(quarter_turns(f), None);
        }
        assert_eq!(quarter_turns(-0.0), Some([0.0; 4]));
        assert!(quarter_turns(f64::MIN_POSITIVE / 4.0).is_some());
    }
}

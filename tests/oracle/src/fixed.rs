//! Unsigned fixed-point numbers with 64 integer bits and 256 fraction bits, and schoolbook long division.
//! They stand apart because they are plain integer arithmetic and know nothing of angles.

/// Limbs from the most significant down, so that the derived order is the numeric one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fixed([u64; 5]);

/// pi/2 to the nearest 2^-256.
pub(crate) const HALF_PI: Fixed = Fixed([
    0x0000_0000_0000_0001,
    0x921f_b544_42d1_8469,
    0x898c_c517_01b8_39a2,
    0x5204_9c11_14cf_98e8,
    0x0417_7d4c_7627_3645,
]);

const BITS: u32 = 320;
const FRACTION_BITS: i32 = 256;

impl Fixed {
    /// `integer * 2^exponent`, which must be representable without loss.
    pub(crate) fn scaled(integer: u128, exponent: i32) -> Self {
        let [high, low] = [(integer >> 64) as u64, integer as u64];
        let unit = Fixed([0, 0, 0, high, low]);
        match u32::try_from(exponent + FRACTION_BITS) {
            Ok(shift) if shift <= unit.leading_zeros() => unit.shifted_left(shift),
            _ => panic!("{integer} * 2^{exponent} does not fit the fixed-point range"),
        }
    }

    /// `self + other`, which must fit.
    pub(crate) fn plus(self, other: Self) -> Self {
        let mut sum = [0; 5];
        let mut carry = false;
        for i in (0..5).rev() {
            let (partial, first) = self.0[i].overflowing_add(other.0[i]);
            let (limb, second) = partial.overflowing_add(u64::from(carry));
            sum[i] = limb;
            carry = first || second;
        }
        assert!(!carry, "a fixed-point sum that does not fit");
        Fixed(sum)
    }

    /// `self - other`; `other` must not be larger.
    pub(crate) fn minus(self, other: Self) -> Self {
        let mut difference = [0; 5];
        let mut borrow = false;
        for i in (0..5).rev() {
            let (partial, first) = self.0[i].overflowing_sub(other.0[i]);
            let (limb, second) = partial.overflowing_sub(u64::from(borrow));
            difference[i] = limb;
            borrow = first || second;
        }
        assert!(!borrow, "a fixed-point difference below zero");
        Fixed(difference)
    }

    /// Quotient and remainder, one bit at a time.
    pub(crate) fn divided_by(self, divisor: Self) -> (u64, Self) {
        let mut quotient = 0;
        let mut remainder = self;
        let highest = divisor.leading_zeros().saturating_sub(self.leading_zeros());
        assert!(highest < 64, "the quotient exceeds 64 bits");
        for bit in (0..=highest).rev() {
            let part = divisor.shifted_left(bit);
            if remainder >= part {
                remainder = remainder.minus(part);
                quotient |= 1 << bit;
            }
        }
        (quotient, remainder)
    }

    /// The nearest f64, by way of the leading 64 bits.
    pub(crate) fn to_f64(self) -> f64 {
        let zeros = self.leading_zeros();
        if zeros == BITS {
            return 0.0;
        }
        self.shifted_left(zeros).0[0] as f64 * power_of_two(-(zeros as i32))
    }

    /// The 128 bits from the highest set one down, and the exponent of the last of them; the bits below are cut off.
    pub(crate) fn leading(self) -> (u128, i32) {
        let zeros = self.leading_zeros();
        let [high, low, ..] = self.shifted_left(zeros.min(BITS - 1)).0;
        (u128::from(high) << 64 | u128::from(low), BITS as i32 - 128 - FRACTION_BITS - zeros as i32)
    }

    /// The first 128 fraction bits.
    pub(crate) fn fraction(self) -> u128 {
        u128::from(self.0[1]) << 64 | u128::from(self.0[2])
    }

    fn leading_zeros(self) -> u32 {
        match self.0.iter().position(|&limb| limb != 0) {
            Some(i) => i as u32 * 64 + self.0[i].leading_zeros(),
            None => BITS,
        }
    }

    fn shifted_left(self, shift: u32) -> Self {
        let (limbs, bits) = ((shift / 64) as usize, shift % 64);
        let limb = |i: usize| self.0.get(i).copied().unwrap_or(0);
        Fixed(std::array::from_fn(|i| {
            let above = u128::from(limb(i + limbs)) << 64 | u128::from(limb(i + limbs + 1));
            (above << bits >> 64) as u64
        }))
    }
}

/// `2^exponent` for the exponents of normal f64 numbers, exactly (`powi` promises no such thing).
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certified;

    #[test]
    fn half_pi_has_every_bit() {
        assert_eq!(HALF_PI.0, certified::HALF_PI);
        assert_eq!(HALF_PI.to_f64(), std::f64::consts::FRAC_PI_2);
    }

    #[test]
    fn scaling_places_the_bits() {
        assert_eq!(Fixed::scaled(5, 0).0, [5, 0, 0, 0, 0]);
        assert_eq!(Fixed::scaled(5, -1).0, [2, 1 << 63, 0, 0, 0]);
        assert_eq!(Fixed::scaled(1, -256).0, [0, 0, 0, 0, 1]);
        assert_eq!(Fixed::scaled(1, 63).0, [1 << 63, 0, 0, 0, 0]);
        assert_eq!(Fixed::scaled(3 << 64, -65).0, [1, 1 << 63, 0, 0, 0]);
    }

    #[test]
    #[should_panic(expected = "does not fit")]
    fn scaling_refuses_to_lose_high_bits() {
        Fixed::scaled(1, 64);
    }

    #[test]
    #[should_panic(expected = "does not fit")]
    fn scaling_refuses_to_lose_low_bits() {
        Fixed::scaled(1, -257);
    }

    #[test]
    fn carries_run_through_every_limb() {
        let one = Fixed([1, 0, 0, 0, 0]);
        let unit = Fixed([0, 0, 0, 0, 1]);
        assert_eq!(one.minus(unit).plus(unit), one);
        assert_eq!(Fixed::scaled(3, -100).plus(Fixed::scaled(5, -100)), Fixed::scaled(1, -97));
    }

    #[test]
    #[should_panic(expected = "does not fit")]
    fn a_sum_past_the_integer_bits_is_refused() {
        Fixed::scaled(1, 63).plus(Fixed::scaled(1, 63));
    }

    #[test]
    fn borrows_run_through_every_limb() {
        let one = Fixed([1, 0, 0, 0, 0]);
        let unit = Fixed([0, 0, 0, 0, 1]);
        assert_eq!(one.minus(unit).0, [0, u64::MAX, u64::MAX, u64::MAX, u64::MAX]);
        assert_eq!(one.minus(one).0, [0; 5]);
    }

    #[test]
    #[should_panic(expected = "below zero")]
    fn a_negative_difference_is_refused() {
        Fixed::scaled(1, 0).minus(Fixed::scaled(2, 0));
    }

    #[test]
    fn long_division_of_whole_numbers() {
        for (dividend, divisor) in [(0, 7), (6, 7), (7, 7), (8, 7), (1 << 51, 3), (999_999, 1000)] {
            let (quotient, remainder) = Fixed::scaled(dividend, 0).divided_by(Fixed::scaled(divisor, 0));
            assert_eq!(u128::from(quotient), dividend / divisor);
            assert_eq!(remainder, Fixed::scaled(dividend % divisor, 0));
        }
    }

    #[test]
    fn leading_bits_and_fractions_are_cut_off() {
        assert_eq!(Fixed::scaled(5, 0).leading(), (5 << 125, -125));
        assert_eq!(Fixed::scaled(3, -256).leading(), (3 << 126, -382));
        assert_eq!(Fixed::scaled((1 << 127) | 1, -130).leading(), ((1 << 127) | 1, -130));
        assert_eq!(HALF_PI.leading().0 >> 64, 0xc90f_daa2_2168_c234);
        assert_eq!(Fixed::scaled(0, 0).leading().0, 0);
        assert_eq!(Fixed::scaled(11, -2).fraction(), 3 << 126);
        assert_eq!(Fixed::scaled(3, -129).fraction(), 1);
    }

    #[test]
    fn conversion_rounds_to_nearest() {
        assert_eq!(Fixed::scaled(0, 0).to_f64(), 0.0);
        assert_eq!(Fixed::scaled(3, -1).to_f64(), 1.5);
        assert_eq!(Fixed::scaled(1, -256).to_f64(), power_of_two(-256));
        assert_eq!(Fixed::scaled((1 << 54) + 1, -54).to_f64(), 1.0);
        assert_eq!(Fixed::scaled((1 << 54) + 3, -54).to_f64(), 1.0 + f64::EPSILON);
    }
}

//! Where a logarithm passes a whole number, decided in whole numbers.
//!
//! Buckets that grow with the logarithm begin at distances where a rounded logarithm may fall to either side: powers, which
//! are the common case. A comparison of whole powers cannot.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::math;

/// The least `n` for which `(n/exact)^wide`, compared with `(max/exact)^step`, is beyond.
pub(crate) fn least_beyond(
    exact: usize,
    max: usize,
    step: usize,
    wide: usize,
    is_beyond: fn(Ordering) -> bool,
) -> usize {
    /// Far more than roundings can have moved the power.
    const DOUBT: f64 = 1.0 / (1_u64 << 40) as f64;
    let near = exact as f64 * math::power(max as f64 / exact as f64, step as f64, wide as f64);
    let (low, high) = (near * (1.0 - DOUBT), near * (1.0 + DOUBT));
    // Whole numbers decide where the true value may be one.
    let mut n = low as usize;
    while (n as f64) < low || n as f64 <= high && !is_beyond(compared(n, exact, max, step, wide)) {
        n += 1;
    }
    n
}

/// `n^wide · exact^step` against `max^step · exact^wide`, in whole numbers of any size.
fn compared(n: usize, exact: usize, max: usize, step: usize, wide: usize) -> Ordering {
    let common = gcd(step, wide);
    let (step, wide) = (step / common, wide / common);
    let power = |base: usize, exponent: usize| core::iter::repeat_n(base, exponent);
    // Powers of `exact` that stand on both sides are left out.
    let left = whole_product(power(n, wide).chain(power(exact, step.saturating_sub(wide))));
    let right = whole_product(power(max, step).chain(power(exact, wide.saturating_sub(step))));
    // Digits from the lowest to the highest, without zeros at the top.
    left.len().cmp(&right.len()).then_with(|| left.iter().rev().cmp(right.iter().rev()))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The product of positive numbers below 2^32, in digits of 32 bits.
fn whole_product(factors: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut digits = alloc::vec![1_u32];
    for factor in factors {
        let mut carry = 0;
        for digit in &mut digits {
            let product = u64::from(*digit) * factor as u64 + carry;
            (*digit, carry) = (product as u32, product >> 32);
        }
        if carry > 0 {
            digits.push(carry as u32);
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_powers_are_told_from_those_beyond() {
        // (n/8)^8 against 16^k: 8·2^(k/2).
        let least = |step, is_beyond: fn(Ordering) -> bool| least_beyond(8, 128, step, 8, is_beyond);
        assert_eq!([2, 4, 6, 8].map(|step| least(step, Ordering::is_ge)), [16, 32, 64, 128]);
        assert_eq!([2, 4, 6, 8].map(|step| least(step, Ordering::is_gt)), [17, 33, 65, 129]);
        assert_eq!([1, 3, 5, 7].map(|step| least(step, Ordering::is_ge)), [12, 23, 46, 91]);
        // Steps past the largest distance.
        assert_eq!([10, 12].map(|step| least(step, Ordering::is_ge)), [256, 512]);
    }

    #[test]
    fn products_carry_over_many_digits() {
        // 10^40 in digits of 32 bits, and a 1 behind 64 zeros.
        let digits = whole_product(core::iter::repeat_n(10, 40));
        assert_eq!(digits, [0, 3_119_866_112, 1_554_300_843, 1_663_693_251, 29]);
        assert_eq!(whole_product([1 << 31, 1 << 31, 4].into_iter()), [0, 0, 1]);
        assert_eq!(whole_product(core::iter::empty()), [1]);
    }
}

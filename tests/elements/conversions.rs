//! Widening and narrowing at every level: all 16-bit patterns, and every f32 that rounding could get wrong.
//! They stand apart because a wrong conversion would otherwise show in everything, under other names.

use std::marker::PhantomData;

use half::{bf16, f16};
use posenc_kernels::{Format, Isa, Kernel, Shuffle, Vector};

use super::common::levels;
use super::kinds::{Half, assert_same};
use super::laws::case::mixed;

/// A whole number of units at every level.
const UNIT: usize = 32;

/// Elements as f32, unit after unit.
struct Widen<'a, F>(&'a [u16], PhantomData<F>);

/// f32 as elements: read as tables are, with NaN made ready, or as they stand.
struct Narrow<'a, F, const TABLE: bool>(&'a [f32], PhantomData<F>);

impl<F: Format<Store = u16, Work = f32>> Kernel for Widen<'_, F> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Vec<f32> {
        let mut wide = vec![0.0; self.0.len()];
        let units = F::Lanes::<I>::split(self.0).0.as_chunks::<2>().0;
        for (unit, to) in units.iter().zip(F::Lanes::<I>::split_mut(&mut wide).0.as_chunks_mut::<2>().0) {
            let [a, b] = F::load(isa, unit);
            let [a, b] = if F::split::<I>() { a.interleave(b) } else { [a, b] };
            a.store(&mut to[0]);
            b.store(&mut to[1]);
        }
        wide
    }
}

impl<F: Format<Store = u16, Work = f32>, const TABLE: bool> Kernel for Narrow<'_, F, TABLE> {
    type Output = Vec<u16>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Vec<u16> {
        let mut narrow = vec![0; self.0.len()];
        let even: Vec<f32> = self.0.iter().copied().step_by(2).collect();
        let odd: Vec<f32> = self.0.iter().copied().skip(1).step_by(2).collect();
        let units = F::Lanes::<I>::split(self.0).0.as_chunks::<2>().0;
        let apart = F::Lanes::<I>::split(&even).0.iter().zip(F::Lanes::<I>::split(&odd).0);
        let to = F::Lanes::<I>::split_mut(&mut narrow).0.as_chunks_mut::<2>().0;
        for ((unit, (even, odd)), to) in units.iter().zip(apart).zip(to) {
            let lanes = if TABLE {
                F::table(isa, unit)
            } else if F::split::<I>() {
                [F::Lanes::<I>::load(isa, even), F::Lanes::<I>::load(isa, odd)]
            } else {
                [F::Lanes::<I>::load(isa, &unit[0]), F::Lanes::<I>::load(isa, &unit[1])]
            };
            F::store(isa, lanes, to);
        }
        narrow
    }
}

/// The list, and its beginning over and over until its length is a whole number of units.
pub(super) fn padded<T: Copy>(list: Vec<T>) -> Vec<T> {
    let whole = list.len().next_multiple_of(UNIT);
    list.iter().copied().cycle().take(whole).collect()
}

pub(super) fn of<K: Half>(bits: Vec<u16>) -> Vec<K> {
    bits.into_iter().map(|bits| K::of_bits(bits.into())).collect()
}

pub(super) fn bits<K: Half>(x: K) -> u16 {
    x.bits() as u16
}

/// The numbers half way between neighbours, the last being half way to what would follow the largest.
pub(super) fn ties<K: Half>() -> impl Iterator<Item = f64> {
    let exact = |bits: u16| f64::from(K::of_bits(bits.into()).widened());
    let last = K::INFINITY - 1;
    let beyond = 1.5 * exact(last) - 0.5 * exact(last - 1);
    (0..last).map(move |bits| 0.5 * (exact(bits) + exact(bits + 1))).chain([beyond])
}

fn all_patterns_come_back<K: Half>() {
    let all: Vec<u16> = K::all().into_iter().map(bits).collect();
    // Narrowing to f16 makes NaN quiet. Bits of bf16 are those of f32: without arithmetic nothing changes them.
    let quiets = K::DIGITS == <f16 as Half>::DIGITS;
    let quiet_bit = 1 << (K::DIGITS - 1);
    for level in levels() {
        let wide = level.run(Widen::<K::Stored>(&all, PhantomData));
        for (&narrow, &got) in all.iter().zip(&wide) {
            let want = K::of_bits(narrow.into()).widened();
            if want.is_nan() {
                assert!(got.is_nan(), "{level}: {} {narrow:#06x} became {got:e}", K::TYPE);
                assert_eq!(got.is_sign_negative(), narrow >> 15 != 0, "{level}: {} {narrow:#06x}: sign", K::TYPE);
            } else {
                assert_eq!(got.to_bits(), want.to_bits(), "{level}: {} {narrow:#06x} became {got:e}", K::TYPE);
            }
        }
        let back = of::<K>(level.run(Narrow::<K::Stored, false>(&wide, PhantomData)));
        // NaN that were made quiet stay so; all else is as before.
        let quiet = |x: K| if x.is_nan() && quiets { K::of_bits(x.bits() | quiet_bit) } else { x };
        let want: Vec<K> = K::all().into_iter().map(quiet).collect();
        assert_same(&back, &want, format_args!("{level}: widened and narrowed"));
    }
}

#[test]
fn every_f16_widens_to_its_value_and_narrows_to_itself() {
    all_patterns_come_back::<f16>();
}

#[test]
fn every_bf16_widens_to_its_value_and_narrows_to_itself() {
    all_patterns_come_back::<bf16>();
}

/// Every tie and what lies a few f32 around it, of both signs; numbers of any bits; both ends of the range.
fn near_ties<K: Half>() -> Vec<f32> {
    let around = |x: f32| (-2..=2).filter_map(move |steps| x.to_bits().checked_add_signed(steps));
    let values = (0..=K::INFINITY).map(|bits| K::of_bits(bits.into()).widened());
    let mut list: Vec<f32> =
        ties::<K>().map(|tie| tie as f32).chain(values).flat_map(around).map(f32::from_bits).collect();
    list.extend(
        [65519.996, 65520.0, f32::MAX, f32::MIN_POSITIVE, 2_f32.powi(-25), 2_f32.powi(-127)]
            .into_iter()
            .flat_map(around)
            .map(f32::from_bits),
    );
    list.extend((0..1 << 17).map(|i| f32::from_bits(mixed(i) as u32)));
    list.retain(|x| !x.is_nan());
    list.extend(list.clone().into_iter().map(|x| -x));
    padded(list)
}

fn near_ties_round_to_even<K: Half>() {
    let list = near_ties::<K>();
    let want: Vec<K> = list.iter().map(|&x| K::rounded(x)).collect();
    for level in levels() {
        let plain = of::<K>(level.run(Narrow::<K::Stored, false>(&list, PhantomData)));
        let table = of::<K>(level.run(Narrow::<K::Stored, true>(&list, PhantomData)));
        for (i, x) in list.iter().enumerate() {
            let what = format_args!("{level}: {x:e} ({:#010x})", x.to_bits());
            assert_same(&[plain[i], table[i]], &[want[i]; 2], what);
        }
    }
}

#[test]
fn f32_near_ties_of_f16_round_to_the_nearest_and_to_even() {
    near_ties_round_to_even::<f16>();
}

#[test]
fn f32_near_ties_of_bf16_round_to_the_nearest_and_to_even() {
    near_ties_round_to_even::<bf16>();
}

/// Literals that other people's conversions got wrong, and the limits of the range, worked out by hand.
#[test]
fn known_numbers_narrow_to_known_bits() {
    let single = [
        (2_f32.powi(-127), 0x0000, 0x0040),
        (f32::from_bits(0x3f80_8000), 0x3c04, 0x3f80),
        (f32::from_bits(0x3f81_8000), 0x3c0c, 0x3f82),
        (65519.996, 0x7bff, 0x4780),
        (65520.0, 0x7c00, 0x4780),
        (-65520.0, 0xfc00, 0xc780),
        (2_f32.powi(-25), 0x0000, 0x3300),
        (f32::from_bits(0x3300_0001), 0x0001, 0x3300),
        (-0.0, 0x8000, 0x8000),
        (f32::from_bits(0x7f7f_7fff), 0x7c00, 0x7f7f),
        (f32::MAX, 0x7c00, 0x7f80),
        (f32::NEG_INFINITY, 0xfc00, 0xff80),
        (f32::from_bits(0x8000_8000), 0x8000, 0x8000),
        (f32::from_bits(0x0000_8001), 0x0000, 0x0001),
    ];
    let list = padded(single.iter().map(|case| case.0).collect());
    for level in levels() {
        let f16_bits = level.run(Narrow::<<f16 as Half>::Stored, false>(&list, PhantomData));
        let bf16_bits = level.run(Narrow::<<bf16 as Half>::Stored, false>(&list, PhantomData));
        for (i, (x, f16_want, bf16_want)) in single.into_iter().enumerate() {
            assert_eq!([f16_bits[i], bf16_bits[i]], [f16_want, bf16_want], "{level}: {x:e}");
        }
    }
}

/// NaN whose payload stands in the lowest bits alone would round to an infinity, or beyond to a zero.
#[test]
fn a_nan_of_a_table_stays_one_whatever_its_payload() {
    let payloads =
        (0..23).flat_map(|bit| [1 << bit, (1_u32 << bit) | 1, (1 << (bit + 1)) - 1, 0x007f_ffff << bit & 0x007f_ffff]);
    let positive: Vec<f32> = payloads.map(|payload| f32::from_bits(0x7f80_0000 | payload)).collect();
    let list = padded(positive.iter().copied().chain(positive.iter().map(|x| -x)).collect());
    fn stay<K: Half>(list: &[f32]) {
        for level in levels() {
            let table = of::<K>(level.run(Narrow::<K::Stored, true>(list, PhantomData)));
            for (x, got) in list.iter().zip(table) {
                let what = format_args!("{level}: {} of {:#010x} is {:#06x}", K::TYPE, x.to_bits(), got.bits());
                assert!(got.is_nan(), "{what}: a number");
                assert_eq!(got.bits() >> 15, u64::from(x.to_bits() >> 31), "{what}: another sign");
                assert_ne!(got.bits() & 1 << (K::DIGITS - 1), 0, "{what}: signalling");
            }
        }
    }
    stay::<f16>(&list);
    stay::<bf16>(&list);
}

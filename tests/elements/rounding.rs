//! One rounding from f64 to a table cell of 16 bits, at every level.
//! It stands apart because a detour through f32 is right nearly always, and ties show where it is not.

use std::marker::PhantomData;

use half::{bf16, f16};
use posenc_kernels::{Cell, Isa, Kernel, Vector};

use super::common::levels;
use super::conversions::{bits, of, padded, ties};
use super::kinds::{Half, assert_same};

/// f64 as table cells.
struct Put<'a, F>(&'a [f64], PhantomData<F>);

impl<F: Cell<Store = u16>> Kernel for Put<'_, F> {
    type Output = Vec<u16>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Vec<u16> {
        let mut cells = vec![0; self.0.len()];
        for (x, to) in I::F64::split(self.0).0.iter().zip(I::F64::split_mut(&mut cells).0) {
            F::put(isa, I::F64::load(isa, x), to);
        }
        cells
    }
}

/// The nearest element, of two the even one, found by a division that is exact.
pub(super) fn rounded_once<K: Half>(value: f64, missing: f64) -> K {
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(K::LOWEST);
    let unit = 2_f64.powi(exponent - K::DIGITS);
    let steps = value / unit;
    let whole = match missing.partial_cmp(&0.0) {
        Some(std::cmp::Ordering::Less) if steps.fract().abs() == 0.5 => steps.floor(),
        Some(std::cmp::Ordering::Greater) if steps.fract().abs() == 0.5 => steps.ceil(),
        _ => steps.round_ties_even(),
    };
    // A whole number of units is an f32, up to where all becomes infinite.
    K::rounded((whole * unit) as f32)
}

fn near_ties_are_rounded_once<K: Half>() {
    let around = |x: f64| (-1..=1).filter_map(move |steps| x.to_bits().checked_add_signed(steps)).map(f64::from_bits);
    let mut list: Vec<f64> = ties::<K>().flat_map(around).collect();
    // Less than an f32 can tell from a tie.
    list.extend(ties::<K>().flat_map(|tie| [tie * (1.0 - 2_f64.powi(-40)), tie * (1.0 + 2_f64.powi(-40))]));
    list.extend([0.0, 1.0, 2_f64.powi(-200), 2_f64.powi(-1074)]);
    list.extend(list.clone().into_iter().map(|x| -x));
    let list = padded(list);
    for level in levels() {
        let cells = of::<K>(level.run(Put::<K::Stored>(&list, PhantomData)));
        for (&x, got) in list.iter().zip(cells) {
            assert_same(&[got], &[rounded_once::<K>(x, 0.0)], format_args!("{level}: {x:e} ({:#x})", x.to_bits()));
        }
    }
}

#[test]
fn f64_near_ties_of_f16_become_cells_with_one_rounding() {
    near_ties_are_rounded_once::<f16>();
}

#[test]
fn f64_near_ties_of_bf16_become_cells_with_one_rounding() {
    near_ties_are_rounded_once::<bf16>();
}

#[test]
fn known_f64_become_known_cells() {
    let halfway = 2_f64.powi(-14) - 2_f64.powi(-25) - 2_f64.powi(-65);
    let cases = [(halfway, 0x03ff), (2_047.499_999_985_098_8, 0x67ff), (65_519.999_999, 0x7bff), (65_520.0, 0x7c00)];
    let list = padded(cases.iter().map(|case| case.0).collect());
    for level in levels() {
        let cells = level.run(Put::<<f16 as Half>::Stored>(&list, PhantomData));
        for (i, (x, want)) in cases.into_iter().enumerate() {
            assert_eq!(cells[i], want, "{level}: {x:e}");
            assert_eq!(bits(rounded_once::<f16>(x, 0.0)), want, "this test's own rounding of {x:e}");
        }
    }
}

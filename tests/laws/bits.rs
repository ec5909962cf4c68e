//! Equality to the bit, and the one exception: which of several NaN an operation hands on.
//! It stands apart because a comparison that is too mild would let every other law pass.

use std::fmt::Display;

/// Zeros, ones, subnormals, the ends of the range, infinities, quiet and signalling NaN with payloads.
pub(crate) const SPECIALS: [u32; 16] = [
    0x0000_0000,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x0000_0001,
    0x807f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0000,
    0x7fc1_2345,
    0x7f80_0001,
    0xffa0_0042,
];

/// Asserts that both are the same bits, NaN included.
///
/// # Panics
///
/// At the first element that differs.
#[track_caller]
pub(crate) fn assert_same(got: &[f32], want: &[f32], what: impl Display) {
    assert_same_where(got, want, |_| true, what);
}

/// Asserts that both are the same bits; where `strict` is false, any NaN will do for a NaN.
///
/// # Panics
///
/// At the first element that differs.
#[track_caller]
pub(crate) fn assert_same_where(got: &[f32], want: &[f32], strict: impl Fn(usize) -> bool, what: impl Display) {
    assert_eq!(got.len(), want.len(), "{what}: lengths");
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let same = got.to_bits() == want.to_bits() || !strict(i) && got.is_nan() && want.is_nan();
        assert!(same, "{what}: element {i} is {}, not {}", shown(got), shown(want));
    }
}

/// Whether the bits of a rotated pair are the same everywhere. They are, unless two NaN meet in a sum: then the order of
/// its operands decides, which the compiler may choose. An infinity times a sine of 0 is such a NaN as well.
pub(crate) fn is_determined(x: f32, y: f32) -> bool {
    (x.is_finite() || !y.is_nan()) && (y.is_finite() || !x.is_nan())
}

/// A NaN that names its place: to read it as a number and write it back would quiet it, and to move it would show.
pub(crate) fn guard(index: usize) -> f32 {
    f32::from_bits(0x7f80_0001 | (index as u32 & 0x000f_ffff) << 2)
}

/// `count` guards.
pub(crate) fn guards(count: usize) -> Vec<f32> {
    (0..count).map(guard).collect()
}

/// `inner` with guards around it: `shift` of them before, so that buffers of any alignment can be tried.
pub(crate) fn framed(inner: &[f32], shift: usize) -> Vec<f32> {
    let mut buffer = guards(inner.len() + shift + 5);
    buffer[shift..][..inner.len()].copy_from_slice(inner);
    buffer
}

/// The number and its bits.
fn shown(x: f32) -> String {
    format!("{x:e} ({:#010x})", x.to_bits())
}

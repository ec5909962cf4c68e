//! The four element types in one trait: their bits, and their conversions in plain software.
//! They stand apart so that a test is written once for all types, and trusts no conversion of the crate.

use std::any::TypeId;
use std::fmt::{Debug, Display};
use std::ops::{Add, Mul, Neg, Sub};

use half::{bf16, f16};
use posenc::{Element, Work};
use posenc_kernels::{Bf16, Cell, F16};
use posenc_oracle::lcg::golden_inputs;

use super::laws::case::mixed;

/// An element type.
pub(crate) trait Kind: Element<Work: Number> + Debug + PartialEq + 'static {
    /// The name in messages.
    const TYPE: &'static str;

    /// The bits, in the lowest places.
    fn bits(self) -> u64;
    /// The element with these lowest bits; the others are dropped.
    fn of_bits(bits: u64) -> Self;
    /// The number, exactly; NaN become quiet.
    fn widened(self) -> Self::Work;
    /// The nearest element, of two the even one.
    fn rounded(number: Self::Work) -> Self;
    /// A signalling NaN that names its place: neither reading it as a number nor moving it goes unseen.
    fn guard(place: usize) -> Self;

    fn is_nan(self) -> bool {
        let wide = self.widened();
        wide.partial_cmp(&wide).is_none()
    }
}

/// A type that is computed with.
pub(crate) trait Number:
    Work + Add<Output = Self> + Mul<Output = Self> + Neg<Output = Self> + PartialOrd + Sub<Output = Self>
{
    /// A small number of this type.
    fn of(number: f32) -> Self;
}

/// A 16-bit type.
pub(crate) trait Half: Kind<Work = f32> {
    /// The kernels' name for it.
    type Stored: Cell<Store = u16, Work = f32>;

    /// Digits after the leading one.
    const DIGITS: i32;
    /// The exponent of the smallest normal number.
    const LOWEST: i32;
    /// The bits of infinity, above which the NaN are.
    const INFINITY: u16;

    /// All 65 536 of them.
    fn all() -> Vec<Self> {
        (0..1 << 16).map(Self::of_bits).collect()
    }
}

macro_rules! kind {
    ($type:ident, $bits:ty, |$x:ident| $widen:expr, |$number:ident| $round:expr, |$place:ident| $guard:expr) => {
        impl Kind for $type {
            const TYPE: &'static str = stringify!($type);

            fn bits(self) -> u64 {
                self.to_bits().into()
            }

            fn of_bits(bits: u64) -> Self {
                Self::from_bits(bits as $bits)
            }

            fn widened(self) -> Self::Work {
                let $x = self;
                $widen
            }

            fn rounded($number: Self::Work) -> Self {
                $round
            }

            fn guard(place: usize) -> Self {
                let $place = place as $bits;
                Self::from_bits($guard)
            }
        }
    };
}

kind!(f32, u32, |x| x, |x| x, |i| 0x7f80_0001 | (i & 0x000f_ffff) << 2);
kind!(f64, u64, |x| x, |x| x, |i| 0x7ff0_0000_0000_0001 | (i & 0xffff_ffff) << 2);
kind!(f16, u16, |x| x.to_f32_const(), |x| Self::from_f32_const(x), |i| 0x7c01 + i % 0x1fe);
kind!(bf16, u16, |x| x.to_f32_const(), |x| Self::from_f32_const(x), |i| 0x7f81 + i % 0x3e);

impl Number for f32 {
    fn of(number: f32) -> Self {
        number
    }
}

impl Number for f64 {
    fn of(number: f32) -> Self {
        // Digits that an f32 does not have, so that a detour through one shows.
        f64::from(number) * 1.000_000_000_123
    }
}

impl Half for f16 {
    type Stored = F16;

    const DIGITS: i32 = 10;
    const LOWEST: i32 = -14;
    const INFINITY: u16 = 0x7c00;
}

impl Half for bf16 {
    type Stored = Bf16;

    const DIGITS: i32 = 7;
    const LOWEST: i32 = -126;
    const INFINITY: u16 = 0x7f80;
}

/// What a feature that does not turn becomes: the same bits in the same type, and rounded in another.
pub(crate) fn carried<S: Kind, D: Kind<Work = S::Work>>(x: S) -> D {
    if TypeId::of::<S>() == TypeId::of::<D>() { D::of_bits(x.bits()) } else { D::rounded(x.widened()) }
}

/// A pair, turned: widened, multiplied and added apart, rounded once.
pub(crate) fn turned<S: Kind, D: Kind<Work = S::Work>>([x, y]: [S; 2], [c, s]: [S::Work; 2]) -> [D; 2] {
    let (x, y) = (x.widened(), y.widened());
    [D::rounded(x * c - y * s), D::rounded(y * c + x * s)]
}

/// Numbers, and one in eight of any bits: infinities, subnormals, NaN.
pub(crate) fn elements<K: Kind>(count: usize, seed: u64) -> Vec<K> {
    let numbers = golden_inputs(seed, count);
    let element = |(i, x): (usize, f32)| match mixed(seed << 32 | i as u64) {
        bits if bits % 8 == 0 => K::of_bits(bits.rotate_left(32)),
        _ => K::rounded(<K::Work as Number>::of(x)),
    };
    numbers.into_iter().enumerate().map(element).collect()
}

/// `count` guards.
pub(crate) fn guards<K: Kind>(count: usize) -> Vec<K> {
    (0..count).map(K::guard).collect()
}

/// Asserts that both are the same bits; where `loose`, any NaN will do for a NaN.
///
/// # Panics
///
/// At the first element that differs.
#[track_caller]
pub(crate) fn assert_alike<K: Kind>(got: &[K], want: &[K], loose: impl Fn(usize) -> bool, what: impl Display) {
    assert_eq!(got.len(), want.len(), "{what}: lengths");
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let same = got.bits() == want.bits() || loose(i) && got.is_nan() && want.is_nan();
        let (name, bits) = (K::TYPE, [got.bits(), want.bits()]);
        assert!(same, "{what}: {name} {i} is {got:?} ({:#x}), not {want:?} ({:#x})", bits[0], bits[1]);
    }
}

/// [`assert_alike`] without an exception.
#[track_caller]
pub(crate) fn assert_same<K: Kind>(got: &[K], want: &[K], what: impl Display) {
    assert_alike(got, want, |_| false, what);
}

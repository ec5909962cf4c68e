//! The element types in one trait, with conversions in plain software, and what the tests of this crate draw and compare.
//! They stand apart so that a test is written once for all types, and trusts no conversion of the crate.

use std::fmt::{Debug, Display};
use std::ops::{Add, Mul};

use half::{bf16, f16};
use posenc::{AddTarget, Element, Work};
use posenc_oracle::lcg::golden_inputs;
use proptest::prelude::*;

/// An element type that rows of its own type and of the type that is computed with can be added to.
pub(crate) trait Kind:
    Element<Work: Number> + AddTarget<Self> + AddTarget<<Self as Element>::Work> + Debug
{
    /// The bits, in the lowest places.
    fn bits(self) -> u64;
    /// The number, exactly.
    fn wide(self) -> Self::Work;
    /// The nearest element, of two the even one.
    fn nearest(number: Self::Work) -> Self;
}

/// A type that is computed with.
pub(crate) trait Number: Work + Debug + Add<Output = Self> + Mul<Output = Self> + PartialEq + Into<f64> {
    /// The nearest number.
    fn of(number: f64) -> Self;
}

macro_rules! kind {
    ($type:ident, |$x:ident| $wide:expr, |$number:ident| $nearest:expr) => {
        impl Kind for $type {
            fn bits(self) -> u64 {
                self.to_bits().into()
            }

            fn wide(self) -> Self::Work {
                let $x = self;
                $wide
            }

            fn nearest($number: Self::Work) -> Self {
                $nearest
            }
        }
    };
}

kind!(f32, |x| x, |x| x);
kind!(f64, |x| x, |x| x);
kind!(f16, |x| x.to_f32_const(), |x| Self::from_f32_const(x));
kind!(bf16, |x| x.to_f32_const(), |x| Self::from_f32_const(x));

impl Number for f32 {
    fn of(number: f64) -> Self {
        number as f32
    }
}

impl Number for f64 {
    fn of(number: f64) -> Self {
        number
    }
}

/// Runs a generic function for every element type.
macro_rules! for_every_kind {
    ($run:ident($($argument:expr),*)) => {{
        $run::<f32>($($argument),*);
        $run::<f64>($($argument),*);
        $run::<half::f16>($($argument),*);
        $run::<half::bf16>($($argument),*);
    }};
}
pub(crate) use for_every_kind;

/// Numbers in [−1, 1).
pub(crate) fn numbers<K: Kind>(seed: u64, count: usize) -> Vec<K> {
    golden_inputs(seed, count).into_iter().map(|x| K::nearest(K::Work::of(f64::from(x) * 0.999_999_9))).collect()
}

/// Asserts that both are the same bits.
#[track_caller]
pub(crate) fn assert_same<K: Kind>(got: &[K], want: &[K], what: impl Display) {
    assert_eq!(got.len(), want.len(), "{what}: lengths");
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        assert!(got.bits() == want.bits(), "{what}: element {i} is {got:?} ({:#x}), not {want:?}", got.bits());
    }
}

/// More threads than the machine may have, so that pieces do change hands.
#[cfg(feature = "rayon")]
pub(crate) fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("a pool").install(work)
}

/// `x · y`, summed in f64.
pub(crate) fn dot<K: Kind>(x: &[K], y: &[K]) -> f64 {
    x.iter().zip(y).map(|(x, y)| Into::<f64>::into(x.wide()) * Into::<f64>::into(y.wide())).sum()
}

/// Scales that are met, and some that are awkward.
pub(crate) fn scales() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), Just(0.0), Just(32.0), Just(768.0_f64.sqrt()), -3.0..3.0_f64]
}

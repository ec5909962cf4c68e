//! Element types that tests can look into.

#[cfg(feature = "half")]
use half::{bf16, f16};
use posenc::Element;

/// An element that is made of an f32 and compared by its bits.
pub(crate) trait Stored: Element + std::fmt::Debug {
    /// The nearest to an f32.
    fn of(x: f32) -> Self;

    /// The nearest to an f64 that is the sum of two numbers of the type that is computed with.
    fn nearest(x: f64) -> Self;

    /// The sum with a number of f32 in the type that is computed with, rounded once.
    fn plus(self, bias: f32) -> Self;

    /// Its value.
    fn value(self) -> f64;

    /// Its bits.
    fn bits(self) -> u64;
}

impl Stored for f32 {
    fn of(x: f32) -> Self {
        x
    }

    fn nearest(x: f64) -> Self {
        x as f32
    }

    fn plus(self, bias: f32) -> Self {
        self + bias
    }

    fn value(self) -> f64 {
        self.into()
    }

    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Stored for f64 {
    fn of(x: f32) -> Self {
        // Digits that no f32 has.
        f64::from(x) / 3.0
    }

    fn nearest(x: f64) -> Self {
        x
    }

    fn plus(self, bias: f32) -> Self {
        self + f64::from(bias)
    }

    fn value(self) -> f64 {
        self
    }

    fn bits(self) -> u64 {
        self.to_bits()
    }
}

#[cfg(feature = "half")]
macro_rules! sixteen_bits {
    ($type:ident) => {
        impl Stored for $type {
            fn of(x: f32) -> Self {
                $type::from_f32(x)
            }

            fn nearest(x: f64) -> Self {
                // First the sum in f32, then the element, as it is computed.
                $type::from_f32(x as f32)
            }

            fn plus(self, bias: f32) -> Self {
                $type::from_f32(self.to_f32() + bias)
            }

            fn value(self) -> f64 {
                self.to_f64()
            }

            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    };
}

#[cfg(feature = "half")]
sixteen_bits!(f16);
#[cfg(feature = "half")]
sixteen_bits!(bf16);

/// Elements made of random numbers.
pub(crate) fn elements<T: Stored>(seed: u64, count: usize) -> Vec<T> {
    crate::random(seed, count).into_iter().map(T::of).collect()
}

#[track_caller]
pub(crate) fn assert_same<T: Stored>(got: &[T], want: &[T], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}: lengths");
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert_eq!(got.bits(), want.bits(), "{what}: element {i} is {got:?}, not {want:?}");
    }
}

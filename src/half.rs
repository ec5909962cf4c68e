//! The 16-bit types: the one file that knows the `half` crate.

use core::mem::MaybeUninit;

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use posenc_kernels::{Bf16, F16, Same, Wide};

use crate::element::{Element, Target, sealed};

/// The f32 next to a number; of two, the one whose last digit is odd, so that a second rounding, to fewer digits, is that
/// of the number itself.
fn single_to_odd(number: f64) -> f32 {
    let near = number as f32;
    let is_exact = f64::from(near) == number || near.is_nan();
    match near.to_bits() {
        bits if is_exact || bits % 2 == 1 => near,
        bits if f64::from(near).abs() < number.abs() => f32::from_bits(bits + 1),
        bits => f32::from_bits(bits - 1),
    }
}

macro_rules! half {
    ($type:ident, $format:ident) => {
        impl sealed::Sealed for $type {}

        impl Element for $type {
            type Work = f32;
            type Format = $format;

            const NAME: &'static str = stringify!($type);

            fn raw(slice: &[Self]) -> &[u16] {
                slice.reinterpret_cast()
            }

            fn raw_mut(slice: &mut [Self]) -> &mut [u16] {
                slice.reinterpret_cast_mut()
            }

            fn to_double(self) -> f64 {
                self.to_f64_const()
            }

            fn from_double(number: f64) -> Self {
                Self::from_f32_const(single_to_odd(number))
            }
        }

        half!(target $type, $type, u16, $format, Same, |slice| slice.reinterpret_cast_mut());
        half!(target $type, f32, u16, $format, Wide, |slice| slice.reinterpret_cast_mut());
        half!(target MaybeUninit<$type>, $type, Self, $format, Same, |slice| slice);
        half!(target MaybeUninit<$type>, f32, Self, $format, Wide, |slice| slice);
    };
    (target $target:ty, $from:ty, $slot:ty, $format:ident, $source:ident, |$slice:ident| $slots:expr) => {
        impl Target<$from> for $target {
            type Format = $format;
            type Source = $source;
            type Slot = $slot;

            fn slots($slice: &mut [Self]) -> &mut [$slot] {
                $slots
            }
        }
    };
}

half!(f16, F16);
half!(bf16, Bf16);

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use crate::Element;

    /// Next to the middle of two f16, where a detour through f32 lands on it: as a tie told in VoidStarKat/half-rs #116.
    #[test]
    fn numbers_are_rounded_once() {
        let power = |exponent: i32| 2.0_f64.powi(exponent);
        assert_eq!(f16::from_double(power(-14) - power(-25) - power(-65)).to_bits(), 0x03FF);
        assert_eq!(f16::from_double(2_047.499_999_985_098_8).to_bits(), 0x67FF);
        assert_eq!(f16::from_double(power(-25) + power(-77)).to_bits(), 1);
        assert_eq!(f16::from_double(-power(-25)).to_bits(), 0x8000);
        assert_eq!(bf16::from_double(1.0 + power(-8) + power(-52)).to_bits(), 0x3F81);
        assert_eq!(bf16::from_double(1.0 + power(-8) - power(-52)).to_bits(), 0x3F80);
        assert_eq!(bf16::from_double(1.0 + 3.0 * power(-8) - power(-52)).to_bits(), 0x3F81);
        assert_eq!(bf16::from_double(f64::MAX), bf16::INFINITY);
        assert_eq!(bf16::from_double(f64::NEG_INFINITY), bf16::NEG_INFINITY);
        assert!(f16::from_double(f64::NAN).is_nan());
        for bits in 0..=u16::MAX {
            let (half, brain) = (f16::from_bits(bits), bf16::from_bits(bits));
            assert!(f16::from_double(half.to_double()).to_bits() == bits || half.is_nan());
            assert!(bf16::from_double(brain.to_double()).to_bits() == bits || brain.is_nan());
        }
    }
}

//! The 16-bit types: the one file that knows the `half` crate.

use core::mem::MaybeUninit;

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use posenc_kernels::{Bf16, F16, Same, Wide};

use crate::element::{Element, Target, sealed};

macro_rules! half {
    ($type:ident, $format:ident) => {
        impl sealed::Sealed for $type {}

        impl Element for $type {
            type Work = f32;
            type Format = $format;

            const NAME: &'static str = stringify!($type);

            fn work(self) -> f32 {
                self.to_f32()
            }

            fn raw(slice: &[Self]) -> &[u16] {
                slice.reinterpret_cast()
            }

            fn raw_mut(slice: &mut [Self]) -> &mut [u16] {
                slice.reinterpret_cast_mut()
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

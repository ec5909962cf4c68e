//! The types of the `half` crate as places to write 16 bits to.

use core::mem::MaybeUninit;

use half::{bf16, f16};

use crate::memory::Slot;
use crate::vector::Vector;

macro_rules! slots {
    ($($type:ty),+) => {$(
        impl Slot<u16> for MaybeUninit<$type> {
            #[inline(always)]
            fn wrap<V: Vector>(values: V::Array<u16>) -> V::Array<Self> {
                V::map(values, |bits| MaybeUninit::new(<$type>::from_bits(bits)))
            }

            #[inline(always)]
            fn wrap_one(value: u16) -> Self {
                MaybeUninit::new(<$type>::from_bits(value))
            }
        }
    )+};
}

slots!(f16, bf16);

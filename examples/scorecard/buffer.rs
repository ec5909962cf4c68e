//! Random numbers at an address that is a multiple of a cache line, as tensors have it.
//!
//! A plain vector begins 16 bytes behind such an address, and then every 64-byte access touches two lines.

use std::ops::{Deref, DerefMut};

use posenc::Element;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Different numbers in a buffer; they repeat behind each other, since making them all would take longer than measuring.
const PERIOD: usize = 1 << 16;

/// An element that can be made from a number.
pub(crate) trait Number: Element + 'static {
    /// Rounded, where the type is narrower.
    fn new(value: f32) -> Self;
}

macro_rules! number {
    ($type:ty, $new:expr) => {
        impl Number for $type {
            fn new(value: f32) -> Self {
                $new(value)
            }
        }
    };
}

number!(f32, f32::from);
number!(f64, f64::from);
#[cfg(feature = "half")]
number!(half::f16, half::f16::from_f32);
#[cfg(feature = "half")]
number!(half::bf16, half::bf16::from_f32);

/// Numbers between −1 and 1; dereferences to their slice.
pub(crate) struct Buffer<T> {
    data: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Number> Buffer<T> {
    /// `len` numbers, always the same ones.
    pub(crate) fn random(len: usize) -> Self {
        let mut data = vec![T::default(); len + LINE / size_of::<T>()];
        let start = data.as_ptr().align_offset(LINE);
        let numbers = &mut data[start..start + len];
        let mut state = 1_u64;
        for value in numbers.iter_mut().take(PERIOD) {
            // The multiplier of Knuth's MMIX generator; its upper bits are random enough.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *value = T::new((state >> 40) as f32 / (1 << 23) as f32 - 1.0);
        }
        for at in (PERIOD..len).step_by(PERIOD) {
            numbers.copy_within(..PERIOD.min(len - at), at);
        }
        Self { data, start, len }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.data[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.data[self.start..self.start + self.len]
    }
}

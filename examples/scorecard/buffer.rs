//! Random numbers at an address that is a multiple of a cache line, as tensors have it.
//!
//! A plain vector begins 16 bytes behind such an address, and then every 64-byte access touches two lines.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;

/// Numbers between −1 and 1; dereferences to their slice.
pub(crate) struct Buffer {
    data: Vec<f32>,
    start: usize,
    len: usize,
}

impl Buffer {
    /// `len` numbers, always the same ones.
    pub(crate) fn random(len: usize) -> Self {
        let mut data = vec![0.0; len + LINE / size_of::<f32>()];
        let start = data.as_ptr().align_offset(LINE);
        let mut state = 1_u64;
        for value in &mut data[start..start + len] {
            // The multiplier of Knuth's MMIX generator; its upper bits are random enough.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *value = (state >> 40) as f32 / (1 << 23) as f32 - 1.0;
        }
        Self { data, start, len }
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.data[self.start..self.start + self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.data[self.start..self.start + self.len]
    }
}

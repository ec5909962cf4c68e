//! Reads the numbers of a case off the front of a fuzzer's bytes; where they end, zeros follow.
//! It stands apart so that both targets decode alike: one byte a choice, so that a mutation changes one thing.

/// What is left of the input.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// A number from 0 to `most`, which is below 256.
    pub(crate) fn up_to(&mut self, most: u8) -> usize {
        usize::from(self.byte()) % (usize::from(most) + 1)
    }

    /// Four bytes.
    pub(crate) fn word(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }
}

//! Rows of any kind: made a block at a time, then written or added.

use alloc::vec;

use posenc_kernels::{GatherSum, Level, Lookup};

use crate::Element;
use crate::element::{AddTarget, Work};
use crate::error::{Error, Result};
use crate::tables::BLOCK;

/// The largest factor, in size: still a number in f32, whatever is computed with.
const MAX_FACTOR: f64 = 1e38;

/// Whether a factor is one that sums are defined for.
pub(crate) fn check_factor(what: &'static str, factor: f64) -> Result<f64> {
    let expected = "a number up to 1e38 in size";
    if factor.abs() <= MAX_FACTOR { Ok(factor) } else { Err(Error::Number { what, expected, found: factor }) }
}

/// A factor in the type that is computed with.
pub(crate) fn factor<W: Work>(factor: f64) -> W {
    W::from_double(factor)
}

/// Rows of one width, each made from its number alone, in elements of type `S`.
pub(crate) trait RowSource<S>: Sync {
    /// How many values a row has.
    fn width(&self) -> usize;

    /// Writes the rows from `first` on over whole rows.
    fn fill(&self, first: usize, rows: &mut [S]);
}

/// Adds rows to `x`, which is multiplied by `scale` first.
pub(crate) fn add<S: Element, T: AddTarget<S>>(
    source: &impl RowSource<S>,
    level: Level,
    scale: f64,
    first: usize,
    x: &mut [T],
) {
    let width = source.width();
    if x.is_empty() || width == 0 {
        return;
    }
    let mut block = vec![S::default(); BLOCK.min(x.len() / width) * width];
    let index: [usize; BLOCK] = core::array::from_fn(|i| i);
    for (number, rows) in x.chunks_mut(BLOCK * width).enumerate() {
        let block = &mut block[..rows.len()];
        source.fill(first + number * BLOCK, block);
        let lookup = Lookup::<T::Format, T::Rows> { table: S::raw(block), index: &index, factor: factor(1.0) };
        level.run(GatherSum { rows: T::raw_mut(rows), width, scale: Some(factor(scale)), tables: [lookup] });
    }
}

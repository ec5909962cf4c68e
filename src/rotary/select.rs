//! Rows that are filled a few tokens at a time: worked out, or put together from the rows of a table that the axes of a
//! position name.

use alloc::sync::Arc;
use core::ops::Range;

use super::Rotary;
use crate::error::{Error, Result};
use crate::positions::{MAX_AXES, Resolved};
use crate::{Axes, TableBuilder, Tables, Work};

/// Where rows come from.
pub(super) enum Source<'a, W> {
    Builder(&'a TableBuilder),
    Tables(&'a Tables<W>, &'a Axes),
}

impl<W: Work> Source<'_, W> {
    /// Fills one row for each of a sequence's `tokens`.
    pub(super) fn fill(
        &self,
        positions: Resolved<'_>,
        sequence: usize,
        tokens: Range<usize>,
        cos: &mut [W],
        sin: &mut [W],
    ) {
        let (tables, axes, count) = match self {
            Self::Builder(builder) => return builder.rows(positions, sequence, tokens, cos, sin),
            Self::Tables(tables, axes) => (tables, axes.as_slice(), axes.count()),
        };
        let pairs = axes.len().max(1);
        let (table_cos, table_sin) = (tables.cos(), tables.sin());
        for (token, (cos, sin)) in tokens.zip(cos.chunks_mut(pairs).zip(sin.chunks_mut(pairs))) {
            // Where the row of each axis begins.
            let mut rows = [0; MAX_AXES];
            for (axis, row) in rows[..count].iter_mut().enumerate() {
                *row = positions.coordinate(axis, sequence, token) as usize * pairs;
            }
            for (pair, ((cos, sin), &axis)) in cos.iter_mut().zip(sin).zip(axes).enumerate() {
                let cell = rows[axis] + pair;
                (*cos, *sin) = (table_cos[cell], table_sin[cell]);
            }
        }
    }
}

impl Rotary {
    /// Where rows come from that are not read from a table as they stand.
    pub(super) fn source<W: Work>(&self) -> Option<Source<'_, W>> {
        match (W::tables(&self.tables), &self.selection, &self.builder) {
            (Some(tables), Some(axes), _) => Some(Source::Tables(tables, axes)),
            (_, _, builder) => builder.as_deref().map(Source::Builder),
        }
    }

    /// The same encoding for positions with several axes. Where there are tables, each pair reads the row of its axis.
    ///
    /// ```
    /// use posenc::{Axes, HeadsMut, Pairing, Positions, Rotary, Tables};
    ///
    /// // Tables that were brought along, as ONNX's MRotaryEmbedding has them: rows and columns of an image.
    /// let tables = Tables::new(vec![1.0_f32, 1.0, 0.0, 0.0], vec![0.0, 0.0, 1.0, 1.0], 2)?;
    /// let rope = Rotary::from_tables(tables, Pairing::Interleaved).on_axes(Axes::sectioned(&[1, 1])?)?;
    /// let mut q = [1.0_f32, 2.0, 3.0, 4.0];
    /// rope.rotate(&mut HeadsMut::new(&mut q, [1, 1, 4])?, &Positions::axes(&[0, 1], 2))?;
    /// assert_eq!(q, [1.0, 2.0, -4.0, 3.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there is an axis for each pair.
    pub fn on_axes(self, axes: Axes) -> Result<Self> {
        let builder = match &self.builder {
            Some(builder) => Some(Arc::new(builder.on_axes(axes.clone())?)),
            None if axes.as_slice().len() == self.pairs => None,
            None => {
                let found = axes.as_slice().len();
                return Err(Error::Length { what: "axes of the pairs", expected: self.pairs, found });
            }
        };
        Ok(Self { builder, axes: axes.count(), selection: Some(Arc::new(axes)), ..self })
    }
}

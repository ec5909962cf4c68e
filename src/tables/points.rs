//! Rows for positions with several coordinates, or with fractions. They stand apart because whole numbers on one axis,
//! which is what most calls have, take a shorter way.

use core::ops::Range;

use posenc_kernels::{Point, Reading, Rows, Selected, Terms, Terms32};

use super::TableBuilder;
use crate::error::Result;
use crate::positions::{MAX_AXES, Resolved};
use crate::{Axes, Element};

/// Positions whose rows are made in one go: few, since each has many coordinates, and one alone must not pay for all.
const POINTS: usize = 8;

impl TableBuilder {
    /// The same builder, reading other positions.
    pub(crate) fn on_axes(&self, axes: Axes) -> Result<Self> {
        let frequencies = self.frequencies.clone().on_axes(axes)?;
        let weights = frequencies.reads().weights(frequencies.pairs());
        Ok(Self { frequencies, weights, ..self.clone() })
    }

    /// Fills one row for each of a sequence's `tokens`; sizes were checked.
    pub(super) fn point_rows<T: Element>(
        &self,
        positions: Resolved<'_>,
        sequence: usize,
        tokens: Range<usize>,
        cos: &mut [T],
        sin: &mut [T],
    ) {
        let (axes, pairs) = (self.frequencies.axes(), self.pairs());
        if pairs == 0 {
            return;
        }
        let mut block = [[0.0; MAX_AXES]; POINTS];
        let cells = POINTS * pairs;
        let rows = cos.chunks_mut(cells).zip(sin.chunks_mut(cells));
        for (first, (cos, sin)) in tokens.clone().step_by(POINTS).zip(rows) {
            let points = &mut block[..POINTS.min(tokens.end - first)];
            for (i, point) in points.iter_mut().enumerate() {
                for (axis, coordinate) in point[..axes].iter_mut().enumerate() {
                    *coordinate = positions.coordinate(axis, sequence, first + i);
                }
            }
            let cells = points.len() * pairs;
            self.points(points, &mut cos[..cells], &mut sin[..cells]);
        }
    }

    /// Fills one row for each point, which it may round.
    fn points<T: Element>(&self, points: &mut [Point], cos: &mut [T], sin: &mut [T]) {
        let Self { frequencies, weights, level, .. } = self;
        let (pairs, magnitude) = (self.pairs(), frequencies.magnitude());
        let reading = Reading { axes: frequencies.axes(), pairs, weights };
        let (mut cos, mut sin) = (T::raw_mut(cos), T::raw_mut(sin));
        if let Some(single) = &self.single {
            points.as_flattened_mut().iter_mut().for_each(|p| *p = f64::from(*p as f32));
            let angles = Terms32 { frequencies: single, reading, magnitude: magnitude as f32 };
            return level.run(Rows::<_, T::Format> { angles, positions: points, cos, sin });
        }
        let turns = frequencies.turns();
        for positions in points.chunk_by(|a, b| are_whole(a) == are_whole(b)) {
            let cells = positions.len() * pairs;
            let ((these_cos, rest_cos), (these_sin, rest_sin)) = (cos.split_at_mut(cells), sin.split_at_mut(cells));
            if frequencies.reads().terms() == 1 && are_whole(&positions[0]) {
                let angles = Selected { turns, reading, magnitude };
                level.run(Rows::<_, T::Format> { angles, positions, cos: these_cos, sin: these_sin });
            } else {
                let angles = Terms { turns, reading, magnitude };
                level.run(Rows::<_, T::Format> { angles, positions, cos: these_cos, sin: these_sin });
            }
            (cos, sin) = (rest_cos, rest_sin);
        }
    }
}

/// Whether all coordinates are whole numbers; they are small enough for an `i64`.
fn are_whole(point: &Point) -> bool {
    point.iter().all(|&coordinate| coordinate as i64 as f64 == coordinate)
}

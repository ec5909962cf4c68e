//! Functions of the distance that are constant between steps: buckets.

use alloc::vec::Vec;
use core::ops::Range;

/// A column for every distance, as runs of distances that share one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// The first distance of each run, growing; the first one of all is the smallest number there is.
    starts: Vec<i64>,
    columns: Vec<usize>,
}

impl Steps {
    /// From runs in order; the first begins wherever distances begin.
    pub(crate) fn new(runs: impl Iterator<Item = (i64, usize)>) -> Self {
        let (mut starts, mut columns) = (Vec::new(), Vec::new());
        for (start, column) in runs {
            if starts.last() == Some(&start) {
                // No distance is left for the run before.
                columns.pop();
                columns.push(column);
            } else {
                starts.push(if starts.is_empty() { i64::MIN } else { start });
                columns.push(column);
            }
        }
        Self { starts, columns }
    }

    /// How far from 0, on either side, columns still change.
    pub(crate) fn reach(&self) -> i64 {
        match self.starts.as_slice() {
            [_, second, ..] => second.saturating_sub(1).saturating_abs().max(self.starts[self.starts.len() - 1]),
            _ => 0,
        }
    }

    /// The number of the run that a distance is in.
    fn run(&self, distance: i64) -> usize {
        self.starts.partition_point(|&start| start <= distance) - 1
    }

    /// The column of a distance.
    pub(crate) fn column(&self, distance: i64) -> usize {
        self.columns[self.run(distance)]
    }

    /// The columns of `first`, `first + 1`, … as stretches of `0 .. len`.
    pub(crate) fn stretches(&self, first: i64, len: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
        let (mut at, mut run) = (0, self.run(first));
        core::iter::from_fn(move || {
            if at >= len {
                return None;
            }
            let next = self.starts.get(run + 1).map_or(u64::MAX, |&start| start.wrapping_sub(first) as u64);
            let end = if next < len as u64 { next as usize } else { len };
            let stretch = (at..end, self.columns[run]);
            (at, run) = (end, run + 1);
            Some(stretch)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Steps;

    #[test]
    fn stretches_are_the_columns_one_by_one() {
        let steps = Steps::new([(0, 4), (-2, 1), (0, 3), (0, 0), (5, 7)].into_iter());
        assert_eq!([i64::MIN, -3, -2, 0, 4, 5, i64::MAX].map(|d| steps.column(d)), [4, 4, 1, 0, 0, 7, 7]);
        assert_eq!(steps.reach(), 5);
        assert_eq!(Steps::new([(0, 1), (-6, 2), (-3, 1)].into_iter()).reach(), 7);
        assert_eq!(Steps::new([(3, 1)].into_iter()).reach(), 0);
        for first in [i64::MIN, -10, -2, 0, 4, 5, i64::MAX - 30] {
            for len in 0..30 {
                let mut seen = alloc::vec::Vec::new();
                for (range, column) in steps.stretches(first, len) {
                    assert_eq!(range.start, seen.len());
                    seen.resize(range.end, column);
                }
                assert!(seen.iter().zip(first..).all(|(&column, distance)| column == steps.column(distance)));
                assert_eq!(seen.len(), len);
            }
        }
    }
}

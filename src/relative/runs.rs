//! The columns along the diagonals, as runs that are copied in one go.

use alloc::vec::Vec;

use super::DistanceIndex;

/// How columns go on within a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// No key has a column.
    Nothing,
    /// All keys have the same.
    Constant,
    /// Each key has the column after that of the key before.
    Rising,
    /// Each key has the column before that of the key before.
    Falling,
}

/// Diagonals that follow one another in one way; the run ends where the next one starts.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: usize,
    column: usize,
    way: Way,
}

/// The columns of a stretch of distances.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    runs: Vec<Run>,
    len: usize,
}

impl Runs {
    /// The columns of `first`, `first + 1`, ….
    pub(super) fn new(index: &impl DistanceIndex, first: i64, len: usize) -> Self {
        // A column that is not there is not read, whatever an index says.
        let column = |k: usize| index.column(first + k as i64).filter(|&column| column < index.columns());
        let (mut runs, mut k) = (Vec::new(), 0);
        let mut now = (len > 0).then(|| column(0)).flatten();
        while k < len {
            let start = k;
            let from = now;
            let mut way = None;
            loop {
                k += 1;
                let next = if k < len { column(k) } else { None };
                let step = match (now, next) {
                    _ if k == len => None,
                    (None, None) => Some(Way::Nothing),
                    (Some(a), Some(b)) if a == b => Some(Way::Constant),
                    (Some(a), Some(b)) if a.checked_add(1) == Some(b) => Some(Way::Rising),
                    (Some(a), Some(b)) if b.checked_add(1) == Some(a) => Some(Way::Falling),
                    _ => None,
                };
                now = next;
                if step.is_none() || way.is_some() && way != step {
                    break;
                }
                way = step;
            }
            let alone = if from.is_some() { Way::Constant } else { Way::Nothing };
            runs.push(Run { start, column: from.unwrap_or(0), way: way.unwrap_or(alone) });
        }
        Self { runs, len }
    }

    /// The columns of a window as parts: where each begins, how long it is, its first column and its way.
    fn parts(&self, start: usize, len: usize) -> impl Iterator<Item = (usize, usize, usize, Way)> {
        let mut run = self.runs.partition_point(|run| run.start <= start).saturating_sub(1);
        let (mut at, stop) = (start, start + len);
        core::iter::from_fn(move || {
            if at >= stop {
                return None;
            }
            let Run { start: begin, column, way } = self.runs[run];
            let end = self.runs.get(run + 1).map_or(self.len, |next| next.start).min(stop);
            let column = match way {
                Way::Nothing | Way::Constant => column,
                Way::Rising => column + (at - begin),
                Way::Falling => column - (at - begin),
            };
            let part = (at - start, end - at, column, way);
            (at, run) = (end, run + 1);
            Some(part)
        })
    }

    /// The values of a window, if they stand one behind the other in a line already.
    pub(super) fn direct<'a, W>(&self, start: usize, len: usize, line: &'a [W]) -> Option<&'a [W]> {
        let (_, whole, column, way) = self.parts(start, len).next()?;
        (whole == len && (way == Way::Rising || way == Way::Constant && len == 1)).then(|| &line[column..column + len])
    }

    /// Takes the values of a window from a line of columns; `nothing` where there is none.
    pub(super) fn take<W: Copy>(&self, start: usize, line: &[W], nothing: W, out: &mut [W]) {
        for (at, len, column, way) in self.parts(start, out.len()) {
            let out = &mut out[at..at + len];
            match way {
                Way::Nothing => out.fill(nothing),
                Way::Constant => out.fill(line[column]),
                Way::Rising => out.copy_from_slice(&line[column..column + len]),
                Way::Falling => {
                    let line = &line[column + 1 - len..=column];
                    out.iter_mut().zip(line.iter().rev()).for_each(|(out, &x)| *out = x);
                }
            }
        }
    }

    /// The column of each diagonal of a window.
    pub(super) fn columns(&self, start: usize, len: usize) -> impl Iterator<Item = Option<usize>> {
        self.parts(start, len).flat_map(|(_, len, column, way)| {
            (0..len).map(move |k| match way {
                Way::Nothing => None,
                Way::Constant => Some(column),
                Way::Rising => Some(column + k),
                Way::Falling => Some(column - k),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::Runs;
    use crate::{Clip, DistanceIndex, Extent, Reversed, Shift};

    /// An index that goes every way.
    struct Crooked;

    impl DistanceIndex for Crooked {
        fn columns(&self) -> usize {
            9
        }

        fn column(&self, distance: i64) -> Option<usize> {
            let columns = [0, 0, 1, 2, 2, 8, 7, 6, 6, 6, 99, 99, 3, 4, 99, 5, 3, 1, 1, 0];
            columns.get(distance as usize).copied().filter(|&column| column != 99)
        }
    }

    fn check(index: &impl DistanceIndex, first: i64, len: usize) {
        let runs = Runs::new(index, first, len);
        let line: Vec<usize> = (100..100 + index.columns()).collect();
        for start in 0..len {
            for width in 1..=len - start {
                let want: Vec<Option<usize>> = (0..width).map(|k| index.column(first + (start + k) as i64)).collect();
                assert!(runs.columns(start, width).eq(want.iter().copied()));
                let mut out = alloc::vec![0; width];
                runs.take(start, &line, 7, &mut out);
                assert!(out.iter().zip(&want).all(|(&out, want)| out == want.map_or(7, |column| line[column])));
                if let Some(direct) = runs.direct(start, width, &line) {
                    assert_eq!(direct, out);
                }
            }
        }
    }

    #[test]
    fn runs_are_the_columns_one_by_one() {
        check(&Crooked, 0, 20);
        check(&Clip { left: 3, right: 2 }, -9, 20);
        check(&Reversed(Clip { left: 3, right: 2 }), -9, 20);
        check(&Shift { zero: 3, columns: 6 }, -9, 20);
        check(&Extent(4), -9, 20);
        check(&Clip::symmetric(0), 0, 0);
    }
}

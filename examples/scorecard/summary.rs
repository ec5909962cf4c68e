//! The end of the scorecard: the worst cell of each operation and element type.
//!
//! Its lines begin with `#`, so that a reader of comma-separated values can skip them.

use std::fmt;

use posenc::Level;

use crate::cell::Names;
use crate::checks;
use crate::measure::Times;

/// A cell and its times.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub(crate) names: Names,
    pub(crate) times: Times,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { names, times } = self;
        write!(f, "{names},{:.1},{:.1},{:.3}", times.ours, times.limit, times.ratio())
    }
}

/// All lines, in the order in which they were measured.
pub(crate) struct Summary<'a>(pub(crate) &'a [Line]);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds = vec![];
        for line in self.0 {
            let kind = (line.names.op, line.names.dtype);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds.sort_unstable();
        let widest = Level::detect();
        for (op, dtype) in kinds {
            let lines = || self.0.iter().filter(|line| (line.names.op, line.names.dtype) == (op, dtype));
            let all = worst(lines());
            let alone = worst(lines().filter(|line| line.names.level == widest && line.names.threads == 1));
            let Some(all) = all else { continue };
            write!(f, "# worst {op} {dtype}: {:.3} at {}", all.times.ratio(), all.names)?;
            if let Some(alone) = alone {
                write!(f, "; on {widest}, one thread, {:.3} at {}", alone.times.ratio(), alone.names)?;
            }
            writeln!(f)?;
        }
        checks::all(self.0).iter().try_for_each(|check| writeln!(f, "# {check}"))
    }
}

fn worst<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<&'a Line> {
    lines.min_by(|a, b| a.times.ratio().total_cmp(&b.times.ratio()))
}

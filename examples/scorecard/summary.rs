//! The end of the scorecard: the worst cell of each operation and element type.
//!
//! Its lines begin with `#`, so that a reader of comma-separated values can skip them.

use std::fmt;

use crate::cell::Names;

/// The worst cells so far, in the order in which their operations came.
#[derive(Default)]
pub(crate) struct Summary(Vec<(Names, f64)>);

impl Summary {
    pub(crate) fn see(&mut self, names: Names, ratio: f64) {
        match self.0.iter_mut().find(|(worst, _)| (worst.op, worst.dtype) == (names.op, names.dtype)) {
            None => self.0.push((names, ratio)),
            Some(worst) if ratio < worst.1 => *worst = (names, ratio),
            Some(_) => {}
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (names, ratio) in &self.0 {
            writeln!(f, "# worst {} {}: {ratio:.3} at {names}", names.op, names.dtype)?;
        }
        Ok(())
    }
}

//! Lines of comma-separated values with a header.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::Result;

/// One line; its values go by the names of the header.
pub(crate) struct Line(HashMap<String, String>);

impl Line {
    pub(crate) fn text(&self, column: &str) -> &str {
        self.0.get(column).map_or("", String::as_str)
    }

    pub(crate) fn is(&self, column: &str, value: &str) -> bool {
        self.text(column) == value
    }

    /// The number of a column; NaN, which is not drawn, where there is none.
    pub(crate) fn number(&self, column: &str) -> f64 {
        self.text(column).parse().unwrap_or(f64::NAN)
    }
}

/// Reads a file; lines that begin with `#` are remarks.
pub(crate) fn read(path: &Path) -> Result<Vec<Line>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let header: Vec<_> = lines.next().unwrap_or_default().split(',').map(str::to_owned).collect();
    Ok(lines.map(|line| Line(header.iter().cloned().zip(line.split(',').map(str::to_owned)).collect())).collect())
}

//! An axis of a picture: its name, what it covers and where its ticks stand. Heat maps and curves share it.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// The type of all texts; the viewer of an SVG has it, so that no font is needed here.
pub(crate) const FONT: &str = "sans-serif";

/// One axis; it runs backwards if `range` does.
#[derive(Clone)]
pub(crate) struct Axis {
    pub(crate) name: String,
    pub(crate) range: Range<f64>,
    pub(crate) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis with ticks at given values.
    pub(crate) fn new(name: &str, range: Range<f64>, ticks: impl IntoIterator<Item = (f64, String)>) -> Self {
        Self { name: name.to_owned(), range, ticks: ticks.into_iter().collect() }
    }

    /// An axis of numbered cells, each of width 1, of which every `step`-th bears its number plus `first`.
    pub(crate) fn cells(name: &str, count: usize, step: usize, first: i64) -> Self {
        let ticks = (0..count).step_by(step).map(|cell| (cell as f64 + 0.5, (first + cell as i64).to_string()));
        Self::new(name, 0.0..count as f64, ticks)
    }

    /// An axis of cells that each have a name.
    pub(crate) fn named(name: &str, cells: &[&str]) -> Self {
        let ticks = cells.iter().enumerate().map(|(cell, &name)| (cell as f64 + 0.5, name.to_owned()));
        Self::new(name, 0.0..cells.len() as f64, ticks)
    }

    /// A logarithmic axis: it holds the exponents of ten from `low` to `high`.
    pub(crate) fn decades(name: &str, low: i32, high: i32) -> Self {
        let ticks = (low..=high).map(|e| (f64::from(e), format!("1e{e}")));
        Self::new(name, f64::from(low)..f64::from(high), ticks)
    }

    /// The same axis, running the other way.
    pub(crate) fn reversed(self) -> Self {
        Self { range: self.range.end..self.range.start, ..self }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let fraction = (value - self.range.start) / (self.range.end - self.range.start);
        first + (fraction * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.iter().map(|&(at, _)| at).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, at: &f64) -> String {
        let tick = self.ticks.iter().find(|(tick, _)| tick == at);
        tick.map_or_else(String::new, |(_, text)| text.clone())
    }
}

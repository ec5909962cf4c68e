//! Heat maps: a grid of coloured cells with named axes, and a bar that tells what the colours mean. A cell without a
//! value stays white.

use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::Result;
use crate::axis::{Axis, FONT};
use crate::colours::mix;

/// Height of the title, and size of its letters.
const TITLE: (u32, u32) = (44, 24);
/// Width of the colour bar with its labels.
const BAR: u32 = 130;
/// Steps of the colour bar.
const STEPS: usize = 64;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// One heat map; axes count cells.
pub(crate) struct HeatMap<'a> {
    pub(crate) title: &'a str,
    pub(crate) size: (u32, u32),
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// What colours mean.
    pub(crate) scale: Axis,
    pub(crate) colours: &'a [u32],
    /// The value of a cell, by column and row.
    pub(crate) value: &'a dyn Fn(usize, usize) -> f32,
}

impl HeatMap<'_> {
    /// Draws the map into a file.
    pub(crate) fn draw(&self, path: &Path) -> Result<()> {
        let root = SVGBackend::new(path, self.size).into_drawing_area();
        root.fill(&WHITE)?;
        let (title, rest) = root.split_vertically(TITLE.0);
        title.draw_text(self.title, &(FONT, TITLE.1).into_text_style(&title), (20, 14))?;
        let (map, bar) = rest.split_horizontally(self.size.0 - BAR);
        self.draw_cells(&map)?;
        self.draw_bar(&bar)?;
        root.present()?;
        Ok(())
    }

    fn colour(&self, value: f64) -> RGBColor {
        let (low, high) = (self.scale.range.start, self.scale.range.end);
        mix(self.colours, (value - low) / (high - low))
    }

    fn draw_cells(&self, area: &Area<'_>) -> Result<()> {
        let mut chart = ChartBuilder::on(area)
            .margin_left(16)
            .margin_right(16)
            .margin_bottom(8)
            .x_label_area_size(56)
            .y_label_area_size(100)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        let cell = |column: usize, row: usize| {
            let (x, y) = (column as f64, row as f64);
            Rectangle::new([(x, y), (x + 1.0, y + 1.0)], self.colour(f64::from((self.value)(column, row))).filled())
        };
        let [columns, rows] = [&self.x, &self.y].map(|axis| axis.range.start.max(axis.range.end) as usize);
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let present = cells.filter(|&(column, row)| !(self.value)(column, row).is_nan());
        chart.draw_series(present.map(|(column, row)| cell(column, row)))?;
        chart
            .configure_mesh()
            .disable_mesh()
            .label_style((FONT, 18))
            .axis_desc_style((FONT, 20))
            .x_desc(self.x.name.as_str())
            .y_desc(self.y.name.as_str())
            .draw()?;
        Ok(())
    }

    fn draw_bar(&self, area: &Area<'_>) -> Result<()> {
        let mut chart = ChartBuilder::on(area)
            .margin_left(8)
            .margin_bottom(64)
            .right_y_label_area_size(66)
            .build_cartesian_2d(0.0..1.0, self.scale.clone())?;
        let (low, high) = (self.scale.range.start, self.scale.range.end);
        let step = (high - low) / STEPS as f64;
        chart.draw_series((0..STEPS).map(|i| {
            let from = low + step * i as f64;
            Rectangle::new([(0.0, from), (1.0, from + step)], self.colour(from + step / 2.0).filled())
        }))?;
        chart.configure_mesh().disable_mesh().disable_x_axis().label_style((FONT, 18)).draw()?;
        let below = (8, self.size.1 as i32 - TITLE.0 as i32 - 52);
        area.draw_text(&self.scale.name, &(FONT, 18).into_text_style(area), below)?;
        Ok(())
    }
}

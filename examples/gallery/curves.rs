//! Charts of curves that bear their names beside them, over straight lines and shaded bands. Logarithmic axes hold
//! exponents, so that one linear chart serves all.

use std::path::Path;

use plotters::prelude::*;

use crate::Result;
use crate::axis::{Axis, FONT};

/// What is drawn, from the back to the front.
pub(crate) enum Shape {
    /// A filled outline.
    Band,
    /// A curve, so many pixels wide.
    Curve(u32),
    /// A broken straight line.
    Mark,
}

/// One thing on a chart, with its name at a point of its own.
pub(crate) struct Item {
    pub(crate) shape: Shape,
    pub(crate) colour: RGBColor,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) name: String,
    /// Where the name begins: the middle of its left edge.
    pub(crate) name_at: (f64, f64),
}

/// A chart.
pub(crate) struct Chart<'a> {
    pub(crate) title: &'a str,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) items: Vec<Item>,
}

impl Chart<'_> {
    /// Draws the chart into a file.
    pub(crate) fn draw(&self, path: &Path) -> Result<()> {
        let root = SVGBackend::new(path, (1200, 640)).into_drawing_area();
        root.fill(&WHITE)?;
        let (title, rest) = root.split_vertically(44);
        title.draw_text(self.title, &(FONT, 24).into_text_style(&title), (20, 14))?;
        let mut chart = ChartBuilder::on(&rest)
            .margin_left(16)
            .margin_right(32)
            .margin_bottom(8)
            .x_label_area_size(60)
            .y_label_area_size(96)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.15))
            .label_style((FONT, 18))
            .axis_desc_style((FONT, 20))
            .x_desc(self.x.name.as_str())
            .y_desc(self.y.name.as_str())
            .draw()?;
        for item in &self.items {
            let points = item.points.iter().copied();
            match item.shape {
                Shape::Band => {
                    chart.draw_series([Polygon::new(item.points.clone(), item.colour.mix(0.25).filled())])?;
                }
                Shape::Curve(width) => {
                    chart.draw_series(LineSeries::new(points, item.colour.stroke_width(width)))?;
                }
                Shape::Mark => {
                    chart.draw_series(DashedLineSeries::new(points, 8, 6, item.colour.stroke_width(2)))?;
                }
            }
        }
        let anchor = plotters::style::text_anchor::Pos::new(
            plotters::style::text_anchor::HPos::Left,
            plotters::style::text_anchor::VPos::Center,
        );
        for item in &self.items {
            let style = (FONT, 19).into_text_style(&rest).color(&item.colour).pos(anchor);
            chart.draw_series([Text::new(item.name.clone(), item.name_at, style)])?;
        }
        root.present()?;
        Ok(())
    }
}

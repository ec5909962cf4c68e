//! One panel of a picture: curves over the number of tokens, which doubles from line to line.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::{COLOURS, Result};

/// A named curve.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

impl Curve {
    pub(crate) fn new(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), points }
    }
}

/// What the vertical axis shows.
pub(crate) enum Range {
    /// Numbers as they are.
    Plain(std::ops::Range<f64>),
    /// Powers of ten.
    Powers(std::ops::Range<i32>),
}

impl From<std::ops::Range<f64>> for Range {
    fn from(range: std::ops::Range<f64>) -> Self {
        Self::Plain(range)
    }
}

pub(crate) struct Panel {
    pub(crate) name: String,
    pub(crate) y: Range,
    pub(crate) curves: Vec<Curve>,
}

impl Panel {
    pub(crate) fn draw(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<()> {
        let (y, powers) = match &self.y {
            Range::Plain(range) => (range.clone(), false),
            Range::Powers(range) => (f64::from(range.start)..f64::from(range.end), true),
        };
        let mut chart = ChartBuilder::on(area)
            .caption(&self.name, ("sans-serif", 20))
            .margin(10)
            .margin_right(28)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..12.0, y)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_labels(13)
            .x_desc("tokens")
            .x_label_formatter(&|exponent| format!("{}", 2_f64.powf(*exponent)))
            .y_label_formatter(&|value| if powers { format!("{}", 10_f64.powf(*value)) } else { format!("{value:.1}") })
            .label_style(("sans-serif", 14))
            .draw()?;
        for curve in &self.curves {
            let colour = COLOURS.iter().find(|(name, _)| *name == curve.name).map_or(BLACK, |&(_, colour)| colour);
            let mut points = curve.points.clone();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let at = |(x, y): (f64, f64)| (x.log2(), if powers { y.log10() } else { y });
            let points: Vec<_> = points.into_iter().map(at).filter(|(_, y)| y.is_finite()).collect();
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 4, colour.filled())))?;
            chart
                .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                .label(curve.name.clone())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
        }
        let place = if powers { SeriesLabelPosition::UpperLeft } else { SeriesLabelPosition::LowerRight };
        chart
            .configure_series_labels()
            .position(place)
            .label_font(("sans-serif", 15))
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        Ok(())
    }
}

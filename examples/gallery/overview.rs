//! The overview: one page with a panel for each encoding, family by family. What the panels are is the affair of `panels`.

use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Result;
use crate::axis::FONT;
use crate::colours::{BLUE, BLUE_RED, GREY, ORANGE, RED, mix};
use crate::panels::{self, Family, Panel, Picture};

/// Panels beside each other.
const BESIDE: usize = 3;
/// Width and height of a panel, with the space around it.
const PANEL: (i32, i32) = (440, 296);
/// Where the picture of a panel lies in it, and how large it is.
const PICTURE: ((i32, i32), (i32, i32)) = ((12, 66), (410, 172));
/// Height of the title of the page, and of the name of a family.
const TITLE: i32 = 84;
const NAME: i32 = 54;
/// Colours that are told apart; neighbours of one colour are drawn as one.
const SHADES: f64 = 40.0;
/// The colour of cells that are not there.
const MASKED: RGBColor = RGBColor(0xd4, 0xd4, 0xd4);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws the page into a file.
pub(crate) fn draw(path: &Path) -> Result<String> {
    let families = panels::all()?;
    let lines = |family: &Family| family.panels.len().div_ceil(BESIDE) as i32;
    let height = TITLE + families.iter().map(|family| NAME + lines(family) * PANEL.1).sum::<i32>();
    let width = BESIDE as i32 * PANEL.0;
    let root = SVGBackend::new(path, (width as u32, height as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    write(&root, "The encodings of posenc, side by side", (16, 32), 30, &BLACK)?;
    legend(&root, (width - 420, 32))?;
    write(&root, "Each picture shows values as the library gives them.", (16, 64), 17, &GREY)?;
    let mut top = TITLE;
    for family in &families {
        root.draw(&Rectangle::new([(0, top + 6), (width, top + 40)], RGBColor(0xec, 0xef, 0xf3).filled()))?;
        write(&root, family.name, (16, top + 23), 20, &BLACK)?;
        top += NAME;
        for (i, panel) in family.panels.iter().enumerate() {
            let corner = ((i % BESIDE) as i32 * PANEL.0, top + (i / BESIDE) as i32 * PANEL.1);
            draw_panel(&root, panel, corner)?;
        }
        top += lines(family) * PANEL.1;
    }
    root.present()?;
    Ok(format!("one page: {} encodings side by side", families.iter().map(|family| family.panels.len()).sum::<usize>()))
}

/// Writes a line; the place is the middle of its left edge.
fn write(root: &Area<'_>, text: &str, at: (i32, i32), size: u32, colour: &RGBColor) -> Result<()> {
    let style = (FONT, size).into_text_style(root).color(colour).pos(Pos::new(HPos::Left, VPos::Center));
    root.draw(&Text::new(text, at, style))?;
    Ok(())
}

/// What the colours mean.
fn legend(root: &Area<'_>, (left, middle): (i32, i32)) -> Result<()> {
    write(root, "below zero", (left, middle), 17, &GREY)?;
    for step in 0..40 {
        let x = left + 96 + step * 5;
        let colour = mix(BLUE_RED, f64::from(step) / 39.0).filled();
        root.draw(&Rectangle::new([(x, middle - 9), (x + 5, middle + 9)], colour))?;
    }
    write(root, "above zero", (left + 306, middle), 17, &GREY)
}

fn draw_panel(root: &Area<'_>, panel: &Panel, (left, top): (i32, i32)) -> Result<()> {
    write(root, panel.title, (left + 12, top + 16), 20, &BLACK)?;
    write(root, panel.line, (left + 12, top + 44), 15, &GREY)?;
    let ((x, y), (width, height)) = PICTURE;
    let (corner, size) = ((left + x, top + y), (width, height));
    match &panel.picture {
        Picture::Heat { columns, values } => heat(root, values, *columns, corner, size)?,
        Picture::Curves { curves, names_at } => draw_curves(root, curves, *names_at, (corner, size))?,
    }
    let frame = [corner, (corner.0 + width, corner.1 + height)];
    root.draw(&Rectangle::new(frame, GREY.stroke_width(1)))?;
    let [right, other] = panel.axes;
    let arrow = if matches!(panel.picture, Picture::Heat { .. }) { '↓' } else { '↑' };
    write(root, &format!("→ {right}   |   {arrow} {other}"), (left + 12, top + y + height + 16), 15, &GREY)
}

/// Cells from blue over white to red, as far from zero as the farthest value.
fn heat(
    root: &Area<'_>,
    values: &[f32],
    columns: usize,
    (left, top): (i32, i32),
    (width, height): (i32, i32),
) -> Result<()> {
    let rows = values.len() / columns;
    let most = values.iter().fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()));
    let shade = |value: f32| (!value.is_nan()).then(|| (f64::from(value / most) * SHADES / 2.0).round() as i32);
    let edge = |cell: usize, cells: usize, size: i32| (cell as i32 * size) / cells as i32;
    for (row, values) in values.chunks_exact(columns).enumerate() {
        let (y, next_y) = (top + edge(row, rows, height), top + edge(row + 1, rows, height));
        let mut column = 0;
        for run in values.chunk_by(|&a, &b| shade(a) == shade(b)) {
            let (x, next_x) = (left + edge(column, columns, width), left + edge(column + run.len(), columns, width));
            let colour = shade(run[0]).map_or(MASKED, |shade| mix(BLUE_RED, f64::from(shade) / SHADES + 0.5));
            root.draw(&Rectangle::new([(x, y), (next_x, next_y)], colour.filled()))?;
            column += run.len();
        }
    }
    Ok(())
}

/// Curves over a line at zero, each with its name.
fn draw_curves(
    root: &Area<'_>,
    curves: &[(&str, Vec<f32>)],
    names_at: (i32, i32),
    ((left, top), (width, height)): ((i32, i32), (i32, i32)),
) -> Result<()> {
    let all = || curves.iter().flat_map(|(_, values)| values.iter().copied());
    let (low, high) = (all().fold(0.0, f32::min), all().fold(f32::MIN_POSITIVE, f32::max));
    let y = |value: f32| top + 6 + ((high - value) / (high - low) * (height - 12) as f32) as i32;
    root.draw(&PathElement::new([(left, y(0.0)), (left + width, y(0.0))], GREY.mix(0.5).stroke_width(1)))?;
    for (i, ((name, values), colour)) in curves.iter().zip([BLUE, RED, ORANGE, GREY]).enumerate() {
        let x = |step: usize| left + (step * width as usize / (values.len() - 1).max(1)) as i32;
        let points: Vec<(i32, i32)> = values.iter().enumerate().map(|(step, &value)| (x(step), y(value))).collect();
        root.draw(&PathElement::new(points, colour.stroke_width(2)))?;
        write(root, name, (left + names_at.0, top + names_at.1 + 22 * i as i32), 16, &colour)?;
    }
    Ok(())
}

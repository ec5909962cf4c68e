//! What angles in f32 cost: the error of their cosines and sines against exact ones, at every position up to a million.
//! The error is set against what half-precision types can resolve.

use std::path::Path;

use posenc::{Frequencies, Positions, Precision, TableBuilder};

use crate::Result;
use crate::axis::Axis;
use crate::colours::{BLUE, GREY, RED};
use crate::curves::{Chart, Item, Shape};

/// Positions beyond the last one.
const END: usize = 1_000_000;
/// Positions worked out in one go.
const BLOCK: usize = 4096;
/// Windows of a decade; the worst position of each is drawn.
const WINDOWS: f64 = 12.0;
const DIM: usize = 128;

/// Types by the largest rounding error of a number between 1/2 and 1, and where the name of its line begins.
const RESOLUTIONS: [(&str, f64, f64); 3] =
    [("bf16", 1.0 / 512.0, 0.1), ("f16", 1.0 / 4096.0, 0.1), ("f32", 1.0 / 33_554_432.0, 3.6)];

/// The largest error of a cosine or sine at each position, over all pairs.
fn errors(base: f64) -> Result<Vec<f32>> {
    let frequencies = Frequencies::new(DIM, base)?;
    let builders = [Precision::Exact, Precision::Single].map(|precision| TableBuilder::new(&frequencies, precision));
    let mut errors = Vec::with_capacity(END);
    // Cosines and sines of a block, exact and single.
    let mut tables = [(); 4].map(|()| vec![0.0_f32; BLOCK * DIM / 2]);
    for first in (0..END).step_by(BLOCK) {
        let cells = BLOCK.min(END - first) * DIM / 2;
        let [exact_cos, exact_sin, cos, sin] = tables.each_mut().map(|table| &mut table[..cells]);
        builders[0].fill(&Positions::from(first), exact_cos, exact_sin)?;
        builders[1].fill(&Positions::from(first), cos, sin)?;
        let worst = |a: &[f32], b: &[f32]| a.iter().zip(b).fold(0.0_f32, |worst, (a, b)| worst.max((a - b).abs()));
        for row in (0..cells).step_by(DIM / 2).map(|at| at..at + DIM / 2) {
            let cosines = worst(&exact_cos[row.clone()], &cos[row.clone()]);
            errors.push(cosines.max(worst(&exact_sin[row.clone()], &sin[row])));
        }
    }
    Ok(errors)
}

/// The last position of each window and the worst error within, both as exponents of ten.
fn windows(errors: &[f32]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = vec![];
    let mut current = -1.0;
    for (position, &error) in errors.iter().enumerate().skip(1) {
        let (x, y) = ((position as f64).log10(), f64::from(error).log10());
        let window = (x * WINDOWS).floor();
        match points.last_mut() {
            Some(last) if window == current => *last = (x, last.1.max(y)),
            _ => points.push((x, y)),
        }
        current = window;
    }
    points.retain(|point| point.1.is_finite());
    points
}

/// Draws the picture and tells in a line what it shows.
pub(crate) fn draw(path: &Path) -> Result<String> {
    let mut items = vec![];
    for (name, limit, name_at) in RESOLUTIONS {
        let y = limit.log10();
        let name = format!("rounding to {name}: at most 2^{} between 1/2 and 1", limit.log2());
        let points = vec![(0.0, y), (6.0, y)];
        items.push(Item { shape: Shape::Mark, colour: GREY, points, name, name_at: (name_at, y + 0.25) });
    }
    let mut shows = String::new();
    for (base, colour, name_at) in [(5e5, BLUE, (3.6, -4.9)), (1e4, RED, (3.6, -4.4))] {
        let errors = errors(base)?;
        let name = format!("angles in f32, base {base}");
        items.push(Item { shape: Shape::Curve(3), colour, points: windows(&errors), name, name_at });
        let beyond = |limit: f64| errors.iter().position(|&e| f64::from(e) > limit).unwrap_or(END);
        let [bf16, f16] = [beyond(RESOLUTIONS[0].1), beyond(RESOLUTIONS[1].1)];
        shows =
            format!("error of f32 angles, base {base}: first worse than f16 at position {f16}, than bf16 at {bf16}");
    }
    Chart {
        title: "Error of cosines and sines when angles are rounded to f32 (worst of 64 pairs)",
        x: Axis::decades("position", 0, 6),
        y: Axis::decades("largest error", -8, 0),
        items,
    }
    .draw(path)?;
    Ok(shows)
}

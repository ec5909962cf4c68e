//! The list of pictures: what each is called, what it shows and how it is labelled. Drawing itself is `heat` and
//! `curves`.

use std::fs;
use std::path::Path;

use crate::axis::Axis;
use crate::colours::{BLUE_RED, VIRIDIS};
use crate::encodings::{FEATURES, Grid, LEFT, POSITIONS, QUERIES};
use crate::heat::HeatMap;
use crate::{Result, angles, overview, score};

/// Where pictures go, below the directory in which the program runs.
const DIRECTORY: &str = "target/gallery";

/// Draws every picture and prints a line for each.
pub(crate) fn draw_all([absolute_grid, rotary_grid, relative_grid, alibi_grid]: &[Grid; 4]) -> Result<()> {
    println!("2. Seven pictures, written below the current directory");
    fs::create_dir_all(DIRECTORY)?;
    let one = |name: &str, draw: &dyn Fn(&Path) -> Result<String>| -> Result<()> {
        let path = Path::new(DIRECTORY).join(name);
        let shows = draw(&path)?;
        let size = fs::metadata(&path)?.len().div_ceil(1024);
        println!("   {:<31} {size:>3} KB   {shows}", path.display());
        Ok(())
    };
    one("overview.svg", &|path| overview::draw(path))?;
    one("absolute.svg", &|path| absolute(absolute_grid, path))?;
    one("rotary.svg", &|path| rotary(rotary_grid, path))?;
    one("relative.svg", &|path| relative(relative_grid, path))?;
    one("alibi.svg", &|path| alibi(alibi_grid, path))?;
    one("rotary-score.svg", &|path| score::draw(path))?;
    one("f32-angles.svg", &|path| angles::draw(path))?;
    println!();
    Ok(())
}

/// A colour scale from `low` to `high` with ticks at multiples of `step`.
fn scale(low: i32, high: i32, step: usize) -> Axis {
    let ticks = (low..=high).step_by(step).map(|tick| (f64::from(tick), tick.to_string()));
    Axis::new("value", f64::from(low)..f64::from(high), ticks)
}

/// A map with positions to the right and the five features downwards.
fn features(grid: &Grid, path: &Path, title: &str, x: Axis, names: &[&str; FEATURES], scale: Axis) -> Result<()> {
    let y = Axis::named("feature", names).reversed();
    let value = |column, row| grid.at(column, row);
    HeatMap { title, size: (1200, 340), x, y, scale, colours: BLUE_RED, value: &value }.draw(path)
}

fn absolute(grid: &Grid, path: &Path) -> Result<String> {
    let x = Axis::cells("position", POSITIONS, 10, 0);
    let names = ["sin w0", "cos w0", "sin w1", "cos w1", "sin w2"];
    let scale = scale(-1, 1, 1);
    features(
        grid,
        path,
        "Absolute: sinusoidal encoding, 100 positions x 5 features, w_i = 10000^(-2i/5)",
        x,
        &names,
        scale,
    )?;
    Ok("heat map: waves of three frequencies, each about 40 times slower than the last".to_owned())
}

fn rotary(grid: &Grid, path: &Path) -> Result<String> {
    let x = Axis::cells("position", POSITIONS, 10, 0);
    let names = ["sin w0", "sin w1", "sin w2", "sin w0", "sin w1"];
    features(
        grid,
        path,
        "Rotary: sines of the angles by which pairs turn, w_i = 10000^(-2i/5)",
        x,
        &names,
        scale(-1, 1, 1),
    )?;
    Ok("heat map: the sines of those frequencies, the first two shown again".to_owned())
}

fn relative(grid: &Grid, path: &Path) -> Result<String> {
    let x = Axis::cells("distance (key - query)", POSITIONS, 10, -(LEFT as i64));
    let names = ["0", "1", "2", "3", "4"];
    let title = "Relative: one learned row for each clipped distance, before training";
    features(grid, path, title, x, &names, scale(-3, 3, 1))?;
    Ok("heat map: noise, because learned rows start at random".to_owned())
}

fn alibi(grid: &Grid, path: &Path) -> Result<String> {
    let value = |column, row| grid.at(row, column);
    HeatMap {
        title: "ALiBi: slope 1/2; keys after the query are masked",
        size: (760, 640),
        x: Axis::cells("key", QUERIES, 5, 0),
        y: Axis::cells("query", QUERIES, 5, 0).reversed(),
        scale: scale(-20, 0, 5),
        colours: VIRIDIS,
        value: &value,
    }
    .draw(path)?;
    Ok("heat map: the bias falls by 1/2 with each key further back, the same along each diagonal".to_owned())
}

//! Draws the pictures of `docs/performance.md` from the measured lines in `docs/measured`:
//!
//! ```text
//! cargo run --example plots
//! ```
//!
//! `scorecard.csv` holds lines of `examples/scorecard`, `peers.csv` lines of `benches/peers`.

mod lines;
mod panel;

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

use lines::{Line, read};
use panel::{Curve, Panel};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Panels of a picture: the pairings downwards, the element types to the right.
const PAIRINGS: [&str; 2] = ["halves", "interleaved"];
const TYPES: [&str; 3] = ["f32", "f16", "bf16"];

/// Every name on a picture, with its colour.
const COLOURS: [(&str, RGBColor); 10] = [
    ("posenc", RGBColor(0, 90, 181)),
    ("candle", RGBColor(220, 50, 32)),
    ("burn", RGBColor(150, 85, 40)),
    ("vllm", RGBColor(26, 133, 72)),
    ("ort", RGBColor(230, 140, 0)),
    ("openvino", RGBColor(120, 60, 160)),
    ("torch", RGBColor(90, 90, 90)),
    ("avx512", RGBColor(0, 90, 181)),
    ("avx2", RGBColor(220, 50, 32)),
    ("portable", RGBColor(26, 133, 72)),
];

fn main() -> Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let scorecard = read(&docs.join("measured/scorecard.csv"))?;
    let peers = read(&docs.join("measured/peers.csv"))?;
    let pictures = docs.join("pictures");
    draw(&pictures.join("ratio.svg"), "Rotation in place: the limit's time / ours, one thread", |pairing, dtype| {
        let curve = |level: &str| of_level(&scorecard, pairing, dtype, level);
        Panel {
            name: format!("{dtype}, {pairing}"),
            y: (0.0..1.1).into(),
            curves: ["avx512", "avx2", "portable"].iter().map(|level| curve(level)).collect(),
        }
    })?;
    draw(&pictures.join("peers.svg"), "Rotation in place: microseconds a call, one thread", |pairing, dtype| Panel {
        name: format!("{dtype}, {pairing}"),
        y: panel::Range::Powers(-1..6),
        curves: beside_peers(&peers, pairing, dtype),
    })
}

/// One picture of six panels.
fn draw(path: &Path, title: &str, panel: impl Fn(&str, &str) -> Panel) -> Result<()> {
    let root = SVGBackend::new(path, (1500, 1000)).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(title, ("sans-serif", 26))?;
    let areas = root.split_evenly((PAIRINGS.len(), TYPES.len()));
    let names = PAIRINGS.iter().flat_map(|pairing| TYPES.map(|dtype| (*pairing, dtype)));
    for (area, (pairing, dtype)) in areas.iter().zip(names) {
        panel(pairing, dtype).draw(area)?;
    }
    root.present()?;
    println!("{}", path.display());
    Ok(())
}

/// The ratio over the number of tokens, at one level.
fn of_level(lines: &[Line], pairing: &str, dtype: &str, level: &str) -> Curve {
    let here = |line: &&Line| {
        let wanted = [("op", "rotate"), ("pairing", pairing), ("dtype", dtype), ("level", level), ("threads", "1")];
        wanted.iter().all(|&(column, value)| line.is(column, value)) && line.is("heads", "32") && line.is("dim", "128")
    };
    let points = lines.iter().filter(here).map(|line| (line.number("tokens"), line.number("ratio")));
    Curve::new(level, points.collect())
}

/// Our time and the shortest of each peer over the number of tokens.
fn beside_peers(lines: &[Line], pairing: &str, dtype: &str) -> Vec<Curve> {
    let mut curves: Vec<Curve> = vec![];
    let here =
        lines.iter().filter(|line| line.is("pairing", pairing) && line.is("dtype", dtype) && line.is("threads", "1"));
    for line in here {
        let (form, beside) = line.text("peer").split_once('/').unwrap_or((line.text("peer"), ""));
        let project = form.split('-').next().unwrap_or(form);
        let tokens = line.number("tokens");
        if beside == "in-place" {
            least(&mut curves, "posenc", tokens, line.number("ours_ns") / 1e3);
        }
        least(&mut curves, project, tokens, line.number("peer_ns") / 1e3);
    }
    curves
}

/// Keeps the shortest time of a name at each number of tokens.
fn least(curves: &mut Vec<Curve>, name: &str, tokens: f64, time: f64) {
    let curve = match curves.iter().position(|curve| curve.name == name) {
        Some(index) => &mut curves[index],
        None => {
            curves.push(Curve::new(name, vec![]));
            curves.last_mut().expect("one was pushed")
        }
    };
    match curve.points.iter_mut().find(|(x, _)| *x == tokens) {
        Some((_, shortest)) => *shortest = shortest.min(time),
        None => curve.points.push((tokens, time)),
    }
}

//! Attention score against distance under rotary encoding. Vectors that agree lose score with distance; vectors that
//! have nothing in common keep what little they have.

use std::ops::Range;
use std::path::Path;

use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary};

use crate::Result;
use crate::axis::Axis;
use crate::colours::{BLUE, GREY, ORANGE};
use crate::curves::{Chart, Item, Shape};
use crate::random::Random;

const DIM: usize = 128;
/// Distances from 0 on.
const DISTANCES: usize = 2001;
/// How many random vectors are looked at.
const VECTORS: usize = 200;

/// The score of query `q` with key `k` at each distance, divided by both norms.
fn scores(rope: &Rotary, q: &[f32], k: &[f32]) -> Result<Vec<f64>> {
    let mut turned = k.repeat(DISTANCES);
    rope.rotate(&mut HeadsMut::new(&mut turned, [DISTANCES, 1, DIM])?, &Positions::from(0))?;
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    let norms = (dot(q, q) * dot(k, k)).sqrt();
    // The query stands at position 0, where a rotation changes nothing.
    Ok(turned.chunks_exact(DIM).map(|k| dot(q, k) / norms).collect())
}

/// What the picture shows, one entry a distance.
struct Curves {
    ones: Vec<f64>,
    /// For random `k = q`: the scores that 5 % fall below, and 5 % rise above.
    band: (Vec<f64>, Vec<f64>),
    mean: Vec<f64>,
    /// For unrelated random `q` and `k`: the root of the mean square.
    unrelated: Vec<f64>,
}

fn curves() -> Result<Curves> {
    let rope = Rotary::new(&Frequencies::new(DIM, 1e4)?, Pairing::Halves);
    let mut random = Random(7);
    let (mut same, mut unrelated) = (vec![], vec![]);
    for _ in 0..VECTORS {
        let (q, k) = (random.vector(DIM), random.vector(DIM));
        same.push(scores(&rope, &q, &q)?);
        unrelated.push(scores(&rope, &q, &k)?);
    }
    let mut curves = Curves {
        ones: scores(&rope, &[1.0; DIM], &[1.0; DIM])?,
        band: (vec![], vec![]),
        mean: vec![],
        unrelated: vec![],
    };
    for distance in 0..DISTANCES {
        let mut here: Vec<f64> = same.iter().map(|scores| scores[distance]).collect();
        here.sort_by(f64::total_cmp);
        curves.band.0.push(here[VECTORS / 20]);
        curves.band.1.push(here[VECTORS - 1 - VECTORS / 20]);
        curves.mean.push(here.iter().sum::<f64>() / VECTORS as f64);
        let squares = unrelated.iter().map(|scores| scores[distance].powi(2)).sum::<f64>();
        curves.unrelated.push((squares / VECTORS as f64).sqrt());
    }
    Ok(curves)
}

/// Draws the picture and tells in a line what it shows.
pub(crate) fn draw(path: &Path) -> Result<String> {
    let Curves { ones, band, mean, unrelated } = curves()?;
    let line = |values: &[f64]| values.iter().enumerate().map(|(d, &y)| (d as f64, y)).collect::<Vec<_>>();
    let outline = line(&band.0).into_iter().chain(line(&band.1).into_iter().rev()).collect();
    let item = |shape, colour, points, name: String, y| Item { shape, colour, points, name, name_at: (650.0, y) };
    let average = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let [far, apart] = [average(&mean[1000..]), average(&unrelated)];
    let ticks = |values: Range<i32>, step: f64, digits| {
        values.map(move |i| (step * f64::from(i), format!("{:.digits$}", step * f64::from(i))))
    };
    Chart {
        title: "Attention score against distance under rotary encoding (128 features, base 10000)",
        x: Axis::new("distance between query and key", 0.0..2000.0, ticks(0..9, 250.0, 0)),
        y: Axis::new("score / (|q| |k|)", -0.2..1.0, ticks(-1..6, 0.2, 1)),
        items: vec![
            item(Shape::Band, BLUE, outline, format!("k = q, random: 90 % of {VECTORS} vectors lie in the band"), 0.76),
            item(Shape::Curve(4), ORANGE, line(&ones), "q = k = (1, 1, ... 1)".to_owned(), 0.90),
            item(Shape::Curve(1), BLUE, line(&mean), format!("k = q, random: mean of {VECTORS} vectors"), 0.83),
            item(Shape::Curve(2), GREY, line(&unrelated), format!("q, k unrelated: rms of {VECTORS} pairs"), 0.69),
        ],
    }
    .draw(path)?;
    Ok(format!("score against distance: k = q falls from 1 to {far:.2}; unrelated q and k stay at {apart:.2}"))
}

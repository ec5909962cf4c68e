//! Panels of absolute encodings.

use std::f64::consts::PI;

use posenc::{
    AxialEmbedding, Blocks, Divisor, EmbeddingSum, EmbeddingTable, Filter, FourierFeatures, Leading, Order, Positions,
    Resize, Sinusoidal, Time2Vec,
};

use super::{COLUMNS, LEARNED, Panel, Picture, ROWS, turned};
use crate::Result;
use crate::random::Random;

pub(super) fn worked_out() -> Result<Vec<Panel>> {
    let positions = Positions::from(0);
    let waves = Sinusoidal::new(ROWS, 1e4)?;
    let blocked = Sinusoidal::with_divisor(ROWS, 1e4, Divisor::HalfLess(1.0))?.with_order(Order::SinCos);
    let times: Vec<f64> = (0..COLUMNS).map(|i| 1000.0 * i as f64 / (COLUMNS - 1) as f64).collect();
    let flipped = Sinusoidal::with_divisor(ROWS, 1e4, Divisor::HalfLess(0.0))?.with_order(Order::CosSin);
    let points: Vec<f64> = (0..COLUMNS).map(|i| 2.0 * i as f64 / (COLUMNS - 1) as f64 - 1.0).collect();
    let octaves = FourierFeatures::octaves(1, 5, PI)?.with_leading(Leading::Coordinates);
    let days: Vec<f64> = (0..COLUMNS).map(|i| i as f64 / 2.0).collect();
    let time2vec = Time2Vec::new(&[0.03, 0.2, 0.45, 0.898, 2.0], &[-0.5, 0.0, 1.0, 0.0, 2.0])?;
    Ok(vec![
        Panel {
            title: "Sinusoidal, interleaved",
            line: "The original Transformer. No weights, any length; fast waves first.",
            axes: ["position", "feature"],
            picture: turned(COLUMNS, &waves.table(&positions, COLUMNS)?),
        },
        Panel {
            title: "Sinusoidal, sines | cosines",
            line: "Whisper, fairseq, M2M-100: the same waves, in two blocks.",
            axes: ["position", "feature"],
            picture: turned(COLUMNS, &blocked.table(&positions, COLUMNS)?),
        },
        Panel {
            title: "Timesteps, cosines | sines",
            line: "Diffusion models: how noisy, as a real number from 0 to 1000.",
            axes: ["timestep", "feature"],
            picture: turned(COLUMNS, &flipped.table(&Positions::fractions(&times), COLUMNS)?),
        },
        Panel {
            title: "2-D grid (AxialEmbedding)",
            line: "ViT, MAE, DiT: half of a row tells y, half x. Likeness to the middle.",
            axes: ["column", "row"],
            picture: grid()?,
        },
        Panel {
            title: "Fourier features",
            line: "NeRF, SAM, Perceiver: real coordinates, each octave twice as fine.",
            axes: ["coordinate, -1 to 1", "x, then sin and cos"],
            picture: turned(COLUMNS, &octaves.table(&Positions::fractions(&points), COLUMNS)?),
        },
        Panel {
            title: "Time2Vec",
            line: "Time series: one trend, and sines of learned frequency and phase.",
            axes: ["time", "feature"],
            picture: turned(COLUMNS, &time2vec.table(&days)?),
        },
    ])
}

/// How like the rows of all cells are to the row in the middle.
fn grid() -> Result<Picture> {
    let (height, width, half) = (17, 41, 16);
    let encoding = Sinusoidal::new(half, 1e2)?.with_order(Order::SinCos);
    let [y, x] = [height, width].map(|size| encoding.table(&Positions::from(0), size));
    let (y, x) = (y?, x?);
    let parts = [(0, EmbeddingTable::new(&y, half)?), (1, EmbeddingTable::new(&x, half)?)];
    let table = AxialEmbedding::new(&parts, Blocks::ByAxis)?.table()?;
    let middle = &table[(height / 2 * width + width / 2) * 2 * half..][..2 * half];
    let likeness = |row: &[f32]| row.iter().zip(middle).map(|(a, b)| a * b).sum::<f32>() / half as f32;
    Ok(Picture::Heat { columns: width, values: table.chunks_exact(2 * half).map(likeness).collect() })
}

pub(super) fn learned() -> Result<Vec<Panel>> {
    let (positions, features) = LEARNED;
    let weights = Random(1).vector(positions * features);
    let segments: Vec<f32> = [-0.8, 0.8].into_iter().flat_map(|value| vec![value; features]).collect();
    let table = EmbeddingTable::new(&weights, features)?;
    let sum = EmbeddingSum::new([table.with_factor(0.5)?, EmbeddingTable::new(&segments, features)?])?;
    let mut rows = vec![0.0; positions * features];
    let ids: Vec<usize> = (0..positions).map(|token| usize::from(token >= 18)).collect();
    sum.write(&mut rows, &[Positions::from(0), Positions::ids(&ids)])?;
    let small = Random(5).vector(4 * 10);
    let large = Resize::to_size([4, 10], [24, 60], Filter::Cubic)?.table(&small, 1)?;
    Ok(vec![
        Panel {
            title: "Learned table (EmbeddingTable)",
            line: "BERT, GPT-2, CLIP: one row a position, up to a fixed length.",
            axes: ["position", "feature"],
            picture: turned(positions, &table.lookup(&Positions::from(0), positions)?),
        },
        Panel {
            title: "Sum of tables (EmbeddingSum)",
            line: "BERT: positions and segments (and words) in one pass.",
            axes: ["token; a new segment at 18", "feature"],
            picture: turned(positions, &rows),
        },
        Panel {
            title: "Resized table (Resize)",
            line: "ViT: a learned grid, here 4 x 10, for a picture of another size.",
            axes: ["column, 60", "row, 24"],
            picture: Picture::Heat { columns: 60, values: large },
        },
    ])
}

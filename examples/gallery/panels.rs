//! The panels of the overview: for each encoding a title, what it is for in a line, and a small picture of its values, made
//! by the public calls alone. A new encoding is one more entry.

use std::f64::consts::PI;

use posenc::{
    Alibi, AlibiForm, AxialEmbedding, Blocks, Clip, Coordinates, DistanceBias, Divisor, EmbeddingSum, EmbeddingTable,
    Filter, FourierFeatures, Frequencies, HeadsMut, Init, Order, Pairing, Positions, RelativeEmbedding, Resize, Rotary,
    Sinusoidal, Time2Vec,
};

use crate::Result;
use crate::random::Random;

/// Cells of a picture, to the right.
const COLUMNS: usize = 64;
/// Cells of most pictures, downwards.
const ROWS: usize = 24;
/// Positions and features of learned rows, whose cells have no pattern that more of them would show.
const LEARNED: (usize, usize) = (32, 12);

/// What a panel shows.
pub(crate) enum Picture {
    /// Rows of coloured cells, one behind the other; those that are not there are NaN.
    Heat { columns: usize, values: Vec<f32> },
    /// Curves with names, all over the same steps.
    Curves(Vec<(&'static str, Vec<f32>)>),
}

/// One encoding.
pub(crate) struct Panel {
    pub(crate) title: &'static str,
    /// When one chooses it.
    pub(crate) line: &'static str,
    /// What goes to the right, and what downwards (upwards where there are curves).
    pub(crate) axes: [&'static str; 2],
    pub(crate) picture: Picture,
}

/// A family of encodings, and how it enters a model.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) panels: Vec<Panel>,
}

/// Everything, in the order of the page.
pub(crate) fn all() -> Result<Vec<Family>> {
    Ok(vec![
        Family { name: "Absolute, worked out: added to the embedding of a token", panels: absolute()? },
        Family { name: "Absolute, learned: looked up and added", panels: learned()? },
        Family { name: "Rotary: queries and keys are turned, scores see the distance", panels: rotary()? },
        Family { name: "Relative: added to keys, or to scores before the softmax", panels: relative()? },
    ])
}

fn absolute() -> Result<Vec<Panel>> {
    let positions = Positions::from(0);
    let waves = Sinusoidal::new(ROWS, 1e4)?;
    let blocked = Sinusoidal::with_divisor(ROWS, 1e4, Divisor::HalfLess(1.0))?.with_order(Order::SinCos);
    let times: Vec<f64> = (0..COLUMNS).map(|i| 1000.0 * i as f64 / (COLUMNS - 1) as f64).collect();
    let flipped = Sinusoidal::with_divisor(ROWS, 1e4, Divisor::HalfLess(0.0))?.with_order(Order::CosSin);
    let points: Vec<f64> = (0..COLUMNS).map(|i| 2.0 * i as f64 / (COLUMNS - 1) as f64 - 1.0).collect();
    let octaves = FourierFeatures::octaves(1, 5, PI)?.with_coordinates(Coordinates::First);
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
            picture: turned(COLUMNS, &flipped.table_at(&times)?),
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
            picture: turned(COLUMNS, &octaves.table(&points)?),
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

fn learned() -> Result<Vec<Panel>> {
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

fn rotary() -> Result<Vec<Panel>> {
    let slow = Frequencies::new(ROWS, 1e4)?;
    let turn = |rope: &Rotary| -> Result<Picture> {
        let mut ones = vec![1.0_f32; COLUMNS * ROWS];
        rope.rotate(&mut HeadsMut::new(&mut ones, [COLUMNS, 1, ROWS])?, &Positions::from(0))?;
        Ok(turned(COLUMNS, &ones))
    };
    let partial = Rotary::new(&Frequencies::new(ROWS / 2, 1e4)?, Pairing::Interleaved);
    Ok(vec![
        Panel {
            title: "Rotary, halves",
            line: "Llama, Qwen, Gemma (NeoX pairs): feature j turns with j + d/2.",
            axes: ["position", "feature of a head of ones"],
            picture: turn(&Rotary::new(&slow, Pairing::Halves))?,
        },
        Panel {
            title: "Rotary, interleaved, partial",
            line: "GPT-J, GLM, DeepSeek: neighbours turn; the rest stays as it is.",
            axes: ["position", "feature of a head of ones"],
            picture: turn(&partial)?,
        },
        Panel {
            title: "Rotary scores over distance",
            line: "A larger base falls off later: 500 000 for long contexts.",
            axes: ["distance, 0 to 1023", "score of equal vectors"],
            picture: Picture::Curves(vec![("base 10 000", scores(1e4)?), ("base 500 000", scores(5e5)?)]),
        },
    ])
}

/// The score of a head of ones with itself at each distance, as a fraction of that at 0.
fn scores(base: f64) -> Result<Vec<f32>> {
    let (distances, dim) = (1024, 128);
    let rope = Rotary::new(&Frequencies::new(dim, base)?, Pairing::Halves);
    let mut keys = vec![1.0_f32; distances * dim];
    rope.rotate(&mut HeadsMut::new(&mut keys, [distances, 1, dim])?, &Positions::from(0))?;
    Ok(keys.chunks_exact(dim).map(|key| key.iter().sum::<f32>() / dim as f32).collect())
}

fn relative() -> Result<Vec<Panel>> {
    let (distances, features) = LEARNED;
    let clip = Clip { left: distances / 2, right: distances / 2 - 1 };
    let embedding = RelativeEmbedding::random(clip, features, Init::Uniform { bound: 1.0 }, 7)?;
    let alibi = |form| -> Result<Picture> {
        let (queries, keys, heads) = (ROWS, COLUMNS, 8);
        let mut scores = vec![0.0_f32; heads * queries * keys];
        Alibi::new(heads)?.with_form(form).add(&mut scores, [queries, keys], keys - queries)?;
        // Heads 0 to 7 fall off ever more slowly; the fourth is shown.
        let mut values = scores[3 * queries * keys..][..queries * keys].to_vec();
        let later = |cell: usize| cell % keys > keys - queries + cell / keys;
        for (_, value) in values.iter_mut().enumerate().filter(|&(cell, _)| form == AlibiForm::Causal && later(cell)) {
            *value = f32::NAN;
        }
        Ok(Picture::Heat { columns: keys, values })
    };
    Ok(vec![
        Panel {
            title: "Relative embedding (Shaw)",
            line: "A learned row for each distance, clipped beyond the farthest.",
            axes: ["distance, -16 to 15", "feature"],
            picture: turned(distances, embedding.weights()),
        },
        Panel {
            title: "ALiBi, causal",
            line: "BLOOM, MPT: scores fall with distance; longer texts than in training.",
            axes: ["key; later ones are masked", "query (the last 24)"],
            picture: alibi(AlibiForm::Causal)?,
        },
        Panel {
            title: "ALiBi, symmetric",
            line: "JINA, MosaicBERT: the same for encoders, which look both ways.",
            axes: ["key", "query (the last 24)"],
            picture: alibi(AlibiForm::Symmetric)?,
        },
    ])
}

/// Rows of positions, `[positions, features]`, with positions to the right.
fn turned(positions: usize, rows: &[f32]) -> Picture {
    let features = rows.len() / positions;
    let values = (0..rows.len()).map(|i| rows[i % positions * features + i / positions]).collect();
    Picture::Heat { columns: positions, values }
}

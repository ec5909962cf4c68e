//! Panels of rotary encodings.

use posenc::{Frequencies, HeadsMut, Pairing, Positions, Rotary, Scaling, Xpos, grids};

use super::{COLUMNS, Panel, Picture, ROWS, turned};
use crate::Result;

pub(super) fn panels() -> Result<Vec<Panel>> {
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
            title: "Rotary over a grid",
            line: "Pixtral, FLUX, Qwen-VL: pairs read rows or columns.",
            axes: ["column", "row; score with the middle"],
            picture: rotary_grid()?,
        },
        Panel {
            title: "Rotary scores over distance",
            line: "A larger base falls off later: 500 000 for long contexts.",
            axes: ["distance, 0 to 1023", "score of equal vectors"],
            picture: named_right(vec![("base 10 000", scores(1e4)?), ("base 500 000", scores(5e5)?)]),
        },
        Panel {
            title: "Scaled frequencies",
            line: "Four times the context: which pairs are slowed down, and how far.",
            axes: ["pair, 0 to 63", "frequency, as a part of the old one"],
            picture: scalings()?,
        },
        Panel {
            title: "xPos",
            line: "Rotary scores that fade: queries and keys grow and shrink.",
            axes: ["distance, 0 to 1023", "score of equal vectors"],
            picture: named_right(vec![("rotary", scores(1e4)?), ("xPos", xpos_scores()?)]),
        },
    ])
}

/// How the score of two heads of ones falls off around the middle of a grid.
fn rotary_grid() -> Result<Picture> {
    let (height, width, dim) = (17, 41, 32);
    let rope = Rotary::new(&Frequencies::axial(&[(dim / 2, 1e2), (dim / 2, 1e2)])?, Pairing::Interleaved);
    let mut keys = vec![1.0_f32; height * width * dim];
    rope.rotate(
        &mut HeadsMut::new(&mut keys, [height * width, 1, dim])?,
        &grids::raster(&[height, width])?.positions(),
    )?;
    let middle = &keys[(height / 2 * width + width / 2) * dim..][..dim];
    let score = |key: &[f32]| key.iter().zip(middle).map(|(a, b)| a * b).sum::<f32>() / dim as f32;
    Ok(Picture::Heat { columns: width, values: keys.chunks_exact(dim).map(score).collect() })
}

/// The frequencies of four scalings, over those without.
fn scalings() -> Result<Picture> {
    let plain = Frequencies::new(128, 1e4)?;
    let curve = |scaling: Scaling| -> Result<Vec<f32>> {
        let scaled = plain.scaled(&scaling)?;
        Ok(scaled.as_slice().iter().zip(plain.as_slice()).map(|(scaled, plain)| (scaled / plain) as f32).collect())
    };
    let curves = vec![
        ("linear", curve(Scaling::linear(4.0))?),
        ("NTK-aware", curve(Scaling::ntk(4.0))?),
        ("YaRN", curve(Scaling::yarn(4.0, 4096))?),
        ("llama3", curve(Scaling::llama3(4.0))?),
    ];
    Ok(Picture::Curves { curves, names_at: (16, 42) })
}

/// Curves that leave room at the right, above them.
fn named_right(curves: Vec<(&'static str, Vec<f32>)>) -> Picture {
    Picture::Curves { curves, names_at: (260, 18) }
}

/// [`scores`] with the scales of xPos.
fn xpos_scores() -> Result<Vec<f32>> {
    let (distances, dim) = (1024, 128);
    let [queries, keys] = Xpos::new(&Frequencies::new(dim, 1e4)?, 512.0, 512)?.tables(distances)?;
    let turn = |tables, position: Positions<'_>, count: usize| -> Result<Vec<f32>> {
        let mut x = vec![1.0_f32; count * dim];
        Rotary::from_tables(tables, Pairing::Halves).rotate(&mut HeadsMut::new(&mut x, [count, 1, dim])?, &position)?;
        Ok(x)
    };
    let query = turn(queries, Positions::from(distances - 1), 1)?;
    let keys = turn(keys, Positions::from(0), distances)?;
    let score = |key: &[f32]| key.iter().zip(&query).map(|(a, b)| a * b).sum::<f32>() / dim as f32;
    // The last key stands at the query.
    Ok(keys.chunks_exact(dim).rev().map(score).collect())
}

/// The score of a head of ones with itself at each distance, as a fraction of that at 0.
fn scores(base: f64) -> Result<Vec<f32>> {
    let (distances, dim) = (1024, 128);
    let rope = Rotary::new(&Frequencies::new(dim, base)?, Pairing::Halves);
    let mut keys = vec![1.0_f32; distances * dim];
    rope.rotate(&mut HeadsMut::new(&mut keys, [distances, 1, dim])?, &Positions::from(0))?;
    Ok(keys.chunks_exact(dim).map(|key| key.iter().sum::<f32>() / dim as f32).collect())
}

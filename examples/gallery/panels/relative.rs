//! Panels of relative encodings.

use posenc::{
    Alibi, AlibiForm, Clip, Cope, CopeLogits, DebertaBuckets, DistanceBias, DistanceIndex, Fire, FireWeights,
    ForgetGates, Init, Kerple, KerpleForm, RelativeEmbedding, Sandwich, T5Bias, T5Buckets, T5Form, Window, WindowBias,
    WindowForm,
};

use super::{COLUMNS, LEARNED, Panel, Picture, ROWS, turned};
use crate::Result;
use crate::random::Random;

const BOTH_SIDES: [&str; 2] = ["key", "query (the last 24)"];
const CAUSAL: [&str; 2] = ["key; later ones are masked", "query (the last 24)"];

pub(super) fn panels() -> Result<Vec<Panel>> {
    Ok(linear_and_learned()?.into_iter().chain(formulas()?).chain(of_the_data()?).collect())
}

fn heat(values: Vec<f32>) -> Picture {
    Picture::Heat { columns: COLUMNS, values }
}

/// A slope, or a value for each distance or bucket.
fn linear_and_learned() -> Result<Vec<Panel>> {
    let (distances, features) = LEARNED;
    let clip = Clip { left: distances / 2, right: distances / 2 - 1 };
    let embedding = RelativeEmbedding::random(clip, features, Init::Uniform { bound: 1.0 }, 7)?;
    // Heads 0 to 7 fall off ever more slowly; the fourth is shown.
    let alibi = |form| -> Result<Alibi> { Ok(Alibi::new(8)?.with_form(form)) };
    let t5 = T5Bias::new(T5Buckets::new(T5Form::Bidirectional, 32, 128)?, &Random(3).vector(32))?;
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
            axes: CAUSAL,
            picture: heat(masked(bias(&alibi(AlibiForm::Causal)?, 3))),
        },
        Panel {
            title: "ALiBi, symmetric",
            line: "JINA, MosaicBERT: the same for encoders, which look both ways.",
            axes: BOTH_SIDES,
            picture: heat(bias(&alibi(AlibiForm::Symmetric)?, 3)),
        },
        Panel {
            title: "T5 buckets",
            line: "A learned value for each bucket; far distances share them.",
            axes: BOTH_SIDES,
            picture: heat(bias(&t5, 0)),
        },
        Panel {
            title: "Buckets of distances",
            line: "T5 (16 a side) and DeBERTa (256): one each at first, then logarithms.",
            axes: ["distance, 0 to 511", "part of the buckets of a side"],
            picture: buckets()?,
        },
    ])
}

/// Functions of the distance, some with learned parameters.
fn formulas() -> Result<Vec<Panel>> {
    let kerple = Kerple::new(KerpleForm::Logarithmic, &[1.0], &[0.5])?;
    Ok(vec![
        Panel {
            title: "KERPLE, logarithmic",
            line: "ALiBi with learned curvature: falls ever more slowly.",
            axes: CAUSAL,
            picture: heat(masked(bias(&kerple, 0))),
        },
        Panel {
            title: "Sandwich",
            line: "The likeness of sinusoids, without weights; fades in waves.",
            axes: CAUSAL,
            picture: heat(masked(bias(&Sandwich::new(1, 64, COLUMNS)?, 0))),
        },
        Panel {
            title: "FIRE",
            line: "A small network of the distance over the length so far.",
            axes: CAUSAL,
            picture: heat(masked(fire()?)),
        },
    ])
}

/// What the tokens decide, and what stands for places in a picture.
fn of_the_data() -> Result<Vec<Panel>> {
    Ok(vec![
        Panel {
            title: "Forgetting gates",
            line: "The data says how much is forgotten between key and query.",
            axes: CAUSAL,
            picture: heat(masked(forget()?)),
        },
        Panel {
            title: "CoPE",
            line: "Positions are counted by gates, so the data says what is far.",
            axes: CAUSAL,
            picture: heat(masked(cope()?)),
        },
        Panel {
            title: "Windows of images",
            line: "Swin, BEiT: a learned value for each step between patches, here 3 x 8.",
            axes: ["key patch", "query patch"],
            picture: window()?,
        },
    ])
}

/// The bias of the last queries of a text.
fn bias(bias: &impl DistanceBias, head: usize) -> Vec<f32> {
    let value = |cell: usize| bias.value(head, (cell % COLUMNS) as i64 - (COLUMNS - ROWS + cell / COLUMNS) as i64);
    (0..ROWS * COLUMNS).map(value).collect()
}

/// The same without keys after their query.
fn masked(mut values: Vec<f32>) -> Vec<f32> {
    for (cell, value) in values.iter_mut().enumerate() {
        if cell % COLUMNS > COLUMNS - ROWS + cell / COLUMNS {
            *value = f32::NAN;
        }
    }
    values
}

/// The buckets of two models, each over their number.
fn buckets() -> Result<Picture> {
    let (t5, deberta) = (T5Buckets::new(T5Form::Causal, 16, 128)?, DebertaBuckets::logarithmic(256, 512)?);
    let distances = || 0..512_i64;
    let t5 = distances().map(|distance| t5.column(-distance).map_or(f32::NAN, |bucket| bucket as f32 / 15.0));
    let deberta = distances().map(|distance| deberta.bucket(distance) as f32 / 255.0);
    let curves = vec![("T5", t5.collect()), ("DeBERTa", deberta.collect())];
    Ok(Picture::Curves { curves, names_at: (260, 110) })
}

fn fire() -> Result<Vec<f32>> {
    let weights = FireWeights {
        hidden: &[2.0, -3.0],
        hidden_bias: &[0.0, 1.0],
        output: &[-1.0, 1.0],
        output_bias: &[0.0],
        c: 0.1,
        threshold: 32.0,
    };
    let mut scores = vec![0.0_f32; ROWS * COLUMNS];
    Fire::new(weights, COLUMNS)?.write(&mut scores, [ROWS, COLUMNS], COLUMNS - ROWS)?;
    Ok(scores)
}

fn forget() -> Result<Vec<f32>> {
    let gates: Vec<f32> = Random(8).vector(COLUMNS).iter().map(|x| 3.0 + 4.0 * x).collect();
    let mut scores = vec![0.0_f32; ROWS * COLUMNS];
    ForgetGates::new(&gates, 1)?.write(&mut scores, [ROWS, COLUMNS], COLUMNS - ROWS)?;
    Ok(scores)
}

fn cope() -> Result<Vec<f32>> {
    let gates: Vec<f32> = Random(9).vector(ROWS * COLUMNS).iter().map(|x| 5.0 * x - 2.0).collect();
    let positions: Vec<f32> = Random(10).vector(16).repeat(ROWS);
    let size = [ROWS, COLUMNS];
    let logits = CopeLogits { gates: &gates, positions: &positions, heads: 1, size, first_query: COLUMNS - ROWS };
    let mut scores = vec![0.0_f32; ROWS * COLUMNS];
    Cope::new(logits)?.add(&mut scores, size, COLUMNS - ROWS)?;
    Ok(scores)
}

fn window() -> Result<Picture> {
    let window = Window::new([3, 8], WindowForm::Signed)?;
    let bias = WindowBias::new(window, &Random(11).vector(window.rows()))?;
    let mut scores = vec![0.0_f32; window.tokens() * window.tokens()];
    bias.add(&mut scores, [window.tokens(); 2], 0)?;
    Ok(Picture::Heat { columns: window.tokens(), values: scores })
}

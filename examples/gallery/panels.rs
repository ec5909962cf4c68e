//! The panels of the overview: for each encoding a title, what it is for in a line, and a small picture of its values, made
//! by the public calls alone. A new encoding is one more entry.

mod absolute;
mod relative;
mod rotary;

use crate::Result;

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
    /// Curves with names, all over the same steps; the names begin at a point where no curve is.
    Curves { curves: Vec<(&'static str, Vec<f32>)>, names_at: (i32, i32) },
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
        Family { name: "Absolute, worked out: added to the embedding of a token", panels: absolute::worked_out()? },
        Family { name: "Absolute, learned: looked up and added", panels: absolute::learned()? },
        Family { name: "Rotary: queries and keys are turned, scores see the distance", panels: rotary::panels()? },
        Family { name: "Relative: added to keys, or to scores before the softmax", panels: relative::panels()? },
    ])
}

/// Rows of positions, `[positions, features]`, with positions to the right.
fn turned(positions: usize, rows: &[f32]) -> Picture {
    let features = rows.len() / positions;
    let values = (0..rows.len()).map(|i| rows[i % positions * features + i / positions]).collect();
    Picture::Heat { columns: positions, values }
}

//! The four encodings as small grids of numbers, and the table that counts what they hold. The counts are known in
//! advance and asserted: they change if a single bit of a value does.

use std::collections::HashSet;

use posenc::{
    Alibi, Clip, DistanceBias, Frequencies, Init, Positions, Precision, RelativeEmbedding, Sinusoidal, TableBuilder,
};

use crate::Result;

/// Rows of the absolute, rotary and relative grids.
pub(crate) const POSITIONS: usize = 100;
/// Their columns.
pub(crate) const FEATURES: usize = 5;
/// How many rows of the relative embedding belong to keys before the query.
pub(crate) const LEFT: usize = 50;
/// Queries, and keys, of the bias.
pub(crate) const QUERIES: usize = 40;

/// An encoding worked out; cells that do not exist are NaN.
pub(crate) struct Grid {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) values: Vec<f32>,
    /// How many different values there must be.
    distinct: usize,
}

impl Grid {
    pub(crate) fn at(&self, row: usize, column: usize) -> f32 {
        self.values[row * self.columns + column]
    }
}

/// The four grids: absolute, rotary, relative, bias.
pub(crate) fn all() -> Result<[Grid; 4]> {
    Ok([absolute()?, rotary()?, relative()?, alibi()?])
}

/// `sin(p·w0), cos(p·w0), sin(p·w1), cos(p·w1), sin(p·w2)` with `w_i = 10000^(−2i/5)`.
fn absolute() -> Result<Grid> {
    let values = Sinusoidal::new(FEATURES, 1e4)?.table(&Positions::from(0), POSITIONS)?;
    // Position 0 is 0, 1, 0, 1, 0: three of its values are repeats, and there are no others.
    Ok(Grid {
        name: "absolute",
        meaning: "sin and cos of position times frequency, base 10000",
        rows: POSITIONS,
        columns: FEATURES,
        values,
        distinct: 497,
    })
}

/// The sines by which three pairs turn, at the same three frequencies, laid out over five features.
fn rotary() -> Result<Grid> {
    let frequencies = (0..3).map(|i| 1e4_f64.powf(f64::from(-2 * i) / FEATURES as f64)).collect();
    let tables = TableBuilder::new(&Frequencies::from_values(frequencies)?, Precision::Exact).build(POSITIONS)?;
    let values = tables.sin().chunks_exact(3).flat_map(|row| [row[0], row[1], row[2], row[0], row[1]]).collect();
    // Of 300 sines, the three of position 0 are the same zero.
    Ok(Grid {
        name: "rotary",
        meaning: "sines of the same three frequencies, in columns 0 1 2 0 1",
        rows: POSITIONS,
        columns: FEATURES,
        values,
        distinct: 298,
    })
}

/// One learned row for each distance from −50 to 49, before any training.
fn relative() -> Result<Grid> {
    let clip = Clip { left: LEFT, right: POSITIONS - 1 - LEFT };
    let embedding = RelativeEmbedding::random(clip, FEATURES, Init::Normal { deviation: 1.0 }, 42)?;
    Ok(Grid {
        name: "relative",
        meaning: "one random normal row for each distance -50 .. 49, seed 42",
        rows: POSITIONS,
        columns: FEATURES,
        values: embedding.weights().to_vec(),
        distinct: 500,
    })
}

/// The bias of the steepest of eight heads; keys after the query are masked.
fn alibi() -> Result<Grid> {
    let alibi = Alibi::new(8)?;
    let mut heads = vec![0.0; 8 * QUERIES * QUERIES];
    alibi.add(&mut heads, [QUERIES, QUERIES], 0)?;
    let mut values = heads[..QUERIES * QUERIES].to_vec();
    for (cell, value) in values.iter_mut().enumerate() {
        if cell % QUERIES > cell / QUERIES {
            *value = f32::NAN;
        }
    }
    Ok(Grid {
        name: "ALiBi",
        meaning: "bias of head 0 of 8, slope 1/2; keys after the query are left out",
        rows: QUERIES,
        columns: QUERIES,
        values,
        distinct: QUERIES,
    })
}

/// Prints one line a grid, and insists on the counts.
pub(crate) fn print(grids: &[Grid]) {
    println!("1. Four encodings in numbers");
    println!("   encoding  shape    distinct  minimum   maximum   values");
    for grid in grids {
        let present = || grid.values.iter().copied().filter(|value| !value.is_nan());
        // Adding 0 makes +0 of −0.
        let distinct = present().map(|value| (value + 0.0).to_bits()).collect::<HashSet<u32>>().len();
        let (low, high) = (present().fold(f32::MAX, f32::min), present().fold(f32::MIN, f32::max));
        let shape = format!("{} x {}", grid.rows, grid.columns);
        println!("   {:<8}  {shape:<7}  {distinct:>8}  {low:>8.4}  {high:>8.4}   {}", grid.name, grid.meaning);
        assert_eq!(distinct, grid.distinct, "distinct values of the {} encoding", grid.name);
    }
    println!("   Every number of distinct values is the one that theory asks for (asserted).\n");
}

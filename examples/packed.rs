//! Sequences of different lengths, packed behind one another without padding, as attention kernels for variable lengths
//! take them: queries, keys and values of each token lie in one row, and `cu_seqlens` says where sequences begin.
//!
//! ```text
//! cargo run --example packed
//! ```

use posenc::{Axis, Error, Frequencies, HeadsMut, Pairing, Positions, Rotary};

const QUERIES: usize = 8;
const KEYS: usize = 2;
const DIM: usize = 64;
/// Heads of a row: queries, keys, values.
const HEADS: usize = QUERIES + 2 * KEYS;

fn main() -> Result<(), Error> {
    let rope = Rotary::new(&Frequencies::new(DIM, 500_000.0)?, Pairing::Halves);

    // Three sequences of 5, 1 and 7 tokens, and one that is empty.
    let cu_seqlens = [0_i32, 5, 6, 6, 13];
    let tokens = 13;
    let mut rows = vec![1.0_f32; tokens * HEADS * DIM];

    // Queries and keys turn, values stay. Every sequence begins at position 0.
    let mut qkv = HeadsMut::new(&mut rows, [tokens, HEADS, DIM])?;
    let mut turning = qkv.narrow(Axis::Head, 0..QUERIES + KEYS)?;
    rope.rotate(&mut turning, &Positions::packed(&cu_seqlens))?;

    // The first feature of a head is cos p − sin p, which tells the position.
    let place = |token: usize| rows[token * HEADS * DIM];
    for (i, bounds) in cu_seqlens.windows(2).enumerate() {
        let places: Vec<f32> = (bounds[0]..bounds[1]).map(|token| place(token as usize)).collect();
        println!("sequence {i}: {places:?}");
    }

    // A decode step: one token more for each, behind the 5, 1 and 7 that are in their caches.
    let mut step = vec![1.0_f32; 3 * HEADS * DIM];
    let mut qkv = HeadsMut::new(&mut step, [3, HEADS, DIM])?;
    let mut turning = qkv.narrow(Axis::Head, 0..QUERIES + KEYS)?;
    rope.rotate(&mut turning, &Positions::packed_from(&[0, 1, 2, 3], &[5, 1, 7]))?;
    println!("next tokens: {:?}", [0, 1, 2].map(|token| step[token * HEADS * DIM]));

    // A list that does not fit the rows is refused before anything is written.
    let refused = rope.rotate(&mut HeadsMut::new(&mut step, [3, HEADS, DIM])?, &Positions::packed(&[0, 2]));
    println!("refused: {}", refused.unwrap_err());
    Ok(())
}

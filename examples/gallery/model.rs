//! Queries and keys of a real model, rotated and held against what the model's own code made of them. They come from
//! layer 15 of SmolLM2-135M-Instruct, before and after `apply_rotary_pos_emb` of Hugging Face's transformers.

use posenc::{Frequencies, HeadsMut, Pairing, Positions, Precision, Rotary, Tables};
use safetensors::SafeTensors;

use crate::Result;

const DATA: &[u8] = include_bytes!("smollm2_layer15_qk.safetensors");
const TOKENS: usize = 34;
const DIM: usize = 64;
/// Heads of queries, and of keys: three queries share a key.
const HEADS: [usize; 2] = [9, 3];
const BASE: f64 = 1e5;

/// Queries and keys, each `[tokens, heads, features]`.
#[derive(Clone)]
struct Pair([Vec<f32>; 2]);

fn tensor(file: &SafeTensors<'_>, name: &str) -> Result<Vec<f32>> {
    let bytes = file.tensor(name)?.data().as_chunks().0;
    Ok(bytes.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
}

impl Pair {
    fn read(file: &SafeTensors<'_>, q: &str, k: &str) -> Result<Self> {
        Ok(Self([tensor(file, q)?, tensor(file, k)?]))
    }

    /// A rotated copy, whose first token stands at position `first`.
    fn rotated(&self, rope: &Rotary, first: usize) -> Result<Self> {
        let mut copy = self.clone();
        for (data, heads) in copy.0.iter_mut().zip(HEADS) {
            rope.rotate(&mut HeadsMut::new(data, [TOKENS, heads, DIM])?, &Positions::from(first))?;
        }
        Ok(copy)
    }

    /// All values, queries first.
    fn values(&self) -> impl Iterator<Item = f32> {
        self.0.iter().flatten().copied()
    }

    /// The length of each of the pairs that turn together.
    fn norms(&self) -> Vec<f64> {
        let heads = self.0.iter().flat_map(|data| data.chunks_exact(DIM));
        heads.flat_map(|head| (0..DIM / 2).map(|j| f64::from(head[j]).hypot(f64::from(head[j + DIM / 2])))).collect()
    }

    /// The score of every query with every key of its group.
    fn scores(&self) -> Vec<f64> {
        let [q, k] = &self.0;
        let mut scores = vec![];
        for (row, q) in q.chunks_exact(DIM).enumerate() {
            let group = row % HEADS[0] / (HEADS[0] / HEADS[1]);
            scores.extend(k.chunks_exact(DIM).skip(group).step_by(HEADS[1]).map(|k| dot(q, k)));
        }
        scores
    }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

/// The largest change of a score, relative to the norms of its query and key, when all tokens move by `offset`.
fn drift(pair: &Pair, rope: &Rotary, offset: usize) -> Result<f64> {
    let norm = |data: &[f32]| data.chunks_exact(DIM).map(|head| dot(head, head).sqrt()).collect::<Vec<_>>();
    let [q_norms, k_norms] = [norm(&pair.0[0]), norm(&pair.0[1])];
    let mut products = vec![];
    for (row, q) in q_norms.iter().enumerate() {
        let group = row % HEADS[0] / (HEADS[0] / HEADS[1]);
        products.extend(k_norms.iter().skip(group).step_by(HEADS[1]).map(|k| q * k));
    }
    let (here, there) = (pair.rotated(rope, 0)?.scores(), pair.rotated(rope, offset)?.scores());
    Ok(largest(here.iter().zip(&there).zip(&products).map(|((a, b), norms)| (a - b).abs() / norms)))
}

/// The largest difference between the values of two pairs, and how many are equal to the bit.
fn compare(a: &Pair, b: &Pair) -> (f64, usize) {
    let difference = largest(a.values().zip(b.values()).map(|(a, b)| f64::from((a - b).abs())));
    (difference, a.values().zip(b.values()).filter(|(a, b)| a.to_bits() == b.to_bits()).count())
}

/// Prints what the rotation does to them.
pub(crate) fn report() -> Result<()> {
    let file = SafeTensors::deserialize(DATA)?;
    let before = Pair::read(&file, "q", "k")?;
    let after = Pair::read(&file, "q_rotated", "k_rotated")?;
    let count = before.values().count();
    println!("3. A real model: q and k of SmolLM2-135M, layer 15, {TOKENS} tokens, 9 + 3 heads of {DIM}, base {BASE}");

    let tables = Tables::new(tensor(&file, "cos")?, tensor(&file, "sin")?, DIM / 2)?;
    let (_, equal) = compare(&before.rotated(&Rotary::from_tables(tables, Pairing::Halves), 0)?, &after);
    println!("   with the model's tables    {equal} of {count} values equal PyTorch's to the bit (asserted)");
    assert_eq!(equal, count, "values that equal those of PyTorch");

    let frequencies = Frequencies::new(DIM, BASE)?;
    let exact = Rotary::new(&frequencies, Pairing::Halves);
    let single = Rotary::with_precision(&frequencies, Pairing::Halves, Precision::Single);
    let size = largest(after.values().map(|x| f64::from(x.abs())));
    for (name, rope) in [("f32 angles", &single), ("exact angles", &exact)] {
        let (difference, equal) = compare(&before.rotated(rope, 0)?, &after);
        println!(
            "   with our own {name:<12}  largest difference {difference:.1e} of values up to {size:.0}; {equal} equal"
        );
    }
    let norms = before.norms().into_iter().zip(before.rotated(&exact, 0)?.norms());
    let change = largest(norms.map(|(before, after)| (after / before - 1.0).abs()));
    println!(
        "   norms of the {:>5} pairs   largest relative change {change:.1e}; f32 rounds off up to 6.0e-8",
        count / 2
    );

    println!("   relative-position law      largest change of a score / (|q| |k|) when all tokens move by an offset:");
    for offset in [1_000, 100_000, 1_000_000] {
        let [a, b] = [drift(&before, &exact, offset)?, drift(&before, &single, offset)?];
        println!("      offset {offset:>7}          {a:.1e} with exact angles, {b:.1e} with f32 angles");
    }
    println!();
    Ok(())
}

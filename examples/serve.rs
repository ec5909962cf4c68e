//! Serving a model: the rotations come from its configuration, keys are kept rotated, and decoding goes on where the prompt ended.
//!
//! ```text
//! cargo run --release --example serve --features config
//! ```
//!
//! Queries, keys and values are made up from the token, since the weights of a model would not fit here.

use std::error::Error;

use posenc::config::{HfConfig, Layer};
use posenc::{HeadsMut, Positions, Rotary};

/// SmolLM3, of which every fourth layer does not turn.
const CONFIG: &str = include_str!("../tests/config/models/smollm3-3b.json");
/// Query heads, and heads of keys and values: four queries share a key.
const HEADS: [usize; 2] = [16, 4];
const PROMPT: usize = 48;
const NEW: usize = 16;

/// One layer, with the keys and values of all tokens so far, `[tokens, heads, dim]`.
struct Served {
    rope: Option<Rotary>,
    dim: usize,
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl Served {
    fn new(layer: &Layer, dim: usize, longest: usize) -> Result<Self, Box<dyn Error>> {
        // The longest length of the sequence is chosen before its first key is turned.
        let rope = layer.rope().map(|rope| rope.rotary(longest)).transpose()?;
        Ok(Self { rope, dim, keys: vec![], values: vec![] })
    }

    /// The outputs of further tokens, `[tokens, heads, dim]`.
    fn attend(&mut self, tokens: &[u32]) -> Result<Vec<f32>, Box<dyn Error>> {
        let [heads, shared] = HEADS;
        let seen = self.keys.len() / (shared * self.dim);
        let mut queries = made_up(tokens, 1, heads * self.dim);
        let mut keys = made_up(tokens, 2, shared * self.dim);
        if let Some(rope) = &self.rope {
            let mut q = HeadsMut::new(&mut queries, [tokens.len(), heads, self.dim])?;
            let mut k = HeadsMut::new(&mut keys, [tokens.len(), shared, self.dim])?;
            rope.rotate_both(&mut q, &mut k, &Positions::from(seen))?;
        }
        self.keys.extend(keys);
        self.values.extend(made_up(tokens, 3, shared * self.dim));
        let head = |(row, query)| self.head(query, row % heads * shared / heads, seen + row / heads + 1);
        Ok(queries.chunks_exact(self.dim).enumerate().flat_map(head).collect())
    }

    /// One query over the first `keys` keys of its group.
    fn head(&self, query: &[f32], group: usize, keys: usize) -> Vec<f32> {
        let of = |data: &[f32], token: usize| {
            let start = (token * HEADS[1] + group) * self.dim;
            data[start..start + self.dim].to_vec()
        };
        let score = |token| query.iter().zip(of(&self.keys, token)).map(|(q, k)| q * k).sum::<f32>();
        let weights: Vec<f32> = (0..keys).map(|token| (score(token) / (self.dim as f32).sqrt()).exp()).collect();
        let total: f32 = weights.iter().sum();
        let mut output = vec![0.0; self.dim];
        for (token, weight) in weights.iter().enumerate() {
            output.iter_mut().zip(of(&self.values, token)).for_each(|(out, value)| *out += weight / total * value);
        }
        output
    }
}

/// Numbers in [-1, 1) that depend on the token alone, `[tokens, width]`.
fn made_up(tokens: &[u32], what: u32, width: usize) -> Vec<f32> {
    let hash = |token: u32, i: usize| {
        let x = (token ^ what << 24).wrapping_add(i as u32).wrapping_mul(0x9E37_79B1);
        let x = (x ^ x >> 15).wrapping_mul(0x85EB_CA77);
        (x ^ x >> 13) as f32 / 2_147_483_648.0 - 1.0
    };
    tokens.iter().flat_map(|&token| (0..width).map(move |i| hash(token, i))).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let model = HfConfig::parse(CONFIG)?.rotary()?;
    let turning = (0..model.layer_count()).filter_map(|i| model.layer(i)?.rope()).collect::<Vec<_>>();
    let rope = turning.first().ok_or("no layer turns")?;
    let (still, base) = (model.layer_count() - turning.len(), rope.base());
    println!("{} layers turn with base {base}, {still} do not; heads of {}", turning.len(), rope.head_dim());

    let serve = |layer: usize| {
        let layer = model.layer(layer).ok_or("no such layer")?;
        Served::new(layer, rope.head_dim(), PROMPT + NEW)
    };
    let prompt: Vec<u32> = (0..PROMPT as u32).map(|i| i * i % 97).collect();
    for layer in [2, 3] {
        let (mut tokens, mut served) = (prompt.clone(), serve(layer)?);
        let mut outputs = served.attend(&tokens)?;
        for _ in 0..NEW {
            // The next token is made of the last output, as a model would do.
            let last = &outputs[outputs.len() - rope.head_dim()..];
            let next = last.iter().fold(0_u32, |sum, x| sum.wrapping_mul(31) ^ (x.to_bits() >> 9)) % 97;
            tokens.push(next);
            outputs.extend(served.attend(&[next])?);
        }
        let kind = if served.rope.is_some() { "turns" } else { "does not turn" };
        let bits = if serve(layer)?.attend(&tokens)? == outputs { "the same bits" } else { "other bits" };
        println!("layer {layer} {kind}: new tokens {:?}", &tokens[PROMPT..]);
        println!("  a prompt and {NEW} steps, against one pass: {bits}");
        println!("  keys kept: {} tokens, {} KiB", tokens.len(), served.keys.len() * 4 / 1024);
    }
    Ok(())
}

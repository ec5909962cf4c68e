//! The safe side of the C interface: numbers become views and positions, and errors become `None`.
//!
//! Nothing here is unsafe, so that the boundary itself stays short.

use std::hint::black_box;

use posenc::{Element, Frequencies, Heads, HeadsMut, Pairing, Positions, Rotary, Target};

/// An encoding, as C holds it.
pub struct Handle {
    rotary: Rotary,
    dim: usize,
}

/// How the elements of a call lie in memory, and how it is run.
#[repr(C)]
pub struct Layout {
    /// Tokens.
    pub tokens: usize,
    /// Heads of a token.
    pub heads: usize,
    /// The position of the first token; the others follow it.
    pub first: usize,
    /// 0: `[tokens, heads, dim]`; 1: `[heads, tokens, dim]`.
    pub order: u32,
    /// 1: the calling thread alone; otherwise the global pool, which `RAYON_NUM_THREADS` sizes.
    pub threads: u32,
}

impl Handle {
    pub(crate) fn new(dim: usize, base: f64, pairing: u32, rows: usize) -> Option<Self> {
        let pairing = match pairing {
            0 => Pairing::Halves,
            1 => Pairing::Interleaved,
            _ => return None,
        };
        let rotary = Rotary::new(&Frequencies::new(dim, base).ok()?, pairing).with_table(rows).ok()?;
        Some(Self { rotary, dim })
    }

    pub(crate) fn in_place<T: Element>(&self, data: &mut [T], layout: &Layout, calls: usize) -> Option<()> {
        let Layout { tokens, heads, first, order, threads } = *layout;
        for _ in 0..calls {
            let mut view = match order {
                0 => HeadsMut::token_major(&mut *data, [1, tokens, heads, self.dim]),
                1 => HeadsMut::head_major(&mut *data, [1, heads, tokens, self.dim]),
                _ => return None,
            }
            .ok()?;
            let positions = Positions::from(black_box(first));
            match threads {
                1 => self.rotary.rotate(&mut view, &positions),
                _ => self.rotary.par_rotate(&mut view, &positions),
            }
            .ok()?;
        }
        Some(())
    }

    pub(crate) fn into<T: Element + Target<T>>(
        &self,
        from: &[T],
        to: &mut [T],
        layout: &Layout,
        calls: usize,
    ) -> Option<()> {
        let Layout { tokens, heads, first, order, threads } = *layout;
        for _ in 0..calls {
            let (from, mut to) = match order {
                0 => {
                    let shape = [1, tokens, heads, self.dim];
                    (Heads::token_major(from, shape).ok()?, HeadsMut::token_major(&mut *to, shape).ok()?)
                }
                1 => {
                    let shape = [1, heads, tokens, self.dim];
                    (Heads::head_major(from, shape).ok()?, HeadsMut::head_major(&mut *to, shape).ok()?)
                }
                _ => return None,
            };
            let positions = Positions::from(black_box(first));
            match threads {
                1 => self.rotary.rotate_into(&from, &mut to, &positions),
                _ => self.rotary.par_rotate_into(&from, &mut to, &positions),
            }
            .ok()?;
        }
        Some(())
    }
}

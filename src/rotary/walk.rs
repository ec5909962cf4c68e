//! The walk of a rotation: a few tokens at a time, their cosines and sines first, then all their heads.

use alloc::vec;
use core::marker::PhantomData;

use posenc_kernels::{Grid, InPlace, Into, Memory, Rotate, Work as WorkOf};

use super::Rotary;
use crate::heads::{Heads, HeadsMut, Layout, Shape, Strides};
use crate::pair_order::reorder;
use crate::positions::Resolved;
use crate::tables::BLOCK;
use crate::{Element, Target, Work};

impl Rotary {
    /// Turns the heads of a view that begins at `origin` of the whole; everything was checked.
    pub(super) fn in_place<T: Element>(&self, heads: &mut HeadsMut<'_, T>, positions: Resolved<'_>, origin: Origin) {
        self.walk::<T::Work>(heads.shape(), positions, origin, |block, cells| self.turn(heads, block, cells));
    }

    pub(super) fn copy_rotated<S: Element, D: Target<S>>(
        &self,
        from: Heads<'_, S>,
        mut to: HeadsMut<'_, D>,
        positions: Resolved<'_>,
        origin: Origin,
    ) {
        self.walk::<S::Work>(from.shape(), positions, origin, |block, cells| {
            self.turn_into(from, &mut to, block, cells);
        });
    }

    /// Makes or finds the cosines and sines of a few tokens after the other, which stay in the nearest cache meanwhile.
    pub(super) fn walk<W: Work>(
        &self,
        shape: Shape,
        positions: Resolved<'_>,
        origin: Origin,
        mut turn: impl FnMut(Block, Cells<'_, W>),
    ) {
        if [shape.batch, shape.tokens, shape.heads, shape.dim].contains(&0) {
            return;
        }
        let pairs = self.pairs;
        let mut rows = [0; BLOCK];
        if let (Some(tables), None) = (W::tables(&self.tables), &self.selection) {
            for_blocks(shape, |block| {
                for (token, row) in (origin.token + block.token..).zip(&mut rows[..block.count]) {
                    *row = positions.get(origin.sequence + block.sequence, token) as usize * pairs;
                }
                turn(block, Cells { cos: tables.cos(), sin: tables.sin(), rows: &rows[..block.count] });
            });
        } else if let Some(source) = self.source::<W>() {
            rows.iter_mut().enumerate().for_each(|(i, row)| *row = i * pairs);
            // One token, as in decoding, needs no allocation.
            let (mut few, mut many) = ([W::default(); 2 * 128], vec![]);
            let cells = pairs * shape.tokens.min(BLOCK);
            let scratch = if cells <= 128 {
                &mut few[..]
            } else {
                many.resize(2 * cells, W::default());
                &mut many[..]
            };
            let (cos, sin) = scratch.split_at_mut(scratch.len() / 2);
            for_blocks(shape, |block| {
                let first = origin.token + block.token;
                source.fill(positions, origin.sequence + block.sequence, first..first + block.count, cos, sin);
                turn(block, Cells { cos, sin, rows: &rows[..block.count] });
            });
        }
    }

    pub(super) fn turn<T: Element>(&self, heads: &mut HeadsMut<'_, T>, block: Block, cells: Cells<'_, T::Work>) {
        let Layout { shape, strides } = heads.layout();
        let grid = block.grid(strides, self.start);
        let memory = InPlace::<T::Format> { data: T::raw_mut(heads.data()), grid };
        self.rotate_rows(memory, shape.heads, cells);
        self.rearrange(heads.data(), grid, block.count, shape.heads);
    }

    fn turn_into<S: Element, D: Target<S>>(
        &self,
        from: Heads<'_, S>,
        to: &mut HeadsMut<'_, D>,
        block: Block,
        cells: Cells<'_, S::Work>,
    ) {
        let Layout { shape, strides } = to.layout();
        let mut memory = Into::<D::Format, D::Source, D::Slot> {
            from: S::raw(from.data()),
            from_grid: block.grid(from.strides(), 0),
            to_grid: block.grid(strides, 0),
            to: D::slots(to.data()),
            format: PhantomData,
        };
        memory.carry(block.count, shape.heads, 0..self.start);
        memory.carry(block.count, shape.heads, self.start + self.width()..shape.dim);
        memory.from_grid.start += self.start;
        memory.to_grid.start += self.start;
        self.rotate_rows(memory, shape.heads, cells);
        self.rearrange(to.data(), block.grid(strides, self.start), block.count, shape.heads);
    }

    /// Puts the rotated features of some rows, which were just written, into the order of the other pairing.
    fn rearrange<T: Copy>(&self, data: &mut [T], grid: Grid, tokens: usize, heads: usize) {
        if self.output == self.pairing {
            return;
        }
        let Some(&any) = data.first() else { return };
        let width = self.width();
        let (mut few, mut many) = ([any; 256], vec![]);
        let scratch = if width <= 256 {
            &mut few[..width]
        } else {
            many.resize(width, any);
            &mut many[..]
        };
        for token in 0..tokens {
            for head in 0..heads {
                let first = grid.start + token * grid.group + head * grid.member;
                let row = &mut data[first..first + width];
                scratch.copy_from_slice(row);
                reorder(scratch, row, self.pairing, self.output);
            }
        }
    }

    fn rotate_rows<M: Memory>(&self, memory: M, members: usize, cells: Cells<'_, WorkOf<M>>) {
        let Cells { cos, sin, rows } = cells;
        Rotate { memory, members, pairs: self.pairs, cos, sin, table_rows: rows, direction: self.direction }
            .run(self.level, self.pairing);
    }
}

/// Cuts all sequences into blocks of tokens.
fn for_blocks(shape: Shape, mut work: impl FnMut(Block)) {
    for sequence in 0..shape.batch {
        let mut token = 0;
        while token < shape.tokens {
            let count = BLOCK.min(shape.tokens - token);
            work(Block { sequence, token, count });
            token += count;
        }
    }
}

/// A few tokens of one sequence.
#[derive(Clone, Copy)]
pub(super) struct Block {
    sequence: usize,
    token: usize,
    count: usize,
}

impl Block {
    /// Where the heads of these tokens are, from a feature on.
    fn grid(self, strides: Strides, feature: usize) -> Grid {
        let start = self.sequence * strides.batch + self.token * strides.token + feature;
        Grid { start, group: strides.token, member: strides.head }
    }
}

/// Cosines and sines, and where those of each token of a block begin.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a, W> {
    cos: &'a [W],
    sin: &'a [W],
    rows: &'a [usize],
}

/// Where a part of a view begins.
#[derive(Clone, Copy, Default)]
pub(crate) struct Origin {
    pub(crate) sequence: usize,
    pub(crate) token: usize,
}

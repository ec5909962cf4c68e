//! What the terms of an angle read, as frequencies remember it and as kernels want it.

use alloc::vec;
use alloc::vec::Vec;

use super::Axes;

/// What the terms of an angle read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reads {
    /// One term a pair, and one axis.
    One,
    /// One term a pair.
    Selected(Axes),
    /// One term for each axis.
    Mixed(usize),
}

impl Reads {
    /// How many axes positions must have.
    pub(crate) fn axes(&self) -> usize {
        match self {
            Self::One => 1,
            Self::Selected(axes) => axes.count,
            Self::Mixed(axes) => *axes,
        }
    }

    /// How many frequencies a pair has.
    pub(crate) fn terms(&self) -> usize {
        if let Self::Mixed(axes) = self { *axes } else { 1 }
    }

    /// Ones where a term reads an axis, `[terms, axes, pairs]`, for the kernels.
    pub(crate) fn weights(&self, pairs: usize) -> Vec<f64> {
        let axes = self.axes();
        let mut weights = vec![0.0; self.terms() * axes * pairs];
        for (cell, weight) in weights.iter_mut().enumerate() {
            let (row, pair) = (cell / pairs, cell % pairs);
            let read = match self {
                Self::One => 0,
                Self::Selected(axes) => axes.of_pairs[pair],
                Self::Mixed(_) => row / axes,
            };
            *weight = if row % axes == read { 1.0 } else { 0.0 };
        }
        weights
    }
}

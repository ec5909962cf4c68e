//! A cell of the scorecard: its names, and the two pieces of work that are measured in turns.
//!
//! Work is set up when its turn comes and dropped after it, so that the largest cells never lie in memory together.

use std::fmt;

use posenc::{Level, Pairing};

/// The columns that name a cell.
pub(crate) const COLUMNS: &str = "op,pairing,dtype,level,threads,tokens,heads,dim";

/// What a line is about.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) op: &'static str,
    pub(crate) pairing: Option<Pairing>,
    pub(crate) dtype: &'static str,
    pub(crate) level: Level,
    pub(crate) threads: usize,
    /// Tokens, heads, features of a head.
    pub(crate) shape: [usize; 3],
}

impl Names {
    /// How many elements the shape has.
    pub(crate) fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the line has `part` in it or, for a part like `tokens=16`, has this value in this column.
    pub(crate) fn matches(&self, part: &str) -> bool {
        let line = self.to_string();
        match part.split_once('=') {
            Some(named) => COLUMNS.split(',').zip(line.split(',')).any(|cell| cell == named),
            None => line.contains(part),
        }
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairing = match self.pairing {
            Some(Pairing::Halves) => "halves",
            Some(Pairing::Interleaved) => "interleaved",
            None => "-",
        };
        let Self { op, dtype, level, threads, shape: [tokens, heads, dim], .. } = self;
        write!(f, "{op},{pairing},{dtype},{level},{threads},{tokens},{heads},{dim}")
    }
}

/// The names of one operation in all its variants.
pub(crate) struct Grid<'a> {
    pub(crate) op: &'static str,
    pub(crate) pairings: &'a [Option<Pairing>],
    pub(crate) dtype: &'static str,
    pub(crate) levels: Vec<Level>,
    /// How many forms there are, for one thread and more.
    pub(crate) threads: usize,
    pub(crate) shapes: Vec<[usize; 3]>,
}

/// Operations with pairs know both ways to pair.
pub(crate) const PAIRINGS: &[Option<Pairing>] = &[Some(Pairing::Halves), Some(Pairing::Interleaved)];

impl Grid<'_> {
    /// Every combination.
    pub(crate) fn names(&self) -> impl Iterator<Item = Names> {
        let Self { op, pairings, dtype, levels, threads, shapes } = self;
        let levels = pairings.iter().flat_map(move |&pairing| levels.iter().map(move |&level| (pairing, level)));
        let threads = levels.flat_map(move |(pairing, level)| (1..=*threads).map(move |t| (pairing, level, t)));
        threads.flat_map(move |(pairing, level, threads)| {
            shapes.iter().map(move |&shape| Names { op, pairing, dtype, level, threads, shape })
        })
    }
}

/// From one token to a long prompt at 32 heads of 128, and other head sizes for 512 tokens.
pub(crate) fn shapes() -> Vec<[usize; 3]> {
    let prompts = [1, 16, 128, 512, 4096].map(|tokens| [tokens, 32, 128]);
    let dims = [64, 80, 96, 256].map(|dim| [512, 32, dim]);
    prompts.into_iter().chain(dims).collect()
}

/// Names, and how to set up what they name.
pub(crate) struct Cell {
    pub(crate) names: Names,
    set_up: Box<dyn FnOnce() -> Box<dyn Pair>>,
}

impl Cell {
    /// `ours` and `limit` work in turns on the one state that `set_up` makes, so that both see the same memory.
    pub(crate) fn new<S: Send + 'static>(
        names: Names,
        set_up: impl FnOnce() -> S + 'static,
        ours: impl FnMut(&mut S) + Send + 'static,
        limit: impl FnMut(&mut S) + Send + 'static,
    ) -> Self {
        Self { names, set_up: Box::new(|| Box::new(Shared { state: set_up(), ours, limit })) }
    }

    /// Allocates and fills what the cell works on.
    pub(crate) fn set_up(self) -> Box<dyn Pair> {
        (self.set_up)()
    }
}

/// Our work and the one that sets the limit.
pub(crate) trait Pair: Send {
    fn ours(&mut self);
    fn limit(&mut self);
}

struct Shared<S, A, B> {
    state: S,
    ours: A,
    limit: B,
}

impl<S: Send, A: FnMut(&mut S) + Send, B: FnMut(&mut S) + Send> Pair for Shared<S, A, B> {
    fn ours(&mut self) {
        (self.ours)(&mut self.state);
    }

    fn limit(&mut self) {
        (self.limit)(&mut self.state);
    }
}

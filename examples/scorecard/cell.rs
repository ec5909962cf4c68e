//! A cell of the scorecard: its names, and the pieces of work that are measured in turns.
//!
//! Work is set up when its turn comes and dropped after it, so that the largest cells never lie in memory together.

use std::fmt;

use posenc::{Level, Pairing};

/// The columns that name a cell.
pub(crate) const COLUMNS: &str = "op,pairing,dtype,level,threads,tokens,heads,dim";

/// What a line is about.
#[derive(Clone, Copy, PartialEq)]
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
    fn matches(&self, part: &str) -> bool {
        let line = self.to_string();
        match part.split_once('=') {
            Some(named) => COLUMNS.split(',').zip(line.split(',')).any(|cell| cell == named),
            None => line.contains(part),
        }
    }

    /// Whether the line matches every part; of several values for one column, one is enough.
    pub(crate) fn match_all(&self, parts: &[String]) -> bool {
        parts.iter().all(|part| match part.split_once('=') {
            Some((column, _)) => {
                let same = |other: &&String| other.split_once('=').is_some_and(|(name, _)| name == column);
                parts.iter().filter(same).any(|other| self.matches(other))
            }
            None => self.matches(part),
        })
    }

    /// By this order, cells that are compared with each other come soon after each other.
    pub(crate) fn order(&self) -> (&'static str, &'static str, [usize; 3]) {
        (self.pairing_name(), self.level.name(), self.shape)
    }

    pub(crate) fn pairing_name(&self) -> &'static str {
        match self.pairing {
            Some(Pairing::Halves) => "halves",
            Some(Pairing::Interleaved) => "interleaved",
            None => "-",
        }
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { op, dtype, level, threads, shape: [tokens, heads, dim], .. } = self;
        write!(f, "{op},{},{dtype},{level},{threads},{tokens},{heads},{dim}", self.pairing_name())
    }
}

/// Makes the cell of one element type.
pub(crate) type Make = fn(Names) -> Cell;

/// The names of one operation in all its variants.
#[derive(Clone)]
pub(crate) struct Grid {
    pub(crate) op: &'static str,
    pub(crate) pairings: &'static [Option<Pairing>],
    pub(crate) levels: Vec<Level>,
    /// How many threads there are at most.
    pub(crate) threads: usize,
    pub(crate) shapes: Vec<[usize; 3]>,
}

/// Operations with pairs know both ways to pair.
pub(crate) const PAIRINGS: &[Option<Pairing>] = &[Some(Pairing::Halves), Some(Pairing::Interleaved)];

impl Grid {
    /// One thread, no pairs, all shapes; the level of one lane is measured for few cells.
    pub(crate) fn new(op: &'static str) -> Self {
        let levels = Level::available().filter(|level| level.name() != "scalar").collect();
        Self { op, pairings: &[None], levels, threads: 1, shapes: shapes() }
    }

    /// A cell for every combination, of every type whose name and maker are given.
    pub(crate) fn cells(&self, types: &[(&'static str, Make)]) -> Vec<Cell> {
        let Self { op, pairings, levels, threads, shapes } = self;
        let mut cells = vec![];
        for &pairing in *pairings {
            for &level in levels {
                for &shape in shapes {
                    for (dtype, make) in types {
                        let names = |threads| Names { op, pairing, dtype, level, threads, shape };
                        cells.extend((1..=*threads).map(|threads| make(names(threads))));
                    }
                }
            }
        }
        cells
    }
}

/// From one token to a long prompt at 32 heads of 128, and other head sizes for 512 tokens.
pub(crate) fn shapes() -> Vec<[usize; 3]> {
    let prompts = [1, 16, 128, 512, 4096].map(|tokens| [tokens, 32, 128]);
    let dims = [64, 80, 96, 256].map(|dim| [512, 32, dim]);
    prompts.into_iter().chain(dims).collect()
}

/// A generic maker of cells for every element type, with its name.
macro_rules! every_type {
    ($make:ident) => {
        [
            ("f32", $make::<f32> as $crate::cell::Make),
            #[cfg(feature = "half")]
            ("f16", $make::<half::f16>),
            #[cfg(feature = "half")]
            ("bf16", $make::<half::bf16>),
            ("f64", $make::<f64>),
        ]
    };
}
pub(crate) use every_type;

/// Names, and how to set up what they name.
pub(crate) struct Cell {
    pub(crate) names: Names,
    set_up: Box<dyn FnOnce() -> Box<dyn Contest>>,
}

/// A piece of work on a state.
pub(crate) type Work<S> = Box<dyn FnMut(&mut S) + Send>;

impl Cell {
    /// Our work and the limit, in turns on the one state that `set_up` makes, so that both see the same memory.
    pub(crate) fn new<S: Send + 'static>(
        names: Names,
        set_up: impl FnOnce() -> S + 'static,
        ours: impl FnMut(&mut S) + Send + 'static,
        limit: impl FnMut(&mut S) + Send + 'static,
    ) -> Self {
        Self::beside(names, set_up, vec![Box::new(ours), Box::new(limit)])
    }

    /// Our work first, then several that may set the limit: the fastest of them does.
    pub(crate) fn beside<S: Send + 'static>(
        names: Names,
        set_up: impl FnOnce() -> S + 'static,
        works: Vec<Work<S>>,
    ) -> Self {
        Self { names, set_up: Box::new(|| Box::new(Shared { state: set_up(), works })) }
    }

    /// Allocates and fills what the cell works on.
    pub(crate) fn set_up(self) -> Box<dyn Contest> {
        (self.set_up)()
    }
}

/// Our work, at index 0, and others.
pub(crate) trait Contest: Send {
    fn count(&self) -> usize;
    fn run(&mut self, index: usize);
}

struct Shared<S> {
    state: S,
    works: Vec<Work<S>>,
}

impl<S: Send> Contest for Shared<S> {
    fn count(&self) -> usize {
        self.works.len()
    }

    fn run(&mut self, index: usize) {
        (self.works[index])(&mut self.state);
    }
}

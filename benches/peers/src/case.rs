//! What is measured: element types, memory orders and sizes, and the line that is printed for each.
//!
//! A case also holds what it takes to trust a time: the largest difference that may lie between two results.

use posenc::{Element, Pairing, Target};

use crate::measure::Times;

pub(crate) const HEADS: usize = 32;
pub(crate) const DIM: usize = 128;
pub(crate) const TOKENS: [usize; 5] = [1, 16, 128, 512, 4096];

/// The position of the first token: not 0, where nothing turns.
pub(crate) const FIRST: usize = 3;
pub(crate) const BASE: f64 = 10_000.0;

pub(crate) const HEADER: &str = "peer,pairing,dtype,threads,tokens,heads,dim,ours_ns,peer_ns,ratio";

/// What the command line asked for.
pub(crate) struct Plan {
    pub(crate) threads: usize,
    pub(crate) only: Option<String>,
}

impl Plan {
    pub(crate) fn wants<T: Dtype>(&self, case: &Case) -> bool {
        self.only.as_ref().is_none_or(|text| case.name::<T>().contains(text))
    }
}

/// Which lies farther apart in memory, tokens or heads.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    TokenMajor,
    HeadMajor,
}

/// One line.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) peer: &'static str,
    pub(crate) pairing: Pairing,
    pub(crate) order: Order,
    pub(crate) tokens: usize,
    pub(crate) threads: usize,
    /// What the peer's own tables and roundings add to those of the element type.
    pub(crate) slack: f32,
}

impl Case {
    pub(crate) fn elements(&self) -> usize {
        self.tokens * HEADS * DIM
    }

    /// Peer, pairing and element type, as `--only` looks for them.
    pub(crate) fn name<T: Dtype>(&self) -> String {
        let pairing = match self.pairing {
            Pairing::Halves => "halves",
            Pairing::Interleaved => "interleaved",
        };
        format!("{},{pairing},{}", self.peer, T::LABEL)
    }

    /// Ours in place and ours into a second tensor, each against the peer.
    pub(crate) fn print<T: Dtype>(&self, times: Times) {
        let Self { threads, tokens, .. } = self;
        let name = self.name::<T>();
        let (peer, rest) = name.split_once(',').unwrap_or((&name, ""));
        for (form, ours) in [("in-place", times.in_place), ("into", times.into)] {
            let ratio = times.peer / ours;
            println!("{peer}/{form},{rest},{threads},{tokens},{HEADS},{DIM},{ours:.1},{:.1},{ratio:.2}", times.peer);
        }
    }
}

/// An element type that ours and candle have.
pub(crate) trait Dtype: Element + Target<Self> + candle_core::WithDType {
    const LABEL: &'static str;

    /// How far two results may be apart for inputs between −1 and 1. A peer may round its tables and every product to the
    /// element type; we round once, at the end.
    const TOLERANCE: f32;

    fn narrow(value: f32) -> Self;
    fn widen(self) -> f32;
}

impl Dtype for f32 {
    const LABEL: &'static str = "f32";
    const TOLERANCE: f32 = 1e-6;

    fn narrow(value: f32) -> Self {
        value
    }

    fn widen(self) -> f32 {
        self
    }
}

macro_rules! half {
    ($type:ident, $tolerance:expr) => {
        impl Dtype for half::$type {
            const LABEL: &'static str = stringify!($type);
            const TOLERANCE: f32 = $tolerance;

            fn narrow(value: f32) -> Self {
                Self::from_f32(value)
            }

            fn widen(self) -> f32 {
                self.to_f32()
            }
        }
    };
}

half!(bf16, 0.02);
half!(f16, 0.0025);

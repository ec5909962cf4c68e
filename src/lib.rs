#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod absolute;
mod bias;
mod element;
mod error;
mod frequencies;
#[cfg(feature = "half")]
mod half;
mod heads;
mod math;
#[cfg(feature = "rayon")]
mod parallel;
mod positions;
mod random;
mod relative;
mod rotary;
mod tables;

pub use absolute::{
    AxialEmbedding, Blocks, Coordinates, Divisor, EmbeddingSum, EmbeddingTable, Filter, FourierFeatures, Numbering,
    Order, Resize, Sinusoidal, Time2Vec, scatter_add,
};
pub use bias::{Alibi, AlibiForm, Anchor, DistanceBias};
#[doc(hidden)]
pub use element::TableSet;
pub use element::{AddTarget, Element, Target, Work};
pub use error::{Error, Result};
pub use frequencies::Frequencies;
pub use heads::{Axis, Heads, HeadsMut, Shape, Strides};
pub use posenc_kernels::{Direction, Level, Pairing, UnknownLevel};
pub use positions::{Ids, PositionId, Positions};
pub use relative::{Clip, Init, RelativeEmbedding};
pub use rotary::Rotary;
pub use tables::{Precision, TableBuilder, Tables};

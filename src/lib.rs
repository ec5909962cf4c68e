#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod absolute;
mod axes;
mod bias;
#[cfg(feature = "config")]
pub mod config;
mod element;
mod error;
mod frequencies;
pub mod grids;
#[cfg(feature = "half")]
mod half;
mod heads;
mod math;
mod pair_order;
#[cfg(feature = "rayon")]
mod parallel;
mod positions;
mod random;
mod relative;
mod rotary;
mod stabilise;
mod tables;
mod temperature;
mod xpos;

#[cfg(feature = "rayon")]
pub use absolute::par_scatter_add;
pub use absolute::{
    AxialEmbedding, Blocks, Divisor, EmbeddingSum, EmbeddingTable, Filter, FourierFeatures, Leading, Numbering, Order,
    Resize, Sinusoidal, Time2Vec, scatter_add,
};
pub use axes::Axes;
pub use bias::{
    Alibi, AlibiForm, AlibiRounding, Anchor, AtLevel, DistanceBias, DistanceScale, DistanceTable, Fire, FireGradient,
    FireWeights, ForgetGates, GatedBias, Kerple, KerpleForm, Mlp, Sandwich, T5Bias, T5Buckets, T5Form, Tile,
    dynamic_bias, wavlm_gate,
};
#[doc(hidden)]
pub use element::TableSet;
pub use element::{AddTarget, Element, Target, Work};
pub use error::{Error, Result};
pub use frequencies::{
    DynamicNtk, FactorList, Frequencies, Llama3, LongRope, MagnitudeRule, NtkMixed, Proportional, Scaling, Truncation,
    Yarn,
};
pub use heads::{Axis, Heads, HeadsMut, Shape, Strides};
pub use pair_order::PairOrder;
pub use posenc_kernels::{Direction, Level, Pairing, UnknownLevel};
pub use positions::{ChunkRole, Coordinate, Coordinates, DualChunk, Ids, PositionId, Positions, Shard};
pub use relative::{
    AxisEmbedding, Behind, Clip, Cope, CopeLogits, DebertaBuckets, DecomposedBias, DistanceIndex, Extent, Init,
    RelativeEmbedding, RelativeGather, Reversed, Shift, Side, Window, WindowBias, WindowForm, disentangled_scale,
    log_cpb_bias, log_cpb_coordinates,
};
pub use rotary::Rotary;
pub use stabilise::Stabiliser;
pub use tables::{Precision, TableBuilder, Tables};
pub use temperature::QueryTemperature;
pub use xpos::Xpos;

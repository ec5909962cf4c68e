#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod bias;
#[cfg(feature = "config")]
pub mod config;
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
mod sinusoidal;
mod tables;
mod temperature;
mod xpos;

pub use bias::{Alibi, AlibiForm, Anchor, DistanceBias};
#[doc(hidden)]
pub use element::TableSet;
pub use element::{Element, Target, Work};
pub use error::{Error, Result};
pub use frequencies::{
    DynamicNtk, FactorList, Frequencies, Llama3, LongRope, MagnitudeRule, NtkMixed, Proportional, Scaling, Truncation,
    Yarn,
};
pub use heads::{Axis, Heads, HeadsMut, Shape, Strides};
pub use posenc_kernels::{Direction, Level, Pairing, UnknownLevel};
pub use positions::{Ids, PositionId, Positions};
pub use relative::{Clip, Init, RelativeEmbedding};
pub use rotary::Rotary;
pub use sinusoidal::{Order, Sinusoidal};
pub use tables::{Precision, TableBuilder, Tables};
pub use temperature::QueryTemperature;
pub use xpos::Xpos;

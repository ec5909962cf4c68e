//! Absolute encodings: rows that depend on a position alone, worked out or learned, and added to the rows of tokens.
//!
//! One file makes each kind of row; placing and adding them is the affair of `rows`.

mod axial;
mod embedding;
mod fourier;
mod ids;
mod order;
mod placing;
mod resize;
mod rows;
mod scatter;
mod sinusoidal;
mod sum;
mod time2vec;

pub use axial::{AxialEmbedding, Blocks};
pub use embedding::EmbeddingTable;
pub use fourier::{FourierFeatures, Leading};
pub use ids::Numbering;
pub use order::Order;
pub use resize::{Filter, Resize};
#[cfg(feature = "rayon")]
pub use scatter::par_scatter_add;
pub use scatter::scatter_add;
pub use sinusoidal::{Divisor, Sinusoidal};
pub use sum::EmbeddingSum;
pub use time2vec::Time2Vec;

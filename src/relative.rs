//! Relative encodings: learned embeddings of distances, and the maps from distances to columns and rows.

mod cope;
mod deberta;
mod decomposed;
mod embedding;
mod gather;
mod index;
mod learning;
mod log_cpb;
mod runs;
mod window;

pub use cope::{Cope, CopeLogits};
pub use deberta::{DebertaBuckets, disentangled_scale};
pub use decomposed::{AxisEmbedding, DecomposedBias};
pub use embedding::{Clip, Init, RelativeEmbedding};
pub use gather::{RelativeGather, Side};
pub use index::{Behind, DistanceIndex, Extent, Reversed, Shift};
pub use log_cpb::{log_cpb_bias, log_cpb_coordinates};
pub use window::{Window, WindowBias, WindowForm};

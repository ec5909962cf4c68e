//! Latents of videos, and of images that are made as videos of one frame.

use super::{Streams, spaced};
use crate::error::Result;
use crate::math::sqrt;

/// Frames from `first_frame` on, rows and columns counted from the middle, as Qwen-Image has them
/// (`diffusers`, `transformer_qwenimage.py`, `scale_rope`): index `i` of `n` stands at `i − (n − n/2)`.
///
/// Its text stands on all axes from `max(rows/2, columns/2)` on.
///
/// ```
/// use posenc::grids::centred;
///
/// assert_eq!(centred([1, 1, 5], 0)?.axis(2), [-3.0, -2.0, -1.0, 0.0, 1.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`Streams::product`].
pub fn centred([frames, rows, columns]: [usize; 3], first_frame: usize) -> Result<Streams> {
    let counts = [frames, rows, columns];
    Streams::of(&counts, |axis, i| match axis {
        0 => i as f64 + first_frame as f64,
        _ => i as f64 - (counts[axis] - counts[axis] / 2) as f64,
    })
}

/// Frames counted from 0, and rows and columns spread over a cropped region, as CogVideoX 1.0 has them, and, for one frame
/// and without its axis, HunyuanDiT (`diffusers`, `embeddings.py`): from `start` to `stop·(n − 1)/n` in `n` steps.
///
/// ```
/// use posenc::grids::cropped;
///
/// assert_eq!(cropped([1, 1, 4], [0.0, 2.0], [30.0, 42.0])?.axis(2)[3], 42.0 * 3.0 / 4.0);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`Streams::product`].
pub fn cropped([frames, rows, columns]: [usize; 3], start: [f64; 2], stop: [f64; 2]) -> Result<Streams> {
    let counts = [frames, rows, columns];
    Streams::of(&counts, |axis, i| match axis {
        0 => i as f64,
        _ => {
            let (count, side) = (counts[axis], axis - 1);
            let before = (count.max(1) - 1) as f64 / count.max(1) as f64;
            spaced(start[side], stop[side] * before, count, i)
        }
    })
}

/// Frames at a distance of `frame_step`, which is `24 / fps` for Cosmos (`diffusers`, `transformer_cosmos.py`) and 1 for
/// images; rows and columns counted from 0.
///
/// ```
/// use posenc::grids::cosmos;
///
/// assert_eq!(cosmos([2, 1, 1], 24.0 / 16.0)?.axis(0), [0.0, 1.5]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`Streams::product`].
pub fn cosmos([frames, rows, columns]: [usize; 3], frame_step: f64) -> Result<Streams> {
    let step = |axis: usize| if axis == 0 { frame_step } else { 1.0 };
    Streams::of(&[frames, rows, columns], |axis, i| i as f64 * step(axis))
}

/// Frames counted from 0; rows and columns around 0 at a distance that gives every image the area of `base × base`,
/// as Mochi has them (`diffusers`, `transformer_mochi.py`), with a base of 192.
///
/// ```
/// use posenc::grids::mochi;
///
/// assert_eq!(mochi([1, 4, 1], 192)?.axis(1), [-144.0, -48.0, 48.0, 144.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`Streams::product`].
pub fn mochi([frames, rows, columns]: [usize; 3], base: usize) -> Result<Streams> {
    let area = rows as f64 * columns as f64;
    let step = sqrt(base as f64 * base as f64 / area.max(1.0));
    let counts = [frames, rows, columns];
    Streams::of(&counts, |axis, i| match axis {
        0 => i as f64,
        _ => (i as f64 + 0.5 - counts[axis] as f64 / 2.0) * step,
    })
}

/// Coordinates between −1 and 1: index `i` of an axis stands at `2·i·step − 1`, as LTX-Video has them
/// (`diffusers`, `transformer_ltx.py`), where a step is `interpolation scale · patch / base`.
///
/// ```
/// use posenc::grids::ltx;
///
/// assert_eq!(ltx([2, 1, 1], [0.25, 1.0, 1.0])?.axis(0), [-1.0, -0.5]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`Streams::product`].
pub fn ltx(counts: [usize; 3], steps: [f64; 3]) -> Result<Streams> {
    Streams::of(&counts, |axis, i| 2.0 * (i as f64 * steps[axis]) - 1.0)
}

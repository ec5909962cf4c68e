//! Patches of one image.

use super::{Streams, raster, spaced};
use crate::error::{Error, Result};

/// Rows and columns of patches in blocks of `merge × merge`, as the vision towers of Qwen2-VL, Qwen2.5-VL, Qwen3-VL and
/// GLM-V order them (`transformers`, `vision_utils.py`).
///
/// ```
/// use posenc::grids::blocks;
///
/// let patches = blocks(2, 4, 2)?;
/// assert_eq!(patches.axis(0), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
/// assert_eq!(patches.axis(1), [0.0, 1.0, 0.0, 1.0, 2.0, 3.0, 2.0, 3.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Count`] unless rows and columns are multiples of `merge`, and as [`Streams::product`].
pub fn blocks(rows: usize, columns: usize, merge: usize) -> Result<Streams> {
    for (what, found) in [("rows", rows), ("columns", columns)] {
        if merge == 0 || !found.is_multiple_of(merge) {
            return Err(Error::Count { what, expected: "a multiple of the merge size", found });
        }
    }
    // Rows and columns of blocks, then rows and columns inside of one.
    let inside = raster(&[rows / merge, columns / merge, merge, merge])?;
    let join = |block, inner| {
        let coordinates = inside.axis(block).iter().zip(inside.axis(inner));
        coordinates.map(|(&block, &inner)| block * merge as f64 + inner).collect()
    };
    Ok(Streams::from_axes([join(0, 2), join(1, 3)]))
}

/// Llama-4's image patches: **columns first**, both counted from 1, and the class token behind all patches at 0
/// (`transformers`, `modeling_llama4.py`).
///
/// ```
/// use posenc::grids::llama4;
///
/// let patches = llama4(1, 2)?;
/// assert_eq!((patches.axis(0), patches.axis(1)), (&[1.0, 2.0, 0.0][..], &[1.0, 1.0, 0.0][..]));
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`Streams::product`].
pub fn llama4(rows: usize, columns: usize) -> Result<Streams> {
    let patches = Streams::of(&[rows, columns], |_, i| i as f64 + 1.0)?;
    patches.with_axes(&[1, 0])?.then(&Streams::at(&[0, 0], 1)?)
}

/// Centres of patches between −1 and 1, as DINOv3 and Sapiens-2 have them (`transformers`,
/// `modeling_dinov3_vit.py`): turn by frequencies of `2π·base^(−4j/dim)`.
///
/// ```
/// use posenc::grids::dinov3;
///
/// assert_eq!(dinov3(1, 4)?.axis(1), [-0.75, -0.25, 0.25, 0.75]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`Streams::product`].
pub fn dinov3(rows: usize, columns: usize) -> Result<Streams> {
    let counts = [rows, columns];
    Streams::of(&counts, |axis, i| (i as f64 + 0.5) / counts[axis] as f64 * 2.0 - 1.0)
}

/// Patches from −1 to 1, both ends included, as timm's axial encoding has them for pixel frequencies
/// (`timm`, `layers/pos_embed_sincos.py`).
///
/// ```
/// use posenc::grids::pixels;
///
/// assert_eq!(pixels(1, 3)?.axis(1), [-1.0, 0.0, 1.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`Streams::product`].
pub fn pixels(rows: usize, columns: usize) -> Result<Streams> {
    let counts = [rows, columns];
    Streams::of(&counts, |axis, i| spaced(-1.0, 1.0, counts[axis], i))
}

/// Patches of one grid at the places they have in a `reference` grid of another size, as EVA-02 in timm
/// (`ref_feat_shape`): index `i` of `n` stands at `i / n · reference`.
///
/// ```
/// use posenc::grids::rescaled;
///
/// assert_eq!(rescaled([1, 4], [16, 16])?.axis(1), [0.0, 4.0, 8.0, 12.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`Streams::product`].
pub fn rescaled(counts: [usize; 2], reference: [usize; 2]) -> Result<Streams> {
    Streams::of(&counts, |axis, i| i as f64 / counts[axis] as f64 * reference[axis] as f64)
}

/// [`rescaled`], cut to whole numbers, as CogView-4 (`diffusers`, `transformer_cogview4.py`) with a reference of 256.
///
/// ```
/// use posenc::grids::cogview4;
///
/// assert_eq!(cogview4([1, 3], [256, 256])?.axis(1), [0.0, 85.0, 170.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`Streams::product`].
pub fn cogview4(counts: [usize; 2], reference: [usize; 2]) -> Result<Streams> {
    Streams::of(&counts, |axis, i| (i as u128 * reference[axis] as u128 / counts[axis] as u128) as f64)
}

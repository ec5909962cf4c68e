//! Swin-v2: a network of coordinates in place of a learned table.

use alloc::vec::Vec;

use super::window::{Window, WindowBias, WindowForm};
use crate::bias::Mlp;
use crate::error::{Error, Result};
use crate::math::elementary::{ln_1p, sigmoid};

/// The coordinates of each row of a window's table, `[rows, 2]`: `sign(c)·log2(|c| + 1)/3` for `c = 8·Δ/(N − 1)`, where `N`
/// is the side of the window that the model was pretrained with, or else of the window itself. A side of 1 has only the
/// coordinate 0.
///
/// ```
/// use posenc::log_cpb_coordinates;
///
/// let coordinates = log_cpb_coordinates([1, 3], None)?;
/// let edge = 9.0_f64.log2() / 3.0;
/// assert_eq!(coordinates[0][0], 0.0);
/// assert!((coordinates[0][1] + edge).abs() < 1e-15);
/// assert_eq!(coordinates[2], [0.0, 0.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Count`] if a side is 0 or above 1024, or a pretrained one is below 2.
pub fn log_cpb_coordinates(window: [usize; 2], pretrained: Option<[usize; 2]>) -> Result<Vec<[f64; 2]>> {
    Window::new(window, WindowForm::Signed)?;
    if let Some(found) = pretrained.into_iter().flatten().find(|&side| side < 2) {
        return Err(Error::Count { what: "pretrained window", expected: "sides of at least 2", found });
    }
    let axis = |axis: usize| {
        let side = window[axis] as i64;
        let span = pretrained.map_or(window[axis], |pretrained| pretrained[axis]) - 1;
        (1 - side..side).map(move |distance| coordinate(distance as f64, span as f64))
    };
    Ok(axis(0).flat_map(|h| axis(1).map(move |w| [h, w])).collect())
}

fn coordinate(distance: f64, span: f64) -> f64 {
    if distance == 0.0 {
        return 0.0;
    }
    // The base-2 logarithm over that of 8, the largest coordinate, is the natural one over that of 8.
    let size = ln_1p(8.0 * distance.abs() / span) / (3.0 * core::f64::consts::LN_2);
    size.copysign(distance)
}

/// The bias of Swin-v2: `16·sigmoid(network(coordinates))` for each row of a window's table. The network has two inputs and
/// one output a head.
///
/// ```
/// use posenc::{Mlp, log_cpb_bias};
///
/// let network = Mlp::new(2)?.linear(&[1.0, 0.5], &[0.0])?.relu().linear(&[0.0], &[0.0])?;
/// let bias = log_cpb_bias(&network, [2, 2], None)?;
/// assert_eq!(bias.values(), [8.0; 9]);                                 // 16·sigmoid(0)
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Gradients go back through the table, whose values `v` have the derivative `v·(1 − v/16)`, and the network:
///
/// ```
/// use posenc::{Mlp, log_cpb_bias, log_cpb_coordinates};
///
/// let network = Mlp::new(2)?.linear(&[0.0, 0.0], &[0.0])?;
/// let bias = log_cpb_bias(&network, [1, 2], None)?;
/// let mut table = [0.0; 3];                                            // [3 rows, 1 head]
/// bias.table_gradient(&[1.0_f32, 0.0, 2.0, 0.0], &mut table)?;
/// table.iter_mut().zip(bias.values()).for_each(|(x, v)| *x *= v * (1.0 - v / 16.0));
/// let mut gradient = [0.0; 3];
/// network.parameters_gradient(log_cpb_coordinates([1, 2], None)?.as_flattened(), &table, &mut gradient)?;
/// assert_eq!(gradient[2], 12.0);                                       // (1 + 2)·8·(1 − 8/16)
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: Liu et al., *Swin transformer V2*, 2022, section 3.3.
///
/// # Errors
///
/// As [`log_cpb_coordinates`]; [`Error::Count`] if the network has not two inputs.
pub fn log_cpb_bias(network: &Mlp, window: [usize; 2], pretrained: Option<[usize; 2]>) -> Result<WindowBias> {
    if network.inputs() != 2 {
        return Err(Error::Count { what: "network inputs", expected: "2", found: network.inputs() });
    }
    let coordinates = log_cpb_coordinates(window, pretrained)?;
    let by_head = network.transposed(coordinates.as_flattened(), |x| 16.0 * sigmoid(x))?;
    Ok(WindowBias::by_head(Window::new(window, WindowForm::Signed)?, by_head))
}

//! Where sines and cosines stand in a row: the three orders in which models were trained.

use posenc_kernels::Arrangement;

/// Where sines and cosines stand in a row.
///
/// ```
/// use posenc::{Order, Positions, Sinusoidal};
///
/// // Position 0 shows the order: sin 0 = 0, cos 0 = 1.
/// let row = |order| Sinusoidal::new(6, 10_000.0)?.with_order(order).table(&Positions::from(0), 1);
/// assert_eq!(row(Order::Interleaved)?, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
/// assert_eq!(row(Order::SinCos)?, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
/// assert_eq!(row(Order::CosSin)?, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `sin cos sin cos …`, as in *Attention is all you need*; of an odd width, the last feature is a sine.
    Interleaved,
    /// All sines, then all cosines: Marian, Pegasus, CTRL, Transformer-XL; of an odd width, there is one sine more.
    SinCos,
    /// All cosines, then all sines: the flipped form of diffusion models; of an odd width, there is one cosine more.
    CosSin,
}

impl Order {
    /// What comes first, what comes second, and how they share a row.
    pub(super) fn arranged<T>(self, cos: T, sin: T) -> (T, T, Arrangement) {
        match self {
            Self::Interleaved => (sin, cos, Arrangement::Woven),
            Self::SinCos => (sin, cos, Arrangement::Blocked),
            Self::CosSin => (cos, sin, Arrangement::Blocked),
        }
    }

    /// Writes one row; the last of what comes second is left out where there is no room, and what room is left is zero.
    pub(super) fn put<T: Copy + Default>(self, row: &mut [T], cos: &[T], sin: &[T]) {
        let (a, b, arrangement) = self.arranged(cos, sin);
        let (row, rest) = row.split_at_mut(row.len().min(2 * a.len()));
        match arrangement {
            Arrangement::Woven => {
                let (pairs, last) = row.as_chunks_mut();
                for ((pair, &a), &b) in pairs.iter_mut().zip(a).zip(b) {
                    *pair = [a, b];
                }
                last.copy_from_slice(&a[pairs.len()..][..last.len()]);
            }
            Arrangement::Blocked => {
                let (front, back) = row.split_at_mut(row.len().div_ceil(2));
                front.copy_from_slice(a);
                back.copy_from_slice(&b[..back.len()]);
            }
        }
        rest.fill(T::default());
    }
}

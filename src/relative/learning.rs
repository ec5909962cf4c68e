//! What a learned table goes through: weighing its rows with attention, its gradient, and what keeps it stable in training.

use alloc::vec;

use posenc_kernels::Write;

use super::{RelativeEmbedding, RelativeGather, Side};
use crate::Element;
use crate::bias::learned::add_rounded;
use crate::bias::rows::{SlidingWindow, put};
use crate::error::{Result, check_length, product, zeros};
use crate::stabilise::{Stabiliser, scale_to_unit};

impl RelativeEmbedding {
    /// Adds to `out`, `[queries, features]`, the rows weighted with attention: `out[i] += Σ weights[i, j] · row(i, j)`. With
    /// the values' own table this is the value side of Shaw et al.; one head at a time. Summed in f64, rounded once before
    /// it is added.
    ///
    /// ```
    /// use posenc::{Clip, RelativeEmbedding};
    ///
    /// let values = RelativeEmbedding::new(vec![1.0, 2.0, 4.0], Clip::symmetric(1), 1)?;
    /// let mut z = [10.0_f32];
    /// values.add_weighted(&mut z, &[0.25_f32, 0.25, 0.5], [1, 3], 1)?;
    /// assert_eq!(z, [10.0 + 0.25 + 0.5 + 2.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`](crate::Error::Length) if `out` or the weights have another size,
    /// [`Error::Count`](crate::Error::Count) if a position goes beyond 2^24. Nothing is written then.
    pub fn add_weighted<T: Element>(
        &self,
        out: &mut [T],
        weights: &[T],
        [queries, keys]: [usize; 2],
        first_query: usize,
    ) -> Result<()> {
        check_length("outputs", product("outputs", &[queries, self.features])?, out.len())?;
        let mut columns = zeros("row weights", &[queries, self.clip.rows()])?;
        RelativeGather::new(self.clip, 1, Side::Query)?.scatter(weights, &mut columns, [queries, keys], first_query)?;
        let mut sums = vec![0.0_f64; self.features];
        let mut rounded = vec![T::Work::default(); self.features];
        let lines = columns.chunks_exact(self.clip.rows());
        for (out, columns) in out.chunks_exact_mut(self.features).zip(lines) {
            sums.fill(0.0);
            for (&weight, row) in columns.iter().zip(self.weights.chunks_exact(self.features)) {
                let weight = weight.to_double();
                sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += weight * f64::from(x));
            }
            rounded.iter_mut().zip(&sums).for_each(|(to, &sum)| *to = T::Work::from_double(sum));
            let window = SlidingWindow { width: self.features, window: &rounded, start: 0, step: 0 };
            put::<T>(self.level, out, window, Write::Add);
        }
        Ok(())
    }

    /// Adds to `weights_gradient`, `[left + right + 1, features]`, what the gradient of looked-up or added rows,
    /// `[queries, keys, features]`, hands back: for each row the sum over all cells that took it. Summed in f64, rounded
    /// once.
    ///
    /// ```
    /// use posenc::{Clip, RelativeEmbedding};
    ///
    /// let embedding = RelativeEmbedding::new(vec![0.0; 3], Clip::symmetric(1), 1)?;
    /// let mut gradient = [0.0; 3];
    /// embedding.weights_gradient(&[1.0_f32, 10.0, 100.0, 1000.0], [2, 2], 0, &mut gradient)?;
    /// assert_eq!(gradient, [100.0, 1001.0, 10.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`](crate::Error::Length) if either has another size. Nothing is written then.
    pub fn weights_gradient<T: Element>(
        &self,
        gradient: &[T],
        [queries, keys]: [usize; 2],
        first_query: usize,
        weights_gradient: &mut [f32],
    ) -> Result<()> {
        check_length("relative rows", product("relative rows", &[queries, keys, self.features])?, gradient.len())?;
        check_length("weights gradient", self.weights.len(), weights_gradient.len())?;
        let mut sums = zeros("weights gradient", &[self.weights.len()])?;
        for (cell, row) in gradient.chunks_exact(self.features).enumerate() {
            let index = self.index(first_query.saturating_add(cell / keys), cell % keys);
            let sums: &mut [f64] = &mut sums[index * self.features..][..self.features];
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x.to_double());
        }
        weights_gradient.iter_mut().zip(&sums).for_each(|(to, &sum)| add_rounded(to, sum));
        Ok(())
    }

    /// The rows after a [`Stabiliser`].
    ///
    /// ```
    /// use posenc::{Clip, RelativeEmbedding, Stabiliser};
    ///
    /// let embedding = RelativeEmbedding::new(vec![-1e9, 0.0, 1e9], Clip::symmetric(1), 1)?;
    /// assert_eq!(embedding.stabilised(&Stabiliser::Tanh)?.weights(), [-1.0, 0.0, 1.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Stabiliser::apply`].
    pub fn stabilised(mut self, stabiliser: &Stabiliser<'_>) -> Result<Self> {
        stabiliser.apply(&mut self.weights, self.features)?;
        Ok(self)
    }

    /// Divides all rows by the largest value in size, so that they lie in [−1, 1]. Rows of zeros stay.
    ///
    /// ```
    /// use posenc::{Clip, RelativeEmbedding};
    ///
    /// let embedding = RelativeEmbedding::new(vec![-4.0, 1.0, 2.0], Clip::symmetric(1), 1)?.scaled_to_unit();
    /// assert_eq!(embedding.weights(), [-1.0, 0.25, 0.5]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn scaled_to_unit(mut self) -> Self {
        scale_to_unit(&mut self.weights);
        self
    }

    /// Layer norm over the features of each row: `(x − mean) / sqrt(variance + epsilon)`, with the biased variance, summed
    /// in f64.
    ///
    /// ```
    /// use posenc::{Clip, RelativeEmbedding};
    ///
    /// let embedding = RelativeEmbedding::new(vec![1.0, 3.0], Clip::symmetric(0), 2)?.layer_norm(0.0)?;
    /// assert_eq!(embedding.weights(), [-1.0, 1.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Number`](crate::Error::Number) if `epsilon` is negative or not finite.
    pub fn layer_norm(self, epsilon: f64) -> Result<Self> {
        self.stabilised(&Stabiliser::LayerNorm { epsilon, gain: None, shift: None })
    }
}

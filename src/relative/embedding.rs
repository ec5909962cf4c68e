//! Learned embeddings of clipped distances: one row for each.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use posenc_kernels::{Level, Write};

use crate::bias::rows::{SlidingWindow, put};
use crate::element::{Element, Work};
use crate::error::{Error, Result, check_length, product, zeros};
use crate::random::Random;

/// How far distances `key − query` are told apart; what lies beyond shares the outermost row.
///
/// ```
/// use posenc::Clip;
///
/// assert_eq!(Clip::symmetric(16).rows(), 33);
/// assert_eq!(Clip { left: 64, right: 8 }.rows(), 73);       // w2v-BERT
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clip {
    /// The largest distance to a key before the query.
    pub left: usize,
    /// The largest distance to a key after the query.
    pub right: usize,
}

impl Clip {
    /// The same distance to both sides.
    #[must_use]
    pub fn symmetric(distance: usize) -> Self {
        Self { left: distance, right: distance }
    }

    /// How many distances, and so rows, there are.
    #[must_use]
    pub fn rows(self) -> usize {
        self.left.saturating_add(self.right).saturating_add(1)
    }
}

/// How random rows are drawn.
///
/// ```
/// use posenc::{Clip, Init, RelativeEmbedding};
///
/// let embedding = RelativeEmbedding::random(Clip::symmetric(2), 8, Init::Uniform { bound: 0.5 }, 42)?;
/// assert!(embedding.weights().iter().all(|w| w.abs() <= 0.5));
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// Normal around 0.
    Normal {
        /// Standard deviation.
        deviation: f32,
    },
    /// Uniform between `−bound` and `bound`.
    Uniform {
        /// Largest size.
        bound: f32,
    },
}

/// One learned row for each clipped distance `key − query`: `row(clip(j − i, −left, right) + left)`.
///
/// ```
/// use posenc::{Clip, RelativeEmbedding};
///
/// // Distances −1, 0 and 1, two features each.
/// let embedding = RelativeEmbedding::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], Clip::symmetric(1), 2)?;
/// assert_eq!(embedding.row(7, 5), [1.0, 2.0]);              // clipped to −1
/// assert_eq!(embedding.lookup([1, 3], 0)?, [3.0, 4.0, 5.0, 6.0, 5.0, 6.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: Shaw et al., *Self-attention with relative position representations*, 2018.
#[derive(Clone, Debug, PartialEq)]
pub struct RelativeEmbedding {
    pub(super) weights: Vec<f32>,
    pub(super) clip: Clip,
    pub(super) features: usize,
    pub(super) level: Level,
}

impl RelativeEmbedding {
    /// Given rows, `[left + right + 1, features]`, from the farthest key on the left to the farthest on the right.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if `features` is 0, [`Error::Length`] if there are more or fewer weights than rows ask for.
    pub fn new(weights: Vec<f32>, clip: Clip, features: usize) -> Result<Self> {
        check_length("relative weights", Self::size(clip, features)?, weights.len())?;
        Ok(Self { weights, clip, features, level: Level::detect() })
    }

    /// Random rows; the same seed gives the same rows on every machine.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if `features` is 0 or the rows do not fit the address space, [`Error::Number`] if the deviation
    /// or the bound is negative or not finite.
    pub fn random(clip: Clip, features: usize, init: Init, seed: u64) -> Result<Self> {
        let (what, scale) = match init {
            Init::Normal { deviation } => ("deviation", deviation),
            Init::Uniform { bound } => ("bound", bound),
        };
        if !(scale >= 0.0 && scale.is_finite()) {
            return Err(Error::Number { what, expected: "a finite number, 0 or more", found: f64::from(scale) });
        }
        let mut random = Random::new(seed);
        let mut weights = zeros("relative weights", &[Self::size(clip, features)?])?;
        for weight in &mut weights {
            let sample = match init {
                Init::Normal { .. } => random.normal(),
                Init::Uniform { .. } => 2.0 * random.uniform() - 1.0,
            };
            *weight = (sample * f64::from(scale)) as f32;
        }
        Ok(Self { weights, clip, features, level: Level::detect() })
    }

    /// The same embedding on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    fn size(clip: Clip, features: usize) -> Result<usize> {
        if features == 0 {
            return Err(Error::Count { what: "features", expected: "at least 1", found: 0 });
        }
        product("relative weights", &[clip.rows(), features])
    }

    /// All rows, `[left + right + 1, features]`.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// How far distances are told apart.
    #[must_use]
    pub fn clip(&self) -> Clip {
        self.clip
    }

    /// How many values a row has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features
    }

    /// The number of the row for a query and a key.
    #[must_use]
    pub fn index(&self, query: usize, key: usize) -> usize {
        if key < query {
            self.clip.left - (query - key).min(self.clip.left)
        } else {
            self.clip.left + (key - query).min(self.clip.right)
        }
    }

    /// The row for a query and a key.
    #[must_use]
    pub fn row(&self, query: usize, key: usize) -> &[f32] {
        &self.weights[self.index(query, key) * self.features..][..self.features]
    }

    /// The clipped distance as a fraction of the farthest one on its side: −1 to 1, and 0 for a key at its query.
    ///
    /// ```
    /// use posenc::{Clip, Init, RelativeEmbedding};
    ///
    /// let embedding = RelativeEmbedding::random(Clip { left: 4, right: 2 }, 1, Init::Normal { deviation: 1.0 }, 0)?;
    /// assert_eq!(embedding.normalized_distance(10, 9), -0.25);
    /// assert_eq!(embedding.normalized_distance(10, 99), 1.0);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    #[must_use]
    pub fn normalized_distance(&self, query: usize, key: usize) -> f32 {
        let index = self.index(query, key);
        if index < self.clip.left {
            -((self.clip.left - index) as f32 / self.clip.left as f32)
        } else {
            (index - self.clip.left) as f32 / self.clip.right.max(1) as f32
        }
    }

    /// The rows for all queries from `first_query` on and all keys from 0 on: `[queries, keys, features]`.
    ///
    /// With a cache of keys, `first_query` is their number before the new ones; one query then gives one row a key.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if the result does not fit the address space.
    pub fn lookup(&self, [queries, keys]: [usize; 2], first_query: usize) -> Result<Vec<f32>> {
        let mut out = zeros("relative rows", &[queries, keys, self.features])?;
        self.lookup_into(&mut out, [queries, keys], first_query)?;
        Ok(out)
    }

    /// [`lookup`](Self::lookup) into a slice of `[queries, keys, features]`, of any element type.
    ///
    /// ```
    /// use posenc::{Clip, RelativeEmbedding};
    ///
    /// let embedding = RelativeEmbedding::new(vec![1.0, 2.0, 3.0], Clip::symmetric(1), 1)?;
    /// let mut rows = [0.0_f64; 3];
    /// embedding.lookup_into(&mut rows, [1, 3], 2)?;
    /// assert_eq!(rows, [1.0, 1.0, 2.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if `out` has another size. Nothing is written then.
    pub fn lookup_into<T: Element>(&self, out: &mut [T], size: [usize; 2], first_query: usize) -> Result<()> {
        self.whole(out, size, first_query, Write::Set)
    }

    /// Adds the row of each query and key to `x`, `[queries, keys, features]`; 16-bit sums are rounded once.
    ///
    /// ```
    /// use posenc::{Clip, RelativeEmbedding};
    ///
    /// let embedding = RelativeEmbedding::new(vec![1.0, 2.0, 3.0], Clip::symmetric(1), 1)?;
    /// let mut x = [10.0_f32; 4];
    /// embedding.add(&mut x, [2, 2], 0)?;
    /// assert_eq!(x, [12.0, 13.0, 11.0, 12.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`lookup_into`](Self::lookup_into).
    pub fn add<T: Element>(&self, x: &mut [T], size: [usize; 2], first_query: usize) -> Result<()> {
        self.whole(x, size, first_query, Write::Add)
    }

    /// [`lookup_into`](Self::lookup_into), on the rayon pool of the caller.
    ///
    /// # Errors
    ///
    /// As [`lookup_into`](Self::lookup_into).
    #[cfg(feature = "rayon")]
    pub fn par_lookup_into<T: Element>(&self, out: &mut [T], size: [usize; 2], first_query: usize) -> Result<()> {
        self.par_whole(out, size, first_query, Write::Set)
    }

    /// [`add`](Self::add), on the rayon pool of the caller.
    ///
    /// ```
    /// use posenc::{Clip, RelativeEmbedding};
    ///
    /// let embedding = RelativeEmbedding::new(vec![0.5; 64 * 17], Clip::symmetric(8), 64)?;
    /// let (mut serial, mut parallel) = (vec![1.0_f32; 64 * 90 * 90], vec![1.0_f32; 64 * 90 * 90]);
    /// embedding.add(&mut serial, [90, 90], 3)?;
    /// embedding.par_add(&mut parallel, [90, 90], 3)?;
    /// assert_eq!(serial, parallel);
    /// embedding.par_lookup_into(&mut parallel, [90, 90], 3)?;
    /// assert_eq!(embedding.lookup([90, 90], 3)?, parallel);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`lookup_into`](Self::lookup_into).
    #[cfg(feature = "rayon")]
    pub fn par_add<T: Element>(&self, x: &mut [T], size: [usize; 2], first_query: usize) -> Result<()> {
        self.par_whole(x, size, first_query, Write::Add)
    }

    fn whole<T: Element>(&self, x: &mut [T], size: [usize; 2], first_query: usize, write: Write) -> Result<()> {
        let table = self.table::<T>(x.len(), size)?;
        self.put(&table, x, first_query, size[1], write);
        Ok(())
    }

    #[cfg(feature = "rayon")]
    fn par_whole<T: Element>(&self, x: &mut [T], size: [usize; 2], first_query: usize, write: Write) -> Result<()> {
        let (table, keys) = (self.table::<T>(x.len(), size)?, size[1]);
        let width = keys * self.features;
        crate::parallel::moved_rows(x.len(), width, x, &|first, x: &mut [T]| {
            self.put(&table, x, first_query.saturating_add(first), keys, write);
        });
        Ok(())
    }

    /// The weights for rows of so many elements, which are as many as the sizes ask for.
    fn table<T: Element>(&self, found: usize, [queries, keys]: [usize; 2]) -> Result<Cow<'_, [T::Work]>> {
        check_length("relative rows", product("relative rows", &[queries, keys, self.features])?, found)?;
        Ok(T::Work::widen(&self.weights))
    }

    /// Puts the rows of queries from one on.
    ///
    /// ```text
    /// keys     0 … | query − left … query + right | … last
    /// row      first | one row further with each key | last row
    /// ```
    fn put<T: Element>(&self, table: &[T::Work], x: &mut [T], first_query: usize, keys: usize, write: Write) {
        if x.is_empty() {
            return;
        }
        let (Clip { left, right }, features) = (self.clip, self.features);
        for (query, x) in x.chunks_exact_mut(keys * features).enumerate() {
            let query = first_query.saturating_add(query);
            let near = keys.min(query.saturating_sub(left));
            let far = keys.min(query.saturating_add(right).saturating_add(1)).max(near);
            let (before, x) = x.split_at_mut(near * features);
            let (within, after) = x.split_at_mut((far - near) * features);
            let row = |row: usize, rows: usize| &table[row * features..][..rows * features];
            for (rows, window) in [
                (before, row(0, 1)),
                (within, row(if far > near { self.index(query, near) } else { 0 }, far - near)),
                (after, row(left + right, 1)),
            ] {
                let slide = SlidingWindow { width: window.len(), window, start: 0, step: 0 };
                put::<T>(self.level, rows, slide, write);
            }
        }
    }
}

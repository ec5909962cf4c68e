//! The forms in which every bias is used.

/// The forms in which a bias is used, as methods.
macro_rules! score_forms {
    ($vis:vis, $rows:path, where $($bound:tt)*) => {
        /// Adds the bias to scores, `[heads, queries, keys]`, of all heads; the queries stand at `first_query` and
        /// after, the keys at 0 and after. Biases are f32; 16-bit sums are rounded once. For grouped heads the scores
        /// are those of query heads, one group behind the other.
        ///
        /// # Errors
        ///
        /// [`Error::Length`](crate::Error::Length) if the scores have another size,
        /// [`Error::Count`](crate::Error::Count) if a position goes beyond 2^24 or beyond what the bias has values for.
        /// Nothing is written then.
        $vis fn add<T: $crate::Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize)
            -> $crate::Result<()>
        {
            $crate::bias::rows::whole(&$rows(self), scores, size, first_query, posenc_kernels::Write::Add)
        }

        /// [`add`](Self::add), but writes the bias over what stands there. For one query at `first_query` this is the
        /// row of a decode step.
        ///
        /// # Errors
        ///
        /// As [`add`](Self::add).
        $vis fn write<T: $crate::Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize)
            -> $crate::Result<()>
        {
            $crate::bias::rows::whole(&$rows(self), scores, size, first_query, posenc_kernels::Write::Set)
        }

        /// Adds the bias to a tile of the scores.
        ///
        /// # Errors
        ///
        /// As [`add`](Self::add); [`Error::Count`](crate::Error::Count) if a range of the tile runs backward or there
        /// are no such heads.
        $vis fn add_tile<T: $crate::Element>(&self, scores: &mut [T], tile: &$crate::Tile) -> $crate::Result<()> {
            $crate::bias::rows::tile(&$rows(self), scores, tile, posenc_kernels::Write::Add)
        }

        /// Writes the bias over a tile of the scores.
        ///
        /// # Errors
        ///
        /// As [`add_tile`](Self::add_tile).
        $vis fn write_tile<T: $crate::Element>(&self, scores: &mut [T], tile: &$crate::Tile) -> $crate::Result<()> {
            $crate::bias::rows::tile(&$rows(self), scores, tile, posenc_kernels::Write::Set)
        }

        /// [`add`](Self::add), on the rayon pool of the caller.
        ///
        /// # Errors
        ///
        /// As [`add`](Self::add).
        #[cfg(feature = "rayon")]
        $vis fn par_add<T: $crate::Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize)
            -> $crate::Result<()> where $($bound)*
        {
            $crate::bias::rows::par_whole(&$rows(self), scores, size, first_query, posenc_kernels::Write::Add)
        }

        /// [`write`](Self::write), on the rayon pool of the caller.
        ///
        /// # Errors
        ///
        /// As [`add`](Self::add).
        #[cfg(feature = "rayon")]
        $vis fn par_write<T: $crate::Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize)
            -> $crate::Result<()> where $($bound)*
        {
            $crate::bias::rows::par_whole(&$rows(self), scores, size, first_query, posenc_kernels::Write::Set)
        }
    };
}
pub(crate) use score_forms;

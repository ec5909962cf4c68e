//! The gradients of learned rows: the transpose of looking them up.

#[cfg(feature = "rayon")]
use alloc::vec::Vec;

use posenc_kernels::{Level, ScatterAdd};

use super::embedding::EmbeddingTable;
use super::rows::{check_factor, factor};
use crate::element::AddTarget;
use crate::error::Result;
use crate::positions::Resolved;
use crate::tables::BLOCK;
use crate::{Element, Positions};

/// Adds the gradients of looked-up rows, `[tokens, features]`, to those of a table, `[positions, features]`, times the
/// factor of its rows: the transpose of [`EmbeddingTable::write`].
///
/// Rows are added one after the other, in the order of the tokens, so that the sum is the same on every machine. In the
/// 16-bit types each addition is rounded; gradients of many tokens are better collected in f32.
///
/// ```
/// use posenc::{Positions, scatter_add};
///
/// let mut gradients = [0.0_f32; 6];                                // [3 positions, 2 features]
/// scatter_add(&mut gradients, &[1.0, 2.0, 10.0, 20.0], 2, 1.0, &Positions::ids(&[2, 2]))?;
/// assert_eq!(gradients, [0.0, 0.0, 0.0, 0.0, 11.0, 22.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Count`](crate::Error::Count) if `features` is 0, [`Error::Length`](crate::Error::Length) if either slice is not
/// whole rows or there are more or fewer ids than rows, [`Error::Position`](crate::Error::Position) if a position has no row,
/// [`Error::Number`](crate::Error::Number) if the factor is larger than 1e38 in size, or no number. Nothing is written then.
pub fn scatter_add<S: Element, T: AddTarget<S>>(
    table: &mut [T],
    rows: &[S],
    features: usize,
    by: f64,
    positions: &Positions<'_>,
) -> Result<()> {
    let call = Call::new(table, rows, features, by, positions)?;
    let mut block = [[0; 2]; BLOCK];
    for first in (0..call.tokens).step_by(BLOCK) {
        let count = BLOCK.min(call.tokens - first);
        let places = &mut block[..count];
        places.iter_mut().zip(first..).for_each(|(place, token)| *place = call.place(token));
        call.add(table, places);
    }
    Ok(())
}

/// [`scatter_add`], on the rayon pool of the caller. Threads share the table out among them, row by row, so that each row is
/// still summed in the order of the tokens: the bits are the same. A table of few rows keeps few threads busy.
///
/// ```
/// use posenc::{Positions, par_scatter_add, scatter_add};
///
/// let (rows, ids) = (vec![0.1_f32; 9000 * 64], (0..9000).map(|i| i * i % 500).collect::<Vec<_>>());
/// let (mut serial, mut parallel) = (vec![0.0_f32; 500 * 64], vec![0.0_f32; 500 * 64]);
/// scatter_add(&mut serial, &rows, 64, 0.5, &Positions::ids(&ids))?;
/// par_scatter_add(&mut parallel, &rows, 64, 0.5, &Positions::ids(&ids))?;
/// assert_eq!(serial, parallel);
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// # Errors
///
/// As [`scatter_add`].
#[cfg(feature = "rayon")]
pub fn par_scatter_add<S: Element, T: AddTarget<S>>(
    table: &mut [T],
    rows: &[S],
    features: usize,
    by: f64,
    positions: &Positions<'_>,
) -> Result<()> {
    if !crate::parallel::is_worth_cutting(rows.len()) {
        return scatter_add(table, rows, features, by, positions);
    }
    let call = Call::new(table, rows, features, by, positions)?;
    let places = (0..call.tokens).map(|token| call.place(token)).collect();
    let whole = Part { table, features, places };
    crate::parallel::pieces(whole, &Part::cut, &|part: Part<'_, T>| call.add(part.table, &part.places));
    Ok(())
}

/// What is added, where, and times what; everything was checked.
struct Call<'a, S> {
    rows: &'a [S],
    features: usize,
    tokens: usize,
    by: f64,
    positions: Resolved<'a>,
    level: Level,
}

impl<'a, S: Element> Call<'a, S> {
    fn new<T: Element>(
        table: &[T],
        rows: &'a [S],
        features: usize,
        by: f64,
        positions: &'a Positions<'a>,
    ) -> Result<Self> {
        let by = check_factor("factor", by)?;
        let count = EmbeddingTable::new(table, features)?.positions;
        let tokens = EmbeddingTable::new(rows, features)?.positions;
        let positions = positions.resolve(1, tokens, Some(count), 1)?;
        Ok(Self { rows, features, tokens, by, positions, level: Level::detect() })
    }

    /// The numbers of a token and of its row of the table.
    fn place(&self, token: usize) -> [usize; 2] {
        [token, self.positions.get(0, token) as usize]
    }

    /// Adds the rows of some tokens to theirs of a table.
    fn add<T: AddTarget<S>>(&self, table: &mut [T], places: &[[usize; 2]]) {
        let (table, rows) = (T::raw_mut(table), S::raw(self.rows));
        let (width, factor) = (self.features, factor(self.by));
        self.level.run(ScatterAdd::<T::Format, T::Rows> { table, width, rows, places, factor });
    }
}

/// Some rows of a table, and the tokens that are added to them.
#[cfg(feature = "rayon")]
struct Part<'a, T> {
    table: &'a mut [T],
    features: usize,
    places: Vec<[usize; 2]>,
}

#[cfg(feature = "rayon")]
impl<T> Part<'_, T> {
    /// Two parts with about as many tokens each, if there are at least so many elements to be added, and to more rows than
    /// one.
    fn cut(self, least: usize) -> core::result::Result<[Self; 2], Self> {
        let features = self.features;
        let mut rows: Vec<usize> = self.places.iter().map(|&[_, row]| row).collect();
        let Some(&first) = rows.iter().min().filter(|_| rows.len() * features >= least) else { return Err(self) };
        let count = rows.len();
        // The row in the middle, and the first one of the second part.
        let middle = *rows.select_nth_unstable(count / 2).1;
        let Some(&next) = rows.iter().filter(|&&row| row > first).min() else { return Err(self) };
        let at = middle.max(next);
        let (left, mut right): (Vec<_>, Vec<_>) = self.places.into_iter().partition(|&[_, row]| row < at);
        right.iter_mut().for_each(|[_, row]| *row -= at);
        let (head, tail) = self.table.split_at_mut(at * features);
        Ok([Self { table: head, features, places: left }, Self { table: tail, features, places: right }])
    }
}

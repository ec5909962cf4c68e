//! Windows of two axes: which row of a learned table serves a query and a key, and the bias made of it.

use alloc::vec;
use alloc::vec::Vec;

use posenc_kernels::Level;

use crate::Element;
use crate::bias::forms::score_forms;
use crate::bias::learned;
use crate::bias::rows::{Of, Rows, Shared};
use crate::bias::tile::Block;
use crate::error::{Error, Result, check_length, product, zeros};

/// How a table is laid out over the distances of two axes.
///
/// ```
/// use posenc::{Window, WindowForm};
///
/// let rows = |form| Window::new([2, 3], form).map(|window| window.rows());
/// assert_eq!(rows(WindowForm::Signed)?, 15);
/// assert_eq!(rows(WindowForm::WithClassToken)?, 18);
/// assert_eq!(rows(WindowForm::Unsigned)?, 6);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WindowForm {
    /// `(Δh + H − 1)·(2W − 1) + Δw + W − 1` with `Δ = query − key`: Swin and its kin.
    Signed,
    /// The same behind a class token at 0, with three more rows: class to token, token to class, class to class: BEiT,
    /// data2vec-vision.
    WithClassToken,
    /// `|Δh|·W + |Δw|`: LeViT, MobileViT and their kin.
    Unsigned,
}

/// A window of `height · width` tokens, row by row, behind a class token where the form has one.
///
/// ```
/// use posenc::{Window, WindowForm};
///
/// let window = Window::new([2, 3], WindowForm::Signed)?;
/// assert_eq!(window.row(0, 0), Some(7));                               // no distance: the middle row
/// assert_eq!(window.indices()?[..6], [7, 6, 5, 2, 1, 0]);              // the first token to all others
/// # Ok::<(), posenc::Error>(())
/// ```
///
/// Source: Liu et al., *Swin transformer*, 2021; Bao et al., *BEiT*, 2021; Graham et al., *LeViT*, 2021.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    height: usize,
    width: usize,
    form: WindowForm,
}

/// The longest side of a window.
const MAX_SIDE: usize = 1 << 10;

impl Window {
    /// A window of some height and width.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if a side is 0 or above 1024.
    pub fn new([height, width]: [usize; 2], form: WindowForm) -> Result<Self> {
        for (what, found) in [("window height", height), ("window width", width)] {
            if !(1..=MAX_SIDE).contains(&found) {
                return Err(Error::Count { what, expected: "1 to 1024", found });
            }
        }
        Ok(Self { height, width, form })
    }

    /// How many tokens there are, the class token included.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.height * self.width + self.class_tokens()
    }

    fn class_tokens(&self) -> usize {
        usize::from(self.form == WindowForm::WithClassToken)
    }

    /// How many rows the table has.
    #[must_use]
    pub fn rows(&self) -> usize {
        let signed = (2 * self.height - 1) * (2 * self.width - 1);
        match self.form {
            WindowForm::Signed => signed,
            WindowForm::WithClassToken => signed + 3,
            WindowForm::Unsigned => self.height * self.width,
        }
    }

    /// The row of the table for a query and a key, if there are such tokens.
    #[must_use]
    pub fn row(&self, query: usize, key: usize) -> Option<usize> {
        let mut row = [0];
        (query < self.tokens() && key < self.tokens()).then(|| {
            self.fill(query, key, &mut row);
            row[0]
        })
    }

    /// The rows of all queries and keys, `[tokens, tokens]`.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if they do not fit the memory.
    pub fn indices(&self) -> Result<Vec<usize>> {
        let tokens = self.tokens();
        let mut indices = zeros("window indices", &[tokens, tokens])?;
        for (query, row) in indices.chunks_exact_mut(tokens).enumerate() {
            self.fill(query, 0, row);
        }
        Ok(indices)
    }

    /// The rows of a query and the keys from one on; all of them are tokens of the window.
    fn fill(&self, query: usize, first_key: usize, out: &mut [usize]) {
        let (class, rows) = (self.class_tokens(), self.rows());
        let (out, first_key) = if class > first_key {
            let Some((first, rest)) = out.split_first_mut() else { return };
            *first = if query < class { rows - 1 } else { rows - 2 };
            (rest, 0)
        } else {
            (out, first_key - class)
        };
        if query < class {
            return out.fill(rows - 3);
        }
        let (query_h, query_w) = ((query - class) / self.width, (query - class) % self.width);
        let (mut key_h, mut key_w) = (first_key / self.width, first_key % self.width);
        for out in out {
            *out = match self.form {
                WindowForm::Unsigned => query_h.abs_diff(key_h) * self.width + query_w.abs_diff(key_w),
                WindowForm::Signed | WindowForm::WithClassToken => {
                    (query_h + self.height - 1 - key_h) * (2 * self.width - 1) + query_w + self.width - 1 - key_w
                }
            };
            key_w += 1;
            if key_w == self.width {
                (key_h, key_w) = (key_h + 1, 0);
            }
        }
    }
}

/// A learned bias for each row of a window's table and each head.
///
/// Positions are those of tokens in the window: the scores of one window are `[heads, tokens, tokens]`, `first_query` 0.
///
/// ```
/// use posenc::{Window, WindowBias, WindowForm};
///
/// let window = Window::new([1, 2], WindowForm::Signed)?;
/// let bias = WindowBias::new(window, &[1.0, 2.0, 3.0])?;               // [3 rows, 1 head]
/// let mut scores = [0.0_f32; 4];
/// bias.add(&mut scores, [2, 2], 0)?;
/// assert_eq!(scores, [2.0, 1.0, 3.0, 2.0]);
/// # Ok::<(), posenc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WindowBias {
    window: Window,
    /// `[heads, rows]`.
    by_head: Vec<f32>,
    heads: usize,
    level: Level,
}

impl WindowBias {
    /// A table as checkpoints have it, `[rows, heads]`.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the table is not whole rows of at least one head.
    pub fn new(window: Window, table: &[f32]) -> Result<Self> {
        Ok(Self::by_head(window, learned::by_head("window table", table, window.rows())?))
    }

    /// A table turned around, `[heads, rows]`.
    pub(super) fn by_head(window: Window, by_head: Vec<f32>) -> Self {
        Self { heads: by_head.len() / window.rows(), window, by_head, level: Level::detect() }
    }

    /// The same bias on a given level; the values do not change.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// The window.
    #[must_use]
    pub fn window(&self) -> Window {
        self.window
    }

    /// The bias of each head at each row of the table, `[heads, rows]`.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.by_head
    }

    score_forms!(pub, Of, where);

    /// Adds to `table_gradient`, `[rows, heads]`, what the gradient of the scores of one window, `[heads, tokens, tokens]`,
    /// hands back: for each row and head the sum over all scores that took its value. Summed in f64, rounded once.
    ///
    /// ```
    /// use posenc::{Window, WindowBias, WindowForm};
    ///
    /// let bias = WindowBias::new(Window::new([1, 2], WindowForm::Signed)?, &[0.0; 3])?;
    /// let mut gradient = [0.0; 3];
    /// bias.table_gradient(&[1.0_f32, 10.0, 100.0, 1000.0], &mut gradient)?;
    /// assert_eq!(gradient, [10.0, 1001.0, 100.0]);
    /// # Ok::<(), posenc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if either has another size. Nothing is written then.
    pub fn table_gradient<T: Element>(&self, gradient: &[T], table_gradient: &mut [f32]) -> Result<()> {
        let tokens = self.window.tokens();
        check_length("score gradients", product("scores", &[self.heads, tokens, tokens])?, gradient.len())?;
        check_length("table gradient", self.by_head.len(), table_gradient.len())?;
        let (mut sums, mut index) = (vec![0.0; self.window.rows()], vec![0; tokens]);
        for (head, scores) in gradient.chunks_exact(tokens * tokens).enumerate() {
            sums.fill(0.0);
            for (query, scores) in scores.chunks_exact(tokens).enumerate() {
                self.window.fill(query, 0, &mut index);
                index.iter().zip(scores).for_each(|(&row, x)| sums[row] += x.to_double());
            }
            learned::add_to_head(table_gradient, self.heads, head, &sums);
        }
        Ok(())
    }
}

impl Rows for WindowBias {
    fn heads(&self) -> usize {
        self.heads
    }

    fn shared(&self, _: usize) -> Shared {
        Shared { queries: 1, step: 0 }
    }

    fn fill(&self, head: usize, query: usize, first_key: usize, out: &mut [f32]) {
        let values = &self.by_head[head * self.window.rows()..][..self.window.rows()];
        // Some keys at a time, so that their rows of the table stay at hand.
        let mut index = [0; 64];
        for (part, out) in out.chunks_mut(index.len()).enumerate() {
            let index = &mut index[..out.len()];
            self.window.fill(query, first_key + 64 * part, index);
            out.iter_mut().zip(&*index).for_each(|(out, &row)| *out = values[row]);
        }
    }

    fn check(&self, block: &Block) -> Result<()> {
        let found = (block.first_query + block.queries).max(block.first_key + block.keys);
        if found > self.window.tokens() {
            return Err(Error::Count { what: "tokens", expected: "no more than the window has", found });
        }
        Ok(())
    }

    fn level(&self) -> Level {
        self.level
    }
}

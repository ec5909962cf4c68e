//! Positions held against the tokens of a call: every length and every position is checked here, before anything is
//! written, and read afterwards without a check.

use super::{Coordinates, Counted, Ids, Kind, Positions, Shard};
use crate::error::{Error, Result, check_length};

/// The largest position, in size, for which tables are exact to their contract.
const LIMIT: i64 = 1 << 31;

/// Positions that were checked against the tokens and the tables of a call. Small, since every call hands it on.
#[derive(Clone, Copy)]
pub(crate) struct Resolved<'a> {
    kind: &'a Kind<'a>,
    /// How many tokens a sequence has.
    tokens: usize,
    /// How many entries of a list to skip for each further sequence, and for each further axis.
    steps: Steps,
}

#[derive(Clone, Copy, Default)]
struct Steps {
    sequence: usize,
    axis: usize,
}

/// What a call asks of its positions.
#[derive(Clone, Copy)]
struct Call {
    batch: usize,
    tokens: usize,
    min: i64,
    max: i64,
    /// Whether positions name rows of a table, so that fractions cannot be served.
    in_table: bool,
}

impl Positions<'_> {
    /// Checks that there is a position for each of `batch × tokens` tokens on each of `axes` axes, and each fits `rows` of
    /// a table, or the contract where there is no table.
    #[inline]
    pub(crate) fn resolve(
        &self,
        batch: usize,
        tokens: usize,
        rows: Option<usize>,
        axes: usize,
    ) -> Result<Resolved<'_>> {
        let found = if let Kind::Axes { axes, .. } = self.kind { axes } else { 1 };
        if found != axes && !(self.on_all_axes && found == 1) {
            return Err(Error::Axes { expected: axes, found });
        }
        let (min, max) = match rows {
            Some(rows) => (0, i64::try_from(rows).unwrap_or(i64::MAX) - 1),
            None => (-LIMIT, LIMIT),
        };
        let call = Call { batch, tokens, min, max, in_table: rows.is_some() };
        let steps = match self.kind {
            Kind::Offset(first) => {
                call.check_run(0, first, tokens)?;
                Steps::default()
            }
            _ => call.check(&self.kind)?,
        };
        Ok(Resolved { kind: &self.kind, tokens, steps })
    }

    /// Checks that `elements` are whole rows of `width`, and that there is a position for each of them.
    ///
    /// Rows without width are done whatever their number, which no length can tell.
    pub(crate) fn resolve_rows(
        &self,
        what: &'static str,
        elements: usize,
        width: usize,
        axes: usize,
    ) -> Result<Resolved<'_>> {
        let rows = elements / width.max(1);
        check_length(what, rows * width, elements)?;
        match width {
            0 => Ok(Resolved { kind: &Kind::Offset(0), tokens: 0, steps: Steps::default() }),
            _ => self.resolve(1, rows, None, axes),
        }
    }
}

impl Call {
    /// Checks positions of whatever kind, and tells how those of further sequences and axes are found.
    fn check(self, kind: &Kind<'_>) -> Result<Steps> {
        match *kind {
            Kind::Ids(ids) | Kind::Axes { list: Coordinates::Ids(ids), axes: 1 } => return self.ids(ids),
            Kind::Axes { list, axes } => return self.coordinates(list, axes),
            Kind::Offset(first) => self.check_run(0, first, self.tokens)?,
            Kind::Offsets(firsts) => self.offsets(firsts)?,
            Kind::Padded(counts, counted) => self.padded(counts, counted)?,
            Kind::Packed { bounds, starts } => self.packed(bounds, starts)?,
            Kind::Shard { split, rank, ranks } => self.shard(split, rank, ranks)?,
        }
        Ok(Steps::default())
    }

    #[inline]
    fn check_position(self, index: usize, found: i128) -> Result<()> {
        let Self { batch, tokens, min, max, .. } = self;
        let fits = (i128::from(min)..=i128::from(max)).contains(&found);
        if fits || batch == 0 || tokens == 0 { Ok(()) } else { Err(Error::Position { index, min, max, found }) }
    }

    /// Checks `count` positions from a first one on, which is that of token `index`, counted over all sequences.
    #[inline]
    fn check_run(self, index: usize, first: i128, count: usize) -> Result<()> {
        let Some(steps) = count.checked_sub(1) else { return Ok(()) };
        self.check_position(index, first)?;
        self.check_position(index.saturating_add(steps), first.saturating_add(steps as i128))
    }

    /// How many entries a list has for each further sequence: none where all share it.
    fn per_sequence(self, what: &'static str, len: usize) -> Result<usize> {
        if len == self.tokens {
            return Ok(0);
        }
        check_length(what, self.batch.saturating_mul(self.tokens), len)?;
        Ok(self.tokens)
    }

    fn ids(self, ids: Ids<'_>) -> Result<Steps> {
        let sequence = self.per_sequence("position ids", ids.len())?;
        let Self { min, max, .. } = self;
        match ids.outside(min, max) {
            Some((index, found)) => Err(Error::Position { index, min, max, found }),
            None => Ok(Steps { sequence, axis: 0 }),
        }
    }

    fn offsets(self, firsts: Ids<'_>) -> Result<()> {
        check_length("first positions", self.batch, firsts.len())?;
        for sequence in 0..firsts.len() {
            self.check_run(sequence.saturating_mul(self.tokens), firsts.wide(sequence), self.tokens)?;
        }
        Ok(())
    }

    fn padded(self, counts: Ids<'_>, counted: Counted) -> Result<()> {
        let tokens = self.tokens;
        let what = match counted {
            Counted::Padding => "padding",
            Counted::Tokens => "lengths",
        };
        check_length(what, self.batch, counts.len())?;
        for index in 0..counts.len() {
            let found = counts.wide(index);
            let max = tokens as i128;
            if !(0..=max).contains(&found) {
                return Err(Error::Entry { what, index, min: 0, max, found });
            }
            let length = if let Counted::Padding = counted { max - found } else { found };
            let last = (index + 1).saturating_mul(tokens).saturating_sub(1);
            self.check_position(last, (length - 1).max(0))?;
        }
        Ok(())
    }

    fn packed(self, bounds: Ids<'_>, starts: Option<Ids<'_>>) -> Result<()> {
        let what = "cu_seqlens";
        if self.batch > 1 {
            let expected = "1, since packed sequences stand behind one another";
            return Err(Error::Count { what: "batch", expected, found: self.batch });
        }
        let Some(sequences) = bounds.len().checked_sub(1) else {
            return Err(Error::Length { what, expected: 1, found: 0 });
        };
        // One bound is the beginning of a sequence that has no end.
        if sequences == 0 && self.tokens > 0 {
            return Err(Error::Length { what, expected: 2, found: 1 });
        }
        if let Some(starts) = starts {
            check_length("first positions", sequences, starts.len())?;
        }
        let all = self.tokens as i128;
        let mut begin = 0;
        for index in 0..=sequences {
            let end = bounds.wide(index);
            let min = if index == sequences { all } else { begin };
            let max = if index == 0 { 0 } else { all };
            if !(min..=max).contains(&end) {
                return Err(Error::Entry { what, index, min, max, found: end });
            }
            if let Some(sequence) = index.checked_sub(1) {
                let first = starts.map_or(0, |starts| starts.wide(sequence));
                self.check_run(begin as usize, first, (end - begin) as usize)?;
            }
            begin = end;
        }
        Ok(())
    }

    fn shard(self, split: Shard, rank: usize, ranks: usize) -> Result<()> {
        let tokens = self.tokens;
        if split == Shard::Zigzag && !tokens.is_multiple_of(2) {
            let expected = "an even number";
            return Err(Error::Count { what: "tokens of a zigzag shard", expected, found: tokens });
        }
        let runs = split.runs(rank, ranks, tokens);
        // The second run is the farther one for rank 0 only; either may reach the limit.
        for token in [0, runs.length.saturating_sub(1), runs.length, tokens.saturating_sub(1)] {
            self.check_position(token, runs.get(token.min(tokens.saturating_sub(1))))?;
        }
        Ok(())
    }

    fn coordinates(self, list: Coordinates<'_>, axes: usize) -> Result<Steps> {
        let per_axis = list.len() / axes.max(1);
        check_length("coordinates", per_axis * axes, list.len())?;
        let sequence = self.per_sequence("coordinates of an axis", per_axis)?;
        let Self { min, max, in_table, .. } = self;
        match list {
            Coordinates::Ids(ids) => {
                if let Some((index, found)) = ids.outside(min, max) {
                    return Err(Error::Position { index, min, max, found });
                }
            }
            fractions => {
                for index in 0..fractions.len() {
                    let found = fractions.get(index);
                    if found.is_nan() || found.abs() > LIMIT as f64 {
                        return Err(Error::Coordinate { index, expected: "a number of at most 2^31 in size", found });
                    }
                    let whole = found as i64;
                    if in_table && whole as f64 != found {
                        return Err(Error::Coordinate { index, expected: "a whole number, as rows have", found });
                    }
                    self.check_position(index, whole.into())?;
                }
            }
        }
        // One axis alone may be meant for all.
        Ok(Steps { sequence, axis: if axes == 1 { 0 } else { per_axis } })
    }
}

impl Resolved<'_> {
    /// Whether there is one stream of whole numbers.
    pub(crate) fn are_plain(&self) -> bool {
        matches!(self.kind, Kind::Axes { list: Coordinates::Ids(_), axes: 1 })
            || !matches!(self.kind, Kind::Axes { .. })
    }

    /// A whole position; that of the first axis where there are several.
    #[inline]
    pub(crate) fn get(&self, sequence: usize, token: usize) -> i64 {
        if let Kind::Offset(first) = *self.kind { first as i64 + token as i64 } else { self.listed(sequence, token) }
    }

    fn listed(&self, sequence: usize, token: usize) -> i64 {
        match *self.kind {
            Kind::Offset(first) => first as i64 + token as i64,
            Kind::Ids(ids) => ids.get(sequence * self.steps.sequence + token),
            Kind::Offsets(firsts) => firsts.get(sequence) + token as i64,
            Kind::Padded(counts, counted) => {
                let count = counts.get(sequence);
                let padding = if let Counted::Padding = counted { count } else { self.tokens as i64 - count };
                (token as i64 - padding).max(0)
            }
            Kind::Packed { bounds, starts } => packed(bounds, starts, token),
            Kind::Shard { split, rank, ranks } => split.runs(rank, ranks, self.tokens).get(token) as i64,
            Kind::Axes { .. } => self.coordinate(0, sequence, token) as i64,
        }
    }

    /// The coordinate on an axis.
    pub(crate) fn coordinate(&self, axis: usize, sequence: usize, token: usize) -> f64 {
        match *self.kind {
            Kind::Axes { list, .. } => list.get(axis * self.steps.axis + sequence * self.steps.sequence + token),
            _ => self.get(sequence, token) as f64,
        }
    }
}

/// The position of a token of packed sequences.
fn packed(bounds: Ids<'_>, starts: Option<Ids<'_>>, token: usize) -> i64 {
    // The last sequence that begins at the token or before it; empty ones before it begin there as well.
    let (mut sequence, mut end) = (0, bounds.len() - 1);
    while end - sequence > 1 {
        let middle = sequence + (end - sequence) / 2;
        if bounds.get(middle) <= token as i64 { sequence = middle } else { end = middle }
    }
    token as i64 - bounds.get(sequence) + starts.map_or(0, |starts| starts.get(sequence))
}

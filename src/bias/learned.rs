//! Learned tables: as checkpoints have them, `[rows, heads]`, and turned around, `[heads, rows]`, as they are read here.

use alloc::vec;
use alloc::vec::Vec;

use super::DistanceBias;
use crate::Element;
use crate::error::{Result, check_length, product};

/// A table of `rows` rows, turned around; it has at least one head.
pub(crate) fn by_head(what: &'static str, table: &[f32], rows: usize) -> Result<Vec<f32>> {
    let heads = table.len() / rows;
    check_length(what, product(what, &[rows, heads.max(1)])?, table.len())?;
    Ok((0..heads).flat_map(|head| table[head..].iter().step_by(heads).copied()).collect())
}

/// Adds one sum a row to a head's column of a table; each is rounded once.
pub(crate) fn add_to_head(table: &mut [f32], heads: usize, head: usize, sums: &[f64]) {
    for (row, sum) in table.chunks_exact_mut(heads).zip(sums) {
        row[head] = (f64::from(row[head]) + sum) as f32;
    }
}

/// Adds to `table_gradient`, `[rows, heads]`, what the gradient of the scores hands back. `collect` adds the sums of the
/// diagonals, from a distance on, to those of the rows.
pub(super) fn table_gradient<T: Element>(
    bias: &impl DistanceBias,
    rows: usize,
    gradient: &[T],
    size: [usize; 2],
    first_query: usize,
    table_gradient: &mut [f32],
    collect: impl Fn(i64, &[f64], &mut [f64]),
) -> Result<()> {
    let heads = bias.heads();
    check_length("table gradient", product("table gradient", &[heads, rows])?, table_gradient.len())?;
    let sums = bias.diagonal_sums(gradient, size, first_query)?;
    let Some(diagonals) = sums.len().checked_div(heads).filter(|&diagonals| diagonals > 0) else { return Ok(()) };
    let first = 1 - (first_query + size[0]) as i64;
    let mut totals = vec![0.0; rows];
    for (head, sums) in sums.chunks_exact(diagonals).enumerate() {
        totals.fill(0.0);
        collect(first, sums, &mut totals);
        add_to_head(table_gradient, heads, head, &totals);
    }
    Ok(())
}

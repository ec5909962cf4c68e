//! What is learned: tables, as checkpoints have them, `[rows, heads]`, and turned around, `[heads, rows]`, as they are read
//! here; parameters of each head; and the gradients of both.

use alloc::vec;
use alloc::vec::Vec;

use super::DistanceBias;
use super::by_distance::Slide;
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
        add_rounded(&mut row[head], *sum);
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

/// Adds to the gradients of `N` parameters that each head has what the gradient of the scores hands back. `slopes` gives the
/// derivatives of a head's bias at a distance.
pub(super) fn parameters_gradient<T: Element, const N: usize>(
    bias: &impl DistanceBias,
    gradient: &[T],
    size: [usize; 2],
    first_query: usize,
    mut parameters: [(&'static str, &mut [f32]); N],
    slopes: impl Fn(usize, i64) -> [f64; N],
) -> Result<()> {
    for (what, parameter) in &parameters {
        check_length(what, bias.heads(), parameter.len())?;
    }
    let sums = bias.diagonal_sums(gradient, size, first_query)?;
    let Slide { first, len, .. } = Slide::new(bias, size, first_query)?;
    for (head, sums) in sums.chunks_exact(len.max(1)).enumerate() {
        let mut totals = [0.0; N];
        for (distance, sum) in (first..).zip(sums) {
            totals.iter_mut().zip(slopes(head, distance)).for_each(|(total, slope)| *total += sum * slope);
        }
        for ((_, parameter), total) in parameters.iter_mut().zip(totals) {
            add_rounded(&mut parameter[head], total);
        }
    }
    Ok(())
}

/// Adds a sum, which is rounded once.
pub(crate) fn add_rounded(to: &mut f32, sum: f64) {
    *to = (f64::from(*to) + sum) as f32;
}

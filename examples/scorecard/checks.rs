//! Figures to reach, beside what was measured: each check shows the worst of its cells.
//!
//! A check whose cells were left out says nothing, so that part of the scorecard can be run alone.

use std::fmt;

use posenc::Level;

use crate::adds::SCORES;
use crate::cell::Names;
use crate::summary::Line;

/// The worst value of a figure, and where it was seen.
pub(crate) struct Check {
    what: String,
    bound: Bound,
    worst: f64,
    at: Names,
}

#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

use Bound::{AtLeast, AtMost};

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reached, wanted, bound) = match self.bound {
            AtLeast(bound) => (self.worst >= bound, "at least", bound),
            AtMost(bound) => (self.worst <= bound, "at most", bound),
        };
        let verdict = if reached { "reached" } else { "missed" };
        write!(f, "{verdict} {}: {:.3}, {wanted} {bound}, at {}", self.what, self.worst, self.at)
    }
}

/// The check of a figure, if any cell has a value for it.
fn check(what: impl Into<String>, bound: Bound, values: impl Iterator<Item = (Names, f64)>) -> Option<Check> {
    let (at, worst) = values.reduce(|a, b| {
        let second = match bound {
            AtLeast(_) => b.1 < a.1,
            AtMost(_) => b.1 > a.1,
        };
        if second { b } else { a }
    })?;
    Some(Check { what: what.into(), bound, worst, at })
}

/// Every check that was measured.
pub(crate) fn all(lines: &[Line]) -> Vec<Check> {
    let checks =
        [ratios(lines), additions(lines), table_free(lines), half_types(lines), two_threads(lines), others(lines)];
    checks.into_iter().flatten().collect()
}

/// Operation, type, level, threads, tokens, and the least ratio to the limit.
type Ratio = (&'static str, &'static str, &'static str, usize, &'static [usize], f64);

const CACHED: &[usize] = &[1, 16, 128];
const FEW: &[usize] = &[16, 128];
const MANY: &[usize] = &[512, 4096];

const RATIOS: &[Ratio] = &[
    ("rotate", "f32", "avx512", 1, CACHED, 0.80),
    ("rotate", "f32", "avx512", 1, MANY, 0.92),
    ("rotate", "f32", "avx2", 1, CACHED, 0.72),
    ("rotate", "f32", "avx2", 1, MANY, 0.83),
    ("rotate", "f32", "portable", 1, CACHED, 0.60),
    ("rotate", "f32", "portable", 1, MANY, 0.85),
    ("rotate", "f16", "avx512", 1, FEW, 0.60),
    ("rotate", "f16", "avx512", 1, MANY, 0.85),
    ("rotate", "bf16", "avx512", 1, FEW, 0.55),
    ("rotate", "bf16", "avx512", 1, MANY, 0.80),
    ("rotate_into", "f32", "avx512", 1, MANY, 0.85),
    ("rotate_into", "bf16", "avx512", 1, MANY, 0.85),
    ("rotate_into", "f32-f16", "avx512", 1, MANY, 0.85),
    ("rotate_into", "f32-bf16", "avx512", 1, MANY, 0.85),
    ("table", "f32", "avx512", 1, &[131_072], 0.65),
    ("table", "f32", "avx512", 2, &[131_072], 0.90),
];

fn ratios(lines: &[Line]) -> Vec<Check> {
    let one = |&(op, dtype, level, threads, tokens, least): &Ratio| {
        let measured = lines.iter().filter(|Line { names, .. }| {
            let kind = (names.op, names.dtype, names.level.name(), names.threads);
            kind == (op, dtype, level, threads) && tokens.contains(&names.shape[0])
        });
        let what = format!("ratio of {op} {dtype} at {level}, {threads} thread(s), {tokens:?} tokens");
        check(what, AtLeast(least), measured.map(|line| (line.names, line.times.ratio())))
    };
    RATIOS.iter().filter_map(one).collect()
}

/// Biases, each shape of scores for itself, and rows of a table from 16 tokens on.
fn additions(lines: &[Line]) -> Vec<Check> {
    let one = |ops: &[&str], dtype: &str, least, shapes: &dyn Fn([usize; 3]) -> bool, of: &str| {
        let measured = lines.iter().filter(|Line { names, .. }| {
            let widest = names.level == Level::detect() && names.threads == 1;
            widest && ops.contains(&names.op) && names.dtype == dtype && shapes(names.shape)
        });
        let what = format!("ratio of adding {of}, {dtype}");
        check(what, AtLeast(least), measured.map(|line| (line.names, line.times.ratio())))
    };
    let biases = ["sliding_add", "alibi", "t5", "bias_table"];
    let checks = ["f32", "bf16"].map(|dtype| {
        let [token, prompt] = SCORES.map(|scores| {
            let of = format!("biases to {scores:?}");
            one(&biases, dtype, 0.90, &|shape| shape == scores, &of)
        });
        let rows = one(&["gather_add", "embedding_add"], dtype, 0.85, &|[tokens, ..]| tokens >= 16, "rows of a table");
        [token, prompt, rows]
    });
    checks.into_iter().flatten().flatten().collect()
}

/// Our time in every cell of one thread at the widest level, over our time in the cell whose names `other` gives.
fn times_over<'a>(
    lines: &'a [Line],
    op: &'a str,
    other: impl Fn(Names) -> Names + 'a,
) -> impl Iterator<Item = (Names, f64)> + 'a {
    let widest = Level::detect();
    let cells =
        lines.iter().filter(move |Line { names, .. }| names.op == op && names.level == widest && names.threads == 1);
    cells.filter_map(move |line| Some((line.names, line.times.ours / find(lines, other(line.names))?.times.ours)))
}

fn find(lines: &[Line], names: Names) -> Option<&Line> {
    lines.iter().find(|line| line.names == names)
}

fn table_free(lines: &[Line]) -> Vec<Check> {
    let one = |dtype: &str, tokens: &[usize], heads, most| {
        let times = times_over(lines, "rotate_free", |names| Names { op: "rotate", ..names });
        let cells = times.filter(|(Names { dtype: of, shape, .. }, _)| {
            *of == dtype && tokens.contains(&shape[0]) && shape[1..] == [heads, 128]
        });
        let what = format!("time of {dtype} without a table over with one, {tokens:?} tokens of {heads} heads");
        check(what, AtMost(most), cells)
    };
    let checks = ["f32", "f16", "bf16", "f64"]
        .map(|dtype| [one(dtype, &[512], 8, 1.25), one(dtype, MANY, 32, 1.10), one(dtype, &[1], 32, 1.50)]);
    checks.into_iter().flatten().flatten().collect()
}

fn half_types(lines: &[Line]) -> Vec<Check> {
    let one = |dtype: &'static str, most| {
        let times = times_over(lines, "rotate", |names| Names { dtype: "f32", ..names });
        let token = times.filter(|(names, _)| names.dtype == dtype && names.shape == [1, 32, 128]);
        check(format!("time of {dtype} over f32, 1 token"), AtMost(most), token)
    };
    [one("f16", 1.25), one("bf16", 1.50)].into_iter().flatten().collect()
}

/// For every operation that knows two threads.
fn two_threads(lines: &[Line]) -> Vec<Check> {
    let rotations = ["rotate", "rotate_free", "rotate_head_major", "rotate_into"];
    let ops = rotations.into_iter().chain(["sinusoid_add", "embedding_add", "alibi", "t5", "bias_table", "table"]);
    let checks = ops.flat_map(|op| {
        let gain = move || times_over(lines, op, |names| Names { threads: 2, ..names });
        let many = gain().filter(|(names, _)| (128..=4096).contains(&names.shape[0]));
        let few = gain().filter(|(names, _)| names.shape[0] < 128).map(|(names, gain)| (names, 1.0 / gain));
        [
            check(format!("gain of {op} by a second thread, from 128 tokens"), AtLeast(1.7), many),
            check(format!("time of {op} on two threads over one, few tokens"), AtMost(1.03), few),
        ]
    });
    checks.flatten().collect()
}

fn others(lines: &[Line]) -> Vec<Check> {
    let heads_outside = times_over(lines, "rotate_head_major", |names| Names { op: "rotate", ..names });
    // Per byte touched: each beside the limit of its own bytes.
    let layouts = ["rotate_packed_qkv", "rotate_sliced", "rotate_sbhd"].into_iter().flat_map(|op| {
        let of = lines.iter().filter(move |line| line.names.op == op);
        of.filter_map(|line| {
            let plain = find(lines, Names { op: "rotate", ..line.names })?;
            Some((line.names, plain.times.ratio() / line.times.ratio()))
        })
    });
    let of = |op: &'static str| lines.iter().filter(move |line| line.names.op == op);
    let std = of("table_std").map(|line| (line.names, line.times.ratio()));
    let dispatch = of("dispatch").map(|line| (line.names, line.times.ours - line.times.limit));
    let nanoseconds = of("dispatch")
        .map(|Line { names, times }| format!("{} {:.0} and {:.0}", names.pairing_name(), times.ours, times.limit));
    let nanoseconds = nanoseconds.collect::<Vec<_>>().join(", ");
    let checks = [
        check("time of head-major over token-major", AtMost(1.15), heads_outside),
        check("time of other layouts over the contiguous one, per byte touched", AtMost(1.1), layouts),
        check("gain of tables over f64::sin_cos", AtLeast(12.0), std),
        check(format!("ns of the public API above the bare kernel ({nanoseconds})"), AtMost(30.0), dispatch),
    ];
    checks.into_iter().flatten().collect()
}

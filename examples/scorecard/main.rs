//! The scorecard: how near each operation is to the speed at which the same bytes can be written.
//!
//! Prints a line a cell, comma-separated, and at the end the worst cell of each operation; `ratio` is the time of the
//! limit over our time, so 1 is the limit. Both are measured in turns, on the same bytes.
//!
//! ```text
//! cargo run --release --example scorecard -- [--quick] [--only PART[,PART…]]
//! ```
//!
//! `--quick` spends 5 ms on a cell instead of 50. `--only` keeps the cells that match every part: a part is any piece of
//! the line (`--only rotate,avx512`), or a column and its whole value (`--only op=rotate,tokens=1`); of several values for
//! one column, one has to match.
//!
//! Two operations have something else in the column of the limit: `dispatch` the bare kernel below the public API,
//! `table_std` a loop over `f64::sin_cos`.

mod adds;
mod buffer;
mod cell;
mod checks;
mod dispatch;
mod into;
mod layouts;
mod limits;
mod measure;
mod rotation;
mod summary;
mod tables;
mod threads;

use std::process::ExitCode;
use std::time::Duration;

use cell::{COLUMNS, Cell};
use measure::Effort;
use summary::{Line, Summary};
use threads::Threads;

const USAGE: &str = "usage: scorecard [--quick] [--only PART[,PART...]]";

const FULL: Effort = Effort { budget: Duration::from_millis(50), least: 5 };
const QUICK: Effort = Effort { budget: Duration::from_millis(5), least: 3 };

/// Every operation; a new one is a function that gives its cells, named here.
const OPERATIONS: &[fn() -> Vec<Cell>] = &[
    rotation::with_table,
    rotation::table_free,
    rotation::head_major,
    rotation::both,
    layouts::packed_qkv,
    layouts::sliced,
    layouts::batch_inside,
    into::cells,
    tables::fill,
    tables::beside_std,
    adds::sinusoid,
    adds::embedding,
    adds::sliding,
    adds::gather,
    adds::alibi,
    adds::t5,
    adds::tabulated,
    adds::relative,
    dispatch::cells,
];

fn main() -> ExitCode {
    let Some(options) = Options::parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let threads = Threads::new();
    let mut cells: Vec<_> = OPERATIONS.iter().flat_map(|cells| cells()).collect();
    cells.retain(|cell| cell.names.match_all(&options.only));
    cells.sort_by_key(|cell| cell.names.order());
    println!("{COLUMNS},median_ns,limit_ns,ratio");
    let mut lines = vec![];
    for cell in cells {
        let names = cell.names;
        let mut contest = cell.set_up();
        let times = threads.run(names.threads, || measure::in_turns(&mut *contest, options.effort));
        let line = Line { names, times };
        println!("{line}");
        lines.push(line);
    }
    print!("{}", Summary(&lines));
    ExitCode::SUCCESS
}

/// What the command line asks for.
struct Options {
    effort: Effort,
    /// What a cell has to match, all of it.
    only: Vec<String>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut options = Self { effort: FULL, only: vec![] };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.effort = QUICK,
                "--only" => options.only.extend(arguments.next()?.split(',').map(str::to_owned)),
                _ => return None,
            }
        }
        Some(options)
    }
}

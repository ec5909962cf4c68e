//! The scorecard: how near each operation is to the speed at which the same bytes can be written.
//!
//! Prints a line a cell, comma-separated, and at the end the worst cell of each operation; `ratio` is the time of the
//! limit over our time, so 1 is the limit. Both are measured in turns, on the same bytes.
//!
//! ```text
//! cargo run --release --example scorecard -- [--quick] [--only PART[,PART…]]
//! ```
//!
//! `--quick` spends 10 ms on a cell instead of 80. `--only` keeps the cells that match every part: a part is any piece of
//! the line (`--only rotate,avx512`), or a column and its whole value (`--only op=rotate,tokens=1`).

mod adds;
mod buffer;
mod cell;
mod limits;
mod measure;
mod rotation;
mod summary;
mod tables;
mod threads;

use std::process::ExitCode;
use std::time::Duration;

use cell::{COLUMNS, Cell};
use summary::Summary;
use threads::Threads;

const USAGE: &str = "usage: scorecard [--quick] [--only PART[,PART...]]";

/// Every operation; a new one is a function that gives its cells, named here.
const OPERATIONS: &[fn() -> Vec<Cell>] = &[
    rotation::with_table,
    rotation::table_free,
    tables::fill,
    adds::sinusoid,
    adds::sliding,
    adds::gather,
    adds::alibi,
    adds::relative,
];

fn main() -> ExitCode {
    let Some(options) = Options::parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let threads = Threads::new();
    let mut summary = Summary::default();
    println!("{COLUMNS},median_ns,limit_ns,ratio");
    let cells = OPERATIONS.iter().flat_map(|cells| cells());
    for cell in cells.filter(|cell| options.only.iter().all(|part| cell.names.matches(part))) {
        let names = cell.names;
        let mut pair = cell.set_up();
        let times = threads.run(names.threads, || measure::in_turns(&mut *pair, options.budget));
        println!("{names},{:.1},{:.1},{:.3}", times.ours, times.limit, times.ratio());
        summary.see(names, times.ratio());
    }
    print!("{summary}");
    ExitCode::SUCCESS
}

/// What the command line asks for.
struct Options {
    /// Time for the samples of one cell.
    budget: Duration,
    /// What a cell has to match, all of it.
    only: Vec<String>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut options = Self { budget: Duration::from_millis(80), only: vec![] };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.budget = Duration::from_millis(10),
                "--only" => options.only.extend(arguments.next()?.split(',').map(str::to_owned)),
                _ => return None,
            }
        }
        Some(options)
    }
}

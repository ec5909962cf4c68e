//! Other Rust rotary encodings beside ours, in one process and in turns.
//!
//! `posenc-peers [THREADS…] [--only TEXT]` prints one line of CSV for each peer, pairing, element type, number of threads
//! and size; without numbers it measures one thread.

mod candle_peer;
mod case;
mod measure;
mod ours;

use std::env;
use std::process::{Command, ExitCode};

use case::Plan;

/// Says to the process started for a number of threads which number it is.
const CHILD: &str = "POSENC_PEERS_THREADS";

/// Freed memory stays in the heap, so that a peer that allocates its output is not timed on page faults.
const WARM_HEAP: [(&str, &str); 3] =
    [("MALLOC_MMAP_MAX_", "0"), ("MALLOC_TRIM_THRESHOLD_", "17179869184"), ("MALLOC_TOP_PAD_", "268435456")];

fn main() -> ExitCode {
    let mut threads = vec![];
    let mut only = None;
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.parse::<usize>() {
            Ok(count) if count > 0 => threads.push(count),
            _ if argument == "--only" => only = arguments.next(),
            _ => {
                eprintln!("posenc-peers [THREADS…] [--only TEXT]: not understood: {argument}");
                return ExitCode::FAILURE;
            }
        }
    }
    if threads.is_empty() {
        threads.push(1);
    }
    match env::var(CHILD).ok().and_then(|count| count.parse().ok()) {
        Some(threads) => measure_all(&Plan { threads, only }),
        None => start_all(&threads),
    }
}

/// Thread pools and the heap read their settings once, before `main`, so each number of threads has its own process.
fn start_all(threads: &[usize]) -> ExitCode {
    println!("{}", case::HEADER);
    let mut good = true;
    for count in threads {
        let started = env::current_exe().and_then(|program| {
            let mut child = Command::new(program);
            child.args(env::args().skip(1)).env(CHILD, count.to_string());
            child.env("RAYON_NUM_THREADS", count.to_string()).env("MATMUL_NUM_THREADS", count.to_string());
            if env::var_os("POSENC_PEERS_COLD_HEAP").is_none() {
                child.envs(WARM_HEAP);
            }
            child.status()
        });
        match started {
            Ok(status) => good &= status.success(),
            Err(error) => {
                eprintln!("# {count} threads: {error}");
                good = false;
            }
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Everything runs on a thread of the pool, so that no call pays for entering it.
fn measure_all(plan: &Plan) -> ExitCode {
    let mut good = true;
    rayon::scope(|_| {
        good &= candle_peer::measure(plan);
    });
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

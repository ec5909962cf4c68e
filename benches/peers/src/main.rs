//! Other Rust rotary encodings beside ours, in one process and in turns.
//!
//! `posenc-peers [THREADS…] [--only TEXT]` prints one line of CSV for each peer, pairing, element type, number of threads
//! and size; without numbers it measures one thread.

#[cfg(feature = "burn")]
mod burn_peer;
mod candle_peer;
mod case;
mod measure;
mod ours;

use std::process::{Command, ExitCode, ExitStatus};
use std::{env, io};

use case::Plan;

/// Say to a started process with how many threads it measures, and which of the parts.
const CHILD: &str = "POSENC_PEERS_THREADS";
const PART: &str = "POSENC_PEERS_PART";

type Part = fn(&Plan) -> bool;

/// What has a process of its own: burn's element type is set once in a process.
const PARTS: &[(&str, Part)] = &[
    ("candle", candle_peer::measure),
    #[cfg(feature = "burn")]
    ("burn-f32", burn_peer::measure::<f32>),
    #[cfg(feature = "burn")]
    ("burn-bf16", burn_peer::measure::<half::bf16>),
    #[cfg(feature = "burn")]
    ("burn-f16", burn_peer::measure::<half::f16>),
];

/// Freed memory stays in the heap, so that a peer that allocates its output is not timed on page faults. One arena for all
/// threads, since what is larger than an arena of a thread's own (64 MB) is mapped anew on each call, whatever the rest says.
const WARM_HEAP: [(&str, &str); 4] = [
    ("MALLOC_ARENA_MAX", "1"),
    ("MALLOC_MMAP_MAX_", "0"),
    ("MALLOC_TRIM_THRESHOLD_", "17179869184"),
    ("MALLOC_TOP_PAD_", "268435456"),
];

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
        Some(threads) => measure_part(&Plan { threads, only }),
        None => start_all(&threads),
    }
}

/// Thread pools and the heap read their settings once, before `main`, so each number of threads has its own processes.
fn start_all(threads: &[usize]) -> ExitCode {
    println!("{}", case::HEADER);
    let mut good = true;
    for count in threads {
        for (part, _) in PARTS {
            match start(*count, part) {
                Ok(status) => good &= status.success(),
                Err(error) => {
                    eprintln!("# {part}, {count} threads: {error}");
                    good = false;
                }
            }
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn start(threads: usize, part: &str) -> io::Result<ExitStatus> {
    let count = threads.to_string();
    let mut child = Command::new(env::current_exe()?);
    child.args(env::args().skip(1)).env(CHILD, &count).env(PART, part);
    child.env("RAYON_NUM_THREADS", &count).env("MATMUL_NUM_THREADS", &count);
    if env::var_os("POSENC_PEERS_COLD_HEAP").is_none() {
        child.envs(WARM_HEAP);
    }
    child.status()
}

/// Everything runs on a thread of the pool, so that no call pays for entering it.
fn measure_part(plan: &Plan) -> ExitCode {
    let name = env::var(PART).unwrap_or_default();
    let Some((_, measure)) = PARTS.iter().find(|(part, _)| *part == name) else {
        eprintln!("# {PART}: no part is named {name:?}");
        return ExitCode::FAILURE;
    };
    let mut good = true;
    rayon::scope(|_| {
        good &= measure(plan);
    });
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

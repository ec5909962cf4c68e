//! Pieces of work, timed in turns.
//!
//! Taking turns sample by sample lets all meet the same disturbances, and medians forget the worst of them.

use std::time::{Duration, Instant};

use crate::cell::Contest;

/// A sample lasts at least this long, so that reading the clock does not count.
const SAMPLE: Duration = Duration::from_micros(20);

/// Work that takes this long is warm after its first call.
const LONG: Duration = Duration::from_millis(1);

/// How much to spend on a cell.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Time for the samples.
    pub(crate) budget: Duration,
    /// Samples of each work, however long they take.
    pub(crate) least: usize,
}

/// Medians, in nanoseconds a call.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) ours: f64,
    /// Of the fastest of the others.
    pub(crate) limit: f64,
}

impl Times {
    /// 1 is the limit.
    pub(crate) fn ratio(self) -> f64 {
        self.limit / self.ours
    }
}

/// Samples all works for as long as `effort` says.
pub(crate) fn in_turns(contest: &mut dyn Contest, effort: Effort) -> Times {
    let count = contest.count();
    let calls: Vec<_> = (0..count).map(|work| calls(|| contest.run(work))).collect();
    let mut samples = vec![vec![]; count];
    let start = Instant::now();
    while samples[0].len() < effort.least || start.elapsed() < effort.budget {
        for (work, samples) in samples.iter_mut().enumerate() {
            samples.push(sample(calls[work], || contest.run(work)));
        }
    }
    let mut medians = samples.into_iter().map(median);
    let ours = medians.next().unwrap_or(f64::NAN);
    Times { ours, limit: medians.fold(f64::INFINITY, f64::min) }
}

/// How many calls make a sample; finding out warms caches and clocks up.
fn calls(mut work: impl FnMut()) -> u32 {
    let mut calls = 1;
    if sample(calls, &mut work) >= LONG.as_nanos() as f64 {
        return calls;
    }
    while sample(calls, &mut work) * f64::from(calls) < SAMPLE.as_nanos() as f64 {
        calls *= 2;
    }
    calls
}

/// Nanoseconds a call.
fn sample(calls: u32, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        work();
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}

fn median(mut samples: Vec<f64>) -> f64 {
    let middle = samples.len() / 2;
    *samples.select_nth_unstable_by(middle, f64::total_cmp).1
}

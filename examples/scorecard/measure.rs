//! Two pieces of work, timed in turns.
//!
//! Taking turns sample by sample lets both meet the same disturbances, and medians forget the worst of them.

use std::time::{Duration, Instant};

use crate::cell::Pair;

/// A sample lasts at least this long, so that reading the clock does not count.
const SAMPLE: Duration = Duration::from_micros(20);

/// Samples of each, however little time there is.
const LEAST: usize = 5;

/// Medians, in nanoseconds a call.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) ours: f64,
    pub(crate) limit: f64,
}

impl Times {
    /// 1 is the limit.
    pub(crate) fn ratio(self) -> f64 {
        self.limit / self.ours
    }
}

/// Samples both for as long as `budget` says.
pub(crate) fn in_turns(pair: &mut dyn Pair, budget: Duration) -> Times {
    let calls = [calls(|| pair.ours()), calls(|| pair.limit())];
    let (mut ours, mut limit) = (vec![], vec![]);
    let start = Instant::now();
    while ours.len() < LEAST || start.elapsed() < budget {
        ours.push(sample(calls[0], || pair.ours()));
        limit.push(sample(calls[1], || pair.limit()));
    }
    Times { ours: median(ours), limit: median(limit) }
}

/// How many calls make a sample; finding out warms caches and clocks up.
fn calls(mut work: impl FnMut()) -> u32 {
    work();
    let mut calls = 1;
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

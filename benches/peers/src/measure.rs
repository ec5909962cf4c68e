//! Three pieces of work on the same shape, timed in turns.
//!
//! Each takes a sample before any takes its next, so that all meet the same disturbances; medians forget the worst.

use std::time::{Duration, Instant};

/// A sample lasts at least this long, so that reading the clock does not count.
const SAMPLE: Duration = Duration::from_micros(50);

/// How long a case is measured, and how often at least.
const BUDGET: Duration = Duration::from_millis(600);
const LEAST: usize = 7;

/// Medians, in nanoseconds a call.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) in_place: f64,
    pub(crate) into: f64,
    pub(crate) peer: f64,
}

/// Samples all three until the budget is spent.
pub(crate) fn in_turns(works: &mut [&mut dyn FnMut(); 3]) -> Times {
    let calls = works.each_mut().map(|work| calls(work));
    let mut samples = [const { vec![] }; 3];
    let start = Instant::now();
    while samples[0].len() < LEAST || start.elapsed() < BUDGET {
        for ((work, calls), samples) in works.iter_mut().zip(calls).zip(&mut samples) {
            samples.push(sample(calls, work));
        }
    }
    let [in_place, into, peer] = samples.map(median);
    Times { in_place, into, peer }
}

/// How many calls make a sample; finding out warms caches and clocks up.
fn calls(work: &mut dyn FnMut()) -> u32 {
    work();
    let mut calls = 1;
    while sample(calls, work) * f64::from(calls) < SAMPLE.as_nanos() as f64 {
        calls *= 2;
    }
    calls
}

/// Nanoseconds a call.
fn sample(calls: u32, work: &mut dyn FnMut()) -> f64 {
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

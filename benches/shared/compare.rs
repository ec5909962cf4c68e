//! A group of benchmarks: one operation at every level, and the limit of the same bytes.
//!
//! What all benches share; the limits and the aligned random buffers are those of the scorecard.

use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use posenc::Level;

#[path = "../../examples/scorecard/buffer.rs"]
mod buffer;
#[allow(dead_code, reason = "each bench has one or two of the limits")]
#[path = "../../examples/scorecard/limits.rs"]
pub(crate) mod limits;

#[allow(unused_imports, reason = "benches of one type of elements do not name the trait")]
pub(crate) use buffer::{Buffer, Number};

/// What a group is about.
pub(crate) struct Group {
    name: String,
    bytes: usize,
    levels: Vec<Level>,
}

impl Group {
    /// `name` reads `operation/pairing/dtype/shape`, and the level is added to it; `bytes` are read and written by
    /// operation and limit alike.
    pub(crate) fn new(name: String, bytes: usize, levels: impl IntoIterator<Item = Level>) -> Self {
        Self { name, bytes, levels: levels.into_iter().collect() }
    }

    /// Measures what `ours` gives for each level, and `limit` at the widest, on the same state.
    pub(crate) fn run<S, W: FnMut(&mut S)>(
        &self,
        criterion: &mut Criterion,
        state: &mut S,
        ours: impl Fn(Level) -> W,
        limit: impl Fn(&mut S, Level),
    ) {
        let mut group = self.start(criterion);
        for &level in &self.levels {
            let mut work = ours(level);
            group.bench_function(level.name(), |bencher| bencher.iter(|| work(state)));
        }
        let widest = Level::detect();
        group.bench_function("limit", |bencher| bencher.iter(|| limit(state, widest)));
    }

    fn start<'a>(&self, criterion: &'a mut Criterion) -> BenchmarkGroup<'a, WallTime> {
        let mut group = criterion.benchmark_group(&self.name);
        group.sample_size(50).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Bytes(self.bytes as u64));
        group
    }
}

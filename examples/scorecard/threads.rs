//! One thread, or a pool of two.
//!
//! The one file that names rayon: without the feature there is one thread, and no form that wants more.

/// The pool, built once.
pub(crate) struct Threads {
    #[cfg(feature = "rayon")]
    pool: rayon::ThreadPool,
}

impl Threads {
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(feature = "rayon")]
            pool: rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads can be started"),
        }
    }

    /// Runs `work` where it finds `threads` threads; a whole cell goes in at once, so that going in is not timed.
    pub(crate) fn run<R: Send>(&self, threads: usize, work: impl FnOnce() -> R + Send) -> R {
        match threads {
            #[cfg(feature = "rayon")]
            2 => self.pool.install(work),
            _ => work(),
        }
    }
}

/// Runs both, side by side where there are two threads.
pub(crate) fn join(left: impl FnOnce() + Send, right: impl FnOnce() + Send) {
    #[cfg(feature = "rayon")]
    rayon::join(left, right);
    #[cfg(not(feature = "rayon"))]
    {
        left();
        right();
    }
}

/// Elements below which one thread alone is as fast: a fork and join takes as long as they do.
const WHOLE: usize = 1 << 15;

/// Lets each of `threads` threads work on a part of `data`; small data stays whole, since that is faster.
pub(crate) fn in_parts(threads: usize, data: &mut [f32], work: impl Fn(&mut [f32]) + Sync) {
    if threads == 1 || data.len() < WHOLE {
        return work(data);
    }
    // Whole cache lines, which no two threads share.
    let (left, right) = data.split_at_mut(data.len() / 2 / 16 * 16);
    join(|| work(left), || work(right));
}

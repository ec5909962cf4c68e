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
fn join(left: impl FnOnce() + Send, right: impl FnOnce() + Send) {
    #[cfg(feature = "rayon")]
    rayon::join(left, right);
    #[cfg(not(feature = "rayon"))]
    {
        left();
        right();
    }
}

/// How many threads a form may use at most.
pub(crate) const MOST: usize = if cfg!(feature = "rayon") { 2 } else { 1 };

/// Bytes below which one thread alone is as fast: a fork and join takes as long as they do.
const WHOLE: usize = 1 << 17;

/// Elements that no two threads share a cache line of, whatever their type.
const APART: usize = 64;

/// Lets each of `threads` threads work on a part of `data`; small data stays whole, since that is faster.
pub(crate) fn in_parts<T: Send>(threads: usize, data: &mut [T], work: impl Fn(&mut [T]) + Sync) {
    if threads == 1 || size_of_val(data) < WHOLE {
        return work(data);
    }
    let (left, right) = data.split_at_mut(data.len() / 2 / APART * APART);
    join(|| work(left), || work(right));
}

/// [`in_parts`] for two slices of as many elements, one to read and one to write.
pub(crate) fn in_parts_of_both<S: Sync, T: Send>(
    threads: usize,
    from: &[S],
    to: &mut [T],
    work: impl Fn(&[S], &mut [T]) + Sync,
) {
    if threads == 1 || size_of_val(to) < WHOLE {
        return work(from, to);
    }
    let at = to.len() / 2 / APART * APART;
    let ((from_left, from_right), (left, right)) = (from.split_at(at), to.split_at_mut(at));
    join(|| work(from_left, left), || work(from_right, right));
}

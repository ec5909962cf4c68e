//! Kind K: threads. Calls run on the pool that the caller is in, and small ones look for none.
//! Whether the global pool was started can be told only once in a process, so that test gets a process of its own.

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use posenc::{HeadsMut, Level, Pairing, Positions, Precision, Rotary, Sinusoidal};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::common::levels;
use crate::support::{PAIRINGS, bits, builder, frequencies, random, rope};

pub(crate) fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Large enough to be cut into several pieces.
const LARGE: [usize; 3] = [1024, 8, 64];

/// A decode step, as in the entry: one token, 32 heads of 128 features.
const SMALL: [usize; 3] = [1, 32, 128];

fn par_rotated(rope: &Rotary, x: &[f32], shape: [usize; 3]) -> Vec<u32> {
    let mut x = x.to_vec();
    rope.par_rotate(&mut HeadsMut::new(&mut x, shape).unwrap(), &Positions::from(3)).unwrap();
    bits(&x)
}

fn rotated(rope: &Rotary, x: &[f32], shape: [usize; 3]) -> Vec<u32> {
    let mut x = x.to_vec();
    rope.rotate(&mut HeadsMut::new(&mut x, shape).unwrap(), &Positions::from(3)).unwrap();
    bits(&x)
}

// B100: FeRx-NLME/ferx-core #1460, aptos-labs/aptos-core #19352, rayon-rs/rayon #872
#[test]
fn calls_inside_a_small_pool_complete_even_when_nested_and_equal_the_serial_form() {
    let x = random(100, LARGE.iter().product());
    let two = pool(2);
    for pairing in PAIRINGS {
        for level in levels() {
            let rope = rope(64, 1e4, pairing, level);
            let want = rotated(&rope, &x, LARGE);
            let run = || par_rotated(&rope, &x, LARGE);
            assert!(two.install(run) == want, "{pairing:?}, {level}");
            let (left, right) = two.install(|| rayon::join(run, || rayon::join(run, run)));
            assert!(left == want && right.0 == want && right.1 == want, "{pairing:?}, {level}");
        }
    }
}

#[test]
#[ignore = "needs a process of its own; small_calls_and_calls_in_a_pool_leave_the_global_pool_unstarted runs it"]
fn global_pool_is_still_to_be_started() {
    let rope = rope(128, 1e4, Pairing::Halves, Level::detect());
    let x = random(99, SMALL.iter().product());
    // Small, and in no pool.
    par_rotated(&rope, &x, SMALL);
    builder(&frequencies(128, 1e4), Precision::Exact, Level::detect()).par_build(16).unwrap();
    let mut rows = vec![0.0; 16 * 128];
    let encoding = Sinusoidal::new(128, 1e4).unwrap();
    encoding.par_add(&mut rows, &Positions::from(0)).unwrap();
    encoding.par_write(&mut rows, &Positions::from(0)).unwrap();
    // Large, and in a pool.
    let large = random(100, 2 * LARGE.iter().product::<usize>());
    let [tokens, heads, dim] = LARGE;
    pool(2).install(|| {
        par_rotated(&rope, &large, [tokens, heads, 2 * dim]);
        builder(&frequencies(128, 1e4), Precision::Exact, Level::detect()).par_build(4096).unwrap();
    });
    // This fails if anything above has started the global pool.
    ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
}

// B099: rayon-rs/rayon #614 and #1044, a16z/jolt #972
// B100: FeRx-NLME/ferx-core #1460, aptos-labs/aptos-core #19352, rayon-rs/rayon #872
#[test]
fn small_calls_and_calls_in_a_pool_leave_the_global_pool_unstarted() {
    let name = "threads::global_pool_is_still_to_be_started";
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this).args(["--exact", name, "--ignored"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

// B099: rayon-rs/rayon #614 and #1044, a16z/jolt #972
#[test]
fn a_decode_step_costs_no_more_in_a_pool_of_64_threads() {
    let rope = rope(128, 1e4, Pairing::Halves, Level::detect());
    let mut x = random(99, SMALL.iter().product());
    let (serial, parallel) = pool(64).install(|| {
        let (mut serial, mut parallel) = (Duration::MAX, Duration::MAX);
        let mut view = HeadsMut::new(black_box(&mut x), SMALL).unwrap();
        let positions = Positions::from(1000);
        for _ in 0..200 {
            let start = Instant::now();
            (0..20).for_each(|_| rope.rotate(&mut view, &positions).unwrap());
            serial = serial.min(start.elapsed());
            let start = Instant::now();
            (0..20).for_each(|_| rope.par_rotate(&mut view, &positions).unwrap());
            parallel = parallel.min(start.elapsed());
        }
        (serial, parallel)
    });
    // Waking one thread would cost several steps; the fastest of many runs shows 1.0.
    assert!(parallel < serial + serial / 2, "{parallel:?} after {serial:?}");
}

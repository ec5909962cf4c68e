//! How near a rotation comes to the speed at which its bytes can be read and written at all. The limit, a scale in
//! place at the same level, is measured in the same minute, in turn with the rotation.

use std::hint::black_box;
use std::time::Instant;

use posenc::{Frequencies, HeadsMut, Level, Pairing, Positions, Rotary};
use posenc_kernels::{Isa, Kernel, Vector};

use crate::Result;
use crate::random::Random;

const TOKENS: usize = 4096;
const DIM: usize = 128;
/// Heads of queries, and of keys.
const HEADS: [usize; 2] = [32, 8];
/// Turns of each measurement; the median counts.
const TURNS: usize = 7;

/// Who works.
#[derive(Clone, Copy)]
enum Threads {
    One,
    #[cfg(feature = "rayon")]
    All,
}

impl Threads {
    const EACH: &[Self] = &[
        Self::One,
        #[cfg(feature = "rayon")]
        Self::All,
    ];

    fn count(self) -> usize {
        match self {
            Self::One => 1,
            #[cfg(feature = "rayon")]
            Self::All => rayon::current_num_threads(),
        }
    }
}

/// `x *= factor`: the least that any work in place must do.
struct Scale<'a> {
    data: &'a mut [f32],
    factor: f32,
}

impl Kernel for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let factor = I::F32::splat(isa, self.factor);
        let (whole, rest) = I::F32::split_mut(self.data);
        for lanes in whole {
            (I::F32::load(isa, lanes) * factor).store(lanes);
        }
        for x in rest {
            *x *= self.factor;
        }
    }
}

fn scale(data: &mut [Vec<f32>; 2], level: Level, threads: Threads) -> Result<()> {
    // A factor that the compiler cannot know; 1 keeps the numbers what they are.
    let factor = black_box(1.0);
    for data in data {
        match threads {
            Threads::One => level.run(Scale { data, factor }),
            #[cfg(feature = "rayon")]
            Threads::All => {
                use rayon::prelude::*;
                data.par_chunks_mut(1 << 16).for_each(|data| level.run(Scale { data, factor }));
            }
        }
    }
    Ok(())
}

fn rotate(data: &mut [Vec<f32>; 2], rope: &Rotary, threads: Threads) -> Result<()> {
    for (data, heads) in data.iter_mut().zip(HEADS) {
        let mut view = HeadsMut::new(data, [TOKENS, heads, DIM])?;
        match threads {
            Threads::One => rope.rotate(&mut view, &Positions::from(0))?,
            #[cfg(feature = "rayon")]
            Threads::All => rope.par_rotate(&mut view, &Positions::from(0))?,
        }
    }
    Ok(())
}

/// For each choice of threads, medians of the scale, the rotation with a table and that without, in milliseconds.
///
/// All are taken in turn, one thread and many too, since a machine may be faster in one second than in the next.
fn measure(data: &mut [Vec<f32>; 2], ropes: [&Rotary; 2], level: Level) -> Result<Vec<[f64; 3]>> {
    let mut times = vec![[(); 3].map(|()| vec![]); Threads::EACH.len()];
    for _ in 0..TURNS {
        for (times, &threads) in times.iter_mut().zip(Threads::EACH) {
            let mut clock = |slot: usize, work: &mut dyn FnMut() -> Result<()>| -> Result<()> {
                let start = Instant::now();
                work()?;
                times[slot].push(start.elapsed().as_secs_f64() * 1e3);
                Ok(())
            };
            // Not timed: threads that slept through the work of one thread wake here, or the limit would pay for it.
            scale(data, level, threads)?;
            clock(0, &mut || scale(black_box(&mut *data), level, threads))?;
            clock(1, &mut || rotate(black_box(&mut *data), ropes[0], threads))?;
            clock(2, &mut || rotate(black_box(&mut *data), ropes[1], threads))?;
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[TURNS / 2]
    };
    Ok(times.into_iter().map(|times| times.map(median)).collect())
}

/// Rotates fresh copies in every way there is on a level; returns how many ways, all of which gave `reference`.
fn check(original: &[Vec<f32>; 2], reference: &[Vec<f32>; 2], ropes: [&Rotary; 2]) -> Result<usize> {
    let mut data = original.clone();
    for &threads in Threads::EACH {
        for rope in ropes {
            data.clone_from(original);
            rotate(&mut data, rope, threads)?;
            assert!(data == *reference, "other values with {} threads", threads.count());
        }
    }
    Ok(Threads::EACH.len() * ropes.len())
}

/// Prints a line for each level and number of threads.
pub(crate) fn report() -> Result<()> {
    let mut random = Random(1);
    let original = HEADS.map(|heads| random.vector(TOKENS * heads * DIM));
    let bytes = original.iter().map(|data| 4 * data.len()).sum::<usize>() / 1_000_000;
    println!("4. Speed: q and k of Llama-3.1-8B in place, {TOKENS} tokens, 32 + 8 heads of {DIM}, {bytes} MB");
    println!("   Limit: x *= 1 over the same bytes, same level, same threads. Medians of {TURNS}, in turn.");
    println!("   level     threads   limit     table in memory   limit/ours   no table at all   limit/ours");

    let free = Rotary::new(&Frequencies::new(DIM, 5e5)?, Pairing::Halves);
    let table = free.clone().with_table(TOKENS)?;
    let mut reference = original.clone();
    rotate(&mut reference, &free, Threads::One)?;
    let mut data = original.clone();
    let mut compared = 0;
    for level in Level::available() {
        let [free, table] = [&free, &table].map(|rope| rope.clone().with_level(level));
        compared += check(&original, &reference, [&table, &free])?;
        let medians = measure(&mut data, [&table, &free], level)?;
        for ([limit, with, without], threads) in medians.into_iter().zip(Threads::EACH) {
            println!(
                "   {level:<8}  {:>7}  {limit:>6.2} ms  {with:>12.2} ms  {:>11.2}   {without:>12.2} ms  {:>11.2}",
                threads.count(),
                limit / with,
                limit / without
            );
        }
    }
    println!("   All {compared} ways of rotating gave the same values (asserted).\n");
    Ok(())
}

//! Laws of kernels, called without the crate around them: sources, windows and tables that may hold anything.
//! They stand apart because the crate gives its kernels well-behaved values, and other callers may not.

use posenc::{Direction, Level, Pairing};
use posenc_kernels::{Arrangement, F32, GatherSum, Grid, InPlace, Lookup, Place, Rotate, SlidingAdd, Wide};

use super::laws::bits::{SPECIALS, assert_same_where, framed};
use super::laws::case::scattered;

/// Every special value beside every other: 256 pairs.
pub(crate) fn special_pairs() -> (Vec<f32>, Vec<f32>) {
    let specials = SPECIALS.map(f32::from_bits);
    specials.iter().flat_map(|&x| specials.map(|y| (x, y))).unzip()
}

pub(crate) fn zipped<T: Copy, U>(a: &[T], b: &[T], operation: impl Fn(T, T) -> U) -> Vec<U> {
    a.iter().zip(b).map(|(&a, &b)| operation(a, b)).collect()
}

/// Rows of one pair of cosine and sine, which may be special as well: tables can be brought along.
pub(crate) fn special_values_turn_alike(levels: &[Level]) {
    let (x, y) = special_pairs();
    let factors = [0.0, -0.0, 1.0, -0.6, 0.8, f32::MAX, f32::from_bits(1), f32::INFINITY].map(|f| (f, f));
    let factors = factors.iter().flat_map(|&(c, _)| factors.map(|(s, _)| (c, s)));
    for (c, s) in factors {
        for (pairing, direction) in ways() {
            let rows =
                [Level::named("scalar").expect("every machine has it")].into_iter().chain(levels.iter().copied());
            let mut rows = rows.map(|level| (level, turned(level, pairing, direction, [&x, &y], [c, s])));
            let (_, scalar) = rows.next().expect("the scalar row");
            for (level, row) in rows {
                for j in 0..x.len() {
                    let (first, second) = features(pairing, x.len(), j);
                    let what = format_args!("{level}: {:?} with {c:e}, {s:e}, {direction:?}", (x[j], y[j]));
                    // Two NaN in one sum: which of them comes out is the compiler's choice, unless both are the machine's own.
                    let any = x[j].is_nan() || y[j].is_nan();
                    let loose = [
                        any && (x[j] * c).is_nan() && (y[j] * s).is_nan(),
                        any && (y[j] * c).is_nan() && (x[j] * s).is_nan(),
                    ];
                    assert_same_where(
                        &[row[first], row[second]],
                        &[scalar[first], scalar[second]],
                        |i| !loose[i],
                        what,
                    );
                    assert!(!any || row[first].is_nan() && row[second].is_nan(), "{what}: a NaN became a number");
                }
            }
        }
    }
}

fn ways() -> [(Pairing, Direction); 4] {
    let (halves, interleaved) = (Pairing::Halves, Pairing::Interleaved);
    let (forward, inverse) = (Direction::Forward, Direction::Inverse);
    [(halves, forward), (halves, inverse), (interleaved, forward), (interleaved, inverse)]
}

fn features(pairing: Pairing, pairs: usize, j: usize) -> (usize, usize) {
    match pairing {
        Pairing::Halves => (j, j + pairs),
        Pairing::Interleaved => (2 * j, 2 * j + 1),
    }
}

/// One row of all pairs `(x, y)`, turned by one cosine and one sine.
fn turned(level: Level, pairing: Pairing, direction: Direction, [x, y]: [&[f32]; 2], [c, s]: [f32; 2]) -> Vec<f32> {
    let pairs = x.len();
    let mut data = vec![0.0; 2 * pairs];
    for j in 0..pairs {
        let (first, second) = features(pairing, pairs, j);
        (data[first], data[second]) = (x[j], y[j]);
    }
    let grid = Grid { start: 0, group: 0, member: 0 };
    let (cos, sin) = (vec![c; pairs], vec![s; pairs]);
    let memory = InPlace::<F32> { data: &mut data, grid };
    Rotate { memory, members: 1, pairs, cos: &cos, sin: &sin, table_rows: &[0], direction }.run(level, pairing);
    data
}

/// A row grows by its sources in the order of the arrangement, and by zero where they are too short.
pub(crate) fn placed_rows_hold_both_sources_in_order(width: usize, arrangement: Arrangement, levels: &[Level]) {
    let (x, y) = special_pairs();
    for (pairs, scale) in [(width.div_ceil(2), 1.0), (width.div_ceil(2), -0.75), (width / 2, 3.0)] {
        let (a, b) = (scattered(&y, 3 * pairs), scattered(&x[7..], 3 * pairs));
        let first = width.div_ceil(2).min(pairs);
        let source = |cell: usize| {
            let (row, i) = (cell / width * pairs, cell % width);
            match arrangement {
                _ if i >= 2 * pairs => 0.0,
                Arrangement::Woven if i.is_multiple_of(2) => a[row + i / 2],
                Arrangement::Woven => b[row + i / 2],
                Arrangement::Blocked if i < first => a[row + i],
                Arrangement::Blocked => b[row + i - first],
            }
        };
        let before = scattered(&x, 3 * width);
        let added: Vec<f32> = (0..3 * width).map(source).collect();
        let want = zipped(&before, &added, |x, y| x * scale + y);
        for &level in levels {
            let shift = width % 4;
            let mut buffer = framed(&before, shift);
            let rows = &mut buffer[shift..][..before.len()];
            Place::<F32> { rows, width, pairs, a: &a, b: &b, scale }.run(level, arrangement);
            let what = format_args!("{level}: {arrangement:?}, width {width}, {pairs} pairs");
            assert_same_where(&buffer, &framed(&want, shift), determined(&before, &added, shift), what);
        }
    }
}

/// Row `i` grows by the window that begins at `start − i·step`.
pub(crate) fn windows_slide_to_the_left(width: usize, step: usize, levels: &[Level]) {
    let (x, y) = special_pairs();
    let (rows, start) = (5, 4 * step + width % 3);
    let window = scattered(&y, start + width);
    let before = scattered(&x, rows * width);
    let added: Vec<f32> = (0..rows).flat_map(|i| &window[start - i * step..][..width]).copied().collect();
    let want = zipped(&before, &added, |x, y| x + y);
    for &level in levels {
        let shift = width % 4;
        let mut buffer = framed(&before, shift);
        let rows = &mut buffer[shift..][..before.len()];
        level.run(SlidingAdd::<F32> { rows, width, window: &window, start, step });
        let what = format_args!("{level}: width {width}, step {step}");
        assert_same_where(&buffer, &framed(&want, shift), determined(&before, &added, shift), what);
    }
}

/// Each row grows by the table row of its index; indices repeat, and go up and down.
pub(crate) fn rows_grow_by_the_rows_of_their_index(width: usize, levels: &[Level]) {
    let (x, y) = special_pairs();
    let index = [3, 0, 0, 2, 3, 1];
    let table = scattered(&y, 4 * width);
    let before = scattered(&x, index.len() * width);
    let added: Vec<f32> = index.iter().flat_map(|&row| &table[row * width..][..width]).copied().collect();
    let want = zipped(&before, &added, |x, y| x + y);
    for &level in levels {
        let shift = width % 4;
        let mut buffer = framed(&before, shift);
        let rows = &mut buffer[shift..][..before.len()];
        let tables = [Lookup { table: &table, index: &index, factor: 1.0 }];
        level.run(GatherSum::<F32, Wide, 1> { rows, width, scale: Some(1.0), tables });
        let what = format_args!("{level}: width {width}");
        assert_same_where(&buffer, &framed(&want, shift), determined(&before, &added, shift), what);
    }
}

/// Whether the bits of a sum in a framed buffer are the same everywhere: not where two NaN are added.
fn determined<'a>(before: &'a [f32], added: &'a [f32], shift: usize) -> impl Fn(usize) -> bool + 'a {
    let two_nan = move |i: usize| before.get(i).is_some_and(|x| x.is_nan()) && added[i].is_nan();
    move |i| i < shift || !two_nan(i - shift)
}

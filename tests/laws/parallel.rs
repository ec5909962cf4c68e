//! Laws of threads: any number of them gives the bits of one.
//! They stand apart because they need `rayon`, and sizes large enough that work is cut at all.

use posenc::{Level, Positions, TableBuilder};

use super::laws::absolute::Absolute;
use super::laws::bits::{assert_same, guards};
use super::laws::case::{Case, Turn};
use super::laws::layout::Layout;

/// Elements from which a rotation is cut; smaller cases would test nothing.
pub(crate) const CUT: usize = 1 << 19;

/// The same of rows that are made.
pub(crate) const CUT_ROWS: usize = 1 << 17;

/// More threads than the machine may have, so that pieces do change hands.
fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("a pool").install(work)
}

/// A parallel rotation is the serial one, in any layout, with and without a table.
pub(crate) fn parallel_is_serial(case: &Case, layout: &Layout, levels: &[Level]) {
    let data = case.data();
    assert!(data.len() >= CUT, "too small to be cut: {:?}", case.shape);
    let before = layout.buffer(case.shape, &data);
    let positions = Positions::ids(&case.ids);
    for &level in levels {
        let rope = case.turn.rope(level);
        let want = layout.buffer(case.shape, &case.rotated_by(&rope));
        let rows = case.ids.iter().max().map_or(0, |&last| last as usize + 1);
        let with_table = rope.clone().with_table(rows).expect("a table that fits");
        for (rope, source) in [(rope, "angles"), (with_table, "a table")] {
            let mut buffer = before.clone();
            in_pool(|| rope.par_rotate(&mut layout.view(case.shape, &mut buffer), &positions)).expect("as serial");
            assert_same(&buffer, &want, format_args!("{level}, {layout:?}, from {source}"));
        }
    }
}

/// A table made by many threads is the one made by one.
pub(crate) fn parallel_rows_are_serial_rows(turn: &Turn, first: i64, rows: usize, levels: &[Level]) {
    assert!(rows * turn.pairs >= CUT_ROWS, "too small to be cut: {rows} rows of {}", turn.pairs);
    for &level in levels {
        let builder = TableBuilder::new(&turn.frequencies(), turn.precision).with_level(level);
        let serial = builder.build(rows).expect("a table that fits");
        let parallel = in_pool(|| builder.par_build(rows)).expect("as serial");
        assert_same(parallel.cos(), serial.cos(), format_args!("{level}: cosines of the table"));
        assert_same(parallel.sin(), serial.sin(), format_args!("{level}: sines of the table"));

        let filled = |parallel| {
            let (mut cos, mut sin) = (guards(rows * turn.pairs), guards(rows * turn.pairs));
            let (c, s) = (&mut cos[..], &mut sin[..]);
            let done = match parallel {
                Threads::Many => in_pool(|| builder.par_fill(&Positions::from(first), c, s)),
                Threads::One => builder.fill(&Positions::from(first), c, s),
            };
            done.expect("positions that are served");
            (cos, sin)
        };
        let ((cos, sin), (want_cos, want_sin)) = (filled(Threads::Many), filled(Threads::One));
        assert_same(&cos, &want_cos, format_args!("{level}: cosines from {first} on"));
        assert_same(&sin, &want_sin, format_args!("{level}: sines from {first} on"));
    }
}

enum Threads {
    One,
    Many,
}

/// Sinusoids added or written by many threads are those of one.
pub(crate) fn parallel_sinusoids_are_serial_sinusoids(rows: &Absolute, levels: &[Level]) {
    let x = rows.x();
    assert!(x.len() >= CUT_ROWS, "too small to be cut: {} rows of {}", rows.ids.len(), rows.features);
    let positions = Positions::ids(&rows.ids);
    for &level in levels {
        let encoding = rows.encoding(level);
        let (mut serial, mut parallel) = (x.clone(), x.clone());
        encoding.add(&mut serial, &positions).expect("positions that are served");
        in_pool(|| encoding.par_add(&mut parallel, &positions)).expect("as serial");
        assert_same(&parallel, &serial, format_args!("{level}: add"));
        encoding.write(&mut serial, &positions).expect("positions that are served");
        in_pool(|| encoding.par_write(&mut parallel, &positions)).expect("as serial");
        assert_same(&parallel, &serial, format_args!("{level}: write"));
    }
}

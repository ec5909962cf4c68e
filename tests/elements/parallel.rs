//! Many threads and one thread: the same bits for every element type and every form.
//! They stand apart because they need `rayon`, and sizes large enough that work is cut at all.

use std::mem::MaybeUninit;

use posenc::{HeadsMut, Order, Positions, Precision, Sinusoidal, TableBuilder, Target};

use super::common::levels;
use super::heads::{Task, buffer, empty, for_every_kind, rotate, view, ways};
use super::into::{for_every_target, source};
use super::kinds::{Kind, assert_same, elements, guards};
use super::laws::case::Turn;
use super::laws::layout::Layout;

/// More threads than the machine may have, so that pieces do change hands.
fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("a pool").install(work)
}

/// More than 2^19 elements, below which nothing is cut: many tokens, many sequences, many heads.
fn large(turn: Turn) -> [(Task, Layout); 3] {
    let gaps = Layout { order: 1, gaps: [1, 0, 2], before: 1 };
    [
        (Task::new(turn, [1, 2400, 20, 11]), Layout::TOKEN_MAJOR),
        (Task::new(turn, [3, 130, 140, 11]), gaps),
        (Task::new(turn, [1, 160, 400, 11]), Layout::HEAD_MAJOR),
    ]
}

fn into_is_serial<S: Kind, D>()
where
    D: Kind<Work = S::Work> + Target<S>,
    MaybeUninit<D>: Target<S>,
{
    for (task, layout) in ways(5, 1).take(1).chain(ways(5, 0).skip(3)).flat_map(large) {
        assert!(task.len() > 1 << 19);
        let before: Vec<S> = elements(task.len(), 4);
        let read = Layout::TOKEN_MAJOR;
        for level in levels() {
            let rope = task.rope(level);
            let from = source(&read, task.shape, &before);
            let (mut one, mut many) = (empty::<D>(&layout, task.shape), empty::<D>(&layout, task.shape));
            rope.rotate_into(&from, &mut view(&layout, task.shape, &mut one), &task.positions()).expect("it fits");
            let mut target = view(&layout, task.shape, &mut many);
            in_pool(|| rope.par_rotate_into(&from, &mut target, &task.positions())).expect("it fits");
            assert_same(&many, &one, format_args!("{level}: {} into {}, {layout:?}", S::TYPE, D::TYPE));
        }
    }
}

#[test]
fn many_threads_rotate_into_another_place_as_one_does() {
    for_every_target!(into_is_serial());
}

fn in_place_is_serial<K: Kind>() {
    for (task, layout) in ways(5, 1).skip(1).take(2).flat_map(large) {
        let before: Vec<K> = elements(task.len(), 4);
        for level in levels() {
            let rope = task.rope(level);
            let mut one = buffer(&layout, task.shape, &before);
            let mut many = one.clone();
            rotate(&task, &layout, &rope, &mut one);
            let mut heads: HeadsMut<'_, K> = view(&layout, task.shape, &mut many);
            in_pool(|| rope.par_rotate(&mut heads, &task.positions())).expect("as serial");
            assert_same(&many, &one, format_args!("{level}: {}, {layout:?}", K::TYPE));
        }
    }
}

#[test]
fn many_threads_rotate_every_type_as_one_does() {
    for_every_kind!(in_place_is_serial());
}

fn rows_are_serial<K: Kind>() {
    let frequencies = Turn::plain(33, posenc::Pairing::Halves).frequencies();
    for level in levels() {
        let builder = TableBuilder::new(&frequencies, Precision::Exact).with_level(level);
        let one = builder.build_as::<K>(5000).expect("it fits");
        let many = in_pool(|| builder.par_build_as::<K>(5000)).expect("as serial");
        assert_same(many.cos(), one.cos(), format_args!("{level}: cosines of {}", K::TYPE));
        assert_same(many.sin(), one.sin(), format_args!("{level}: sines of {}", K::TYPE));
    }
}

#[test]
fn many_threads_make_tables_of_every_type_as_one_does() {
    for_every_kind!(rows_are_serial());
}

fn sinusoids_are_serial<K: Kind>() {
    for order in [Order::Interleaved, Order::SinCos, Order::CosSin] {
        for level in levels() {
            let encoding = Sinusoidal::new(33, 10_000.0).expect("a good base").with_order(order).with_level(level);
            let (mut one, mut many): (Vec<K>, Vec<K>) = (elements(33 * 5000, 2), elements(33 * 5000, 2));
            encoding.add(&mut one, &Positions::from(77)).expect("whole rows");
            in_pool(|| encoding.par_add(&mut many, &Positions::from(77))).expect("whole rows");
            assert_same(&many, &one, format_args!("{level}: {} added", K::TYPE));
            let mut many = guards::<K>(33 * 5000);
            encoding.write(&mut one, &Positions::from(77)).expect("whole rows");
            in_pool(|| encoding.par_write(&mut many, &Positions::from(77))).expect("whole rows");
            assert_same(&many, &one, format_args!("{level}: {} written", K::TYPE));
        }
    }
}

#[test]
fn many_threads_add_and_write_every_type_as_one_does() {
    for_every_kind!(sinusoids_are_serial());
}

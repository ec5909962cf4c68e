//! Rotations from one place into another: of one type, or of f32 into 16 bits; into elements, or into memory without.
//! They stand apart because they are held to the rotation in place, which other files hold to the formula.

use std::mem::MaybeUninit;

use half::{bf16, f16};
use posenc::{Error, Heads, Shape, Target};

use super::common::levels;
use super::heads::{Task, buffer, empty, layouts, marked, view, ways};
use super::kinds::{Kind, assert_alike, assert_same, carried, elements, guards};
use super::laws::case::Turn;
use super::laws::layout::Layout;

/// Calls a generic test for each pair of types that is served.
macro_rules! for_every_target {
    ($test:ident($($argument:expr),*)) => {
        $test::<f32, f32>($($argument),*);
        $test::<f64, f64>($($argument),*);
        $test::<half::f16, half::f16>($($argument),*);
        $test::<half::bf16, half::bf16>($($argument),*);
        $test::<f32, half::f16>($($argument),*);
        $test::<f32, half::bf16>($($argument),*);
    };
}
#[cfg(feature = "rayon")]
pub(super) use for_every_target;

/// The view of a buffer to be read.
pub(super) fn source<'a, K>(layout: &Layout, shape: Shape, buffer: &'a [K]) -> Heads<'a, K> {
    Heads::strided(&buffer[layout.before..], shape, layout.strides(shape)).expect("strides that keep heads apart")
}

/// Room that was never written to, in the eyes of the crate: it holds guards.
fn room<K: Kind>(layout: &Layout, shape: Shape) -> Vec<MaybeUninit<K>> {
    empty(layout, shape).into_iter().map(MaybeUninit::new).collect()
}

/// What is in there now.
#[allow(unsafe_code, reason = "only unsafe code can look into memory that may be uninitialised")]
fn held<K: Copy>(slots: &[MaybeUninit<K>]) -> Vec<K> {
    // SAFETY: every slot was made by `MaybeUninit::new`, in `room`; whoever wrote to it since could only put another
    // value of the element type there, all of whose bits are set.
    slots.iter().map(|slot| unsafe { slot.assume_init() }).collect()
}

/// The rotation in place, of elements that are then brought to the other type.
fn expected<S: Kind, D: Kind<Work = S::Work>>(task: &Task, level: posenc::Level, elements: &[S]) -> Vec<D> {
    task.rotated(&task.rope(level), elements).into_iter().map(carried).collect()
}

fn is_the_rotation_in_place<S: Kind, D>(task: &Task)
where
    D: Kind<Work = S::Work> + Target<S>,
    MaybeUninit<D>: Target<S>,
{
    // Signalling NaN among what does not turn: whatever reads them as numbers makes them quiet.
    let mut before: Vec<S> = elements(task.len(), 5);
    before.iter_mut().enumerate().filter(|(i, _)| !task.turns(*i) && i % 3 > 0).for_each(|(i, x)| *x = S::guard(i));
    for (from, to) in layouts().flat_map(|from| layouts().map(move |to| (from, to))) {
        let read = buffer(&from, task.shape, &before);
        // Rounding may give NaN other bits. What is copied must not change, nor what lies between the heads.
        let loose = marked(task, &to, |element| task.turns(element) || S::TYPE != D::TYPE);
        for level in levels() {
            let want = buffer(&to, task.shape, &expected::<S, D>(task, level, &before));
            let rope = task.rope(level);
            let what = format_args!("{level}: {} into {}: {task:?}, {from:?}, {to:?}", S::TYPE, D::TYPE);

            let mut got = empty::<D>(&to, task.shape);
            let mut target = view(&to, task.shape, &mut got);
            rope.rotate_into(&source(&from, task.shape, &read), &mut target, &task.positions()).expect("it fits");
            assert_alike(&got, &want, |i| loose[i], what);

            let mut slots = room::<D>(&to, task.shape);
            let mut target = view(&to, task.shape, &mut slots);
            rope.rotate_into(&source(&from, task.shape, &read), &mut target, &task.positions()).expect("it fits");
            assert_same(&held(&slots), &got, format_args!("uninitialised, {what}"));
            assert_same(&read, &buffer(&from, task.shape, &before), format_args!("what is read, {what}"));
        }
    }
}

#[test]
fn a_rotation_into_another_place_is_the_one_in_place_in_any_layouts() {
    for (pairs, [before, after]) in [(1, [0, 0]), (3, [1, 2]), (5, [0, 3]), (33, [2, 0]), (40, [0, 1])] {
        for turn in ways(pairs, before) {
            let task = Task::new(turn, [2, 3, 2, before + 2 * pairs + after]);
            for_every_target!(is_the_rotation_in_place(&task));
        }
    }
}

/// Longer than a block of tokens, and than the stack has room for.
#[test]
fn many_tokens_go_into_another_place_as_few_do() {
    for turn in ways(5, 1) {
        let task = Task::new(turn, [1, 70, 1, 12]);
        for_every_target!(is_the_rotation_in_place(&task));
    }
}

fn is_one_rounding_of_the_formula<D: Kind<Work = f32> + Target<f32>>() {
    for turn in ways(33, 1) {
        let task = Task::new(Turn { magnitude: 1.1, ..turn }, [1, 9, 3, 70]);
        let before: Vec<f32> = elements(task.len(), 6);
        let want: Vec<D> = task.expected(&before);
        let layout = Layout::TOKEN_MAJOR;
        for level in levels() {
            let mut got = guards::<D>(task.len());
            let mut target = view(&layout, task.shape, &mut got);
            let from = source(&layout, task.shape, &before);
            task.rope(level).rotate_into(&from, &mut target, &task.positions()).expect("it fits");
            assert_alike(&got, &want, |_| true, format_args!("{level}: {turn:?}"));
        }
    }
}

#[test]
fn f32_becomes_16_bits_with_one_rounding() {
    is_one_rounding_of_the_formula::<f16>();
    is_one_rounding_of_the_formula::<bf16>();
}

fn other_shapes_are_refused<S: Kind, D>()
where
    D: Kind<Work = S::Work> + Target<S>,
    MaybeUninit<D>: Target<S>,
{
    let turn = Turn::plain(2, posenc::Pairing::Halves);
    let expected = Shape { batch: 2, tokens: 3, heads: 4, dim: 5 };
    let task = Task { shape: expected, ..Task::new(turn, [2, 3, 4, 5]) };
    let from: Vec<S> = elements(task.len(), 7);
    let others = [
        Shape { batch: 3, tokens: 2, ..expected },
        Shape { tokens: 4, heads: 3, ..expected },
        Shape { heads: 5, dim: 4, ..expected },
        Shape { batch: 1, ..expected },
    ];
    for (found, level) in others.into_iter().flat_map(|found| levels().into_iter().map(move |level| (found, level))) {
        let layout = Layout::TOKEN_MAJOR;
        let mut to = guards::<D>(120);
        let mut target = view(&layout, found, &mut to);
        let from = source(&layout, expected, &from);
        let error = task.rope(level).rotate_into(&from, &mut target, &task.positions()).expect_err("another shape");
        assert_eq!(error, Error::Shape { expected, found });
        assert_same(&to, &guards::<D>(120), "refused");
    }
}

#[test]
fn a_target_of_another_shape_is_refused_and_nothing_is_written() {
    for_every_target!(other_shapes_are_refused());
}

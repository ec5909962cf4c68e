//! Heads of any element type: what a call is given, where it stands in memory, and what must come out.
//! They stand apart because the laws of f32 have the same helpers for f32 alone.

use posenc::{Direction, Element, HeadsMut, Level, Pairing, Positions, Precision, Rotary, Shape, TableBuilder};

use super::kinds::{Kind, carried, guards, turned};
use super::laws::case::Turn;
use super::laws::layout::Layout;

/// Heads to rotate, but for their elements.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) shape: Shape,
    pub(super) turn: Turn,
    /// The position of each token, `[batch, tokens]`.
    pub(super) ids: Vec<i64>,
}

/// The plainest level, which the others are compared with.
pub(super) fn scalar() -> Level {
    Level::named("scalar").expect("every machine has it")
}

/// Both pairings in both directions.
pub(super) fn ways(pairs: usize, start: usize) -> impl Iterator<Item = Turn> {
    let directions = |pairing| [Direction::Forward, Direction::Inverse].map(|direction| (pairing, direction));
    let ways = [Pairing::Halves, Pairing::Interleaved].into_iter().flat_map(directions);
    ways.map(move |(pairing, direction)| Turn { direction, start, ..Turn::plain(pairs, pairing) })
}

impl Task {
    /// Tokens at unlike positions.
    pub(super) fn new(turn: Turn, [batch, tokens, heads, dim]: [usize; 4]) -> Self {
        let ids = (0..(batch * tokens) as i64).map(|i| i * i * 7 % 4001).collect();
        Self { shape: Shape { batch, tokens, heads, dim }, turn, ids }
    }

    pub(super) fn len(&self) -> usize {
        let Shape { batch, tokens, heads, dim } = self.shape;
        batch * tokens * heads * dim
    }

    pub(super) fn rope(&self, level: Level) -> Rotary {
        self.turn.rope(level)
    }

    pub(super) fn positions(&self) -> Positions<'_> {
        Positions::ids(&self.ids)
    }

    /// The elements `[batch, tokens, heads, dim]` after a rotation in place.
    pub(super) fn rotated<K: Kind>(&self, rope: &Rotary, elements: &[K]) -> Vec<K> {
        let mut elements = elements.to_vec();
        let layout = Layout::TOKEN_MAJOR;
        rope.rotate(&mut view(&layout, self.shape, &mut elements), &self.positions()).expect("as many ids as tokens");
        elements
    }

    /// What the formula makes of the elements: tables of the type that is computed with, one rounding.
    pub(super) fn expected<S: Kind, D: Kind<Work = S::Work>>(&self, elements: &[S]) -> Vec<D> {
        let (cos, sin) = table::<S::Work>(&self.turn, &self.ids);
        let mut want: Vec<D> = elements.iter().map(|&x| carried(x)).collect();
        for (head, (from, to)) in elements.chunks(self.shape.dim).zip(want.chunks_mut(self.shape.dim)).enumerate() {
            let row = head / self.shape.heads * self.turn.pairs;
            for (j, (first, second)) in self.turn.features().enumerate() {
                let sin = match self.turn.direction {
                    Direction::Forward => sin[row + j],
                    Direction::Inverse => -sin[row + j],
                };
                [to[first], to[second]] = turned([from[first], from[second]], [cos[row + j], sin]);
            }
        }
        want
    }

    /// Whether an element is one of a pair that turns.
    pub(super) fn turns(&self, element: usize) -> bool {
        let Turn { start, pairs, .. } = self.turn;
        (start..start + 2 * pairs).contains(&(element % self.shape.dim))
    }
}

/// Rows of cosines and of sines, one a position, made at the plainest level.
pub(super) fn table<K: Element>(turn: &Turn, ids: &[i64]) -> (Vec<K>, Vec<K>) {
    let (mut cos, mut sin) = (vec![K::default(); ids.len() * turn.pairs], vec![K::default(); ids.len() * turn.pairs]);
    let builder = TableBuilder::new(&turn.frequencies(), Precision::Exact).with_level(scalar());
    builder.fill(&Positions::ids(ids), &mut cos, &mut sin).expect("positions that are served");
    (cos, sin)
}

/// Heads in a layout, with guards wherever there is no head.
pub(super) fn buffer<K: Kind>(layout: &Layout, shape: Shape, elements: &[K]) -> Vec<K> {
    let mut buffer = empty(layout, shape);
    for (cell, &x) in layout.cells(shape).into_iter().zip(elements) {
        buffer[cell] = x;
    }
    buffer
}

/// Room for heads in a layout, with guards everywhere.
pub(super) fn empty<K: Kind>(layout: &Layout, shape: Shape) -> Vec<K> {
    let end = layout.cells(shape).into_iter().max().map_or(layout.before, |last| last + 1);
    guards(end + 5)
}

/// In which cells of a buffer an element stands that is one of those meant.
pub(super) fn marked(task: &Task, layout: &Layout, meant: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut marked = vec![false; empty::<f32>(layout, task.shape).len()];
    for (element, cell) in layout.cells(task.shape).into_iter().enumerate() {
        marked[cell] = meant(element);
    }
    marked
}

/// The view of a buffer, of elements or of room for them.
pub(super) fn view<'a, T>(layout: &Layout, shape: Shape, buffer: &'a mut [T]) -> HeadsMut<'a, T> {
    HeadsMut::strided(&mut buffer[layout.before..], shape, layout.strides(shape))
        .expect("strides that keep heads apart")
}

/// Layouts of every order, with and without gaps, the first head at any alignment.
pub(super) fn layouts() -> impl Iterator<Item = Layout> {
    (0..6).map(|order| Layout { order, gaps: [order % 4, order % 2, order % 3], before: order % 5 })
}

/// Calls a generic test for each element type, as `for_every_kind!(test(arguments))`.
macro_rules! for_every_kind {
    ($test:ident($($argument:expr),*)) => {
        $test::<f32>($($argument),*);
        $test::<f64>($($argument),*);
        $test::<half::f16>($($argument),*);
        $test::<half::bf16>($($argument),*);
    };
}
pub(super) use for_every_kind;

/// Rotates in place in a layout.
pub(super) fn rotate<K: Element>(task: &Task, layout: &Layout, rope: &Rotary, buffer: &mut [K]) {
    rope.rotate(&mut view(layout, task.shape, buffer), &task.positions()).expect("as many ids as tokens");
}

//! Laws of refusal: whatever sizes, strides and positions a caller hands over, a call does its work or refuses it whole.
//! They stand apart from the list of single refusals because here the input may be anything.

use posenc::{
    Axes, Axis, Clip, DistanceBias, Frequencies, Heads, HeadsMut, Level, Pairing, Positions, Precision,
    RelativeEmbedding, Rotary, Shape, Shard, Sinusoidal, Strides, TableBuilder,
};

use super::laws::bias::Patternless;
use super::laws::bits::{assert_same, guards};
use super::laws::case::mixed;

/// What a careless caller hands over.
#[derive(Clone, Debug)]
pub(crate) struct Careless {
    /// Batch, tokens, heads, features.
    pub(crate) sizes: [usize; 4],
    /// From one sequence, token and head to the next.
    pub(crate) strides: [usize; 3],
    /// How long the buffer is.
    pub(crate) len: usize,
    /// One of the positions, the offset, where sequences begin or end, or how much of them is padding.
    pub(crate) ids: Vec<i64>,
    /// Places that may be fractions, or no numbers.
    pub(crate) places: Vec<f64>,
    /// How many axes they are told to have.
    pub(crate) axes: usize,
    /// How many pairs the encoding turns, and from which feature on.
    pub(crate) pairs: usize,
    /// The first feature that turns.
    pub(crate) start: usize,
}

impl Careless {
    fn shape(&self) -> Shape {
        let [batch, tokens, heads, dim] = self.sizes;
        Shape { batch, tokens, heads, dim }
    }

    /// Every kind of positions that the lists may be taken for.
    fn positions(&self) -> Vec<Positions<'_>> {
        let Self { ids, places, axes, start, strides: [ranks, ..], .. } = self;
        let offset = Positions::from(ids.first().copied().unwrap_or(3));
        let mut positions = vec![
            Positions::ids(ids),
            offset,
            offset.on_all_axes(),
            Positions::offsets(ids),
            Positions::left_padded(ids),
            Positions::right_aligned(ids),
            Positions::packed(ids),
            Positions::packed_from(ids, &ids[ids.len().min(1)..]),
            Positions::fractions(places),
            Positions::axes(ids, *axes),
            Positions::axes(places, *axes),
            Positions::axes(places, *axes).on_all_axes(),
        ];
        for shard in [Shard::Contiguous, Shard::Striped, Shard::Zigzag] {
            positions.extend(Positions::shard(shard, *start, *ranks));
        }
        positions
    }

    /// Encodings that are worked out, read from a table, and read from several axes; none of the last if there cannot be so
    /// many.
    fn ropes(&self) -> Vec<Rotary> {
        let frequencies = || Frequencies::new(2 * self.pairs, 1e4).expect("few pairs");
        let rope = Rotary::new(&frequencies(), Pairing::Halves).starting_at(self.start);
        let with_table = rope.clone().with_table(9).expect("a small table");
        let Ok(axes) = Axes::alternating(self.axes, self.pairs) else { return vec![rope, with_table] };
        let on_axes = Rotary::new(&frequencies().on_axes(axes).expect("an axis for each pair"), Pairing::Halves);
        let on_axes = on_axes.starting_at(self.start);
        let rows_on_axes = on_axes.clone().with_table(9).expect("a small table");
        vec![rope, with_table, on_axes, rows_on_axes]
    }
}

/// A rotation of a strided view, with and without a table, does not panic; refused, it writes nothing; done, it stays
/// within the rotated slices of its heads.
pub(crate) fn a_careless_rotation_stays_in_its_heads(careless: &Careless) {
    let [batch, token, head] = careless.strides;
    let strides = Strides { batch, token, head };
    let (ropes, positions) = (careless.ropes(), careless.positions());
    for (rope, positions) in ropes.iter().flat_map(|rope| positions.iter().map(move |positions| (rope, positions))) {
        // Ones turn into other numbers nearly everywhere; guards in the gaps would be NaN, and so would the heads.
        let before: Vec<f32> = (0..careless.len as u64).map(|i| 1.0 + mixed(i) as f32).collect();
        let mut data = before.clone();
        let Ok(mut view) = HeadsMut::strided(&mut data, careless.shape(), strides) else { continue };
        let done = rope.rotate(&mut view, positions);
        #[cfg(feature = "rayon")]
        assert_eq!(rope.par_rotate(&mut view, positions).is_ok(), done.is_ok());
        let turning = if done.is_ok() { turning(careless, before.len()) } else { vec![false; before.len()] };
        for (i, (after, before)) in data.iter().zip(&before).enumerate() {
            assert!(
                turning[i] || after.to_bits() == before.to_bits(),
                "{careless:?}: element {i} was written ({done:?})"
            );
        }
    }
}

/// Which elements of a buffer may turn. A view that was accepted has no more elements than its buffer.
fn turning(careless: &Careless, len: usize) -> Vec<bool> {
    let mut turning = vec![false; len];
    let Shape { batch, tokens, heads, dim } = careless.shape();
    if [batch, tokens, heads, dim].contains(&0) {
        return turning;
    }
    for b in 0..batch {
        for t in 0..tokens {
            for h in 0..heads {
                let head = b * careless.strides[0] + t * careless.strides[1] + h * careless.strides[2];
                turning[head + careless.start..][..2 * careless.pairs].fill(true);
            }
        }
    }
    turning
}

/// The views without gaps do not panic either, nor do rotations of those that were accepted.
pub(crate) fn a_careless_view_is_whole_or_refused(careless: &Careless) {
    let frequencies = Frequencies::new(2 * careless.pairs, 1e4).expect("few pairs");
    let rope = Rotary::new(&frequencies, Pairing::Interleaved).starting_at(careless.start);
    for positions in careless.positions() {
        for token_major in [true, false] {
            let mut data = guards(careless.len);
            let view = match token_major {
                true => HeadsMut::token_major(&mut data, careless.sizes),
                false => HeadsMut::head_major(&mut data, careless.sizes),
            };
            if view.and_then(|mut view| rope.rotate(&mut view, &positions)).is_err() {
                assert_same(&data, &guards(careless.len), format_args!("{careless:?}"));
            }
        }
    }
}

/// A rotation from one careless view into another, or of two in one call, does not panic; refused, it writes nothing.
pub(crate) fn a_careless_pair_is_whole_or_refused(careless: &Careless) {
    let [batch, token, head] = careless.strides;
    let strides = Strides { batch, token, head };
    let frequencies = Frequencies::new(2 * careless.pairs, 1e4).expect("few pairs");
    let rope = Rotary::new(&frequencies, Pairing::Interleaved).starting_at(careless.start);
    // One head more or less is a shape of its own for a copy, and none for queries beside their keys.
    for heads in [careless.sizes[2], careless.sizes[2] / 2] {
        for positions in careless.positions() {
            let source = guards(careless.len);
            let (mut first, mut second) = (source.clone(), source.clone());
            let Ok(from) = Heads::strided(&source, careless.shape(), strides) else { continue };
            let Ok(mut to) = HeadsMut::strided(&mut first, Shape { heads, ..careless.shape() }, strides) else {
                continue;
            };
            let Ok(mut other) = HeadsMut::strided(&mut second, careless.shape(), strides) else { continue };
            let copied = rope.rotate_into(&from, &mut to, &positions);
            let both = if copied.is_err() { rope.rotate_both(&mut other, &mut to, &positions) } else { Ok(()) };
            if copied.is_err() && both.is_err() {
                assert_same(&first, &source, format_args!("{careless:?}"));
                assert_same(&second, &source, format_args!("{careless:?}"));
            }
        }
    }
}

/// A view that is cut anywhere falls into two that have all its entries, or the cut is refused.
pub(crate) fn a_careless_cut_keeps_all_entries(careless: &Careless) {
    let [batch, token, head] = careless.strides;
    let mut data = guards(careless.len);
    let Ok(view) = HeadsMut::strided(&mut data, careless.shape(), Strides { batch, token, head }) else { return };
    let (axis, whole) = (view.outer_axis(), view.shape());
    let Ok((left, right)) = view.split_at(careless.start) else { return };
    let (left, right) = (left.shape(), right.shape());
    let joined = match axis.expect("an axis that was cut").0 {
        Axis::Batch => Shape { batch: left.batch + right.batch, ..left },
        Axis::Token => Shape { tokens: left.tokens + right.tokens, ..left },
        Axis::Head => Shape { heads: left.heads + right.heads, ..left },
    };
    assert_eq!(joined, whole, "{careless:?}");
}

/// Calls one method and says whether it was done.
type Attempt<'a> = &'a dyn Fn(&mut [f32], &Positions<'_>) -> bool;

/// Additions and tables of careless sizes do not panic; refused, they write nothing.
pub(crate) fn a_careless_addition_is_whole_or_refused(careless: &Careless) {
    let [queries, keys, heads, features] = careless.sizes;
    let first = careless.strides[0];
    let attempts: [Attempt<'_>; 5] = [
        &|x, _| Patternless { heads }.add(x, [queries, keys], first).is_ok(),
        &|x, _| embedding().add(x, [queries, keys], first).is_ok(),
        &|x, _| embedding().lookup_into(x, [queries, keys], first).is_ok(),
        &|x, positions| sinusoidal(features).is_some_and(|encoding| encoding.add(x, positions).is_ok()),
        &|x, positions| sinusoidal(features).is_some_and(|encoding| encoding.write(x, positions).is_ok()),
    ];
    for positions in careless.positions() {
        for (which, attempt) in attempts.iter().enumerate() {
            let mut x = guards(careless.len);
            if !attempt(&mut x, &positions) {
                assert_same(&x, &guards(careless.len), format_args!("attempt {which} of {careless:?}"));
            }
        }
        let (mut cos, mut sin) = (guards(careless.len), guards(careless.start.min(careless.len)));
        let builder =
            TableBuilder::new(&Frequencies::new(2 * careless.pairs, 1e4).expect("few pairs"), Precision::Single);
        if builder.with_level(Level::detect()).fill(&positions, &mut cos, &mut sin).is_err() {
            assert_same(&cos, &guards(cos.len()), format_args!("cosines of {careless:?}"));
            assert_same(&sin, &guards(sin.len()), format_args!("sines of {careless:?}"));
        }
    }
}

/// Features of the relative rows that are added.
pub(crate) const FEATURES: usize = 3;

fn embedding() -> RelativeEmbedding {
    RelativeEmbedding::new(vec![1.5; 4 * FEATURES], Clip { left: 1, right: 2 }, FEATURES)
        .expect("as many weights as rows ask for")
}

/// Few features, or more than are allowed; between them, making the frequencies takes longer than all the rest.
fn sinusoidal(features: usize) -> Option<Sinusoidal> {
    if (1000..=1 << 20).contains(&features) { None } else { Sinusoidal::new(features, 1e4).ok() }
}

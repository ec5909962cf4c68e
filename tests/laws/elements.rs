//! Laws of element types: 16 bits are f32 rounded once, and what is written elsewhere is what is turned in place.
//! They stand apart because the other laws look into f32, and these into any type; `tests/elements` tries the values of
//! each type one and all.

use std::any::{Any, TypeId};
use std::fmt::Display;
use std::mem::MaybeUninit;

#[cfg(feature = "half")]
use half::{bf16, f16};
use posenc::{DistanceBias, Element, Heads, Level, Positions, RelativeEmbedding, Rotary, Shape, Target};

use super::bias::Patternless;
use super::bits::{guard, is_determined};
use super::case::{Case, scattered};
use super::layout::Layout;
use super::relative::Cells;

/// An element type that laws can look into.
pub(crate) trait Stored: Element + 'static {
    /// What an f32 of a case stands for. All bits of 16-bit types come up, and digits of f64 that no f32 has.
    fn made_of(x: f32) -> Self;

    /// A NaN that names its place, as far as the type has room for that.
    fn guard(index: usize) -> Self;

    /// The exact value.
    fn widened(self) -> f64;

    /// The nearest element, ties to even.
    fn rounded(x: f32) -> Self;

    /// The sum with an f32, rounded once or not at all.
    fn plus(self, x: f32) -> Self;

    /// The bits, in the lower end.
    fn bits(self) -> u64;
}

impl Stored for f32 {
    fn made_of(x: f32) -> Self {
        x
    }

    fn guard(index: usize) -> Self {
        guard(index)
    }

    fn widened(self) -> f64 {
        self.into()
    }

    fn rounded(x: f32) -> Self {
        x
    }

    fn plus(self, x: f32) -> Self {
        self + x
    }

    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Stored for f64 {
    fn made_of(x: f32) -> Self {
        if x.is_subnormal() { Self::from_bits(x.to_bits().into()) } else { Self::from(x) / 3.0 }
    }

    fn guard(index: usize) -> Self {
        Self::from_bits(0x7ff0_0000_0000_0001 | (index as u64) << 1)
    }

    fn widened(self) -> f64 {
        self
    }

    fn rounded(x: f32) -> Self {
        x.into()
    }

    fn plus(self, x: f32) -> Self {
        self + Self::from(x)
    }

    fn bits(self) -> u64 {
        self.to_bits()
    }
}

#[cfg(feature = "half")]
macro_rules! sixteen_bits {
    ($($type:ident: $guard:literal),+) => {$(
        impl Stored for $type {
            fn made_of(x: f32) -> Self {
                Self::from_bits((x.to_bits() >> 16) as u16)
            }

            fn guard(index: usize) -> Self {
                Self::from_bits($guard | (index % 32) as u16)
            }

            fn widened(self) -> f64 {
                self.into()
            }

            fn rounded(x: f32) -> Self {
                Self::from_f32(x)
            }

            fn plus(self, x: f32) -> Self {
                Self::from_f32(self.to_f32() + x)
            }

            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    )+};
}

// Signalling NaN: the quiet bit, above the five that name a place, is 0.
#[cfg(feature = "half")]
sixteen_bits!(f16: 0x7c20, bf16: 0x7fa0);

/// Asserts equal bits; where `strict` is false, any NaN will do for a NaN.
#[track_caller]
fn assert_alike<T: Stored>(got: &[T], want: &[T], strict: impl Fn(usize) -> bool, what: impl Display) {
    assert_eq!(got.len(), want.len(), "{what}: lengths");
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let (g, w) = (got.widened(), want.widened());
        let same = got.bits() == want.bits() || !strict(i) && g.is_nan() && w.is_nan();
        assert!(same, "{what}: element {i} is {g:e} ({:#x}), not {w:e} ({:#x})", got.bits(), want.bits());
    }
}

/// The elements of a case.
fn data<T: Stored>(case: &Case) -> Vec<T> {
    case.data().into_iter().map(T::made_of).collect()
}

/// The elements of a case after a rotation without gaps.
fn rotated<T: Stored>(case: &Case, rope: &Rotary) -> Vec<T> {
    let mut data = data::<T>(case);
    case.rotate(rope, &mut data);
    data
}

/// For each element, whether its bits after a rotation are the same everywhere.
fn determined<T: Stored>(case: &Case) -> Vec<bool> {
    let data: Vec<f32> = data::<T>(case).into_iter().map(|x| x.widened() as f32).collect();
    let mut determined = vec![true; data.len()];
    for (first, second) in case.pairs() {
        determined[first] = is_determined(data[first], data[second]);
        determined[second] = determined[first];
    }
    determined
}

/// All levels give the bits of the plainest one, in place and in any layout, and touch nothing else.
pub(crate) fn all_levels_agree<T: Stored>(case: &Case, layout: &Layout, levels: &[Level]) {
    let scalar = rotated::<T>(case, &case.turn.rope(Level::named("scalar").expect("every machine has it")));
    let determined = determined::<T>(case);
    let before = layout.buffer_of(case.shape, &data::<T>(case), T::guard);
    for &level in levels {
        let rope = case.turn.rope(level);
        assert_alike(&rotated(case, &rope), &scalar, |i| determined[i], level);
        let mut buffer = before.clone();
        let positions = Positions::ids(&case.ids);
        rope.rotate(&mut layout.view(case.shape, &mut buffer), &positions).expect("positions that are served");
        let want = layout.buffer_of(case.shape, &rotated::<T>(case, &rope), T::guard);
        assert_alike(&buffer, &want, |_| true, format_args!("{level}, {layout:?}"));
    }
}

/// A rotation of 16 bits is that of the widened f32, rounded once; features that do not turn keep their bits.
#[cfg(feature = "half")]
pub(crate) fn sixteen_bits_are_rounded_once<T: Stored<Work = f32>>(case: &Case, levels: &[Level]) {
    let before = data::<T>(case);
    let mut wide: Vec<f32> = before.iter().map(|x| x.widened() as f32).collect();
    case.rotate(&case.turn.rope(Level::named("scalar").expect("every machine has it")), &mut wide);
    let mut want = before;
    for (first, second) in case.pairs() {
        for i in [first, second] {
            want[i] = T::rounded(wide[i]);
        }
    }
    let mut strict = vec![true; want.len()];
    // Which payload a NaN keeps when it loses digits is not part of the law.
    case.pairs().for_each(|(first, second)| {
        (strict[first], strict[second]) = (!wide[first].is_nan(), !wide[second].is_nan());
    });
    for &level in levels {
        assert_alike(&rotated(case, &case.turn.rope(level)), &want, |i| strict[i], level);
    }
}

/// A rotation from one place into another writes what a rotation in place leaves there, rounded once where the type is a
/// narrower one, initialised or not; it writes all features of all heads, and nothing between them.
pub(crate) fn elsewhere_is_in_place<S: Stored, D: Stored + Target<S>>(
    case: &Case,
    [from, to]: [&Layout; 2],
    levels: &[Level],
) where
    MaybeUninit<D>: Target<S>,
{
    let source = from.buffer_of(case.shape, &data::<S>(case), S::guard);
    let empty: Vec<D> = vec![D::rounded(-7.0); case.data().len()];
    let before = to.buffer_of(case.shape, &empty, D::guard);
    let same_type = TypeId::of::<S>() == TypeId::of::<D>();
    let determined = determined::<S>(case);
    for &level in levels {
        let rope = case.turn.rope(level);
        let turned = rotated::<S>(case, &rope);
        let strict: Vec<bool> =
            turned.iter().zip(&determined).map(|(x, d)| *d && (same_type || !x.widened().is_nan())).collect();
        let strict = to.buffer_of(case.shape, &strict, |_| true);
        let turned: Vec<D> = turned.into_iter().map(stored).collect();
        let want = to.buffer_of(case.shape, &turned, D::guard);

        let heads: Heads<'_, S> = from.source(case.shape, &source);
        let positions = Positions::ids(&case.ids);
        let mut buffer = before.clone();
        rope.rotate_into(&heads, &mut to.view(case.shape, &mut buffer), &positions).expect("positions that are served");
        assert_alike(&buffer, &want, |i| strict[i], format_args!("{level}: {from:?} into {to:?}"));

        let mut slots: Vec<MaybeUninit<D>> = before.iter().map(|&x| MaybeUninit::new(x)).collect();
        rope.rotate_into(&heads, &mut to.view(case.shape, &mut slots), &positions).expect("positions that are served");
        // SAFETY: every slot was made of a value, and safe code cannot have taken it away again.
        let buffer: Vec<D> = slots.into_iter().map(|slot| unsafe { slot.assume_init() }).collect();
        assert_alike(&buffer, &want, |i| strict[i], format_args!("{level}: {from:?} into slots {to:?}"));
    }
}

/// An element in the type that is written: itself, or rounded. (Through f64, a signalling NaN would not come back.)
fn stored<S: Stored, D: Stored>(x: S) -> D {
    match any(&x).downcast_ref() {
        Some(&same) => same,
        None => D::rounded(x.widened() as f32),
    }
}

fn any<S: 'static>(x: &S) -> &dyn Any {
    x
}

/// Queries and keys in one go are queries and keys apart, to the bit, in any layout.
pub(crate) fn both_are_each<T: Stored>(case: &Case, key_heads: usize, [to_q, to_k]: [&Layout; 2], levels: &[Level]) {
    let keys = Case { shape: Shape { heads: key_heads, ..case.shape }, ..case.clone() };
    let positions = Positions::ids(&case.ids);
    for &level in levels {
        let rope = case.turn.rope(level);
        let mut q = to_q.buffer_of(case.shape, &data::<T>(case), T::guard);
        let mut k = to_k.buffer_of(keys.shape, &data::<T>(&keys), T::guard);
        let (mut q_view, mut k_view) = (to_q.view(case.shape, &mut q), to_k.view(keys.shape, &mut k));
        rope.rotate_both(&mut q_view, &mut k_view, &positions).expect("positions that are served");
        let want_q = to_q.buffer_of(case.shape, &rotated::<T>(case, &rope), T::guard);
        let want_k = to_k.buffer_of(keys.shape, &rotated::<T>(&keys, &rope), T::guard);
        assert_alike(&q, &want_q, |_| true, format_args!("{level}: queries"));
        assert_alike(&k, &want_k, |_| true, format_args!("{level}: keys"));
    }
}

/// Biases and relative rows are added to any type with one rounding of each sum.
pub(crate) fn sums_are_rounded_once<T: Stored>(embedding: &RelativeEmbedding, cells: &Cells) {
    let (size, first) = ([cells.queries, cells.keys], cells.first_query);
    let assert_summed = |name, x: &[T], got: &[T], added: &[f32]| {
        let want: Vec<T> = x.iter().zip(added).map(|(x, &a)| x.plus(a)).collect();
        assert_alike(got, &want, |i| !x[i].widened().is_nan(), name);
    };
    let bias = Patternless { heads: 2 };
    let mut added = vec![-0.0; 2 * cells.queries * cells.keys];
    bias.add(&mut added, size, first).expect("scores that fit");
    let x: Vec<T> = scattered(&cells.values, added.len()).into_iter().map(T::made_of).collect();
    let mut sum = x.clone();
    bias.add(&mut sum, size, first).expect("scores that fit");
    assert_summed("scores", &x, &sum, &added);

    let rows = embedding.lookup(size, first).expect("rows that fit");
    let x: Vec<T> = scattered(&cells.values, rows.len()).into_iter().map(T::made_of).collect();
    let mut sum = x.clone();
    embedding.add(&mut sum, size, first).expect("cells that fit");
    assert_summed("cells", &x, &sum, &rows);
}

//! The limits: the least that can be done to the same bytes, at the same level.
//!
//! They are kernels like those they are compared with, so that both are compiled with the same instructions.

#[cfg(feature = "half")]
use posenc_kernels::Single;
use posenc_kernels::{Isa, Kernel, Vector};

/// Elements whose bytes can be swept over: f64 as they are, all others as f32, two 16-bit elements in one.
pub(crate) trait Bytes: Copy + Send + Sync {
    /// What is computed with.
    type Lanes<I: Isa>: Vector<Isa = I>;
    /// The elements that make one vector.
    type Array<I: Isa>;

    /// Cuts a slice into vectors; what is left over is left out, and no measured size leaves any.
    fn vectors<I: Isa>(data: &[Self]) -> &[Self::Array<I>];
    fn vectors_mut<I: Isa>(data: &mut [Self]) -> &mut [Self::Array<I>];
    fn load<I: Isa>(isa: I, from: &Self::Array<I>) -> Self::Lanes<I>;
    fn store<I: Isa>(lanes: Self::Lanes<I>, to: &mut Self::Array<I>);
    fn splat<I: Isa>(isa: I, value: f32) -> Self::Lanes<I>;
}

macro_rules! floats {
    ($type:ident, $lanes:ident) => {
        impl Bytes for $type {
            type Lanes<I: Isa> = I::$lanes;
            type Array<I: Isa> = <I::$lanes as Vector>::Array<$type>;

            #[inline(always)]
            fn vectors<I: Isa>(data: &[Self]) -> &[Self::Array<I>] {
                I::$lanes::split(data).0
            }

            #[inline(always)]
            fn vectors_mut<I: Isa>(data: &mut [Self]) -> &mut [Self::Array<I>] {
                I::$lanes::split_mut(data).0
            }

            #[inline(always)]
            fn load<I: Isa>(isa: I, from: &Self::Array<I>) -> I::$lanes {
                I::$lanes::load(isa, from)
            }

            #[inline(always)]
            fn store<I: Isa>(lanes: I::$lanes, to: &mut Self::Array<I>) {
                lanes.store(to);
            }

            #[inline(always)]
            fn splat<I: Isa>(isa: I, value: f32) -> I::$lanes {
                I::$lanes::splat(isa, value.into())
            }
        }
    };
}

floats!(f32, F32);
floats!(f64, F64);

#[cfg(feature = "half")]
macro_rules! halves {
    ($type:ty) => {
        impl Bytes for $type {
            type Lanes<I: Isa> = I::F32;
            type Array<I: Isa> = [<I::F32 as Vector>::Array<u16>; 2];

            #[inline(always)]
            fn vectors<I: Isa>(data: &[Self]) -> &[Self::Array<I>] {
                I::F32::split(half::slice::HalfFloatSliceExt::reinterpret_cast(data)).0.as_chunks().0
            }

            #[inline(always)]
            fn vectors_mut<I: Isa>(data: &mut [Self]) -> &mut [Self::Array<I>] {
                I::F32::split_mut(half::slice::HalfFloatSliceExt::reinterpret_cast_mut(data)).0.as_chunks_mut().0
            }

            #[inline(always)]
            fn load<I: Isa>(isa: I, from: &Self::Array<I>) -> I::F32 {
                I::F32::load_pairs(isa, from)
            }

            #[inline(always)]
            fn store<I: Isa>(lanes: I::F32, to: &mut Self::Array<I>) {
                lanes.store_pairs(to);
            }

            #[inline(always)]
            fn splat<I: Isa>(isa: I, value: f32) -> I::F32 {
                I::F32::splat(isa, value)
            }
        }
    };
}

#[cfg(feature = "half")]
halves!(half::f16);
#[cfg(feature = "half")]
halves!(half::bf16);

/// `x *= factor`, in place: the limit of a rotation.
pub(crate) struct Scale<'a, T> {
    pub(crate) data: &'a mut [T],
    /// 1, in a form that the compiler cannot see: values then stay what they are, however often this runs.
    pub(crate) factor: f32,
}

/// The same for runs of `width` elements, of which one begins every `step` elements.
pub(crate) struct ScaleRuns<'a, T> {
    pub(crate) data: &'a mut [T],
    pub(crate) width: usize,
    pub(crate) step: usize,
    pub(crate) factor: f32,
}

/// `x += term`, in place: the limit of adding a bias.
pub(crate) struct Shift<'a, T> {
    pub(crate) data: &'a mut [T],
    /// 0, in a form that the compiler cannot see.
    pub(crate) term: f32,
}

/// `x += y` for rows that stand in memory: the limit of adding rows of a table. A vector of `x` takes so many of `y` as the
/// table has bytes for each of its own.
pub(crate) struct RowSums<'a, T> {
    pub(crate) rows: &'a mut [T],
    pub(crate) width: usize,
    pub(crate) table: &'a [T],
    /// For each row, the number of a table row.
    pub(crate) index: &'a [usize],
    /// How many times as many bytes a table row has.
    pub(crate) times: usize,
}

/// `x = value`: the limit of making a table.
pub(crate) struct Fill<'a, T> {
    pub(crate) data: &'a mut [T],
    pub(crate) value: f32,
}

/// `y = x`: a limit of rotating into another place.
pub(crate) struct Copied<'a, T> {
    pub(crate) from: &'a [T],
    pub(crate) to: &'a mut [T],
}

/// As many bytes read and written as when f32 become a 16-bit type; what is written are the sums of two vectors.
#[cfg(feature = "half")]
pub(crate) struct Condensed<'a> {
    pub(crate) from: &'a [f32],
    pub(crate) to: &'a mut [u16],
}

impl<T: Bytes> Kernel for Scale<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        sweep::<I, T, Multiply>(isa, self.data, self.factor);
    }
}

impl<T: Bytes> Kernel for ScaleRuns<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        for run in self.data.chunks_mut(self.step) {
            sweep::<I, T, Multiply>(isa, &mut run[..self.width], self.factor);
        }
    }
}

impl<T: Bytes> Kernel for Shift<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        sweep::<I, T, Add>(isa, self.data, self.term);
    }
}

impl<T: Bytes> Kernel for RowSums<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { rows, width, table, index, times } = self;
        for (row, &index) in rows.chunks_exact_mut(width).zip(index) {
            let table = &table[index * width * times..][..width * times];
            if times == 1 {
                row_sums::<I, T, 1>(isa, row, table);
            } else {
                row_sums::<I, T, 2>(isa, row, table);
            }
        }
    }
}

#[inline(always)]
fn row_sums<I: Isa, T: Bytes, const TIMES: usize>(isa: I, row: &mut [T], table: &[T]) {
    let terms = T::vectors::<I>(table).as_chunks::<TIMES>().0;
    for (at, terms) in T::vectors_mut::<I>(row).iter_mut().zip(terms) {
        let mut sum = T::load::<I>(isa, at);
        for term in terms {
            sum = sum + T::load::<I>(isa, term);
        }
        T::store::<I>(sum, at);
    }
}

impl<T: Bytes> Kernel for Fill<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        sweep::<I, T, Set>(isa, self.data, self.value);
    }
}

impl<T: Bytes> Kernel for Copied<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        for (from, to) in T::vectors::<I>(self.from).iter().zip(T::vectors_mut::<I>(self.to)) {
            T::store::<I>(T::load::<I>(isa, from), to);
        }
    }
}

#[cfg(feature = "half")]
impl Kernel for Condensed<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let from = f32::vectors::<I>(self.from).as_chunks::<2>().0;
        let to = I::F32::split_mut(self.to).0.as_chunks_mut::<2>().0;
        for ([a, b], to) in from.iter().zip(to) {
            (I::F32::load(isa, a) + I::F32::load(isa, b)).store_pairs(to);
        }
    }
}

/// What is done to a vector.
trait Step {
    fn step<V: Vector>(x: V, operand: V) -> V;
}

struct Multiply;
struct Add;
struct Set;

impl Step for Multiply {
    #[inline(always)]
    fn step<V: Vector>(x: V, operand: V) -> V {
        x * operand
    }
}

impl Step for Add {
    #[inline(always)]
    fn step<V: Vector>(x: V, operand: V) -> V {
        x + operand
    }
}

impl Step for Set {
    #[inline(always)]
    fn step<V: Vector>(_: V, operand: V) -> V {
        operand
    }
}

/// Steps through whole vectors, four at a time: with fewer, the counting shows at the narrow levels; more gain nothing.
#[inline(always)]
fn sweep<I: Isa, T: Bytes, S: Step>(isa: I, data: &mut [T], operand: f32) {
    let operand = T::splat::<I>(isa, operand);
    let (fours, rest) = T::vectors_mut::<I>(data).as_chunks_mut::<4>();
    for four in fours {
        for at in four {
            T::store::<I>(S::step(T::load::<I>(isa, at), operand), at);
        }
    }
    for at in rest {
        T::store::<I>(S::step(T::load::<I>(isa, at), operand), at);
    }
}

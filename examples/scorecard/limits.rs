//! The limits: the least that can be done to the same bytes, at the same level.
//!
//! They are kernels like those they are compared with, so that both are compiled with the same instructions.

use posenc_kernels::{Isa, Kernel, Scalar, Vector};

/// `x *= factor`, in place: the limit of a rotation.
pub(crate) struct Scale<'a> {
    pub(crate) data: &'a mut [f32],
    /// 1, in a form that the compiler cannot see: values then stay what they are, however often this runs.
    pub(crate) factor: f32,
}

/// `x += term`, in place: the limit of adding a bias.
pub(crate) struct Shift<'a> {
    pub(crate) data: &'a mut [f32],
    /// 0, in a form that the compiler cannot see.
    pub(crate) term: f32,
}

/// `x = value`: the limit of making a table.
pub(crate) struct Fill<'a> {
    pub(crate) data: &'a mut [f32],
    pub(crate) value: f32,
}

impl Kernel for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        sweep::<I, Multiply>(isa, self.data, self.factor);
    }
}

impl Kernel for Shift<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        sweep::<I, Add>(isa, self.data, self.term);
    }
}

impl Kernel for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        sweep::<I, Set>(isa, self.data, self.value);
    }
}

/// What is done to a vector.
trait Step {
    fn step<V: Vector<Elem = f32>>(isa: V::Isa, at: &mut V::Array<f32>, operand: V);
}

struct Multiply;
struct Add;
struct Set;

impl Step for Multiply {
    #[inline(always)]
    fn step<V: Vector<Elem = f32>>(isa: V::Isa, at: &mut V::Array<f32>, operand: V) {
        (V::load(isa, at) * operand).store(at);
    }
}

impl Step for Add {
    #[inline(always)]
    fn step<V: Vector<Elem = f32>>(isa: V::Isa, at: &mut V::Array<f32>, operand: V) {
        (V::load(isa, at) + operand).store(at);
    }
}

impl Step for Set {
    #[inline(always)]
    fn step<V: Vector<Elem = f32>>(_: V::Isa, at: &mut V::Array<f32>, operand: V) {
        operand.store(at);
    }
}

#[inline(always)]
fn sweep<I: Isa, S: Step>(isa: I, data: &mut [f32], operand: f32) {
    let whole = data.len() - data.len() % I::F32::LANES;
    lanes::<I::F32, S>(isa, data, operand);
    lanes::<<Scalar as Isa>::F32, S>(Scalar, &mut data[whole..], operand);
}

/// Steps through whole vectors, four at a time: with fewer, the counting shows at the narrow levels; more gain nothing.
#[inline(always)]
fn lanes<V: Vector<Elem = f32>, S: Step>(isa: V::Isa, data: &mut [f32], operand: f32) {
    let operand = V::splat(isa, operand);
    let (fours, rest) = V::split_mut(data).0.as_chunks_mut::<4>();
    for [a, b, c, d] in fours {
        S::step(isa, a, operand);
        S::step(isa, b, operand);
        S::step(isa, c, operand);
        S::step(isa, d, operand);
    }
    for a in rest {
        S::step(isa, a, operand);
    }
}

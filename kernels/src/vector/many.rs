//! Several vectors that are computed side by side, as one with more lanes.
//!
//! A long chain of operations leaves the ports idle while it waits for itself. A machine looks ahead for other work, but no
//! farther than some hundred instructions; so work that does not depend on the chain has to stand near it in the program.

use core::ops::{Add, BitAnd, BitXor, Mul, Sub};

use super::{Double, Vector};

/// `N` vectors.
#[derive(Clone, Copy)]
pub(super) struct Many<V, const N: usize>([V; N]);

/// Implements operators vector by vector.
macro_rules! each {
    ($($trait:ident $method:ident)+) => {$(
        impl<V: Vector + $trait<Output = V>, const N: usize> $trait for Many<V, N> {
            type Output = Self;

            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                for k in 0..N {
                    self.0[k] = self.0[k].$method(other.0[k]);
                }
                self
            }
        }
    )+};
}

each! { Add add Sub sub Mul mul BitAnd bitand BitXor bitxor }

impl<V: Vector, const N: usize> Vector for Many<V, N> {
    type Isa = V::Isa;
    type Elem = V::Elem;
    type Array<T: Copy> = [V::Array<T>; N];

    const LANES: usize = N * V::LANES;

    #[inline(always)]
    fn split<T: Copy>(slice: &[T]) -> (&[Self::Array<T>], &[T]) {
        let (many, _) = V::split(slice).0.as_chunks();
        (many, &slice[many.len() * Self::LANES..])
    }

    #[inline(always)]
    fn split_mut<T: Copy>(slice: &mut [T]) -> (&mut [Self::Array<T>], &mut [T]) {
        let whole = slice.len() / Self::LANES * Self::LANES;
        let (many, rest) = slice.split_at_mut(whole);
        (V::split_mut(many).0.as_chunks_mut().0, rest)
    }

    #[inline(always)]
    fn array<T: Copy>(value: T) -> Self::Array<T> {
        [V::array(value); N]
    }

    #[inline(always)]
    fn map<T: Copy, U: Copy>(values: Self::Array<T>, map: impl Fn(T) -> U) -> Self::Array<U> {
        values.map(|part| V::map(part, &map))
    }

    #[inline(always)]
    fn splat(isa: V::Isa, value: V::Elem) -> Self {
        Self([V::splat(isa, value); N])
    }

    #[inline(always)]
    fn load(isa: V::Isa, from: &Self::Array<V::Elem>) -> Self {
        let mut parts = [V::load(isa, &from[0]); N];
        for k in 1..N {
            parts[k] = V::load(isa, &from[k]);
        }
        Self(parts)
    }

    #[inline(always)]
    fn store(self, to: &mut Self::Array<V::Elem>) {
        for (part, to) in self.0.into_iter().zip(to) {
            part.store(to);
        }
    }
}

impl<V: Double, const N: usize> Double for Many<V, N> {
    #[inline(always)]
    fn shift_left<const BITS: i32>(mut self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k].shift_left::<BITS>();
        }
        self
    }

    #[inline(always)]
    fn flip(mut self, signs: Self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k].flip(signs.0[k]);
        }
        self
    }

    #[inline(always)]
    fn choose(self, odd: Self, mut even: Self) -> Self {
        for k in 0..N {
            even.0[k] = self.0[k].choose(odd.0[k], even.0[k]);
        }
        even
    }

    #[inline(always)]
    fn max(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k].max(other.0[k]);
        }
        self
    }

    #[inline(always)]
    fn in_doubt(self, other: Self, bounds: Option<Self>, digits: u32) -> bool {
        let mut doubt = false;
        for k in 0..N {
            // A closure, but one that touches lanes in no other way than to copy them.
            let bounds = bounds.map(|bounds| bounds.0[k]);
            doubt |= self.0[k].in_doubt(other.0[k], bounds, digits);
        }
        doubt
    }

    #[inline(always)]
    fn narrow(self) -> Self::Array<f32> {
        let mut out = Self::array(0.0);
        for (part, out) in self.0.into_iter().zip(&mut out) {
            *out = part.narrow();
        }
        out
    }

    #[inline(always)]
    fn widen(isa: V::Isa, from: &Self::Array<f32>) -> Self {
        let mut parts = [V::widen(isa, &from[0]); N];
        for k in 1..N {
            parts[k] = V::widen(isa, &from[k]);
        }
        Self(parts)
    }
}

//! How elements are stored, and the lanes they are computed in.
//!
//! A kernel takes elements two vectors at a time ([`Unit`]), in whatever lane order suits their format: 16-bit
//! neighbours of bf16 share a 32-bit lane, so their even and odd elements fall into two vectors without any shuffle.

use core::fmt::Debug;

use crate::vector::{Isa, Shuffle, Single, Vector};

/// A format of stored elements.
pub trait Format: Copy + Debug + Send + Sync + 'static {
    /// What a slice holds: numbers, or the bits of 16-bit numbers.
    type Store: Copy + Debug + Default + Send + Sync;
    /// What is computed with, and what tables hold.
    type Work: Copy + Debug + Default + From<i8> + PartialOrd + Send + Sync;
    /// The vectors of an instruction set for this format.
    type Lanes<I: Isa>: Shuffle<Isa = I, Elem = Self::Work>;

    /// Whether a unit falls into even and odd elements; if not, into the first half and the second.
    fn split<I: Isa>() -> bool;

    /// Reads one unit.
    fn load<I: Isa>(isa: I, from: &Unit<Self, I, Self::Store>) -> [Self::Lanes<I>; 2];

    /// Rounds to nearest even and writes one unit.
    fn store<I: Isa>(isa: I, lanes: [Self::Lanes<I>; 2], to: &mut Unit<Self, I, Self::Store>);

    /// Reads one unit of table values, in the order of [`load`](Self::load), ready for use beside loaded ones.
    #[inline(always)]
    fn table<I: Isa>(isa: I, from: &Unit<Self, I, Self::Work>) -> [Self::Lanes<I>; 2] {
        let [a, b] = Self::ordered(isa, from);
        [Self::ready(isa, a), Self::ready(isa, b)]
    }

    /// The same for values that need no readying: for any format if none is NaN.
    fn ordered<I: Isa>(isa: I, from: &Unit<Self, I, Self::Work>) -> [Self::Lanes<I>; 2];

    /// Whether NaN among table values have to be readied.
    const READIES: bool = false;

    /// Readies table values for use beside loaded ones.
    #[inline(always)]
    fn ready<I: Isa>(_: I, lanes: Self::Lanes<I>) -> Self::Lanes<I> {
        lanes
    }
}

/// One `T` for each lane of two vectors.
pub type Unit<F, I, T> = [<<F as Format>::Lanes<I> as Vector>::Array<T>; 2];

/// How many elements a unit has.
#[inline(always)]
pub(crate) const fn unit_len<F: Format, I: Isa>() -> usize {
    2 * F::Lanes::<I>::LANES
}

/// The unit that begins at an element.
#[inline(always)]
pub(crate) fn unit_at<F: Format, I: Isa, T: Copy>(slice: &[T], at: usize) -> &Unit<F, I, T> {
    let slice = &slice[at..at + unit_len::<F, I>()];
    &F::Lanes::<I>::split(slice).0.as_chunks().0[0]
}

/// The unit that begins at an element, to be written.
#[inline(always)]
pub(crate) fn unit_at_mut<F: Format, I: Isa, T: Copy>(slice: &mut [T], at: usize) -> &mut Unit<F, I, T> {
    let slice = &mut slice[at..at + unit_len::<F, I>()];
    &mut F::Lanes::<I>::split_mut(slice).0.as_chunks_mut().0[0]
}

/// The `N` units that begin at an element.
#[inline(always)]
pub(crate) fn units<F: Format, I: Isa, T: Copy, const N: usize>(slice: &[T], at: usize) -> &[Unit<F, I, T>; N] {
    let slice = &slice[at..at + N * unit_len::<F, I>()];
    &F::Lanes::<I>::split(slice).0.as_chunks().0.as_chunks().0[0]
}

/// The `N` units that begin at an element, to be written.
#[inline(always)]
pub(crate) fn units_mut<F: Format, I: Isa, T: Copy, const N: usize>(
    slice: &mut [T],
    at: usize,
) -> &mut [Unit<F, I, T>; N] {
    let slice = &mut slice[at..at + N * unit_len::<F, I>()];
    &mut F::Lanes::<I>::split_mut(slice).0.as_chunks_mut().0.as_chunks_mut().0[0]
}

/// The array of one vector that begins at an element.
#[inline(always)]
pub(crate) fn array_at<V: Vector, T: Copy>(slice: &[T], at: usize) -> &V::Array<T> {
    &V::split(&slice[at..at + V::LANES]).0[0]
}

/// The vectorful of a slice that begins at `at`, to be written.
#[inline(always)]
pub(crate) fn array_at_mut<V: Vector, T: Copy>(slice: &mut [T], at: usize) -> &mut V::Array<T> {
    &mut V::split_mut(&mut slice[at..at + V::LANES]).0[0]
}

/// f32, computed in f32.
#[derive(Clone, Copy, Debug)]
pub struct F32;

/// f64, computed in f64.
#[derive(Clone, Copy, Debug)]
pub struct F64;

/// The bits of IEEE half precision, computed in f32.
#[derive(Clone, Copy, Debug)]
pub struct F16;

/// The bits of bfloat16, computed in f32.
#[derive(Clone, Copy, Debug)]
pub struct Bf16;

/// A format whose elements are what is computed with.
macro_rules! stored_as_computed {
    ($format:ident, $element:ty, $lanes:ident) => {
        impl Format for $format {
            type Store = $element;
            type Work = $element;
            type Lanes<I: Isa> = I::$lanes;

            #[inline(always)]
            fn split<I: Isa>() -> bool {
                false
            }

            #[inline(always)]
            fn load<I: Isa>(isa: I, [a, b]: &Unit<Self, I, $element>) -> [I::$lanes; 2] {
                [I::$lanes::load(isa, a), I::$lanes::load(isa, b)]
            }

            #[inline(always)]
            fn store<I: Isa>(_: I, [a, b]: [I::$lanes; 2], [to_a, to_b]: &mut Unit<Self, I, $element>) {
                a.store(to_a);
                b.store(to_b);
            }

            #[inline(always)]
            fn ordered<I: Isa>(isa: I, from: &Unit<Self, I, $element>) -> [I::$lanes; 2] {
                Self::load(isa, from)
            }
        }
    };
}

stored_as_computed!(F32, f32, F32);
stored_as_computed!(F64, f64, F64);

impl Format for F16 {
    type Store = u16;
    type Work = f32;
    type Lanes<I: Isa> = I::F32;

    #[inline(always)]
    fn split<I: Isa>() -> bool {
        I::F32::F16_SPLIT
    }

    #[inline(always)]
    fn load<I: Isa>(isa: I, from: &Unit<Self, I, u16>) -> [I::F32; 2] {
        I::F32::load_f16(isa, from)
    }

    #[inline(always)]
    fn store<I: Isa>(_: I, lanes: [I::F32; 2], to: &mut Unit<Self, I, u16>) {
        I::F32::store_f16(lanes, to);
    }

    #[inline(always)]
    fn ordered<I: Isa>(isa: I, [a, b]: &Unit<Self, I, f32>) -> [I::F32; 2] {
        let (a, b) = (I::F32::load(isa, a), I::F32::load(isa, b));
        if Self::split::<I>() { a.deinterleave(b) } else { [a, b] }
    }
}

/// ```text
/// 32-bit lane   [ odd | even ]      even = lane << 16      odd = lane & 0xFFFF0000
/// ```
///
/// Rounding adds just less than half a unit of bf16, and one more where its last digit is odd, and cuts the lower half
/// off. A NaN passes unharmed if its lower half is zero. Those that were widened from bf16 are such, and arithmetic
/// keeps them so; [`ready`](Format::ready) makes those of tables such.
impl Format for Bf16 {
    type Store = u16;
    type Work = f32;
    type Lanes<I: Isa> = I::F32;

    #[inline(always)]
    fn split<I: Isa>() -> bool {
        true
    }

    #[inline(always)]
    fn load<I: Isa>(isa: I, from: &Unit<Self, I, u16>) -> [I::F32; 2] {
        let pairs = I::F32::load_pairs(isa, from);
        [pairs.shift_left::<16>(), pairs & bits(isa, 0xFFFF_0000)]
    }

    #[inline(always)]
    fn store<I: Isa>(isa: I, [even, odd]: [I::F32; 2], to: &mut Unit<Self, I, u16>) {
        let [even, odd] = [carried(isa, even), carried(isa, odd)];
        (even.shift_right::<16>() | (odd & bits(isa, 0xFFFF_0000))).store_pairs(to);
    }

    #[inline(always)]
    fn ordered<I: Isa>(isa: I, [a, b]: &Unit<Self, I, f32>) -> [I::F32; 2] {
        I::F32::load(isa, a).deinterleave(I::F32::load(isa, b))
    }

    const READIES: bool = true;

    /// Makes NaN quiet, with a lower half of zero.
    #[inline(always)]
    fn ready<I: Isa>(isa: I, lanes: I::F32) -> I::F32 {
        let nan = lanes.nan_mask();
        let quiet = nan & bits(isa, 0x0040_0000);
        // The mask without its lower half, and all ones where there is no NaN.
        let keep = nan.shift_left::<16>() | bits::<I>(isa, 0xFFFF_FFFF).add_bits(nan & bits(isa, 1));
        (lanes & keep) | quiet
    }
}

/// The same bits in every lane.
#[inline(always)]
fn bits<I: Isa>(isa: I, bits: u32) -> I::F32 {
    I::F32::splat(isa, f32::from_bits(bits))
}

/// Rounded to bf16 in the upper half of each lane; the lower half is left over.
#[inline(always)]
fn carried<I: Isa>(isa: I, lanes: I::F32) -> I::F32 {
    lanes.add_bit_16_to(lanes.add_bits(bits(isa, 0x7FFF)))
}

//! Every operation of vectors, run over whole lists, so that the results do not show how many lanes there were.
//! They stand apart from the kernels so that a wrong lane is found here first, under its own name.

use posenc_kernels::{Double, Isa, Kernel, Single, Vector};

/// Sums, differences, products, the two lists interleaved, and the first with neighbours swapped.
pub(crate) struct Singles<'a> {
    pub(crate) a: &'a [f32],
    pub(crate) b: &'a [f32],
}

impl Kernel for Singles<'_> {
    type Output = [Vec<f32>; 5];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let mut lists = [const { Vec::new() }; 5];
        let [sums, differences, products, interleaved, swapped] = &mut lists;
        for (x, y) in I::F32::split(self.a).0.iter().zip(I::F32::split(self.b).0) {
            let (x, y) = (I::F32::load(isa, x), I::F32::load(isa, y));
            push(sums, x + y, 0.0);
            push(differences, x - y, 0.0);
            push(products, x * y, 0.0);
            let [low, high] = x.interleave(y);
            push(interleaved, low, 0.0);
            push(interleaved, high, 0.0);
        }
        for [x, next] in I::F32::split(self.a).0.as_chunks::<2>().0 {
            let [x, next] = I::F32::load(isa, x).swap_neighbours(I::F32::load(isa, next));
            push(swapped, x, 0.0);
            push(swapped, next, 0.0);
        }
        lists
    }
}

/// Sums, differences, products, common bits, different bits, bits moved up by 1 and by 63, and masks of the lowest bit.
pub(crate) struct Doubles<'a> {
    pub(crate) a: &'a [f64],
    pub(crate) b: &'a [f64],
}

impl Kernel for Doubles<'_> {
    type Output = [Vec<f64>; 8];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let mut lists = [const { Vec::new() }; 8];
        let [sums, differences, products, common, different, by_one, by_most, masks] = &mut lists;
        for (x, y) in I::F64::split(self.a).0.iter().zip(I::F64::split(self.b).0) {
            let (x, y) = (I::F64::load(isa, x), I::F64::load(isa, y));
            push(sums, x + y, 0.0);
            push(differences, x - y, 0.0);
            push(products, x * y, 0.0);
            push(common, x & y, 0.0);
            push(different, x ^ y, 0.0);
            push(by_one, x.shift_left::<1>(), 0.0);
            push(by_most, x.shift_left::<63>(), 0.0);
            push(masks, x.lowest_bit_mask(), 0.0);
        }
        lists
    }
}

/// A list rounded to f32, and the rounded list widened again.
pub(crate) struct Conversions<'a>(pub(crate) &'a [f64]);

impl Kernel for Conversions<'_> {
    type Output = (Vec<f32>, Vec<f64>);

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let (mut narrow, mut wide) = (vec![0.0; self.0.len()], vec![]);
        for (x, to) in I::F64::split(self.0).0.iter().zip(I::F64::split_mut(&mut narrow).0) {
            *to = I::F64::load(isa, x).narrow();
            push(&mut wide, I::F64::widen(isa, to), 0.0);
        }
        (narrow, wide)
    }
}

/// A number in every lane of as many vectors as the list is long.
pub(crate) struct Splats<'a>(pub(crate) &'a [f32]);

impl Kernel for Splats<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Vec<f32> {
        let mut list = vec![];
        for &x in self.0 {
            let mut lanes = vec![];
            push(&mut lanes, I::F32::splat(isa, x), 0.0);
            assert!(lanes.iter().all(|lane: &f32| lane.to_bits() == x.to_bits()), "lanes of {x:e} differ");
            list.push(lanes[0]);
        }
        list
    }
}

/// Appends the lanes of a vector; `filler` is any element, to make room with.
#[inline(always)]
fn push<V: Vector>(list: &mut Vec<V::Elem>, vector: V, filler: V::Elem) {
    let at = list.len();
    list.resize(at + V::LANES, filler);
    vector.store(&mut V::split_mut(&mut list[at..]).0[0]);
}

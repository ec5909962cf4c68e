//! Every operation of vectors, run over whole lists, so that the results do not show how many lanes there were.
//! They stand apart from the kernels so that a wrong lane is found here first, under its own name.

use posenc_kernels::{Double, Isa, Kernel, Shuffle, Single, Vector};

/// What every vector does: sums, differences, products, the two lists interleaved, the first with neighbours swapped.
pub(crate) struct Arithmetic<'a, T> {
    pub(crate) a: &'a [T],
    pub(crate) b: &'a [T],
}

macro_rules! arithmetic {
    ($type:ident, $lanes:ident) => {
        impl Kernel for Arithmetic<'_, $type> {
            type Output = [Vec<$type>; 5];

            #[inline(always)]
            fn run<I: Isa>(self, isa: I) -> Self::Output {
                let mut lists = [const { Vec::new() }; 5];
                let [sums, differences, products, interleaved, swapped] = &mut lists;
                for (x, y) in I::$lanes::split(self.a).0.iter().zip(I::$lanes::split(self.b).0) {
                    let (x, y) = (I::$lanes::load(isa, x), I::$lanes::load(isa, y));
                    push(sums, x + y, 0.0);
                    push(differences, x - y, 0.0);
                    push(products, x * y, 0.0);
                    for vector in x.interleave(y) {
                        push(interleaved, vector, 0.0);
                    }
                }
                for [x, next] in I::$lanes::split(self.a).0.as_chunks::<2>().0 {
                    let (x, next) = (I::$lanes::load(isa, x), I::$lanes::load(isa, next));
                    for vector in x.swap_neighbours(next) {
                        push(swapped, vector, 0.0);
                    }
                }
                lists
            }
        }
    };
}

arithmetic!(f32, F32);
arithmetic!(f64, F64);

/// Common bits, bits of either, bits added, bits moved up and down by 16, masks of NaN.
pub(crate) struct SingleBits<'a> {
    pub(crate) a: &'a [f32],
    pub(crate) b: &'a [f32],
}

impl Kernel for SingleBits<'_> {
    type Output = [Vec<f32>; 6];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let mut lists = [const { Vec::new() }; 6];
        let [common, either, added, up, down, nan] = &mut lists;
        for (x, y) in I::F32::split(self.a).0.iter().zip(I::F32::split(self.b).0) {
            let (x, y) = (I::F32::load(isa, x), I::F32::load(isa, y));
            push(common, x & y, 0.0);
            push(either, x | y, 0.0);
            push(added, x.add_bits(y), 0.0);
            push(up, x.shift_left::<16>(), 0.0);
            push(down, x.shift_right::<16>(), 0.0);
            push(nan, x.nan_mask(), 0.0);
        }
        lists
    }
}

/// The even elements and the odd ones of a list.
pub(crate) struct Deinterleaved<'a>(pub(crate) &'a [f32]);

impl Kernel for Deinterleaved<'_> {
    type Output = [Vec<f32>; 2];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let mut lists = [const { Vec::new() }; 2];
        for [x, next] in I::F32::split(self.0).0.as_chunks::<2>().0 {
            let [even, odd] = I::F32::load(isa, x).deinterleave(I::F32::load(isa, next));
            push(&mut lists[0], even, 0.0);
            push(&mut lists[1], odd, 0.0);
        }
        lists
    }
}

/// 16-bit elements in lanes of two, and the same written back.
pub(crate) struct Pairs<'a>(pub(crate) &'a [u16]);

impl Kernel for Pairs<'_> {
    type Output = (Vec<f32>, Vec<u16>);

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let (mut lanes, mut back) = (vec![], vec![0; self.0.len()]);
        let to = I::F32::split_mut(&mut back).0.as_chunks_mut::<2>().0;
        for (pair, to) in I::F32::split(self.0).0.as_chunks::<2>().0.iter().zip(to) {
            let vector = I::F32::load_pairs(isa, pair);
            push(&mut lanes, vector, 0.0);
            vector.store_pairs(to);
        }
        (lanes, back)
    }
}

/// Common bits, different bits, bits moved up by 1 and by 63, the first where its lowest bit is set and else the second,
/// the first with its sign changed by the second, and the larger of two.
pub(crate) struct DoubleBits<'a> {
    pub(crate) a: &'a [f64],
    pub(crate) b: &'a [f64],
}

impl Kernel for DoubleBits<'_> {
    type Output = [Vec<f64>; 7];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let lists = double_bits::<I::F64>(isa, self.a, self.b);
        let many = double_bits::<I::ManyF64>(isa, self.a, self.b);
        for (list, many) in lists.iter().zip(many) {
            assert!(!many.is_empty(), "the lists are shorter than many vectors");
            let same = list.iter().zip(&many).all(|(x, y)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan());
            assert!(same, "many vectors differ from single ones: {many:?}, not {list:?}");
        }
        lists
    }
}

#[inline(always)]
fn double_bits<V: Double>(isa: V::Isa, a: &[f64], b: &[f64]) -> [Vec<f64>; 7] {
    let mut lists = [const { Vec::new() }; 7];
    let [common, different, by_one, by_most, chosen, flipped, larger] = &mut lists;
    for (x, y) in V::split(a).0.iter().zip(V::split(b).0) {
        let (x, y) = (V::load(isa, x), V::load(isa, y));
        push(common, x & y, 0.0);
        push(different, x ^ y, 0.0);
        push(by_one, x.shift_left::<1>(), 0.0);
        push(by_most, x.shift_left::<63>(), 0.0);
        push(chosen, x.choose(x, y), 0.0);
        push(flipped, x.flip(y), 0.0);
        push(larger, x.max(y), 0.0);
    }
    lists
}

/// For each lane alone, whether it is in doubt: the number at its place among numbers that are not.
pub(crate) struct Doubts<'a> {
    pub(crate) a: &'a [f64],
    pub(crate) b: &'a [f64],
    pub(crate) bound: Option<f64>,
    pub(crate) digits: u32,
}

impl Kernel for Doubts<'_> {
    type Output = Vec<bool>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Vec<bool> {
        let single = doubts::<I::F64>(isa, &self);
        assert_eq!(single, doubts::<I::ManyF64>(isa, &self), "many vectors differ from single ones");
        single
    }
}

#[inline(always)]
fn doubts<V: Double>(isa: V::Isa, of: &Doubts<'_>) -> Vec<bool> {
    // 1 is far from every tie and above every bound that is asked for.
    let mut lanes = vec![1.0; V::LANES];
    let mut list = vec![];
    let bound = of.bound.map(|bound| V::splat(isa, bound));
    for (i, (&a, &b)) in of.a.iter().zip(of.b).enumerate() {
        let lane = i % V::LANES;
        lanes[lane] = a;
        let first = V::load(isa, &V::split(&lanes).0[0]);
        lanes[lane] = b;
        let second = V::load(isa, &V::split(&lanes).0[0]);
        lanes[lane] = 1.0;
        list.push(first.in_doubt(second, bound, of.digits));
    }
    list
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

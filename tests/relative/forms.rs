//! The forms of a bias, and the laws among them: all say the same, to the bit, at every level and for every element type.
//! They stand apart from the values, which each bias has its own oracle for.

use posenc::{Cope, DistanceBias, Element, Fire, ForgetGates, GatedBias, Level, Result, Tile, WindowBias};

use crate::stored::{Stored, assert_same, elements};

/// A bias by its forms, whatever type has them.
pub(crate) trait Forms {
    fn heads(&self) -> usize;
    fn at(&self, level: Level) -> Self;
    fn add<T: Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize) -> Result<()>;
    fn write<T: Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize) -> Result<()>;
    fn add_tile<T: Element>(&self, scores: &mut [T], tile: &Tile) -> Result<()>;
    fn write_tile<T: Element>(&self, scores: &mut [T], tile: &Tile) -> Result<()>;
    #[cfg(feature = "rayon")]
    fn par_add<T: Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize) -> Result<()>;
    #[cfg(feature = "rayon")]
    fn par_write<T: Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize) -> Result<()>;
}

/// A bias of the distance, and the level it runs on.
#[derive(Clone)]
pub(crate) struct ByDistance<B>(pub(crate) B, pub(crate) Level);

impl<B> ByDistance<B> {
    pub(crate) fn new(bias: B) -> Self {
        Self(bias, Level::detect())
    }
}

macro_rules! forms {
    ($type:ty, [$($bound:tt)*], |$bias:ident| $forms:expr, |$of:ident, $level:ident| $at:expr, $heads:expr) => {
        impl<$($bound)*> Forms for $type {
            fn heads(&self) -> usize {
                let $bias = self;
                $heads
            }

            fn at(&self, $level: Level) -> Self {
                let $of = self;
                $at
            }

            fn add<T: Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize) -> Result<()> {
                let $bias = self;
                $forms.add(scores, size, first_query)
            }

            fn write<T: Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize) -> Result<()> {
                let $bias = self;
                $forms.write(scores, size, first_query)
            }

            fn add_tile<T: Element>(&self, scores: &mut [T], tile: &Tile) -> Result<()> {
                let $bias = self;
                $forms.add_tile(scores, tile)
            }

            fn write_tile<T: Element>(&self, scores: &mut [T], tile: &Tile) -> Result<()> {
                let $bias = self;
                $forms.write_tile(scores, tile)
            }

            #[cfg(feature = "rayon")]
            fn par_add<T: Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize) -> Result<()> {
                let $bias = self;
                $forms.par_add(scores, size, first_query)
            }

            #[cfg(feature = "rayon")]
            fn par_write<T: Element>(&self, scores: &mut [T], size: [usize; 2], first_query: usize) -> Result<()> {
                let $bias = self;
                $forms.par_write(scores, size, first_query)
            }
        }
    };
}

forms!(ByDistance<B>, [B: DistanceBias + Clone + Sync], |b| b.0.clone().with_level(b.1), |b, level| Self(b.0.clone(), level),
    b.0.heads());
forms!(Fire, [], |b| b, |b, level| b.clone().with_level(level), Fire::heads(b));
forms!(WindowBias, [], |b| b, |b, level| b.clone().with_level(level), b.values().len() / b.window().rows());
forms!((ForgetGates, usize), [], |b| b.0, |b, level| (b.0.clone().with_level(level), b.1), b.1);
forms!((Cope<'a>, usize), ['a], |b| b.0, |b, level| (b.0.clone().with_level(level), b.1), b.1);
forms!((GatedBias<'a, B>, usize), ['a, B: DistanceBias + Clone + Sync], |b| b.0, |b, _level| b.clone(), b.1);

/// The bias of all scores.
pub(crate) fn whole(bias: &impl Forms, size: [usize; 2], first_query: usize) -> Vec<f32> {
    let mut scores = vec![f32::NAN; bias.heads() * size[0] * size[1]];
    bias.write(&mut scores, size, first_query).unwrap();
    scores
}

/// All laws, at every level; `cut` chooses tiles.
pub(crate) fn all_forms_agree(bias: &impl Forms, size: [usize; 2], first_query: usize, cut: usize) {
    let values = whole(bias, size, first_query);
    for level in crate::common::levels() {
        let bias = bias.at(level);
        adding_is_adding_what_is_written::<f32>(&bias, size, first_query, &values);
        adding_is_adding_what_is_written::<f64>(&bias, size, first_query, &values);
        #[cfg(feature = "half")]
        adding_is_adding_what_is_written::<half::f16>(&bias, size, first_query, &values);
        #[cfg(feature = "half")]
        adding_is_adding_what_is_written::<half::bf16>(&bias, size, first_query, &values);
        tiles_are_windows_of_the_whole(&bias, size, first_query, cut, &values);
        decoding_is_prefilling(&bias, size, first_query, &values);
    }
}

fn adding_is_adding_what_is_written<T: Stored>(
    bias: &impl Forms,
    size: [usize; 2],
    first_query: usize,
    values: &[f32],
) {
    let before = elements::<T>(7, values.len());
    let mut added = before.clone();
    bias.add(&mut added, size, first_query).unwrap();
    let want: Vec<T> = before.iter().zip(values).map(|(&x, &bias)| x.plus(bias)).collect();
    assert_same(&added, &want, "added");
    let mut written = before;
    bias.write(&mut written, size, first_query).unwrap();
    // What is written is rounded as a sum with −0 is.
    let minus_zero = T::of(-0.0);
    let want: Vec<T> = values.iter().map(|&bias| minus_zero.plus(bias)).collect();
    assert_same(&written, &want, "written");
}

fn tiles_are_windows_of_the_whole(bias: &impl Forms, size: [usize; 2], first_query: usize, cut: usize, values: &[f32]) {
    let [queries, keys] = size;
    let heads = bias.heads();
    let part = |len: usize, cut: usize| {
        let from = cut % (len + 1);
        from..from + (cut / 7) % (len - from + 1)
    };
    let (of_heads, of_queries, of_keys) = (part(heads, cut / 3), part(queries, cut), part(keys, cut / 2));
    let mut want = vec![];
    for head in of_heads.clone() {
        for query in of_queries.clone() {
            let row = (head * queries + query) * keys;
            want.extend(&values[row + of_keys.start..row + of_keys.end]);
        }
    }
    let tile =
        Tile { heads: of_heads, queries: first_query + of_queries.start..first_query + of_queries.end, keys: of_keys };
    let mut written = vec![f32::NAN; want.len()];
    bias.write_tile(&mut written, &tile).unwrap();
    assert_same(&written, &want, "tile");
    let before = elements::<f32>(3, want.len());
    let mut added = before.clone();
    bias.add_tile(&mut added, &tile).unwrap();
    let want: Vec<f32> = before.iter().zip(&want).map(|(x, bias)| x + bias).collect();
    assert_same(&added, &want, "tile, added");
}

fn decoding_is_prefilling(bias: &impl Forms, [queries, keys]: [usize; 2], first_query: usize, values: &[f32]) {
    let heads = bias.heads();
    for query in 0..queries {
        let mut row = vec![f32::NAN; heads * keys];
        bias.write(&mut row, [1, keys], first_query + query).unwrap();
        let rows = (0..heads).flat_map(|head| &values[(head * queries + query) * keys..][..keys]);
        assert_same(&row, &rows.copied().collect::<Vec<_>>(), "decoded row");
    }
}

/// On the pool of the caller, over so many scores that they are cut: the same bits.
#[cfg(feature = "rayon")]
pub(crate) fn parallel_is_serial(bias: &(impl Forms + Sync), size: [usize; 2], first_query: usize) {
    let values = whole(bias, size, first_query);
    let before = elements::<f32>(9, values.len());
    assert!(values.len() > 1 << 19, "{} scores are not cut", values.len());
    let (mut serial, mut parallel, mut written) = (before.clone(), before, vec![f32::NAN; values.len()]);
    bias.add(&mut serial, size, first_query).unwrap();
    bias.par_add(&mut parallel, size, first_query).unwrap();
    bias.par_write(&mut written, size, first_query).unwrap();
    assert_same(&parallel, &serial, "par_add");
    assert_same(&written, &values, "par_write");
}

/// Calls with scores of every wrong length are refused and leave them alone.
pub(crate) fn wrong_lengths_are_refused(bias: &impl Forms, size: [usize; 2], first_query: usize) {
    let right = bias.heads() * size[0] * size[1];
    for len in [0, 1, right / 2, right + 1, 2 * right].into_iter().filter(|&len| len != right) {
        let before = elements::<f32>(1, len);
        let mut scores = before.clone();
        assert!(bias.add(&mut scores, size, first_query).is_err());
        assert!(bias.write(&mut scores, size, first_query).is_err());
        assert_same(&scores, &before, "refused");
    }
}

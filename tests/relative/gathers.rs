//! Relative logits: the index map against index matrices, and against padding and reshaping; both sides, and the way back.
//! They stand apart because scores have a line of columns for each query or key here.

use posenc::{
    Behind, Clip, DebertaBuckets, DistanceIndex, Element, Extent, RelativeGather, Reversed, Shift, Side, T5Buckets,
    T5Form,
};
use posenc_oracle::{buckets, gather};
use proptest::prelude::*;

use crate::stored::{Stored, assert_same, elements};
use crate::{random, sizes, tried};

/// An index by any of its kinds.
#[derive(Clone, Debug)]
enum Kind {
    Clip(Clip),
    Reversed(Reversed<Clip>),
    Behind(Behind<Clip>),
    Shift(Shift),
    Extent(Extent),
    T5(T5Buckets),
    Deberta(DebertaBuckets),
}

impl Kind {
    fn inner(&self) -> &dyn DistanceIndex {
        match self {
            Self::Clip(index) => index,
            Self::Reversed(index) => index,
            Self::Behind(index) => index,
            Self::Shift(index) => index,
            Self::Extent(index) => index,
            Self::T5(index) => index,
            Self::Deberta(index) => index,
        }
    }
}

impl DistanceIndex for Kind {
    fn columns(&self) -> usize {
        self.inner().columns()
    }

    fn column(&self, distance: i64) -> Option<usize> {
        self.inner().column(distance)
    }
}

fn kinds() -> impl Strategy<Value = Kind> {
    let clip = || (0..30_usize, 0..30_usize).prop_map(|(left, right)| Clip { left, right });
    prop_oneof![
        clip().prop_map(Kind::Clip),
        clip().prop_map(|clip| Kind::Reversed(Reversed(clip))),
        clip().prop_map(|index| Kind::Behind(Behind { columns: 1, index })),
        (0..90_usize, 0..90_usize).prop_map(|(zero, columns)| Kind::Shift(Shift { zero, columns })),
        (0..90_usize).prop_map(|extent| Kind::Extent(Extent(extent))),
        (4..20_usize).prop_map(|n| Kind::T5(T5Buckets::new(T5Form::Bidirectional, n, 3 * n).unwrap())),
        (4..20_usize).prop_map(|n| Kind::Deberta(DebertaBuckets::logarithmic(n, 3 * n).unwrap())),
    ]
}

/// Adds at every level, and compares with adding each score's own logit.
fn check_add<T: Stored<Work: Stored>>(kind: &Kind, heads: usize, side: Side, size: [usize; 2], first_query: usize) {
    let ([queries, keys], columns) = (size, kind.columns());
    let lines = if side == Side::Query { queries } else { keys };
    let logits: Vec<T::Work> = elements(4, heads * lines * columns);
    let before: Vec<T> = elements(5, heads * queries * keys);
    let mut want = before.clone();
    for (i, want) in want.iter_mut().enumerate() {
        let (head, query, key) = (i / (queries * keys), i / keys % queries, i % keys);
        let line = head * lines + if side == Side::Query { query } else { key };
        if let Some(column) = kind.column(key as i64 - (first_query + query) as i64) {
            *want = want.plus_work(logits[line * columns + column]);
        }
    }
    for level in crate::common::levels() {
        let gather = RelativeGather::new(kind.clone(), heads, side).unwrap().with_level(level);
        let mut scores = before.clone();
        gather.add(&mut scores, &logits, size, first_query).unwrap();
        assert_same(&scores, &want, &format!("{level}, {kind:?}, {side:?}"));
    }
}

/// Adds a number of the type that is computed with.
trait PlusWork: Element {
    fn plus_work(self, other: Self::Work) -> Self;
}

impl<T: Stored<Work: Stored>> PlusWork for T {
    fn plus_work(self, other: T::Work) -> T {
        T::nearest(self.value() + other.value())
    }
}

proptest! {
    #![proptest_config(tried(100))]

    #[test]
    fn logits_are_taken_at_the_column_of_their_distance(
        kind in kinds(), heads in 1..4_usize, by_query in any::<bool>(), (size, first_query) in sizes()
    ) {
        let side = if by_query { Side::Query } else { Side::Key };
        check_add::<f32>(&kind, heads, side, size, first_query);
        check_add::<f64>(&kind, heads, side, size, first_query);
        #[cfg(feature = "half")]
        check_add::<half::f16>(&kind, heads, side, size, first_query);
        #[cfg(feature = "half")]
        check_add::<half::bf16>(&kind, heads, side, size, first_query);
    }

    #[test]
    fn a_decoded_row_is_a_row_of_the_prefill(kind in kinds(), heads in 1..4_usize, (size, first_query) in sizes()) {
        let ([queries, keys], columns) = (size, kind.columns());
        let gather = RelativeGather::new(kind, heads, Side::Query).unwrap();
        let logits = random(4, heads * queries * columns);
        let mut whole = vec![0.0_f32; heads * queries * keys];
        gather.add(&mut whole, &logits, size, first_query).unwrap();
        for query in 0..queries {
            let line = |head: usize| &logits[(head * queries + query) * columns..][..columns];
            let lines: Vec<f32> = (0..heads).flat_map(line).copied().collect();
            let mut row = vec![0.0_f32; heads * keys];
            gather.add(&mut row, &lines, [1, keys], first_query + query).unwrap();
            let want = |head: usize| &whole[(head * queries + query) * keys..][..keys];
            prop_assert_eq!(row, (0..heads).flat_map(want).copied().collect::<Vec<f32>>());
        }
    }

    /// `⟨gather(x), y⟩ = ⟨x, scatter(y)⟩`, over small whole numbers, whose sums are exact.
    #[test]
    fn scattering_is_the_transpose_of_gathering(
        kind in kinds(), heads in 1..4_usize, by_query in any::<bool>(), (size, first_query) in sizes(), seed in 0..99_u64
    ) {
        let ([queries, keys], columns) = (size, kind.columns());
        let (side, lines) = if by_query { (Side::Query, queries) } else { (Side::Key, keys) };
        let whole = |seed, count| random(seed, count).iter().map(|x| f64::from((x * 50.0).round())).collect::<Vec<f64>>();
        let (x, y) = (whole(seed, heads * lines * columns), whole(seed + 1, heads * queries * keys));
        let gather = RelativeGather::new(kind, heads, side).unwrap();
        let (mut gathered, mut scattered) = (vec![0.0; y.len()], vec![0.0; x.len()]);
        gather.add(&mut gathered, &x, size, first_query).unwrap();
        gather.scatter(&y, &mut scattered, size, first_query).unwrap();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        prop_assert_eq!(dot(&gathered, &y), dot(&x, &scattered));
        // Scattering adds to what is there.
        gather.scatter(&y, &mut scattered, size, first_query).unwrap();
        prop_assert_eq!(2.0 * dot(&gathered, &y), dot(&x, &scattered));
    }

    #[test]
    fn shifting_is_padding_and_reshaping(queries in 1..12_usize, more in 0..40_usize) {
        // Logits for `columns` relative positions, of which a row shows all but `queries − 1`.
        let columns = queries + more;
        let keys = columns - queries + 1;
        let x: Vec<f64> = (0..queries * columns).map(|x| x as f64).collect();
        let mut scores = vec![0.0; queries * keys];
        let shift = Shift { zero: queries - 1, columns };
        RelativeGather::new(shift, 1, Side::Query).unwrap().add(&mut scores, &x, [queries, keys], 0).unwrap();
        let reshaped = gather::pad_and_reshape(&x, queries);
        let want: Vec<f64> = reshaped.chunks_exact(columns).flat_map(|row| row[..keys].to_vec()).collect();
        prop_assert_eq!(scores, want);
    }

    /// Both terms of DeBERTa against index matrices and transposes.
    #[test]
    fn disentangled_terms_are_those_of_the_implementation(tokens in 1..30_usize, count in 4..20_u32) {
        let max_position = 2 * count;
        let index = DebertaBuckets::logarithmic(count as usize, max_position as usize).unwrap();
        let columns = index.columns();
        let of_relative =
            |relative: i64| buckets::deberta_column(buckets::deberta(relative, count, max_position), count);
        let x: Vec<f64> = (0..tokens * columns).map(|x| x as f64).collect();
        let added = |side| {
            let mut scores = vec![0.0; tokens * tokens];
            RelativeGather::new(index.clone(), 1, side).unwrap().add(&mut scores, &x, [tokens, tokens], 0).unwrap();
            scores
        };
        let c2p = gather::by_query(&x, columns, [tokens, tokens], |i, j| of_relative(i as i64 - j as i64));
        prop_assert_eq!(added(Side::Query), c2p);
        prop_assert_eq!(added(Side::Key), gather::by_key(&x, columns, tokens, of_relative));
    }
}

#[test]
fn scattered_columns_are_those_of_the_oracle() {
    let (queries, keys, clip) = (5, 9, Clip { left: 3, right: 2 });
    let y: Vec<f64> = (0..queries * keys).map(|y| y as f64).collect();
    let mut columns = vec![0.0; queries * clip.rows()];
    RelativeGather::new(clip, 1, Side::Query).unwrap().scatter(&y, &mut columns, [queries, keys], 2).unwrap();
    let index = |i: usize, j: usize| (j as i64 - i as i64 - 2).clamp(-3, 2) as usize + 3;
    let index = |i: usize, j: usize| if j < i + 2 { 3 - (i + 2 - j).min(3) } else { index(i, j) };
    assert_eq!(columns, gather::back_to_columns(&y, clip.rows(), [queries, keys], index));
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_gathers_are_serial_gathers() {
    let (heads, size, clip) = (3, [401, 453], Clip { left: 100, right: 7 });
    for (side, lines) in [(Side::Query, 401), (Side::Key, 453)] {
        let gather = RelativeGather::new(clip, heads, side).unwrap();
        let logits = random(1, heads * lines * clip.rows());
        let mut serial = random(2, heads * 401 * 453);
        let mut parallel = serial.clone();
        gather.add(&mut serial, &logits, size, 11).unwrap();
        gather.par_add(&mut parallel, &logits, size, 11).unwrap();
        assert_same(&parallel, &serial, "par_add");
    }
}

//! Learned rows: sums of look-ups in every type, and the transpose that collects their gradients.

use posenc::{EmbeddingSum, EmbeddingTable, Positions, scatter_add};
use posenc_oracle::absolute;
use posenc_oracle::tolerance::F32_ROUNDOFF;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::levels;
use crate::support::{Kind, Number, assert_same, dot, for_every_kind, numbers, scales};
use crate::tried;

/// Two tables, which rows of them are wanted, and factors.
#[derive(Clone, Debug)]
struct Case {
    features: usize,
    ids: [Vec<usize>; 2],
    factors: [f64; 2],
    scale: f64,
}

const ROWS: [usize; 2] = [9, 2];

fn cases() -> impl Strategy<Value = Case> {
    (1..=70_usize, 0..70_usize, scales(), scales(), scales()).prop_flat_map(|(features, tokens, a, b, scale)| {
        (vec(0..ROWS[0], tokens), vec(0..ROWS[1], tokens)).prop_map(move |(first, second)| Case {
            features,
            ids: [first, second],
            factors: [a, b],
            scale,
        })
    })
}

/// Rows of `S` summed in `T`, by the formula: from left to right, rounded once.
fn summed<S: Kind, T: Kind<Work = S::Work>>(case: &Case, tables: [&[S]; 2], x: Option<&[T]>) -> Vec<T> {
    let factors = case.factors.map(T::Work::of);
    let value = |i: usize| {
        let (token, feature) = (i / case.features, i % case.features);
        let term = |k: usize| tables[k][case.ids[k][token] * case.features + feature].wide() * factors[k];
        match x {
            Some(x) => T::nearest(x[i].wide() * T::Work::of(case.scale) + term(0) + term(1)),
            None => T::nearest(term(0) + term(1)),
        }
    };
    (0..case.ids[0].len() * case.features).map(value).collect()
}

fn sums_are_rounded_once<S: Kind, T: Kind<Work = S::Work> + posenc::AddTarget<S>>(case: &Case) {
    let tables: [Vec<S>; 2] = [0, 1].map(|k| numbers(k as u64, ROWS[k] * case.features));
    let [first, second] =
        [0, 1].map(|k| EmbeddingTable::new(&tables[k], case.features).unwrap().with_factor(case.factors[k]).unwrap());
    let sum = EmbeddingSum::new([first, second]).unwrap().with_embedding_scale(case.scale).unwrap();
    let positions = [Positions::ids(&case.ids[0]), Positions::ids(&case.ids[1])];
    let x: Vec<T> = numbers(3, case.ids[0].len() * case.features);
    let slices = [&tables[0][..], &tables[1]];
    for level in levels() {
        let (sum, mut got) = (sum.with_level(level), x.clone());
        sum.write(&mut got, &positions).unwrap();
        assert_same(&got, &summed::<S, T>(case, slices, None), format_args!("{level}: written"));
        got.copy_from_slice(&x);
        sum.add(&mut got, &positions).unwrap();
        assert_same(&got, &summed(case, slices, Some(&x)), format_args!("{level}: added"));
    }
}

fn every_type_of_rows<K: Kind>(case: &Case)
where
    K::Work: Kind<Work = K::Work>,
{
    sums_are_rounded_once::<K, K>(case);
    sums_are_rounded_once::<K::Work, K>(case);
}

/// `⟨look-up(table), g⟩ = ⟨table, scatter(g)⟩`, summed in f64.
fn scatter_is_the_transpose<K: Kind>(case: &Case, rounding: f64) {
    let (ids, factor) = (&case.ids[0], case.factors[0]);
    let table: Vec<K> = numbers(1, ROWS[0] * case.features);
    let gradients: Vec<K> = numbers(2, ids.len() * case.features);
    let rows = EmbeddingTable::new(&table, case.features).unwrap().with_factor(factor).unwrap();
    let rows = rows.lookup(&Positions::ids(ids), ids.len()).unwrap();
    let mut collected = vec![K::default(); table.len()];
    scatter_add(&mut collected, &gradients, case.features, factor, &Positions::ids(ids)).unwrap();
    let (left, right) = (dot(&rows, &gradients), dot(&table, &collected));
    // Every value is below 1, and each of two roundings a cell moves it by less than its sum.
    let allowed = rounding * (2.0 + ids.len() as f64) * gradients.len() as f64 * (1.0 + factor.abs());
    assert!((left - right).abs() <= allowed, "{left} is not {right}");
}

proptest! {
    #![proptest_config(tried(80))]

    #[test]
    fn rows_are_summed_from_left_to_right(case in cases()) {
        for_every_kind!(every_type_of_rows(&case));
    }

    #[test]
    fn collecting_gradients_is_the_transpose_of_looking_up(case in cases()) {
        scatter_is_the_transpose::<f32>(&case, F32_ROUNDOFF);
        scatter_is_the_transpose::<f64>(&case, f64::EPSILON);
    }
}

#[test]
fn sums_are_those_of_the_oracle() {
    let (table, x) = (numbers::<f64>(1, 5 * 3), numbers::<f64>(2, 3));
    let table = EmbeddingTable::new(&table, 3).unwrap().with_factor(-0.5).unwrap();
    let sum = EmbeddingSum::new([table, table]).unwrap().with_embedding_scale(3.0).unwrap();
    let mut got = x.clone();
    sum.add(&mut got, &[Positions::from(4), Positions::from(1)]).unwrap();
    let rows = table.with_factor(1.0).unwrap().lookup(&Positions::ids(&[4, 1]), 2).unwrap();
    for (i, got) in got.iter().enumerate() {
        let want = absolute::sum(x[i], 3.0, &[(rows[i], -0.5), (rows[3 + i], -0.5)]);
        assert!((got - want).abs() <= 4.0 * f64::EPSILON, "feature {i}: {got} is not {want}");
    }
}

#[cfg(feature = "rayon")]
fn threads_change_nothing<K: Kind>() {
    use crate::support::in_pool;
    let (features, tokens) = (65, 5000);
    let tables: [Vec<K>; 2] = [numbers(1, 300 * features), numbers(2, 2 * features)];
    let [first, second] = [0, 1].map(|k| EmbeddingTable::new(&tables[k], features).unwrap());
    let sum = EmbeddingSum::new([first, second]).unwrap().with_embedding_scale(8.0).unwrap();
    let ids: [Vec<i64>; 2] = [300, 2].map(|rows| (0..tokens).map(|i| i * 37 % rows).collect());
    let positions = [Positions::ids(&ids[0]), Positions::ids(&ids[1])];
    let x: Vec<K> = numbers(3, tokens as usize * features);
    let (mut serial, mut parallel) = (x.clone(), x.clone());
    sum.add(&mut serial, &positions).unwrap();
    in_pool(|| sum.par_add(&mut parallel, &positions)).unwrap();
    assert_same(&parallel, &serial, "added");
    sum.write(&mut serial, &positions).unwrap();
    in_pool(|| sum.par_write(&mut parallel, &positions)).unwrap();
    assert_same(&parallel, &serial, "written");
    // Rows spread over the table, most of them one and the same, all of them, and only the last.
    let spread = ids[0].clone();
    let crowded = spread.iter().map(|&id| if id % 5 == 0 { id } else { 7 }).collect();
    for ids in [spread, crowded, ids[1].clone(), vec![0; tokens as usize], vec![299; tokens as usize]] {
        let (mut serial, mut parallel) = (tables[0].clone(), tables[0].clone());
        // Twice as many rows as the work is cut from on, and fewer.
        for (rows, ids) in [(&x[..], &ids[..]), (&x[..40 * features], &ids[..40])] {
            let rows = [rows, rows].concat();
            let positions = [ids, ids].concat();
            let positions = Positions::ids(&positions);
            scatter_add(&mut serial, &rows, features, 0.3, &positions).unwrap();
            in_pool(|| posenc::par_scatter_add(&mut parallel, &rows, features, 0.3, &positions)).unwrap();
            assert_same(&parallel, &serial, "collected");
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_is_serial() {
    for_every_kind!(threads_change_nothing());
}

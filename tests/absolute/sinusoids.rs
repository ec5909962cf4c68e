//! Sinusoids in every order, divisor and type: the table, what is written, and what is added are the same rows.

use posenc::{Divisor, Level, Order, Positions, Precision, Sinusoidal, TableBuilder};
use posenc_oracle::absolute;
use posenc_oracle::angle::sincos;
use posenc_oracle::tolerance::EXACT_ULP;
use posenc_oracle::ulp::ulp_error;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::levels;
use crate::support::{Kind, Number, assert_same, for_every_kind, numbers, scales};
use crate::tried;

const ORDERS: [Order; 3] = [Order::Interleaved, Order::SinCos, Order::CosSin];

/// An encoding, and the positions of its rows.
#[derive(Clone, Debug)]
struct Case {
    encoding: Sinusoidal,
    order: Order,
    ids: Vec<i64>,
    padding: Option<i64>,
    scale: f64,
}

fn cases() -> impl Strategy<Value = Case> {
    let divisor = prop_oneof![Just(Divisor::Half), Just(Divisor::HalfLess(0.0)), Just(Divisor::HalfLess(0.5))];
    let magnitude = prop_oneof![Just(1.0), -2.0..2.0_f64];
    let padding = prop_oneof![Just(None), (0..6_i64).prop_map(Some)];
    let ids = vec(prop_oneof![0..6_i64, -3000..3000_i64], 0..70);
    (1..=70_usize, divisor, 0..3_usize, ids, padding, scales(), magnitude).prop_map(
        |(features, divisor, order, ids, padding, scale, magnitude)| {
            let encoding = Sinusoidal::with_divisor(features, 10_000.0, divisor).expect("a shift below every half");
            let encoding = encoding.with_order(ORDERS[order]).with_magnitude(magnitude).expect("a small number");
            let encoding = encoding.with_embedding_scale(scale).expect("a finite number");
            let encoding = padding.map_or(encoding.clone(), |padding| encoding.with_padding(padding));
            Case { encoding, order: ORDERS[order], ids, padding, scale }
        },
    )
}

impl Case {
    /// The row that cells of cosines and sines make, each of them rounded once by the table builder.
    fn rows<K: Kind>(&self) -> Vec<K> {
        let (features, frequencies) = (self.encoding.features(), self.encoding.frequencies());
        let pairs = frequencies.pairs();
        // The builder takes positive factors alone.
        let factor = frequencies.magnitude();
        let plain = posenc::Frequencies::from_values(frequencies.as_slice().to_vec()).expect("served before");
        let plain = if factor == 0.0 { plain } else { plain.with_magnitude(factor.abs()).expect("a small number") };
        let builder = TableBuilder::new(&plain, Precision::Exact).with_level(Level::named("scalar").expect("always"));
        let mut rows = Vec::new();
        for &id in &self.ids {
            let (mut cos, mut sin) = (vec![K::default(); pairs], vec![K::default(); pairs]);
            builder.fill(&Positions::from(id), &mut cos, &mut sin).expect("near positions");
            let signed = |x: K| K::nearest(x.wide() * K::Work::of(if factor == 0.0 { 0.0 } else { factor.signum() }));
            let zero = self.padding == Some(id);
            let cell = |x: &K| if zero { K::default() } else { signed(*x) };
            let (cos, sin): (Vec<K>, Vec<K>) = (cos.iter().map(cell).collect(), sin.iter().map(cell).collect());
            let mut row: Vec<K> = match self.order {
                Order::Interleaved => sin.iter().zip(&cos).flat_map(|(&sin, &cos)| [sin, cos]).collect(),
                Order::SinCos => [sin, cos].concat(),
                Order::CosSin => [cos, sin].concat(),
            };
            row.resize(features, K::default());
            rows.extend(row);
        }
        rows
    }
}

fn forms_agree<K: Kind>(case: &Case)
where
    K::Work: Kind<Work = K::Work>,
{
    let (set, wide) = (case.rows::<K>(), case.rows::<K::Work>());
    let x: Vec<K> = numbers(7, set.len());
    let scale = K::Work::of(case.scale);
    let sum: Vec<K> = x.iter().zip(&wide).map(|(x, &row)| K::nearest(x.wide() * scale + row)).collect();
    let positions = Positions::ids(&case.ids);
    for level in levels() {
        let encoding = case.encoding.clone().with_level(level);
        let mut got = x.clone();
        encoding.write(&mut got, &positions).expect("whole rows");
        assert_same(&got, &set, format_args!("{level}: written"));
        let mut got = x.clone();
        encoding.add(&mut got, &positions).expect("whole rows");
        assert_same(&got, &sum, format_args!("{level}: added"));
        let mut zeros = vec![K::Work::default(); set.len()];
        encoding.add(&mut zeros, &positions).expect("whole rows");
        assert!(zeros == wide, "{level}: added to zeros");
        // Whole numbers are real ones, and parts are the whole.
        let coordinates: Vec<f64> = case.ids.iter().map(|&id| id as f64).collect();
        let mut got = x.clone();
        encoding.write(&mut got, &Positions::fractions(&coordinates)).expect("whole rows");
        assert_same(&got, &set, format_args!("{level}: written at real coordinates"));
        let at = case.ids.len() / 3;
        let mut got = x.clone();
        let (front, back) = got.split_at_mut(at * encoding.features());
        encoding.add(front, &Positions::fractions(&coordinates[..at])).expect("whole rows");
        encoding.add(back, &Positions::ids(&case.ids[at..])).expect("whole rows");
        assert_same(&got, &sum, format_args!("{level}: added in parts"));
    }
}

proptest! {
    #![proptest_config(tried(60))]

    #[test]
    fn what_is_written_and_added_is_the_table(case in cases()) {
        // Of an odd width, the order of cells above is that of the zero column alone.
        prop_assume!(case.encoding.features().is_multiple_of(2) || 2 * case.encoding.frequencies().pairs() < case.encoding.features());
        for_every_kind!(forms_agree(&case));
    }
}

#[test]
fn values_of_the_other_divisors_are_those_of_the_oracle() {
    for (features, shift) in [(2, 0.0), (7, 1.0), (64, 1.0), (129, 0.5), (256, 0.0), (30, -3.5)] {
        let encoding = Sinusoidal::with_divisor(features, 10_000.0, Divisor::HalfLess(shift)).unwrap();
        let (got, want) = (encoding.frequencies().as_slice(), absolute::frequencies(features, 10_000.0, shift));
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!(
                (got / want - 1.0).abs() <= 16.0 * f64::EPSILON,
                "{features} features less {shift}: {got}, not {want}"
            );
        }
        // Angles of far positions are taken from the crate's own frequencies, whose last digits weigh as much.
        let encoding = encoding.with_order(Order::SinCos);
        for level in levels() {
            for position in [0, 1, 511, -70_000, 1_000_003] {
                let row = encoding.clone().with_level(level).table(&Positions::from(position), 1).unwrap();
                let half = features / 2;
                for (j, &frequency) in encoding.frequencies().as_slice().iter().enumerate() {
                    let true_point = sincos(position, frequency);
                    let error = ulp_error(row[j], true_point.sin).max(ulp_error(row[half + j], true_point.cos));
                    assert!(error <= EXACT_ULP, "{level}: position {position}, pair {j}: {error} ULP");
                }
                assert!(features.is_multiple_of(2) || row[features - 1] == 0.0, "the last of an odd width");
            }
        }
    }
}

#[test]
fn single_precision_follows_the_f32_pipeline() {
    let encoding = Sinusoidal::new(128, 10_000.0).unwrap().with_precision(Precision::Single).with_order(Order::CosSin);
    let builder = TableBuilder::new(encoding.frequencies(), Precision::Single);
    let (mut cos, mut sin) = (vec![0.0_f32; 64], vec![0.0; 64]);
    builder.fill(&Positions::from(131_071), &mut cos, &mut sin).unwrap();
    for level in levels() {
        let encoding = encoding.clone().with_level(level);
        assert_eq!(encoding.table(&Positions::from(131_071), 1).unwrap(), [&cos[..], &sin].concat());
        assert_eq!(encoding.table(&Positions::fractions(&[131_071.0]), 1).unwrap(), [&cos[..], &sin].concat());
    }
}

#[cfg(feature = "rayon")]
fn threads_change_nothing<K: Kind>(order: Order) {
    use crate::support::in_pool;
    let encoding = Sinusoidal::with_divisor(33, 10_000.0, Divisor::HalfLess(1.0)).unwrap().with_padding(5000);
    let encoding = encoding.with_order(order).with_embedding_scale(1.75).unwrap();
    let x: Vec<K> = numbers(11, 9000 * 33);
    let (mut serial, mut parallel) = (x.clone(), x);
    let positions = Positions::from(3);
    encoding.add(&mut serial, &positions).unwrap();
    in_pool(|| encoding.par_add(&mut parallel, &positions)).unwrap();
    assert_same(&parallel, &serial, "added");
    encoding.write(&mut serial, &positions).unwrap();
    in_pool(|| encoding.par_write(&mut parallel, &positions)).unwrap();
    assert_same(&parallel, &serial, "written");
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_is_serial() {
    for order in ORDERS {
        for_every_kind!(threads_change_nothing(order));
    }
}

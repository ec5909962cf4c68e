//! Sinusoidal rows added to, and written over, elements of every type.
//! They stand apart because odd widths, where one feature has no partner, are met here alone.

use half::{bf16, f16};
use posenc::{Order, Positions, Precision, Sinusoidal, TableBuilder};
use posenc_oracle::sinusoid::{Arrangement, frequencies, row};
use posenc_oracle::tolerance::DOUBLE_ULP;

use super::common::levels;
use super::heads::{for_every_kind, scalar};
use super::kinds::{Half, Kind, assert_alike, assert_same, elements, guards};
use super::laws::case::mixed;

const ORDERS: [(Order, Arrangement); 3] = [
    (Order::Interleaved, Arrangement::Interleaved),
    (Order::SinCos, Arrangement::SinCos),
    (Order::CosSin, Arrangement::CosSin),
];

/// Every width past two of the widest vectors, and some beyond.
fn widths() -> impl Iterator<Item = usize> {
    (1..=70).chain([96, 127, 129, 257])
}

/// Ids that lie apart, more of them than there are in a block.
fn ids(features: usize) -> Vec<i64> {
    let count = if features % 16 == 1 { 40 } else { 3 };
    (0..count).map(|i| i * i * 1009 - 77).collect()
}

fn encoding(features: usize, order: Order) -> Sinusoidal {
    Sinusoidal::new(features, 10_000.0).expect("a good base").with_order(order)
}

/// The rows of the type that is computed with.
fn rows<K: Kind>(encoding: &Sinusoidal, ids: &[i64]) -> Vec<K::Work> {
    let mut rows = vec![K::Work::default(); ids.len() * encoding.features()];
    encoding.clone().with_level(scalar()).write(&mut rows, &Positions::ids(ids)).expect("whole rows");
    rows
}

/// The rows of the type itself, each value rounded once: cells of its tables, in the order of the row.
fn true_rows<K: Kind>(encoding: &Sinusoidal, order: Order, ids: &[i64]) -> Vec<K> {
    let (features, pairs) = (encoding.features(), encoding.frequencies().pairs());
    let (mut cos, mut sin) = (vec![K::default(); ids.len() * pairs], vec![K::default(); ids.len() * pairs]);
    let builder = TableBuilder::new(encoding.frequencies(), Precision::Exact).with_level(scalar());
    builder.fill(&Positions::ids(ids), &mut cos, &mut sin).expect("whole rows");
    let cell = |i: usize| {
        let (row, i, first) = (i / features * pairs, i % features, features.div_ceil(2));
        match order {
            Order::Interleaved if i % 2 == 0 => sin[row + i / 2],
            Order::Interleaved => cos[row + i / 2],
            Order::SinCos if i < first => sin[row + i],
            Order::SinCos => cos[row + i - first],
            Order::CosSin if i < first => cos[row + i],
            Order::CosSin => sin[row + i - first],
        }
    };
    (0..ids.len() * features).map(cell).collect()
}

fn rows_are_added_and_written<K: Kind>() {
    for (features, (order, _)) in widths().flat_map(|features| ORDERS.map(|order| (features, order))) {
        let (encoding, ids) = (encoding(features, order), ids(features));
        let rows = rows::<K>(&encoding, &ids);
        let x: Vec<K> = elements(rows.len(), features as u64);
        let sum: Vec<K> = x.iter().zip(&rows).map(|(x, &row)| K::rounded(x.widened() + row)).collect();
        let set: Vec<K> = true_rows(&encoding, order, &ids);
        for level in levels() {
            // The rows begin at any alignment, between guards.
            let shift = features % 4;
            let framed = |inner: &[K]| {
                let mut all = guards(inner.len() + shift + 5);
                all[shift..][..inner.len()].copy_from_slice(inner);
                all
            };
            let encoding = encoding.clone().with_level(level);
            let inside = shift..shift + x.len();
            let what = format_args!("{level}: {features} features of {}, {order:?}", K::TYPE);
            let mut got = framed(&x);
            encoding.add(&mut got[inside.clone()], &Positions::ids(&ids)).expect("whole rows");
            assert_alike(&got, &framed(&sum), |i| inside.contains(&i), format_args!("added, {what}"));
            let mut got = framed(&x);
            encoding.write(&mut got[inside.clone()], &Positions::ids(&ids)).expect("whole rows");
            assert_same(&got, &framed(&set), format_args!("written, {what}"));
        }
    }
}

#[test]
fn rows_are_added_and_written_with_one_rounding() {
    for_every_kind!(rows_are_added_and_written());
}

fn rows_are_added_to_every_pattern<K: Half>() {
    for (order, _) in ORDERS {
        // 65 536 is 257 · 255 + 1.
        let (encoding, features) = (encoding(257, order), 257);
        let mut x = K::all();
        x.resize(256 * features, K::of_bits(0x8000));
        let ids: Vec<i64> = (0..256).map(|row| (mixed(row) % (1 << 20)) as i64).collect();
        let rows = rows::<K>(&encoding, &ids);
        let want: Vec<K> = x.iter().zip(rows).map(|(x, row)| K::rounded(x.widened() + row)).collect();
        for level in levels() {
            let mut got = x.clone();
            encoding.clone().with_level(level).add(&mut got, &Positions::ids(&ids)).expect("whole rows");
            assert_alike(&got, &want, |_| true, format_args!("{level}: {order:?}"));
        }
    }
}

#[test]
fn rows_are_added_to_every_pattern_of_16_bits() {
    rows_are_added_to_every_pattern::<f16>();
    rows_are_added_to_every_pattern::<bf16>();
}

#[test]
fn f64_rows_are_those_of_the_oracle() {
    for (features, (order, arrangement)) in [1, 5, 64, 129].into_iter().flat_map(|n| ORDERS.map(|order| (n, order))) {
        // The row of an odd width is that of the next even one without its end: one more of what comes first.
        let (frequencies, even) = (frequencies(features, 10_000.0), features.next_multiple_of(2));
        for level in levels() {
            let mut got = guards::<f64>(50 * features);
            let encoding = encoding(features, order).with_level(level);
            encoding.write(&mut got, &Positions::from(-20)).expect("whole rows");
            for (got, position) in got.chunks(features).zip(-20_i64..) {
                let want = row(position, even, &frequencies, arrangement);
                // Both make their own frequencies, whose last digits weigh as much as the position.
                let allowed = (DOUBLE_ULP + 2.0 * position.unsigned_abs() as f64) * f64::EPSILON;
                let near = got.iter().zip(&want).all(|(got, want)| (got - want).abs() <= allowed);
                assert!(near, "{level}: {features} features, {order:?}, position {position}: {got:?}, not {want:?}");
            }
        }
    }
}

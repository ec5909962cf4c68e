//! Arbitrary sizes, and implementations that break their promises: a call does its work or nothing, and never panics.
//! They stand apart from the list of refusals because here nobody knows beforehand which it will be.

use posenc::{
    AxisEmbedding, DebertaBuckets, DistanceBias, DistanceIndex, Extent, ForgetGates, RelativeGather, Result, Sandwich,
    Side, T5Bias, T5Buckets, T5Form, Tile, Window, WindowForm,
};
use proptest::prelude::*;

use crate::{random, tried};

const HUGE: usize = usize::MAX;

/// Sizes as they come, with those that overflow among them.
fn careless() -> impl Strategy<Value = usize> {
    let huge = prop::sample::select(vec![HUGE, HUGE / 2, HUGE / 3, 1 << 33, 1 << 24, (1 << 24) - 1]);
    prop_oneof![8 => 0..6_usize, 2 => 0..40_usize, 1 => huge]
}

proptest! {
    #![proptest_config(tried(3000))]

    #[test]
    fn careless_calls_do_their_work_or_nothing(
        size in [careless(), careless()], first_query in careless(), ranges in [[careless(), careless()], [careless(), careless()], [careless(), careless()]],
        len in 0..200_usize
    ) {
        let before = random(1, len);
        let mut scores = before.clone();
        let check = |result: Result<()>, scores: &mut Vec<f32>| {
            if result.is_err() {
                assert_eq!(*scores, before);
            }
            scores.clone_from(&before);
        };
        let [heads, queries, keys] = ranges.map(|[start, end]| start..end);
        let tile = Tile { heads, queries, keys };
        let t5 = T5Bias::new(T5Buckets::new(T5Form::Bidirectional, 8, 9).unwrap(), &random(2, 16)).unwrap();
        check(t5.add(&mut scores, size, first_query), &mut scores);
        check(t5.add_tile(&mut scores, &tile), &mut scores);
        let table = t5.tabulated(-9..=9).unwrap();
        check(table.write(&mut scores, size, first_query), &mut scores);
        let gates = ForgetGates::new(&random(3, 20), 2).unwrap();
        check(gates.add(&mut scores, size, first_query), &mut scores);
        check(gates.write_tile(&mut scores, &tile), &mut scores);
        let logits = random(3, len);
        let gather = RelativeGather::new(Extent(1), 1, Side::Query).unwrap();
        check(gather.add(&mut scores, &logits, size, first_query), &mut scores);
        check(gather.scatter(&logits, &mut scores, size, first_query), &mut scores);
    }

    #[test]
    fn careless_parameters_make_something_or_nothing(
        a in careless(), b in careless(), distance in any::<i64>(), size in [careless(), careless()]
    ) {
        for form in [T5Form::Bidirectional, T5Form::Causal] {
            if let Ok(buckets) = T5Buckets::new(form, a, b) {
                prop_assert!(buckets.bucket(distance) < buckets.buckets());
            }
        }
        if let Ok(buckets) = DebertaBuckets::logarithmic(a, b) {
            prop_assert!(buckets.bucket(distance).signum() == distance.signum());
        }
        if let Ok(window) = Window::new(size, WindowForm::WithClassToken) {
            prop_assert!(window.row(a, b).is_none_or(|row| row < window.rows()));
        }
        let _ = Sandwich::new(a, b, size[0].min(100));
        let _ = AxisEmbedding::new(&[0.0; 12], a, size.map(|side| side.min(1 << 17)));
    }
}

/// A bias and an index that break their own promises.
struct Liar;

impl DistanceBias for Liar {
    fn heads(&self) -> usize {
        1
    }

    fn value(&self, _: usize, distance: i64) -> f32 {
        distance as f32
    }

    fn stored(&self, _: usize, _: i64, _: usize) -> Option<&[f32]> {
        Some(&[9.0, 9.0])
    }
}

impl DistanceIndex for Liar {
    fn columns(&self) -> usize {
        2
    }

    fn column(&self, distance: i64) -> Option<usize> {
        Some(distance.unsigned_abs() as usize)
    }
}

#[test]
fn broken_promises_of_others_are_no_panics() {
    let mut scores = [0.0_f32; 3];
    Liar.add(&mut scores, [1, 3], 1).unwrap();
    assert_eq!(scores, [-1.0, 0.0, 1.0]);
    // Columns that are not there are not read.
    let mut scores = [0.0_f32; 4];
    let gather = RelativeGather::new(Liar, 1, Side::Query).unwrap();
    gather.add(&mut scores, &[5.0, 6.0], [1, 4], 1).unwrap();
    assert_eq!(scores, [6.0, 5.0, 6.0, 0.0]);
}

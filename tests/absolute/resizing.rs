//! Laws of resized tables: what must not change, the transpose, and the mean of four cells.

use posenc::{Filter, Resize};
use posenc_oracle::absolute::bilinear;
use posenc_oracle::tolerance::GOLDEN_RESIZED;
use proptest::prelude::*;

use crate::support::{Kind, Number, assert_same, dot, for_every_kind, numbers};
use crate::tried;

const FILTERS: [Filter; 4] = [Filter::Linear, Filter::Cubic, Filter::SmoothLinear, Filter::SmoothCubic];

type Sizes = ([usize; 2], [usize; 2], usize, usize);

/// Two grids, features, and rows that are kept.
fn sizes() -> impl Strategy<Value = Sizes> {
    ([1..9_usize, 1..9_usize], [1..12_usize, 1..12_usize], 1..6_usize, 0..3_usize)
}

fn the_same_size_is_the_identity<K: Kind>(&(from, _, features, kept): &Sizes) {
    let mut table: Vec<K> = numbers(1, (kept + from[0] * from[1]) * features);
    table[0] = K::nearest(K::Work::of(-0.0));
    for filter in FILTERS {
        for resize in [Resize::to_size(from, from, filter), Resize::by_factor(from, [1.0; 2], filter)] {
            let got = resize.unwrap().keeping(kept).table(&table, features).unwrap();
            assert_same(&got, &table, format_args!("{filter:?}"));
        }
    }
}

fn constants_stay<K: Kind>(&(from, to, features, kept): &Sizes) {
    let value = numbers::<K>(4, 9)[7];
    let table = vec![value; (kept + from[0] * from[1]) * features];
    for filter in FILTERS {
        let got = Resize::to_size(from, to, filter).unwrap().keeping(kept).table(&table, features).unwrap();
        assert_eq!(got.len(), (kept + to[0] * to[1]) * features);
        for got in got {
            let error = (Into::<f64>::into(got.wide()) - Into::<f64>::into(value.wide())).abs();
            assert!(error <= GOLDEN_RESIZED, "{filter:?}: {got:?} is not {value:?}");
        }
    }
}

fn kept_rows_are_kept<K: Kind>(&(from, to, features, kept): &Sizes) {
    let table: Vec<K> = numbers(2, (kept + from[0] * from[1]) * features);
    for filter in FILTERS {
        let resize = Resize::to_size(from, to, filter).unwrap();
        let (got, bare) =
            (resize.clone().keeping(kept).table(&table, features), resize.table(&table[kept * features..], features));
        assert_same(&got.unwrap(), &[&table[..kept * features], &bare.unwrap()].concat(), format_args!("{filter:?}"));
    }
}

proptest! {
    #![proptest_config(tried(60))]

    #[test]
    fn resizing_to_the_same_size_changes_nothing(sizes in sizes()) {
        for_every_kind!(the_same_size_is_the_identity(&sizes));
    }

    #[test]
    fn a_constant_table_stays_constant(sizes in sizes()) {
        for_every_kind!(constants_stay(&sizes));
    }

    #[test]
    fn rows_before_the_grid_are_kept(sizes in sizes()) {
        for_every_kind!(kept_rows_are_kept(&sizes));
    }

    #[test]
    fn the_gradient_is_the_transpose((from, to, features, kept) in sizes()) {
        let table: Vec<f64> = numbers(1, (kept + from[0] * from[1]) * features);
        let gradient: Vec<f64> = numbers(2, (kept + to[0] * to[1]) * features);
        for filter in FILTERS {
            let resize = Resize::to_size(from, to, filter).unwrap().keeping(kept);
            let forward = dot(&resize.table(&table, features).unwrap(), &gradient);
            let backward = dot(&table, &resize.gradient(&gradient, features).unwrap());
            let allowed = GOLDEN_RESIZED * (table.len() + gradient.len()) as f64;
            prop_assert!((forward - backward).abs() <= allowed, "{:?}: {} is not {}", filter, forward, backward);
        }
    }

    #[test]
    fn linear_rows_are_means_of_four((from, to, features, _) in sizes()) {
        let table: Vec<f64> = numbers(1, from[0] * from[1] * features);
        let got = Resize::to_size(from, to, Filter::Linear).unwrap().table(&table, features).unwrap();
        for (i, got) in got.iter().enumerate() {
            let (place, feature) = (i / features, i % features);
            let middle = |axis: usize, place: usize| (place as f64 + 0.5) * from[axis] as f64 / to[axis] as f64;
            let point = [middle(0, place / to[1]), middle(1, place % to[1])];
            let want = bilinear(&table, from, features, point, feature);
            prop_assert!((got - want).abs() <= GOLDEN_RESIZED, "{:?}: {} is not {}", point, got, want);
        }
    }
}

#[cfg(feature = "rayon")]
fn threads_change_nothing<K: Kind>() {
    // Large enough to be cut, and a small one.
    for (to, features) in [([41, 37], 129), ([3, 2], 5)] {
        let table: Vec<K> = numbers(1, (2 + 9 * 8) * features);
        for filter in FILTERS {
            let resize = Resize::to_size([9, 8], to, filter).unwrap().keeping(2);
            let serial = resize.table(&table, features).unwrap();
            let parallel = crate::support::in_pool(|| resize.par_table(&table, features)).unwrap();
            assert_same(&parallel, &serial, format_args!("{filter:?}"));
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_is_serial() {
    for_every_kind!(threads_change_nothing());
}

//! xPos: tables against the formula, at both ends of their range, and what scores make of them.
//! They stand apart because they are tables, and no frequencies.

use posenc::{Error, Frequencies, Xpos};
use posenc_oracle::angle::sincos;
use posenc_oracle::scaling::xpos;
use posenc_oracle::tolerance::EXACT_ULP;
use posenc_oracle::ulp::ulp_error;
use proptest::prelude::*;

proptest! {
    #![proptest_config(crate::tried(60))]

    #[test]
    fn tables_are_those_of_the_formula(pairs in 1..40_usize, centre in -200..400_i64, base in 100.0..2000.0) {
        let frequencies = Frequencies::new(2 * pairs, 1e4).unwrap();
        let rows = 150;
        let [queries, keys] = Xpos::new(&frequencies, base, centre).unwrap().tables(rows).unwrap();
        prop_assert_eq!((queries.rows(), keys.pairs()), (rows, pairs));
        for row in [0, 1, 77, rows - 1] {
            let magnitudes = xpos(2 * pairs, row as i64, centre, base);
            let (q, k) = (queries.row(row).unwrap(), keys.row(row).unwrap());
            for (j, w) in magnitudes.into_iter().enumerate() {
                let point = sincos(row as i64, frequencies.as_slice()[j]);
                for (got, want) in
                    [(q.0[j], point.cos * w), (q.1[j], point.sin * w), (k.0[j], point.cos / w), (k.1[j], point.sin / w)]
                {
                    prop_assert!(ulp_error(got, want) <= EXACT_ULP, "row {}, pair {}: {} is not {}", row, j, got, want);
                }
            }
        }
    }
}

#[test]
fn the_range_of_positions_ends_before_that_of_f32() {
    let frequencies = Frequencies::new(64, 1e4).unwrap();
    // 80/ln(3.5) times the base.
    let reach = 63;
    let xpos = |centre| Xpos::new(&frequencies, 1.0, centre).unwrap();
    let [queries, keys] = xpos(reach).tables(2 * reach as usize + 1).unwrap();
    assert!(queries.cos().iter().chain(keys.cos()).all(|x| x.is_finite()));
    assert!(queries.row(0).unwrap().0.iter().chain(keys.row(126).unwrap().0).all(|&x| x != 0.0));
    let (min, max) = (0, 2 * reach);
    assert_eq!(xpos(reach).tables(128).unwrap_err(), Error::Position { index: 127, min, max, found: 127 });
    let error = Error::Position { index: 0, min: 1, max: 127, found: 0 };
    assert_eq!(xpos(reach + 1).tables(3).unwrap_err(), error);
    assert!(xpos(reach + 1).tables(0).is_ok());
}

#[test]
fn sizes_that_are_none() {
    let none = Frequencies::new(0, 1e4).unwrap();
    assert!(Xpos::new(&none, 512.0, 0).unwrap().tables(4).is_err());
    let some = Frequencies::new(2, 1e4).unwrap();
    for rows in [usize::MAX, 1 << 40] {
        assert!(matches!(Xpos::new(&some, 1e12, 0).unwrap().tables(rows), Err(Error::Position { .. })));
    }
}

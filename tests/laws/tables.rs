//! Laws of cosines and sines: a row is true, and has the same bits wherever it is made.
//! They stand apart because rows are made without heads, and read by rotations and sinusoids alike.

use posenc::{Level, Positions, Precision, TableBuilder};
use posenc_oracle::{tolerance, ulp::ulp_error};

use super::bits::{assert_same, guards};
use super::case::Turn;
use super::rotation::points;

/// Rows of cosines and rows of sines.
pub(crate) type Rows = (Vec<f32>, Vec<f32>);

/// One row for each id, in one call.
pub(crate) fn rows(turn: &Turn, ids: &[i64], level: Level) -> Rows {
    let builder = TableBuilder::new(&turn.frequencies(), turn.precision).with_level(level);
    let (mut cos, mut sin) = (guards(ids.len() * turn.pairs), guards(ids.len() * turn.pairs));
    if turn.pairs > 0 {
        builder.fill(&Positions::ids(ids), &mut cos, &mut sin).expect("positions that are served");
    }
    (cos, sin)
}

/// Every value is the true one, rounded as the contract says. Of a magnitude other than 1, only exact rows are held to
/// it; see [`a_magnitude_is_multiplied_afterwards`] for the others.
pub(crate) fn rows_are_true(turn: &Turn, ids: &[i64], levels: &[Level]) {
    let magnitude = f64::from(turn.magnitude);
    for &level in levels {
        let (cos, sin) = rows(turn, ids, level);
        for (row, &id) in ids.iter().enumerate() {
            let near = turn.precision == Precision::Single || id.abs() < tolerance::NEAR_POSITIONS;
            let allowed = if near { tolerance::EXACT_ULP } else { tolerance::EXACT_ULP_FAR };
            for (j, point) in points(turn, id).into_iter().enumerate() {
                let cell = row * turn.pairs + j;
                for (got, want) in [(cos[cell], point.cos), (sin[cell], point.sin)] {
                    let error = ulp_error(got, magnitude * want);
                    assert!(error <= allowed, "{level}: position {id}, pair {j}: {got:e} is {error} ULP off");
                }
            }
        }
    }
}

/// Under [`Precision::Single`] the magnitude is one f32 product more.
pub(crate) fn a_magnitude_is_multiplied_afterwards(turn: &Turn, ids: &[i64], levels: &[Level]) {
    let single = Turn { precision: Precision::Single, ..*turn };
    for &level in levels {
        let plain = rows(&Turn { magnitude: 1.0, ..single }, ids, level);
        let want = |values: Vec<f32>| values.into_iter().map(|x| x * turn.magnitude).collect::<Vec<_>>();
        assert_same_rows(&rows(&single, ids, level), &(want(plain.0), want(plain.1)), level);
    }
}

/// A row made alone, at any level, is the row of the whole list.
pub(crate) fn a_row_alone_is_the_row_of_the_list(turn: &Turn, ids: &[i64], levels: &[Level]) {
    let scalar = rows(turn, ids, Level::named("scalar").expect("every machine has it"));
    for &level in levels {
        let mut alone = (vec![], vec![]);
        for &id in ids {
            let (cos, sin) = rows(turn, &[id], level);
            alone.0.extend(cos);
            alone.1.extend(sin);
        }
        assert_same_rows(&alone, &scalar, level);
        assert_same_rows(&rows(turn, ids, level), &scalar, level);
    }
}

/// A table of positions `0 .. count` holds the rows of ids, and of an offset from the middle.
pub(crate) fn parts_are_the_table(turn: &Turn, count: usize, first: usize, levels: &[Level]) {
    let first = first % (count + 1);
    let ids: Vec<i64> = (0..count as i64).collect();
    for &level in levels {
        let builder = TableBuilder::new(&turn.frequencies(), turn.precision).with_level(level);
        let tables = builder.build(count).expect("a table that fits");
        assert_eq!((tables.rows(), tables.pairs()), (count, turn.pairs));
        let table = (tables.cos().to_vec(), tables.sin().to_vec());
        assert_same_rows(&table, &rows(turn, &ids, level), level);

        let cells = (count - first) * turn.pairs;
        let mut part = (guards(cells), guards(cells));
        builder.fill(&Positions::from(first), &mut part.0, &mut part.1).expect("positions that are served");
        let at = first * turn.pairs;
        assert_same_rows(&part, &(table.0[at..].to_vec(), table.1[at..].to_vec()), level);
        for (row, &id) in ids.iter().enumerate() {
            let (cos, sin) = tables.row(row).expect("a row of the table");
            assert_same_rows(&(cos.to_vec(), sin.to_vec()), &rows(turn, &[id], level), level);
        }
        assert_eq!(tables.row(count), None);
    }
}

/// `cos(−p) = cos(p)` and `sin(−p) = −sin(p)`, to the bit.
pub(crate) fn negative_positions_mirror(turn: &Turn, ids: &[i64], levels: &[Level]) {
    let away: Vec<i64> = ids.iter().copied().filter(|&id| id != 0).collect();
    let back: Vec<i64> = away.iter().map(|id| -id).collect();
    for &level in levels {
        let (cos, sin) = rows(turn, &away, level);
        let mirrored = (cos, sin.into_iter().map(|x| -x).collect());
        assert_same_rows(&rows(turn, &back, level), &mirrored, level);
    }
}

fn assert_same_rows(got: &Rows, want: &Rows, level: Level) {
    assert_same(&got.0, &want.0, format_args!("{level}: cosines"));
    assert_same(&got.1, &want.1, format_args!("{level}: sines"));
}

//! Bad input: every refusal, with what was expected and what was found, and buffers that stay as they were.

use std::fmt::Debug;

use posenc::{
    AxialEmbedding, Blocks, Divisor, EmbeddingSum, EmbeddingTable, Error, Filter, FourierFeatures, Numbering,
    Positions, Resize, Result, Sinusoidal, Time2Vec, scatter_add,
};

const HUGE: usize = usize::MAX;

/// The error must be this one; compared as text, since NaN is no number's equal.
#[track_caller]
fn refused<T: Debug>(result: Result<T>, want: Error) {
    assert_eq!(format!("{:?}", result.err()), format!("{:?}", Some(want)));
}

/// Calls with a buffer, which must be refused and leave it alone.
#[track_caller]
fn refused_untouched(len: usize, want: Error, call: impl FnOnce(&mut [f32]) -> Result<()>) {
    let mut buffer = vec![7.5; len];
    refused(call(&mut buffer), want);
    assert_eq!(buffer, vec![7.5; len], "a refused call wrote");
}

fn length(what: &'static str, expected: usize, found: usize) -> Error {
    Error::Length { what, expected, found }
}

fn count(what: &'static str, expected: &'static str, found: usize) -> Error {
    Error::Count { what, expected, found }
}

fn number(what: &'static str, expected: &'static str, found: f64) -> Error {
    Error::Number { what, expected, found }
}

#[test]
fn sinusoids_refuse_divisors_and_factors() {
    let with = |features, shift| Sinusoidal::with_divisor(features, 1e4, Divisor::HalfLess(shift));
    for (features, shift) in [(2, 1.0), (3, 1.0), (8, 4.0), (8, 9.0), (8, f64::NAN), (8, f64::NEG_INFINITY)] {
        refused(with(features, shift), number("shift", "a finite number below half the features", shift));
    }
    // One pair has the frequency 1, whatever the divisor; none has no divisor.
    assert_eq!(with(2, 0.0).unwrap().table(&Positions::from(0), 1).unwrap(), [0.0, 1.0]);
    for features in [0, 1] {
        assert_eq!(with(features, 1.0).unwrap().table(&Positions::from(3), 2).unwrap(), vec![0.0; 2 * features]);
    }
    let mut x = [1.0_f32, 2.0];
    with(1, 1.0).unwrap().with_embedding_scale(3.0).unwrap().add(&mut x, &Positions::from(0)).unwrap();
    assert_eq!(x, [3.0, 6.0]);
    refused(with(HUGE, 1.0), count("features", "at most 2^20 features", HUGE));
    let encoding = Sinusoidal::new(4, 1e4).unwrap();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let expected = "a number up to 1e200 in size";
        refused(encoding.clone().with_magnitude(bad), number("magnitude", expected, bad));
        refused(
            encoding.clone().with_embedding_scale(bad),
            number("embedding scale", "a number up to 1e38 in size", bad),
        );
        refused(encoding.clone().with_position_scale(bad), number("position scale", "a finite number", bad));
    }
    refused(encoding.clone().with_magnitude(1e201), number("magnitude", "a number up to 1e200 in size", 1e201));
    refused(encoding.with_position_scale(1e7), number("frequency", "at most 2^20 in size", 1e7));
}

#[test]
fn real_coordinates_are_numbers_of_moderate_size() {
    let coordinate = |index, found| {
        let expected = "a number of at most 2^31 in size";
        Error::Coordinate { index, expected, found }
    };
    let encoding = Sinusoidal::new(2, 1e4).unwrap();
    let time2vec = Time2Vec::new(&[1.0, 2.0], &[0.0; 2]).unwrap();
    let fourier = FourierFeatures::new(&[1.0, 1.0], 2).unwrap();
    for bad in [f64::NAN, f64::INFINITY, 1e10] {
        refused_untouched(4, coordinate(1, bad), |x| encoding.write(x, &Positions::fractions(&[0.5, bad])));
        refused_untouched(4, coordinate(1, bad), |x| encoding.add(x, &Positions::fractions(&[0.5, bad])));
        refused_untouched(4, coordinate(1, bad), |x| time2vec.write(x, &[1.0, bad]));
        refused_untouched(2, coordinate(1, bad), |x| fourier.write(x, &Positions::axes(&[0.5, bad], 2)));
        refused_untouched(2, coordinate(1, bad), |x| fourier.add(x, &Positions::axes(&[0.5, bad], 2)));
    }
    let axes = |expected, found| Error::Axes { expected, found };
    refused_untouched(4, axes(1, 2), |x| encoding.write(x, &Positions::axes(&[0.5; 4], 2)));
    refused_untouched(2, axes(2, 1), |x| fourier.write(x, &Positions::from(0)));
    refused(Time2Vec::new(&[1.0], &[]), length("phases", 1, 0));
    refused(Time2Vec::new(&[1.0], &[f64::NAN]), number("frequency", "at most 2^20 in size", f64::NAN));
    refused_untouched(3, length("rows", 2, 3), |x| time2vec.write(x, &[1.0]));
    assert_eq!(Time2Vec::new(&[], &[]).unwrap().table(&[1.0, 2.0]), Ok(vec![]));
}

#[test]
fn fourier_features_refuse_matrices_and_points() {
    for axes in [0, 9, HUGE] {
        let want = count("axes", "1 to 8", axes);
        refused(FourierFeatures::new(&[1.0], axes), want.clone());
        refused(FourierFeatures::octaves(axes, 4, 1.0), want.clone());
        refused(FourierFeatures::random(axes, 2, 1.0, 1), want);
    }
    refused(FourierFeatures::bands(&[]), count("axes", "1 to 8", 0));
    refused(FourierFeatures::new(&[1.0; 5], 2), length("frequencies", 4, 5));
    refused(FourierFeatures::new(&[2e6], 1), number("frequency", "at most 2^20 in size", 2e6));
    refused(FourierFeatures::octaves(1, HUGE, 1.0), number("frequency", "at most 2^20 in size", 2_097_152.0));
    refused(FourierFeatures::random(1, 1, f64::NAN, 1), number("frequency", "at most 2^20 in size", f64::NAN));
    refused(FourierFeatures::random(2, HUGE, 1.0, 1), count("frequencies", "at most 2^20", HUGE));
    refused(FourierFeatures::random(1, (1 << 20) + 1, 1.0, 1), count("frequencies", "at most 2^20", (1 << 20) + 1));
    let features = FourierFeatures::new(&[1.0; 4], 2).unwrap();
    refused_untouched(4, length("coordinates", 2, 3), |x| features.write(x, &Positions::axes(&[0.0; 3], 2)));
    refused_untouched(5, length("rows", 4, 5), |x| features.add(x, &Positions::axes(&[0.0; 2], 2)));
    assert_eq!(FourierFeatures::new(&[], 2).unwrap().table(&Positions::axes(&[1.0; 6], 2), 3), Ok(vec![]));
}

#[test]
fn tables_refuse_widths_ids_and_factors() {
    let rows = [1.0_f32; 6];
    refused(EmbeddingTable::new(&rows, 0), count("features", "at least 1", 0));
    refused(EmbeddingTable::new(&rows, 4), length("embedding rows", 4, 6));
    let table = EmbeddingTable::new(&rows, 2).unwrap();
    for bad in [f64::NAN, f64::INFINITY, -1e39] {
        refused(table.with_factor(bad), number("factor", "a number up to 1e38 in size", bad));
    }
    let position = |index, found| Error::Position { index, min: 0, max: 2, found };
    let bad: Vec<i64> = std::iter::repeat_n(0, 999).chain([3]).collect();
    for (len, positions, want) in [
        (5, Positions::from(0), length("rows", 4, 5)),
        (4, Positions::ids(&[1, 2, 0]), length("position ids", 2, 3)),
        (4, Positions::from(2), position(1, 3)),
        (4, Positions::from(-1), position(0, -1)),
        (4, Positions::from(i64::MIN), position(0, i64::MIN.into())),
        (2000, Positions::ids(&bad), position(999, 3)),
    ] {
        refused_untouched(len, want.clone(), |x| table.write(x, &positions));
        refused_untouched(len, want.clone(), |x| table.add(x, &positions));
        #[cfg(feature = "rayon")]
        refused_untouched(len, want, |x| table.par_add(x, &positions));
    }
    refused(table.lookup(&Positions::from(0), HUGE), position(HUGE - 1, HUGE as i128 - 1));
    refused(table.lookup(&Positions::from(0), 4), position(3, 3));
    refused(EmbeddingSum::<f32, 0>::new([]), count("tables", "at least 1", 0));
    let other = EmbeddingTable::new(&rows, 3).unwrap();
    refused(EmbeddingSum::new([table, other]), length("table row", 2, 3));
    let sum = EmbeddingSum::new([table, table]).unwrap();
    refused(
        sum.with_embedding_scale(f64::INFINITY),
        number("embedding scale", "a number up to 1e38 in size", f64::INFINITY),
    );
    refused_untouched(4, position(0, 7), |x| sum.write(x, &[Positions::from(0), Positions::from(7)]));
    assert_eq!(sum.add::<f32>(&mut [], &[Positions::from(99), Positions::from(99)]), Ok(()));
    // A table without rows has none for anybody.
    let none = EmbeddingTable::<f32>::new(&[], 2).unwrap();
    refused_untouched(2, Error::Position { index: 0, min: 0, max: -1, found: 0 }, |x| none.add(x, &Positions::from(0)));
}

#[test]
fn gradients_refuse_what_look_ups_refuse() {
    let position = Error::Position { index: 0, min: 0, max: 2, found: 3 };
    refused_untouched(6, position, |table| scatter_add(table, &[1.0, 1.0], 2, 1.0, &Positions::from(3)));
    refused_untouched(5, length("embedding rows", 4, 5), |t| scatter_add(t, &[1.0], 2, 1.0, &Positions::from(0)));
    refused_untouched(6, length("embedding rows", 0, 1), |t| scatter_add(t, &[1.0], 2, 1.0, &Positions::from(0)));
    refused_untouched(6, count("features", "at least 1", 0), |t| scatter_add(t, &[1.0], 0, 1.0, &Positions::from(0)));
    let factor = number("factor", "a number up to 1e38 in size", f64::INFINITY);
    refused_untouched(6, factor, |t| scatter_add(t, &[1.0; 2], 2, f64::INFINITY, &Positions::from(0)));
}

#[test]
fn numberings_refuse_parts_of_sequences() {
    let numbering = Numbering { first: 2, padding: 1, past: 2 };
    refused(numbering.of_mask(&[1, 1, 1], 1), count("tokens", "at least as many as are past", 1));
    refused(numbering.of_mask(&[1, 1, 1], 2), length("tokens", 2, 3));
    refused(numbering.of_tokens(&[5], HUGE, 1), length("tokens", 0, 1));
    refused(Numbering { past: 0, ..numbering }.of_mask(&[1], 0), length("tokens", 0, 1));
    assert_eq!(Numbering { past: 0, ..numbering }.of_mask::<i32>(&[], 0), Ok(vec![]));
    // Numbers that cannot be counted further are refused by the tables they are meant for.
    let last = Numbering { first: i64::MAX, padding: 0, past: 0 };
    assert_eq!(last.of_mask(&[1, 0, 1], 3), Ok(vec![i64::MAX, 0, i64::MAX]));
}

#[test]
fn resizing_refuses_sizes_and_factors() {
    let size = |found| count("grid size", "1 to 2^20", found);
    for filter in [Filter::Linear, Filter::Cubic, Filter::SmoothLinear, Filter::SmoothCubic] {
        refused(Resize::to_size([0, 1], [1, 1], filter), size(0));
        refused(Resize::to_size([1, 1], [1, 0], filter), size(0));
        refused(Resize::to_size([1, HUGE], [1, 1], filter), size(HUGE));
        refused(Resize::by_factor([2, 2], [0.1, 1.0], filter), size(0));
        refused(Resize::by_factor([2, 2], [f64::MAX, 1.0], filter), size(HUGE));
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            refused(
                Resize::by_factor([1, 1], [1.0, factor], filter),
                number("factor", "a positive finite number", factor),
            );
        }
        let resize = Resize::to_size([2, 3], [3, 2], filter).unwrap();
        refused(resize.table(&[0.0_f32; 11], 2), length("embedding rows", 12, 11));
        refused(resize.gradient(&[0.0_f32; 11], 2), length("gradient rows", 12, 11));
        assert_eq!(resize.table::<f32>(&[], 0), Ok(vec![]));
        refused(resize.clone().keeping(HUGE).table(&[0.0_f32], 1), length("embedding rows", HUGE, 1));
        let product = count("resized rows", "sizes whose product fits a usize", HUGE);
        refused(resize.keeping(HUGE).table(&[0.0_f32], 2), product);
    }
}

#[test]
fn grids_refuse_axes_without_parts() {
    let rows = [1.0_f32; 6];
    let [two, three] = [2, 3].map(|features| EmbeddingTable::new(&rows, features).unwrap());
    let axes = |found| count("axes", "at least 1, and no more than parts", found);
    refused(AxialEmbedding::<f32>::new(&[], Blocks::ByAxis), axes(0));
    refused(AxialEmbedding::new(&[(5, two)], Blocks::ByAxis), axes(6));
    refused(AxialEmbedding::new(&[(HUGE, two)], Blocks::ByAxis), axes(HUGE));
    refused(AxialEmbedding::new(&[(1, two), (1, two)], Blocks::ByAxis), count("axis", "a part for each axis", 0));
    refused(AxialEmbedding::new(&[(0, two), (0, three)], Blocks::ByAxis), length("places of an axis", 3, 2));
    refused(AxialEmbedding::new(&[(0, three)], Blocks::ByHalf), count("features of an axis", "an even number", 3));
    let grid = AxialEmbedding::new(&[(0, two), (1, three)], Blocks::ByAxis).unwrap();
    refused_untouched(29, length("grid rows", 30, 29), |x| grid.add(x));
    refused_untouched(31, length("grid rows", 30, 31), |x| grid.write(x));
    let scale = number("embedding scale", "a number up to 1e38 in size", f64::NAN);
    refused(grid.with_embedding_scale(f64::NAN), scale);
    let none = EmbeddingTable::<f32>::new(&[], 2).unwrap();
    let empty = AxialEmbedding::new(&[(0, none), (1, two)], Blocks::ByAxis).unwrap();
    assert_eq!((empty.table(), empty.add::<f32>(&mut [])), (Ok(vec![]), Ok(())));
}

#[test]
fn no_rows_may_be_as_wide_as_they_like() {
    for features in [HUGE / 2 + 1, HUGE] {
        let none = EmbeddingTable::<f32>::new(&[], features).unwrap();
        assert_eq!(none.lookup(&Positions::from(0), 0), Ok(vec![]));
        assert_eq!(none.add::<f32>(&mut [], &Positions::from(0)), Ok(()));
        assert_eq!(scatter_add::<f32, f32>(&mut [], &[], features, 1.0, &Positions::from(0)), Ok(()));
    }
}

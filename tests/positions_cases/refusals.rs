//! Positions, axes, grids and views that cannot be served: the error says what was expected and found, and nothing is
//! written, not even the tokens that could have been served.

use posenc::grids::{self, Multimodal, Resume, Streams};
use posenc::{
    Axes, Axis, Error, Frequencies, Heads, HeadsMut, Pairing, Positions, Result, Rotary, Scaling, Shard, TableBuilder,
};

use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::levels;
use crate::{bits, random, tried};

const LIMIT: i64 = 1 << 31;
const HUGE: usize = usize::MAX;

/// The error must be this one; compared as text, since NaN is no number's equal.
#[track_caller]
fn refused<T>(result: Result<T>, want: Error) {
    assert_eq!(format!("{:?}", result.err()), format!("{:?}", Some(want)));
}

fn rope(axes: usize) -> Rotary {
    let frequencies = Frequencies::new(8, 1e4).unwrap().on_axes(Axes::alternating(axes, 4).unwrap()).unwrap();
    Rotary::new(&frequencies, Pairing::Halves)
}

/// That `[batch, tokens, 1, 8]` is refused, in place, elsewhere and in parallel, and stays as it is.
#[track_caller]
fn stays(rope: &Rotary, [batch, tokens]: [usize; 2], positions: Positions<'_>, want: Error) {
    let before = random(1, batch * tokens * 8);
    for level in levels() {
        let rope = rope.clone().with_level(level);
        let mut data = before.clone();
        let mut view = HeadsMut::token_major(&mut data, [batch, tokens, 1, 8]).unwrap();
        refused(rope.rotate(&mut view, &positions), want.clone());
        #[cfg(feature = "rayon")]
        refused(rope.par_rotate(&mut view, &positions), want.clone());
        let from = Heads::token_major(&before, [batch, tokens, 1, 8]).unwrap();
        refused(rope.rotate_into(&from, &mut view, &positions), want.clone());
        assert_eq!(bits(&data), bits(&before));
    }
}

fn position(index: usize, found: i128) -> Error {
    Error::Position { index, min: -LIMIT, max: LIMIT, found }
}

fn bound(index: usize, min: i128, max: i128, found: i128) -> Error {
    Error::Entry { what: "cu_seqlens", index, min, max, found }
}

#[test]
fn bounds_of_packed_sequences() {
    let rope = rope(1);
    let no_bounds: [i32; 0] = [];
    stays(&rope, [1, 5], Positions::packed(&no_bounds), Error::Length { what: "cu_seqlens", expected: 1, found: 0 });
    let no_end = Error::Length { what: "cu_seqlens", expected: 2, found: 1 };
    stays(&rope, [1, 5], Positions::packed(&[0]), no_end.clone());
    stays(&rope, [1, 5], Positions::packed(&[5]), no_end.clone());
    stays(&rope, [1, 5], Positions::packed_from(&[5], &no_bounds), no_end.clone());
    stays(&rope.clone().with_table(5).unwrap(), [1, 5], Positions::packed(&[5]), no_end);
    stays(&rope, [1, 0], Positions::packed(&[5]), bound(0, 0, 0, 5));
    stays(&rope, [1, 5], Positions::packed(&[1, 5]), bound(0, 0, 0, 1));
    stays(&rope, [1, 5], Positions::packed(&[-1, 5]), bound(0, 0, 0, -1));
    stays(&rope, [1, 5], Positions::packed(&[0, 4]), bound(1, 5, 5, 4));
    stays(&rope, [1, 5], Positions::packed(&[0, 6]), bound(1, 5, 5, 6));
    stays(&rope, [1, 5], Positions::packed(&[0, 3, 2, 5]), bound(2, 3, 5, 2));
    stays(&rope, [1, 5], Positions::packed(&[0, 7, 5]), bound(1, 0, 5, 7));
    stays(&rope, [1, 5], Positions::packed(&[0, HUGE, 5]), bound(1, 0, 5, HUGE as i128));
    stays(&rope, [1, 5], Positions::packed(&[0, i64::MIN, 5]), bound(1, 0, 5, i64::MIN.into()));
    stays(&rope, [1, 5], Positions::packed(&[0, 3, i64::MAX]), bound(2, 5, 5, i64::MAX.into()));
    let batch =
        Error::Count { what: "batch", expected: "1, since packed sequences stand behind one another", found: 2 };
    stays(&rope, [2, 5], Positions::packed(&[0, 5]), batch);
    let firsts = Error::Length { what: "first positions", expected: 2, found: 3 };
    stays(&rope, [1, 5], Positions::packed_from(&[0, 2, 5], &[1, 2, 3]), firsts);
    stays(&rope, [1, 5], Positions::packed_from(&[0, 2, 5], &[0, LIMIT - 1]), position(4, i128::from(LIMIT) + 1));
    stays(&rope, [1, 5], Positions::packed_from(&[0, 2, 5], &[i64::MIN, 0]), position(0, i64::MIN.into()));
    stays(&rope, [1, 5], Positions::packed_from(&[0, 2, 5], &[0, HUGE]), position(2, HUGE as i128));
    let short = rope.with_table(3).unwrap();
    stays(&short, [1, 6], Positions::packed(&[0, 2, 6]), Error::Position { index: 5, min: 0, max: 2, found: 3 });
}

#[test]
fn positions_of_sequences() {
    let rope = rope(1);
    stays(&rope, [2, 3], Positions::offsets(&[1]), Error::Length { what: "first positions", expected: 2, found: 1 });
    stays(&rope, [2, 3], Positions::offsets(&[1, LIMIT - 1]), position(5, i128::from(LIMIT) + 1));
    stays(&rope, [2, 3], Positions::offsets(&[i64::MIN, 0]), position(0, i64::MIN.into()));
    stays(&rope, [2, 3], Positions::offsets(&[HUGE, 0]), position(0, HUGE as i128));
    let entry = |what, index, found| Error::Entry { what, index, min: 0, max: 3, found };
    stays(&rope, [2, 3], Positions::left_padded(&[0, 4]), entry("padding", 1, 4));
    stays(&rope, [2, 3], Positions::left_padded(&[-1, 0]), entry("padding", 0, -1));
    stays(&rope, [2, 3], Positions::left_padded(&[3, HUGE]), entry("padding", 1, HUGE as i128));
    stays(&rope, [2, 3], Positions::right_aligned(&[i64::MIN, 0]), entry("lengths", 0, i64::MIN.into()));
    stays(&rope, [2, 3], Positions::left_padded(&[0]), Error::Length { what: "padding", expected: 2, found: 1 });
    stays(&rope, [2, 3], Positions::right_aligned(&[1; 6]), Error::Length { what: "lengths", expected: 2, found: 6 });
    let tabled = rope.clone().with_table(2).unwrap();
    stays(&tabled, [2, 3], Positions::left_padded(&[1, 0]), Error::Position { index: 5, min: 0, max: 1, found: 2 });
    let rank = |found| Error::Count { what: "rank", expected: "less than the number of ranks", found };
    for split in [Shard::Contiguous, Shard::Striped, Shard::Zigzag] {
        refused(Positions::shard(split, 2, 2), rank(2));
        refused(Positions::shard(split, 0, 0), rank(0));
    }
    let shard = |split, rank, ranks| Positions::shard(split, rank, ranks).unwrap();
    let odd = Error::Count { what: "tokens of a zigzag shard", expected: "an even number", found: 3 };
    stays(&rope, [1, 3], shard(Shard::Zigzag, 0, 2), odd);
    let far = HUGE as i128;
    stays(&rope, [1, 2], shard(Shard::Contiguous, HUGE - 1, HUGE), position(0, 2 * (far - 1)));
    stays(&rope, [1, 2], shard(Shard::Striped, 0, HUGE), position(1, far));
    stays(&rope, [1, 2], shard(Shard::Zigzag, 0, HUGE), position(1, 2 * far - 1));
}

#[test]
fn coordinates_and_axes() {
    let [one, two] = [1, 2].map(rope);
    let coordinate = |index, found| Error::Coordinate { index, expected: "a number of at most 2^31 in size", found };
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2_147_483_648.5, -1e300] {
        stays(&one, [1, 3], Positions::fractions(&[0.5, 1.5, bad]), coordinate(2, bad));
        stays(&two, [1, 2], Positions::axes(&[0.5, 1.5, 2.5, bad], 2), coordinate(3, bad));
    }
    stays(&one, [1, 1], Positions::fractions(&[f32::NAN]), coordinate(0, f64::NAN));
    stays(&two, [1, 1], Positions::axes(&[0, LIMIT + 1], 2), position(1, i128::from(LIMIT) + 1));
    stays(&two, [1, 1], Positions::axes(&[HUGE, 0], 2), position(0, HUGE as i128));

    let [short_one, short_two] = [&one, &two].map(|rope| rope.clone().with_table(3).unwrap());
    let row = |index, found| Error::Position { index, min: 0, max: 2, found };
    let fraction = |index, found| Error::Coordinate { index, expected: "a whole number, as rows have", found };
    stays(&short_one, [1, 2], Positions::fractions(&[2.0, 0.5]), fraction(1, 0.5));
    stays(&short_one, [1, 2], Positions::fractions(&[2.0, -1.0]), row(1, -1));
    stays(&short_two, [1, 2], Positions::axes(&[0.0_f32, 1.0, 2.0, 3.0], 2), row(3, 3));
    stays(&short_two, [1, 2], Positions::axes(&[0, 1, 2, -1], 2), row(3, -1));

    // B062: kekzl/imp #1174: several axes where the frequencies read one, and one where they read several.
    let axes = |expected, found| Error::Axes { expected, found };
    let list = [0_i32; 12];
    stays(&one, [1, 4], Positions::axes(&list, 3), axes(1, 3));
    stays(&two, [1, 4], Positions::axes(&list, 3), axes(2, 3));
    stays(&two, [1, 4], Positions::axes(&list, 3).on_all_axes(), axes(2, 3));
    stays(&two, [1, 4], Positions::axes(&list, 0), axes(2, 0));
    stays(&two, [1, 4], Positions::axes(&list, HUGE), axes(2, HUGE));
    stays(&two, [1, 4], Positions::from(0), axes(2, 1));
    stays(&two, [1, 4], Positions::packed(&[0, 4]), axes(2, 1));
    stays(&two, [1, 3], Positions::axes(&list[..5], 2), Error::Length { what: "coordinates", expected: 4, found: 5 });
    let each = Error::Length { what: "coordinates of an axis", expected: 8, found: 6 };
    stays(&two, [2, 4], Positions::axes(&list, 2), each);
}

#[test]
fn frequencies_of_axes() {
    let count = |found| Error::Count { what: "axes", expected: "1 to 8", found };
    for found in [0, 9, HUGE] {
        refused(Axes::new(found, &[]), count(found));
        refused(Axes::alternating(found, 3), count(found));
        refused(Frequencies::mixed(vec![], found), count(found));
    }
    refused(Axes::sectioned(&[]), count(0));
    refused(Axes::interleaved(&[1; 9]), count(9));
    refused(Axes::interleaved_and_rest(&[1; 8]), count(9));
    refused(Frequencies::axial(&[]), count(0));
    let pairs = |found| Error::Count { what: "pairs", expected: "at most 2^19", found };
    refused(Axes::sectioned(&[HUGE, HUGE]), pairs(HUGE));
    refused(Axes::interleaved(&[HUGE, 1]), pairs(HUGE));
    refused(Axes::interleaved_and_rest(&[1 << 19, 1]), pairs((1 << 19) + 1));
    refused(Axes::ernie([HUGE, HUGE, 1]), pairs(HUGE));
    refused(Axes::alternating(2, HUGE), pairs(HUGE));
    let section = Error::Count { what: "section of the width", expected: "that of the height", found: 3 };
    refused(Axes::ernie([2, 3, 1]), section);
    refused(Axes::new(2, &[0, 1, 2]), Error::Entry { what: "axes of the pairs", index: 2, min: 0, max: 1, found: 2 });
    let plain = Frequencies::new(8, 1e4).unwrap();
    let three = Axes::alternating(2, 3).unwrap();
    let length = Error::Length { what: "axes of the pairs", expected: 4, found: 3 };
    refused(plain.clone().on_axes(three.clone()), length.clone());
    refused(Rotary::new(&plain, Pairing::Halves).on_axes(three.clone()), length.clone());
    let tables = posenc::Tables::new(vec![0.0_f32; 8], vec![0.0; 8], 4).unwrap();
    refused(Rotary::from_tables(tables, Pairing::Halves).on_axes(three), length);
    assert!(Frequencies::axial(&[(4, 1e4), (3, 1e4)]).is_err());
    assert!(Frequencies::axial(&[(4, 1e4), (4, f64::NAN)]).is_err());
    refused(Frequencies::mixed(vec![1.0; 5], 2), Error::Length { what: "frequencies", expected: 4, found: 5 });
    assert!(Frequencies::mixed(vec![1.0, f64::NAN], 2).is_err());
    let mixed = Frequencies::mixed(vec![1.0; 8], 2).unwrap();
    let on = Error::Count { what: "mixed frequencies", expected: "one frequency for each pair", found: 2 };
    refused(mixed.clone().on_axes(Axes::alternating(2, 4).unwrap()), on.clone());
    refused(mixed.scaled(&Scaling::linear(2.0)), on);
    assert_eq!(mixed.scaled(&Scaling::Default), Ok(mixed.clone()));
    let table = Error::Count { what: "axes", expected: "one for each pair, where there is a table", found: 2 };
    refused(Rotary::new(&mixed, Pairing::Halves).with_table(3), table.clone());
    refused(TableBuilder::new(&mixed, posenc::Precision::Exact).build(3), table);
    for (width, base, angle) in
        [(6, 10.0, 0.0), (8, 0.0, 0.0), (8, 10.0, f64::NAN), (8, 10.0, 1e10), (HUGE - 3, 10.0, 0.0)]
    {
        assert!(Frequencies::mixed_initial(width, base, angle).is_err(), "{width}, {base}, {angle}");
    }
}

#[test]
fn messages_name_both_sides() {
    let says = |error: Error, text: &str| assert_eq!(error.to_string(), text);
    says(bound(2, 3, 5, -7), "cu_seqlens, entry 2: expected 3 to 5, found -7");
    says(Error::Axes { expected: 3, found: 1 }, "axes of the positions: expected 3, found 1");
    let half = Error::Coordinate { index: 4, expected: "a whole number, as rows have", found: 0.5 };
    says(half, "position 4: expected a whole number, as rows have, found 0.5");
}

#[test]
fn grids_that_do_not_fit() {
    assert!(grids::raster(&[]).is_err());
    assert!(grids::raster(&[1; 9]).is_err());
    assert!(grids::raster(&[1 << 20, 1 << 20, 1 << 20]).is_err());
    for huge in [HUGE, HUGE / 16] {
        assert!(grids::raster(&[huge]).is_err());
        assert!(grids::blocks(huge, huge, huge).is_ok_and(|grid| grid.tokens() == 0) || huge > 1);
        assert!(grids::blocks(huge, 2, 1).is_err());
        assert!(grids::llama4(huge, 1).is_err());
        assert!(grids::dinov3(1, huge).is_err());
        assert!(grids::pixels(huge, huge).is_err());
        assert!(grids::rescaled([huge, 1], [1, 1]).is_err());
        assert!(grids::cogview4([1, huge], [huge, huge]).is_err());
        assert!(grids::centred([1, huge, 1], huge).is_err());
        assert!(grids::cropped([huge, 1, 1], [0.0; 2], [1.0; 2]).is_err());
        assert!(grids::cosmos([huge; 3], f64::NAN).is_err());
        assert!(grids::mochi([1, 1, huge], huge).is_err());
        assert!(grids::ltx([huge, 1, 1], [f64::NAN; 3]).is_err());
        assert!(Streams::at(&[0.0], huge).is_err());
        assert!(Multimodal::new(Resume::AfterExtent).text(huge).is_err());
        assert!(Multimodal::new(Resume::AfterExtent).image(huge, 2).is_err());
    }
    let merge = |what, found| Error::Count { what, expected: "a multiple of the merge size", found };
    refused(grids::blocks(3, 4, 2), merge("rows", 3));
    refused(grids::blocks(4, 3, 2), merge("columns", 3));
    refused(grids::blocks(4, 4, 0), merge("rows", 4));
    for interval in [-1.0, f64::NAN, f64::INFINITY, 1e10] {
        let video = Multimodal::new(Resume::AfterLargest).video([2, 2, 2], interval);
        refused(video.map(|_| ()), Error::Number { what: "frame interval", expected: "0 to 2^31", found: interval });
    }
    let empty: [f64; 0] = [];
    assert!(Streams::at(&empty, 3).is_err());
    let grid = grids::raster(&[2, 3]).unwrap();
    assert!(grid.with_axes(&[]).is_err() && grid.with_axes(&[0, 2]).is_err());
    refused(grid.then(&grids::raster(&[2]).unwrap()), Error::Axes { expected: 2, found: 1 });
    assert!(grid.axis(2).is_empty());
}

#[test]
fn nothing_is_something() {
    for (batch, tokens) in [(0, 0), (0, 5), (1, 0), (3, 0)] {
        let mut data: [f32; 0] = [];
        let one = rope(1);
        let mut view = HeadsMut::token_major(&mut data, [batch, tokens, 1, 8]).unwrap();
        let counts = vec![0_i64; batch];
        let bounds = [0, tokens];
        let shard = Positions::shard(Shard::Striped, 1, 2).unwrap();
        let none: [f64; 0] = [];
        for positions in
            [Positions::offsets(&counts), Positions::left_padded(&counts), shard, Positions::fractions(&none)]
        {
            one.rotate(&mut view, &positions).unwrap();
        }
        if batch < 2 {
            one.rotate(&mut view, &Positions::packed(&bounds)).unwrap();
        }
        rope(3).rotate(&mut view, &Positions::axes(&none, 3)).unwrap();
    }
    for grid in [
        grids::raster(&[0, 3]),
        grids::dinov3(0, 0),
        grids::mochi([1, 0, 2], 192),
        grids::cogview4([0, 1], [1, 1]),
        grids::pixels(0, 2),
        grids::blocks(0, 4, 2),
        // Beside no rows, any number of columns takes no room.
        grids::raster(&[HUGE, 0]),
        grids::raster(&[0, 1 << 40, 1 << 40]),
        grids::blocks(0, HUGE, 1),
        grids::dinov3(0, HUGE),
        grids::pixels(HUGE, 0),
        grids::rescaled([HUGE, 0], [1, 1]),
        grids::cogview4([0, HUGE], [1, 1]),
        grids::centred([0, HUGE, 1], 0),
        grids::cropped([HUGE, 0, 1], [0.0; 2], [1.0; 2]),
        grids::cosmos([HUGE, 1, 0], 1.0),
        grids::mochi([0, HUGE, HUGE], 192),
        grids::ltx([HUGE, 0, HUGE], [1.0; 3]),
    ] {
        assert_eq!(grid.unwrap().tokens(), 0);
    }
    let nothing =
        Multimodal::new(Resume::AfterLargest).text(0).unwrap().video([0, 2, 2], 1.0).unwrap().image(0, 3).unwrap();
    assert_eq!((nothing.next_position(), nothing.streams().tokens()), (0, 0));
    // Frequencies without pairs turn nothing.
    let none = Rotary::new(&Frequencies::mixed(vec![], 3).unwrap(), Pairing::Halves);
    let mut data = [1.0_f32; 4];
    none.rotate(&mut HeadsMut::new(&mut data, [2, 1, 2]).unwrap(), &Positions::axes(&[0.5; 6], 3)).unwrap();
    assert_eq!(data, [1.0; 4]);
}

#[test]
fn parts_that_a_view_does_not_have() {
    let mut data = [0.0_f32; 24];
    let mut view = HeadsMut::token_major(&mut data, [1, 3, 2, 4]).unwrap();
    let range = |found| Error::Count { what: "range", expected: "ascending, within the entries of the axis", found };
    for (axis, count) in [(Axis::Batch, 1), (Axis::Token, 3), (Axis::Head, 2)] {
        refused(view.narrow(axis, 0..count + 1), range(count + 1));
        refused(view.narrow(axis, HUGE..HUGE), range(HUGE));
        #[allow(clippy::reversed_empty_ranges, reason = "what a careless caller may write")]
        let backwards = 1..0;
        refused(view.narrow(axis, backwards), range(1));
        // The end, and nothing behind it.
        assert!(view.narrow(axis, count..count).is_ok());
    }
    let read = Heads::token_major(&[0.0_f32; 24], [1, 3, 2, 4]).map(|view| view.narrow(Axis::Head, 1..3));
    refused(read.unwrap(), range(3));
    // Beside a count of zero, strides may be of any size.
    let mut nothing: [f32; 0] = [];
    let mut wide = HeadsMut::token_major(&mut nothing, [HUGE, HUGE, 0, HUGE]).unwrap();
    assert_eq!(wide.narrow(Axis::Token, 5..HUGE).unwrap().shape().tokens, HUGE - 5);
}

/// Whole numbers that go wrong, and some that do not.
fn careless_ids() -> impl Strategy<Value = Vec<i64>> {
    let special = prop::sample::select(vec![i64::MIN, -LIMIT - 1, -LIMIT, -1, 0, 1, LIMIT, LIMIT + 1, i64::MAX]);
    vec(prop_oneof![4 => 0..7_i64, 1 => special], 0..20)
}

proptest! {
    #![proptest_config(tried(2000))]

    #[test]
    fn any_positions_are_served_or_refused(
        ids in careless_ids(), others in careless_ids(), sizes in (0..3_usize, 0..7_usize), axes in 1..4_usize,
        count in 0..5_usize, kind in 0..14_usize, rows in 0..9_usize, everywhere in any::<bool>()
    ) {
        let (batch, tokens) = sizes;
        let wide: Vec<usize> = ids.iter().map(|&id| id as usize).collect();
        let narrow: Vec<i32> = ids.iter().map(|&id| id as i32).collect();
        let halves: Vec<f64> = ids.iter().map(|&id| id as f64 / 2.0).collect();
        let wild: Vec<f32> = ids.iter().map(|&id| f32::from_bits(id as u32)).collect();
        let split = [Shard::Contiguous, Shard::Striped, Shard::Zigzag][count % 3];
        let positions = match kind {
            0 => Positions::ids(&ids),
            1 => Positions::offsets(&wide),
            2 => Positions::left_padded(&ids),
            3 => Positions::right_aligned(&wide),
            4 => Positions::packed(&narrow),
            5 => Positions::packed(&ids),
            6 => Positions::packed_from(&ids, &others),
            7 => Positions::fractions(&halves),
            8 => Positions::fractions(&wild),
            9 => Positions::axes(&ids, count),
            10 => Positions::axes(&halves, count),
            11 => Positions::axes(&wide, axes),
            12 => Positions::from(ids.first().copied().unwrap_or(i64::MAX)),
            _ => match Positions::shard(split, wide.first().copied().unwrap_or(0), wide.last().copied().unwrap_or(9)) {
                Ok(positions) => positions,
                Err(_) => return Ok(()),
            },
        };
        let positions = if everywhere { positions.on_all_axes() } else { positions };
        let plain = rope(axes);
        // Without a row, a table serves no position.
        let tabled = plain.clone().with_table(rows).unwrap();
        let mixed = Rotary::new(&Frequencies::mixed(vec![0.5; 4 * axes], axes).unwrap(), Pairing::Halves);
        for rope in [plain, tabled, mixed] {
            let before = random(1, batch * tokens * 8);
            let mut data = before.clone();
            let mut view = HeadsMut::token_major(&mut data, [batch, tokens, 1, 8]).unwrap();
            if rope.rotate(&mut view, &positions).is_err() {
                assert_eq!(bits(&data), bits(&before));
            }
        }
        let builder = TableBuilder::new(&Frequencies::new(8, 1e4).unwrap(), posenc::Precision::Single);
        let (mut cos, mut sin) = (vec![7.0_f32; tokens * 4], vec![7.0_f32; tokens * 4]);
        if builder.fill(&positions, &mut cos, &mut sin).is_err() {
            assert!(cos.iter().chain(&sin).all(|&x| x == 7.0));
        }
    }
}

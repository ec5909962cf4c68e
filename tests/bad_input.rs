//! Bad input: every refusal, with what was expected and what was found, and buffers that stay as they were.
//! They stand apart because here nothing may be computed at all: not a bit may change, and nothing may panic.

#[allow(dead_code, reason = "the laws are one directory; refusals need guards and comparisons")]
#[path = "laws/all.rs"]
mod laws;
#[path = "laws/refusals.rs"]
mod refusals;

use laws::bits::{assert_same, guards};
use posenc::{
    Alibi, Clip, DistanceBias, Error, Frequencies, HeadsMut, Init, Level, Pairing, Positions, Precision,
    RelativeEmbedding, Result, Rotary, Shape, Sinusoidal, Strides, TableBuilder, Tables,
};
use proptest::prelude::*;
use refusals::Careless;

const HUGE: usize = usize::MAX;
const LIMIT: i64 = 1 << 31;

/// The error must be this one; compared as text, since NaN is no number's equal.
#[track_caller]
fn refused<T>(result: Result<T>, want: Error) {
    assert_eq!(format!("{:?}", result.err()), format!("{:?}", Some(want)));
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

fn too_large(what: &'static str) -> Error {
    count(what, "sizes whose product fits a usize", HUGE)
}

/// An encoding of four pairs.
fn rope() -> Rotary {
    Rotary::new(&Frequencies::new(8, 10_000.0).unwrap(), Pairing::Halves)
}

/// Calls with a buffer of guards, which must be refused and leave it alone.
#[track_caller]
fn refused_untouched(len: usize, want: Error, call: impl FnOnce(&mut [f32]) -> Result<()>) {
    let mut buffer = guards(len);
    refused(call(&mut buffer), want);
    assert_same(&buffer, &guards(len), "a refused call wrote");
}

#[test]
fn frequencies_refuse_widths_and_bases() {
    refused(Frequencies::new(3, 1e4), count("rotary width", "an even number of features", 3));
    refused(Frequencies::new(HUGE, 1e4), count("rotary width", "an even number of features", HUGE));
    refused(Frequencies::new(HUGE - 1, 1e4), count("rotary width", "at most 2^20 features", HUGE - 1));
    refused(Frequencies::new((1 << 20) + 2, 1e4), count("rotary width", "at most 2^20 features", (1 << 20) + 2));
    assert!(Frequencies::new(1 << 20, 1e4).is_ok());
    for base in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        refused(Frequencies::new(4, base), number("base", "a positive finite number", base));
    }
    // The second of two pairs turns by 1/√base, which is beyond what kernels reduce.
    refused(Frequencies::new(4, 1e-300), number("frequency", "at most 2^20 in size", 1e150));
    for base in [f64::MAX, f64::MIN_POSITIVE, 5e-324] {
        assert!(Frequencies::new(2, base).is_ok(), "one pair, which turns by 1 whatever the base {base:e}");
    }
}

#[test]
fn frequencies_refuse_values() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1_048_577.0, -1e300] {
        let want = number("frequency", "at most 2^20 in size", value);
        refused(Frequencies::from_values(vec![1.0, value, f64::NAN]), want);
    }
    refused(Frequencies::from_inv_freq(&[1.0, f32::NAN]), number("frequency", "at most 2^20 in size", f64::NAN));
    for magnitude in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let frequencies = Frequencies::new(2, 1e4).unwrap();
        refused(frequencies.with_magnitude(magnitude), number("magnitude", "a positive finite number", magnitude));
    }
}

#[test]
fn views_refuse_lengths() {
    let mut data = [0.0_f32; 48];
    refused(HeadsMut::new(&mut data, [2, 3, 9]), length("head data", 54, 48));
    refused(HeadsMut::new(&mut data[..47], [2, 3, 8]), length("head data", 48, 47));
    refused(HeadsMut::token_major(&mut data, [0, 3, 2, 8]), length("head data", 0, 48));
    refused(HeadsMut::head_major(&mut data, [2, 1, 3, 4]), length("head data", 24, 48));
    for shape in [[1, HUGE, 2, 1], [HUGE, HUGE, HUGE, HUGE], [1 << 32, 1 << 31, 2, 1], [1, 1, 3, HUGE / 2]] {
        refused(HeadsMut::token_major(&mut data, shape), too_large("head data"));
        refused(HeadsMut::head_major(&mut data, shape), too_large("head data"));
        let [batch, tokens, heads, dim] = shape;
        let strides = Strides { batch: 1, token: 1, head: 1 };
        refused(HeadsMut::strided(&mut data, Shape { batch, tokens, heads, dim }, strides), too_large("head data"));
    }
    refused(HeadsMut::new(&mut data, [HUGE, 1, 1]), length("head data", HUGE, 48));
}

#[test]
fn views_refuse_strides_under_which_heads_overlap() {
    let mut data = [0.0_f32; 100];
    let shape = Shape { batch: 2, tokens: 3, heads: 2, dim: 4 };
    let mut strided = |batch, token, head| {
        HeadsMut::strided(&mut data, shape, Strides { batch, token, head }).map(|view| view.shape())
    };
    assert_eq!(strided(24, 8, 4), Ok(shape));
    assert_eq!(strided(24, 4, 12), Ok(shape));
    let stride = |what, expected, found| Error::Stride { what, expected, found };
    refused(strided(24, 8, 3), stride("head", 4, 3));
    refused(strided(24, 7, 4), stride("token", 8, 7));
    refused(strided(23, 8, 4), stride("batch", 24, 23));
    refused(strided(24, 8, 0), stride("head", 4, 0));
    refused(strided(0, 8, 4), stride("batch", 4, 0));
    refused(strided(24, 4, 11), stride("head", 12, 11));
    refused(strided(24, 8, 8), stride("token", 12, 8));
    let (half, quarter) = (HUGE / 2, HUGE / 4);
    refused(strided(half, quarter, 4), stride("batch", 2 * quarter + 8, half));
}

#[test]
fn views_refuse_data_that_ends_before_the_last_head() {
    let mut data = [0.0_f32; 100];
    let shape = Shape { batch: 2, tokens: 3, heads: 2, dim: 4 };
    let mut strided =
        |batch, token, head| HeadsMut::strided(&mut data, shape, Strides { batch, token, head }).map(|_| ());
    assert_eq!(strided(76, 8, 4), Ok(()));
    refused(strided(77, 8, 4), length("head data", 101, 100));
    refused(strided(HUGE, 8, 4), length("head data", HUGE, 100));
    refused(strided(24, 8, HUGE), length("head data", HUGE, 100));
    refused(strided(24, HUGE, 4), length("head data", HUGE, 100));
    let strides = Strides { batch: 0, token: 0, head: 0 };
    let one = Shape { batch: 1, tokens: 1, heads: 1, dim: 8 };
    refused(HeadsMut::strided(&mut data[..7], one, strides), length("head data", 8, 7));
}

#[test]
fn axes_of_one_entry_may_have_any_stride() {
    let one = Shape { batch: 1, tokens: 1, heads: 1, dim: 8 };
    for stride in [0, 1, HUGE] {
        let mut data = [1.0_f32; 8];
        let strides = Strides { batch: stride, token: stride, head: stride };
        let mut view = HeadsMut::strided(&mut data, one, strides).unwrap();
        assert_eq!(rope().rotate(&mut view, &Positions::from(1)), Ok(()));
        assert_ne!(data, [1.0; 8]);
    }
}

/// Rotates `[batch, tokens, 2, 8]`, serially and on threads, where that is refused.
#[track_caller]
fn rotation_refused(rope: &Rotary, [batch, tokens]: [usize; 2], positions: &Positions<'_>, want: Error) {
    let shape = [batch, tokens, 2, 8];
    let len = shape.iter().product();
    refused_untouched(len, want.clone(), |data| rope.rotate(&mut HeadsMut::token_major(data, shape)?, positions));
    #[cfg(feature = "rayon")]
    refused_untouched(len, want, |data| rope.par_rotate(&mut HeadsMut::token_major(data, shape)?, positions));
}

#[test]
fn rotations_refuse_slices_that_leave_the_head() {
    let zero = Positions::from(0);
    rotation_refused(&rope().starting_at(1), [1, 3], &zero, Error::Width { expected: 8, found: 9 });
    rotation_refused(&rope().starting_at(HUGE), [1, 3], &zero, Error::Width { expected: 8, found: HUGE });
    rotation_refused(&rope().starting_at(HUGE - 8), [1, 3], &zero, Error::Width { expected: 8, found: HUGE });
    let wide = Rotary::new(&Frequencies::new(10, 1e4).unwrap(), Pairing::Interleaved);
    rotation_refused(&wide, [2, 3], &zero, Error::Width { expected: 8, found: 10 });
    let tables = Tables::<f32>::new(vec![], vec![], 1 << 19).unwrap();
    let widest = Rotary::from_tables(tables, Pairing::Halves);
    rotation_refused(&widest, [1, 1], &zero, Error::Width { expected: 8, found: 1 << 20 });
}

#[test]
fn rotations_refuse_more_or_fewer_ids_than_tokens() {
    for (shape, ids) in [([1, 1000], 999), ([1, 1000], 1001), ([2, 500], 999), ([3, 4], 8), ([1, 5], 0)] {
        let ids: Vec<i64> = vec![7; ids];
        let want = length("position ids", shape[0] * shape[1], ids.len());
        rotation_refused(&rope(), shape, &Positions::ids(&ids), want);
    }
}

#[test]
fn rotations_refuse_ids_out_of_range_even_if_only_the_last_one_is() {
    let position = |index, found: i128| Error::Position { index, min: -LIMIT, max: LIMIT, found };
    for bad in [LIMIT + 1, -LIMIT - 1, i64::MAX, i64::MIN] {
        let mut ids = vec![5_i64; 1000];
        ids[999] = bad;
        rotation_refused(&rope(), [1, 1000], &Positions::ids(&ids), position(999, bad.into()));
        rotation_refused(&rope(), [2, 500], &Positions::ids(&ids), position(999, bad.into()));
        ids[17] = bad;
        rotation_refused(&rope(), [1, 1000], &Positions::ids(&ids), position(17, bad.into()));
    }
    let huge = [0, HUGE];
    rotation_refused(&rope(), [1, 2], &Positions::ids(&huge), position(1, HUGE as i128));
    rotation_refused(&rope(), [1, 2], &Positions::ids(&[0, u32::MAX]), position(1, u32::MAX.into()));
    let mut view = [1.0_f32; 16];
    let mut view = HeadsMut::new(&mut view, [2, 1, 8]).unwrap();
    assert_eq!(rope().rotate(&mut view, &Positions::ids(&[i32::MIN, i32::MAX])), Ok(()));
}

#[test]
fn rotations_refuse_offsets_that_lead_out_of_range() {
    let position = |index, found: i128| Error::Position { index, min: -LIMIT, max: LIMIT, found };
    rotation_refused(&rope(), [1, 3], &Positions::from(LIMIT - 1), position(2, i128::from(LIMIT) + 1));
    rotation_refused(&rope(), [1, 3], &Positions::from(-LIMIT - 1), position(0, -i128::from(LIMIT) - 1));
    rotation_refused(&rope(), [1, 3], &Positions::from(i64::MAX), position(0, i64::MAX.into()));
    rotation_refused(&rope(), [1, 3], &Positions::from(i64::MIN), position(0, i64::MIN.into()));
    rotation_refused(&rope(), [1, 3], &Positions::from(HUGE), position(0, HUGE as i128));
    rotation_refused(&rope(), [2, 3], &Positions::from(u32::MAX), position(0, u32::MAX.into()));
}

fn rotation_served(rope: &Rotary, positions: &Positions<'_>) {
    let mut data = [0.5_f32; 8];
    rope.rotate(&mut HeadsMut::new(&mut data, [1, 1, 8]).unwrap(), positions).unwrap();
}

#[test]
fn rotations_refuse_positions_without_a_row_in_their_table() {
    let with_table = rope().with_table(10).unwrap();
    let position = |index, found| Error::Position { index, min: 0, max: 9, found };
    rotation_refused(&with_table, [1, 3], &Positions::from(8), position(2, 10));
    rotation_refused(&with_table, [1, 3], &Positions::from(-1), position(0, -1));
    rotation_refused(&with_table, [1, 3], &Positions::ids(&[9, 0, 10]), position(2, 10));
    rotation_refused(&with_table, [1, 3], &Positions::ids(&[9, i64::MIN, 10]), position(1, i64::MIN.into()));
    let empty = rope().with_table(0).unwrap();
    rotation_refused(&empty, [1, 1], &Positions::from(0), Error::Position { index: 0, min: 0, max: -1, found: 0 });
    rotation_served(&with_table.clone().with_table(11).unwrap(), &Positions::from(10));
    let brought = Rotary::from_tables(with_table.tables().unwrap().clone(), Pairing::Halves);
    refused(brought.with_table(11), length("table rows", 10, 11));
}

#[test]
fn tables_refuse_sizes() {
    refused(Tables::new(vec![1.0; 6], vec![0.0; 5], 2), length("sines", 6, 5));
    refused(Tables::new(vec![1.0; 7], vec![0.0; 7], 2), length("cosines", 6, 7));
    for pairs in [0, (1 << 19) + 1, HUGE] {
        refused(Tables::<f32>::new(vec![], vec![], pairs), count("pairs", "1 to 2^19", pairs));
    }
    refused(Tables::new(vec![1.0], vec![0.0], 1 << 19), length("cosines", 0, 1));
    let full = |cos: &[f32], width| Tables::from_full_width(cos, cos, width, Pairing::Halves);
    for width in [0, 1, 3, HUGE - 1, HUGE] {
        refused(full(&[1.0; 6], width), count("table width", "an even number from 2 to 2^20", width));
    }
    refused(full(&[1.0; 6], 4), length("cosines", 4, 6));
    refused(full(&[1.0; 6], 1 << 20), length("cosines", 0, 6));
    refused(Tables::from_full_width(&[1.0; 4], &[0.0; 2], 4, Pairing::Halves), length("sines", 4, 2));
    let unequal = number("table value", "the value of the other feature of its pair", 0.25);
    refused(full(&[1.0, 0.5, 1.0, 0.25], 4), unequal);
}

#[test]
fn table_builders_refuse_sizes_and_positions() {
    let builder = TableBuilder::new(&Frequencies::new(8, 1e4).unwrap(), Precision::Exact);
    let position = |index, found| Error::Position { index, min: -LIMIT, max: LIMIT, found };
    refused(builder.build(HUGE), position(HUGE - 1, HUGE as i128 - 1));
    refused(builder.build((1 << 31) + 2), position((1 << 31) + 1, i128::from(LIMIT) + 1));
    let fill = |cells: usize, sines: usize, positions: &Positions<'_>, want: Error| {
        let (mut cos, mut sin) = (guards(cells), guards(sines));
        refused(builder.fill(positions, &mut cos, &mut sin), want.clone());
        #[cfg(feature = "rayon")]
        refused(builder.par_fill(positions, &mut cos, &mut sin), want);
        assert_same(&cos, &guards(cells), "a refused call wrote cosines");
        assert_same(&sin, &guards(sines), "a refused call wrote sines");
    };
    fill(12, 11, &Positions::from(0), length("sines", 12, 11));
    fill(13, 13, &Positions::from(0), length("cosines", 12, 13));
    fill(12, 12, &Positions::ids(&[1, 2]), length("position ids", 3, 2));
    fill(12, 12, &Positions::ids(&[1, 2, LIMIT + 1]), position(2, i128::from(LIMIT) + 1));
    fill(12, 12, &Positions::from(LIMIT - 1), position(2, i128::from(LIMIT) + 1));
}

#[test]
fn sinusoids_refuse_sizes_and_positions() {
    refused(Sinusoidal::new(HUGE, 1e4), count("features", "at most 2^20 features", HUGE));
    for base in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(Sinusoidal::new(4, base), number("base", "a positive finite number", base));
    }
    let encoding = Sinusoidal::new(5, 1e4).unwrap();
    let position = |index, found| Error::Position { index, min: -LIMIT, max: LIMIT, found };
    refused(encoding.table(&Positions::from(0), HUGE), position(HUGE - 1, HUGE as i128 - 1));
    refused(encoding.table(&Positions::ids(&[1, 2]), HUGE), length("position ids", HUGE, 2));
    let bad: Vec<i64> = (0..999).chain([LIMIT + 1]).collect();
    for (len, positions, want) in [
        (16, Positions::from(0), length("rows", 15, 16)),
        (15, Positions::ids(&[1, 2]), length("position ids", 3, 2)),
        (5000, Positions::ids(&bad), position(999, i128::from(LIMIT) + 1)),
        (15, Positions::from(i64::MIN), position(0, i64::MIN.into())),
    ] {
        refused_untouched(len, want.clone(), |x| encoding.write(x, &positions));
        refused_untouched(len, want.clone(), |x| encoding.add(x, &positions));
        #[cfg(feature = "rayon")]
        refused_untouched(len, want.clone(), |x| encoding.par_write(x, &positions));
        #[cfg(feature = "rayon")]
        refused_untouched(len, want, |x| encoding.par_add(x, &positions));
    }
    let none = Sinusoidal::new(0, 1e4).unwrap();
    refused_untouched(1, length("rows", 0, 1), |x| none.add(x, &Positions::from(0)));
}

#[test]
fn biases_refuse_heads_and_distances() {
    for heads in [0, 65_537, HUGE] {
        refused(Alibi::new(heads), count("heads", "1 to 65536", heads));
    }
    for max_bias in [0.0, -8.0, f64::NAN, f64::INFINITY] {
        refused(Alibi::with_max_bias(4, max_bias), number("max_bias", "a positive finite number", max_bias));
    }
    let steepest = Alibi::with_max_bias(3, f64::MAX).unwrap();
    assert!(steepest.slopes().iter().all(|slope| *slope == 0.0), "2^-huge is 0, not {:?}", steepest.slopes());
    let alibi = Alibi::new(2).unwrap();
    let far = |found| count("distance", "at most 2^24", found);
    let limit = 1 << 24;
    for (size, first, want) in [
        ([2, 3], 0, length("scores", 12, 16)),
        ([0, 3], 0, length("scores", 0, 16)),
        ([HUGE, 2], 0, too_large("scores")),
        ([2, 4], HUGE, far(HUGE)),
        ([2, 4], limit - 1, far(limit + 1)),
    ] {
        refused_untouched(16, want, |scores| alibi.add(scores, size, first));
    }
    assert_eq!(alibi.add(&mut [0.0; 16], [2, 4], limit - 2), Ok(()));
    refused(alibi.diagonals(2, [1, 1], 0), count("head", "less than the number of heads", 2));
    refused(alibi.diagonals(0, [1, HUGE], 0), far(HUGE));
    refused(alibi.diagonals(0, [HUGE, 1], HUGE), far(HUGE));
}

#[test]
fn relative_embeddings_refuse_sizes() {
    let clip = Clip { left: 1, right: 2 };
    refused(RelativeEmbedding::new(vec![0.0; 7], clip, 2), length("relative weights", 8, 7));
    refused(RelativeEmbedding::new(vec![], clip, 0), count("features", "at least 1", 0));
    refused(RelativeEmbedding::new(vec![], Clip::symmetric(HUGE), 2), too_large("relative weights"));
    refused(RelativeEmbedding::new(vec![], Clip::symmetric(HUGE), 1), length("relative weights", HUGE, 0));
    let normal = Init::Normal { deviation: 1.0 };
    refused(RelativeEmbedding::random(clip, 0, normal, 1), count("features", "at least 1", 0));
    let memory = count("relative weights", "a number of elements that fits the memory", HUGE);
    refused(RelativeEmbedding::random(Clip::symmetric(HUGE), 1, normal, 1), memory);
    for scale in [-1.0, f32::NAN, f32::INFINITY] {
        let refusal = |what| number(what, "a finite number, 0 or more", scale.into());
        refused(RelativeEmbedding::random(clip, 1, Init::Normal { deviation: scale }, 1), refusal("deviation"));
        refused(RelativeEmbedding::random(clip, 1, Init::Uniform { bound: scale }, 1), refusal("bound"));
    }
}

#[test]
fn relative_embeddings_refuse_cells() {
    let embedding = RelativeEmbedding::new(vec![1.0; 8], Clip { left: 1, right: 2 }, 2).unwrap();
    for (size, want) in [
        ([2, 3], length("relative rows", 12, 16)),
        ([HUGE, HUGE], too_large("relative rows")),
        ([HUGE / 2, 1], length("relative rows", HUGE - 1, 16)),
    ] {
        refused_untouched(16, want.clone(), |rows| embedding.lookup_into(rows, 0, size));
        refused_untouched(16, want, |x| embedding.add(x, HUGE, size));
    }
    refused(embedding.lookup(0, [HUGE, 1]), too_large("relative rows"));
    let cells = 1_usize << (usize::BITS - 2);
    let memory = count("relative rows", "a number of elements that fits the memory", cells);
    refused(embedding.lookup(0, [cells / 2, 1]), memory);
    // Queries beyond all that can be counted are far from every key.
    assert_eq!(embedding.lookup(HUGE, [2, 1]).unwrap(), [1.0; 4]);
    for epsilon in [-1.0, f64::NAN, f64::INFINITY] {
        let want = number("epsilon", "a finite number, 0 or more", epsilon);
        refused(embedding.clone().layer_norm(epsilon), want);
    }
}

#[test]
fn unknown_levels_are_refused() {
    assert!(Level::named("avx1024").is_err());
    assert!("".parse::<Level>().is_err());
}

#[test]
fn views_without_elements_are_left_alone() {
    // Zero of anything, however many there would be of the others.
    for zero in 0..4 {
        for others in [1, 7, 1 << 33, HUGE / 2, HUGE] {
            let mut sizes = [others; 4];
            sizes[zero] = 0;
            let careless = Careless { sizes, strides: [others; 3], len: 0, ids: vec![], pairs: 0, start: 0 };
            refusals::a_careless_rotation_stays_in_its_heads(&careless);
            refusals::a_careless_view_is_whole_or_refused(&careless);
            refusals::a_careless_addition_is_whole_or_refused(&careless);
        }
    }
}

#[test]
fn nothing_to_do_is_done() {
    let zero = Positions::from(0);
    for [batch, tokens, heads] in [[0, 5, 2], [2, 0, 2], [2, 5, 0]] {
        let mut view = HeadsMut::<f32>::token_major(&mut [], [batch, tokens, heads, 8]).unwrap();
        assert_eq!(rope().rotate(&mut view, &zero), Ok(()));
        let ids = vec![4_i64; batch * tokens];
        assert_eq!(rope().rotate(&mut view, &Positions::ids(&ids)), Ok(()));
    }
    let none = Frequencies::new(0, 1e4).unwrap();
    let mut data = guards(6);
    let mut view = HeadsMut::new(&mut data, [2, 1, 3]).unwrap();
    assert_eq!(Rotary::new(&none, Pairing::Halves).rotate(&mut view, &zero), Ok(()));
    assert_same(&data, &guards(6), "no pairs");
    let builder = TableBuilder::new(&none, Precision::Exact);
    assert_eq!(builder.build(7).map(|tables| tables.rows()), Ok(7));
    assert_eq!(builder.fill::<f32>(&zero, &mut [], &mut []), Ok(()));
    let embedding = RelativeEmbedding::new(vec![1.0; 3], Clip::symmetric(1), 1).unwrap();
    for size in [[0, 5], [5, 0], [0, 0]] {
        assert_eq!(embedding.lookup(1, size), Ok(vec![]));
        assert_eq!(embedding.add::<f32>(&mut [], 1, size), Ok(()));
        assert_eq!(Alibi::new(2).unwrap().add::<f32>(&mut [], size, 1), Ok(()));
        assert_eq!(Alibi::new(2).unwrap().diagonals(0, size, 1), Ok(vec![]));
    }
}

#[test]
fn rows_without_features_are_done_whatever_their_ids() {
    let none = Sinusoidal::new(0, 1e4).unwrap();
    assert_eq!(none.table(&Positions::from(0), 3), Ok(vec![]));
    assert_eq!(none.table(&Positions::ids(&[1, 2, 3]), 3), Ok(vec![]));
}

/// Sizes as they come, with those that overflow among them.
fn sizes() -> impl Strategy<Value = usize> {
    let huge = prop::sample::select(vec![HUGE, HUGE / 2, HUGE / 2 + 1, HUGE / 3, 1 << 33, 1 << 32, 1 << 24]);
    prop_oneof![8 => 0..6_usize, 2 => 0..40_usize, 1 => huge]
}

fn careless() -> impl Strategy<Value = Careless> {
    let far = prop::sample::select(vec![i64::MIN, i64::MAX, LIMIT, LIMIT + 1, -LIMIT, -LIMIT - 1, -1, 9]);
    let ids = prop::collection::vec(prop_oneof![8 => 0..9_i64, 1 => far], 0..30);
    let start = prop_oneof![6 => 0..3_usize, 1 => sizes()];
    ([sizes(), sizes(), sizes(), sizes()], [sizes(), sizes(), sizes()], 0..300_usize, ids, 0..4_usize, start).prop_map(
        |(sizes, strides, len, mut ids, pairs, start)| {
            // Half of all cases have as many ids as tokens, and would seldom do so by chance.
            let tokens = sizes[0].saturating_mul(sizes[1]);
            if len.is_multiple_of(2) && tokens < 100 && !ids.is_empty() {
                ids = ids.into_iter().cycle().take(tokens).collect();
            }
            Careless { sizes, strides, len, ids, pairs, start }
        },
    )
}

/// The number of elements, if there may be so many.
fn of_size(sizes: &[usize]) -> usize {
    sizes.iter().fold(1_usize, |product, &size| product.saturating_mul(size)).min(5000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn careless_rotations_stay_in_their_heads(careless in careless()) {
        refusals::a_careless_rotation_stays_in_its_heads(&careless);
    }

    #[test]
    fn careless_views_are_whole_or_refused(careless in careless()) {
        refusals::a_careless_view_is_whole_or_refused(&careless);
        // The right length is seldom met by chance.
        let len = of_size(&careless.sizes);
        refusals::a_careless_view_is_whole_or_refused(&Careless { len, ..careless });
    }

    #[test]
    fn careless_additions_are_whole_or_refused(careless in careless()) {
        refusals::a_careless_addition_is_whole_or_refused(&careless);
        let [queries, keys, heads, features] = careless.sizes;
        for size in [[queries, keys, heads], [queries, keys, refusals::FEATURES], [queries, features, 1]] {
            let len = of_size(&size);
            refusals::a_careless_addition_is_whole_or_refused(&Careless { len, ..careless.clone() });
        }
    }
}

//! Frequencies, tables, sinusoids, biases and relative embeddings refuse numbers and sizes.
//! They stand apart from rotations because they know nothing of heads.

use posenc::{
    Alibi, Clip, DistanceBias, Error, Frequencies, Init, Level, Pairing, Positions, Precision, RelativeEmbedding,
    Sinusoidal, TableBuilder, Tables,
};

use super::laws::bits::{assert_same, guards};
use super::{HUGE, LIMIT, count, length, number, refused, refused_untouched, too_large};

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
        refused(frequencies.with_magnitude(magnitude), number("magnitude", "a positive number up to 1e200", magnitude));
    }
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
        refused_untouched(16, want.clone(), |rows| embedding.lookup_into(rows, size, 0));
        refused_untouched(16, want, |x| embedding.add(x, size, HUGE));
    }
    refused(embedding.lookup([HUGE, 1], 0), too_large("relative rows"));
    let cells = 1_usize << (usize::BITS - 2);
    let memory = count("relative rows", "a number of elements that fits the memory", cells);
    refused(embedding.lookup([cells / 2, 1], 0), memory);
    // Queries beyond all that can be counted are far from every key.
    assert_eq!(embedding.lookup([2, 1], HUGE).unwrap(), [1.0; 4]);
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

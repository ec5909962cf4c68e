//! Windows of two axes against places of tokens, their biases in all forms, and decomposed embeddings.
//! They stand apart because a distance has two numbers here.

use posenc::{AxisEmbedding, DecomposedBias, Mlp, Window, WindowBias, WindowForm, log_cpb_bias, log_cpb_coordinates};
use posenc_oracle::tolerance::EXACT_ULP;
use posenc_oracle::ulp::ulp_error;
use posenc_oracle::{functional, windows as oracle};
use proptest::prelude::*;

use crate::biases::assert_values;
use crate::forms::all_forms_agree;
#[cfg(feature = "rayon")]
use crate::stored::assert_same;
use crate::{random, tried};

/// The index of the oracle for each form.
fn index(form: WindowForm, sides: [usize; 2]) -> Box<dyn Fn(usize, usize) -> usize> {
    match form {
        WindowForm::Signed => Box::new(move |query, key| oracle::swin(sides, query, key)),
        WindowForm::WithClassToken => Box::new(move |query, key| oracle::beit(sides, query, key)),
        _ => {
            let (indices, tokens) = (oracle::levit(sides), sides[0] * sides[1]);
            Box::new(move |query, key| indices[query * tokens + key])
        }
    }
}

proptest! {
    #![proptest_config(tried(60))]

    #[test]
    fn window_biases(
        height in 1..6_usize, width in 1..6_usize, form in 0..3_usize, heads in 1..4_usize, part in any::<[u16; 3]>()
    ) {
        let form = [WindowForm::Signed, WindowForm::WithClassToken, WindowForm::Unsigned][form];
        let sides = [height, width];
        let (window, index) = (Window::new(sides, form).unwrap(), index(form, sides));
        let tokens = window.tokens();
        let cells = (0..tokens).flat_map(|query| (0..tokens).map(move |key| (query, key)));
        let want: Vec<usize> = cells.map(|(query, key)| index(query, key)).collect();
        prop_assert_eq!(&window.indices().unwrap(), &want);
        prop_assert!(want.iter().all(|&row| row < window.rows()));
        prop_assert_eq!(window.row(tokens - 1, 0), Some(want[(tokens - 1) * tokens]));
        prop_assert_eq!([window.row(tokens, 0), window.row(0, tokens)], [None, None]);

        let table = random(1, window.rows() * heads);
        let bias = WindowBias::new(window, &table).unwrap();
        // Some of the queries and keys.
        let first_query = usize::from(part[0]) % tokens;
        let size = [usize::from(part[1]) % (tokens - first_query) + 1, usize::from(part[2]) % tokens + 1];
        assert_values(&bias, size, first_query, 0.0, |head, query, key| table[index(query, key) * heads + head].into());
        all_forms_agree(&bias, size, first_query, part[1].into());
    }

    #[test]
    fn biases_of_coordinates(
        height in 1..6_usize, width in 1..6_usize, pretrained in prop::option::of((2..20_usize, 2..20_usize)),
        units in 1..20_usize, heads in 1..4_usize
    ) {
        let pretrained = pretrained.map(|(height, width)| [height, width]);
        let side = |axis: usize| pretrained.map_or([height, width][axis], |sides| sides[axis]);
        let coordinates = log_cpb_coordinates([height, width], pretrained).unwrap();
        prop_assert_eq!(coordinates.len(), (2 * height - 1) * (2 * width - 1));
        let (first, first_bias) = (random(1, 2 * units), random(2, units));
        let (last, last_bias) = (random(3, heads * units), random(4, heads));
        let network = Mlp::new(2).unwrap().linear(&first, &first_bias).unwrap().relu();
        let network = network.linear(&last, &last_bias).unwrap();
        let bias = log_cpb_bias(&network, [height, width], pretrained).unwrap();
        for (row, got) in coordinates.iter().enumerate() {
            let distances = [row / (2 * width - 1), row % (2 * width - 1)];
            let want = [
                oracle::log_coordinate(distances[0] as i64 - height as i64 + 1, side(0)),
                oracle::log_coordinate(distances[1] as i64 - width as i64 + 1, side(1)),
            ];
            prop_assert!(got.iter().zip(want).all(|(got, want)| (got - want).abs() <= 1e-14), "{:?} {:?}", got, want);
            let hidden = functional::linear(&want, &first, &first_bias);
            let hidden: Vec<f64> = hidden.into_iter().map(|x| x.max(0.0)).collect();
            for (head, x) in functional::linear(&hidden, &last, &last_bias).into_iter().enumerate() {
                let got = bias.values()[head * coordinates.len() + row];
                prop_assert!(ulp_error(got, 16.0 * functional::sigmoid(x)) <= EXACT_ULP);
            }
        }
    }

    #[test]
    fn decomposed_embeddings(
        queries in (1..6_usize, 1..6_usize), keys in (1..6_usize, 1..6_usize), rows in (1..14_usize, 1..14_usize),
        features in 1..6_usize, heads in 1..3_usize
    ) {
        let (tall, wide) = (random(1, rows.0 * features), random(2, rows.1 * features));
        let height = AxisEmbedding::new(&tall, features, [queries.0, keys.0]).unwrap();
        let width = AxisEmbedding::new(&wide, features, [queries.1, keys.1]).unwrap();
        for (axis, table, queries, keys) in [(&height, &tall, queries.0, keys.0), (&width, &wide, queries.1, keys.1)] {
            let wanted = 2 * queries.max(keys) - 1;
            prop_assert_eq!(axis.table().len(), wanted * features);
            for feature in 0..features {
                let column: Vec<f64> = table[feature..].iter().step_by(features).map(|&x| x.into()).collect();
                let want = oracle::resized(&column, wanted);
                let got = axis.table()[feature..].iter().step_by(features);
                prop_assert!(got.zip(want).all(|(&got, want)| (f64::from(got) - want).abs() <= 1e-7));
            }
            for query in 0..queries {
                for key in 0..keys {
                    prop_assert_eq!(axis.index(query, key), oracle::decomposed_row(query, key, queries, keys));
                }
            }
        }
        let bias = DecomposedBias::new(height.clone(), width.clone()).unwrap();
        let [lines, cells] = bias.size();
        let q = random(3, heads * lines * features);
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
        let want = |i: usize| {
            let (line, cell) = (i / cells, i % cells);
            let query = &q[line * features..][..features];
            let [qh, qw] = [line % lines / queries.1, line % lines % queries.1];
            let [kh, kw] = [cell / keys.1, cell % keys.1];
            (dot(height.row(qh, kh), query) + dot(width.row(qw, kw), query)) as f32
        };
        for level in crate::common::levels() {
            let mut scores = vec![0.0; heads * lines * cells];
            bias.clone().with_level(level).add(&mut scores, &q, heads).unwrap();
            let want: Vec<f32> = (0..scores.len()).map(want).collect();
            let near = |(got, want): (&f32, &f32)| (got - want).abs() <= 1e-6;
            prop_assert!(scores.iter().zip(&want).all(near), "{:?} {:?}", scores, want);
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_windows_are_serial_windows() {
    let window = Window::new([20, 21], WindowForm::WithClassToken).unwrap();
    let bias = WindowBias::new(window, &random(1, window.rows() * 3)).unwrap();
    crate::forms::parallel_is_serial(&bias, [421, 421], 0);

    let (tall, wide) = (random(1, 39 * 4), random(2, 41 * 4));
    let height = AxisEmbedding::new(&tall, 4, [20, 20]).unwrap();
    let width = AxisEmbedding::new(&wide, 4, [21, 21]).unwrap();
    let bias = DecomposedBias::new(height, width).unwrap();
    let q = random(3, 3 * 420 * 4);
    let mut serial = random(4, 3 * 420 * 420);
    let mut parallel = serial.clone();
    bias.add(&mut serial, &q, 3).unwrap();
    bias.par_add(&mut parallel, &q, 3).unwrap();
    assert_same(&parallel, &serial, "par_add");
}

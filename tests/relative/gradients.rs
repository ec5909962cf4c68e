//! Gradients: what a sum over scores hands back to the learned rows, by the identity that makes it the transpose of the
//! look-up: `⟨look-up(table), y⟩ = ⟨table, gradient(y)⟩`.
//! They stand apart because both sides are whole numbers, whose sums are exact in any order.

use posenc::{
    Alibi, AxisEmbedding, Clip, Cope, CopeLogits, DecomposedBias, DistanceBias, DistanceTable, ForgetGates,
    RelativeEmbedding, T5Bias, T5Buckets, T5Form, Window, WindowBias, WindowForm,
};
use posenc_oracle::functional;
use proptest::prelude::*;

use crate::{random, sizes, tried};

/// Small whole numbers.
fn whole(seed: u64, count: usize) -> Vec<f32> {
    random(seed, count).into_iter().map(|x| (x * 20.0).round()).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

/// The bias of all scores.
fn looked_up(bias: &impl DistanceBias, size: [usize; 2], first_query: usize) -> Vec<f32> {
    let mut scores = vec![0.0; bias.heads() * size[0] * size[1]];
    bias.write(&mut scores, size, first_query).unwrap();
    scores
}

proptest! {
    #![proptest_config(tried(100))]

    #[test]
    fn bucket_tables(
        bidirectional in any::<bool>(), count in 4..20_usize, heads in 1..4_usize, (size, first_query) in sizes()
    ) {
        let form = if bidirectional { T5Form::Bidirectional } else { T5Form::Causal };
        let table = whole(1, count * heads);
        let bias = T5Bias::new(T5Buckets::new(form, count, 2 * count).unwrap(), &table).unwrap();
        let y = whole(2, heads * size[0] * size[1]);
        let mut gradient = vec![0.0; table.len()];
        bias.table_gradient(&y, size, first_query, &mut gradient).unwrap();
        prop_assert_eq!(dot(&looked_up(&bias, size, first_query), &y), dot(&table, &gradient));
        // It adds to what is there, and takes any element type.
        let wide: Vec<f64> = y.iter().map(|&y| y.into()).collect();
        bias.table_gradient(&wide, size, first_query, &mut gradient).unwrap();
        prop_assert_eq!(2.0 * dot(&looked_up(&bias, size, first_query), &y), dot(&table, &gradient));
    }

    #[test]
    fn distance_tables(left in 0..20_usize, right in 0..20_usize, heads in 1..4_usize, (size, first_query) in sizes()) {
        let clip = Clip { left, right };
        let table = whole(1, clip.rows() * heads);
        let bias = DistanceTable::new(&table, clip).unwrap();
        let y = whole(2, heads * size[0] * size[1]);
        let mut gradient = vec![0.0; table.len()];
        bias.table_gradient(&y, size, first_query, &mut gradient).unwrap();
        prop_assert_eq!(dot(&looked_up(&bias, size, first_query), &y), dot(&table, &gradient));
    }

    /// Sums along the diagonals are the transpose of the sliding add, from the query and from the first key.
    #[test]
    fn diagonals(heads in 1..4_usize, key_only in any::<bool>(), (size, first_query) in sizes()) {
        let form = if key_only { posenc::AlibiForm::KeyOnly } else { posenc::AlibiForm::Causal };
        let slopes: Vec<f32> = (1..=heads).map(|slope| slope as f32).collect();
        let bias = Alibi::from_slopes(&slopes).unwrap().with_form(form);
        let y = whole(2, heads * size[0] * size[1]);
        let sums = bias.diagonal_sums(&y, size, first_query).unwrap();
        let windows: Vec<f32> =
            (0..heads).flat_map(|head| bias.diagonals(head, size, first_query).unwrap()).collect();
        let sums: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
        prop_assert_eq!(dot(&looked_up(&bias, size, first_query), &y), dot(&windows, &sums));
    }

    #[test]
    fn rows_of_embeddings(
        left in 0..9_usize, right in 0..9_usize, features in 1..9_usize, (size, first_query) in sizes()
    ) {
        let clip = Clip { left, right };
        let table = whole(1, clip.rows() * features);
        let embedding = RelativeEmbedding::new(table.clone(), clip, features).unwrap();
        let y = whole(2, size[0] * size[1] * features);
        let mut gradient = vec![0.0; table.len()];
        embedding.weights_gradient(&y, size, first_query, &mut gradient).unwrap();
        prop_assert_eq!(dot(&embedding.lookup(size, first_query).unwrap(), &y), dot(&table, &gradient));
    }

    /// The value side weighs rows as a look-up would.
    #[test]
    fn weighted_rows(left in 0..9_usize, right in 0..9_usize, features in 1..9_usize, (size, first_query) in sizes()) {
        let clip = Clip { left, right };
        let embedding = RelativeEmbedding::new(whole(1, clip.rows() * features), clip, features).unwrap();
        let weights = whole(2, size[0] * size[1]);
        let mut got = whole(3, size[0] * features);
        let mut want = got.clone();
        embedding.add_weighted(&mut got, &weights, size, first_query).unwrap();
        let rows = embedding.lookup(size, first_query).unwrap();
        for (cell, row) in rows.chunks_exact(features).enumerate() {
            let want = &mut want[cell / size[1] * features..][..features];
            want.iter_mut().zip(row).for_each(|(want, x)| *want += weights[cell] * x);
        }
        prop_assert_eq!(got, want);
    }

    #[test]
    fn window_tables(height in 1..5_usize, width in 1..5_usize, form in 0..3_usize, heads in 1..4_usize) {
        let form = [WindowForm::Signed, WindowForm::WithClassToken, WindowForm::Unsigned][form];
        let window = Window::new([height, width], form).unwrap();
        let (tokens, table) = (window.tokens(), whole(1, window.rows() * heads));
        let bias = WindowBias::new(window, &table).unwrap();
        let (y, mut scores) = (whole(2, heads * tokens * tokens), vec![0.0; heads * tokens * tokens]);
        bias.write(&mut scores, [tokens, tokens], 0).unwrap();
        let mut gradient = vec![0.0; table.len()];
        bias.table_gradient(&y, &mut gradient).unwrap();
        prop_assert_eq!(dot(&scores, &y), dot(&table, &gradient));
    }

    /// Both axes of a decomposed table.
    #[test]
    fn decomposed_tables(
        queries in (1..5_usize, 1..5_usize), keys in (1..5_usize, 1..5_usize), features in 1..5_usize, heads in 1..3_usize
    ) {
        let rows = |queries: usize, keys: usize| 2 * queries.max(keys) - 1;
        let tall = whole(1, rows(queries.0, keys.0) * features);
        let wide = whole(2, rows(queries.1, keys.1) * features);
        let height = AxisEmbedding::new(&tall, features, [queries.0, keys.0]).unwrap();
        let width = AxisEmbedding::new(&wide, features, [queries.1, keys.1]).unwrap();
        let bias = DecomposedBias::new(height, width).unwrap();
        let [lines, cells] = bias.size();
        let (q, y) = (whole(3, heads * lines * features), whole(4, heads * lines * cells));
        let mut scores = vec![0.0; y.len()];
        bias.add(&mut scores, &q, heads).unwrap();
        let (mut of_height, mut of_width) = (vec![0.0; tall.len()], vec![0.0; wide.len()]);
        bias.tables_gradient(&y, &q, heads, [&mut of_height, &mut of_width]).unwrap();
        prop_assert_eq!(dot(&scores, &y), dot(&tall, &of_height) + dot(&wide, &of_width));
    }

    /// The bias is not linear in the logits: its slope, from a small step of each.
    #[test]
    fn logits_of_gates(heads in 1..3_usize, (size, first_query) in sizes(), place in any::<u16>()) {
        let tokens = (first_query + size[0]).max(size[1]);
        prop_assume!(tokens > 0);
        let logits = random(1, heads * tokens);
        let y: Vec<f64> = whole(2, heads * size[0] * size[1]).into_iter().map(f64::from).collect();
        let gates = ForgetGates::new(&logits, heads).unwrap();
        let mut gradient = vec![0.0; logits.len()];
        gates.logits_gradient(&y, size, first_query, &logits, &mut gradient).unwrap();
        let at = usize::from(place) % logits.len();
        let (head, token) = (at / tokens, at % tokens);
        let mut want = 0.0;
        for (i, y) in y.iter().enumerate().skip(head * size[0] * size[1]).take(size[0] * size[1]) {
            let (query, key) = (first_query + i / size[1] % size[0], i % size[1]);
            // d ln σ(f)/df = σ(−f), for each gate between.
            if (key + 1..=query).contains(&token) {
                want += y * functional::sigmoid(-f64::from(logits[at]));
            }
        }
        prop_assert!((f64::from(gradient[at]) - want).abs() <= 1e-6 * want.abs().max(1.0), "{} {}", gradient[at], want);
    }

    /// Positions lie between whole ones here, so both sides are rounded.
    #[test]
    fn logits_of_contextual_positions(heads in 1..4_usize, positions in 1..6_usize, (size, first_query) in sizes()) {
        prop_assume!(size[0] > 0);
        let (gates, logits) = (random(1, heads * size[0] * size[1]), whole(2, heads * size[0] * positions));
        let given = CopeLogits { gates: &gates, positions: &logits, heads, size, first_query };
        let cope = Cope::new(given).unwrap();
        let (y, mut scores) = (whole(3, gates.len()), vec![0.0; gates.len()]);
        cope.write(&mut scores, size, first_query).unwrap();
        let mut gradient = vec![0.0; logits.len()];
        cope.positions_gradient(&y, &mut gradient).unwrap();
        let (forward, backward) = (dot(&scores, &y), dot(&logits, &gradient));
        let scale: f64 = scores.iter().zip(&y).map(|(a, b)| f64::from((a * b).abs())).sum();
        prop_assert!((forward - backward).abs() <= 1e-6 * (scale + 20.0 * y.len() as f64), "{} {}", forward, backward);
    }

    /// The slope of the bias, from a small step of each gate. No position lies next to a whole one, where it has two.
    #[test]
    fn gates_of_contextual_positions(
        heads in 1..3_usize, positions in 1..6_usize, (size, first_query) in sizes(), place in any::<u16>(),
        seed in any::<u16>()
    ) {
        const STEP: f64 = 1.0 / (1 << 20) as f64;
        prop_assume!(size[0] > 0 && size[1] > 0);
        let (gates, logits) = (random(seed.into(), heads * size[0] * size[1]), random(2, heads * size[0] * positions));
        let y = whole(3, gates.len());
        let cope = Cope::new(CopeLogits { gates: &gates, positions: &logits, heads, size, first_query }).unwrap();
        let mut gradient = vec![0.0; gates.len()];
        cope.gates_gradient(&y, &mut gradient).unwrap();
        let at = usize::from(place) % gates.len();
        let (line, query) = (at / size[1], first_query + at / size[1] % size[0]);
        // Keys after the query are at position 0, whatever their gates are.
        let keys = size[1].min(query + 1);
        let loss = |by: f64| -> f64 {
            let mut gates = gates[line * size[1]..][..size[1]].to_vec();
            gates[at % size[1]] = (f64::from(gates[at % size[1]]) + by) as f32;
            let logits = &logits[line * positions..][..positions];
            let places = (0..keys).map(|key| functional::cope_position(&gates, query, key, positions - 1));
            places.zip(&y[line * size[1]..]).map(|(place, &y)| functional::between(logits, place) * f64::from(y)).sum()
        };
        let line_gates = &gates[line * size[1]..][..size[1]];
        let is_whole = |key| {
            let place = functional::cope_position(line_gates, query, key, usize::MAX);
            (place - place.round()).abs() < 1e-4
        };
        prop_assume!(!(0..keys).any(is_whole));
        let want = (loss(STEP) - loss(-STEP)) / (2.0 * STEP);
        let error = (f64::from(gradient[at]) - want).abs();
        prop_assert!(error <= 1e-6 * want.abs() + 1e-6, "{}, not {}", gradient[at], want);
    }
}

//! Each bias against the oracle's formula of it, and all its forms against each other.
//! They stand apart because the oracle asks for one score at a time.

use posenc::{
    Alibi, AlibiForm, AlibiRounding, Clip, Cope, CopeLogits, DistanceBias, DistanceScale, DistanceTable, Fire,
    FireWeights, ForgetGates, GatedBias, Kerple, KerpleForm, Mlp, Sandwich, T5Bias, T5Buckets, T5Form, Window,
    WindowBias, WindowForm, dynamic_bias, wavlm_gate,
};
use posenc_oracle::relative::clipped_index;
use posenc_oracle::tolerance::EXACT_ULP;
use posenc_oracle::ulp::ulp_error;
use posenc_oracle::{buckets, functional as oracle};
use proptest::prelude::*;

use crate::forms::{ByDistance, Forms, all_forms_agree, whole, wrong_lengths_are_refused};
use crate::{random, sizes, tried};

/// What f64 may lose where terms cancel, relative to the largest term.
const CANCELLED: f64 = 1e-12;

/// Every score must be the oracle's, rounded once; `scale` is the size of the largest term of its sums.
pub(crate) fn assert_values(
    bias: &impl Forms,
    size: [usize; 2],
    first_query: usize,
    scale: f64,
    want: impl Fn(usize, usize, usize) -> f64,
) {
    let [queries, keys] = size;
    for (i, got) in whole(bias, size, first_query).into_iter().enumerate() {
        let (head, query, key) = (i / (queries * keys), first_query + i / keys % queries, i % keys);
        let want = want(head, query, key);
        let near = (f64::from(got) - want).abs() <= CANCELLED * scale || ulp_error(got, want) <= EXACT_ULP;
        assert!(near, "head {head}, query {query}, key {key}: {got:e}, not {want:e}");
    }
}

fn distance(query: usize, key: usize) -> i64 {
    key as i64 - query as i64
}

/// T5 buckets of any parameters, with a table whose values all differ.
fn t5s() -> impl Strategy<Value = (T5Bias, bool, u32, u32, Vec<f32>)> {
    (any::<bool>(), 4..40_u32, 1..300_u32, 1..4_usize).prop_map(|(bidirectional, buckets, beyond, heads)| {
        let form = if bidirectional { T5Form::Bidirectional } else { T5Form::Causal };
        let side = if bidirectional { buckets / 2 } else { buckets };
        let max_distance = side / 2 + beyond;
        let table = random(5, buckets as usize * heads);
        let made = T5Buckets::new(form, buckets as usize, max_distance as usize).unwrap();
        (T5Bias::new(made, &table).unwrap(), bidirectional, buckets, max_distance, table)
    })
}

fn kerples() -> impl Strategy<Value = (Kerple, KerpleForm, Vec<f32>, Vec<f32>)> {
    let form = prop_oneof![Just(KerpleForm::Logarithmic), Just(KerpleForm::Power)];
    (form, prop::collection::vec((0.01_f32..4.0, 0.01_f32..2.0), 1..4)).prop_map(|(form, parameters)| {
        let (r1, r2): (Vec<f32>, Vec<f32>) = parameters.into_iter().unzip();
        (Kerple::new(form, &r1, &r2).unwrap(), form, r1, r2)
    })
}

proptest! {
    #![proptest_config(tried(60))]

    #[test]
    fn t5_biases(case in t5s(), (size, first_query) in sizes(), cut in any::<u16>()) {
        let (bias, bidirectional, buckets, max_distance, table) = case;
        let (heads, bias) = (bias.heads(), ByDistance::new(bias));
        assert_values(&bias, size, first_query, 0.0, |head, query, key| {
            let bucket = buckets::t5(distance(query, key), bidirectional, buckets, max_distance);
            table[bucket as usize * heads + head].into()
        });
        all_forms_agree(&bias, size, first_query, cut.into());
    }

    #[test]
    fn kerple_biases(case in kerples(), (size, first_query) in sizes(), cut in any::<u16>()) {
        let (bias, form, r1, r2) = case;
        let bias = ByDistance::new(bias);
        let value = match form {
            KerpleForm::Logarithmic => oracle::kerple_log,
            KerpleForm::Power => oracle::kerple_power,
        };
        assert_values(&bias, size, first_query, 0.0, |head, query, key| {
            value(distance(query, key), r1[head].into(), r2[head].into())
        });
        all_forms_agree(&bias, size, first_query, cut.into());
    }

    #[test]
    fn sandwich_biases(
        heads in 1..4_usize, half in 1..20_usize, (size, first_query) in sizes(), cut in any::<u16>()
    ) {
        let bias = ByDistance::new(Sandwich::new(heads, 2 * half, 140).unwrap());
        assert_values(&bias, size, first_query, half as f64 * heads as f64, |head, query, key| {
            oracle::sandwich(distance(query, key), 2 * half, head, heads)
        });
        all_forms_agree(&bias, size, first_query, cut.into());
    }

    #[test]
    fn tables_of_distances(
        left in 0..20_usize, right in 0..20_usize, heads in 1..4_usize, (size, first_query) in sizes(), cut in any::<u16>()
    ) {
        let clip = Clip { left, right };
        let weights = random(8, clip.rows() * heads);
        let bias = ByDistance::new(DistanceTable::new(&weights, clip).unwrap());
        assert_values(&bias, size, first_query, 0.0, |head, query, key| {
            weights[clipped_index(distance(query, key), left as u32, right as u32) * heads + head].into()
        });
        all_forms_agree(&bias, size, first_query, cut.into());
    }

    #[test]
    fn alibi_biases(heads in 1..13_usize, kind in 0..6_usize, (size, first_query) in sizes(), cut in any::<u16>()) {
        let form = [AlibiForm::Causal, AlibiForm::Symmetric, AlibiForm::KeyOnly][kind % 3];
        let rounding = [AlibiRounding::Single, AlibiRounding::Bf16][kind / 3];
        let alibi = Alibi::new(heads).unwrap().with_form(form).with_rounding(rounding);
        all_forms_agree(&ByDistance::new(alibi), size, first_query, cut.into());
    }

    /// Positions in any order: each score takes the value of its own distance.
    #[test]
    fn biases_at_positions(
        queries in prop::collection::vec(-60..60_i64, 0..9), keys in prop::collection::vec(-60..60_i64, 0..70),
        key_only in any::<bool>()
    ) {
        let form = if key_only { AlibiForm::KeyOnly } else { AlibiForm::Symmetric };
        let bias = Alibi::new(3).unwrap().with_form(form);
        let mut scores = random(1, 3 * queries.len() * keys.len());
        let before = scores.clone();
        bias.add_at(&mut scores, &queries, &keys).unwrap();
        for (i, (after, before)) in scores.iter().zip(before).enumerate() {
            let (head, line) = (i / (queries.len() * keys.len()), i / keys.len() % queries.len());
            let distance = keys[i % keys.len()] - if key_only { 0 } else { queries[line] };
            prop_assert_eq!(*after, before + bias.value(head, distance));
        }
        // Positions that follow one another are those of the other forms.
        let (queries, keys): (Vec<i64>, Vec<i64>) = ((5..9).collect(), (0..20).collect());
        let (mut by_position, mut by_order) = (random(2, 3 * 4 * 20), random(2, 3 * 4 * 20));
        bias.add_at(&mut by_position, &queries, &keys).unwrap();
        bias.add(&mut by_order, [4, 20], 5).unwrap();
        prop_assert_eq!(by_position, by_order);
    }

    #[test]
    fn tabulated_biases_are_the_biases(case in kerples(), (size, first_query) in sizes(), cut in any::<u16>()) {
        let table = case.0.tabulated(-140..=140).unwrap();
        let (table, bias) = (ByDistance::new(table), ByDistance::new(case.0));
        assert_eq!(whole(&table, size, first_query), whole(&bias, size, first_query));
        all_forms_agree(&table, size, first_query, cut.into());
    }

    #[test]
    fn dynamic_biases(
        logarithmic in any::<bool>(), width in 1..9_usize, heads in 1..4_usize, (size, first_query) in sizes(),
        cut in any::<u16>()
    ) {
        let (first, first_bias) = (random(1, width), random(2, width));
        let (gain, shift) = (random(3, width), random(4, width));
        let (second, second_bias) = (random(5, width * width), random(6, width));
        let (last, last_bias) = (random(7, heads * width), random(8, heads));
        let network = Mlp::new(1).unwrap().linear(&first, &first_bias).unwrap();
        let network = network.layer_norm(1e-5, &gain, &shift).unwrap().silu();
        let network = network.linear(&second, &second_bias).unwrap().silu().linear(&last, &last_bias).unwrap();
        let scale = if logarithmic { DistanceScale::Logarithmic } else { DistanceScale::Linear };
        let bias = ByDistance::new(dynamic_bias(&network, scale, -140..=140).unwrap());
        let silu = |x: &Vec<f64>| x.iter().map(|x| x * oracle::sigmoid(*x)).collect::<Vec<f64>>();
        let wide = |x: &[f32]| x.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
        assert_values(&bias, size, first_query, 100.0, |head, query, key| {
            let distance = -distance(query, key) as f64;
            let input = if logarithmic { distance.signum() * (distance.abs() + 1.0).ln() } else { distance };
            let input = if distance == 0.0 { 0.0 } else { input };
            let hidden = oracle::linear(&[input], &first, &first_bias);
            let hidden = posenc_oracle::relative::affine_layer_norm(&hidden, 1e-5, &wide(&gain), &wide(&shift));
            let hidden = silu(&oracle::linear(&silu(&hidden), &second, &second_bias));
            oracle::linear(&hidden, &last, &last_bias)[head]
        });
        all_forms_agree(&bias, size, first_query, cut.into());
    }

    #[test]
    fn fire_biases(
        units in 1..12_usize, heads in 1..4_usize, c in -2.0_f32..2.0, threshold in -80.0_f32..80.0,
        (size, first_query) in sizes(), cut in any::<u16>()
    ) {
        let (hidden, hidden_bias) = (random(1, units), random(2, units));
        let (output, output_bias) = (random(3, heads * units), random(4, heads));
        let weights = FireWeights {
            hidden: &hidden, hidden_bias: &hidden_bias, output: &output, output_bias: &output_bias, c, threshold,
        };
        let fire = Fire::new(weights, 140).unwrap();
        assert_values(&fire, size, first_query, 100.0, |head, query, key| {
            let input = oracle::fire_input(query as i64, key as i64, c.into(), threshold.into());
            oracle::rectified(input, &hidden, &hidden_bias, &output[head * units..][..units], output_bias[head])
        });
        all_forms_agree(&fire, size, first_query, cut.into());
    }

    #[test]
    fn forget_gates(heads in 1..4_usize, (size, first_query) in sizes(), cut in any::<u16>()) {
        let tokens = (first_query + size[0]).max(size[1]);
        let logits: Vec<f32> = random(1, heads * tokens).iter().map(|x| 4.0 * x + 1.0).collect();
        let gates = (ForgetGates::new(&logits, heads).unwrap(), heads);
        if tokens == 0 {
            return Ok(());
        }
        assert_values(&gates, size, first_query, tokens as f64 * 4.0, |head, query, key| {
            let logits = &logits[head * tokens..][..tokens];
            if key <= query { oracle::forget(logits, query, key) } else { -oracle::forget(logits, key, query) }
        });
        all_forms_agree(&gates, size, first_query, cut.into());
    }

    #[test]
    fn contextual_positions(
        heads in 1..4_usize, positions in 1..9_usize, (size, first_query) in sizes(), cut in any::<u16>()
    ) {
        prop_assume!(size[0] > 0);
        let gates: Vec<f32> = random(1, heads * size[0] * size[1]).iter().map(|x| 3.0 * x).collect();
        let logits = random(2, heads * size[0] * positions);
        let given = CopeLogits { gates: &gates, positions: &logits, heads, size, first_query };
        let cope = (Cope::new(given).unwrap(), heads);
        assert_values(&cope, size, first_query, 100.0, |head, query, key| {
            let line = head * size[0] + query - first_query;
            let position = oracle::cope_position(&gates[line * size[1]..][..size[1]], query, key, positions - 1);
            oracle::between(&logits[line * positions..][..positions], position)
        });
        all_forms_agree(&cope, size, first_query, cut.into());
    }

    #[test]
    fn gated_biases(heads in 1..4_usize, (size, first_query) in sizes(), cut in any::<u16>()) {
        let inputs = random(1, 3 * heads * size[0]);
        let gates: Vec<f32> = inputs.chunks_exact(3).map(|x| wavlm_gate(x[0], x[1], x[2])).collect();
        for (gate, x) in gates.iter().zip(inputs.chunks_exact(3)) {
            let [a, b, constant] = [x[0], x[1], x[2]].map(f64::from);
            let want = oracle::sigmoid(a) * (oracle::sigmoid(b) * constant - 1.0) + 2.0;
            prop_assert!(ulp_error(*gate, want) <= EXACT_ULP);
        }
        let alibi = Alibi::new(heads).unwrap().with_form(AlibiForm::Symmetric);
        let gated = (GatedBias::new(&alibi, &gates, first_query).unwrap(), heads);
        let plain = whole(&ByDistance::new(alibi.clone()), size, first_query);
        for ((got, plain), row) in whole(&gated, size, first_query).iter().zip(plain).zip(0..) {
            prop_assert_eq!(*got, plain * gates[row / size[1]]);
        }
        all_forms_agree(&gated, size, first_query, cut.into());
    }
}

/// A T5 bias of three heads.
fn t5() -> ByDistance<T5Bias> {
    let buckets = T5Buckets::new(T5Form::Bidirectional, 32, 128).unwrap();
    ByDistance::new(T5Bias::new(buckets, &random(3, 32 * 3)).unwrap())
}

/// A FIRE bias of three heads for far distances, whose queries stop to be alike after 100.
fn fire() -> Fire {
    let weights = FireWeights {
        hidden: &random(1, 5),
        hidden_bias: &random(2, 5),
        output: &random(3, 15),
        output_bias: &random(4, 3),
        c: 0.1,
        threshold: 100.5,
    };
    Fire::new(weights, 1 << 18).unwrap()
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_forms_are_serial_forms() {
    use crate::forms::parallel_is_serial;

    for size in [[433, 421], [1, 190_000], [8001, 23]] {
        parallel_is_serial(&t5(), size, 5);
        let positions = |count: usize| (0..count as i64).map(|x| x * 7919 % 1009).collect::<Vec<_>>();
        let (queries, keys) = (positions(size[0]), positions(size[1]));
        let mut serial = random(3, 3 * size[0] * size[1]);
        let mut parallel = serial.clone();
        t5().0.add_at(&mut serial, &queries, &keys).unwrap();
        t5().0.par_add_at(&mut parallel, &queries, &keys).unwrap();
        assert_eq!(parallel, serial);
        parallel_is_serial(&ByDistance::new(Alibi::new(3).unwrap().with_form(AlibiForm::KeyOnly)), size, 5);
        let tokens = size[1].max(size[0] + 5);
        let gates = (ForgetGates::new(&random(2, 3 * tokens), 3).unwrap(), 3);
        parallel_is_serial(&gates, size, 5);
    }
    parallel_is_serial(&fire(), [433, 421], 5);
    let (gates, positions) = (random(1, 3 * 433 * 421), random(2, 3 * 433 * 4));
    let logits = CopeLogits { gates: &gates, positions: &positions, heads: 3, size: [433, 421], first_query: 5 };
    parallel_is_serial(&(Cope::new(logits).unwrap(), 3), [433, 421], 5);
    let alibi = Alibi::new(3).unwrap();
    parallel_is_serial(&(GatedBias::new(&alibi, &positions[..3 * 433], 5).unwrap(), 3), [433, 421], 5);
}

/// Rows that are made in pieces when they come alone, and as one window when there are two.
#[test]
fn long_rows_alone_are_rows_of_a_block() {
    for keys in [511, 512, 513, 1100, 1537] {
        let (size, first_query) = ([2, keys], keys / 2);
        all_forms_agree(&t5(), size, first_query, 1);
        all_forms_agree(&fire(), size, first_query, 1);
        let kerple = Kerple::new(KerpleForm::Power, &[0.5, 0.25], &[0.5, 1.5]).unwrap();
        all_forms_agree(&ByDistance::new(kerple), size, first_query, 1);
        let gates = random(2, 3 * size[0]);
        for form in [AlibiForm::Causal, AlibiForm::Symmetric, AlibiForm::KeyOnly] {
            let alibi = Alibi::new(3).unwrap().with_form(form);
            all_forms_agree(&(GatedBias::new(&alibi, &gates, first_query).unwrap(), 3), size, first_query, 1);
            all_forms_agree(&ByDistance::new(alibi), size, first_query, 1);
        }
        all_forms_agree(&(ForgetGates::new(&random(2, 3 * keys), 3).unwrap(), 3), size, first_query, 1);
        let (gates, positions) = (random(1, 3 * 2 * keys), random(2, 3 * 2 * 9));
        let logits = CopeLogits { gates: &gates, positions: &positions, heads: 3, size, first_query };
        all_forms_agree(&(Cope::new(logits).unwrap(), 3), size, first_query, 1);
    }
    let window = Window::new([25, 24], WindowForm::WithClassToken).unwrap();
    let table = random(1, window.rows() * 2);
    let bias = WindowBias::new(window, &table).unwrap();
    assert_values(&bias, [3, 601], 300, 0.0, |head, query, key| {
        table[posenc_oracle::windows::beit([25, 24], query, key) * 2 + head].into()
    });
}

#[test]
fn scores_of_another_size_are_refused() {
    wrong_lengths_are_refused(&t5(), [3, 5], 2);
    wrong_lengths_are_refused(&fire(), [3, 5], 2);
    wrong_lengths_are_refused(&(ForgetGates::new(&random(1, 18), 3).unwrap(), 3), [3, 5], 2);
}

//! Packed sequences, packed queries, keys and values, and weights in the order of another pairing.

use posenc::{Axis, Frequencies, HeadsMut, PairOrder, Pairing, Positions, Rotary};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::GOLDEN_VALUE;

use crate::{Case, assert_near, check_all, common, golden, pairing};

/// Rotates the input of a case at all levels and compares.
fn check<const N: usize>(case: &Case, rotate: impl Fn(&Rotary, &mut [f32], [usize; N])) {
    let shape: [usize; N] = case.shape("/shape");
    let input = golden_inputs(case.count("/x_seed") as u64, shape.iter().product());
    let frequencies = Frequencies::from_inv_freq(&case.singles("/inv_freq_f32")).unwrap();
    let rope = Rotary::new(&frequencies, pairing(case.text("/layout")));
    for level in common::levels() {
        let mut got = input.clone();
        rotate(&rope.clone().with_level(level), &mut got, shape);
        assert_near(&format!("{} at {level}", case.id()), &got, &case.numbers("/expect/y_exact"), GOLDEN_VALUE);
    }
}

#[test]
fn packed_sequences_and_packed_rows_turn_as_the_convention_says() {
    check_all(&golden!("rope_packed"), &[("weight row", "permutations are the next test")], |case| {
        if case.get("/cu_seqlens").is_some() {
            let bounds = case.integers("/cu_seqlens");
            let narrow: Vec<i32> = bounds.iter().map(|&bound| bound as i32).collect();
            let ids = case.integers("/positions");
            let wide: Vec<usize> = bounds.iter().map(|&bound| bound as usize).collect();
            for positions in [Positions::packed(&narrow), Positions::packed(&wide), Positions::ids(&ids)] {
                check(case, |rope, data, shape| {
                    rope.rotate(&mut HeadsMut::new(data, shape).unwrap(), &positions).unwrap();
                });
            }
        } else {
            let rotated = case.count("/num_q_heads") + case.count("/num_kv_heads");
            check(case, |rope, data, shape| {
                let mut rows = HeadsMut::token_major(data, shape).unwrap();
                let mut heads = rows.narrow(Axis::Head, 0..rotated).unwrap();
                rope.rotate(&mut heads, &Positions::from(0)).unwrap();
            });
        }
    });
}

#[test]
fn weight_rows_are_permuted_as_converters_do() {
    let others = [("thd", "not weights"), ("packed", "not weights")];
    check_all(&golden!("rope_packed"), &others, |case| {
        let (heads, dim, width) = (case.count("/num_heads"), case.count("/head_dim"), case.count("/rotary_dim"));
        let order = PairOrder::new(heads, dim, 0..width).unwrap();
        for (path, from, to) in [
            ("/expect/perm_interleaved_to_half", Pairing::Interleaved, Pairing::Halves),
            ("/expect/perm_half_to_interleaved", Pairing::Halves, Pairing::Interleaved),
        ] {
            let want = case.integers(path);
            let rows: Vec<i64> = (0..(heads * dim) as i64).collect();
            let mut got = rows.clone();
            order.permute(&mut got, 1, from, to).unwrap();
            assert_eq!(got, want, "{}", case.id());
            // Rows of three columns move as rows.
            let wide: Vec<i64> = rows.iter().flat_map(|&row| [row, row, row]).collect();
            let mut out = vec![-1; wide.len()];
            order.permute_into(&wide, &mut out, 3, from, to).unwrap();
            assert_eq!(out, want.iter().flat_map(|&row| [row, row, row]).collect::<Vec<_>>(), "{}", case.id());
        }
    });
}

//! Keys that were turned already and are moved to other positions.

use posenc::{Frequencies, HeadsMut, Positions, Rotary};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::GOLDEN_VALUE;

use crate::{assert_near, check_all, common, golden, pairing};

#[test]
fn moved_keys_are_those_of_the_new_position() {
    check_all(&golden!("rope_reposition"), &[], |case| {
        let shape: [usize; 4] = case.shape("/shape");
        let keys = golden_inputs(case.count("/k_seed") as u64, shape.iter().product());
        let frequencies = Frequencies::from_inv_freq(&case.singles("/inv_freq_f32")).unwrap();
        let frequencies = frequencies.with_magnitude(case.number("/attention_factor")).unwrap();
        let (positions, deltas) = (case.integers("/positions"), case.integers("/delta"));
        for level in common::levels() {
            let rope = Rotary::new(&frequencies, pairing(case.text("/layout"))).with_level(level);
            let mut got = keys.clone();
            let mut turn = |rope: &Rotary, ids: &[i64], want: &str| {
                let mut view = HeadsMut::head_major(&mut got, shape).unwrap();
                rope.rotate(&mut view, &Positions::ids(ids)).unwrap();
                assert_near(&format!("{want} of {} at {level}", case.id()), &got, &case.numbers(want), GOLDEN_VALUE);
            };
            turn(&rope, &positions, "/expect/k_cached_exact");
            turn(&rope.repositioning().unwrap(), &deltas, "/expect/k_shifted_exact");
        }
    });
}

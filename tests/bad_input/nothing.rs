//! Nothing to do is done: zero of anything is no error, however many there would be of the rest.
//! They stand apart because they are the one kind of odd input that is not refused.

use posenc::{
    Alibi, Clip, DistanceBias, Frequencies, HeadsMut, Pairing, Positions, Precision, RelativeEmbedding, Rotary,
    Sinusoidal, TableBuilder,
};

use super::laws::bits::{assert_same, guards};
use super::refusals::{self, Careless};
use super::{HUGE, rope};

#[test]
fn views_without_elements_are_left_alone() {
    // Zero of anything, however many there would be of the others.
    for zero in 0..4 {
        for others in [1, 7, 1 << 33, HUGE / 2, HUGE] {
            let mut sizes = [others; 4];
            sizes[zero] = 0;
            let careless = Careless {
                sizes,
                strides: [others; 3],
                len: 0,
                ids: vec![],
                places: vec![],
                axes: 2,
                pairs: 0,
                start: 0,
            };
            refusals::a_careless_rotation_stays_in_its_heads(&careless);
            refusals::a_careless_view_is_whole_or_refused(&careless);
            refusals::a_careless_addition_is_whole_or_refused(&careless);
            refusals::a_careless_pair_is_whole_or_refused(&careless);
            for start in [0, 1, others / 2, others] {
                refusals::a_careless_cut_keeps_all_entries(&Careless { start, ..careless.clone() });
            }
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
        assert_eq!(embedding.lookup(size, 1), Ok(vec![]));
        assert_eq!(embedding.add::<f32>(&mut [], size, 1), Ok(()));
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

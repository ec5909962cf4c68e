//! Rotations refuse shapes, ids and positions, and leave the heads alone.
//! They stand apart because each refusal is tried serially and on threads.

use posenc::{Error, Frequencies, Heads, HeadsMut, Pairing, Positions, Rotary, Shape, Tables};

use super::{HUGE, LIMIT, length, refused, refused_untouched, rope};

#[test]
fn rotations_elsewhere_refuse_other_shapes() {
    let source = [0.5_f32; 48];
    let shape = |heads, dim| Shape { batch: 1, tokens: 3, heads, dim };
    refused_untouched(48, Error::Shape { expected: shape(2, 8), found: shape(1, 16) }, |data| {
        let from = Heads::new(&source, [3, 2, 8])?;
        rope().rotate_into(&from, &mut HeadsMut::new(data, [3, 1, 16])?, &Positions::from(0))
    });
    let tokens = |tokens| Shape { batch: 1, tokens, heads: 2, dim: 8 };
    refused_untouched(48, Error::Shape { expected: tokens(2), found: tokens(3) }, |keys| {
        let mut queries = [0.5; 32];
        let result = rope().rotate_both(
            &mut HeadsMut::new(&mut queries, [2, 2, 8])?,
            &mut HeadsMut::new(keys, [3, 2, 8])?,
            &Positions::from(0),
        );
        assert_eq!(queries, [0.5; 32]);
        result
    });
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

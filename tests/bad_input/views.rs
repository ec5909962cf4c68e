//! Views refuse lengths, overlaps and cuts.
//! They stand apart because a view is refused before there is anything to rotate.

use posenc::{Error, Heads, HeadsMut, Positions, Shape, Strides};

use super::{HUGE, count, length, refused, rope, too_large};

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

#[test]
fn views_refuse_cuts_beyond_their_outer_axis() {
    let mut data = [0.0_f32; 48];
    let beyond = |found| count("split", "an entry of the outer axis", found);
    let single = |found| count("split", "an axis of more than one entry", found);
    for index in [4, HUGE] {
        refused(HeadsMut::new(&mut data, [3, 2, 8]).unwrap().split_at(index), beyond(index));
        refused(Heads::head_major(&data, [1, 3, 2, 8]).unwrap().split_at(index), beyond(index));
    }
    for index in [0, 1, HUGE] {
        refused(HeadsMut::new(&mut data, [1, 1, 48]).unwrap().split_at(index), single(index));
    }
    for index in 0..=3 {
        let (left, right) = HeadsMut::new(&mut data, [3, 2, 8]).unwrap().split_at(index).unwrap();
        assert_eq!((left.shape().tokens, right.shape().tokens), (index, 3 - index));
    }
}

/// The stride of an axis with one entry is never used, whatever it is, and no row beyond that entry is looked for.
#[test]
fn strides_of_single_entries_may_be_of_any_size() {
    let rope = rope();
    // More than stays near, so that rows are asked for ahead.
    let (heads, dim) = (400, 64);
    let mut want = vec![0.5_f32; heads * dim];
    rope.rotate(&mut HeadsMut::new(&mut want, [1, heads, dim]).unwrap(), &Positions::from(3)).unwrap();
    for huge in [HUGE, HUGE / 2 + 7] {
        let mut data = vec![0.5_f32; heads * dim];
        let strides = Strides { batch: huge, token: huge, head: dim };
        let shape = Shape { batch: 1, tokens: 1, heads, dim };
        rope.rotate(&mut HeadsMut::strided(&mut data, shape, strides).unwrap(), &Positions::from(3)).unwrap();
        assert_eq!(data, want);
        // As one head of many tokens, the other axis is the single one.
        let strides = Strides { batch: huge, token: dim, head: huge };
        let shape = Shape { batch: 1, tokens: heads, heads: 1, dim };
        let ids = vec![3_usize; heads];
        let mut data = vec![0.5_f32; heads * dim];
        rope.rotate(&mut HeadsMut::strided(&mut data, shape, strides).unwrap(), &Positions::ids(&ids)).unwrap();
        assert_eq!(data, want);
    }
}

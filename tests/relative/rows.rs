//! Learned rows of every element type, at every level, serial and parallel, and in a look-up for one query.
//! They stand apart because each cell of queries and keys has features here.

use posenc::{Clip, RelativeEmbedding};
use posenc_oracle::relative::clipped_index;
use proptest::prelude::*;

use crate::stored::{Stored, assert_same, elements};
use crate::{random, sizes, tried};

fn check<T: Stored>(embedding: &RelativeEmbedding, size: [usize; 2], first_query: usize) {
    let (clip, features) = (embedding.clip(), embedding.features());
    let before = elements::<T>(3, size[0] * size[1] * features);
    let (mut sums, mut rows) = (before.clone(), vec![]);
    for (cell, sums) in sums.chunks_exact_mut(features).enumerate() {
        let distance = (cell % size[1]) as i64 - (first_query + cell / size[1]) as i64;
        let index = clipped_index(distance, clip.left as u32, clip.right as u32);
        let row = &embedding.weights()[index * features..][..features];
        sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum = sum.plus(x));
        rows.extend(row.iter().map(|&x| T::of(-0.0).plus(x)));
    }
    for level in crate::common::levels() {
        let embedding = embedding.clone().with_level(level);
        let (mut added, mut looked_up) = (before.clone(), before.clone());
        embedding.add(&mut added, size, first_query).unwrap();
        embedding.lookup_into(&mut looked_up, size, first_query).unwrap();
        assert_same(&added, &sums, "added");
        assert_same(&looked_up, &rows, "looked up");
    }
}

proptest! {
    #![proptest_config(tried(60))]

    #[test]
    fn rows_are_added_and_looked_up(
        left in 0..9_usize, right in 0..9_usize, features in 1..40_usize, (size, first_query) in sizes()
    ) {
        let clip = Clip { left, right };
        let embedding = RelativeEmbedding::new(random(1, clip.rows() * features), clip, features).unwrap();
        check::<f32>(&embedding, size, first_query);
        check::<f64>(&embedding, size, first_query);
        #[cfg(feature = "half")]
        check::<half::f16>(&embedding, size, first_query);
        #[cfg(feature = "half")]
        check::<half::bf16>(&embedding, size, first_query);
    }
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_rows_are_serial_rows() {
    let (clip, size) = (Clip { left: 60, right: 30 }, [101, 103]);
    let embedding = RelativeEmbedding::new(random(1, clip.rows() * 65), clip, 65).unwrap();
    let before = random(2, 101 * 103 * 65);
    let [mut serial, mut parallel, mut rows, mut parallel_rows] = [(); 4].map(|()| before.clone());
    embedding.add(&mut serial, size, 7).unwrap();
    embedding.par_add(&mut parallel, size, 7).unwrap();
    embedding.lookup_into(&mut rows, size, 7).unwrap();
    embedding.par_lookup_into(&mut parallel_rows, size, 7).unwrap();
    assert_same(&parallel, &serial, "par_add");
    assert_same(&parallel_rows, &rows, "par_lookup_into");
}

//! Rows of grids: each is its parts side by side, whatever is done with it.

use posenc::{AxialEmbedding, Blocks, EmbeddingTable};
use proptest::prelude::*;

use crate::common::levels;
use crate::support::{Kind, Number, assert_same, for_every_kind, numbers, scales};
use crate::tried;

/// Sizes of three axes, the features of four parts, two of them of the last axis, and a scale.
type Case = ([usize; 3], [usize; 4], f64);

const AXES: [usize; 4] = [2, 0, 1, 2];

fn cases() -> impl Strategy<Value = Case> {
    ([1..4_usize, 1..5_usize, 1..9_usize], [1..9_usize, 1..9_usize, 1..9_usize, 1..9_usize], scales())
}

fn rows_are_their_parts<S: Kind, T: Kind<Work = S::Work> + posenc::AddTarget<S>>(&(sizes, features, scale): &Case) {
    let tables: [Vec<S>; 4] = [0, 1, 2, 3].map(|k| numbers(k as u64, sizes[AXES[k]] * features[k]));
    let parts = [0, 1, 2, 3].map(|k| (AXES[k], EmbeddingTable::new(&tables[k], features[k]).unwrap()));
    let axial = AxialEmbedding::new(&parts, Blocks::ByAxis).unwrap().with_embedding_scale(scale).unwrap();
    let (mut want, width): (Vec<S>, usize) = (Vec::new(), features.iter().sum());
    for cell in 0..sizes.iter().product() {
        let place = [cell / sizes[2] / sizes[1], cell / sizes[2] % sizes[1], cell % sizes[2]];
        for k in 0..4 {
            want.extend(&tables[k][place[AXES[k]] * features[k]..][..features[k]]);
        }
    }
    assert_eq!((axial.cells() * width, axial.features()), (want.len(), width));
    assert_same(&axial.table().unwrap(), &want, "the table");
    let mut written = vec![S::default(); want.len()];
    axial.write(&mut written).unwrap();
    assert_same(&written, &want, "written");
    let x: Vec<T> = numbers(9, want.len());
    let scale = T::Work::of(scale);
    let sum: Vec<T> = x.iter().zip(&want).map(|(x, row)| T::nearest(x.wide() * scale + row.wide())).collect();
    for level in levels() {
        let mut got = x.clone();
        axial.clone().with_level(level).add(&mut got).unwrap();
        assert_same(&got, &sum, format_args!("{level}: added"));
    }
}

fn every_type_of_rows<K: Kind>(case: &Case)
where
    K::Work: Kind<Work = K::Work>,
{
    rows_are_their_parts::<K, K>(case);
    rows_are_their_parts::<K::Work, K>(case);
}

proptest! {
    #![proptest_config(tried(40))]

    #[test]
    fn a_row_is_its_parts_side_by_side(case in cases()) {
        for_every_kind!(every_type_of_rows(&case));
    }
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_is_serial() {
    use crate::support::in_pool;
    let (y, x): (Vec<f32>, Vec<f32>) = (numbers(1, 70 * 32), numbers(2, 90 * 33));
    let parts = [(0, EmbeddingTable::new(&y, 32).unwrap()), (1, EmbeddingTable::new(&x, 33).unwrap())];
    let axial = AxialEmbedding::new(&parts, Blocks::ByAxis).unwrap();
    let mut serial: Vec<half::bf16> = numbers(3, 70 * 90 * 65);
    let mut parallel = serial.clone();
    axial.add(&mut serial).unwrap();
    in_pool(|| axial.par_add(&mut parallel)).unwrap();
    assert_same(&parallel, &serial, "added");
}

//! Sinusoidal tables of grids: which axis comes first, and how its coordinates are made.
//! They stand apart because a wrong order of axes shows on grids that are not square alone.

use posenc::{AxialEmbedding, Blocks, EmbeddingTable, Level, Order, Positions, Sinusoidal};
use posenc_oracle::tolerance::{GOLDEN_EXACT, golden_table};

use crate::{Case, assert_near_single, common, golden};

/// A part of a row: an axis, how many features it has, and the coordinates of its places.
type Part = (usize, usize, Vec<f64>);

fn cases(start: &str) -> Vec<Case> {
    let cases: Vec<Case> = golden!("sinusoid").into_iter().filter(|case| case.id().starts_with(start)).collect();
    assert!(!cases.is_empty(), "no case {start:?}");
    cases
}

/// `0, 1, …`, each multiplied by a step.
fn steps(count: usize, step: f64) -> Vec<f64> {
    (0..count).map(|i| i as f64 * step).collect()
}

fn grid(parts: &[Part], order: Order, blocks: Blocks, level: Level) -> Vec<f32> {
    let row = |&(_, features, ref at): &Part| {
        let encoding = Sinusoidal::new(features, 10_000.0).unwrap().with_order(order).with_level(level);
        encoding.table(&Positions::fractions(at), at.len()).unwrap()
    };
    let tables: Vec<Vec<f32>> = parts.iter().map(row).collect();
    let tables = parts.iter().zip(&tables);
    let parts: Vec<_> = tables.map(|(part, table)| (part.0, EmbeddingTable::new(table, part.1).unwrap())).collect();
    AxialEmbedding::new(&parts, blocks).unwrap().with_level(level).table().unwrap()
}

fn check(case: &Case, parts: &[Part], blocks: Blocks, tolerance: f64) {
    for level in common::levels() {
        let rows = grid(parts, Order::SinCos, blocks, level);
        // A class row of zeros stands before the grid.
        let want = case.singles("/expect/rows_f32");
        let (class, want) = want.split_at(want.len() - rows.len());
        assert!(class.iter().all(|&x| x == 0.0));
        assert_near_single(&format!("{} at {level}", case.id()), &rows, want, tolerance);
    }
}

#[test]
fn height_first_as_in_mae() {
    for case in cases("2d sincos") {
        let [height, width] = ["/params/height", "/params/width"].map(|size| case.count(size));
        let half = case.count("/params/embed_dim") / 2;
        let parts = [(0, half, steps(height, 1.0)), (1, half, steps(width, 1.0))];
        check(&case, &parts, Blocks::ByAxis, GOLDEN_EXACT);
    }
}

#[test]
fn width_first_as_in_dit() {
    for case in cases("diffusers/DiT 2d sincos") {
        let [height, width] = case.shape("/params/grid_size");
        let (half, base) = (case.count("/params/embed_dim") / 2, case.number("/params/base_size"));
        let at = |count: usize| steps(count, base / count as f64 / case.number("/params/interpolation_scale"));
        let parts = [(1, half, at(width)), (0, half, at(height))];
        check(&case, &parts, Blocks::ByAxis, golden_table(base));
    }
}

#[test]
fn time_first_as_in_cogvideox() {
    for case in cases("cogvideox-2b 3d sincos") {
        let ([width, height], time) = (case.shape("/params/spatial_size"), case.count("/params/temporal_size"));
        let features = case.count("/params/embed_dim");
        let [scale, time_scale] =
            ["spatial", "temporal"].map(|axis| case.number(&format!("/params/{axis}_interpolation_scale")));
        let parts = [
            (0, features / 4, steps(time, 1.0 / time_scale)),
            (2, features / 8 * 3, steps(width, 1.0 / scale)),
            (1, features / 8 * 3, steps(height, 1.0 / scale)),
        ];
        check(&case, &parts, Blocks::ByAxis, golden_table(3.0));
    }
}

#[test]
fn both_orders_of_timm() {
    for case in cases("timm 2d sincos") {
        let ([height, width], half) = (case.shape("/params/feat_shape"), case.count("/params/dim") / 2);
        let parts = [(0, half, steps(height, 1.0)), (1, half, steps(width, 1.0))];
        let by_axis = case.field("/params/interleave_sin_cos").as_bool().unwrap();
        let blocks = if by_axis { Blocks::ByAxis } else { Blocks::ByHalf };
        check(&case, &parts, blocks, golden_table(2.0));
    }
}

#[test]
fn channels_of_detr() {
    for case in cases("detr 2d sine") {
        let ([height, width], features) = (case.shape("/params/hw"), case.count("/params/num_position_features"));
        let normalized = case.field("/params/normalize").as_bool().unwrap();
        let at = |count: usize| -> Vec<f64> {
            let step = if normalized { case.number("/params/scale") / (count as f64 + 1e-6) } else { 1.0 };
            (1..=count).map(|i| i as f64 * step).collect()
        };
        let parts = [(0, features, at(height)), (1, features, at(width))];
        for level in common::levels() {
            let rows = grid(&parts, Order::Interleaved, Blocks::ByAxis, level);
            // The reference has its channels outermost.
            let (cells, channels) = (height * width, 2 * features);
            let got: Vec<f32> = (0..rows.len()).map(|i| rows[i % cells * channels + i / cells]).collect();
            let what = format!("{} at {level}", case.id());
            assert_near_single(&what, &got, &case.singles("/expect/chw_f32"), golden_table(std::f64::consts::TAU));
        }
    }
}

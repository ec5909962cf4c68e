//! Tables of image and video models: frequencies of each axis, and the grids that the crate builds.

use std::f64::consts::{PI, TAU};

use posenc::grids::{self, Streams, raster};
use posenc::{Axes, Frequencies, Precision};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::{GOLDEN_VALUE, golden_table};

use crate::{Case, assert_near, assert_near_single, check_all, full_width, golden, pairing, rows};

/// Cases that are not a table for one head, each of which has a test of its own.
const APART: [(&str, &str); 3] = [
    ("rope-mixed grid", "frequencies of each head"),
    ("rope-mixed initial", "frequencies alone"),
    ("mochi positions", "positions alone"),
];

/// Runs of equal width and base.
fn axial(axes: usize, width: usize, base: f64) -> Frequencies {
    Frequencies::axial(&vec![(width, base); axes]).unwrap()
}

/// Frequencies as they are given, read by axes.
fn given(values: Vec<f64>, axes: Axes) -> Frequencies {
    Frequencies::from_values(values).unwrap().on_axes(axes).unwrap()
}

/// `base^(−exponent)` for some exponents.
fn powers(base: f64, exponents: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
    exponents.map(move |exponent| base.powf(-exponent))
}

/// Frequencies and grid of a vision model.
fn vision(case: &Case) -> Option<(Frequencies, Streams)> {
    let image = || raster(&[2, 3]).unwrap();
    let quarters = |first: usize| powers(1e4, (0..4).map(move |j| (first + 2 * j) as f64 / 8.0));
    let halves = || Axes::sectioned(&[4, 4]).unwrap();
    Some(match case.id().split([',', ' ']).next().unwrap() {
        "qwen2-vl" => (axial(2, 8, 1e4), grids::blocks(4, 4, 2).unwrap()),
        "pixtral" => (given(quarters(0).chain(quarters(1)).collect(), halves()), image()),
        "gemma-4" => (axial(2, 8, 100.0), image()),
        "sam2-video" => (axial(2, 8, 1e4), image()),
        "kimi-k2.5" => {
            let twice = powers(1e4, (0..8).map(|j| (j / 2) as f64 / 4.0)).collect();
            (given(twice, Axes::alternating(2, 8).unwrap()), image().with_axes(&[1, 0]).unwrap())
        }
        "minimax-m3-vl" => (axial(3, 6, 1e4), raster(&[2, 2, 2]).unwrap()),
        "llama4" => (axial(2, 8, 1e4), grids::llama4(2, 2).unwrap()),
        "dinov3" => {
            let turns = axial(2, 8, 100.0).as_slice().iter().map(|f| TAU * f).collect();
            (given(turns, halves()), grids::dinov3(2, 3).unwrap())
        }
        "efficientloftr" => {
            let twice = powers(10.0, (0..8).map(|j| (j / 2) as f64)).collect();
            let from_one = Streams::product(&[vec![1.0, 2.0], vec![1.0, 2.0, 3.0]]).unwrap();
            (given(twice, Axes::alternating(2, 8).unwrap()), from_one)
        }
        "cogview4" => (axial(2, 16, 1e4), grids::cogview4([2, 3], [256, 256]).unwrap()),
        _ => return None,
    })
}

/// Frequencies and grid of timm's axial encodings.
fn timm(case: &Case) -> Option<(Frequencies, Streams)> {
    if !case.id().starts_with("timm") {
        return None;
    }
    let counts: [usize; 2] = case.shape("/params/feat_shape");
    if case.get("/params/max_res").is_some() {
        let octaves = case.number("/params/max_res").log2() - 1.0;
        let bands = (0..8).map(|j| PI * 2.0_f64.powf(octaves * f64::from(j % 4) / 3.0)).collect();
        return Some((given(bands, Axes::sectioned(&[4, 4]).unwrap()), grids::pixels(counts[0], counts[1]).unwrap()));
    }
    let grid = match case.get("/params/ref_feat_shape") {
        Some(_) => grids::rescaled(counts, case.shape("/params/ref_feat_shape")),
        None => raster(&counts),
    };
    Some((axial(2, 8, case.number("/params/temperature")), grid.unwrap()))
}

/// Frequencies and grid of a model that makes images or videos.
fn video(case: &Case) -> (Frequencies, Streams) {
    let runs = |widths: [usize; 3], base| Frequencies::axial(&widths.map(|width| (width, base))).unwrap();
    let patches = || raster(&[2, 2, 2]).unwrap();
    match case.id().split([',', ' ']).next().unwrap() {
        "cogvideox" => (runs([16, 24, 24], 1e4), grids::cropped([2, 3, 4], [0.0, 2.0], [30.0, 42.0]).unwrap()),
        "hunyuan-dit" => {
            let grid = grids::cropped([1, 2, 3], [0.0; 2], [2.0, 3.0]).unwrap();
            (axial(2, 8, 1e4), grid.with_axes(&[2, 1]).unwrap())
        }
        "flux" => {
            let ids = case.integers("/ids");
            let at = |id: &[i64]| Streams::at(&[id[0] as f64, id[1] as f64, id[2] as f64], 1).unwrap();
            let tokens = ids.chunks_exact(3).map(at);
            (runs([16, 56, 56], 1e4), tokens.reduce(|all, token| all.then(&token).unwrap()).unwrap())
        }
        "wan" => (runs([44, 42, 42], 1e4), patches()),
        "hunyuan-video" => (runs([16, 56, 56], 256.0), patches()),
        "ltx-video" => {
            let values = (0..15).map(|j| 1e4_f64.powf(f64::from(j / 3) / 4.0) * PI / 2.0).collect();
            let steps = [0.32 / 20.0, 32.0 / 2048.0, 32.0 / 2048.0];
            (given(values, Axes::alternating(3, 15).unwrap()), grids::ltx([2, 2, 3], steps).unwrap())
        }
        "qwen-image" => (runs([16, 56, 56], 1e4), grids::centred([1, 3, 4], 0).unwrap()),
        "cosmos" => {
            let longer = 1e4 * 2.0_f64.powf(44.0 / 42.0);
            let frequencies = Frequencies::axial(&[(44, longer), (42, 1e4), (42, 1e4)]).unwrap();
            (frequencies, grids::cosmos([2, 2, 2], 1.0).unwrap())
        }
        other => panic!("no recipe for {other}"),
    }
}

/// Full-width rows as the case lists them.
fn as_listed(case: &Case, half: &[f32], pairs: usize) -> Vec<f32> {
    let layout = case.text("/layout");
    if case.get("/half_width").is_some() {
        return half.to_vec();
    }
    if layout.starts_with("blocks") {
        // Each half of the row is a rotation of halves.
        let rows = half.chunks_exact(pairs);
        return rows
            .flat_map(|row| row.chunks_exact(pairs / 2).flat_map(|run| [run, run]).flatten())
            .copied()
            .collect();
    }
    let mut listed = full_width(half, pairs, pairing(layout));
    if case.id().starts_with("ltx-video") {
        // Two features before the rotated ones stay.
        let identity = if half[0].abs() < 0.5 { 1.0 } else { 0.0 };
        listed = listed.chunks_exact(2 * pairs).flat_map(|row| [&[identity; 2][..], row].concat()).collect();
    }
    listed
}

#[test]
fn tables_are_those_of_the_models() {
    check_all(&golden!("rope_2d3d"), &APART, |case| {
        let (frequencies, grid) = vision(case).or_else(|| timm(case)).unwrap_or_else(|| video(case));
        let pairs = frequencies.pairs();
        let angle = grid.as_slice().iter().fold(0.0_f64, |largest, x| largest.max(x.abs()))
            * frequencies.as_slice().iter().fold(0.0_f64, |largest, f| largest.max(f.abs()));
        let stride = case.get("/row_stride").map_or(1, |_| case.count("/row_stride"));
        let rows = rows(&frequencies, Precision::Exact, &grid.positions(), grid.tokens());
        for (what, got) in ["cos", "sin"].into_iter().zip(rows) {
            let listed: Vec<f32> = got.chunks_exact(pairs).step_by(stride).flatten().copied().collect();
            let got = as_listed(case, &listed, pairs);
            let want = case.singles(&format!("/expect/{what}_f32"));
            assert_near_single(&format!("{what} of {}", case.id()), &got, &want, golden_table(angle));
        }
    });
}

/// The cases whose id begins so.
fn named(id: &str) -> Vec<Case> {
    golden!("rope_2d3d").into_iter().filter(|case| case.id().starts_with(id)).collect()
}

#[test]
fn mixed_axes_turn_each_head_by_its_own_frequencies() {
    check_all(&named("rope-mixed grid"), &[], |case| {
        let [axes, depth, heads, pairs]: [usize; 4] = case.shape("/params/freqs_shape");
        assert_eq!((axes, depth), (2, 1));
        let learned = golden_inputs(case.count("/params/freqs_seed") as u64, axes * heads * pairs);
        let coordinates = [case.numbers("/tx"), case.numbers("/ty")].concat();
        let made = (0..heads).map(|head| {
            let of_axis = |axis: usize| &learned[(axis * heads + head) * pairs..][..pairs];
            let values = [of_axis(0), of_axis(1)].concat().into_iter().map(f64::from).collect();
            let frequencies = Frequencies::mixed(values, 2).unwrap();
            let positions = posenc::Positions::axes(&coordinates, 2);
            let [exact, single] = [Precision::Exact, Precision::Single]
                .map(|precision| rows(&frequencies, precision, &positions, coordinates.len() / 2));
            assert_near_single("single", &single.concat(), &exact.concat(), golden_table(3.0));
            exact.map(|half| full_width(&half, pairs, pairing(case.text("/layout"))))
        });
        let (cos, sin): (Vec<_>, Vec<_>) = made.map(|[cos, sin]| (cos, sin)).unzip();
        for (what, got) in [("cos", cos.concat()), ("sin", sin.concat())] {
            let want = case.singles(&format!("/expect/{what}_f32"));
            assert_near_single(&format!("{what} of {}", case.id()), &got, &want, golden_table(3.0));
        }
    });
}

#[test]
fn mixed_frequencies_begin_as_they_are_published() {
    check_all(&named("rope-mixed initial"), &[], |case| {
        let dim = case.count("/params/head_dim");
        let got = Frequencies::mixed_initial(dim, case.number("/params/temperature"), 0.0).unwrap();
        let got: Vec<f32> = got.as_slice().iter().map(|&f| f as f32).collect();
        let want = [case.singles("/expect/cos_f32"), case.singles("/expect/sin_f32")].concat();
        assert_near_single(case.id(), &got, &want, GOLDEN_VALUE);
    });
}

#[test]
fn positions_of_mochi_are_those_of_the_model() {
    check_all(&named("mochi"), &[], |case| {
        let base = case.count("/params/base_height");
        let grid = grids::mochi(case.shape("/params/thw"), base).unwrap();
        let got: Vec<f32> = (0..grid.tokens())
            .flat_map(|token| (0..3).map(move |axis| (axis, token)))
            .map(|(a, t)| grid.axis(a)[t] as f32)
            .collect();
        let want: Vec<f64> = case.singles("/expect/positions_f32").into_iter().map(f64::from).collect();
        assert_near(case.id(), &got, &want, golden_table(144.0));
    });
}

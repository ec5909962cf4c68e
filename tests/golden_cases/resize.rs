//! Learned tables that PyTorch resized; `resize.py` beside the values says how.
//! They stand apart because their inputs come from the generator, in f64.

use posenc::{Filter, Resize};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::GOLDEN_RESIZED;

use crate::{Case, check_all, golden};

fn filter(case: &Case) -> Filter {
    match (case.text("/params/mode"), case.field("/params/antialias").as_bool().unwrap()) {
        ("bilinear", false) => Filter::Linear,
        ("bilinear", true) => Filter::SmoothLinear,
        ("bicubic", false) => Filter::Cubic,
        ("bicubic", true) => Filter::SmoothCubic,
        other => panic!("unknown filter {other:?}"),
    }
}

fn resize(case: &Case) -> Resize {
    let from = case.shape("/params/grid");
    if case.get("/params/size").is_some() {
        let corners = case.field("/params/align_corners").as_bool().unwrap();
        let resize = if corners { Resize::to_corners } else { Resize::to_size };
        return resize(from, case.shape("/params/size"), filter(case)).unwrap();
    }
    let factors = case.numbers("/params/scale_factor");
    Resize::by_factor(from, [factors[0], factors[1]], filter(case)).unwrap()
}

#[test]
fn tables_are_resized_as_pytorch_does() {
    check_all(&golden!("resize"), &[], |case| {
        let ([height, width], features) = (case.shape("/params/grid"), case.count("/params/features"));
        let table = golden_inputs(case.count("/params/table_seed") as u64, height * width * features);
        let table: Vec<f64> = table.into_iter().map(f64::from).collect();
        let resize = resize(case);
        assert_eq!(resize.size(), case.shape::<2>("/expect/size"), "{}", case.id());
        let (got, want) = (resize.table(&table, features).unwrap(), case.numbers("/expect/rows_f64"));
        assert_eq!(got.len(), want.len(), "{}", case.id());
        for (i, (got, want)) in got.iter().zip(want).enumerate() {
            assert!((got - want).abs() <= GOLDEN_RESIZED, "{}, value {i}: {got}, not {want}", case.id());
        }
    });
}

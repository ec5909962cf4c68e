//! `golden/onnx_rotary.json`: operators that ONNX Runtime has run, by their attributes and their tables.
//! They stand apart because an operator brings tables along, and no frequencies.

use posenc::config::{Note, OnnxConfig, OnnxValue};
use posenc::{Frequencies, HeadsMut, Level, Positions, Precision, TableBuilder, Tables};
use posenc_oracle::lcg::golden_inputs;
use posenc_oracle::tolerance::GOLDEN_VALUE;
use serde_json::Value;

fn sizes(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|size| size.as_u64().unwrap() as usize).collect()
}

/// All numbers of nested lists.
fn flat(value: &Value) -> Vec<f64> {
    value.as_array().map_or_else(|| vec![value.as_f64().unwrap()], |list| list.iter().flat_map(flat).collect())
}

#[test]
fn operators_turn_as_onnx_runtime_does() {
    let file: Value = serde_json::from_str(include_str!("../golden/onnx_rotary.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 7);
    cases.iter().for_each(check);
}

/// An attribute: a number or a list.
fn value(value: &Value) -> OnnxValue {
    match value.as_i64() {
        Some(number) => number.into(),
        None => sizes(value).into_iter().map(|size| size as i64).collect::<Vec<_>>().into(),
    }
}

fn check(case: &Value) {
    let attributes = case["attributes"].as_object().unwrap();
    let config = OnnxConfig::read(attributes.iter().map(|(key, of)| (key.as_str(), value(of)))).unwrap();
    assert_eq!(config.notes(), [], "{}", case["id"]);
    let shape = sizes(&case["x_shape"]);
    // Three axes without a number of heads: the tables say how wide a head is.
    let (layout, dim) = match shape[..] {
        [batch, heads, tokens, dim] => ([batch, heads, tokens, dim], dim),
        [batch, tokens, hidden] => {
            let heads = config.heads().unwrap_or(2);
            ([batch, tokens, heads, hidden / heads], hidden / heads)
        }
        _ => panic!("{shape:?}"),
    };
    let width = config.width().unwrap_or(dim);
    let frequencies = Frequencies::new(width, case["theta"].as_f64().unwrap()).unwrap();
    let rows = case["cache_rows"].as_u64().unwrap() as usize;
    let tables = TableBuilder::new(&frequencies, Precision::Exact).build(rows).unwrap();
    let ids: Vec<i64> = flat(&case["position_ids"]).into_iter().map(|id| id as i64).collect();
    // One position is the offset of the first token.
    let positions = match (&ids[..], config.axes()) {
        (_, Some(axes)) => Positions::axes(&ids, axes.count()),
        (&[first], None) => Positions::from(first),
        (ids, None) => Positions::ids(ids),
    };
    let want = flat(&case["expect"]["y_f32"]);
    for level in Level::available() {
        let mut x = golden_inputs(case["x_seed"].as_u64().unwrap(), shape.iter().product());
        let mut heads = match shape.len() {
            4 => HeadsMut::head_major(&mut x, layout).unwrap(),
            _ => HeadsMut::token_major(&mut x, layout).unwrap(),
        };
        config.rotary(tables.clone()).unwrap().with_level(level).rotate(&mut heads, &positions).unwrap();
        assert_eq!(x.len(), want.len(), "{}", case["id"]);
        for (&got, &want) in x.iter().zip(&want) {
            assert!((f64::from(got) - want).abs() <= GOLDEN_VALUE, "{}: {got}, not {want}", case["id"]);
        }
    }
}

#[test]
fn attributes_that_are_none() {
    let refused = |key: &str, value: OnnxValue| {
        let error = OnnxConfig::read([(key, value)]).unwrap_err();
        assert_eq!(error.key(), key, "{error}");
    };
    refused("interleaved", 2.into());
    refused("interleaved", 1.0.into());
    refused("rotary_embedding_dim", 3.into());
    refused("rotary_embedding_dim", (-2).into());
    refused("rotary_embedding_dim", i64::MAX.into());
    refused("num_heads", (-1).into());
    refused("is_packed_batching", 1.into());
    refused("scale", 0.5.into());
    refused("scale", f32::NAN.into());
    refused("mrope_layout", 2.into());
    refused("mrope_section", 2.into());
    refused("mrope_section", vec![1, -1].into());
    refused("mrope_section", vec![].into());
    refused("mrope_section", vec![i64::MAX; 3].into());
    let config = OnnxConfig::read([("mrope_section", vec![1, 1].into())]).unwrap();
    let error = config.rotary(Tables::new(vec![1.0_f32; 3], vec![0.0; 3], 3).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "mrope_section: axes of the pairs: expected 3 elements, found 2");
    let config =
        OnnxConfig::read([("scale", 1.0.into()), ("is_packed_batching", 0.into()), ("new", 7.into())]).unwrap();
    assert_eq!(config.notes(), [Note::Unused { key: "new".into() }]);
    let nothing: [(&str, OnnxValue); 0] = [];
    assert_eq!(OnnxConfig::read(nothing).unwrap().width(), None);
}

//! Position ids of padded sequences, as published models derive them.
//! They stand apart because they are whole numbers, and compared as such.

use posenc::Numbering;

use crate::{check_all, golden};

#[test]
fn ids_of_padded_sequences() {
    check_all(&golden!("position_ids"), &[], |case| {
        let rows = |path: &str| case.field(path).as_array().unwrap().len();
        let ids = if let Some(padding) = case.get("/params/padding_idx").and_then(serde_json::Value::as_i64) {
            let tokens = case.integers("/params/input_ids");
            let numbering = Numbering { first: padding + 1, padding, past: 0 };
            let ids = numbering.of_tokens(&tokens, tokens.len() / rows("/params/input_ids"), padding).unwrap();
            assert_eq!(ids, case.integers("/expect/position_ids"), "{}", case.id());
            ids
        } else {
            let (mask, offset) = (case.integers("/params/attention_mask"), case.count("/params/offset") as i64);
            let numbering = Numbering { first: offset, padding: offset - 1, past: case.count("/params/past") };
            let ids = numbering.of_mask(&mask, mask.len() / rows("/params/attention_mask")).unwrap();
            assert_eq!(ids, case.integers("/expect/embedding_row"), "{}", case.id());
            ids
        };
        assert!(!ids.is_empty());
    });
}

//! Kind F: positions, offsets, caches and padding.
//! Positions are taken literally or refused before the first write; nothing wraps, clamps or is shared by accident.

use posenc::{Direction, Error, HeadsMut, Pairing, Positions, Precision, Rotary, Sinusoidal, TableBuilder, Tables};
use posenc_oracle::tolerance::rotations;

use crate::common::levels;
use crate::support::{PAIRINGS, Turn, assert_near, bits, builder, frequencies, random, rope, turned};

const DIM: usize = 16;

/// `[batch, tokens, 1, DIM]`, rotated.
fn batch_turned(rope: &Rotary, data: &[f32], tokens: usize, positions: Positions<'_>) -> Vec<u32> {
    let mut data = data.to_vec();
    let shape = [data.len() / DIM / tokens, tokens, 1, DIM];
    rope.rotate(&mut HeadsMut::token_major(&mut data, shape).unwrap(), &positions).unwrap();
    bits(&data)
}

// B051: huggingface/transformers #22161, unslothai/unsloth #3699
#[test]
fn a_left_padded_row_turns_as_it_does_alone() {
    let data = random(51, 2 * 5 * DIM);
    for level in levels() {
        let rope = rope(DIM, 1e4, Pairing::Halves, level);
        let ids = [0_i64, 1, 2, 3, 4, 0, 0, 0, 1, 2];
        let got = batch_turned(&rope, &data, 5, Positions::ids(&ids));
        let long = batch_turned(&rope, &data[..5 * DIM], 5, Positions::from(0));
        let short = batch_turned(&rope, &data[7 * DIM..], 3, Positions::from(0));
        assert_eq!((&got[..5 * DIM], &got[7 * DIM..]), (&long[..], &short[..]), "{level}");
        // One counter for all rows is another thing.
        assert_ne!(got, batch_turned(&rope, &data, 5, Positions::from(0)), "{level}");
    }
}

// B052: NVIDIA/Megatron-LM #453, allenai/OLMo-core #591, pytorch/torchtitan #2849
#[test]
fn ids_are_taken_literally_in_any_order() {
    let three = random(52, 3 * DIM);
    let token = random(53, DIM);
    for level in levels() {
        let plain = rope(DIM, 1e4, Pairing::Halves, level);
        for rope in [plain.clone(), plain.with_table(8).unwrap()] {
            let packed = batch_turned(&rope, &three.repeat(2), 6, Positions::ids(&[0_u32, 1, 2, 0, 1, 2]));
            assert_eq!(packed[..3 * DIM], packed[3 * DIM..], "{level}");
            let got = batch_turned(&rope, &token.repeat(3), 3, Positions::ids(&[7_usize, 3, 7]));
            let [seven, three] = [7, 3].map(|p| bits(&turned(&rope, &token, p)));
            assert_eq!(got, [&seven[..], &three, &seven].concat(), "{level}");
        }
        let encoding = Sinusoidal::new(DIM, 1e4).unwrap().with_level(level);
        let rows = encoding.table(&Positions::ids(&[7, 3, 7]), 3).unwrap();
        let [seven, three] = [7, 3].map(|p| encoding.table(&Positions::from(p), 1).unwrap());
        assert_eq!(bits(&rows), bits(&[&seven[..], &three, &seven].concat()), "{level}");
    }
}

// B052: NVIDIA/Megatron-LM #453
// B054: pegainfer-project/pegainfer #253
#[test]
fn past_the_table_is_an_error_with_both_numbers_and_not_a_wrapped_position() {
    let head = random(54, DIM);
    for level in levels() {
        let plain = rope(DIM, 1e4, Pairing::Halves, level);
        let frequencies = frequencies(DIM, 1e4);
        let turn = Turn {
            head: &head,
            position: 4095,
            frequencies: frequencies.as_slice(),
            pairing: Pairing::Halves,
            start: 0,
        };
        let tabled = plain.clone().with_table(4096).unwrap();
        turn.assert(&turned(&tabled, &head, 4095), level.name());
        let mut data = head.clone();
        let mut view = HeadsMut::new(&mut data, [1, 1, DIM]).unwrap();
        let refused = tabled.rotate(&mut view, &Positions::from(4096)).unwrap_err().to_string();
        assert!(refused.contains("4095") && refused.contains("4096"), "{refused}");
        assert_eq!(bits(&data), bits(&head), "{level}");
        // Without a table, the whole window of the configuration is served.
        let far = Turn { position: 262_143, ..turn };
        far.assert(&turned(&plain, &head, 262_143), level.name());
    }
}

/// That a rotation of `tokens` is refused for one position, and writes nothing.
fn assert_refused(rope: &Rotary, tokens: usize, positions: Positions<'_>, index: usize, found: i128) {
    let before = random(55, tokens * DIM);
    let mut data = before.clone();
    let refused = rope.rotate(&mut HeadsMut::new(&mut data, [tokens, 1, DIM]).unwrap(), &positions).unwrap_err();
    assert!(
        matches!(refused, Error::Position { index: i, found: f, .. } if (i, f) == (index, found)),
        "{refused} instead of position {index}, which is {found}"
    );
    assert_eq!(bits(&data), bits(&before), "{refused}");
}

// B055: microsoft/onnxruntime #27597, #28214 and #28205
#[test]
fn ids_outside_the_table_are_refused_before_the_first_write() {
    let rows = 512;
    for level in levels() {
        let tabled = rope(DIM, 1e4, Pairing::Halves, level).with_table(rows).unwrap();
        for bad in [-1, rows as i64, i64::from(i32::MIN), i64::MAX, i64::MIN] {
            let mut ids = vec![1_i64; 1000];
            ids[999] = bad;
            assert_refused(&tabled, 1000, Positions::ids(&ids), 999, bad.into());
            assert_refused(&tabled, 1, Positions::from(bad), 0, bad.into());
        }
        let mut ids = vec![511_i32; 1000];
        ids[999] = i32::MIN;
        assert_refused(&tabled, 1000, Positions::ids(&ids), 999, i32::MIN.into());
        assert_refused(&tabled, 2, Positions::ids(&[0, u32::MAX]), 1, u32::MAX.into());
        assert_refused(&tabled, 2, Positions::ids(&[0, usize::MAX]), 1, usize::MAX as i128);
        // The offset fits, the last of its tokens does not.
        assert_refused(&tabled, 3, Positions::from(510), 2, 512);
        let plain = rope(DIM, 1e4, Pairing::Halves, level);
        for bad in [i64::MAX, i64::MIN, (1 << 31) + 1] {
            assert_refused(&plain, 3, Positions::ids(&[0, 0, bad]), 2, bad.into());
            assert_refused(&plain, 1, Positions::from(bad), 0, bad.into());
        }
    }
}

// B055: microsoft/onnxruntime #27597, #28214 and #28205
#[test]
fn tables_and_absolute_encodings_check_ids_by_the_same_rule() {
    let ids = [0, 1, i64::MAX];
    let mut row = [7.0; 3];
    let mut other = [7.0; 3];
    let builder = TableBuilder::new(&frequencies(2, 1e4), Precision::Exact);
    assert!(builder.fill(&Positions::ids(&ids), &mut row, &mut other).is_err());
    let encoding = Sinusoidal::new(1, 1e4).unwrap();
    assert!(encoding.write(&mut row, &Positions::ids(&ids)).is_err());
    assert!(encoding.add(&mut row, &Positions::ids(&ids)).is_err());
    assert_eq!((row, other), ([7.0; 3], [7.0; 3]));
}

// B055: microsoft/onnxruntime #27597, #28214 and #28205
#[test]
fn a_negative_position_undoes_the_positive_one() {
    let head = random(56, 128);
    for pairing in PAIRINGS {
        for level in levels() {
            let rope = rope(128, 1e4, pairing, level);
            for position in [1, 511, 131_071, 1 << 31] {
                let there = turned(&rope, &head, position);
                let back = turned(&rope, &there, -position);
                assert_near(&back, &head, pairing, rotations(2), &format!("{pairing:?}, {level}, {position}"));
            }
        }
    }
}

// B056: microsoft/onnxruntime #28277
#[test]
fn sines_shorter_than_cosines_are_no_tables() {
    let (cos, sin) = (vec![1.0; 16 * 4], vec![0.0; 8 * 4]);
    assert!(Tables::new(cos.clone(), sin.clone(), 4).is_err());
    assert!(Tables::new(sin.clone(), cos.clone(), 4).is_err());
    assert!(Tables::from_full_width(&cos, &sin, 4, Pairing::Halves).is_err());
    assert!(Tables::from_full_width(&sin, &cos, 4, Pairing::Halves).is_err());
    let builder = TableBuilder::new(&frequencies(8, 1e4), Precision::Exact);
    assert!(builder.fill(&Positions::from(0), &mut [0.0; 64], &mut [0.0; 32]).is_err());
}

// B057: NVIDIA/TensorRT-LLM #14241, vllm-project/vllm #44738, pytorch/torchtitan #4111
#[test]
fn the_length_of_a_table_changes_none_of_its_rows() {
    let frequencies = frequencies(16, 1e4);
    for level in levels() {
        for precision in [Precision::Exact, Precision::Single] {
            let builder = builder(&frequencies, precision, level);
            let (short, long) = (builder.build(1000).unwrap(), builder.build(131_072).unwrap());
            assert_eq!(bits(short.cos()), bits(&long.cos()[..8000]), "{precision:?}, {level}");
            assert_eq!(bits(short.sin()), bits(&long.sin()[..8000]), "{precision:?}, {level}");
        }
    }
}

// B059: ggml-org/llama.cpp #4097
#[test]
fn a_thousand_small_shifts_stay_near_the_one_large_shift() {
    let key = random(59, 128);
    for pairing in PAIRINGS {
        for level in levels() {
            let rope = rope(128, 1e4, pairing, level);
            let back = rope.clone().with_direction(Direction::Inverse);
            let cached = turned(&rope, &key, 5000);
            let once = turned(&back, &cached, 1000);
            let often = (0..1000).fold(cached, |key, _| turned(&back, &key, 1));
            assert_near(&often, &once, pairing, 1e-4, &format!("{pairing:?}, {level}"));
            let frequencies = frequencies(128, 1e4);
            let turn = Turn { head: &key, position: 4000, frequencies: frequencies.as_slice(), pairing, start: 0 };
            // Shifting a key from its unrotated form is the exact way.
            turn.assert(&turned(&rope, &key, 4000), level.name());
        }
    }
}

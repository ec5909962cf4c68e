//! Hands over arbitrary sizes, strides and positions: a call does its work or refuses it whole, and nothing panics.
//! It stands apart from the other target because most of its inputs are refused before a kernel runs.
//!
//! ```text
//! cargo +nightly fuzz run refusals -- -max_total_time=60 -max_len=128 -len_control=0
//! ```

#![no_main]

mod bytes;
#[allow(dead_code, reason = "refusals need guards and comparisons alone")]
#[path = "../../tests/laws/all.rs"]
mod laws;
#[path = "../../tests/laws/refusals.rs"]
mod refusals;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use refusals::Careless;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let sizes = [size(&mut bytes), size(&mut bytes), size(&mut bytes), size(&mut bytes)];
    let strides = [size(&mut bytes), size(&mut bytes), size(&mut bytes)];
    let (pairs, start) = (bytes.up_to(3), size(&mut bytes));
    let product = sizes.iter().fold(1_usize, |product, &size| product.saturating_mul(size));
    let len = match bytes.byte() {
        len @ 0..200 => usize::from(len),
        // The right length is seldom met by chance.
        _ => product.min(5000),
    };
    let tokens = sizes[0].saturating_mul(sizes[1]).min(300);
    let count = if bytes.byte() < 128 { tokens } else { bytes.up_to(30) };
    let axes = bytes.up_to(9);
    let ids: Vec<i64> = (0..count).map(|_| position(&mut bytes)).collect();
    // As many coordinates as tokens have axes, now and then one less.
    let places = axes * tokens.min(40) - usize::from(bytes.byte() > 250 && axes * tokens > 0);
    let places = (0..places).map(|_| place(&mut bytes)).collect();
    let careless = Careless { sizes, strides, len, ids, places, axes, pairs, start };
    refusals::a_careless_rotation_stays_in_its_heads(&careless);
    refusals::a_careless_view_is_whole_or_refused(&careless);
    refusals::a_careless_addition_is_whole_or_refused(&careless);
    refusals::a_careless_pair_is_whole_or_refused(&careless);
    refusals::a_careless_cut_keeps_all_entries(&careless);
});

/// Mostly small; some of them overflow when two are multiplied.
fn size(bytes: &mut Bytes<'_>) -> usize {
    match bytes.byte() {
        small @ 0..200 => usize::from(small % 8),
        medium @ 200..230 => usize::from(medium),
        230..245 => usize::MAX >> bytes.up_to(63),
        _ => (u64::from(bytes.word()) << 32 | u64::from(bytes.word())) as usize,
    }
}

/// Mostly served; some at the ends of what an id can be.
fn position(bytes: &mut Bytes<'_>) -> i64 {
    match bytes.byte() {
        near @ 0..220 => i64::from(near % 12),
        220..235 => (i64::MAX >> bytes.up_to(62)).wrapping_add(bytes.up_to(2) as i64),
        _ => -(i64::MAX >> bytes.up_to(62)) - bytes.up_to(1) as i64,
    }
}

/// Mostly small fractions; some of them of any size, or no numbers.
fn place(bytes: &mut Bytes<'_>) -> f64 {
    match bytes.byte() {
        near @ 0..220 => f64::from(near) / 16.0,
        220..240 => f64::from(f32::from_bits(bytes.word())),
        _ => position(bytes) as f64,
    }
}

//! Conversions between 16-bit formats and f32 in plain integers: what they mean, for the level of one lane.

/// The value of an f16; NaN become quiet.
#[inline(always)]
pub(super) fn widen(half: u16) -> f32 {
    let magnitude = u32::from(half & 0x7FFF);
    // Shifted into place, the exponent is 112 too small; the product corrects it, and is exact for subnormals too.
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits((112 + 127) << 23);
    let infinite = if magnitude >= 0x7C00 { 0x7F80_0000 } else { 0 };
    let quiet = if magnitude > 0x7C00 { 0x0040_0000 } else { 0 };
    f32::from_bits(scaled.to_bits() | infinite | quiet | u32::from(half & 0x8000) << 16)
}

/// The nearest f16, of two the even one; NaN become quiet.
#[inline(always)]
pub(super) fn narrow(single: f32) -> u16 {
    let bits = single.to_bits();
    let magnitude = bits & 0x7FFF_FFFF;
    // Adding just less than half a unit of f16, and one more where its last digit is odd, carries as rounding does.
    let rounded = magnitude.wrapping_add(0x0FFF + (magnitude >> 13 & 1)).wrapping_sub(112 << 23) >> 13;
    // Next to a half, the last place of f32 is that of the subnormals of f16.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3F00_0000);
    let nan = 0x7E00 | (magnitude >> 13 & 0x03FF);
    let finite = if magnitude < 0x3880_0000 { subnormal } else { rounded };
    let limited = if magnitude >= 0x477F_F000 { 0x7C00 } else { finite };
    let value = if magnitude > 0x7F80_0000 { nan } else { limited };
    (value | bits >> 16 & 0x8000) as u16
}

/// Rounded to bf16, to nearest even, in the upper half; the lower half is left over.
#[inline(always)]
pub(super) fn rounded(single: f32) -> u32 {
    // Adding just less than half a unit, and one more where the last digit is odd, carries as rounding does.
    let bits = single.to_bits();
    bits.wrapping_add(0x7FFF + (bits >> 16 & 1))
}

//! Colour maps: a few anchors each, mixed linearly in between. Two suffice, one for values around zero and one for
//! values that only rise.

use plotters::style::RGBColor;

/// Colours of single curves.
pub(crate) const RED: RGBColor = RGBColor(0xb2, 0x18, 0x2b);
pub(crate) const ORANGE: RGBColor = RGBColor(0xdd, 0x7a, 0x3c);
pub(crate) const BLUE: RGBColor = RGBColor(0x21, 0x66, 0xac);
pub(crate) const GREY: RGBColor = RGBColor(0x60, 0x60, 0x60);

/// From blue through white to red: for values on both sides of zero.
pub(crate) const BLUE_RED: &[u32] = &[
    0x05_3061, 0x21_66ac, 0x43_93c3, 0x92_c5de, 0xd1_e5f0, 0xf7_f7f7, 0xfd_dbc7, 0xf4_a582, 0xd6_604d, 0xb2_182b,
    0x67_001f,
];

/// From violet through green to yellow, ever brighter: for values that only rise.
pub(crate) const VIRIDIS: &[u32] =
    &[0x44_0154, 0x47_2d7b, 0x3b_528b, 0x2c_728e, 0x21_918c, 0x28_ae80, 0x5e_c962, 0xad_dc30, 0xfd_e725];

/// The colour at a fraction of the way from the first anchor to the last.
pub(crate) fn mix(anchors: &[u32], fraction: f64) -> RGBColor {
    let place = fraction.clamp(0.0, 1.0) * (anchors.len() - 1) as f64;
    let left = (place as usize).min(anchors.len() - 2);
    let channel = |shift: u32| {
        let [a, b] = [anchors[left], anchors[left + 1]].map(|anchor| f64::from(anchor >> shift & 0xff));
        (a + (b - a) * (place - left as f64)).round() as u8
    };
    RGBColor(channel(16), channel(8), channel(0))
}

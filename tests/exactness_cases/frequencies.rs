//! Default frequencies: each is the f64 next to the true power, whatever the platform's own powers are.
//! They stand apart because their truth is a list of literals from elsewhere, and not the oracle.

use std::collections::BTreeSet;

use posenc::Frequencies;

/// Base, width, pair and `base^(-2 pair/width)`: worked out to 60 digits with mpmath, then rounded once.
const PLAIN: [(f64, usize, usize, f64); 29] = [
    (100.0, 64, 1, 0.8659643233600653),
    (100.0, 64, 15, 0.11547819846894582),
    (100.0, 64, 31, 0.011547819846894581),
    (1e4, 6, 1, 0.04641588833612779),
    (1e4, 6, 2, 0.002154434690031884),
    (1e4, 64, 1, 0.7498942093324559),
    (1e4, 64, 15, 0.01333521432163324),
    (1e4, 64, 31, 0.0001333521432163324),
    (1e4, 80, 1, 0.7943282347242815),
    (1e4, 80, 19, 0.012589254117941671),
    (1e4, 80, 39, 0.00012589254117941672),
    (1e4, 128, 1, 0.8659643233600653),
    (1e4, 128, 31, 0.011547819846894581),
    (1e4, 128, 63, 0.00011547819846894582),
    (1.5e5, 64, 1, 0.6890443058881632),
    (1.5e5, 64, 15, 0.0037472030106155264),
    (1.5e5, 64, 31, 9.675236569981486e-06),
    (5e5, 128, 1, 0.8146172338565447),
    (5e5, 128, 31, 0.0017360467021768657),
    (5e5, 128, 63, 2.455140791131609e-06),
    (1e6, 128, 1, 0.8058421877614819),
    (1e6, 128, 31, 0.0012409377607517195),
    (1e6, 128, 63, 1.2409377607517195e-06),
    (1e7, 128, 1, 0.7773650302387758),
    (1e7, 128, 31, 0.00040679443210830474),
    (1e7, 128, 63, 1.2863969449369746e-07),
    (1e8, 96, 1, 0.6812920690579612),
    (1e8, 96, 23, 0.00014677992676220695),
    (1e8, 96, 47, 1.4677992676220695e-08),
];

/// The same, of the 8393 frequencies of 11 bases and 14 widths those whose true value lies nearest to the middle between
/// two f64: within 0.002 of a unit, so that 62 bits are not enough to round them.
const HARD: [(f64, usize, usize, f64); 12] = [
    (1e4, 512, 223, 0.00032781211513934584),
    (5e5, 10, 3, 0.00038073078774317567),
    (5e5, 80, 24, 0.00038073078774317567),
    (5e5, 112, 41, 6.722639427505902e-05),
    (5e5, 128, 49, 4.3323754923999376e-05),
    (5e5, 256, 98, 4.3323754923999376e-05),
    (5e5, 512, 196, 4.3323754923999376e-05),
    (5e6, 512, 59, 0.028582272591704122),
    (5e6, 512, 221, 1.6478011474522321e-06),
    (1e8, 80, 22, 3.981071705534973e-05),
    (1e8, 192, 55, 2.6101572156825366e-05),
    (1e8, 192, 61, 8.254041852680183e-06),
];

#[test]
fn default_frequencies_are_rounded_correctly() {
    for (base, width, pair, want) in PLAIN.into_iter().chain(HARD) {
        let frequencies = Frequencies::new(width, base).unwrap();
        assert_eq!(frequencies.pairs(), width / 2);
        assert_eq!(frequencies.as_slice()[pair], want, "{base}^(-2*{pair}/{width})");
    }
}

#[test]
fn the_first_pair_turns_by_one_and_all_others_turn_slower() {
    for frequencies in crate::models() {
        let values = frequencies.as_slice();
        assert_eq!(values[0], 1.0);
        assert!(values.is_sorted_by(|a, b| a > b), "{values:?}");
    }
}

#[test]
fn equal_powers_are_equal_whatever_the_width() {
    // 2j/width is the same fraction in each, so a rounding of the fraction would show.
    let of = |width| Frequencies::new(width, 5e5).unwrap();
    let wide = of(768);
    let found: BTreeSet<u64> = wide.as_slice().iter().map(|f| f.to_bits()).collect();
    for width in [6, 12, 24, 48, 64, 96, 128, 192, 256, 384] {
        assert!(of(width).as_slice().iter().all(|f| found.contains(&f.to_bits())), "{width}");
    }
}

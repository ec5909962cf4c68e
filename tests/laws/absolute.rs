//! Laws of sinusoidal encodings: adding is adding the table, and every order holds the same values.
//! They stand apart because their rows may have any width, odd ones included, which no rotation has.

use posenc::{Level, Order, Positions, Precision, Sinusoidal, TableBuilder};
use posenc_oracle::{sinusoid, tolerance};

use super::bits::{assert_same, framed, guards};
use super::case::{Turn, scattered};

/// Rows to encode.
#[derive(Clone, Debug)]
pub(crate) struct Absolute {
    /// Values of a row.
    pub(crate) features: usize,
    /// How they are ordered.
    pub(crate) order: Order,
    /// The position of each row; none if there are no features, since rows cannot be counted then.
    pub(crate) ids: Vec<i64>,
    /// At least one value, of which the rows are made that are added to.
    pub(crate) values: Vec<f32>,
}

/// All orders.
pub(crate) const ORDERS: [Order; 3] = [Order::Interleaved, Order::SinCos, Order::CosSin];

impl Absolute {
    /// The encoding under test.
    pub(crate) fn encoding(&self, level: Level) -> Sinusoidal {
        let encoding = Sinusoidal::new(self.features, 10_000.0).expect("a good base");
        encoding.with_order(self.order).with_level(level)
    }

    /// The table of all rows.
    pub(crate) fn table(&self, level: Level) -> Vec<f32> {
        let table = self.encoding(level).table(&Positions::ids(&self.ids), self.ids.len());
        table.expect("positions that are served")
    }

    /// The rows that are added to.
    pub(crate) fn x(&self) -> Vec<f32> {
        scattered(&self.values, self.ids.len() * self.features)
    }
}

/// `add` is `x + table` and `write` is the table, to the bit, at every level, and nothing else is touched.
pub(crate) fn adding_is_adding_the_table(rows: &Absolute, levels: &[Level]) {
    let x = rows.x();
    let table = rows.table(Level::named("scalar").expect("every machine has it"));
    let sum: Vec<f32> = x.iter().zip(&table).map(|(x, t)| x + t).collect();
    let positions = Positions::ids(&rows.ids);
    for &level in levels {
        let encoding = rows.encoding(level);
        assert_same(&rows.table(level), &table, format_args!("{level}: table"));
        for shift in 0..4 {
            let mut buffer = framed(&x, shift);
            encoding.add(&mut buffer[shift..][..x.len()], &positions).expect("positions that are served");
            assert_same(&buffer, &framed(&sum, shift), format_args!("{level}: add"));
            encoding.write(&mut buffer[shift..][..x.len()], &positions).expect("positions that are served");
            assert_same(&buffer, &framed(&table, shift), format_args!("{level}: write"));
        }
    }
}

/// A row alone is the row of the table; an offset is the ids it stands for.
pub(crate) fn a_row_alone_is_the_row_of_the_table(rows: &Absolute, levels: &[Level]) {
    for &level in levels {
        let encoding = rows.encoding(level);
        let table = rows.table(level);
        for (row, &id) in table.chunks_exact(rows.features.max(1)).zip(&rows.ids) {
            let alone = encoding.table(&Positions::from(id), 1).expect("a position that is served");
            assert_same(&alone, row, format_args!("{level}: position {id}"));
        }
    }
}

/// Orders differ in where values stand, not in the values; of an odd width, the row has one more of what comes first.
pub(crate) fn orders_hold_the_same_values(rows: &Absolute, levels: &[Level]) {
    let width = rows.features;
    for &level in levels {
        let in_order = |order| Absolute { order, ..rows.clone() }.table(level);
        let [woven, sin_cos, cos_sin] = ORDERS.map(in_order);
        let (sines, cosines) = (width.div_ceil(2), width / 2);
        for row in 0..rows.ids.len() {
            let cell = |table: &[f32], i: usize| table[row * width + i].to_bits();
            for i in 0..sines {
                assert_eq!(cell(&woven, 2 * i), cell(&sin_cos, i), "{level}: sine {i}");
            }
            for i in 0..cosines {
                assert_eq!(cell(&woven, 2 * i + 1), cell(&sin_cos, sines + i), "{level}: cosine {i}");
                assert_eq!(cell(&woven, 2 * i + 1), cell(&cos_sin, i), "{level}: cosine {i} in front");
                // With one cosine more in front, the sines begin one further back.
                assert_eq!(cell(&woven, 2 * i), cell(&cos_sin, sines + i), "{level}: sine {i} behind");
            }
        }
    }
}

/// Of an even width, the values are the cosines and sines of rotary tables.
pub(crate) fn sinusoids_are_the_rows_of_rotary_tables(rows: &Absolute, levels: &[Level]) {
    let pairs = rows.features / 2;
    if pairs == 0 {
        return;
    }
    let even = Absolute { features: 2 * pairs, order: Order::SinCos, ..rows.clone() };
    let frequencies = Turn::plain(pairs, posenc::Pairing::Halves).frequencies();
    for &level in levels {
        let builder = TableBuilder::new(&frequencies, Precision::Exact).with_level(level);
        let table = even.table(level);
        for (row, &id) in table.chunks_exact(even.features).zip(&even.ids) {
            let (mut cos, mut sin) = (guards(pairs), guards(pairs));
            builder.fill(&Positions::from(id), &mut cos, &mut sin).expect("a position that is served");
            assert_same(&row[..pairs], &sin, format_args!("{level}: sines of {id}"));
            assert_same(&row[pairs..], &cos, format_args!("{level}: cosines of {id}"));
        }
    }
}

/// Every value is that of the oracle. Its frequencies may be off in their last bit, so positions must be small.
pub(crate) fn sinusoids_are_those_of_the_oracle(rows: &Absolute, levels: &[Level]) {
    let frequencies = sinusoid::frequencies(rows.features, 10_000.0);
    let arrangement = match rows.order {
        Order::Interleaved => sinusoid::Arrangement::Interleaved,
        Order::SinCos => sinusoid::Arrangement::SinCos,
        Order::CosSin => sinusoid::Arrangement::CosSin,
    };
    // The row of an odd width is that of the next even one without its end: one more of what comes first.
    let even = rows.features.next_multiple_of(2);
    for &level in levels {
        let table = rows.table(level);
        for (row, &id) in table.chunks_exact(rows.features.max(1)).zip(&rows.ids) {
            let want = sinusoid::row(id, even, &frequencies, arrangement);
            for (i, (&got, want)) in row.iter().zip(want).enumerate() {
                let error = (f64::from(got) - want).abs();
                assert!(error <= tolerance::GOLDEN_EXACT, "{level}: position {id}, feature {i}: {got} is not {want}");
            }
        }
    }
}

"""Writes src/certified.rs: cosines and sines worked out to 60 digits with mpmath, each rounded once to f64.

Run in this directory:  pip install mpmath && python3 certify.py > src/certified.rs
The hard rows come from continued fractions: a convergent k/p of 2f/pi puts p*f as near to a multiple of pi/2
as any smaller p can, so one of cos and sin is as small as it gets.
"""

import struct
from fractions import Fraction

from mpmath import cos, floor, mp, mpf, pi, sin

# 60 digits for the results, and room for the 51 integer bits and the cancellation at a zero crossing.
mp.dps = 110


def exact(x):
    """An f64 as an mpf without rounding."""
    fraction = Fraction(x)
    return mpf(fraction.numerator) / mpf(fraction.denominator)


def convergents(x):
    """Convergents (numerator, denominator) of a positive mpf, up to denominators of 2**60."""
    h0, h1, k0, k1 = 0, 1, 1, 0
    while k1 < 2**60:
        a = int(floor(x))
        h0, h1, k0, k1 = h1, a * h1 + h0, k1, a * k1 + k0
        yield h1, k1
        if x == a:
            return
        x = 1 / (x - a)


def crossings(frequency, limit):
    """Positions below `limit` that come nearest to a zero of cos and to a zero of sin."""
    best = {}
    for k, p in convergents(2 * exact(frequency) / pi):
        if 0 < p < limit:
            best[k % 2] = p
    return sorted(best.values())


def hostile_frequency(position, exponent):
    """The f64 with the given unit whose product with `position` comes nearest to a multiple of pi/2."""
    unit = exact(position) * mpf(2) ** exponent
    mantissa = [m for _, m in convergents(2 * unit / pi) if m < 2**53][-1]
    return float(mantissa) * 2.0**exponent


def position_rows():
    ordinary = [(1, 1.0), (2, 1.0), (3, 0.25), (100, 0.01), (4095, 0.3), (65537, 0.8659643233600653),
                (131071, 1e-4), (999983, 0.123456789), (16777215, 1.0), (2**31, 1.0), (2**31 - 1, 1048575.9),
                (2**31, 1048575.999), (7, 1000.5), (1, 1048575.9999999999)]
    negative = [(-1, 1.0), (-5, 0.7), (-131072, 0.31622776601683794), (-(2**31), 0.9999), (12, -0.5), (-12, -0.5)]
    tiny = [(0, 0.5), (1, 0.0), (2**31, 0.0), (1, 1e-3), (3, 1e-7), (3, 1e-9), (1, 2.0**-59), (1, 2.0**-61),
            (2**31, 1e-20), (5, 1e-200), (5, 5e-324), (-5, 5e-324)]
    rows = ordinary + negative + tiny
    for base in (1e4, 5e5, 1e6):
        for pair in (0, 1, 7, 20, 45):
            frequency = base ** (-2 * pair / 128)
            for limit in (2**24, 2**31):
                rows += [(p, frequency) for p in crossings(frequency, limit)]
    hostile = ((1, -33), (3, -40), (16777215, -33), (2**31 - 1, -33), (2**31 - 1, -60), (-77777777, -45))
    for position, exponent in hostile:
        rows.append((position, hostile_frequency(abs(position), exponent)))
    return list(dict.fromkeys(rows))


def fractional_rows():
    """Products of two f64 whose rounding would matter: the exact product has up to 106 bits."""
    rows = [(0.1, 0.3), (12.75, 0.77), (4095.0625, 0.8659643233600653), (1e6 + 1 / 3, 0.01), (-0.7, 1.9),
            (2.0**1023, 1.5e-323)]
    for position, exponent in ((1 / 3, -33), (1.1, -40), (12345.678, -45), (8388607.9, -33)):
        rows.append((position, hostile_frequency(position, exponent)))
    return rows


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def f32_rows():
    """Plain arguments, then the f32 numbers nearest to some multiples of pi/2 up to 2**31."""
    rows = [-123456.7, 1e-45, 1e-38, 1e-8, 1e-4, 0.5, 2.0, 100.0, 155662.77, 889799.56, 2941520.2, 16777216.0, 2.0**31]
    for exponent in (-16, -8, -1, 3, 7):
        ratio = mpf(2) ** exponent * 2 / pi
        rows += [m * 2.0**exponent for _, m in convergents(ratio) if 2**20 < m < 2**24]
    return list(dict.fromkeys(f32(x) for x in rows))


def shortest_f32(x):
    """The shortest decimal that reads back as the same f32."""
    return next(repr(float(text)) for d in range(1, 12) if f32(float(text := f"{x:.{d}g}")) == x)


def limbs():
    scaled = int(floor(pi / 2 * mpf(2) ** 256 + mpf(1) / 2))
    return [scaled >> (64 * i) & (2**64 - 1) for i in reversed(range(5))]


def table(name, row_type, doc, rows, show):
    print(f"\n/// {doc}\n#[rustfmt::skip]\npub(crate) const {name}: &[{row_type}] = &[")
    for position, frequency in rows:
        angle = exact(position) * exact(frequency)
        print(f"    ({show(position)}, {frequency!r}, {float(cos(angle))!r}, {float(sin(angle))!r}),")
    print("];")


def main():
    print("//! Cosines and sines worked out to 60 digits and rounded once to f64, for the tests of the angle oracle.")
    print("//! They stand apart because `certify.py` writes this file; do not edit it by hand.\n")
    print("/// pi/2 in units of 2^-256, most significant limb first, to the nearest unit.")
    print("#[rustfmt::skip]\npub(crate) const HALF_PI: [u64; 5] = [")
    print("    " + ", ".join(f"0x{limb:016x}" for limb in limbs()) + ",\n];")
    products = "Position, frequency, cosine and sine of their exact product."
    table("POSITIONS", "(i64, f64, f64, f64)", products, position_rows(), repr)
    table("FRACTIONS", "(f64, f64, f64, f64)", products, fractional_rows(), repr)
    arguments = [(x, 1.0) for x in f32_rows()]
    table("ARGUMENTS", "(f32, f64, f64, f64)", "The same for f32 angles, times one.", arguments, shortest_f32)


if __name__ == "__main__":
    main()

"""Scaled frequencies to 60 digits, rounded once to f64: the table of `certified.rs`.

    python3 tests/scaling/certify.py

It needs no package. Every number is that of the formula for the f64 parameters that are shown, so a crate that rounds
correctly has the same bits.
"""

from decimal import Decimal, getcontext

getcontext().prec = 80
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534")


def power(base, exponent):
    return (base.ln() * exponent).exp()


def plain(width, base):
    return [power(Decimal(base), Decimal(-2 * j) / width) for j in range(width // 2)]


def ntk(width, base, factor):
    grown = Decimal(base) * power(Decimal(factor), Decimal(width) / (width - 2))
    return [power(grown, Decimal(-2 * j) / width) for j in range(width // 2)]


def dynamic(width, base, factor, trained, length):
    return ntk(width, base, Decimal(factor) * length / trained - (Decimal(factor) - 1))


def mixed(width, base, factor, exponent):
    pairs = Decimal(width // 2)
    slowed = [(Decimal(factor).ln() * power((j + 1) / pairs, Decimal(exponent))).exp() for j in range(width // 2)]
    return [f / s for f, s in zip(plain(width, base), slowed)]


def yarn(width, base, factor, original, fast, slow, truncate):
    def pair(turns):
        return width * (Decimal(original) / (2 * PI * Decimal(turns))).ln() / (2 * Decimal(base).ln())

    low, high = pair(fast), pair(slow)
    if truncate:
        low, high = low.to_integral_value("ROUND_FLOOR"), high.to_integral_value("ROUND_CEILING")
    low, high = max(low, Decimal(0)), min(high, Decimal(width - 1))
    ramps = [min(max((j - low) / (high - low), Decimal(0)), Decimal(1)) for j in range(width // 2)]
    return [f / Decimal(factor) * r + f * (1 - r) for f, r in zip(plain(width, base), ramps)]


def llama3(width, base, factor, low, high, original):
    def scaled(f):
        turns = Decimal(original) * f / (2 * PI)
        kept = (turns - Decimal(low)) / (Decimal(high) - Decimal(low))
        if kept >= 1:
            return f
        return f / Decimal(factor) if kept <= 0 else (1 - kept) * f / Decimal(factor) + kept * f

    return [scaled(f) for f in plain(width, base)]


def learned(width, base, alpha):
    return [f * Decimal(alpha).exp() for f in plain(width, base)]


def divided(width, base, divisor):
    return [f / Decimal(divisor) for f in plain(width, base)]


CASES = [
    ("Scaling::linear(3.7)", 96, 1e6, lambda w, b: divided(w, b, 3.7)),
    ("Scaling::ntk(7.3)", 128, 1e4, lambda w, b: ntk(w, b, 7.3)),
    ("Scaling::ntk(1000.0)", 128, 1e4, lambda w, b: ntk(w, b, 1000.0)),
    ("DynamicNtk::new(2.5, 4096, 31_000).into()", 80, 5e5, lambda w, b: dynamic(w, b, 2.5, 4096, 31000)),
    ("NtkMixed::new(8.0).into()", 64, 1e4, lambda w, b: mixed(w, b, 8.0, 1.0)),
    ("NtkMixed::new(11.0).with_exponent(0.625).into()", 64, 1e4, lambda w, b: mixed(w, b, 11.0, 0.625)),
    ("Yarn::new(4.3, 5000).with_betas(24.0, 1.5).into()", 112, 1e6, lambda w, b: yarn(w, b, 4.3, 5000, 24.0, 1.5, True)),
    (
        "Yarn::new(32.0, 4096).with_truncation(Truncation::Exact).into()",
        64,
        150000.0,
        lambda w, b: yarn(w, b, 32.0, 4096, 32.0, 1.0, False),
    ),
    (
        "Llama3::new(9.1).with_low_freq_factor(0.7).with_high_freq_factor(5.2).with_original_length(3000).into()",
        128,
        5e5,
        lambda w, b: llama3(w, b, 9.1, 0.7, 5.2, 3000),
    ),
    ("Scaling::Learned(vec![0.37; 32])", 64, 1e4, lambda w, b: learned(w, b, 0.37)),
    ("Scaling::Divisors(vec![1.0199999809265137; 48])", 96, 1e4, lambda w, b: divided(w, b, 1.0199999809265137)),
]

for scaling, width, base, formula in CASES:
    values = [float(value) for value in formula(width, base)]
    picked = sorted({1, width // 8, width // 6, width // 4 - 2, width // 4 + 3, width // 2 - 1})
    shown = ", ".join(f"({j}, {values[j]!r})" for j in picked)
    print(f"        ({scaling}, {width}, {base!r}, &[{shown}]),")

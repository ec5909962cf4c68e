"""Birth certificate of the polynomial constants for cos and sin of a quarter-turn fraction.

The argument r is a fraction of a quarter turn in [-1/2, 1/2] (the angle is r *
pi/2), and z = r * r lies in [0, 1/4]. The polynomials are

    sin(pi/2 * r) = r * (s0 + s1 z + s2 z^2 + ...)
    cos(pi/2 * r) = 1 + z * (c1 + c2 z + ...)

A Remez exchange in 60 digits finds the coefficients whose worst relative error is
the smallest possible, to within one part in a million of that error. They are then
rounded to f64 one after the other, lowest power first, and the coefficients not yet
rounded are optimised again after each rounding, so that they absorb the rounding of
those before them. The finished polynomial is compared with the function, in 60
digits, on a dense grid other than the one used for the optimisation.

Section 1 is for results that are looked at before they are rounded to f32. There the
polynomial is evaluated in f64, by Horner's rule, with separate multiplications and
additions; the whole error, evaluation included, has to stay below 1e-4 ULP of f32,
so that a result is in doubt only within 2^16 of its last places of half-way between
two f32 (2^16 of them are 1.2e-4 ULP of f32). A relative error e is at most e * 2^24
ULP of f32. The error of the evaluation is sampled at 4001 arguments. Section 2 is for double-precision tables:
relative error at most 2^-60 in exact arithmetic, with the leading coefficients split
into a pair hi + lo of f64. The variants with one and with two pairs are both listed.

Needs mpmath (`pip install mpmath`). Run with

    python3 docs/polynomials.py > docs/polynomials.txt
"""

import struct
from bisect import bisect_left

from mpmath import cos, log, lu_solve, matrix, mp, mpf, pi, polyval, sin, sqrt

mp.dps = 60
F32_BUDGET = mpf("1e-4")  # ULP of f32 beyond the 0.5 of the final rounding
TABLE_BUDGET = mpf(2) ** -60


def sin_over_r(z):
    r = sqrt(z)
    return sin(pi / 2 * r) / r if r else pi / 2


def cos_of_z(z):
    return cos(pi / 2 * sqrt(z))


def at(position, points):
    """A point of [0, 1/4]; positions 0 to `points` are packed towards both ends."""
    return (1 - cos(pi * position / points)) / 8


# Both functions are approximated by a polynomial in z. For cos the constant
# term is given (1), so it is never optimised.
SIN = {"name": "SIN", "f": sin_over_r, "given": []}
COS = {"name": "COS", "f": cos_of_z, "given": [mpf(1)]}
COARSE, FINE = 400, 4001  # grid sizes for the optimisation and for the measurement
COARSE_Z, FINE_Z = ([at(i, n) for i in range(n + 1)] for n in (COARSE, FINE))
for case in (SIN, COS):
    case["coarse"] = [case["f"](z) for z in COARSE_Z]
    case["fine"] = [case["f"](z) for z in FINE_Z]


def errors(coefficients, zs, values):
    return [polyval(coefficients[::-1], z) / f - 1 for z, f in zip(zs, values)]


def refined(errs, i):
    """Position of the extremum near grid point i: the vertex of a parabola."""
    if i in (0, COARSE):
        return mpf(i)
    left, mid, right = errs[i - 1 : i + 2]
    return i + (left - right) / (2 * (left - 2 * mid + right))


def exchange(nodes, positive, new, new_positive):
    """Put `new` in place of one node such that the error signs still alternate.

    `positive` tells whether the error is positive at the first node.
    """
    i = bisect_left(nodes, new)
    for j in (i - 1, i):
        if 0 <= j < len(nodes) and (positive == (j % 2 == 0)) == new_positive:
            return nodes[:j] + [new] + nodes[j + 1 :]
    return [new] + nodes[:-1] if i == 0 else nodes[1:] + [new]


def remez(case, fixed, count):
    """`fixed` followed by `count` coefficients, the latter minimax for relative error."""
    low = len(fixed)
    nodes = [mpf(COARSE * (i + 1)) / (count + 1) for i in range(count + 1)]
    for _ in range(200):
        rows, rhs = [], []
        for i, z in enumerate(at(node, COARSE) for node in nodes):
            f = case["f"](z)
            rows.append([z ** (low + k) / f for k in range(count)] + [-((-1) ** i)])
            rhs.append(1 - polyval(fixed[::-1], z) / f if fixed else mpf(1))
        *solved, level = lu_solve(matrix(rows), matrix(rhs))
        errs = errors(fixed + solved, COARSE_Z, case["coarse"])
        worst = max(range(COARSE + 1), key=lambda i: abs(errs[i]))
        if abs(errs[worst]) < abs(level) * (1 + mpf("1e-6")):
            return fixed + solved
        nodes = exchange(nodes, level > 0, refined(errs, worst), errs[worst] > 0)
    raise ArithmeticError("the Remez exchange did not converge")


def rounded(case, count, pairs):
    """Ideal coefficients, and the f64 parts (hi, lo) with lo = 0 beyond the pairs."""
    fixed, parts, ideal = list(case["given"]), [], None
    for k in range(count):
        coefficients = remez(case, fixed, count - k)
        ideal = ideal or coefficients
        c = coefficients[len(fixed)]
        hi = float(c)
        lo = float(c - mpf(hi)) if k < pairs else 0.0
        parts.append((hi, lo))
        fixed.append(mpf(hi) + mpf(lo))
    return ideal, fixed, parts


def worst_error(case, coefficients):
    return max(abs(e) for e in errors(coefficients, FINE_Z, case["fine"]))


def worst_f64_error(case, parts):
    """Worst relative error of the Horner evaluation in f64 (no fused operation)."""
    worst = mpf(0)
    for i in range(1, FINE + 1):
        r = 0.5 * i / FINE
        z = r * r
        acc = parts[-1][0]
        for hi, _ in parts[-2::-1]:
            acc = acc * z + hi
        got = r * acc if case is SIN else 1.0 + z * acc
        true = sin(pi / 2 * mpf(r)) if case is SIN else cos(pi / 2 * mpf(r))
        worst = max(worst, abs(mpf(got) / true - 1))
    return worst


def literal(x):
    """Shortest decimal that reads back as x, written the way Rust's {:?} does."""
    return repr(x).replace("e-0", "e-")


def print_array(name, values):
    print(f"const {name}: [f64; {len(values)}] = [")
    for x in values:
        assert float(literal(x)) == x
        bits = struct.unpack(">Q", struct.pack(">d", x))[0]
        print(f"    {literal(x)}, // 0x{bits:016x}")
    print("];")


def describe(e):
    return f"2^{mp.nstr(log(e, 2), 5)}, {mp.nstr(e * 2**24, 4)} ULP of f32 beyond 0.5"


def section_f32():
    print("// Section 1: evaluated in f64, rounded once to f32; budget 1e-4 ULP beyond 0.5.\n")
    for case, counts in ((SIN, (5, 6)), (COS, (4, 5, 6))):
        for count in counts:
            ideal, final, parts = rounded(case, count, 0)
            total = worst_f64_error(case, parts)
            met = "met" if total * 2**24 <= F32_BUDGET else "NOT met"
            print(f"// {case['name'].lower()}, {count} coefficients: budget {met}.")
            print(f"// Ideal coefficients:       {describe(worst_error(case, ideal))}")
            print(f"// Rounded to f64:           {describe(worst_error(case, final))}")
            print(f"// Horner evaluation in f64: {describe(total)}")
            print_array(f"{case['name']}_{count}", [hi for hi, _ in parts])
            print()


def section_tables():
    print("// Section 2: double-precision tables, relative error at most 2^-60.\n")
    for case in (SIN, COS):
        count = 6
        while worst_error(case, remez(case, case["given"], count)) > TABLE_BUDGET:
            count += 1
        for pairs in (1, 2):
            ideal, final, parts = rounded(case, count, pairs)
            before, after = (log(worst_error(case, c), 2) for c in (ideal, final))
            met = "met" if after <= -60 else "NOT met"
            shape = f"{count} coefficients, {pairs} as hi + lo"
            print(f"// {case['name'].lower()}, {shape}: budget {met}.")
            print(f"// Ideal: 2^{mp.nstr(before, 5)}; rounded: 2^{mp.nstr(after, 5)}")
            name = f"{case['name']}_TABLE_{pairs}"
            print_array(f"{name}_HI", [hi for hi, _ in parts])
            print_array(f"{name}_LO", [lo for _, lo in parts[:pairs]])
            print()


if __name__ == "__main__":
    section_f32()
    section_tables()

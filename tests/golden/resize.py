"""Writes resize.json: tables that PyTorch's `interpolate` resized, in f64, with and without antialiasing.

    pip install torch numpy
    python resize.py > resize.json
"""

import json

import numpy
import torch

SIZES = [
    ([1, 5], [1, 8]),
    ([1, 9], [1, 4]),
    ([2, 3], [4, 5]),
    ([7, 7], [9, 8]),
    ([6, 5], [3, 2]),
    ([4, 4], [4, 4]),
    ([1, 1], [3, 2]),
    ([3, 8], [1, 1]),
]
FACTORS = [([3, 4], [1.7, 2.3]), ([7, 7], [9.1 / 7, 8.1 / 7]), ([8, 6], [0.55, 0.8])]
FEATURES = 3


def inputs(seed, count):
    """The generator of the other golden files."""
    index = numpy.arange(count, dtype=numpy.uint64)
    state = (index * 1103515245 + seed * 12345 + 54321) % 2**32
    return ((state >> numpy.uint64(8)).astype(numpy.float64) - 8388608) / 8388608


def case(number, grid, mode, antialias, corners=False, **target):
    table = torch.tensor(inputs(number, grid[0] * grid[1] * FEATURES)).reshape(1, *grid, FEATURES)
    resized = torch.nn.functional.interpolate(
        table.permute(0, 3, 1, 2), mode=mode, align_corners=corners, antialias=antialias, **target
    )
    rows = resized.permute(0, 2, 3, 1).reshape(-1, FEATURES)
    return {
        "id": f"{mode}{' antialias' if antialias else ''}{' corners' if corners else ''} {grid} by {json.dumps(target)}",
        "source": f"torch {torch.__version__} nn.functional.interpolate, f64",
        "params": {"table_seed": number, "grid": grid, "features": FEATURES, "mode": mode, "antialias": antialias, "align_corners": corners} | target,
        "expect": {"size": list(resized.shape[2:]), "rows_f64": rows.tolist()},
    }


cases = []
for mode in ["bilinear", "bicubic"]:
    for antialias in [False, True]:
        for size, to in SIZES:
            cases.append(case(len(cases), size, mode, antialias, size=to))
        # With both, PyTorch moves everything by half a step, so that corners are not corners any more.
        for size, to in SIZES if not antialias else []:
            cases.append(case(len(cases), size, mode, antialias, corners=True, size=to))
        for size, factors in FACTORS:
            cases.append(case(len(cases), size, mode, antialias, scale_factor=factors))

print('{"name": "resize", "about": "Learned tables for another grid, as rows of features.", "cases": [')
print(",\n".join(json.dumps(case) for case in cases))
print("]}")

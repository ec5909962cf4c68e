"""What the drivers share: shapes, the start of a process, the check, and timing in turns.

A driver hands over a way to call its peer and a way to read the result; this module prints the lines.
"""
import ctypes
import dataclasses
import os
import statistics
import sys
import time

HEADS, DIM = 32, 128
TOKENS = (1, 16, 128, 512, 4096)
FIRST = 3  # the position of the first token: not 0, where nothing turns
BASE = 10_000.0
HEADER = "peer,pairing,dtype,threads,tokens,heads,dim,ours_ns,peer_ns,ratio"
NOT_INSTALLED = 3  # exit status

# For inputs between -1 and 1. A peer may round its table and every product to the element type; ours rounds once.
TOLERANCE = {"f32": 1e-6, "bf16": 0.02, "f16": 0.0025}

# Seconds for each line, and samples at least.
BUDGET = float(os.environ.get("POSENC_PEERS_BUDGET", "0.8"))
LEAST = 7
SAMPLE = 100_000  # nanoseconds that a sample lasts at least

# Freed memory stays in the heap, so that a peer that allocates is not timed on page faults.
WARM_HEAP = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 34), "MALLOC_TOP_PAD_": str(1 << 28)}


@dataclasses.dataclass(frozen=True)
class Case:
    """One line."""
    peer: str
    pairing: str
    dtype: str
    threads: int
    tokens: int
    order: str

    def shape(self):
        """Of the tensor, in memory order."""
        return (self.tokens, HEADS, DIM) if self.order == "token-major" else (HEADS, self.tokens, DIM)


def start():
    """Number of threads, from the command line; settles what runtimes read only as they load."""
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    if os.environ.get("POSENC_PEERS_STARTED") != "1":
        names = ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        env = dict(os.environ, POSENC_PEERS_STARTED="1", **dict.fromkeys(names, str(threads)))
        if "POSENC_PEERS_COLD_HEAP" not in env:
            env.update(WARM_HEAP)
        os.execve(sys.executable, [sys.executable, *sys.argv], env)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    print(HEADER, flush=True)
    return threads


def run(driver):
    """Runs `driver(threads)`; a missing module ends the process with a status of its own."""
    threads = start()
    try:
        driver(threads)
    except ModuleNotFoundError as missing:
        print(f"# not installed: {missing.name}", file=sys.stderr)
        sys.exit(NOT_INSTALLED)


def angles(first, count):
    """Cosines and sines in float64, [count, DIM / 2], for positions from `first` on."""
    import numpy as np
    turns = np.outer(np.arange(first, first + count, dtype=np.float64), BASE ** (np.arange(0, -DIM, -2) / DIM))
    return np.cos(turns), np.sin(turns)


def numbers(case):
    """Random elements between -1 and 1, in the shape of the case; always the same."""
    import numpy as np
    import ours
    values = np.random.default_rng(7).uniform(-1, 1, case.shape()).astype(np.float32)
    return ours.narrow(values, case.dtype)


def compare(lib, case, x, call, result, chain=1):
    """Checks `result()` after `call()`, which rotates `x` `chain` times, then times it and ours and prints."""
    import numpy as np
    import ours
    rotary = ours.Rotary(lib, case, DIM, HEADS, FIRST, BASE)
    source, data, target = ours.aligned(x), ours.aligned(x), ours.aligned(x)
    in_place, into = rotary.in_place(data), rotary.into(source, target)
    try:
        call()
        theirs = np.asarray(result(), np.float32).reshape(-1)
        in_place(ctypes.c_size_t(chain))
        gap = float(np.max(np.abs(theirs - ours.widen(data, case.dtype))))
        if not gap <= TOLERANCE[case.dtype] * chain:
            raise ArithmeticError(f"results differ by {gap}")
        one = ctypes.c_size_t(1)
        times = in_turns({
            "in-place": lambda n: repeat(n, in_place, one),
            "into": lambda n: repeat(n, into, one),
            "bare": lambda n: in_place(ctypes.c_size_t(n)),
            "peer": lambda n: repeat(n, call),
        }, rest=case.threads > 1)
        peer = times.pop("peer") / chain
        for form, time_ns in times.items():
            print(f"{case.peer}/{form},{case.pairing},{case.dtype},{case.threads},{case.tokens},{HEADS},{DIM},"
                  f"{time_ns:.1f},{peer:.1f},{peer / time_ns:.2f}", flush=True)
    finally:
        rotary.close()


def attempt(lib, case, prepare, chain=1):
    """`compare`, with input, call and result from `prepare(x)`; a peer that lacks a case says so and the rest goes on."""
    x = numbers(case)
    try:
        call, result = prepare(x)
        compare(lib, case, x, call, result, chain)
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        print(f"# {case.peer} {case.pairing} {case.dtype} {case.tokens}: {type(error).__name__}: {reason}",
              file=sys.stderr, flush=True)


def repeat(count, function, *arguments):
    """Calls a function `count` times."""
    for _ in range(count):
        function(*arguments)


def in_turns(works, rest):
    """Median nanoseconds a call of each; every work takes a sample before any takes its next."""
    counts = {name: calls(work) for name, work in works.items()}
    samples = {name: [] for name in works}
    end = time.perf_counter() + BUDGET
    while len(samples["peer"]) < LEAST or time.perf_counter() < end:
        for name, work in works.items():
            if rest:
                # Threads of the one before may still be spinning on the processors of the next.
                time.sleep(0.005)
                work(1)
            samples[name].append(sample(work, counts[name]))
    return {name: statistics.median(times) for name, times in samples.items()}


def calls(work):
    """How many calls make a sample."""
    work(3)
    count = 1
    while sample(work, count) * count < SAMPLE:
        count *= 2
    return count


def sample(work, count):
    """Nanoseconds a call."""
    begin = time.perf_counter_ns()
    work(count)
    return (time.perf_counter_ns() - begin) / count

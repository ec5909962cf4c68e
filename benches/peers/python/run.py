"""Runs every peer that is installed, in passes, and prints the merged table.

    python run.py [--threads 1 2] [--passes 2] [--only TEXT] [--out FILE] [--features burn] [--no-build]

The crates are built first. Of several passes each side keeps its smaller median, since other work on a machine only ever
adds time. A peer that is not installed is named at the end; it is no failure. Burn is measured with its feature only.
"""
import argparse
import os
import pathlib
import subprocess
import sys

import timing

HERE = pathlib.Path(__file__).resolve().parent
CRATE = HERE.parent
SCRIPTS = ("torch_rope.py", "ort_rope.py", "openvino_rope.py", "vllm_cpu_rope.py")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--only", default="", help="run the drivers whose name contains this: rust, torch, ort, …")
    parser.add_argument("--out", type=pathlib.Path, help="also write the table to this file")
    parser.add_argument("--features", default="", help="features of the Rust peers: burn")
    parser.add_argument("--no-build", action="store_true")
    return parser.parse_args()


def drivers(release):
    """Name and command of each; the number of threads is added at the end."""
    rust = ("rust", [str(release / "posenc-peers")])
    return [rust, *((script, [sys.executable, str(HERE / script)]) for script in SCRIPTS)]


def run(command, threads, release):
    """Exit status and printed lines of one driver, held to as many processors as it has threads."""
    cpus = sorted(os.sched_getaffinity(0))[:threads]
    names = {"linux": "libposenc_peers.so", "darwin": "libposenc_peers.dylib"}
    library = os.environ.get("POSENC_PEERS_LIB", str(release / names.get(sys.platform, "posenc_peers.dll")))
    child = subprocess.Popen([*command, str(threads)], stdout=subprocess.PIPE, text=True,
                             env=dict(os.environ, POSENC_PEERS_LIB=library),
                             preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    output, _ = child.communicate()
    return child.returncode, [line for line in output.splitlines() if line and not line.startswith("#")]


def merge(table, lines):
    """Keeps the smaller time of each side; a line's key is all that stands before the times."""
    for line in lines:
        if line == timing.HEADER:
            continue
        *key, ours, peer, _ = line.split(",")
        ours, peer = float(ours), float(peer)
        old = table.get(tuple(key), (ours, peer))
        table[tuple(key)] = (min(ours, old[0]), min(peer, old[1]))


def text(table):
    lines = (",".join((*key, f"{ours:.1f}", f"{peer:.1f}", f"{peer / ours:.2f}")) for key, (ours, peer) in table.items())
    return "\n".join((timing.HEADER, *lines)) + "\n"


def main():
    args = arguments()
    release = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", CRATE / "target")) / "release"
    if not args.no_build:
        subprocess.run(["cargo", "build", "--release", "--workspace", "--features", args.features], cwd=CRATE, check=True)
    table, missing, failed = {}, set(), set()
    for name, command in drivers(release):
        if args.only not in name:
            continue
        for _ in range(args.passes):
            for threads in args.threads:
                status, lines = run(command, threads, release)
                merge(table, lines)
                if status == timing.NOT_INSTALLED:
                    missing.add(name)
                elif status != 0:
                    failed.add(name)
            if name in missing:
                break
    print(text(table), end="")
    if args.out:
        args.out.write_text(text(table))
    print(f"# not installed: {', '.join(sorted(missing)) or 'none'}", file=sys.stderr)
    print(f"# ended with an error: {', '.join(sorted(failed)) or 'none'}", file=sys.stderr)


if __name__ == "__main__":
    main()

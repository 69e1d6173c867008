#!/usr/bin/env python3
"""Runs the benchmarks of bench/results/analyses.md, which docs/performance.md sums up.

Each block of that file between `<!-- omen-bench ARGS -->` and `<!-- end -->` is the output of one run. Without arguments the runs are
made and printed; with --write their output also replaces the blocks. With --only N only the N-th block (from 1) is made.
"""

import argparse
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "bench/results/analyses.md"
BLOCK = re.compile(r"(<!-- omen-bench (.*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=pathlib.Path, default=ROOT / "build/check/bin/omen-bench", help="the program to run")
    parser.add_argument("--write", action="store_true", help="replace the blocks of bench/results/analyses.md")
    parser.add_argument("--only", type=int, help="only this block, counted from 1")
    options = parser.parse_args()

    count = 0

    def measure(block):
        nonlocal count
        count += 1
        if options.only not in (None, count):
            return block.group(0)
        print(f"omen-bench {block.group(2)}\n", flush=True)
        run = subprocess.run([options.bench, *shlex.split(block.group(2))], stdout=subprocess.PIPE, text=True, check=True)
        print(run.stdout, flush=True)
        return f"{block.group(1)}\n{run.stdout.strip()}\n\n{block.group(4)}"

    text = BLOCK.sub(measure, DOCUMENT.read_text(encoding="utf-8"))
    if options.write:
        DOCUMENT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

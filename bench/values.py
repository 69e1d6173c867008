#!/usr/bin/env python3
"""What it costs to record more than events: the marks of updates, and values.

  values.py --build BUILD [--only NAME]… [--rounds N] [--write]

Kernels (bench/kernels) are compiled by clang 19 -O1 in four ways: without omen's pass; with a pass that only marks
updates (tier 1); as usual; with --omen-values (tier 2). The program is run as `omen record` runs it, without what omen does after its end. One round runs
it in every way once, in an order that changes from round to round. Printed are the medians over the rounds of the ratios of processor time, with 95%
intervals (bootstrap), and the ratio of the raw recordings' sizes. With --write the block of docs/native.md is replaced.
"""
import argparse
import os
import pathlib
import random
import re
import resource
import shutil
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "native.md"
BLOCK = re.compile(r"(<!-- bench-values -->\n)(.*?)(<!-- end -->)", re.DOTALL)
# Sizes at which a recording takes tenths of a second.
PROGRAMS = {"hash_table": 20000, "histogram": 100000, "list": 3000, "lu": 120, "matrix": 120, "sor": 100, "sort": 40000, "sparse": 1000}
WAYS = {"unmarked": ["--omen-no-placement"], "marked": ["--omen-no-placement"], "usual": [], "values": ["--omen-values"]}


def compiled(build, folder, source, way):
    """`unmarked` has clang under a name that omen-cc knows no plugin for."""
    name = "clang++"
    if way == "unmarked":
        other = folder / f"{name}-18"
        other.write_text(f'#!/bin/sh\nexec {name}-19 "$@"\n')
        other.chmod(0o755)
        environment = {"OMEN_CXX": str(other)}
    else:
        environment = {"OMEN_CXX": f"{name}-19"}
    binary = folder / f"{source.stem}.{way}"
    subprocess.run([build / "bin" / "omen-c++", *WAYS[way], "-std=c++20", "-O1", "-g", "-w", source, "-o", binary], check=True,
                   env=os.environ | environment)
    return binary


def measured(binary, arguments, folder):
    """Processor time of the program, and the bytes that it has recorded."""
    raw = folder / "raw"
    raw.mkdir()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([binary, *arguments], check=True, capture_output=True, env=os.environ | {"OMEN_RECORD": str(raw)})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    size = sum(file.stat().st_size for file in raw.rglob("*") if file.is_file())
    shutil.rmtree(raw)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, size


def interval(ratios):
    rng = random.Random(1)
    medians = sorted(statistics.median(rng.choices(ratios, k=len(ratios))) for _ in range(2000))
    return medians[50], medians[1949]


def cell(ratios):
    low, high = interval(ratios)
    return f"{statistics.median(ratios):.2f} ({low:.2f}–{high:.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append", choices=PROGRAMS)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program in options.only or PROGRAMS:
            source = ROOT / "bench" / "kernels" / f"{program}.cpp"
            binaries = {way: compiled(options.build.resolve(), folder, source, way) for way in WAYS}
            seconds, sizes = {way: [] for way in WAYS}, {}
            rng = random.Random(1)
            for _ in range(options.rounds):
                for way in rng.sample(list(WAYS), len(WAYS)):
                    time, sizes[way] = measured(binaries[way], [str(PROGRAMS[program]), "2"], folder)
                    seconds[way].append(time)
            marks = [one / other for one, other in zip(seconds["marked"], seconds["unmarked"])]
            values = [one / other for one, other in zip(seconds["values"], seconds["usual"])]
            row = (f"| {program} | {statistics.median(seconds['usual']):.2f} | {cell(marks)} | {cell(values)} | {sizes['usual'] / 1e6:.1f} | "
                   f"{sizes['values'] / sizes['usual']:.1f} |")
            print(row, flush=True)
            rows.append(row)
    table = ("| program | seconds, recorded | marks / none | values / recorded | MB, recorded | size, values / recorded |\n"
             "| --- | ---: | ---: | ---: | ---: | ---: |\n" + "\n".join(rows) + f"\n\n{options.rounds} rounds.\n")
    if options.write:
        text = DOCUMENT.read_text()
        if not BLOCK.search(text):
            raise SystemExit(f"{DOCUMENT}: expected a block <!-- bench-values -->")
        DOCUMENT.write_text(BLOCK.sub(lambda found: found.group(1) + table + found.group(3), text))


main()

#!/usr/bin/env python3
"""The number of schedules until each program of bugs/ shows its bug: `omen explore` with each strategy, the program
alone, ThreadSanitizer, and rr's chaos mode where rr runs. Prints the table of docs/explore.md.

  table.py --omen O --cxx CXX [--runs 1000] [--plain 100] [--seeds 3]

A number is the median over the seeds; `-`: not found. A run without omen counts if it crashes, fails, reports a
race, or does not end in --patience seconds.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import programs

STRATEGIES = ("pos", "pct", "random")


def explored(options, program, binary, strategy):
    firsts = []
    for seed in range(options.seeds):
        arguments = ["--strategy", strategy, "--seed", str(1 + 1_000_000 * seed), "--runs", str(options.runs), "--stop"]
        _, report, _ = programs.explore(options.omen, binary, arguments, timeout=3600)
        firsts.append(programs.first_run(report, program.finds) or float("inf"))
    return statistics.median(firsts)


def repeated(command, times, patience):
    for number in range(1, times + 1):
        try:
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=patience, check=False)
        except subprocess.TimeoutExpired:
            return number
        if ended.returncode != 0:
            return number
    return float("inf")


def rr_runs(folder):
    if shutil.which("rr") is None:
        return False
    ended = subprocess.run(["rr", "record", "--chaos", "/bin/true"], capture_output=True, check=False,
                           env={"_RR_TRACE_DIR": str(folder / "rr"), "PATH": "/usr/bin:/bin"})
    return ended.returncode == 0


def shown(number):
    return "-" if number == float("inf") else f"{number:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--plain-cxx", default="g++-12")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--plain", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--patience", type=float, default=5)
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.omen = str(pathlib.Path(options.omen).absolute())
    some = [p for p in programs.programs("bugs") if re.search(options.filter, p.name)]
    with tempfile.TemporaryDirectory(prefix="omen-table-") as name:
        folder = pathlib.Path(name)
        for part in ("omen", "plain", "tsan"):
            (folder / part).mkdir()
        own = programs.build_all([options.cxx], some, folder / "omen", options.jobs)
        plain = programs.build_all([options.plain_cxx], some, folder / "plain", options.jobs, ["-pthread"])
        tsan = programs.build_all([options.plain_cxx], some, folder / "tsan", options.jobs, ["-pthread", "-fsanitize=thread"])
        chaos = rr_runs(folder)

        def row(program):
            cells = [explored(options, program, own[program.name], strategy) for strategy in STRATEGIES]
            cells.append(repeated([plain[program.name]], options.plain, options.patience))
            cells.append(repeated([tsan[program.name]], options.plain, options.patience))
            if chaos:
                trace = folder / f"rr.{program.name}"
                cells.append(repeated(["rr", "record", "--chaos", "-o", str(trace), plain[program.name]], options.plain, 60))
            return program, cells

        heads = ["pos", "pct", "random", "alone", "TSan"] + (["rr chaos"] if chaos else [])
        print(f"| program | shows | {' | '.join(heads)} |\n| --- | --- | {' | '.join('---' for _ in heads)} |", flush=True)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for program, cells in pool.map(row, some):
                print(f"| `{program.name}` | {program.finds} | {' | '.join(shown(c) for c in cells)} |", flush=True)
    if not chaos:
        print("\nrr does not run on this machine.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

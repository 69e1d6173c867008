#!/usr/bin/env python3
"""`omen explore` on the programs of this folder.

  bugs   each program of bugs/ shows its bug within --runs schedules, and its seed shows it again
  clean  no program of clean/ shows anything
  control  programs with all modelled operations run to their end, and only those with an expected finding show one
  same   the same seed leads to the same order of scheduling points: --repeat runs of --count programs, by their digests

  explore_test.py PART --omen O --cxx CXX [--runs N] [--strategy S] [--seed N] [--filter RE] [--repeat N] [--count N]
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import sys
import tempfile

import programs


def sarif_files(path, kind):
    """The files in which findings of the kind are located."""
    found = set()
    for result in json.loads(path.read_text(encoding="utf-8"))["runs"][0]["results"]:
        for place in result["locations"] + result.get("relatedLocations", []) if result["ruleId"] == kind else []:
            uri = place.get("physicalLocation", {}).get("artifactLocation", {}).get("uri", "")
            if uri:
                found.add(pathlib.PurePosixPath(uri).name)
    return found


def judge_bug(options, program, binary):
    base = ["--strategy", options.strategy or program.strategy, "--timeout", "60"]
    code, report, _ = programs.explore(options.omen, binary, [*base, "--seed", str(options.seed), "--runs", str(options.runs), "--stop"])
    found = programs.kinds(report)
    first = programs.first_run(report, program.finds)
    if code != 66 or first is None:
        return f"found {sorted(found) or 'nothing'} and not {program.finds} (exit code {code})"
    shown = [f["shown"] for f in report["races"] + report["failures"] if f["kind"] == program.finds]
    again = min(shown, key=lambda one: one["run"])
    steps = ["--steps", str(again["steps"])] if "steps" in again else []
    sarif = binary.with_suffix(".sarif")
    _, once, _ = programs.explore(options.omen, binary, [*base, *steps, "--seed", str(again["seed"]), "--runs", "1", "--sarif", str(sarif)])
    if program.finds not in programs.kinds(once):
        return f"seed {again['seed']} does not show it again: {sorted(programs.kinds(once))}"
    places = sarif_files(sarif, program.finds)
    if program.finds in ("deadlock", "livelock", "lost-wakeup") and not places:
        return "the finding has no place"
    if again in [f["shown"] for f in report["failures"]] and not places <= {f"{program.name}.cpp", "threads.hpp"}:
        return f"the place is not the program's: {sorted(places)}"
    print(f"{program.name}: {program.finds} by schedule {first}", flush=True)
    return None


def judge_clean(options, program, binary):
    arguments = ["--strategy", options.strategy or "pos", "--seed", str(options.seed), "--runs", str(options.runs)]
    code, report, _ = programs.explore(options.omen, binary, arguments)
    if program.finds:
        found = programs.kinds(report)
        return None if found == {program.finds} else f"found {sorted(found) or 'nothing'} and not {program.finds}, seed {options.seed}"
    if code != 0 or programs.kinds(report):
        return f"found {sorted(programs.kinds(report))} (exit code {code}), seed {options.seed}"
    if options.part == "clean" and report["exploration"]["schedules"] < 2:
        return "has only one schedule: the test is vacuous"
    return None


def judge_same(options, program, binary):
    """One seed per program, so that different seeds are covered."""
    seed = random.Random(f"{options.seed} {program.name}").randrange(1 << 32)
    digests = set()
    for _ in range(options.repeat):
        _, _, out = programs.explore(options.omen, binary, ["--strategy", options.strategy or "pos", "--seed", str(seed), "--runs", "1", "--list"])
        line = next(line for line in out.splitlines() if re.match(r"1 \d+ 0x", line))
        digests.add(" ".join(line.split()[2:]))
    if len(digests) != 1:
        return f"seed {seed} led to {len(digests)} schedules in {options.repeat} runs: {sorted(digests)[:4]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("bugs", "clean", "control", "same"))
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--strategy", default=None, help="default: the program's own, or pos")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--filter", default="")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.omen = str(pathlib.Path(options.omen).absolute())
    folder = {"clean": "clean", "control": "control"}.get(options.part, "bugs")
    some = [p for p in programs.programs(folder) if re.search(options.filter, p.name)]
    if options.part == "same":
        some = (some + programs.programs("clean"))
        some = random.Random(options.seed).sample(some, min(options.count, len(some)))
    judge = {"bugs": judge_bug, "clean": judge_clean, "control": judge_clean, "same": judge_same}[options.part]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="omen-explore-") as name:
        binaries = programs.build_all([options.cxx], some, pathlib.Path(name), options.jobs)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            faults = pool.map(lambda p: (p, judge(options, p, binaries[p.name])), some)
            for program, fault in faults:
                if fault:
                    print(f"{program.name}: {fault}", flush=True)
                    failed += 1
    print(f"{len(some)} programs, {failed} wrong")
    return 1 if failed or not some else 0


if __name__ == "__main__":
    sys.exit(main())

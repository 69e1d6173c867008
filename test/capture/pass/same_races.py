#!/usr/bin/env python3
"""Programs report the same races with placed checks as without.

Random programs (array_programs.py) are compiled both ways and run under `omen run --online=fto-hb` and under `omen run`, which records and then
analyses. For each way to run:

- every reported pair of lines that was observed races by the definition;
- there is a report exactly if there is a race by the definition;
- the first line that is observed to race with an earlier access is the same with and without placement;
- online, so are all lines that race with an earlier access, and the intervals between two releases of a thread with which they race.

Of every --search-th program a run is recorded, and the search for a witness decides every conflicting pair (`omen vindicate --candidates all`):
with and without placement all confirmed pairs must race in some schedule, which is also known by the definition. Pairs that are confirmed only with
placement, or only without, are counted.

A detector may choose which earlier access of an interval it reports, so pairs of lines need not be the same; the number of equal ones is printed.
In a recorded run the results after the first race depend on it: racing accesses count as ordered, and a range races as a whole. Predicted races
are not compared, because in those relations an access adds order, and a moved check adds it sooner (docs/placement.md); they are counted.

Of 40 programs and more, some must have races and some none.

Usage: same_races.py --omen O --cxx C [--programs N] [--seed N] [--level -O2] [--keep]
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import array_programs  # noqa: E402

INCLUDES = pathlib.Path(__file__).resolve().parent.parent / "golden"
WAYS = {"online": ["--online=fto-hb"], "recorded": []}


def compiled(options, folder, text, *words):
    source, binary = folder / "arrays.cpp", folder / ("placed" if not words else "plain")
    source.write_text(text, encoding="utf-8")
    command = [options.cxx, *words, "-std=c++20", "-g", options.level, "-pthread", "-I", str(INCLUDES), str(source), "-o", str(binary)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"OMEN_CXX": "clang++-19"})
    if done.returncode:
        raise SystemExit(f"not compiled: {done.stderr[:2000]}")
    return binary


def line_of(access):
    return next((frame["line"] for frame in access["stack"] if (frame.get("file") or "").endswith("arrays.cpp")), 0)


def races(options, binary, seed, way):
    """Pairs of lines, smaller first; those that were observed, and all."""
    report = binary.parent / f"{binary.name}-{seed}-{way}.json"
    done = subprocess.run([options.omen, "run", *WAYS[way], "--json", str(report), "--", str(binary), str(seed)], capture_output=True,
                          text=True, check=False, timeout=120)
    if done.returncode not in (0, 66) or not report.exists():
        raise SystemExit(f"seed {seed}: exit {done.returncode}: {done.stderr[-500:]}")
    found = [(race.get("observed"), tuple(sorted(map(line_of, race["accesses"][:2])))) for race in json.loads(report.read_text())["races"]]
    return {pair for observed, pair in found if observed}, {pair for _, pair in found}


def as_stretches(pairs, stretches):
    """The pairs as (later line, interval of the earlier one). Each line is done once; `stretches` has them in the order of the schedule."""
    order = {line: number for number, line in enumerate(stretches)}
    ordered = [sorted(pair, key=order.get) for pair in pairs if 0 not in pair]
    return {(later, stretches[earlier]) for earlier, later in ordered}


def confirmed(options, binary, seed):
    """Pairs of lines, smaller first, for which there is a witness."""
    trace, verdicts = (binary.parent / f"{binary.name}-{seed}.{end}" for end in ("omen", "json"))
    for command in ([options.omen, "record", "-o", str(trace), "--", str(binary), str(seed)],
                    [options.omen, "vindicate", "--candidates", "all", "--every", "--no-deadlocks", "--json", str(verdicts), str(trace)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode not in (0, 66):
            raise SystemExit(f"seed {seed}: {command[1]}: exit {done.returncode}: {done.stderr[-500:]}")
    races = [each["locations"] for each in json.loads(verdicts.read_text())["candidates"] if each["verdict"] == "race"]
    pairs = {tuple(sorted(int(place.split(":")[1]) for place in places)) for places in races if all("arrays.cpp:" in place for place in places)}
    return {pair for pair in pairs if 0 not in pair}  # code that the compiler merged from several lines has line 0


def searched(options, binaries, seed, possible, counts):
    placed, plain = (confirmed(options, binary, seed) for binary in binaries)
    for name, found in (("placed", placed), ("plain", plain)):
        if found - possible:
            yield f"seed {seed}, {name}: confirmed {sorted(found - possible)}, which no schedule has"
    counts["searched"] += 1
    counts["possible"] += len(possible)
    counts["confirmed"] += len(plain)
    counts["added"] += len(placed - plain)
    counts["lost"] += len(plain - placed)


def faults(options, binaries, seed, definition, counts):
    raced, stretches, possible = definition
    if seed % options.search == 0:
        yield from searched(options, binaries, seed, possible, counts)
    defined = {tuple(sorted(pair)) for pair in raced}
    for way in WAYS:
        found = [races(options, binary, seed, way) for binary in binaries]
        for name, (observed, everything) in zip(("placed", "plain"), found):
            wrong = {pair for pair in observed - defined if 0 not in pair}
            if wrong:
                yield f"seed {seed}, {way}, {name}: {sorted(wrong)} do not race"
            if bool(observed) != bool(defined):
                yield f"seed {seed}, {way}, {name}: {len(observed)} reported, {len(defined)} pairs race"
        placed, plain = (as_stretches(observed, stretches) for observed, _ in found)
        order = list(stretches)
        first = [min((order.index(line) for line, _ in some), default=None) for some in (placed, plain)]
        if first[0] != first[1]:
            yield f"seed {seed}, {way}: the first line is {first[0]} with placement, {first[1]} without, in the order of the schedule"
        if way == "online" and placed != plain:
            yield f"seed {seed}, {way}: only placed {sorted(placed - plain)}, only plain {sorted(plain - placed)}"
        for name, (observed, everything) in zip(("placed", "plain"), found):
            counts["predicted " + name] += len(everything - observed)
        counts["racy"] += bool(defined)
        counts["runs"] += 1
        counts["same pairs"] += found[0][1] == found[1][1]
        counts["pairs"] += len(found[1][1])


def run_batch(options, seeds, work):
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{seeds[0]}-", dir=work))
    text, defined = array_programs.source(seeds)
    binaries = [compiled(options, folder, text), compiled(options, folder, text, "--omen-no-placement")]
    counts = collections.Counter()
    return [fault for seed in seeds for fault in faults(options, binaries, seed, defined[seed], counts)], counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True, help="path of omen-c++")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--level", default="-O2", help="of optimisation")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS", os.cpu_count())))
    parser.add_argument("--search", type=int, default=2, help="look for witnesses in one of so many programs")
    parser.add_argument("--keep", action="store_true", help="keep sources and reports")
    options = parser.parse_args()
    seeds = list(range(options.seed, options.seed + options.programs))
    found, counts = [], collections.Counter()
    work = tempfile.TemporaryDirectory(prefix="omen-placement-")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for faults_of_batch, counted in pool.map(lambda some: run_batch(options, some, work.name), [seeds[i : i + 25] for i in range(0, len(seeds), 25)]):
            found += faults_of_batch
            counts += counted
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{options.programs} programs (seeds {seeds[0]} to {seeds[-1]}), {counts['runs']} pairs of runs, {counts['racy']} of them racy, "
          f"{counts['pairs']} pairs of lines, the same pairs in {counts['same pairs']} runs, "
          f"{counts['predicted placed']} and {counts['predicted plain']} predicted pairs with and without placement; witnesses in {counts['searched']} programs: "
          f"{counts['confirmed']} pairs confirmed without placement of {counts['possible']} possible, {counts['added']} more with it, {counts['lost']} fewer; {len(found)} faults")
    if options.keep:
        os.rename(work.name, kept := work.name + "-kept")
        os.mkdir(work.name)
        print(f"kept in {kept}")
    work.cleanup()
    if options.programs < 40:
        return 1 if found else 0  # too few programs to judge the coverage
    missing = [what for what, there in (("racy programs", counts["racy"]), ("programs without a race", counts["racy"] < counts["runs"]),
                                        ("reported pairs of lines", counts["pairs"]), ("confirmed pairs", counts["confirmed"])) if not there]
    if missing:
        print(f"the programs exercise too little: no {', no '.join(missing)}")
    return 1 if found or missing else 0


if __name__ == "__main__":
    sys.exit(main())

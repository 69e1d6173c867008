"""Programs in which no schedule has a race, because a value that is read decides, and their twins, which have it.

A judge gives random programs in one file (handed_over.py, decided.py). Each is compiled in several ways and recorded, and `omen vindicate --candidates
all` decides every pair: of a program nothing may be confirmed, of its twin something must. A twin is the same program with the argument `twin`. A program
returns 7 if the value was passed on, else 0.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import tempfile

INCLUDES = pathlib.Path(__file__).resolve().parent.parent / "golden"
PLACED, PLAIN, GCC = ("clang++-19", []), ("clang++-19", ["--omen-no-placement"]), ("g++-12", [])


@dataclasses.dataclass
class Judged:
    programs: int
    calls: int            # of the functions asked for, in the code with placed checks
    handed: int = 0       # runs that passed the value on
    candidates: int = 0
    faults: list = dataclasses.field(default_factory=list)


def run(command, **settings):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **settings)


def compiled(options, source, name, compiler, words):
    binary = source.with_name(name)
    command = [options.cxx, *words, "-std=c++20", "-g", options.level, "-pthread", "-I", str(INCLUDES), str(source), "-o", str(binary)]
    done = run(command, env=os.environ | {"OMEN_CXX": compiler})
    if done.returncode:
        raise SystemExit(f"not compiled: {done.stderr[:2000]}")
    return binary


def witnesses(options, binary, arguments):
    """(whether the value was passed on, the number of confirmed races, the number of candidates)"""
    trace, verdicts = (binary.parent / f"{binary.name}-{'-'.join(arguments)}.{end}" for end in ("omen", "json"))
    done = run([options.omen, "record", "-o", str(trace), "--", str(binary), *arguments])
    if done.returncode not in (0, 7):
        raise SystemExit(f"{binary.name} {arguments}: exit {done.returncode}: {done.stderr[-500:]}")
    judged = run([options.omen, "vindicate", "--candidates", "all", "--every", "--json", str(verdicts), str(trace)])
    if judged.returncode not in (0, 66):
        raise SystemExit(f"{binary.name} {arguments}: vindicate: exit {judged.returncode}: {judged.stderr[-500:]}")
    found = [each["verdict"] for each in json.loads(verdicts.read_text())["candidates"]]
    return done.returncode == 7, found.count("race"), len(found)


def one(options, binary, arguments):
    """(passed on, candidates, faults) of a program and its twin."""
    handed, races, candidates = witnesses(options, binary, arguments)
    _, of_twin, more = witnesses(options, binary, [*arguments, "twin"])
    faults = [f"{races} races confirmed, and there are none"] if races else []
    if not of_twin:
        faults.append("the race of the twin is not confirmed")
    return handed, candidates + more, [f"{binary.name}, arguments {' '.join(arguments)}: {fault}" for fault in faults]


def judged(options, seeds, source, builds, function):
    """source(seeds) is (the text, {seed: arguments}); builds are {name: (compiler, words)}; calls of `function` are counted."""
    text, arguments = source(seeds)
    with tempfile.TemporaryDirectory(prefix="omen-twins-") as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        path = pathlib.Path(work) / "twins.cpp"
        path.write_text(text, encoding="utf-8")
        binaries = {name: compiled(options, path, name, *build) for name, build in builds.items()}
        code = run(["objdump", "-d", "--no-show-raw-insn", str(binaries["placed"])]).stdout
        result = Judged(len(seeds), len(re.findall(f"call.*<{function}>", code)))
        for handed, candidates, faults in pool.map(lambda each: one(options, *each), [(binary, arguments[seed]) for seed in seeds for binary in binaries.values()]):
            result.handed += handed
            result.candidates += candidates
            result.faults += faults
    return result


def main(description, source, builds, level, function, vacuous):
    """The exit status. `vacuous(result)` says why the programs exercise too little, or nothing."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True, help="path of omen-c++")
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--level", default=level, help="of optimisation")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS", os.cpu_count())))
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    result = judged(options, seeds, source, builds, function)
    if reason := vacuous(result):
        result.faults.append(reason)
    print(*result.faults, sep="\n", end="\n" if result.faults else "")
    print(f"{result.programs} programs (seeds {seeds[0]} to {seeds[-1]}), {len(builds)} builds of each and of its twin: something handed over in {result.handed} runs, "
          f"{result.calls} placed checks of ranges, {result.candidates} candidates; {len(result.faults)} faults")
    return 1 if result.faults else 0

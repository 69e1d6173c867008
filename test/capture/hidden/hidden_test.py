#!/usr/bin/env python3
"""State that no instrumentation sees must never cause a false report, and must not hide visible races.

Random programs (programs.py) are compiled with omen-c++, their libraries without instrumentation, and run under `omen run` and
`omen run --online`. A program without a race must have no report; its racy twin must have exactly the predicted race. Compilers,
optimisation levels and analyses vary from program to program. With --visible the libraries are instrumented too.

Prints the seeds; `--seed N --programs 1 --keep` runs one program again and keeps its files.

Usage: hidden_test.py --omen O --cxx C [--programs N] [--seed N] [--kinds A,B] [--visible] [--keep]
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import channels  # noqa: E402
import programs  # noqa: E402

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"  # invisible.h
COMPILERS = ["g++", "clang++-19"]
MODES = [[], ["--online=st-wdc"], ["--online=st-dc"], ["--online=st-wcp"]]


class Failed(Exception):
    """A program that does not build or run."""


def call(command, seconds, env=None):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False, env=os.environ | (env or {}))
    except subprocess.TimeoutExpired as error:
        raise Failed(f"timeout: {' '.join(map(str, command))}") from error


def must(command, env=None):
    done = call(command, 120, env)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")


class Libraries:
    """library.cpp as two shared libraries (linked, opened) and archive.cpp as a static one."""

    def __init__(self, folder, options):
        self.folder = folder
        (folder / "library.h").write_text(channels.LIBRARY_HEADER)
        (folder / "library.cpp").write_text(channels.LIBRARY)
        (folder / "archive.cpp").write_text(channels.ARCHIVE)
        compiler = [options.cxx] if options.visible else ["g++"]
        common = [*compiler, "-std=c++20", "-g", "-O1", "-fPIC", "-pthread"]
        for name in ("libthird.so", "libopened.so"):
            must([*common, "-shared", folder / "library.cpp", "-o", folder / name])
        must([*common, "-c", folder / "archive.cpp", "-o", folder / "archive.o"])
        must(["ar", "rcs", folder / "libarchive.a", folder / "archive.o"])


def races_of(report, source):
    """The pairs of marks, or lines, of a report's races, each with observed or predicted."""
    marks = {number: line.rsplit("// ", 1)[1] for number, line in enumerate(source.splitlines(), 1) if line.endswith(("// A", "// B"))}
    found = {}
    for race in json.loads(report.read_text())["races"]:
        places = []
        for access in race["accesses"]:
            lines = [f["line"] for f in access["stack"] if f["file"].endswith("program.cpp")]
            places.append(marks.get(lines[0], f"line {lines[0]}") if lines else "elsewhere")
        found[tuple(sorted(places))] = "observed" if race["observed"] else "predicted"
    return found


def judge(program, libraries, options):
    """The faults of one program, as texts."""
    rng = random.Random(f"how {program.seed} {program.racy}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"p{program.seed}-{'racy' if program.racy else 'clean'}-", dir=libraries.folder))
    (folder / "program.cpp").write_text(program.source)
    compiler, level = rng.choice(COMPILERS), rng.choice(["-O0", "-O1", "-O2"])
    faults = []
    try:
        must([options.cxx, "-std=c++20", "-g", level, "-pthread", "-I", libraries.folder, "-I", GOLDEN, folder / "program.cpp",
              "-o", folder / "program", f"-L{libraries.folder}", "-lthird", "-larchive", f"-Wl,-rpath,{libraries.folder}"],
             {"OMEN_CXX": compiler})
        for mode in [[], rng.choice(MODES[1:])]:
            report = folder / f"report{''.join(mode)}.json"
            done = call([options.omen, "run", *mode, "--json", report, "--", folder / "program", libraries.folder / "libopened.so"], 120)
            if done.returncode not in (0, 66) or not report.exists():
                raise Failed(f"omen run {' '.join(mode)}: code {done.returncode}\n{done.stderr[-2000:]}")
            expected = {("A", "B"): "predicted"} if program.racy else {}
            found = races_of(report, program.source)
            must_find = mode in ([], ["--online=st-wdc"])
            if found != expected and (found or must_find):
                faults.append(f"{compiler} {level} {' '.join(mode) or 'recorded'}: expected {expected or 'no race'}, found {found}")
    except Failed as error:
        faults.append(f"{compiler} {level}: {error}")
    if not faults and not options.keep:
        shutil.rmtree(folder)
    return [f"seed {program.seed} {'racy' if program.racy else 'clean'} {sorted(set(program.kinds))}: {fault}" for fault in faults]


def arguments():
    parser = argparse.ArgumentParser(description="random programs whose state is hidden; the head of this file says more")
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True, help="omen-c++")
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", type=lambda text: text.split(","), help="only channels of these kinds")
    parser.add_argument("--visible", action="store_true", help="the libraries are instrumented")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS", os.cpu_count())))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    unknown = set(options.kinds or []) - channels.CHANNELS.keys()
    if unknown:
        parser.error(f"no such kinds: {sorted(unknown)}; there are {sorted(channels.CHANNELS)}")
    return options


def main():
    options = arguments()
    work, start = pathlib.Path(tempfile.mkdtemp(prefix="omen-hidden-")), time.monotonic()
    libraries = Libraries(work, options)
    # Every third program is a racy twin.
    made = [programs.make(seed, seed % 3 == 0, options.kinds) for seed in range(options.seed, options.seed + options.programs)]
    faults, kinds = [], collections.Counter(kind for program in made for kind in program.kinds)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda program: judge(program, libraries, options), made):
            for fault in found:
                print(fault, flush=True)
            faults += found
    if options.keep or faults:
        print(f"kept in {work}")
    else:
        shutil.rmtree(work)
    missing = sorted(set(options.kinds or channels.CHANNELS) - kinds.keys())
    if options.programs >= 60 and missing:
        print(f"this run says little: no channel of {missing}")
        return 1
    print(f"{len(made)} programs, {sum(p.racy for p in made)} of them racy twins, {sum(kinds.values())} hops: {len(faults)} faults "
          f"(seeds {options.seed} to {options.seed + options.programs - 1}), {time.monotonic() - start:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

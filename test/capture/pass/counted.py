#!/usr/bin/env python3
"""Programs whose threads count under locks: if the counts decide nothing, the race around them is found; otherwise there is none.

One thread writes x, then updates counters in sections. Another one, after that, also updates counters in sections and writes x. In a
racy program it always writes x: `omen run` has to confirm that race, whatever the counters are. In its twin it first reads one of
the counters that the first thread has increased, in a random way, and writes x only if that has the value of this run. Counters only grow, so no
schedule has a race: `omen vindicate --candidates all` has to confirm nothing.

Usage: counted.py --omen O --cxx C [--programs N] [--seed N] [--compilers A,B]
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

INCLUDES = pathlib.Path(__file__).resolve().parent.parent / "golden"
PRELUDE = """\
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>
#include "invisible.h"
struct Counters { int c0; long c1; unsigned char c2; double c3; };
Counters counters;
std::mutex m0, m1;
long copy;
int x;
__attribute__((noinline)) void write_if(bool wanted) { if (wanted) x = 2; }
"""
UPDATES = ["counters.c{} += {};", "counters.c{} = counters.c{} + {};", "counters.c{}++;"]
# Ways to read the value of a counter, and to use it.
LOOKS = [
    "long seen; {{ std::lock_guard g(m0); seen = (long)counters.c{c}; }} if (seen == {v}) x = 2;",
    "long seen; {{ std::lock_guard g(m0); {u} seen = (long)counters.c{c}; }} if (seen == {w}) x = 2;",
    "{{ std::lock_guard g(m0); copy = (long)counters.c{c}; }} long seen; {{ std::lock_guard g(m0); seen = copy; }} if (seen == {v}) x = 2;",
    "long seen; {{ std::lock_guard g(m0); seen = (long)counters.c{c}; }} write_if(seen == {v});",
    "{{ std::lock_guard g(m0); {u} }} long seen; {{ std::lock_guard g(m0); seen = (long)counters.c{c}; }} if (seen >= {w}) x = 2;",
]


class Thread:
    """Sections of updates, and the sums that they add to each counter."""

    def __init__(self, rng, always=None):
        self.added = [0, 0, 0, 0]
        self.text = []
        for section in range(rng.randint(1, 4)):
            chosen = rng.sample(range(4), rng.randint(1, 3))  # once each: the compiler would merge two updates across others
            if always is not None and section == 0 and always not in chosen:
                chosen.append(always)
            self.text.append("{ std::lock_guard g(m0); " + " ".join(self.update(rng, counter) for counter in chosen) + " }")
            if rng.random() < 0.3:
                self.text.append("{ std::lock_guard g(m1); }")

    def update(self, rng, counter):
        by = rng.randint(1, 3)
        form = rng.choice(UPDATES)
        self.added[counter] += 1 if "++" in form else by
        return form.format(*([counter] * (form.count("{}") - (0 if "++" in form else 1)) + [by]))


def program(rng, decides):
    counter = rng.randrange(4)
    first, second = Thread(rng, counter), Thread(rng)
    now = first.added[counter] + second.added[counter]
    look = rng.choice(LOOKS).format(c=counter, v=now, w=now + 1, u=f"counters.c{counter} += 1;") if decides else "x = 2;"
    return (PRELUDE + "int main() {\n  std::thread first([] {\n    x = 1;\n    " + "\n    ".join(first.text) + "\n    reach(1);\n  });\n"
            "  std::thread second([] {\n    await(1);\n    " + "\n    ".join(second.text) + "\n    " + look + "\n  });\n"
            "  first.join();\n  second.join();\n}\n")


def races(options, folder, source, level, compiler):
    """The report of `omen run`, and the pairs that the search confirms among all pairs of its trace."""
    path = folder / "program.cpp"
    path.write_text(source)
    environment = dict(os.environ, OMEN_CXX=compiler)
    subprocess.run([options.cxx, "-std=c++20", "-g", level, "-pthread", f"-I{INCLUDES}", str(path), "-o", str(folder / "program")], check=True,
                   env=environment)
    run = subprocess.run([options.omen, "run", "--no-deadlocks", "--json", str(folder / "run.json"), "--keep", str(folder / "t.omen"), "--",
                          str(folder / "program")], capture_output=True, text=True, timeout=300)
    reported = json.loads((folder / "run.json").read_text())["races"]
    checked = subprocess.run([options.omen, "check", str(folder / "t.omen"), str(folder / "run.json")], capture_output=True, text=True)
    if run.returncode not in (0, 66) or checked.returncode != 0:
        sys.exit(f"exit codes {run.returncode} and {checked.returncode}\n{run.stderr}{checked.stdout}\n{source}")
    subprocess.run([options.omen, "vindicate", "--candidates", "all", "--json", str(folder / "all.json"), str(folder / "t.omen")],
                   capture_output=True, timeout=300)
    confirmed = [c for c in json.loads((folder / "all.json").read_text())["candidates"] if c["verdict"] == "race"]
    dump = subprocess.run([options.omen, "dump", str(folder / "t.omen")], capture_output=True, text=True, check=True).stdout
    return reported, confirmed, dump.count("w.update(")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compilers", default="g++-12,clang++-19", help="those that mark updates")
    options = parser.parse_args()
    faults = 0
    updates, models = dict.fromkeys(options.compilers.split(","), 0), {name: set() for name in options.compilers.split(",")}
    with tempfile.TemporaryDirectory() as name:
        for seed in range(options.seed, options.seed + options.programs):
            rng = random.Random(seed)
            decides = seed % 2 == 0
            source = program(rng, decides)
            level = rng.choice(["-O0", "-O1", "-O2"])
            compiler = rng.choice(sorted(updates))
            reported, confirmed, marked = races(options, pathlib.Path(name), source, level, compiler)
            updates[compiler] += marked
            models[compiler] |= {race.get("model") for race in reported}
            if decides != (not reported) or decides != (not confirmed):
                faults += 1
                print(f"seed {seed} {compiler} {level}: {len(reported)} reported, {len(confirmed)} confirmed, expected {'none' if decides else 'a race'}\n{source}")
    print(f"{options.programs} programs (seeds from {options.seed}), updates in their traces: {updates}: {faults} faults")
    for compiler in updates:
        if updates[compiler] == 0 or "data" not in models[compiler]:
            print(f"{compiler}: no updates were marked, or none mattered")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

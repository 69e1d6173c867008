#!/usr/bin/env python3
"""Placed checks are precise in every interval of every run: programs compiled with `omen-cc --omen-verify-placement` compare them themselves.

The runtime gets each access and each check, and compares their bytes at each synchronisation
(capture/runtime/dispatch/verified_placement.hpp): no access without a check, no check without an access, no read lost. Compiled in this way are

- golden programs (with --golden N, one of N, by a hash of the name, and all that leave functions in unusual ways);
- the kernels of bench/kernels, small;
- random programs with loops (array_programs.py), and those in which a value read decides (handed_over.py).

Before that, a program without instrumentation reports checks that are wrong in each of the ways, and the runtime must find each fault. Each
group must have accesses, and fewer checks than accesses.

Usage: verified.py --build BUILD [--golden N] [--programs N] [--seed N] [--level -O2]
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "golden"))
import array_programs  # noqa: E402
import handed_over  # noqa: E402
import run_golden  # noqa: E402

KERNELS = HERE.parents[2] / "bench" / "kernels"
SIZES = {"lu": 60, "matrix": 60, "sparse": 500, "sor": 60, "sort": 5000, "histogram": 20000, "strings": 200, "hash_table": 2000, "list": 300}
UNUSUAL = re.compile(r"^(placed|jmp|exception|exit|signal|fork|tls|mem|java)_")
SUMMARY = re.compile(r"^omen: placement: (\d+) stretches, (\d+) accesses, (\d+) checks, (\d+) faults$", re.MULTILINE)
FAULT = re.compile(r"^omen: placement: byte .*$", re.MULTILINE)

# Functions, each with one fault, and the runtime's message.
WRONG = {
    "is read without a check": "__omen_verify_access(bytes, 4, 0, 1); __omen_verify_check(bytes, 3, 0, 2);",
    "is written without a check": "__omen_verify_access(bytes, 4, 1, 1); __omen_verify_check(bytes, 4, 0, 2);",
    "is checked and not accessed": "__omen_verify_check(bytes, 100, 0, 1); __omen_verify_access(bytes, 99, 0, 2);",
    "is checked for a write and not written": "__omen_verify_check(bytes, 4, 1, 1); __omen_verify_access(bytes, 4, 0, 2);",
    "is read before it is written and not checked so":
        "__omen_verify_check(bytes, 4, 1, 1); __omen_verify_access(bytes, 4, 0, 2); __omen_verify_access(bytes, 4, 1, 2);",
}
# Precise checks, and a check on the wrong side of a synchronisation.
RIGHT = ("__omen_verify_check(bytes, 9, 2, 1); __omen_verify_access(bytes, 9, 0, 2); __omen_verify_access(bytes, 9, 1, 2);")
ACROSS = "__omen_verify_check(bytes, 4, 1, 1); pthread_mutex_lock(&m); __omen_verify_access(bytes, 4, 1, 2); pthread_mutex_unlock(&m);"


def run(command, **settings):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False, timeout=120, **settings)


class Counts:
    def __init__(self):
        self.programs = self.stretches = self.accesses = self.checks = 0

    def add(self, text):
        """The faults in the output of a run."""
        for stretches, accesses, checks, _ in SUMMARY.findall(text):
            self.stretches += int(stretches)
            self.accesses += int(accesses)
            self.checks += int(checks)
        return FAULT.findall(text)


class Verifier:
    def __init__(self, options, work):
        self.omen, self.work, self.level = options.build / "bin" / "omen", work, options.level
        self.drivers = {"": options.build / "bin" / "omen-cc", "++": options.build / "bin" / "omen-c++"}
        self.environment = os.environ | {"OMEN_CC": "clang-19", "OMEN_CXX": "clang++-19"}

    def compile(self, source, name, *words):
        binary = self.work / name
        done = run([self.drivers["++"], "--omen-verify-placement", "-std=c++20", "-g", self.level, "-pthread", "-I", HERE.parent / "golden", *words, source,
                    "-o", binary], env=self.environment)
        if done.returncode:
            raise SystemExit(f"{name} does not compile: {done.stderr[:2000]}")
        return binary

    def told(self, counts, what, binary, *arguments, environment=None):
        """Runs a program; the faults, with its name."""
        done = run([self.omen, "run", "--online=fto-hb", "--", binary, *arguments], env=environment or os.environ, stdin=subprocess.DEVNULL)
        counts.programs += 1
        return [f"{what} {' '.join(arguments)}: {fault}" for fault in counts.add(done.stderr)]

    # Each of the following returns faults.

    def wrong_checks(self, counts):
        bodies = [*WRONG.values(), RIGHT, ACROSS]
        cases = "".join(f"    case {number}: {body} break;\n" for number, body in enumerate(bodies))
        source = self.work / "wrong.cpp"
        source.write_text(
            '#include <pthread.h>\n#include <cstdlib>\nextern "C" void __omen_verify_access(void*, unsigned long, unsigned, unsigned);\n'
            'extern "C" void __omen_verify_check(void*, unsigned long, unsigned, unsigned);\n'
            "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nalignas(64) static char bytes[128];\n"
            '__attribute__((no_sanitize("thread"))) int main(int, char** arguments) {\n  switch (atoi(arguments[1])) {\n' + cases + "  }\n}\n", encoding="utf-8")
        binary = self.compile(source, "wrong")
        faults = []
        for number, expected in enumerate([[text] for text in WRONG] + [[], ["is checked and not accessed", "is written without a check"]]):
            found = self.told(counts, "wrong", binary, str(number))
            if len(found) < len(expected) or (not expected and found) or not all(any(text in fault for fault in found) for text in expected):
                faults.append(f"wrong {number}: expected {expected}, found {found}")
        return faults

    def golden_one(self, program):
        counts = Counts()
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        tool = types.SimpleNamespace(command=lambda of, _: [str(self.drivers["++" if of.path.suffix == ".cpp" else ""]), "--omen-verify-placement"],
                                     build_env=lambda *_: self.environment)
        binary, library = run_golden.build(tool, program, "clang-19", folder)
        faults = []
        for words in program.runs:
            arguments = [word.replace("%lib", str(library)) for word in words]
            faults += self.told(counts, program.name, binary, *arguments, environment=os.environ | program.env)
        return faults, counts

    def golden(self, counts, pool, one_of):
        folder = run_golden.FOLDER
        programs = [run_golden.Program(path) for path in sorted(folder.glob("*.c*"))]
        chosen = [each for each in programs if each.wants("clang-19") and (zlib.crc32(each.name.encode()) % one_of == 0 or UNUSUAL.match(each.name))]
        faults = []
        for found, counted in pool.map(self.golden_one, chosen):
            faults += found
            for name in vars(counts):
                setattr(counts, name, getattr(counts, name) + getattr(counted, name))
        return faults

    def kernels(self, counts):
        faults = []
        for source in sorted(KERNELS.glob("*.cpp")):
            binary = self.compile(source, f"kernel-{source.stem}")
            faults += self.told(counts, source.name, binary, str(SIZES.get(source.stem, 50)))
        return faults

    def random(self, counts, seeds):
        faults = []
        text, _ = array_programs.source(seeds)
        (self.work / "arrays.cpp").write_text(text, encoding="utf-8")
        binary = self.compile(self.work / "arrays.cpp", "arrays")
        for seed in seeds:
            faults += self.told(counts, "arrays", binary, str(seed))
        text, arguments = handed_over.source(seeds)
        (self.work / "handed_over.cpp").write_text(text, encoding="utf-8")
        binary = self.compile(self.work / "handed_over.cpp", "handed_over")
        for seed in seeds:
            faults += self.told(counts, "handed_over", binary, *arguments[seed])
        return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--golden", type=int, default=1, help="one of so many golden programs")
    parser.add_argument("--programs", type=int, default=40, help="random programs of each kind")
    parser.add_argument("--seed", type=int, default=1, help="of the first of them")
    parser.add_argument("--level", default="-O2", help="of optimisation, of kernels and random programs")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS", os.cpu_count())))
    options = parser.parse_args()
    options.build = options.build.resolve()
    seeds = range(options.seed, options.seed + options.programs)
    groups = {name: Counts() for name in ("wrong", "golden", "kernels", "random")}
    with tempfile.TemporaryDirectory(prefix="omen-verified-") as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        verifier = Verifier(options, pathlib.Path(work))
        others = [pool.submit(verifier.kernels, groups["kernels"]), pool.submit(verifier.random, groups["random"], seeds)]
        faults = verifier.wrong_checks(groups["wrong"]) + verifier.golden(groups["golden"], pool, options.golden)
        for other in others:
            faults += other.result()
    for name in ("golden", "kernels", "random"):
        counted = groups[name]
        if not 0 < counted.checks < counted.accesses:
            faults.append(f"{name}: {counted.accesses} accesses, {counted.checks} checks")
    print(*faults, sep="\n", end="\n" if faults else "")
    shown = ", ".join(f"{name}: {of.programs} runs, {of.stretches} stretches, {of.accesses} accesses, {of.checks} checks" for name, of in groups.items())
    print(f"seeds {seeds[0]} to {seeds[-1]}; {shown}; {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

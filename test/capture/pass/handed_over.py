#!/usr/bin/env python3
"""Programs in which a value read decides: no witness may be found, with placement and without.

One thread writes x and then, under a lock, one element of an array. Another one drains the array under the lock, with random loops and lines
that read and write overlapping memory through several pointers (it only writes 0), and writes x if it has read a value other than 0. So no schedule
has a race. The trace shows that only if it contains the read of the element before the writes of the same memory: `omen vindicate
--candidates all` has to confirm nothing. The twin of each program passes nothing on, and always writes x: there it has to confirm the race.

Usage: handed_over.py --omen O --cxx C [--programs N] [--seed N] [--level -O2]
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

INCLUDES = pathlib.Path(__file__).resolve().parent.parent / "golden"
COMPILERS = {"placed": ("clang++-19", []), "plain": ("clang++-19", ["--omen-no-placement"]), "gcc": ("g++-12", [])}
PRELUDE = """\
#include <pthread.h>
#include <cstdlib>
#include "invisible.h"
struct Pair { int x, y; };
static int values[96], other;
int x;
static char flag[96];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
template <class T> static inline T hidden(T value) { __asm__("" : "+r"(value)); return value; }
using Drain = long(int* p, int* q, const char* flag, long n);
__attribute__((noinline)) static long take(const int* from, const char* flag) { return *flag ? *from : 0; }
static Drain* drain;
static int element;
static bool is_twin;
static void* fills(void*) {
  x = 1;
  pthread_mutex_lock(&m);
  (is_twin ? other : values[element]) = 1;
  pthread_mutex_unlock(&m);
  reach(1);
  return nullptr;
}
static void* drains(void* argument) {
  await(1);
  pthread_mutex_lock(&m);
  const long found = drain(values, hidden(values + (long)argument), flag, hidden(64L));
  pthread_mutex_unlock(&m);
  if (found != 0 || is_twin) x = 2;
  return (void*)found;
}
"""
# p and q point into the same array.
LINES = [
    "for (long i = 0; i < n; ++i) { if (flag[i]) sum += p[i]; p[i] = 0; }",
    "for (long i = 0; i < n; ++i) { sum += p[i]; p[i] = 0; }",
    "for (long i = 0; i < n; ++i) { p[i] = 0; sum += p[i + 1]; }",
    "for (long i = 0; i < n; ++i) { p[i] = 0; if (flag[i]) sum += q[i]; }",
    "for (long i = 0; i < n; ++i) { if (flag[i]) sum += q[0]; *p = 0; }",
    "for (long i = n; i-- > 0;) { if (flag[i]) sum += q[i]; p[i] = 0; }",
    "for (long i = 0; i < n; ++i) { long t = q[i]; p[i] = 0; q[i] = 0; sum += t; }",
    "for (long i = 0; i < 8; ++i) for (long j = 0; j < 8; ++j) { if (flag[8 * i + j]) sum += q[8 * i + j]; p[8 * i + j] = 0; }",
    "for (long i = 0; i < n / 2; ++i) { p[2 * i] = 0; sum += q[2 * i]; p[2 * i + 1] = 0; }",
    "for (long i = 0; i < n; ++i) { sum += take(q + i, flag + i); p[i] = 0; }",
    "for (long i = 0; i < n; ++i) { p[i] = 0; sum += take(p + i + 1, flag + i + 1); }",
    "p[A] = 0, sum += take(q + B, flag), p[A + 1] = 0;",
    "p[A] = 0, sum += *q, p[A + 1] = 0;",
    "p[A] = 0, sum += q[B], p[A + 1] = 0, p[A + 2] = 0, sum += q[B + 1];",
    "for (long i = 0; i < n / 3; ++i) { if (flag[i]) sum += q[i]; p[3 * i] = 0; }",
    "for (long i = 0; i < n / 2; ++i) { sum += take(q + 2 * i, flag + i); p[2 * i] = 0; }",
    "{ int t = p[A]; q[B] = 0; p[A] = 0; sum += t; }",
    "{ Pair* one = (Pair*)(p + A); Pair* two = (Pair*)(q + B); one->x = 0, sum += two->y, one->y = 0; }",
    "{ int* at = q; do { sum += *at; *p = 0; } while (flag[at++ - q]); }",
]


def source(seeds):
    """(the program, {seed: its arguments})"""
    lines, cases, arguments = [PRELUDE], [], {}
    for seed in seeds:
        r = random.Random(seed)
        lines.append(f"__attribute__((noinline)) static long drain_{seed}(int* p, int* q, const char* flag, long n) {{\n  long sum = 0;\n  (void)flag, (void)n;")
        distance, place = r.randint(0, 6), r.randint(0, 20)
        for _ in range(r.randint(1, 2)):
            lines.append("  " + r.choice(LINES).replace("A", str(place)).replace("B", str(max(0, place - distance + r.randint(0, 2)))))
        lines.append("  return sum;\n}")
        cases.append(f"    case {seed}: drain = drain_{seed}; break;")
        # The element is where the lines read: near `place`, or where q points.
        arguments[seed] = [str(word) for word in (seed, distance, r.choice([distance, place, place + 1, place + 2, r.randint(0, 63)]), r.choice([0, 1, 3]))]
    lines += ["int main(int count, char** arguments) {", "  if (count < 5) return 2;", "  switch (atoi(arguments[1])) {", *cases, "    default: return 2;", "  }",
              "  element = atoi(arguments[3]), is_twin = count > 5;", "  for (int i = 0; i < 96; ++i) flag[i] = (char)(i < 70 && (i * atoi(arguments[4]) % 2 == 0));",
              "  pthread_t a, b;", "  void* found = nullptr;", "  pthread_create(&a, nullptr, fills, nullptr);",
              "  pthread_create(&b, nullptr, drains, (void*)atol(arguments[2]));", "  pthread_join(a, nullptr);", "  pthread_join(b, &found);",
              "  return found != nullptr ? 7 : 0;", "}"]
    return "\n".join(lines) + "\n", arguments


def run(command, **settings):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **settings)


def compiled(options, folder, name):
    compiler, words = COMPILERS[name]
    binary = folder / name
    command = [options.cxx, *words, "-std=c++20", "-g", options.level, "-pthread", "-I", str(INCLUDES), str(folder / "handed_over.cpp"), "-o", str(binary)]
    done = run(command, env=os.environ | {"OMEN_CXX": compiler})
    if done.returncode:
        raise SystemExit(f"not compiled: {done.stderr[:2000]}")
    return binary


def witnesses(options, binary, arguments):
    """(whether a value was passed on, the number of confirmed races, the number of candidates)"""
    trace, verdicts = (binary.parent / f"{binary.name}-{'-'.join(arguments)}.{end}" for end in ("omen", "json"))
    done = run([options.omen, "record", "-o", str(trace), "--", str(binary), *arguments])
    if done.returncode not in (0, 7):
        raise SystemExit(f"{binary.name} {arguments}: exit {done.returncode}: {done.stderr[-500:]}")
    judged = run([options.omen, "vindicate", "--candidates", "all", "--every", "--json", str(verdicts), str(trace)])
    if judged.returncode not in (0, 66):
        raise SystemExit(f"{binary.name} {arguments}: vindicate: exit {judged.returncode}: {judged.stderr[-500:]}")
    found = [each["verdict"] for each in json.loads(verdicts.read_text())["candidates"]]
    return done.returncode == 7, found.count("race"), len(found)


def one(options, binaries, seed, arguments):
    faults, handed, candidates = [], 0, 0
    for name, binary in binaries.items():
        over, races, some = witnesses(options, binary, arguments)
        handed, candidates = handed + over, candidates + some
        if races:
            faults.append(f"seed {seed}, {name}, arguments {' '.join(arguments)}: {races} races confirmed, and there are none")
        _, races, some = witnesses(options, binary, [*arguments, "twin"])
        candidates += some
        if not races:
            faults.append(f"seed {seed}, {name}, arguments {' '.join(arguments)} twin: the race is not confirmed")
    return faults, handed, candidates


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True, help="path of omen-c++")
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--level", default="-O1", help="of optimisation")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS", os.cpu_count())))
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    with tempfile.TemporaryDirectory(prefix="omen-handed-over-") as work:
        folder = pathlib.Path(work)
        text, arguments = source(seeds)
        (folder / "handed_over.cpp").write_text(text, encoding="utf-8")
        binaries = {name: compiled(options, folder, name) for name in COMPILERS}
        symbols = run(["nm", str(binaries["placed"])]).stdout
        code = run(["objdump", "-d", "--no-show-raw-insn", str(binaries["placed"])]).stdout
        both = len(re.findall(r"call.*<__omen_read_write_range>", code))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            done = list(pool.map(lambda seed: one(options, binaries, seed, arguments[seed]), seeds))
    faults = [fault for each, _, _ in done for fault in each]
    handed = sum(over for _, over, _ in done)
    if handed < options.programs or both < options.programs // 4 or "__omen_read_write_range" not in symbols:
        faults.append("too few programs hand something over, or too few checks of loops were moved over reads")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{options.programs} programs (seeds {seeds[0]} to {seeds[-1]}), {len(COMPILERS)} builds of each and of its twin: something handed over in {handed} runs, "
          f"{both} checks moved over reads, {sum(some for _, _, some in done)} candidates; {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

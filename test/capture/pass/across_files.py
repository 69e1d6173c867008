#!/usr/bin/env python3
"""Checks that are placed where the linker has the code of several files together (-flto) are precise, and fewer.

A program of two files, in one of which the functions are that the loops of the other call: some do nothing but compute, read or write, some lock, free,
throw or end the program. It is compiled by `omen-cc --omen-verify-placement`, so that it compares its checks with its accesses itself
(verified_placement.hpp), in each way to link it: -flto, -flto=thin, each from fat objects too, with GNU ld and, where there is LLVM 19's, with lld, which takes the
plugin of the linker. There must be no fault; as many accesses however it is linked; fewer checks with lld's plugin than with GNU ld, and than
without -flto; and as many with GNU ld as without. A fat object that is linked without -flto is as if it was none: its functions have no mark of code
without instrumentation.

Usage: across_files.py --build BUILD
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LLD = pathlib.Path("/usr/lib/llvm-19/bin/ld.lld")
SUMMARY = re.compile(r"^omen: placement: (\d+) stretches, (\d+) accesses, (\d+) checks, (\d+) faults$", re.MULTILINE)

CALLED = r"""
#include <pthread.h>
#include <stdexcept>
#include <cstdlib>
int factor = 3, total;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int computes(int x) { return x * 5 + 1; }
int reads(int x) { return x * factor; }
int reads_at(const int* p) { return *p + 1; }
void writes_at(int* p, int x) { *p = x; }
int sums(const int* p, int n) { int s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
void locks(int x) { pthread_mutex_lock(&mutex); total += x; pthread_mutex_unlock(&mutex); }
int may_throw(int x) { if (x == 37) throw std::runtime_error("37"); return x; }
void frees(int* p) { free(p); }
int may_end(int x) { if (x == 1 << 30) exit(0); return x; }
"""

CALLS = r"""
#include <pthread.h>
#include <stdexcept>
#include <cstdlib>
int computes(int); int reads(int); int reads_at(const int*); void writes_at(int*, int); int sums(const int*, int); void locks(int); int may_throw(int);
void frees(int*); int may_end(int);
enum { kMany = 200 };
int a[kMany], b[kMany], sum;
struct Pair { int first, second; } pairs[kMany];
#define APART __attribute__((noinline))
APART void scale() { for (int i = 0; i < kMany; ++i) a[i] = computes(a[i]); }
APART void scale_by_factor() { for (int i = 0; i < kMany; ++i) a[i] = reads(b[i]); }
APART void same_array(int* p, int* q) { for (int i = 0; i < kMany; ++i) { p[i] = i; sum += reads_at(&q[i]); } }
APART void read_before(int* p, int* q) { for (int i = 0; i < kMany; ++i) { sum += reads_at(&q[i]); p[i] = i; } }
APART void written_there() { for (int i = 0; i < kMany; ++i) { sum += b[i]; writes_at(&b[i], i); } }
APART void twice(Pair* p) { sum += p->first; writes_at(&sum, computes(sum)); sum += p->first; p->second = reads(p->first); sum += p->second; }
APART void rows() { for (int i = 0; i < kMany; ++i) { b[i] = sums(a, i); a[i] += b[i]; } }
APART void under_locks() { for (int i = 0; i < kMany; ++i) { locks(a[i]); sum += b[i]; } }
APART void until_thrown() { try { for (int i = 0; i < kMany; ++i) { sum += may_throw(i); a[i] = i; } } catch (const std::runtime_error&) { sum = 0; } }
APART void of_blocks() { for (int i = 0; i < kMany; ++i) { int* p = static_cast<int*>(malloc(64)); p[3] = a[i]; sum += p[3]; frees(p); sum += b[i]; } }
APART void ending() { for (int i = 0; i < kMany; ++i) { sum += may_end(i); a[i] = i; } }
static void all() {
  scale(); scale_by_factor(); same_array(a, b); same_array(a, a); same_array(a + 1, a); read_before(a, b); read_before(a, a); written_there();
  for (Pair& pair : pairs) twice(&pair);
  rows(); under_locks(); until_thrown(); of_blocks(); ending();
}
int main() {
  pthread_t thread;
  all();
  pthread_create(&thread, nullptr, [](void* p) -> void* { all(); return p; }, nullptr);
  pthread_join(thread, nullptr);
}
"""


def run(*command, **settings):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False, timeout=300, **settings)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return done.stdout + done.stderr


class Linked:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.environment = os.environ | {"OMEN_CC": "clang-19", "OMEN_CXX": "clang++-19"}
        for name, text in (("called.cpp", CALLED), ("calls.cpp", CALLS)):
            (folder / name).write_text(text, encoding="utf-8")

    def omen(self, *words):
        return run(self.build / "bin" / "omen-c++", "-O2", "-g", "-std=c++20", "-pthread", *words, cwd=self.folder, env=self.environment)

    def counts(self, kind, linker):
        """(accesses, checks, faults) of a run."""
        self.omen("--omen-verify-placement", *kind, "-c", "called.cpp", "calls.cpp")
        self.omen(*kind, f"-fuse-ld={linker}", "called.o", "calls.o", "-o", "program")
        said = run(self.build / "bin" / "omen", "run", "--online=fto-hb", "--", self.folder / "program")
        _, accesses, checks, faults = map(int, SUMMARY.search(said).groups())
        return accesses, checks, faults

    def marks_of_fat_objects(self):
        self.omen("-flto", "-ffat-lto-objects", "-c", "calls.cpp")
        return run("objdump", "-dr", "calls.o", cwd=self.folder).count("__omen_leave")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    options = parser.parse_args()
    faults = []
    with tempfile.TemporaryDirectory(prefix="omen-across-files-") as folder:
        linked = Linked(options.build.resolve(), pathlib.Path(folder))
        apart = linked.counts([], "bfd")
        found = {}
        for kind in (["-flto"], ["-flto=thin"], ["-flto", "-ffat-lto-objects"]):
            for linker in ("bfd", "lld") if LLD.exists() else ("bfd",):
                found[f"{' '.join(kind)}, {linker}"] = linked.counts(kind, linker)
        marks = linked.marks_of_fat_objects()
    print(f"apart: {apart[0]} accesses, {apart[1]} checks")
    for name, (accesses, checks, wrong) in found.items():
        print(f"{name}: {accesses} accesses, {checks} checks, {wrong} faults")
        if wrong:
            faults.append(f"{name}: {wrong} faults")
        if not 0.95 * apart[0] < accesses <= apart[0]:
            faults.append(f"{name}: {accesses} accesses, {apart[0]} without -flto")
        if name.endswith("lld") and checks > (0.95 if "thin" in name else 0.8) * apart[1]:
            faults.append(f"{name}: {checks} checks, {apart[1]} without -flto")
        if name.endswith("bfd") and checks > apart[1]:
            faults.append(f"{name}: {checks} checks, {apart[1]} without -flto")
    if marks:
        faults.append(f"{marks} marks in a fat object")
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults or apart[2] or apart[1] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

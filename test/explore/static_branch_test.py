#!/usr/bin/env python3
"""The cost of the scheduler in a program that is not under control: no-op instructions
(capture/runtime/base/static_branch.hpp).

- Every entry of the section points to a five-byte no-op, and to a path inside the program's code.
- The functions that synchronise do not read the scheduler's mode.
- Linkers that drop unreferenced sections keep the entries.
- A controlled run has scheduling points; if the system forbids changing code, a message says so.

  static_branch_test.py --omen O --cxx CXX
"""

import argparse
import ctypes
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

PROGRAM = """
#include <pthread.h>
#include <atomic>
std::atomic<int> count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void* body(void*) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  ++count;
  return nullptr;
}
int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, body, nullptr);
  body(nullptr);
  pthread_join(thread, nullptr);
  return count == 2 ? 0 : 1;
}
"""
NOTHING = bytes.fromhex("0f1f440000")
SECTION = "omen_static_branches"
QUIET = [
    *(f"__omen_intercept_{name}" for name in (
        "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_rwlock_rdlock",
        "pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_spin_lock", "pthread_cond_wait",
        "pthread_cond_signal", "sem_wait", "sem_post", "pthread_barrier_wait", "pthread_once", "pthread_create",
        "pthread_join", "read", "write", "poll", "clock_gettime", "sched_yield")),
    *(f"__tsan_atomic32_{name}" for name in ("load", "store", "fetch_add", "compare_exchange_strong")),
    "__tsan_atomic_thread_fence",
    "_ZN4omen2rt8Recorder11synchroniseEPNS0_11ThreadStateENS_3raw5RawOpEmjm",
]
MODE = "_ZN4omen2rt8schedule4modeE"
PR_SET_MDWE = 65


class Elf:
    """The sections of a program: name, address, offset, bytes."""

    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        text = subprocess.run(["readelf", "-SW", str(path)], capture_output=True, text=True, check=True).stdout
        line = re.compile(r"^\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s+\S+\s+(\S*)", re.M)
        self.sections = [(name, int(at, 16), int(offset, 16), int(size, 16), flags)
                         for name, at, offset, size, flags in line.findall(text)]

    def code_at(self, address, count):
        for _, at, offset, size, flags in self.sections:
            if "X" in flags and at <= address and address + count <= at + size:
                return self.data[offset + address - at:offset + address - at + count]
        return None

    def branches(self):
        found = [s for s in self.sections if s[0] == SECTION]
        if not found:
            return []
        _, at, offset, size, _ = found[0]
        numbers = struct.unpack_from(f"<{size // 4}i", self.data, offset)
        places = [at + 4 * i + number for i, number in enumerate(numbers)]
        return list(zip(places[::2], places[1::2]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    faults = []

    def expect(holds, what):
        if not holds:
            faults.append(what)
            print(what, flush=True)

    with tempfile.TemporaryDirectory(prefix="omen-static-branch-") as name:
        folder = pathlib.Path(name)
        (folder / "program.cpp").write_text(PROGRAM, encoding="utf-8")
        built = folder / "program"

        def build(out, *extra):
            ended = subprocess.run([options.cxx, "-O1", "-g", str(folder / "program.cpp"), "-o", str(out), *extra],
                                   capture_output=True, text=True, check=False)
            expect(ended.returncode == 0, f"{out.name} is not built: {ended.stderr[-500:]}")
            return ended.returncode == 0

        if not build(built):
            return 1
        elf = Elf(built)
        branches = elf.branches()
        expect(len(branches) > 50, f"the program has only {len(branches)} static branches")
        for site, target in branches:
            expect(elf.code_at(site, 5) == NOTHING, f"{site:#x} is not five bytes of no operation: {elf.code_at(site, 5)}")
            expect(elf.code_at(target, 1) is not None, f"{site:#x} leads out of the code, to {target:#x}")

        def disassembled(function):
            return subprocess.run(["objdump", "-d", f"--disassemble={function}", str(built)], capture_output=True,
                                  text=True, check=True).stdout

        for function in QUIET:
            text = disassembled(function)
            expect("ret" in text or "jmp" in text, f"{function} is not in the program")
            expect(MODE not in text, f"{function} looks at the scheduler's mode")
        gate = disassembled("_ZN4omen2rt8schedule4gateEPNS0_11ThreadStateEmmmNS_9PointKindE")
        expect(MODE in gate, "the scheduler does not look at its mode: the test is vacuous")

        linkers = [linker for linker, tool in (("bfd", "ld.bfd"), ("gold", "ld.gold"), ("lld", "ld.lld")) if shutil.which(tool)]
        for linker in linkers:
            out = folder / f"program.{linker}"
            if build(out, f"-fuse-ld={linker}", "-Wl,--gc-sections"):
                kept = len(Elf(out).branches())
                expect(kept == len(branches), f"{linker} keeps {kept} of {len(branches)} static branches")
            report = folder / "report.json"
            subprocess.run([options.omen, "explore", "--runs", "3", "--seed", "1", "--json", str(report), "--", str(out)],
                           capture_output=True, check=False)
            points = json.loads(report.read_text(encoding="utf-8"))["exploration"]["points"]
            expect(points > 20, f"{linker}: three runs under control have {points} scheduling points")
        expect("bfd" in linkers, "no linker was tried")

        libc = ctypes.CDLL(None)
        probe = subprocess.run(["true"], check=False, preexec_fn=lambda: libc.prctl(PR_SET_MDWE, 1, 0, 0, 0))
        if probe.returncode == 0 and libc.prctl(PR_SET_MDWE + 1, 0, 0, 0, 0) >= 0:  # PR_GET_MDWE
            ended = subprocess.run([options.omen, "explore", "--runs", "2", "--", str(built)], capture_output=True,
                                   text=True, check=False, preexec_fn=lambda: libc.prctl(PR_SET_MDWE, 1, 0, 0, 0))
            expect(ended.returncode == 65, f"code that cannot be changed: exit code {ended.returncode}")
            expect("was not controlled" in ended.stderr, f"code that cannot be changed: {ended.stderr}")
            print("code that cannot be changed: tried")
        else:
            print("code that cannot be changed: this system's kernel has no such rule")
        print(f"{len(branches)} static branches, {len(QUIET)} functions, linkers: {' '.join(linkers)}; {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Every access to memory that another thread can reach has its event: random functions, compiled with omen-cc, run under valgrind's
lackey, which prints each load and store of the processor, however the compiler made it.

The program (functions.py) is linked with callbacks that store their events in a table (events.c), not with omen's runtime. Lackey's trace
also has the stores to that table, so accesses and events are in one order. Between two calls of functions that the compiler does not
know, the following must hold for each byte of shared memory:

- a byte that the processor reads has an event of a read, or the function itself has written it before, with an event;
- a byte that the processor writes has an event of a write;
- for a byte that it reads and later writes, the read's event does not follow the write's first event (a runtime drops reads of memory that
  the thread itself has written).

KNOWN lists the accesses that a compiler leaves out and omen does not add (docs/instrumentation.md). They have to occur too, or the list is
wrong; and the judge must detect that clang without omen's plugin leaves accesses out.

Usage: judge.py --build B [--functions N] [--seed N] [--levels O0,O2] [--compilers gcc,clang-19] [--flags=-mavx2] [--verbose]
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import functions  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ACCESS = re.compile(rb"^ ([LSM]) ([0-9a-f]+),(\d+)$", re.MULTILINE)
SLOT = 24
# Compiler -> (environment, words before the others, {kind of access that it is known to leave out: the missing event}).
GCC = {
    "bit_field_read": "it loads more bytes than there are bits, and does not use them",
    "bit_field_write": "it loads the neighbours' bits, and writes them again",
}
COMPILERS = {
    "gcc": ({"OMEN_CXX": "g++-12"}, ["-fchecking=1"], GCC),  # GCC verifies its code after each pass, including the plugin's
    "clang-19": ({"OMEN_CXX": "clang++-19"}, [], {}),
    "clang-19 unplaced": ({"OMEN_CXX": "clang++-19"}, ["--omen-no-placement"], {}),
}
# Not omen-cc: the compiler's instrumentation alone, to test the judge.
PLAIN = "clang-19 alone"


def built(options, folder, name, level):
    env, words, _ = COMPILERS.get(name, ({}, [], {}))
    program, common = folder / "program", [f"-{level}", "-std=c++20", "-g", *options.flags, "-Wno-psabi", "-fno-pie"]
    compiler = ["clang++-19", "-fsanitize=thread"] if name == PLAIN else [str(options.build / "bin" / "omen-c++"), *words]
    wraps = [f"-Wl,--wrap={function}" for function in ("memcpy", "memmove", "memset")]
    for command in ([*compiler, *common, "-c", str(options.source), "-o", str(folder / "program.o")],
                    ["gcc-12", "-O1", "-w", "-fno-pie", "-fno-builtin", "-c", str(HERE / "events.c"), "-o", str(folder / "events.o")],
                    ["g++-12", "-static", "-no-pie", *wraps, str(folder / "program.o"), str(folder / "events.o"), "-o", str(program)]):
        done = subprocess.run(command, env=os.environ | env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr[:3000]}")
    return program


def traced(program, folder):
    """([('L' | 'S' | 'M', address, bytes)], base of the table, [(kind, address, bytes)])"""
    log, table = folder / "lackey", folder / "events"
    done = subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={log}", str(program), str(table)],
                          capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        raise SystemExit(f"{program}: exit {done.returncode}: {done.stderr[-500:]} {log.read_text(errors='replace')[-500:]}")
    base, *lines = table.read_text().split("\n")
    events = [(kind, int(address, 16), int(size, 16)) for kind, address, size in (line.split() for line in lines if line)]
    accesses = [(what, int(address, 16), int(size)) for what, address, size in ACCESS.findall(log.read_bytes())]
    return accesses, int(base, 16), events


class Segment:
    """The accesses between two calls of unknown functions: for each byte, when it was first read and written, in accesses and events."""

    def __init__(self):
        self.read, self.written, self.read_event, self.write_event = {}, {}, {}, {}

    def faults(self):
        """(what, byte): sorted by bytes."""
        for byte in sorted(self.read.keys() | self.written.keys()):
            read, written = self.read.get(byte), self.written.get(byte)
            read_event, write_event = self.read_event.get(byte), self.write_event.get(byte)
            if written is not None and write_event is None:
                yield "written without an event", byte
            if read is not None and (written is None or read < written):
                if read_event is None:
                    yield "read without an event", byte
                elif write_event is not None and write_event < read_event:
                    yield "read behind the event of the write", byte


class Judge:
    def __init__(self):
        self.shared = {}  # begin -> end
        self.faults = collections.defaultdict(list)  # number of the function -> texts
        self.counts = collections.Counter()
        self.function, self.segment = None, Segment()

    def is_shared(self, address, size):
        return any(begin <= address and address + size <= end for begin, end in self.shared.items())

    def close(self):
        if self.function is not None:
            runs = []
            for what, byte in self.segment.faults():
                if runs and runs[-1][0] == what and runs[-1][2] == byte:
                    runs[-1][2] += 1
                else:
                    runs.append([what, byte, byte + 1])
            self.faults[self.function] += [f"{end - begin} bytes {what}: {self.named(begin)}" for what, begin, end in runs]
        self.segment = Segment()

    def named(self, byte):
        number, begin = next((number, begin) for number, (begin, end) in enumerate(self.shared.items()) if begin <= byte < end)
        return f"object {number} + {byte - begin}"

    def event(self, time, kind, address, size):
        if kind in "rwm":
            self.counts["events"] += 1
            for table, kinds in ((self.segment.read_event, "rm"), (self.segment.write_event, "wm")):
                if kind in kinds:
                    for byte in range(address, address + size):
                        table.setdefault(byte, time if kind != "m" or kinds == "rm" else time + 0.5)
            return
        self.close()
        if kind == "S":
            self.shared[address] = address + size
        elif kind == "U":
            del self.shared[address]
        elif kind == "B":
            self.function = address
        elif kind == "E":
            self.function = None

    def access(self, time, what, address, size):
        if self.function is None or not self.is_shared(address, size):
            return
        self.counts["accesses"] += 1
        for table, whats in ((self.segment.read, b"LM"), (self.segment.written, b"SM")):
            if what in whats:
                for byte in range(address, address + size):
                    table.setdefault(byte, time if what != b"M" or whats == b"LM" else time + 0.5)


def judged(accesses, base, events):
    judge, table_end = Judge(), base + SLOT * len(events)
    for time, (what, address, size) in enumerate(accesses):
        if base <= address < table_end:
            if (address - base) % SLOT == 0 and what == b"S":
                judge.event(time, *events[(address - base) // SLOT])
        else:
            judge.access(time, what, address, size)
    return judge


def one(options, name, level, work, expected):
    folder = pathlib.Path(tempfile.mkdtemp(dir=work))
    judge = judged(*traced(built(options, folder, name, level), folder))
    by_kind = collections.defaultdict(list)
    for number, texts in judge.faults.items():
        if texts:
            by_kind[expected[number][0]].append((number, texts))
    return name, level, judge.counts, by_kind


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--functions", type=int, default=3 * len(functions.KINDS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--levels", default="O0,O1,O2,O3")
    parser.add_argument("--compilers", default=",".join(COMPILERS), help="those of the list in this file")
    parser.add_argument("--flags", default="", help="more flags for the compilers, separated by commas")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS", os.cpu_count())))
    parser.add_argument("--verbose", action="store_true", help="show every fault with the function")
    options = parser.parse_args()
    options.build, options.flags = options.build.resolve(), [flag for flag in options.flags.split(",") if flag]
    text, expected = functions.source(options.seed, options.functions)
    failed, seen = 0, collections.defaultdict(set)
    with tempfile.TemporaryDirectory(prefix="omen-instrumentation-") as work:
        options.source = pathlib.Path(work) / "functions.cpp"
        options.source.write_text(text, encoding="utf-8")
        tasks = [(name, level) for name in [*options.compilers.split(","), PLAIN] for level in options.levels.split(",")]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for name, level, counts, by_kind in pool.map(lambda task: one(options, *task, work, expected), tasks):
                known = COMPILERS.get(name, ({}, [], {}))[2]
                wrong = {kind: found for kind, found in by_kind.items() if kind not in known}
                seen[name] |= by_kind.keys()
                if counts["accesses"] < options.functions or counts["events"] < options.functions:
                    print(f"{name} -{level}: {dict(counts)}: nothing to judge")
                    failed += 1
                if name != PLAIN:
                    failed += len(wrong)
                for kind, found in sorted(wrong.items() if name != PLAIN else []):
                    number, texts = found[0]
                    print(f"{name} -{level}: {kind}: in {len(found)} functions; function_{number}: {'; '.join(texts[:4])}")
                    if options.verbose:
                        print("\n".join(expected[number][1]))
                print(f"{name} -{level}: {counts['accesses']} accesses, {counts['events']} events; left out: {', '.join(sorted(by_kind)) or 'nothing'}")
    for name, (_, _, known) in COMPILERS.items():
        if name in options.compilers.split(",") and known.keys() - seen[name]:
            print(f"{name}: known to be left out, and was not: {', '.join(sorted(known.keys() - seen[name]))}")
            failed += 1
    if "lambda" not in seen[PLAIN] or "array_on_stack" not in seen[PLAIN]:
        print(f"{PLAIN}: captured locals are left out there, and the judge did not see it")
        failed += 1
    print(f"{options.functions} functions (seed {options.seed}), {len(tasks)} builds: {failed} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

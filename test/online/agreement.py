#!/usr/bin/env python3
"""The detector in the running program and the analysis of the recorded trace must find the same.

Random programs (programs.py) run under `omen run --online=A --record`, and again without `--record`: then the detector takes shortcuts
that a recorded run does not have. Their schedule is always the same. What was printed while they ran, both times, is compared with what
`omen analyze` finds in the record, by source lines:

- first race: the first access that races is the same as for A;
- racy lines: the accesses that race with an earlier one are the same as for A. Without `--record` a thread that has raced with an
  epoch of another may be told so again, at a later access, or not: the two remember different things of what has raced. With a record
  too, what races behind the first race of its memory is left to each: the detector keeps one history for plain and atomic accesses, and
  forgets what has raced sooner (docs/online.md). So a line that only one of them names must come behind a first race by the definition.
  And an access of several bytes may be several events in the trace, of which the
  first ones are judged before the last ones have ordered the thread; the detector judges the access as one. Where the definition finds
  some of these events racy and some not, either is right;
- pairs: each earlier access that is named races by the definition (the unoptimised analysis of the same relation). Which of
  several earlier accesses is named is left to each detector, and accesses of a thread between two releases are one.

Of 40 programs and more, some must have races and some none; of guarded ones, a quarter must have sections that conflict by an atomic.

Of attempting programs the detector may miss what the analysis of the trace finds: it orders a failed attempt after what the lock's holder knows of other
threads at that time. It must find nothing that the analysis does not.

Disagreements are printed with the seed and both sets; `--seed N --programs 1 --keep` runs one again and keeps its source, report and trace.

Usage: agreement.py --omen O --cxx C [--analysis A] [--programs N] [--seed N] [--kind K] [--compiler clang++-19]
"""

import argparse
import collections
import concurrent.futures
import ctypes
import ctypes.util
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import programs  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
STACKS = 2**31 + 2  # the kind of section of a .omen file: docs/formats.md
SOURCE = "programs_"  # with the first seed, .cpp
ANALYSES = ["fto-hb", "st-wcp", "st-dc", "st-wdc"]


class Failed(Exception):
    """A run that cannot be judged."""


def return_addresses(trace):
    """Of the nodes of a recorded trace, from its sections."""
    zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    data, at, nodes = trace.read_bytes(), 16, []
    while at + 32 <= len(data):
        kind, stored, raw, _, _ = struct.unpack_from("<IIIIQ", data, at)
        payload = data[at + 32 : at + 32 + stored]
        at += 32 + stored
        if kind == STACKS:
            out = ctypes.create_string_buffer(raw)
            if zstd.ZSTD_decompress(out, ctypes.c_size_t(raw), payload, ctypes.c_size_t(stored)) != raw:
                raise Failed("a section of the trace cannot be read")
            nodes += [pc for _, pc in struct.iter_unpack("<IQ", out.raw)]
        if kind == 3:
            break  # the index is the last section
    return nodes


def line_in_program(places):
    """The innermost of (file, line) that is in the program itself: atomics are in a header."""
    return next((int(line) for file, line in places if os.path.basename(file).startswith(SOURCE)), 0)


class Lines:
    """Return addresses of one binary to lines; asked for once each."""

    def __init__(self, binary):
        self.binary, self.known = binary, {}

    def of(self, addresses):
        new = sorted(set(addresses) - self.known.keys())
        if new:
            done = subprocess.run(["addr2line", "-a", "-i", "-e", self.binary, *[hex(max(pc - 1, 0)) for pc in new]],
                                  capture_output=True, text=True, check=True)
            for pc, text in zip(new, re.split(r"^0x[0-9a-f]+\n", done.stdout, flags=re.MULTILINE)[1:], strict=True):
                self.known[pc] = line_in_program(re.findall(r"^(.*):(\d+)", text, flags=re.MULTILINE))
        return [self.known[pc] for pc in addresses]


def online_races(report):
    """Pairs of lines, the later access first, in the order in which they were found."""
    pairs = []
    for race in json.loads(report.read_text())["races"]:
        if race["online"]:
            pairs.append(tuple(line_in_program((f["file"], f["line"]) for f in access["stack"]) for access in race["accesses"]))
    return pairs


def recorded_races(omen, trace, analyses, lines):
    """The same, for each analysis; the last one is the definition. Also the trace as text, and its accesses."""
    done = subprocess.run([omen, "analyze", str(trace), "--analysis", ",".join(analyses), "--json", "-"], capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 66):
        raise Failed(f"omen analyze: {done.stderr.strip()}")
    dumped = subprocess.run([omen, "dump", "--raw", str(trace)], capture_output=True, text=True, check=True).stdout.splitlines()
    nodes = return_addresses(trace)
    found = []
    for result in json.loads(done.stdout)["results"]:
        pairs = []
        for race in result["races"]:
            now, *others = lines.of([nodes[int(dumped[event].split()[-1])] for event in [race["event"], *race["with"]]])
            pairs += [(now, other) for other in others]
        found.append(pairs)
    *_, definition = json.loads(done.stdout)["results"]
    accesses = Accesses(dumped, lambda text: lines.of([nodes[int(text.split()[-1])]])[0], {race["event"] for race in definition["races"]})
    return found, dumped, accesses


def orders_by_atomics(dumped):
    """Are there two sections on one lock, of two threads, that access an atomic, and one of them writes it? Of the lines of `omen dump`."""
    held, accessed = collections.defaultdict(list), collections.defaultdict(set)  # by thread; by lock and atomic: (thread, writes)
    for line in dumped:
        fields = line.split()
        operation = re.match(r"(\w+)(?:\.\w+)?\((.*)\)", fields[2]) if len(fields) > 2 else None
        if not operation:
            continue
        thread, (name, operand) = fields[1], operation.groups()
        if name in ("acq", "wake", "racq"):
            held[thread].append(operand)
        elif name in ("rel", "wait", "rrel") and operand in held[thread]:
            held[thread].remove(operand)
        elif name in ("load", "store", "rmw"):
            for lock in held[thread]:
                accessed[lock, operand].add((thread, name != "load"))
    return any(writes and any(other != thread for other, _ in users) for users in accessed.values() for thread, writes in users)


class Accesses:
    """The accesses of a trace: which events of a line race by the definition, and when each byte raced first."""

    def __init__(self, dumped, line_of, racy_events):
        self.events = collections.defaultdict(list)  # by line
        self.raced, self.racy_events = {}, racy_events
        for event, text in enumerate(dumped):
            access = re.search(r" \w+\((0x[0-9a-f]+):(\d+)(?:@\d+)?\)", text)
            if not access:
                continue
            begin = int(access[1], 16)
            touched = range(begin, begin + int(access[2]))
            self.events[line_of(text)].append((event, touched))
            if event in racy_events:
                for byte in touched:
                    self.raced.setdefault(byte, event)

    def may_differ(self, line):
        return self.raced_before(line) or len({event in self.racy_events for event, _ in self.events[line]}) == 2

    def raced_before(self, line):
        """Are all accesses of this line behind the first race of some byte that they touch?"""
        return bool(self.events[line]) and all(
            any(self.raced.get(byte, event) < event for byte in touched) for event, touched in self.events[line])


def repeats(line, pairs, others, stretches):
    """Does what races here race in `others` too, at another access of the same thread?"""
    def parties(now, earlier):
        return stretches.get(now, ("", 0))[0], stretches.get(earlier)
    return {parties(now, earlier) for now, earlier in pairs if now == line} & {parties(*pair) for pair in others}


def faults_of(online, recorded, defined, stretches, accesses, may_repeat=False, may_miss=False):
    """The disagreements of two detectors and the definition. `may_repeat`: they may differ in what they name again. `may_miss`: the
    first one may find less."""
    if not may_miss and online[:1] != recorded[:1] and [now for now, _ in online[:1]] != [now for now, _ in recorded[:1]]:
        yield f"first race: online {online[:1]}, recorded {recorded[:1]}"
    lines = [{now for now, _ in pairs} for pairs in (online, recorded)]
    only = [[line for line in sorted(mine - others) if not accesses.may_differ(line) and not (may_repeat and repeats(line, pairs, other_pairs, stretches))]
            for mine, others, pairs, other_pairs in ((*lines, online, recorded), (*lines[::-1], recorded, online))]
    if only[0] or (only[1] and not may_miss):
        yield f"racy lines: only online {only[0]}, only recorded {only[1]}"
    real = {(now, stretches.get(earlier)) for now, earlier in [*defined, *recorded]}
    wrong = {(now, earlier) for now, earlier in online if (now, stretches.get(earlier)) not in real}
    if wrong:
        yield f"pairs: online {sorted(wrong)} are none by the definition"


def watch(options, report, words):
    """Runs one program; its races as they were seen while it ran."""
    command = [options.omen, "run", f"--online={options.analysis}", "--no-confirm", "--json", report, *words]
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        raise Failed("timeout") from None
    if done.returncode not in (0, 66) or not report.exists():
        raise Failed(f"exit {done.returncode}: {done.stderr.strip()[-300:]}")
    races = online_races(report)
    if not options.keep:
        report.unlink()
    return races


def run_one(options, binary, lines, stretches, seed, folder):
    """The failure of one program, as text; empty if none."""
    trace = folder / f"{seed}.omen"
    try:
        online = watch(options, folder / f"{seed}.json", ["--record", "--keep", trace, "--", binary, seed])
        unrecorded = watch(options, folder / f"{seed}-unrecorded.json", ["--", binary, seed])
        definition = "unopt-" + options.analysis.split("-")[1]
        (recorded, defined), dumped, accesses = recorded_races(options.omen, trace, [options.analysis, definition], lines)
    except (Failed, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}"
    if not options.keep:
        trace.unlink()
    options.racy += bool(recorded)
    options.by_atomics += orders_by_atomics(dumped)
    options.pairs += len(set(recorded))
    options.same += set(online) == set(unrecorded) == set(recorded)
    may_miss = options.kind == "attempting"
    return "; ".join([*faults_of(online, recorded, defined, stretches, accesses, may_miss=may_miss),
                      *(f"unrecorded, {fault}" for fault in faults_of(unrecorded, recorded, defined, stretches, accesses, True, may_miss))])


def run_batch(options, seeds, work):
    """A binary with many programs."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{seeds[0]}-", dir=work))
    source, binary = folder / f"{SOURCE}{seeds[0]}.cpp", folder / "programs"
    text = programs.source(seeds, options.kind)
    source.write_text(text)
    command = [options.cxx, "-std=c++20", "-g", "-O1", "-pthread", "-fno-pie", "-no-pie", "-I", FOLDER.parent / "capture" / "golden",
               source, "-o", binary]
    env = os.environ | ({"OMEN_CXX": options.compiler} if options.compiler else {})
    done = subprocess.run([str(word) for word in command], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        return [(seed, f"not compiled: {done.stderr.strip()[:300]}") for seed in seeds]
    lines = Lines(str(binary))
    faults = [(seed, run_one(options, binary, lines, programs.stretches(text), seed, folder)) for seed in seeds]
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return faults


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True, help="path of omen-c++")
    parser.add_argument("--compiler", help="that omen-c++ is to use")
    parser.add_argument("--analysis", default="st-wdc", choices=ANALYSES)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--kind", default="mixed", choices=list(programs.MAKERS),
                        help="overlapping: full of atomics that overlap and are accessed plainly too; guarded: of atomics in sections; "
                             "attempting: of failed attempts to take locks")
    parser.add_argument("--batch", type=int, default=50, help="programs in one binary")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS", os.cpu_count())))
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--keep", action="store_true", help="keep sources, reports and traces")
    return parser.parse_args()


def main():
    options = arguments()
    options.racy = options.pairs = options.same = options.by_atomics = 0
    work = tempfile.mkdtemp(prefix="omen-agreement-")
    last = options.seed + options.programs
    batches = [range(first, min(first + options.batch, last)) for first in range(options.seed, last, options.batch)]
    start, bad, kinds = time.monotonic(), 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job in concurrent.futures.as_completed([pool.submit(run_batch, options, seeds, work) for seeds in batches]):
            for seed, fault in job.result():
                if fault:
                    bad += 1
                    kinds[fault.split(":")[0]] += 1
                    print(f"seed {seed}: {fault}", flush=True)
    if options.keep:
        print(f"kept in {work}")
    else:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{options.analysis}: {options.programs} {options.kind} programs (seeds {options.seed} to {last - 1}), {options.racy} of them racy, "
          f"{options.pairs} pairs of lines, the same pairs in {options.same} programs, sections that conflict by atomics in {options.by_atomics}, {bad} disagreements {dict(kinds) or ''}, {time.monotonic() - start:.0f} s")
    if options.programs < 40:
        return 1 if bad else 0  # too few to say what they exercise
    missing = [what for what, there in (("racy programs", options.racy), ("programs without a race", options.kind == "overlapping" or options.racy < options.programs),
                                        ("conflicting sections by atomics", options.kind != "guarded" or 4 * options.by_atomics > options.programs))
               if not there]
    if missing:
        print(f"the programs exercise too little: no {', no '.join(missing)}")
    return 1 if bad or missing else 0


if __name__ == "__main__":
    sys.exit(main())

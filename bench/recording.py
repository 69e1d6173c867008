#!/usr/bin/env python3
"""The cost of recording: real programs without a detector, under ThreadSanitizer, `omen record` and `omen run`.

  recording.py [--only NAME]… [--repeat N] [--build BUILD] [--fresh]

The programs and their workloads are those of test/external/programs_suite.py, with larger workloads. One round runs a program in
every way once, so a temporary slowdown of the machine affects all of them. The output has medians over the rounds, ratios to
the run without a detector, and geometric means of the ratios. A program's numbers are stored in build/external/, so a second call continues where the
first one ended, unless it asks for more rounds; they are discarded when omen has been rebuilt. bench/results/recording.md has a table.
"""
import argparse
import math
import os
import pathlib
import resource
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "external"))

import programs_suite  # noqa: E402  (the path comes first)
from detectors import Omen, Tsan, fresh_folder  # noqa: E402
from results import Results  # noqa: E402
from sources import FetchError, Sources  # noqa: E402

TIME = "/usr/bin/time"  # starts a program from a small process: the peak memory of a child begins with that of its parent
# How often the workload of the test is repeated: about half a second of processor time without a detector, less if
# omen's trace would
# be gigabytes.
SCALE = {"pigz": 8, "pbzip2": 6, "xz-utils": 1, "libzstd": 5, "memcached": 30, "redis": 30, "sqlite3": 200}
NATIVE, TSAN, PROGRAM, RECORD, RUN = "native", "ThreadSanitizer", "recording alone", "omen record", "omen run"
WAYS = (NATIVE, TSAN, PROGRAM, RECORD, RUN)  # PROGRAM is the program inside RECORD, without omen's work after the program's end
MEASURES = ("cpu", "wall", "memory")


def say(text):
    print(f"recording: {text}", file=sys.stderr, flush=True)


class Measured(programs_suite.Context):
    """A workload whose programs run in one of the ways under measurement."""
    def __init__(self, folder, way, omen, scale):
        super().__init__(folder, None, scale)
        self.way = way
        self.omen = omen
        self.total = {"cpu": 0.0, "wall": 0.0, "memory": 0.0}
        self.program = dict(self.total)
        self.trace = 0.0

    def environment(self):
        # Neither waits at exit, and the exit status is the program's own.
        return os.environ | {"TSAN_OPTIONS": "atexit_sleep_ms=0:exitcode=0", "OMEN_OPTIONS": "exitcode=0"}

    def timed(self, name, words):
        return [TIME, "-q", "-o", str(self.folder / name), "-f", "%U %S %e %M", *words]

    def words(self, program):
        words = self.timed("time.program", map(str, program))
        self.report = self.folder / "report.json"
        if self.way == RECORD:
            words = self.timed("time.omen", [self.omen.omen, "record", "-o", str(self.folder / "trace.omen"), "--", *words])
        elif self.way == RUN:
            words = self.timed("time.omen", [*self.omen.prefix(self.report), *words])
        self.before = resource.getrusage(resource.RUSAGE_CHILDREN)
        return words

    def take(self, name, code, log, seconds):
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        (self.folder / f"{name}.log").write_text(f"{log}\nexit {code}\n", encoding="utf-8")
        if code is None:
            raise programs_suite.Trouble(f"{name}: timeout")
        self.outcome.append((name, code))
        user, system, wall, kilobytes = self.times("time.program")
        add(self.program, user + system, wall, kilobytes / 1024)
        if self.way in (RECORD, RUN):
            kilobytes = self.times("time.omen")[3]
        if self.way == RUN:
            self.partial = self.partial or self.omen.partial(self.report)
        if self.way == RECORD:
            if "recording stopped" in log:
                self.partial = "recorded only in part"
            for trace in self.folder.glob("trace*.omen"):
                self.trace += trace.stat().st_size / 2**20
                trace.unlink()
        cpu = after.ru_utime - self.before.ru_utime + after.ru_stime - self.before.ru_stime
        add(self.total, cpu, seconds, kilobytes / 1024)

    def times(self, name):
        path = self.folder / name
        numbers = [float(word) for word in path.read_text(encoding="utf-8").split()[-4:]]
        path.unlink()
        return numbers


def add(total, cpu, wall, memory):
    """A workload may run several programs one after the other."""
    total["cpu"] += cpu
    total["wall"] += wall
    total["memory"] = max(total["memory"], memory)


def one_run(package, built, folder, way, omen):
    context = Measured(fresh_folder(folder), way, omen, SCALE[package])
    programs_suite.PROGRAMS[package][1](context, built)
    if context.partial:
        raise programs_suite.Trouble(f"{way}: {context.partial}")
    return context


def measure(package, tree, folder, omen, tsan, repeat):
    """Medians by way, and the size of the trace."""
    trees = {}
    for name, detector in (("native", None), ("tsan", tsan), ("omen", omen)):
        say(f"{package}: building ({name})")
        own = folder / name / package
        own.mkdir(parents=True, exist_ok=True)
        trees[name] = programs_suite.build(package, tree, own, detector)
        if trees[name] is None:
            raise programs_suite.Trouble(f"does not build ({name})")
    samples = {way: [] for way in WAYS}
    trace = []
    for number in range(repeat):
        expected = None
        for way, name in ((NATIVE, "native"), (TSAN, "tsan"), (RECORD, "omen"), (RUN, "omen")):
            context = one_run(package, trees[name], folder / "run" / package, way, omen)
            expected = expected or context.outcome
            if context.outcome != expected:
                raise programs_suite.Trouble(f"{way}: the result differs from that without a detector")
            samples[way].append(context.total)
            if way == RECORD:
                samples[PROGRAM].append(context.program)
                trace.append(context.trace)
            say(f"{package}: round {number + 1} of {repeat}, {way}: {context.total['cpu']:.2f} s of processor time, "
                f"{context.total['wall']:.2f} s, {context.total['memory']:.0f} MiB")
    medians = {way: {each: statistics.median(run[each] for run in runs) for each in MEASURES} for way, runs in samples.items()}
    return {"repeat": repeat, "scale": SCALE[package], "ways": medians, "trace": statistics.median(trace)}


def print_table(records, versions):
    print("| program | way | processor s | wall s | peak MiB | × processor | × wall | × memory |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    ratios = {way: [] for way in WAYS}
    for package, record in records.items():
        for way in WAYS:
            numbers, native = record["ways"][way], record["ways"][NATIVE]
            ratio = [numbers[each] / max(native[each], 1e-3) for each in MEASURES]
            ratios[way].append(ratio)
            title = f"{package} {versions.get(package, '')}".strip() if way == NATIVE else ""
            print(f"| {title} | {way} | {numbers['cpu']:.2f} | {numbers['wall']:.2f} | {numbers['memory']:.0f} | "
                  + " | ".join("" if way == NATIVE else f"{each:.1f}" for each in ratio) + " |")
    for way in WAYS[1:]:
        means = [math.prod(column) ** (1 / len(column)) for column in zip(*ratios[way])]
        title = "geometric mean" if way == TSAN else ""
        print(f"| {title} | {way} | | | | " + " | ".join(f"{each:.1f}" for each in means) + " |")
    print()
    print("Rounds and size of the trace: "
          + ", ".join(f"{package} {record['repeat']}, {record['trace']:.0f} MiB" for package, record in records.items()).replace(" MiB,", " MiB;") + ".")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=list(SCALE), metavar="NAME", help=f"of {', '.join(SCALE)}; may be repeated")
    parser.add_argument("--repeat", type=int, default=3, help="rounds, of which the median is taken")
    parser.add_argument("--build", default=ROOT / "build" / "check", help="omen's build tree")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "external")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    try:
        omen, tsan = Omen(options.build), Tsan(options.build)
    except FileNotFoundError as error:
        say(str(error))
        return 69
    sources = Sources(options.folder, say)
    results = Results(options.folder / "results" / "recording.json", f"{omen.fingerprint} {tsan.fingerprint}", options.fresh)
    shown, versions, wrong = {}, {}, 0
    for package in options.only or SCALE:
        kept = results.records.get(package)
        if not kept or kept["repeat"] < options.repeat or kept["scale"] != SCALE[package]:
            try:
                tree = sources.tree(package)
                results.put(package, measure(package, tree, options.folder / "work" / "recording", omen, tsan, options.repeat))
            except FetchError as error:
                say(f"{package}: left out: {error}")
                continue
            except programs_suite.Trouble as error:
                say(f"{package}: {error}")
                wrong += 1
                continue
        shown[package] = results.records[package]
        versions[package] = sources.version(package)
    if not shown:
        return 1
    print_table(shown, versions)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

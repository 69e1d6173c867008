#!/usr/bin/env python3
"""The cost of one version of omen compared with another: ratios of processor time, wall time and memory, new to old.

  versions.py OLD NEW [--only NAME]… [--ways WAY,…] [--rounds N] [--cpus LIST] [--more]
  versions.py OLD NEW --pack FOLDER                  # pack all programs for another machine
  python3 FOLDER/new/code/bench/versions.py FOLDER/old FOLDER/new --packed --folder FOLDER [--only NAME]…

OLD and NEW are build trees (build/check). Every item (bench/versions/items.py) is built with each version's compiler and runtime. A round runs
it old, new, new, old in one way: recorded by `omen record`, or watched by `omen run --online=ANALYSIS`. The output has medians over
the pairs of neighbouring runs, with intervals (bench/versions/ratios.py). Rounds are stored below the folder until one of the two programs
changes; --more adds rounds to them. --raw FILE writes all numbers, --table FILE the tables.
"""
import argparse
import json
import os
import pathlib
import shutil
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench" / name) for name in ("versions", "online")] + [str(ROOT / "bench"), str(ROOT / "test" / "external")]

import ratios  # noqa: E402  (the path comes first)
from building import Builder, BuildError  # noqa: E402
from flavours import Toolchains, digest, of_file  # noqa: E402
from items import ITEMS  # noqa: E402
from measuring import Measured, built_usage  # noqa: E402
from pack import Pack  # noqa: E402
from programs_suite import Trouble  # noqa: E402
from sources import FetchError, Sources  # noqa: E402

RECORD = "record"
WAYS = (RECORD, "fto-hb", "st-wdc", "st-dc")
ATTEMPTS = 3
ORDER = ("old", "new", "new", "old")
MEASURES = {"program": "processor time of the program", "cpu": "processor time in all", "wall": "wall time", "memory": "peak memory"}


def say(words):
    print(f"versions: {time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


class VersionRun(Measured):
    """One run. `program` is the processor time of the program itself: under `omen record`, without the conversion that follows."""
    def __init__(self, folder, inputs, prefix, usage):
        super().__init__(folder, inputs, prefix, usage)
        self.total["program"] = 0.0
        (folder / "recordings").mkdir()

    def environment(self):
        # A version that cleans up after killed omen processes may not recognise those of the other version.
        return super().environment() | {"TMPDIR": str(self.folder / "recordings")}

    def take(self, name, code, log, seconds):
        if code != 0 or "recording stopped" in log:
            raise Trouble(f"{name}: {'timeout' if code is None else f'exit {code}'}: {log[-300:]}")
        self.total["program"] += super().take(name, code, log, seconds)


class Version:
    """One of the two builds of omen, and the programs built with it."""
    def __init__(self, build, folder, sources):
        self.toolchains = Toolchains(build.resolve(), folder)
        self.builder = Builder(folder / "work", sources, self.toolchains, say)
        self.omen = self.toolchains.omen.omen

    def built(self, item):
        """The folder of the program, and the inputs that it depends on."""
        folder = item.build(self.builder, self.toolchains.flavours[item.flavour], self.toolchains.runtimes["omen"])
        return folder, digest((folder / "linked").read_text(encoding="utf-8"), of_file(self.omen))

    def prefix(self, way):
        return [self.omen, "record", "-o", "trace.omen", "--"] if way == RECORD else [self.omen, "run", f"--online={way}", "--"]


class PackedVersion:
    """A version that was packed with all of its programs (pack.py)."""
    def __init__(self, folder):
        self.pack = Pack(folder)
        self.omen = self.pack.omen

    def built(self, item):
        folder = self.pack.program(item.flavour, item.name)
        return folder, digest(of_file(folder / item.binary), of_file(self.omen.parent / "bin" / "omen"))

    def prefix(self, way):
        return Version.prefix(self, way)


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = options.folder.resolve() / "versions"
        given = {"old": options.old, "new": options.new}
        if options.packed:
            self.versions = {name: PackedVersion(folder) for name, folder in given.items()}
            self.usage = self.versions["new"].pack.usage
        else:
            sources = Sources(options.folder.resolve(), say)
            self.versions = {name: Version(build, self.folder / name, sources) for name, build in given.items()}
            self.usage = built_usage(self.folder)
        self.scratch = (options.scratch or self.folder).resolve()
        self.pinned = ["taskset", "-c", options.cpus] if options.cpus else []
        self.wrong = 0
        self.failed = dict.fromkeys(ORDER, 0)

    def run(self, item, way, name, built):
        """The cost of one run. A failing run is counted and repeated, so that costs can be compared with a version
        that fails now and then."""
        for attempt in range(ATTEMPTS):
            context = VersionRun(self.scratch / "run", self.scratch / "inputs", self.pinned + self.versions[name].prefix(way), self.usage)
            try:
                item.work(context, built)
                context.total["outcome"] = repr(context.outcome)
                return context.total
            except Trouble as trouble:
                self.failed[name] += 1
                say(f"{item.title}, {way}: the {name} version failed: {trouble}")
                if attempt + 1 == ATTEMPTS:
                    raise

    def round(self, item, way, built):
        runs = [self.run(item, way, name, built[name]) for name in ORDER]
        outcomes = [run.pop("outcome") for run in runs]
        if len(set(outcomes)) != 1:
            raise Trouble(f"different results: {outcomes}")
        return runs

    def kept(self, item, way):
        return self.folder / "rounds" / f"{item.name}.{item.flavour}.{way}{'.' + self.options.cpus if self.options.cpus else ''}.json"

    def measure(self, item):
        """{way: rounds}"""
        built, stamps = {}, []
        for name, version in self.versions.items():
            built[name], stamp = version.built(item)
            stamps.append(stamp)
        if self.options.pack:
            for name, folder in built.items():
                Pack(self.options.pack / name).add_program(item.flavour, item.name, folder, item.binary)
        if self.options.pack or self.options.build_only:
            return {}
        fingerprint = digest(*stamps, str(item.size), str(item.threads))
        done = {}
        for way in self.options.ways:
            path = self.kept(item, way)
            known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            done[way] = known["rounds"] if known.get("fingerprint") == fingerprint else []
        wanted = {way: self.options.rounds + (len(done[way]) if self.options.more else 0) for way in self.options.ways}
        while any(len(done[way]) < wanted[way] for way in done):
            for way in [way for way in done if len(done[way]) < wanted[way]]:
                done[way].append(self.round(item, way, built))
                path = self.kept(item, way)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps({"fingerprint": fingerprint, "rounds": done[way]}), encoding="utf-8")
        for way in done:
            say(f"{item.title}, {way}: " + "; ".join(f"{measure} {ratios.of_rounds(done[way], measure)}" for measure in MEASURES)
                + f"; {done[way][0][0]['program']:.2f} s")
        return done

    def all(self, items):
        results = {}
        for item in items:
            try:
                results[item.title] = self.measure(item)
            except (BuildError, FetchError, Trouble) as error:
                say(f"{item.title}: {error}")
                self.wrong += 1
        shutil.rmtree(self.scratch / "run", ignore_errors=True)
        return results


def tables(results, ways):
    for measure, title in MEASURES.items():
        yield f"| {title}, new / old | " + " | ".join(ways) + " |"
        yield "| --- |" + " ---: |" * len(ways)
        for item, done in results.items():
            yield f"| {item} | " + " | ".join(str(ratios.of_rounds(done[way], measure)) for way in ways) + " |"
        if len(results) > 1:
            means = [ratios.geometric_mean([done[way] for done in results.values()], measure) for way in ways]
            yield "| geometric mean | " + " | ".join(map(str, means)) + " |"
        yield ""


def raw(results):
    """A line for each item, way and measure: old, new, new, old of each round."""
    yield "item\tway\tmeasure\told new new old, by rounds"
    for item, done in results.items():
        for way, rounds in done.items():
            for measure in MEASURES:
                yield f"{item}\t{way}\t{measure}\t" + "; ".join(" ".join(f"{run[measure]:.4g}" for run in each) for each in rounds)


def known_ways(text):
    for word in text.split(","):
        if word not in WAYS:
            raise argparse.ArgumentTypeError(f"there is no way {word}; there are {', '.join(WAYS)}")
    return text.split(",")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    names = list(dict.fromkeys(item.name for item in ITEMS))
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"of {', '.join(names)}; may be repeated")
    parser.add_argument("--flavour", choices=sorted({item.flavour for item in ITEMS}), help="only these builds")
    parser.add_argument("--ways", type=known_ways, default=list(WAYS), metavar="WAY,…", help=f"of {', '.join(WAYS)}")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--build-only", action="store_true", help="build everything, measure nothing")
    parser.add_argument("--pack", type=pathlib.Path, metavar="FOLDER", help="build everything into a folder that can be carried elsewhere")
    parser.add_argument("--packed", action="store_true", help="OLD and NEW are such folders")
    parser.add_argument("--more", action="store_true", help="so many rounds more than there are")
    parser.add_argument("--cpus", help="for taskset: where everything runs")
    parser.add_argument("--raw", type=pathlib.Path, help="all numbers, in columns")
    parser.add_argument("--table", type=pathlib.Path, help="the tables, as they are printed")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "external", help="where sources, builds and rounds are kept")
    parser.add_argument("--scratch", type=pathlib.Path, help="where programs run and traces are written")
    return parser.parse_args()


def main():
    options = parse_options()
    try:
        bench = Bench(options)
    except FileNotFoundError as error:
        say(str(error))
        return 69
    wanted = lambda item: (not options.only or item.name in options.only) and options.flavour in (None, item.flavour)
    results = bench.all(filter(wanted, ITEMS))
    if options.pack:
        for name, version in bench.versions.items():
            pack = Pack(options.pack / name)
            pack.add_omen(version.omen)
            pack.add_code()
            built_usage(pack.folder)
    if not results or options.build_only or options.pack:
        return 1 if bench.wrong else 0
    text = "\n".join(tables(results, options.ways))
    print(text)
    print("Failed runs: " + ", ".join(f"{name} {count}" for name, count in bench.failed.items()))
    if options.table:
        options.table.write_text(text + "\n", encoding="utf-8")
    if options.raw:
        options.raw.write_text("\n".join(raw(results)) + "\n", encoding="utf-8")
    return 1 if bench.wrong or bench.failed["new"] else 0


if __name__ == "__main__":
    sys.exit(main())

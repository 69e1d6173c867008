#!/usr/bin/env python3
"""What detecting races while the program runs costs: real programs and kernels, in every variant.

  online.py [--programs] [--kernels] [--only NAME]… [--variants NAME,…] [--rounds N] [--fresh] [--write] [--build BUILD]

Variants: native; ThreadSanitizer of clang and of GCC; callbacks that do nothing, the floor of their ABI; and `omen run --online` with each
analysis, where this omen has it. One round runs an item in every variant once, so what slows the machine for a while slows all. Results
have to be those of the native run. Builds and measurements are kept below the folder (--folder), so a second call goes on where the
first one ended; a variant is measured again when its program has changed. With --write the tables of bench/results/online.md and the plot of
docs/performance.md are replaced; the summary there is by hand. The parts are in bench/online/; the kernels in bench/kernels/.
"""
import argparse
import contextlib
import fcntl
import pathlib
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench" / "online"), str(ROOT / "bench"), str(ROOT / "test" / "external")]

import tables  # noqa: E402  (the path comes first)
from building import KERNELS, Builder, BuildError  # noqa: E402
from flavours import Toolchains, digest, of_file  # noqa: E402
from measuring import Measured, built_usage  # noqa: E402
from plot import chart  # noqa: E402
from programs import PROGRAMS_MEASURED  # noqa: E402
from programs_suite import Trouble  # noqa: E402
from samples import Samples  # noqa: E402
from sources import FetchError, Sources  # noqa: E402
from variants import NATIVE, VARIANTS, has_online, prefix  # noqa: E402

KERNEL_NAMES = sorted(path.stem for path in KERNELS.glob("*.cpp"))
WORKLOADS = [ROOT / "bench" / "online" / name for name in ("programs.py", "traffic.py")]
DOCUMENT = ROOT / "bench" / "results" / "online.md"
PLOT = ROOT / "docs" / "online.svg"
BLOCK = re.compile(r"(<!-- bench-online (programs|kernels) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def say(words):
    print(f"online: {time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


def kernel_work(name):
    def work(context, built):
        log = context.run("kernel", built / "kernel")
        context.outcome.append(("checksum", next((line for line in log.splitlines() if line.startswith(f"{name} ")), None)))
    return work


@contextlib.contextmanager
def exclusive(path):
    """One benchmark at a time measures: two would share a folder, and slow each other down."""
    with path.open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another run of this benchmark")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = options.folder.resolve() / "online"
        self.toolchains = Toolchains(options.build, self.folder)
        self.sources = Sources(options.folder.resolve(), say)
        self.builder = Builder(self.folder / "work", self.sources, self.toolchains, say)
        self.samples = Samples(self.folder / "results", options.fresh)
        self.workloads = [of_file(path) for path in WORKLOADS]
        self.of_omen = of_file(self.toolchains.omen.omen)
        self.usage = built_usage(self.folder)
        self.wrong = 0
        self.variants = [VARIANTS[name] for name in options.variants]
        if not has_online(self.toolchains.omen.omen):
            left = [variant.name for variant in self.variants if variant.analysis]
            if left:
                say(f"this omen has no `run --online`: left out: {', '.join(left)}")
            self.variants = [variant for variant in self.variants if not variant.analysis]

    def built(self, item, variant):
        flavour = self.toolchains.flavours[variant.flavour]
        runtime = self.toolchains.runtimes[variant.runtime] if variant.runtime else None
        if item in PROGRAMS_MEASURED:
            return self.builder.program(PROGRAMS_MEASURED[item], flavour, runtime)
        return self.builder.kernel(item, flavour, runtime)

    def build(self, item):
        """{variant: (folder, fingerprint)} of those that could be built."""
        made = {}
        for variant in self.variants:
            try:
                folder = self.built(item, variant)
                stamp = folder / "linked" if variant.runtime else folder.parent / "built"
                parts = [stamp.read_text(encoding="utf-8"), *(self.workloads if item in PROGRAMS_MEASURED else ())]
                made[variant.name] = folder, digest(*parts, *([self.of_omen] if variant.analysis else ()))
            except BuildError as error:
                say(str(error))
                self.wrong += 1
        return made

    def run(self, item, variant, folder):
        context = Measured(self.folder / "run" / item, self.folder / "inputs", prefix(variant, self.toolchains.omen.omen), self.usage)
        work = PROGRAMS_MEASURED[item].work if item in PROGRAMS_MEASURED else kernel_work(item)
        try:
            work(context, folder)
        except Trouble as trouble:
            return context.total | {"trouble": str(trouble)}
        return context.total | {"reports": context.reports, "outcome": [list(each) for each in context.outcome]}

    def measure(self, item, made):
        for number in range(self.options.rounds):
            expected = None
            for variant in self.variants:
                if variant.name not in made:
                    continue
                folder, fingerprint = made[variant.name]
                runs = self.samples.runs(item, variant.name, fingerprint)
                if len(runs) <= number:
                    run = self.run(item, variant, folder)
                    if expected and run.get("outcome", expected) != expected:
                        run["trouble"] = "the result is not that of the native run"
                    self.samples.put(item, variant.name, fingerprint, run)
                    say(f"{item}: round {number + 1} of {self.options.rounds}, {variant.title}: " + (run.get("trouble") or (
                        f"{run['cpu']:.2f} s of processor time, {run['wall']:.2f} s, {run['memory']:.0f} MiB, {run['reports']} reports")))
                    self.wrong += "trouble" in run
                if variant is NATIVE:
                    expected = self.samples.runs(item, variant.name, fingerprint)[number].get("outcome")

    def all(self, items):
        done = []
        for item in items:
            if self.options.show:
                self.samples.load(item)
                done.append(item)
                continue
            try:
                made = self.build(item)
            except FetchError as error:
                say(f"{item}: left out: {error}")
                continue
            if not self.options.build_only:
                with exclusive(self.folder / "lock"):
                    self.samples.load(item)
                    self.measure(item, made)
            done.append(item)
        return done


def write(sections, plot):
    """Replaces the blocks of bench/results/online.md whose sections were measured."""
    def block(match):
        body = sections.get(match[2])
        return f"{match[1]}\n{body}\n\n{match[4]}" if body else match[0]
    DOCUMENT.write_text(BLOCK.sub(block, DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    PLOT.write_text(plot, encoding="utf-8")


def words(known):
    def parse(text):
        for word in text.split(","):
            if word not in known:
                raise argparse.ArgumentTypeError(f"there is no {word}; there are {', '.join(known)}")
        return text.split(",")
    return parse


def parse_options():
    items = [*PROGRAMS_MEASURED, *KERNEL_NAMES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", action="store_true", help="only the programs")
    parser.add_argument("--kernels", action="store_true", help="only the kernels")
    parser.add_argument("--only", action="extend", type=words(items), metavar="NAME", help=f"of {', '.join(items)}; may be repeated")
    parser.add_argument("--variants", type=words(VARIANTS), default=list(VARIANTS), metavar="NAME,…", help=f"of {', '.join(VARIANTS)}")
    parser.add_argument("--rounds", type=int, default=5, help="of which the median is taken")
    parser.add_argument("--fresh", action="store_true", help="forget earlier measurements")
    parser.add_argument("--build-only", action="store_true", help="build everything, measure nothing")
    parser.add_argument("--show", action="store_true", help="build and measure nothing: print what there is, of whatever omen")
    parser.add_argument("--write", action="store_true", help="put the tables into bench/results/online.md, and the plot into docs/")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "check", help="omen's build tree")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "external", help="where sources, builds and results are kept")
    options = parser.parse_args()
    options.build = options.build.resolve()  # programs are built in folders of their own
    if NATIVE.name not in options.variants:
        options.variants = [NATIVE.name, *options.variants]
    options.variants = [name for name in VARIANTS if name in options.variants]
    return options


def main():
    options = parse_options()
    try:
        bench = Bench(options)
    except FileNotFoundError as error:
        say(str(error))
        return 69
    both = options.programs == options.kernels
    wanted = lambda names, asked: [name for name in names if (asked or both) and (not options.only or name in options.only)]
    parts = {"kernels": bench.all(wanted(KERNEL_NAMES, options.kernels)),
             "programs": bench.all(wanted(PROGRAMS_MEASURED, options.programs))}
    if options.build_only:
        return 1 if bench.wrong else 0
    records = bench.samples.records([variant.name for variant in bench.variants], options.rounds)
    sections, shown = {}, []
    for name in ("programs", "kernels"):
        medians = tables.Medians(records, parts[name])
        if medians.items:
            sections[name] = "\n".join(tables.section(medians, rule=name == "kernels"))
            shown.append((name.capitalize(), medians))
            print(f"{name.capitalize()}\n\n{sections[name]}\n")
    if options.write and shown:
        write(sections, chart(shown))
    return 1 if bench.wrong or not shown else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""How detection in the running program scales with threads, beside native runs and clang's ThreadSanitizer.

  scale.py [--only NAME]… [--variants NAME,…] [--threads N,…] [--rounds N] [--minutes M] [--build BUILD] [--pack FOLDER] [--write]
  scale.py --build-only [--pack FOLDER]              # a folder with all programs, to be carried elsewhere
  python3 FOLDER/code/bench/scale.py --measure-only --pack FOLDER
  scale.py --show --pack FOLDER [--write]            # tables of what was measured

Kernels, workloads of locks and atomics, and programs (bench/scale/workloads.py) run with 1, 2, 4, 8 and 16 threads in every variant. A round runs
each workload with each number of threads once in every variant; rounds go on until there are enough, or --minutes are over. Measuring needs
Python and the C library alone, so a pack can be measured on a machine where nothing can be installed. With --write the tables go
into bench/results/scale.md and the plot into docs/scale.svg.
"""
import argparse
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench" / name) for name in ("scale", "versions", "online")] + [str(ROOT / "bench"), str(ROOT / "test" / "external")]

from measuring import Measured, built_usage  # noqa: E402  (the path comes first)
from pack import Pack  # noqa: E402
from programs_suite import Trouble  # noqa: E402
from variants import ANALYSES, VARIANTS, prefix  # noqa: E402
from workloads import WORKLOADS  # noqa: E402

SHOWN = ("native", "tsan", *ANALYSES)
SECONDS = 20  # for a run
DOCUMENT = ROOT / "bench" / "results" / "scale.md"
PLOT = ROOT / "docs" / "scale.svg"
HEAD = """# Detecting with 1 to 16 threads

`bench/scale.py --write` makes this page.
"""


def say(words):
    print(f"scale: {time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


def build(options, pack):
    from building import Builder
    from flavours import Toolchains
    from sources import Sources
    folder = options.folder.resolve()
    toolchains = Toolchains(options.build.resolve(), folder / "scale")
    builder = Builder(folder / "scale" / "work", Sources(folder, say), toolchains, say)
    for name in options.only:
        for variant in {VARIANTS[each].flavour: VARIANTS[each] for each in options.variants}.values():
            workload = WORKLOADS[name]
            runtime = toolchains.runtimes[variant.runtime] if variant.runtime else None
            pack.add_program(variant.flavour, name, workload.build(builder, toolchains.flavours[variant.flavour], runtime), workload.binary)
    built_usage(pack.folder)
    pack.add_omen(pathlib.Path(toolchains.omen.omen))
    pack.add_code()


class ScaleRun(Measured):
    timeout = SECONDS

    def __init__(self, pack, variant, threads):
        super().__init__(pack.folder / "run", pack.folder / "inputs", prefix(variant, pack.omen), pack.usage)
        self.threads = threads


def run(pack, workload, variant, threads):
    context = ScaleRun(pack, variant, threads)
    start = time.monotonic()
    try:
        workload.work(context, pack.program(variant.flavour, workload.name))
    except Trouble as trouble:
        stopped = str(trouble).endswith("timeout")
        return {"trouble": f"stopped after {SECONDS} s", "wall": time.monotonic() - start} if stopped else {"trouble": str(trouble)}
    return context.total | {"outcome": [list(each) for each in context.outcome]}


def measure(options, pack):
    """True if everything ran as it does natively; a run that is stopped counts as such."""
    results, right = pack.load(), True
    end = time.monotonic() + 60 * options.minutes
    for number in range(options.rounds):
        for name in options.only:
            for threads in options.threads:
                if time.monotonic() > end:
                    say(f"{options.minutes:g} minutes are over in round {number + 1}")
                    return right
                own = results.setdefault(name, {}).setdefault(str(threads), {})
                if all(len(own.get(variant, [])) > number for variant in options.variants):
                    continue
                expected = None
                # Every round begins with another variant: what runs after a long one finds another machine.
                order = [*options.variants[number % len(options.variants):], *options.variants[:number % len(options.variants)]]
                made = {variant: run(pack, WORKLOADS[name], VARIANTS[variant], threads) for variant in order}
                for variant in options.variants:
                    outcome = made[variant].pop("outcome", None)
                    expected = expected or outcome
                    if outcome and outcome != expected:
                        made[variant] = {"trouble": "the result is another one than natively"}
                    right &= "trouble" not in made[variant] or "wall" in made[variant]
                    own.setdefault(variant, [])[number:] = [made[variant]]
                pack.store(results)
                say(f"round {number + 1}, {name}, {threads} threads: " + ", ".join(
                    f"{variant} {made[variant]['wall']:.2f}" if "wall" in made[variant] else f"{variant} {made[variant]['trouble']}"
                    for variant in options.variants))
    return right


def show(options, pack):
    from scale_tables import Scale, chart, section
    results = pack.load()
    if not results:
        say("nothing was measured")
        return
    scale = Scale(results)
    text = "\n".join(section(scale))
    print(text)
    if options.write:
        DOCUMENT.write_text(f"{HEAD}\n{text}\n", encoding="utf-8")
        PLOT.write_text(chart(scale), encoding="utf-8")


def words(known):
    def parse(text):
        for word in text.split(","):
            if word not in known:
                raise argparse.ArgumentTypeError(f"there is no {word}; there are {', '.join(known)}")
        return text.split(",")
    return parse


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="extend", type=words(WORKLOADS), metavar="NAME,…", help=f"of {', '.join(WORKLOADS)}")
    parser.add_argument("--variants", type=words(SHOWN), default=list(SHOWN), metavar="NAME,…", help=f"of {', '.join(SHOWN)}")
    parser.add_argument("--threads", type=lambda text: [int(each) for each in text.split(",")], default=[1, 2, 4, 8, 16], metavar="N,…")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=24 * 60, help="begin nothing new after so long")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "check", help="omen's build tree")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "external", help="where sources and builds are kept")
    parser.add_argument("--pack", type=pathlib.Path, default=ROOT / "build" / "external" / "scale" / "pack", metavar="FOLDER")
    parser.add_argument("--write", action="store_true", help="put the tables into bench/results/scale.md, and the plot into docs/")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--build-only", action="store_true", help="make the pack")
    only.add_argument("--measure-only", action="store_true", help="measure what is in the pack")
    only.add_argument("--show", action="store_true", help="print what was measured")
    options = parser.parse_args()
    options.only = options.only or list(WORKLOADS)
    return options


def main():
    options = parse_options()
    pack = Pack(options.pack)
    if not options.measure_only and not options.show:
        build(options, pack)
    if options.build_only:
        return 0
    right = options.show or measure(options, pack)
    if not options.measure_only:
        show(options, pack)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())

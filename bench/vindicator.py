#!/usr/bin/env python3
"""The evaluation of the paper on Vindicator (PLDI 2018, Section 6) on real programs in C and C++: Tables 1 to 4, Figure 6, and recall against
window sizes.

  vindicator.py [--only NAME,…] [--rounds N] [--scale F] [--asked N] [--fresh] [--write] [--build BUILD]

The programs are those of bench/online.py, on a part of their workloads (bench/traces/recorded.py), because `omen compare` holds a trace in memory. A
round runs a program natively and under `omen record`, then measures every pass over the trace in a process of its own. Builds and rounds are
stored below the folder (--folder), so a second call continues where the first one ended. --write replaces the tables of bench/results/vindicator.md and the
plot of docs/compare.md; the summary there is written by hand.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench" / name) for name in ("traces", "versions", "online")] + [str(ROOT / "bench"), str(ROOT / "test" / "external")]

from distance_plot import chart  # noqa: E402  (the path comes first)
from recorded import json_of, measured_command  # noqa: E402
from session import Session  # noqa: E402
from vindicator_tables import PASSES, section  # noqa: E402

PLOT = ROOT / "docs" / "distances.svg"


TREE = re.compile(r"^.*/tree/")  # where a program was built (bench/online/building.py)


def shortened(races):
    """The part of `omen compare`'s output that the tables need; source files are relative to the program's own tree."""
    return [{key: race[key] for key in ("class", "verdict", "variable", "dynamic", "distance")} |
            {"locations": [TREE.sub("", place) for place in race["locations"]]} for race in races]


def one_round(recorder, name, asked):
    recording = recorder.record(name)
    folder, usage, omen, trace = recorder.run_folder / name / "passes", recorder.usage, recorder.omen, recording.trace
    counts, _ = json_of(usage, folder, [omen, "stats", trace, "--analysis", "st-wdc"])
    compared, took = json_of(usage, folder, [omen, "compare", trace, "--asked", asked])
    passes = {"compare": took}
    for key in PASSES:
        if key == "vindicate":
            passes[key] = measured_command(usage, folder, [omen, "vindicate", trace, "--most", 1])
        elif key != "compare":
            passes[key] = measured_command(usage, folder, [omen, "analyze", trace, "--analysis", key, "--most", 1])
    classes = {each["class"]: {**each, "at_least": each["distances"]["at_least"] if each["distances"] else []} for each in compared["classes"]}
    for each in classes.values():
        del each["class"], each["distances"]
    return {"part": recorder.part(name), "events": counts["trace"]["events"], "threads": counts["trace"]["threads"],
            "not_same_epoch": counts["analyses"][0]["not_same_epoch"], "mib": trace.stat().st_size / 2**20,
            "relations": {each["relation"]: [each["static"], each["dynamic"]] for each in compared["relations"]},
            "classes": classes, "races": shortened(compared["races"]),
            "native": recording.native, "recorded": recording.recorded, "passes": passes}


def main():
    session = Session("vindicator", __doc__, rounds=3)
    session.parser.add_argument("--asked", type=int, default=1000, metavar="N", help="VindicateRace is asked about so many dynamic races of each class")
    try:
        options = session.begin()
    except FileNotFoundError as error:
        session.say(str(error))
        return 69
    results = session.results(lambda name: one_round(session.recorder, name, options.asked), options.rounds, str(options.asked))
    if options.build_only or not results:
        return 1 if session.wrong or not results and not options.build_only else 0
    if options.write:
        PLOT.write_text(chart(results), encoding="utf-8")
    return session.finish("\n".join(section(results)))


if __name__ == "__main__":
    sys.exit(main())

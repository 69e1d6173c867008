#!/usr/bin/env python3
"""The evaluation of the paper on SmartTrack (PLDI 2020, Section 5) on real programs in C and C++: Tables 4 to 6, with all twelve analyses.

  smarttrack.py [--only NAME,…] [--rounds N] [--scale F] [--passes FOLDER] [--fresh] [--write] [--build BUILD]

One trace of each program (bench/traces/recorded.py) is recorded and stored (FOLDER/traces/kept/). `omen stats` counts its events, `omen analyze` its races,
and omen-bench measures every analysis in a process of its own, in interleaved rounds: processor time and peak memory. With --passes the measurements are those
of FOLDER/NAME.json, which `omen-bench --trace NAME.omen --json NAME.json` made on a quieter machine. Builds, traces and results are stored below the folder
(--folder), so a second call continues where the first one ended. --write replaces the tables of bench/results/smarttrack.md; the summary in
docs/performance.md is written by hand.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench" / name) for name in ("traces", "versions", "online")] + [str(ROOT / "bench"), str(ROOT / "test" / "external")]

from programs_suite import Trouble  # noqa: E402  (the path comes first)
from recorded import json_of, measured_command  # noqa: E402
from session import Session  # noqa: E402
from smarttrack_tables import ANALYSES, section  # noqa: E402


def races_of(usage, folder, omen, trace):
    """{analysis: [places at which a race is detected, racy accesses]}; one analysis after the other, since each lists every racy access."""
    counted = {}
    for key in ANALYSES:
        shown, _ = json_of(usage, folder, [omen, "analyze", trace, "--analysis", key, "--most", 1])
        result = shown["results"][0]
        counted[key] = [len({race["locations"][1] for race in result["races"]}), result["racy_events"]]
    return counted


def passes_of(path):
    """{pass: [run…]}, from the output of omen-bench."""
    if not path.exists():
        raise Trouble(f"there is no {path}")
    return {each["pass"]: each["runs"] for each in json.loads(path.read_text(encoding="utf-8"))["passes"]}


def measured(usage, folder, bench, trace, rounds):
    path = folder / "passes.json"
    measured_command(usage, folder, [bench, "--trace", trace, "--repeat", rounds, "--json", path], codes=(0,))
    return passes_of(path)


def one_trace(recorder, name, options):
    trace = recorder.kept_trace(name)
    folder, usage, omen = recorder.run_folder / name / "analyses", recorder.usage, recorder.omen
    counts, _ = json_of(usage, folder, [omen, "stats", trace, "--analysis", "st-wdc"])
    return {"part": recorder.part(name), "mib": trace.stat().st_size / 2**20,
            "counts": {"events": counts["trace"]["events"], "threads": counts["trace"]["threads"], "analysis": counts["analyses"][0]},
            "races": races_of(usage, folder, omen, trace),
            "passes": passes_of(options.passes / f"{name}.json") if options.passes else
                      measured(usage, folder, pathlib.Path(omen).parent / "omen-bench", trace, options.rounds)}


def main():
    session = Session("smarttrack", __doc__, rounds=7)
    session.parser.add_argument("--passes", type=pathlib.Path, metavar="FOLDER", help="measurements that were made elsewhere")
    try:
        options = session.begin()
    except FileNotFoundError as error:
        session.say(str(error))
        return 69
    depends = f"{options.rounds} {options.passes}"
    results = {name: made[0] for name, made in session.results(lambda name: one_trace(session.recorder, name, options), 1, depends).items()}
    if options.build_only or not results:
        return 1 if session.wrong or not results and not options.build_only else 0
    return session.finish("\n".join(section(results)))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Other projects' programs under omen: ./check external.

  run.py [SUITE…] [--detectors omen,tsan] [--build BUILD] [--repeat N] [--analysed N] [--only PATTERN] [--fresh]

Suites: tsan (ThreadSanitizer's tests), valgrind (Helgrind's and DRD's), programs (real programs). Sources are fetched as Debian
source packages into build/external/, and results are stored there, so a second call continues where the first one ended. The
tables in docs/conformance.md are rewritten from all existing results.
"""
import argparse
import concurrent.futures
import importlib
import os
import pathlib
import re
import sys
import time

import document
from detectors import DETECTORS
from results import Results, count, totals
from sources import FetchError, Sources

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITES = {name: f"{name}_suite" for name in ("tsan", "valgrind", "programs")}


def say(text):
    print(f"external: {text}", flush=True)


def run_suite(suite, detector, sources, options):
    """Runs the programs without a result; returns all results of the suite."""
    results = Results(options.folder / "results" / f"{suite.NAME}-{detector.name}.json", detector.fingerprint, options.fresh)
    work = options.folder / "work" / suite.NAME / detector.name
    todo = [(name, item) for name, item in suite.names(sources)
            if name not in results and (not options.only or re.search(options.only, name))]
    if todo:
        say(f"{suite.NAME}: {len(todo)} programs with {detector.title}")
    done, told = 0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(getattr(suite, "JOBS", options.jobs)) as pool:
        pending = {pool.submit(suite.run_one, name, item, detector, work): name for name, item in todo}
        for future in concurrent.futures.as_completed(pending):
            for name, record in future.result().items():
                results.put(name, record)
            done += 1
            if time.monotonic() - told > 20:
                told = time.monotonic()
                say(f"{suite.NAME}: {done} of {len(todo)} with {detector.title}")
    return results.records


def print_programs(title, records):
    for package, record in records.items():
        say(f"{title}: {package}: {record['outcome']}, {record['runs']} runs ({record.get('analysed', record['runs'])} analysed), {record['reports']} reports, "
            f"{record['native_seconds']:.1f} s without and {record['seconds']:.1f} s with")
        for site in record["sites"][:10]:
            print(f"  {site}")


def print_groups(title, groups):
    numbers = totals(groups)
    say(f"{title}: found {numbers['found']} of {numbers['racy']}, false {numbers['false']} of {numbers['free']} race-free, "
        f"no verdict {numbers['broken']}, other kinds of reports {numbers['other']}")
    for group in ("missed", "false", "broken-race", "broken-none"):
        for name in groups[group]:
            print(f"  {group}: {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}; all if none is named")
    parser.add_argument("--detectors", default="omen,tsan")
    parser.add_argument("--build", default=ROOT / "build" / "check", help="omen's build tree")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "external")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS") or os.cpu_count()))
    parser.add_argument("--repeat", type=int, default=1, help="how often each real program runs")
    parser.add_argument("--analysed", type=int, default=None, help="of the repeated runs; the others are only recorded. All if not given")
    parser.add_argument("--only", help="programs whose name matches")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    options = parser.parse_args()
    for name in options.suites:
        if name not in SUITES:
            parser.error(f"there is no suite {name}")
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    sources = Sources(options.folder, say)
    wrong = 0
    try:
        for name in options.suites or SUITES:
            suite = importlib.import_module(SUITES[name])
            suite.REPEAT = options.repeat
            suite.ANALYSED = options.repeat if options.analysed is None else options.analysed
            for kind in options.detectors.split(","):
                detector = DETECTORS[kind](options.build)
                records = run_suite(suite, detector, sources, options)
                if name == "programs":
                    print_programs(f"{suite.TITLE}, {detector.title}", records)
                    bad = [each for each in records.values() if each["outcome"] != "same" and "source not available" not in each["outcome"]]
                else:
                    groups = count(records)
                    print_groups(f"{suite.TITLE}, {detector.title}", groups)
                    bad = groups["false"]
                wrong += len(bad) if detector.name == "omen" else 0
    except (FetchError, FileNotFoundError) as error:
        say(str(error))
        return 69
    document.write(ROOT / "docs" / "conformance.md", options.folder / "results", sources)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs omen-proved, and reads its output."""

import json
import subprocess

PROVED = ["proved-vectorclock", "proved-fasttrack", "proved-fto"]


def run(judge, arguments, text=None):
    return subprocess.run([judge, *arguments], input=text, capture_output=True, text=True, check=False)


def run_batch(judge, text):
    """The answers to a batch of traces, in order: a list of (first race or None, racy events)."""
    done = run(judge, ["--batch", "-"], text)
    if done.returncode != 0:
        raise SystemExit(f"omen-proved: exit {done.returncode}: {done.stderr.strip()}")
    answers = []
    for line in done.stdout.splitlines():
        report = json.loads(line)
        assert report["omen"] == 1, line
        by_name = {r["analysis"]: r for r in report["results"]}
        vector_clock = by_name["proved-vectorclock"]
        first = [event_of(by_name[name]["first_race"]) for name in PROVED]
        if len(set(first)) != 1:
            raise SystemExit(f"the proved detectors disagree: {line}")
        racy = [r["event"] for r in vector_clock["races"]]
        assert vector_clock["racy_events"] == len(racy), line
        answers.append((first[0], racy))
    return answers


def event_of(first_race):
    return None if first_race is None else first_race["event"]

#!/usr/bin/env python3
"""Table III of RECIPE for C ports of its small benchmarks (bench/recipe/*.c).

  recipe.py --build BUILD [--only NAME]… [--runs N] [--budget N] [--write]

Each program is compiled by clang 19 with --omen-values -O0 and recorded N times (5). Threads, reads and writes of shared memory, branches that depend on
what was read, and synchronisation are those of the value traces; races are pairs of lines that a model finds in a run. All numbers are means over the runs.
The paper's RV is `control*`, the model control with artificial branches; its Recipe-s is `relax`, its Recipe `paths`. Diff: races of relax that control* misses, Diff' the other
way. Seconds: processor time of `omen relax`. A recording that is refused since two accesses may have happened in another order is made again; how often
is said. With --write the block of docs/relaxation.md is replaced.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "bench" / "recipe"
DOCUMENT = ROOT / "docs" / "relaxation.md"
BLOCK = re.compile(r"(<!-- bench-recipe -->\n)(.*?)(<!-- end -->)", re.DOTALL)
MODELS = {"ca": [], "lw": [], "value": [], "control*": ["--artificial-branches"], "control": [], "relax": [], "paths": []}
# Of the paper: threads, races of RV, Recipe-s and Recipe, Diff, Diff'.
PAPER = {"account": (3, 5, 2, 5, 3, 3), "airline": (11, 9, 9, 9, 0, 0), "bbuffer": (4, 9, 13, 25, 21, 5), "bubblesort": (26, 7, 7, 7, 0, 0),
         "bufwriter": (5, 2, 4, 10, 8, 0), "critical": (3, 8, 8, 8, 0, 0), "mergesort": (5, 3, 3, 10, 10, 0), "pingpong": (4, 1, 1, 1, 0, 0)}
ATTEMPTS = 10


def run(command, codes=(0,), **settings):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **settings)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(map(str, command))}: code {done.returncode}\n{done.stderr[-2000:]}")
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def shape(trace):
    """Threads, shared reads and writes, branches, synchronisation."""
    threads, count = set(), collections.Counter()
    for line in trace.read_text().splitlines():
        if line.startswith("paths "):
            break
        if "|" not in line:
            continue
        thread, act = line.split("|")[:2]
        threads.add(thread)
        if re.match(r"%\S+ = read |read ", act):
            count["reads"] += 1
        elif act.startswith("write "):
            count["writes"] += 1
        elif act.startswith("branch "):
            count["branches"] += 1
        elif not act.startswith(("fix ", "%", "free", "alloc")) or re.match(r"%\S+ = (load|rmw) ", act):
            count["sync"] += 1
    return {"threads": len(threads), **{key: count[key] for key in ("reads", "writes", "branches", "sync")}}


def places(candidate):
    return tuple(sorted(":".join(place.split("/")[-1].split(":")[:2]) for place in candidate["locations"]))


def measure(omen, binary, folder, budget):
    trace = folder / "t.values"
    for refused in range(ATTEMPTS):
        done, _ = run([omen, "record", "--values", "-o", trace, "--", binary], codes=(0, 65))
        if done.returncode == 0:
            break
        if "record again" not in done.stderr:
            raise SystemExit(done.stderr)
    else:
        raise SystemExit(f"{binary}: refused {ATTEMPTS} times")
    row = shape(trace) | {"refused": refused, "undecided": 0}
    races = {}
    for name, options in MODELS.items():
        done, seconds = run([omen, "relax", trace, "--model", name.rstrip("*"), *options, "--budget", budget, "-j", 1, "--json", "-"], codes=(0, 66))
        candidates = json.loads(done.stdout)["candidates"]
        races[name] = {places(one) for one in candidates if one["verdict"] == "race"}
        row["undecided"] += sum(one["verdict"] == "unknown" for one in candidates)
        row[name], row[f"{name} seconds"] = len(races[name]), seconds
    row["diff"], row["diff'"] = len(races["relax"] - races["control*"]), len(races["control*"] - races["relax"])
    return row


def number(value, digits=1):
    return str(round(value)) if value == round(value) else f"{value:.{digits}f}"


def table(rows):
    head = ["program", "threads", "reads", "writes", "branches", "sync", *MODELS, "Diff", "Diff'", "s, control*", "s, relax", "s, paths", "RV", "Recipe-s", "Recipe",
            "Diff", "Diff'"]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for name, row in rows.items():
        cells = [name] + [number(row[key]) for key in ("threads", "reads", "writes", "branches", "sync", *MODELS, "diff", "diff'")]
        cells += [f"{row[key]:.2f}" for key in ("control* seconds", "relax seconds", "paths seconds")]
        cells += [str(value) for value in PAPER[name][1:]] if name in PAPER else ["–"] * 5
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--budget", type=int, default=2000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    environment = os.environ | {"OMEN_CC": "clang-19"}
    omen, rows, refused, undecided = options.build / "bin" / "omen", {}, 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source in sorted(SOURCES.glob("*.c")):
            if options.only and source.stem not in options.only:
                continue
            binary = folder / source.stem
            run([options.build / "bin" / "omen-cc", "--omen-values", "-g", "-O0", "-pthread", source, "-o", binary], env=environment)
            runs = [measure(omen, binary, folder, options.budget) for _ in range(options.runs)]
            rows[source.stem] = {key: sum(one[key] for one in runs) / len(runs) for key in runs[0]}
            refused += sum(one["refused"] for one in runs)
            undecided += sum(one["undecided"] for one in runs)
            print(f"recipe: {source.stem} done", file=sys.stderr, flush=True)
    text = table(rows) + f"\n\n{options.runs} runs each; {undecided} answers out of budget, {refused} recordings made again.\n"
    print(text)
    if options.write:
        document = DOCUMENT.read_text()
        if not BLOCK.search(document):
            raise SystemExit(f"{DOCUMENT}: expected <!-- bench-recipe -->")
        DOCUMENT.write_text(BLOCK.sub(lambda found: found[1] + text + found[3], document))


if __name__ == "__main__":
    main()

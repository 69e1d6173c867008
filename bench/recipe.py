#!/usr/bin/env python3
"""Table III of RECIPE for C ports of its small benchmarks (bench/recipe/*.c), or for real programs.

  recipe.py --build BUILD [--only NAME]… [--runs N] [--budget N] [--write]
  recipe.py --build BUILD --real [--only NAME]… [--cache FOLDER] [--seconds N] [--budget N] [--write]

Each program is compiled by clang 19 with --omen-values -O0 and recorded N times (5). Threads, reads and writes of shared memory, branches that depend on
what was read, and synchronisation are those of the value traces; races are pairs of lines that a model finds in a run. All numbers are means over the runs.
The paper's RV is `control*`, the model control with artificial branches; its Recipe-s is `relax`, its Recipe `paths`. Diff: races of relax that control* misses, Diff' the other
way. Seconds: processor time of `omen relax`. A recording that is refused since two accesses may have happened in another order is made again; how often
is said. With --write the block of docs/relaxation.md is replaced.

With --real: programs of test/external/programs_suite.py, built by their own build systems with --omen-values, on small inputs, once each. Their sources are fetched
into the folder of --cache, or found there. A model has N seconds of processor time (60); one that needs more is shown as `>`. A program that cannot be interpreted
has a row that says why.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "external"))

import programs_suite  # noqa: E402  (the path comes first)
from sources import Sources  # noqa: E402

SOURCES = ROOT / "bench" / "recipe"
DOCUMENT = ROOT / "docs" / "relaxation.md"
COMPILERS = {"OMEN_CC": "clang-19", "OMEN_CXX": "clang++-19"}
MODELS = {"ca": [], "lw": [], "value": [], "control*": ["--artificial-branches"], "control": [], "relax": [], "paths": []}
# Of the paper: threads, races of RV, Recipe-s and Recipe, Diff, Diff'.
PAPER = {"account": (3, 5, 2, 5, 3, 3), "airline": (11, 9, 9, 9, 0, 0), "bbuffer": (4, 9, 13, 25, 21, 5), "bubblesort": (26, 7, 7, 7, 0, 0),
         "bufwriter": (5, 2, 4, 10, 8, 0), "critical": (3, 8, 8, 8, 0, 0), "mergesort": (5, 3, 3, 10, 10, 0), "pingpong": (4, 1, 1, 1, 0, 0)}
ATTEMPTS = 10
# Kilobytes of input, and the command behind the program's folder.
REAL = {"pigz": (140, ["pigz", "-p2", "-b128", "-n", "-k", "-c"]), "pbzip2": (140, ["pbzip2", "-p2", "-b1", "-k", "-c"]),
        "xz-utils": (6, ["src/xz/xz", "-T2", "--block-size=4096", "-0", "-k", "-c"]), "libzstd": (6, ["programs/zstd", "-q", "-T2", "-1", "-k", "-c"])}
SERVER = ["memcached", "-u", "root", "-l", "127.0.0.1", "-t", "2", "-A", "-m", "16"]
REQUESTS = 4


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


def predicted(omen, trace, name, options):
    """Places of races, how many candidates are undecided, seconds; None, where they are used up."""
    command = [omen, "relax", trace, "--model", name.rstrip("*"), *MODELS[name], "--budget", options.budget, "-j", 1, "--json", "-"]
    limit = (lambda: resource.setrlimit(resource.RLIMIT_CPU, (options.seconds, options.seconds))) if options.real else None
    done, seconds = run(command, codes=(0, 66, -9, -24) if options.real else (0, 66), preexec_fn=limit)
    if done.returncode < 0:
        return None
    candidates = json.loads(done.stdout)["candidates"]
    return {places(one) for one in candidates if one["verdict"] == "race"}, sum(one["verdict"] == "unknown" for one in candidates), seconds


def predict(omen, trace, options):
    """A row of the table."""
    row, races = shape(trace) | {"undecided": 0}, {}
    for name in MODELS:
        found = predicted(omen, trace, name, options)
        races[name], undecided, seconds = found or (set(), 0, math.inf)
        row["undecided"] += undecided
        row[name], row[f"{name} seconds"] = len(races[name]) if found else math.inf, seconds
    known = math.inf not in (row["relax"], row["control*"])
    row["diff"] = len(races["relax"] - races["control*"]) if known else math.inf
    row["diff'"] = len(races["control*"] - races["relax"]) if known else math.inf
    return row


def measure(omen, binary, folder, options):
    trace = folder / "t.values"
    for refused in range(ATTEMPTS):
        done, _ = run([omen, "record", "--values", "-o", trace, "--", binary], codes=(0, 65))
        if done.returncode == 0:
            break
        if "record again" not in done.stderr:
            raise SystemExit(done.stderr)
    else:
        raise SystemExit(f"{binary}: refused {ATTEMPTS} times")
    return predict(omen, trace, options) | {"refused": refused}


def small(options, folder):
    """Rows of the small benchmarks: means over the runs."""
    omen, rows = options.build / "bin" / "omen", {}
    for source in sorted(SOURCES.glob("*.c")):
        if options.only and source.stem not in options.only:
            continue
        binary = folder / source.stem
        run([options.build / "bin" / "omen-cc", "--omen-values", "-g", "-O0", "-pthread", source, "-o", binary], env=os.environ | COMPILERS)
        runs = [measure(omen, binary, folder, options) for _ in range(options.runs)]
        rows[source.stem] = {key: sum(one[key] for one in runs) / len(runs) for key in runs[0]}
        print(f"recipe: {source.stem} done", file=sys.stderr, flush=True)
    return rows


# Real programs.


class Recorded(programs_suite.Context):
    """A server that is recorded with values."""
    def __init__(self, folder, command):
        super().__init__(folder, None)
        self.command = command

    def words(self, program):
        return [str(word) for word in (*self.command, *program)]

    def take(self, name, code, log, seconds):
        self.code, self.log = code, log


def ask(stream):
    for key in range(REQUESTS):
        stream.ask(key, b"set k%d 0 0 5\r\nvalue\r\n" % key)
        stream.ask(key, b"get k%d\r\n" % key, 3)
    stream.ask(0, b"shutdown\r\n", 0)


def record(name, built, trace, folder, omen):
    """Nothing, or why it cannot be interpreted."""
    command = [omen, "record", "--values", "-o", trace, "--"]
    if name in REAL:
        kilobytes, words = REAL[name]
        programs_suite.text_file(folder / "in.txt", kilobytes)
        done = subprocess.run([*map(str, command), built / words[0], *words[1:], "in.txt"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, cwd=folder, check=False)
        code, log = done.returncode, done.stderr.decode(errors="replace")
    else:
        context, port = Recorded(folder, command), programs_suite.free_port()
        context.serve(name, [built / SERVER[0], *SERVER[1:], "-p", port], port, ask)
        code, log = context.code, context.log
    if code not in (0, 65):
        raise SystemExit(f"{name}: code {code}\n{log[-2000:]}")
    return None if code == 0 else log.splitlines()[-1].rsplit(": ", 1)[-1]


def build(name, sources, tree, build_folder):
    shutil.copytree(sources.tree(name), tree, symlinks=True)
    compilers = {key: f"{build_folder / 'bin' / tool} --omen-values" for key, tool in (("CC", "omen-cc"), ("CXX", "omen-c++"))}
    commands = programs_suite.PROGRAMS[name][0].replace("./configure", "./configure --disable-clmul-crc" if name == "xz-utils" else "./configure")
    run(["bash", "-e", "-c", commands], cwd=tree, env=os.environ | COMPILERS | compilers)


def real(options, folder):
    """Rows of the real programs; of one that cannot be interpreted a text."""
    sources = Sources(options.cache, lambda text: print(f"recipe: {text}", file=sys.stderr, flush=True))
    rows = {}
    for name in (*REAL, "memcached"):
        if options.only and name not in options.only:
            continue
        tree, trace = options.cache / "values" / name, folder / "t.values"
        if not tree.exists():
            build(name, sources, tree, options.build.resolve())
        why = record(name, tree, trace, folder, (options.build / "bin" / "omen").resolve())
        rows[name] = why or predict(options.build / "bin" / "omen", trace, options)
        print(f"recipe: {name}: {rows[name]}", file=sys.stderr, flush=True)
    return rows


def number(value, digits=1):
    if value == math.inf:
        return "–"
    return str(round(value)) if value == round(value) else f"{value:.{digits}f}"


def table(rows, options):
    head = ["program", "threads", "reads", "writes", "branches", "sync", *MODELS, "Diff", "Diff'"]
    head += [f"s, {name}" for name in MODELS] if options.real else ["s, control*", "s, relax", "s, paths", "RV", "Recipe-s", "Recipe", "Diff", "Diff'"]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for name, row in rows.items():
        if isinstance(row, str):
            lines.append(f"| {name} | not interpreted: {row} |" + " |" * (len(head) - 2))
            continue
        cells = [name] + [number(row[key]) for key in ("threads", "reads", "writes", "branches", "sync", *MODELS, "diff", "diff'")]
        timed = MODELS if options.real else ("control*", "relax", "paths")
        seconds = [row[f"{key} seconds"] for key in timed]
        cells += [f">{options.seconds}" if one == math.inf else f"{one:.2f}" for one in seconds]
        if not options.real:
            cells += [str(value) for value in PAPER[name][1:]] if name in PAPER else ["–"] * 5
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--budget", type=int, default=2000)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build" / "recipe")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        rows = (real if options.real else small)(options, pathlib.Path(name))
    known = [row for row in rows.values() if not isinstance(row, str)]
    runs = 1 if options.real else options.runs
    total = {key: number(runs * sum(row.get(key, 0) for row in known)) for key in ("undecided", "refused")}
    text = table(rows, options) + f"\n\n{'One run' if runs == 1 else f'{runs} runs'} each, --budget {options.budget}; {total['undecided']} answers out of budget"
    text += ".\n" if options.real else f", {total['refused']} recordings made again.\n"
    print(text)
    if options.write:
        mark = "bench-recipe-real" if options.real else "bench-recipe"
        block = re.compile(rf"(<!-- {mark} -->\n)(.*?)(<!-- end -->)", re.DOTALL)
        document = DOCUMENT.read_text()
        if not block.search(document):
            raise SystemExit(f"{DOCUMENT}: expected <!-- {mark} -->")
        DOCUMENT.write_text(block.sub(lambda found: found[1] + text + found[3], document))


if __name__ == "__main__":
    main()

"""omen's own HB analyses against the proved detectors.

Every trace is given to omen-proved and to `omen analyze --analysis unopt-hb,ft2-hb,fto-hb`; the first race of each analysis
must be the proved one, and unopt-hb's racy events must be exactly those of the proved VectorClock.

The traces come from --traces (a folder, a .jsonl file with a trace as "std" in each line, or a batch file with '---' between
traces), or are random.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import judge as judge_program
import traces as random_traces

ANALYSES = ["unopt-hb", "ft2-hb", "fto-hb"]


def load(path):
    """(name, STD text) for every trace of a folder (its .std and .jsonl files) or of a file."""
    if path.is_dir():
        files = sorted(p for p in path.rglob("*") if p.suffix in (".std", ".jsonl"))
        return [named for p in files for named in load(p)]
    if path.suffix == ".jsonl":
        with open(path, encoding="utf-8") as lines:
            return [(f"{path.name}:{n}", json.loads(line)["std"]) for n, line in enumerate(lines, 1)]
    return from_batch(path.name, path.read_text(encoding="utf-8"))


def from_batch(name, text):
    found = [[]]
    for line in text.splitlines(keepends=True):
        if line.strip() == "---":
            found.append([])
        else:
            found[-1].append(line)
    if not found[-1]:
        found.pop()
    return [(f"{name}#{i}", "".join(lines)) for i, lines in enumerate(found)]


def generated(generator, seed, count):
    """The batch that an outside generator prints: GENERATOR --seed S --count N."""
    done = subprocess.run([generator, "--seed", str(seed), "--count", str(count)],
                          capture_output=True, text=True, check=True)
    return from_batch("generated", done.stdout)


def analyze(omen, path):
    """omen's report on one trace file.  Exit 66 means that it found races."""
    done = subprocess.run([omen, "analyze", str(path), "--analysis", ",".join(ANALYSES), "--json", "-"],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 66):
        raise SystemExit(f"omen analyze {path}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def analyze_all(omen, named_traces, jobs):
    """One process per trace.  The only function that knows omen's command line."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, (_, text) in enumerate(named_traces):
            path = pathlib.Path(folder) / f"{i}.std"
            path.write_text(text, encoding="utf-8")
            paths.append(path)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(lambda path: analyze(omen, path), paths))


def differences(report, first, racy):
    by_name = {r["analysis"]: r for r in report["results"]}
    for name in ANALYSES:
        if name not in by_name:
            yield f"{name}: no result"
            continue
        found = judge_program.event_of(by_name[name]["first_race"])
        if found != first:
            yield f"{name}: first race {found}, proved {first}"
    found = sorted({r["event"] for r in by_name.get("unopt-hb", {}).get("races", [])})
    if found != racy:
        yield f"unopt-hb: racy events {found}, proved {racy}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", required=True, help="path of omen-proved")
    parser.add_argument("--omen", required=True, help="path of omen")
    parser.add_argument("--traces", type=pathlib.Path, help="a folder, a .jsonl file, or a batch file")
    parser.add_argument("--generator", help="a program that prints a batch, given --seed and --count")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()

    if arguments.traces:
        named = load(arguments.traces)
    else:
        print(f"seed {arguments.seed}")
        if arguments.generator:
            named = generated(arguments.generator, arguments.seed, arguments.count)
        else:
            named = [(f"random#{i}", random_traces.to_std(t))
                     for i, t in enumerate(random_traces.generate_many(arguments.seed, arguments.count))]
    if not named:
        sys.exit("no traces were compared")

    batch = "---\n".join(text if text.endswith("\n") else text + "\n" for _, text in named)
    answers = judge_program.run_batch(arguments.judge, batch)
    if len(answers) != len(named):
        sys.exit(f"{len(named)} traces, but {len(answers)} answers of omen-proved")
    reports = analyze_all(arguments.omen, named, arguments.jobs)

    wrong = 0
    for (name, text), (first, racy), report in zip(named, answers, reports):
        found = list(differences(report, first, racy))
        if found:
            wrong += 1
            if wrong <= 5:
                print(f"{name}:", *found, text, sep="\n")
    racy_traces = sum(1 for first, _ in answers if first is not None)
    print(f"{len(named)} traces compared, {racy_traces} with a race, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Every race that the golden programs report can be replayed under its schedule: `omen run --replay`, in three
of three runs for each race.

  replay_test.py --omen O --cc CC --cxx CXX                a sample of 30 programs, drawn by a seed that is printed, and
                                                           those for which the scheduler has a special rule
  replay_test.py … --all                                   all programs with races
  replay_test.py … --filter RE --compiler gcc|clang|both

A race that cannot be replayed is listed in docs/replay.md, in the table of programs under "What is not replayed", with the
reason. This test reads the table: a race of a listed program may fail, one of any other program may not, and with --all
a listed program must fail, so that the list stays accurate. A program whose reason says "now and then" may do either.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "golden"))
import run_golden  # noqa: E402

ROOT = HERE.parent.parent.parent
SAMPLE = 30
ALWAYS = {
    "begin_awaited_unseen_race.c",  # threads may begin before their turn
    "loop_of_loads_race.c",  # a store waits for loops that load
    "libc_environment_race.c",  # the memory belongs to a module without scheduling points
}


def listed():
    """{program: why} of the table in docs/replay.md."""
    text = (ROOT / "docs" / "replay.md").read_text(encoding="utf-8")
    part = text.partition("## What is not replayed")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `([\w.]+)` \| (.*) \|$", part, flags=re.MULTILINE))


def place(race, side):
    for frame in race["accesses"][side]["stack"]:
        if frame["file"]:
            return f"{os.path.basename(frame['file'])}:{frame['line']}"
    return "nowhere"


def judge(tool, program, compiler, options):
    """A line for each race that was not replayed; how many races there are."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="omen-replay-"))
    try:
        binary, library = run_golden.build(tool, program, compiler, folder)
        faults, races = [], 0
        for index, run in enumerate(program.runs):
            report = folder / f"report.{index}.json"
            arguments = [word.replace("%lib", str(library)) for word in run]
            command = [options.omen, "run", "--replay", "--json", str(report), "--", str(binary), *arguments]
            env = {k: v for k, v in (os.environ | program.env).items() if k != "OMEN_REPLAY"}
            code, _, err = run_golden.execute(command, env, folder, options.timeout)
            if code == "timeout" or not report.exists():
                faults.append(f"no report ({code}): {err.strip().splitlines()[-1:]}")
                continue
            for race in json.loads(report.read_text())["races"]:
                races += 1
                where = f"{place(race, 0)} with {place(race, 1)}"
                replayed = race.get("replayed")
                if replayed is None:
                    faults.append(f"{where}: no plan: {race.get('no_replay', 'none')}")
                elif replayed["reached"] != replayed["runs"] or replayed["runs"] < 3:
                    faults.append(f"{where}: {replayed['reached']} of {replayed['runs']}: {replayed['diverged']}")
        return races, faults
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--compiler", default="gcc", choices=("gcc", "clang", "both"))
    parser.add_argument("--filter", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=180)
    parser.set_defaults(online="", proved=False)  # of run_golden, which builds the programs
    options = parser.parse_args()
    for name in ("omen", "cc", "cxx"):
        setattr(options, name, str(pathlib.Path(getattr(options, name)).absolute()))
    tool = run_golden.Omen(options)
    compilers = {"gcc": ["gcc"], "clang": ["clang-19"], "both": ["gcc", "clang-19"]}[options.compiler]
    compilers = [c for c in compilers if shutil.which(run_golden.COMPILERS[c][1])]
    paths = sorted(p for p in run_golden.FOLDER.iterdir() if p.suffix in (".c", ".cpp"))
    programs = [run_golden.Program(path) for path in paths if re.search(options.filter, path.name)]
    programs = [program for program in programs if program.expected]
    exceptions = listed()
    if not options.all and not options.filter:
        seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
        print(f"seed {seed}")
        sampled = random.Random(seed).sample([p for p in programs if p.name not in exceptions.keys() | ALWAYS], SAMPLE)
        programs = [p for p in programs if p.name in ALWAYS] + sampled
    work = [(program, compiler) for program in programs for compiler in compilers if program.wants(compiler)]
    failed, races, excused = 0, 0, set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(judge, tool, program, compiler, options): (program, compiler) for program, compiler in work}
        for future in concurrent.futures.as_completed(futures):
            program, compiler = futures[future]
            found, faults = future.result()
            races += found
            if faults and program.name in exceptions:
                excused.add(program.name)
                continue
            for fault in faults:
                print(f"{program.name} ({compiler}): {fault}", flush=True)
            if found == 0 and not faults:
                print(f"{program.name} ({compiler}): no race was reported", flush=True)
            failed += bool(faults) or found == 0
    if options.all and not options.filter:
        for name in sorted(exceptions.keys() - excused):
            if "now and then" in exceptions[name]:
                continue
            print(f"{name}: listed in docs/replay.md, and replayed")
            failed += 1
    print(f"{len(work)} programs, {races} races, {failed} programs with a race that was not replayed, {len(excused)} listed")
    return 1 if failed or not work else 0


if __name__ == "__main__":
    sys.exit(main())

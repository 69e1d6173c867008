#!/usr/bin/env python3
"""Programs with and without deadlocks, compiled by GCC and clang: `omen run` reports exactly those that their first lines
expect (`// expect: deadlock LINE LINE…`, the lines where the threads wait; `// expect: quiet`), `omen check` accepts the
witnesses, and `omen run --replay` drives each into the deadlock in 3 of 3 runs.

  deadlock_test.py --omen O --cc CC --cxx CXX [--compiler gcc|clang|both] [--filter RE]
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang-19", "clang++-19")}
TIMEOUT = 180


def run(command, **more):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", f"no end within {TIMEOUT} s")


def expected_lines(source):
    found = re.search(r"^// expect: (quiet|deadlock(?: \d+)+)$", source, re.MULTILINE)
    if found is None:
        sys.exit("expected a line `// expect: …`")
    return sorted({int(word) for word in found.group(1).split()[1:]})


def line_in(stack, name):
    """The line of the innermost frame in the program itself."""
    return next((frame["line"] for frame in stack if os.path.basename(frame["file"]) == name), 0)


def judge(path, compiler, options, folder):
    lines = expected_lines(path.read_text(encoding="utf-8"))
    binary, report, trace = folder / path.stem, folder / "report.json", folder / "trace.omen"
    real = COMPILERS[compiler]
    built = run([options.cxx if path.suffix == ".cpp" else options.cc, "-g", "-O1", "-pthread", str(path), "-o", str(binary)],
                env=os.environ | {"OMEN_CC": real[0], "OMEN_CXX": real[1]})
    if built.returncode != 0:
        return [f"does not compile: {built.stderr}"]
    ran = run([options.omen, "run", "--replay", "--keep", str(trace), "--json", str(report), "--", str(binary)])
    if ran.returncode != (66 if lines else 0):
        return [f"exit code {ran.returncode}: {ran.stderr.strip()[-2000:]}"]
    document = json.loads(report.read_text(encoding="utf-8"))
    faults = [f"a race is reported: {race['headline']}" for race in document["races"]]
    found = document["deadlocks"]
    if len(found) != (1 if lines else 0):
        faults.append(f"{len(found)} deadlocks are reported, not {1 if lines else 0}")
    for deadlock in found:
        at = sorted({line_in(one["stack"], path.name) for one in deadlock["waiting"]})
        if at != lines:
            faults.append(f"threads wait at lines {at}, not {lines}")
        replayed = deadlock.get("replayed", {})
        if replayed.get("runs") != 3 or replayed.get("reached") != 3:
            faults.append(f"replayed: {replayed or deadlock.get('no_replay')}")
    if lines and not faults:
        checked = run([options.omen, "check", str(trace), str(report)])
        if checked.returncode != 0 or "deadlock 0" not in checked.stdout:
            faults.append(f"omen check: {checked.stdout}{checked.stderr}")
        quiet = run([options.omen, "run", "--no-deadlocks", "--", str(binary)])
        if quiet.returncode != 0 or "deadlock" in quiet.stderr:
            faults.append(f"--no-deadlocks: {quiet.returncode} {quiet.stderr}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--compiler", default="both", choices=("gcc", "clang", "both"))
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    compilers = [c for c in COMPILERS if options.compiler in (c, "both") and shutil.which(COMPILERS[c][0])]
    paths = sorted(p for p in HERE.iterdir() if p.suffix in (".c", ".cpp") and re.search(options.filter, p.name))
    failed = 0
    for path in paths:
        for compiler in compilers:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="omen-deadlock-"))
            try:
                faults = judge(path, compiler, options, folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            for fault in faults:
                print(f"{path.name} ({compiler}): {fault}", flush=True)
            failed += bool(faults)
    print(f"{len(paths)} programs, {len(compilers)} compilers, {failed} failed")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks the example of the README: check-demo.py OMEN.

- `./omen demo` prints the lines of README.md that stand after the mark `<!-- ./omen demo -->`, in their order.
- The hand-made trace fits the program: the line of each access, acquire and fork names its operand.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def misplaced():
    """Events of bank.std whose line in bank.cpp does not name the operand."""
    program = (ROOT / "examples/bank/bank.cpp").read_text(encoding="utf-8").splitlines()
    for line in (ROOT / "examples/bank/bank.std").read_text(encoding="utf-8").splitlines():
        event = re.fullmatch(r"\w+\|(?:r|w|acq|fork)\((\w+)\)\|bank\.cpp:(\d+)", line)
        if event and event.group(1) not in program[int(event.group(2)) - 1]:
            yield line


def main():
    wrong = list(misplaced())
    if wrong:
        print("\n".join(["examples/bank/bank.std: not where bank.cpp has it:", *wrong]))
        return 1
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- \./omen demo -->\n```text\n(.*?)```\n", readme, re.DOTALL)
    if not block:
        print("README.md: no block after the mark <!-- ./omen demo -->")
        return 1
    with tempfile.TemporaryDirectory() as cache:  # the demo keeps its page there
        run = subprocess.run([sys.argv[1], "demo"], cwd=ROOT, env=os.environ | {"XDG_CACHE_HOME": cache},
                             stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        print(f"./omen demo ended with {run.returncode}")
        return 1
    # Addresses, numbers and the folder differ from run to run. A line "…" in README.md stands for omitted lines.
    printed = [normal(line) for line in run.stdout.splitlines()]
    at = 0
    for line in block.group(1).splitlines():
        if line.strip() == "…":
            continue
        try:
            at = printed.index(normal(line), at) + 1
        except ValueError:
            print(f"./omen demo does not print, in this order:\n{line}\nbut:\n{run.stdout}")
            return 1
    print("./omen demo prints what README.md shows")
    return 0


def normal(line):
    """A line of a report without what differs from run to run."""
    line = re.sub(r"0x[0-9a-f]+", "0x", line)
    line = re.sub(r"BuildId: [0-9a-f]+", "BuildId", line)
    line = re.sub(r"[~/]\S*/(bank\.cpp|demo\.html)", r"\1", line)
    line = re.sub(r"\b(pid|tid)=\d+", r"\1", line)
    return re.sub(r"\d+ (events|of 20)", r"N \1", line).rstrip()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks the example of the README.

- `./omen demo` prints, line for line, the block of README.md that stands after the mark `<!-- ./omen demo -->`.
- The hand-made trace fits the program: the line of each access, acquire and fork names its operand.
"""

import difflib
import pathlib
import re
import subprocess
import sys

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
    run = subprocess.run([ROOT / "omen", "demo"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        print(f"./omen demo ended with {run.returncode}")
        return 1
    difference = list(
        difflib.unified_diff(block.group(1).splitlines(), run.stdout.splitlines(), "README.md", "./omen demo", lineterm="")
    )
    print("\n".join(difference) if difference else "README.md shows what ./omen demo prints")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())

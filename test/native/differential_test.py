"""The interpreter of recorded programs against compiled code.

Usage: differential_test.py OMEN OMEN_CC FOLDER [FUNCTIONS]. Each random function (random_functions.py) is compiled at three levels of optimisation,
run once and interpreted. The interpreter compares what it computes with what the program recorded: the result of each call, the arguments, the way
at each branch. What it says of memory is compared here: no cell may be without values, since then some read did not give what the interpreter
wrote. OMEN_FUNCTIONS=N tries more; the seed of a failure is printed, and OMEN_SEED sets it.
"""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import random_functions  # noqa: E402

PER_PROGRAM = 25
LEVELS = ["-O0", "-O1", "-O2"]
SUMMARY = re.compile(r"(\d+) instructions interpreted, (\d+) branches on what was read, (\d+) fixed values, (\d+) calls "
                     r"of code without values; (\d+) of (\d+) cells have no values")


def main():
    omen, compiler, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    functions = int(os.environ.get("OMEN_FUNCTIONS", sys.argv[4] if len(sys.argv) > 4 else "300"))
    first = int(os.environ.get("OMEN_SEED", "1"))
    folder.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, OMEN_CC="clang-19", OMEN_CXX="clang++-19")
    totals = [0] * 6
    programs = 0
    for seed in range(first, first + (functions + PER_PROGRAM - 1) // PER_PROGRAM):
        source, binary, trace = folder / "functions.c", folder / "functions", folder / "functions.values"
        source.write_text(random_functions.program(seed, PER_PROGRAM))
        level = LEVELS[seed % len(LEVELS)]
        subprocess.run([compiler, "--omen-values", "-g", "-w", "-fwrapv", level, str(source), "-o", str(binary)], check=True,
                       env=environment)
        done = subprocess.run([omen, "record", "--values", "-o", str(trace), "--", str(binary)], env=environment,
                              capture_output=True, text=True)
        found = SUMMARY.search(done.stderr)
        if done.returncode != 0 or not found:
            sys.exit(f"seed {seed}, {level}: code {done.returncode}\n{done.stderr}")
        numbers = [int(n) for n in found.groups()]
        if numbers[4] != 0:
            opaque = [line for line in trace.read_text().splitlines() if line.endswith("opaque")]
            sys.exit(f"seed {seed}, {level}: cells without values, so the interpreter and the program disagree: {opaque[:5]}")
        totals = [a + b for a, b in zip(totals, numbers)]
        programs += 1
    instructions, branches, fixes, _, _, cells = totals
    print(f"{programs * PER_PROGRAM} functions, seeds {first} to {first + programs - 1}: {instructions} instructions, {branches} branches on what was "
          f"read, {fixes} fixed values, {cells} cells, all with values")
    if instructions < 20 * programs * PER_PROGRAM or branches < programs * PER_PROGRAM or fixes == 0:
        sys.exit("too little was computed from what was read: the test says nothing")


main()

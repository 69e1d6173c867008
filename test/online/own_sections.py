#!/usr/bin/env python3
"""A thread's own accesses in sections that are no longer remembered give way to its later ones, in every analysis.

If they did not, each would stay in the detail of its line. Usage: own_sections.py OMEN-C++
"""

import pathlib
import re
import subprocess
import sys
import tempfile

MOST = 300  # chunks of details; there are 12,000 elements
SOURCE = pathlib.Path(__file__).resolve().parent / "own_sections.cpp"


def main():
    bad = 0
    with tempfile.TemporaryDirectory(prefix="omen-own-") as name:
        folder = pathlib.Path(name)
        program = folder / "program"
        subprocess.run([sys.argv[1], "-std=c++20", "-O1", "-g", SOURCE, "-o", program], check=True)
        for analysis in ("fto-hb", "st-wcp", "st-dc", "st-wdc"):
            log = folder / analysis
            log.mkdir()
            environment = {"OMEN_ONLINE": f"{analysis}:{log}", "OMEN_OPTIONS": "stats=1"}
            subprocess.run([program], check=True, env=environment, stdout=subprocess.DEVNULL, timeout=120)
            text = "".join(path.read_text(errors="replace") for path in log.iterdir())
            counters = {key: int(value) for key, value in re.findall(r"^counter (\S+) (\d+)$", text, re.MULTILINE)}
            print(f"{analysis}: {counters['details']} chunks of details, {counters['accesses']} accesses, {counters['synchronisations']} steps")
            bad += counters["details"] > MOST or counters["synchronisations"] < 200000 or text.startswith("race")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

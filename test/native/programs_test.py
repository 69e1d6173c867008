"""Programs in C++ whose races are known, by model.

Usage: programs_test.py OMEN OMEN_CC FOLDER. In programs/*.cpp the lines of a race end in `// race in MODEL`: it is found from that model on, and
missed by those below. In a program without marks nothing is found. Threads are ordered by order.hpp.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

MODELS = ["ca", "lw", "value", "control", "relax", "paths"]
LEVELS = ["-O0", "-O1"]


def races(omen, trace, model):
    done = subprocess.run([omen, "relax", str(trace), "--model", model, "--json", "-"], capture_output=True, text=True)
    if done.returncode not in (0, 66):
        sys.exit(f"{trace} under {model}: code {done.returncode}\n{done.stderr}")
    found = set()
    for candidate in json.loads(done.stdout)["candidates"]:
        if candidate["verdict"] == "unknown":
            sys.exit(f"{trace} under {model}: {candidate['locations']} is undecided: {candidate['ran_out']}")
        if candidate["verdict"] == "race":
            lines = [place.split("/")[-1].split(":") for place in candidate["locations"]]
            found.add(tuple(sorted((file, int(line)) for file, line, *_ in lines)))
    return found


def main():
    omen, compiler, folder = sys.argv[1], sys.argv[2].replace("omen-cc", "omen-c++"), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, OMEN_CXX="clang++-19")
    failures, checked = [], 0
    for source in sorted(pathlib.Path(__file__).parent.glob("programs/*.cpp")):
        text = source.read_text()
        marks = [(number, mark.group(1)) for number, line in enumerate(text.splitlines(), 1)
                 if (mark := re.search(r"// race in (\w+)$", line))]
        lines = [(source.name, number) for number, _ in marks]
        expected = tuple(sorted(lines * 2 if len(lines) == 1 else lines))
        # At -O1 the branch of the first figure becomes a selection, so its value decides nothing; the fifth reads once.
        for level in LEVELS[:1] if source.stem in ("figure1", "figure1_other_side", "figure5") else LEVELS:
            binary, trace = folder / source.stem, folder / f"{source.stem}.values"
            subprocess.run([compiler, "--omen-values", "-std=c++20", "-g", level, str(source), "-o", str(binary)], check=True, env=environment)
            done = subprocess.run([omen, "record", "--values", "-o", str(trace), "--", str(binary)], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{source.name} {level}: code {done.returncode}\n{done.stderr}")
            for model in MODELS:
                found = races(omen, trace, model)
                checked += 1
                if not marks:
                    wrong = bool(found)
                else:
                    wrong = (expected in found) != (MODELS.index(model) >= MODELS.index(marks[0][1]))
                if wrong:
                    failures.append(f"{source.name} {level} under {model}: {sorted(found)}, expected from {marks}")
    if checked < 90:
        sys.exit("there are fewer programs than there should be")
    for failure in failures:
        print(failure)
    print(f"{checked} answers, {len(failures)} wrong")
    sys.exit(1 if failures else 0)


main()

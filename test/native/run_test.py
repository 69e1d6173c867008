"""`omen run` on C++ programs that record values: what a model finds is reported if the program, led by the schedule, comes to it.

Usage: run_test.py OMEN OMEN_CC FOLDER. In executed/*.cpp the two lines of a race end in `// race by MODEL`: the model that finds it first. In a program
without marks nothing is found.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

VALUE_MODELS = ("value", "control", "relax", "paths")


def build(compiler, source, binary, *options, **environment):
    subprocess.run([compiler, "-std=c++20", "-g", "-O0", *options, str(source), "-o", str(binary)], check=True, env=dict(os.environ, **environment))


def report(omen, binary, *options):
    done = subprocess.run([omen, "run", *options, "--json", "-", "--", str(binary)], capture_output=True, text=True)
    return json.loads(done.stdout), done


def lines_of(race, source):
    """Of each access the line in the program's own source."""
    found = []
    for access in race["accesses"]:
        own = [frame["line"] for frame in access["stack"] if frame["file"].endswith(source.name)]
        found.append(own[0] if own else 0)
    return sorted(found)


def examine(omen, binary, source, marks):
    """What is wrong."""
    whole, done = report(omen, binary, "--show-candidates")
    if not marks:
        return [] if done.returncode == 0 and not whole["races"] else [f"{len(whole['races'])} races, code {done.returncode}"]
    lines, model = sorted(number for number, _ in marks), marks[0][1]
    found = [race for race in whole["races"] if lines_of(race, source) == lines]
    if done.returncode != 66 or len(found) != 1:
        return [f"code {done.returncode}, {[(one['found_by'], lines_of(one, source)) for one in whole['races']]}\n{done.stderr}"]
    race, faults = found[0], []
    if race["found_by"] != model or race["verdict"] != "race":
        faults.append(f"found by {race['found_by']}, {race['verdict']}")
    if model not in VALUE_MODELS:
        return faults
    if race.get("replayed", {}).get("reached", 0) == 0 or race["model"] != model:
        faults.append(f"replayed: {race.get('replayed')}, model {race['model']}")
    if "came to both accesses" not in done.stderr:
        faults.append("the text does not say that the program came to it")
    changed = race.get("changed_reads", [])
    if (model == "value") == bool(changed) or any("now" not in one or one["now"] == one["recorded"] for one in changed):
        faults.append(f"changed reads: {changed}")
    turned = race.get("turned")
    if (model == "paths") != bool(turned) or (turned and (not turned["place"]["file"].endswith(source.name) or "goes the other way" not in done.stderr)):
        faults.append(f"turned: {turned}")
    if changed and f"{changed[0]['now']} instead of {changed[0]['recorded']}" not in done.stderr:
        faults.append("the text does not say which reads return something else")
    if [one["model"] for one in whole["models"]["values"]] != list(VALUE_MODELS):
        faults.append(f"asked: {whole['models']}")
    # Without a run that comes to it, it is no race.
    alone, done = report(omen, binary, "--no-replay", "--show-candidates")
    candidates = [one for one in alone.get("unconfirmed", []) if lines_of(one, source) == lines]
    if done.returncode != 0 or alone["races"] or len(candidates) != 1 or "no-replay" not in candidates[0]["why"]:
        faults.append(f"without replay: code {done.returncode}, {alone['races']}, {len(candidates)} candidates")
    quiet, done = report(omen, binary, "--no-replay")
    if quiet.get("unconfirmed") or quiet["unknown"] == 0 or "candidate:" in done.stderr:
        faults.append("candidates are listed though nobody asked")
    models = ("data", *VALUE_MODELS)
    below, done = report(omen, binary, "--candidates", models[models.index(model) - 1])
    if done.returncode != 0 or below["races"] or model in [one["model"] for one in below["models"].get("values", [])]:
        faults.append("found by the model before it")
    return faults


def without_pass(omen, compiler, folder):
    """A report says that the program's compiler had no pass."""
    source = pathlib.Path(__file__).parent / "executed" / "counters.cpp"
    faults = []
    other = folder / "g++-13"  # omen-cc goes by the name: no plugin is for this one
    other.write_text('#!/bin/sh\nexec g++-12 "$@"\n')
    other.chmod(0o755)
    for name, environment, model, marked in (("without", {"OMEN_CXX": str(other)}, "lw", True), ("gcc", {"OMEN_CXX": "g++-12"}, "data", False),
                                             ("clang", {"OMEN_CXX": "clang++-19"}, "data", False)):
        build(compiler, source, folder / name, "-O1", **environment)  # at -O0 fetch_add returns what it read
        found, done = report(omen, folder / name)
        models = found["models"]
        if models["witnesses"] != model or ("without_pass" in models) != marked:
            faults.append(f"{name}: {models}")
        if (f"note: the model is {model}" in done.stderr) != marked:
            faults.append(f"{name}: the text says {done.stderr!r}")
        if (len(found["races"]) == 1) == marked:
            faults.append(f"{name}: {len(found['races'])} races")
        if not marked and not found["races"][0].get("changed_reads"):
            faults.append(f"{name}: no changed reads")
    return faults


def both_sides(omen, compiler, folder):
    """A race beside one on a path has its own witness."""
    source = pathlib.Path(__file__).parent / "both_sides.cpp"
    build(compiler, source, folder / source.stem, "--omen-values", OMEN_CXX="clang++-19")
    whole, _ = report(omen, folder / source.stem)
    found = {race["variable"]["name"]: race for race in whole["races"]}
    if set(found) != {"x", "z"} or found["x"]["found_by"] != "paths" or found["z"]["found_by"] in VALUE_MODELS:
        return [f"both_sides: {[(one['variable']['name'], one['found_by']) for one in whole['races']]}"]
    return [f"both_sides: {name} has no schedule" for name, race in found.items() if not race["schedule"]]


def main():
    omen, compiler, folder = sys.argv[1], sys.argv[2].replace("omen-cc", "omen-c++"), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    failures = without_pass(omen, compiler, folder) + both_sides(omen, compiler, folder)
    models = set()
    for source in sorted(pathlib.Path(__file__).parent.glob("executed/*.cpp")):
        marks = [(number, mark.group(1)) for number, line in enumerate(source.read_text().splitlines(), 1)
                 if (mark := re.search(r"// race by (\w+)$", line))]
        models.update(model for _, model in marks)
        binary = folder / source.stem
        build(compiler, source, binary, "--omen-values", OMEN_CXX="clang++-19")
        failures += [f"{source.name}: {fault}" for fault in examine(omen, binary, source, marks)]
    if models != {"lw", *VALUE_MODELS}:
        sys.exit(f"only {models} are looked at")
    for failure in failures:
        print(failure)
    print(f"{len(failures)} faults")
    sys.exit(1 if failures else 0)


main()

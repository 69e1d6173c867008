#!/usr/bin/env python3
"""Checks the direction of includes: a folder includes itself and the folders and files that its row below allows, nothing else.

The rows are docs/design.md's table of folders. A folder without a row may not hold C++ files: add its row first.
Prints file:line for each include that breaks a rule; exit 1 if there was any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def runtime(*folders):
    return [f"capture/runtime/{folder}" for folder in folders]


ONLINE_LOG = "capture/online_log/format.hpp"  # the log's reader and writer share it

# The longest prefix of a file's path that is a key here is its layer. "*" allows everything.
ALLOWED = {
    "trace": [],
    "analysis": ["trace"],
    "checker": ["trace"],
    "vindicate": ["trace", "analysis", "checker"],
    "relax": ["trace", "checker"],
    "mini": ["trace"],
    "capture/abi": [],
    "capture/assembly": [],
    "capture/driver": ["capture/abi", "capture/assembly"],
    "capture/pass": ["capture/abi", "capture/assembly"],
    "capture/gcc": ["capture/abi"],
    # The layers of the runtime, from the lowest to the highest.
    "capture/runtime/base": [],
    "capture/runtime/stacks": ["capture/abi", *runtime("base")],
    "capture/runtime/records": [*runtime("base")],
    "capture/runtime/threads": ["trace", *runtime("base", "stacks", "records")],
    "capture/runtime/schedule": ["trace", *runtime("base", "records", "threads")],
    # These three still include each other.
    "capture/runtime/detector": [
        "trace", "analysis", "capture/abi", ONLINE_LOG,
        *runtime("base", "stacks", "records", "threads", "schedule", "recorder", "foreign")],
    "capture/runtime/recorder": [*runtime("base", "stacks", "records", "threads", "schedule", "detector", "foreign")],
    "capture/runtime/foreign": [*runtime("base", "stacks", "records", "threads", "detector", "recorder")],
    "capture/runtime/dispatch": [
        "trace", "capture/abi", *runtime("base", "stacks", "records", "threads", "schedule", "detector", "recorder", "foreign")],
    "capture/runtime/interceptors": [
        "trace", *runtime("base", "stacks", "records", "threads", "schedule", "detector", "recorder", "foreign", "dispatch")],
    "capture/runtime": [
        "capture/abi", *runtime("base", "records", "threads", "schedule", "detector", "recorder", "foreign", "dispatch", "interceptors")],
    "capture/recording": ["trace", *runtime("records", "schedule")],
    "capture/online_log": ["trace"],
    "native": ["trace", "capture/abi", "capture/recording", *runtime("records", "schedule")],
    "symbolize": ["trace"],
    "report": ["trace", "analysis", "symbolize", "capture/online_log"],
    "store": ["trace", "report"],
    "cli": ["*"],
    "bench": ["*"],
    "test": ["*"],
    "test/judges": ["trace"],  # a judge shares no code with what it judges
    "test/fuzz": ["trace"],
    "examples": [],
}
# The judges' own tests have no row: they may include what the judges may include, and nothing else.

SUFFIXES = {".hpp", ".cpp", ".h", ".inc"}
SKIPPED = {"build", ".git"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def layer_of(path):
    """The layer of a path relative to the root, or None."""
    parts = path.split("/")
    for length in range(len(parts) - 1, 0, -1):
        prefix = "/".join(parts[:length])
        if prefix in ALLOWED:
            return prefix
    return None


def resolve(source, quoted, angled):
    """The included file relative to the root, or None for a header of the system, a library or the build folder."""
    name = quoted or angled
    candidates = [ROOT / name]
    if quoted:
        candidates.insert(0, source.parent / name)
    for candidate in candidates:
        if candidate.is_file():
            resolved = candidate.resolve()
            if resolved.is_relative_to(ROOT):
                return resolved.relative_to(ROOT).as_posix()
    return None


def main():
    errors = []
    files = 0
    layers = {top.split("/")[0] for top in ALLOWED}
    for source in sorted(ROOT.rglob("*")):
        relative = source.relative_to(ROOT)
        if relative.parts[0] in SKIPPED or source.suffix not in SUFFIXES or not source.is_file():
            continue
        files += 1
        layer = layer_of(relative.as_posix())
        if layer is None:
            errors.append(f"{relative}:1: the folder has no row in tools/check-layers.py")
            continue
        allowed = ALLOWED[layer]
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match.group(1) or match.group(2)
            target = resolve(source, match.group(1), match.group(2))
            if target is None:
                if name.split("/")[0] in layers and "/" in name:
                    errors.append(f"{relative}:{number}: includes {name}, which does not exist")
                continue
            other = layer_of(target)
            if other != layer and "*" not in allowed and other not in allowed and target not in allowed:
                errors.append(f"{relative}:{number}: {layer}/ may not include {target}")
            if layer not in ("test", "bench") and not layer.startswith("test/") and target.startswith(("test/", "bench/")):
                errors.append(f"{relative}:{number}: only tests include test/ and bench/")
    for error in errors:
        print(error)
    print(f"{files} files, {len(errors)} includes in the wrong direction")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

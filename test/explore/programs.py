"""The programs of this folder: their expected findings and their builds. Used by the tests and by table.py."""

import concurrent.futures
import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


class Program:
    def __init__(self, path):
        self.path = path
        self.name = path.stem
        found = re.search(r"^// finds: ([\w-]+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        self.finds = found.group(1) if found else None
        strategy = re.search(r"^// strategy: (\w+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        self.strategy = strategy.group(1) if strategy else "pos"  # that finds it soon


def programs(folder):
    return [Program(path) for path in sorted((HERE / folder).glob("*.cpp"))]


def build(compiler, program, folder, flags=()):
    binary = folder / program.name
    command = [*compiler, "-std=c++20", "-g", "-O1", f"-I{HERE}", *flags, str(program.path), "-o", str(binary)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return binary


def build_all(compiler, some, folder, jobs, flags=()):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip((p.name for p in some), pool.map(lambda p: build(compiler, p, folder, flags), some)))


def explore(omen, binary, options, timeout=600):
    """The exit code, the report, the lines that --list printed."""
    report = binary.with_suffix(".json")
    report.unlink(missing_ok=True)
    command = [omen, "explore", *options, "--json", str(report), "--", str(binary)]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           timeout=timeout, check=False)
    if not report.exists():
        raise RuntimeError(f"{' '.join(command)}: {ended.returncode}: {ended.stderr.strip()[-500:]}")
    return ended.returncode, json.loads(report.read_text()), ended.stdout


def kinds(report):
    """The findings."""
    return {race["kind"] for race in report["races"]} | {failure["kind"] for failure in report["failures"]}


def first_run(report, kind=None):
    """The run that showed a finding of this kind first; None: no run did."""
    found = [f["shown"]["run"] for f in report["races"] + report["failures"] if kind in (None, f["kind"])]
    return min(found, default=None)

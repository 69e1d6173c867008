#!/usr/bin/env python3
"""Every source file of the real programs, compiled by omen-cc in every form and at every level of optimisation: ./check compile.

  compile.py [--build BUILD] [--folder FOLDER] [--only PATTERN] [--ways PATTERN] [--jobs N] [--fresh]

The programs are those of bench/online/programs.py. Each is built once by its own build system and each plain compiler, which notes the
commands that compile (record_compiles.py). These are repeated with omen-cc: test/capture/pass/compiling.py says in which forms, and what a failure is. Nothing
is linked or run. Results are stored below the folder, by program, so a second call goes on where the first one ended; they are forgotten when
omen's compilers change.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "online"), str(ROOT / "test" / "capture" / "pass")]

import compiling  # noqa: E402  (the path comes first)
from building import Builder, BuildError  # noqa: E402
from flavours import digest, of_file  # noqa: E402
from programs import PROGRAMS_MEASURED  # noqa: E402
from results import Results  # noqa: E402
from sources import FetchError, Sources  # noqa: E402

MOST_JOBS = 2  # a compiler that makes no end of code also takes memory
RECORDER = pathlib.Path(__file__).resolve().parent / "record_compiles.py"
PLUGINS = ("omen_instrumentation.so", "omen_placement.so", "omen_values.so", "omen_gcc.so")


def say(text):
    print(f"compile: {text}", flush=True)


class Recorded:
    """A flavour of building.py: a plain compiler, which build systems may give words that another one does not know. The folder's `links` are the commands
    that compile."""
    environment = {}

    def __init__(self, compiler):
        self.name, self.compiler = f"plain-{compiler[0]}", compiler
        self.fingerprint = digest(of_file(RECORDER), *compiler)

    def compilers(self, log):
        return dict(zip(("CC", "CXX"), (f"{sys.executable} -B {RECORDER} {log} {compiler}" for compiler in self.compiler)))


def sources_of(tree):
    """What the build compiled of the files that are there; what it made to try the compiler is not."""
    found = {}
    for line in (tree.parent / "links").read_text(encoding="utf-8").splitlines():
        command = json.loads(line)
        folder = pathlib.Path(command["folder"])
        paths = [folder / name for name in command["sources"]]
        found |= {path: compiling.Source(path, tuple(command["words"]), folder) for path in paths if path.exists() and not path.name.startswith("conftest")}
    return list(found.values())


def compiled(program, builder, judge, options, fingerprint):
    """Prints the failures of a program; their number."""
    ways = [way for way in compiling.WAYS if re.search(options.ways, way.name)]
    results = Results(options.folder / "compile" / "results" / f"{program.name}.json", fingerprint, options.fresh)
    wanted, todo = [], []
    for compiler in dict.fromkeys(way.compiler for way in ways):
        tree = builder.program(program, Recorded(compiler))
        for source in sources_of(tree):
            name = str(source.path.relative_to(tree) if source.path.is_relative_to(tree) else source.path)
            own = [way for way in ways if way.compiler == compiler]
            wanted += [(name, way.name) for way in own]
            if missing := [way for way in own if way.name not in results.records.get(name, {})]:
                todo.append((name, source, missing))
    say(f"{program.name}: {len(wanted)} compilations, {sum(len(missing) for _, _, missing in todo)} of them to do")
    told = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(min(MOST_JOBS, options.jobs)) as pool:
        pending = {pool.submit(judge.messages, source, missing): name for name, source, missing in todo}
        for number, done in enumerate(concurrent.futures.as_completed(pending), 1):
            name = pending[done]
            results.put(name, results.records.get(name, {}) | done.result())
            if time.monotonic() - told > 60:
                told = time.monotonic()
                say(f"{program.name}: {number} of {len(pending)} files")
    messages = [(name, way, results.records[name][way]) for name, way in wanted]
    failures = [each for each in messages if compiling.is_failure(each[2])]
    of_plain = sum(bool(message) for _, _, message in messages) - len(failures)
    say(f"{program.name}: {len(messages)} compilations, {len(failures)} failures" + (f"; {of_plain} that the plain compiler has too" if of_plain else ""))
    for name, way, message in failures:
        print(f"  {name}: {way}: {message}")
    return len(failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "check", help="omen's build tree")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "external")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS") or os.cpu_count()), help=f"at most {MOST_JOBS}")
    parser.add_argument("--only", default="", help="programs whose name matches")
    parser.add_argument("--ways", default="", help="forms and levels that match, as `clang -O2`")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    lib = options.build / "lib"
    fingerprint = digest(*(of_file(lib / name) for name in PLUGINS if (lib / name).exists()), of_file(options.build / "bin" / "omen-cc"),
                         of_file(pathlib.Path(compiling.__file__)))
    builder = Builder(options.folder / "compile", Sources(options.folder, say), None, say)
    judge = compiling.Compiling(options.build, compiling.AT_END)
    wrong = 0
    try:
        for program in PROGRAMS_MEASURED.values():
            if re.search(options.only, program.name):
                wrong += compiled(program, builder, judge, options, fingerprint)
    except (FetchError, BuildError, FileNotFoundError) as error:
        say(str(error))
        return 69
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

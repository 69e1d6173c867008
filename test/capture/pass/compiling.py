#!/usr/bin/env python3
"""No program may break a compiler that omen-cc extends: sources are compiled in every form and at every level of optimisation, and the compilers verify their own code.

A failure is what omen-cc does not compile and the plain compiler does: an error, a crash, invalid code, more time than a limit. `./check compile` does the same with real programs
(test/external/compile.py). Here are compiled

- `compiled/`: what once broke a compiler, reduced;
- `code/`: the functions of which the checks are known;
- random programs of all generators of the tests, in files of --functions functions.

Usage: compiling.py --build BUILD [--random N] [--functions N] [--seed N] [--only PATTERN] [--jobs N]
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(TESTS / "native"), str(TESTS / "capture" / "instrumentation")]
import array_programs  # noqa: E402
import branching_functions  # noqa: E402
import decided  # noqa: E402
import functions  # noqa: E402
import handed_over  # noqa: E402
import random_functions  # noqa: E402

LIMIT = 900  # seconds
CXX = {".cpp", ".cc", ".cxx", ".C"}
CLANG, GCC = ("clang-19", "clang++-19"), ("gcc-12", "g++-12")
# The words with which a compiler verifies its code: after each pass, and, for clang, which takes the square of a file's size for that, once.
EACH_PASS = {CLANG: ("-fno-crash-diagnostics", "-Xclang", "-llvm-verify-each"), GCC: ("-fchecking=1",)}
AT_END = {CLANG: ("-fno-crash-diagnostics", "-fverify-intermediate-code"), GCC: ("-fchecking=1",)}
# Of what a compiler says when it crashes.
TELLING = re.compile(r"error:|Assertion|^\d+\..*on function|omen::")


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    compiler: tuple  # of C, of C++
    words: tuple     # of omen-cc
    level: str


FORMS = {"clang": (CLANG, ()), "values": (CLANG, ("--omen-values",)), "verify": (CLANG, ("--omen-verify-placement",)), "gcc": (GCC, ())}
WAYS = [Way(f"{name} {level}", *form, level) for name, form in FORMS.items() for level in ("-O0", "-O1", "-O2", "-O3")]


@dataclasses.dataclass(frozen=True)
class Source:
    """A file, with the words with which its program compiles it, in that folder."""
    path: pathlib.Path
    words: tuple = ()
    folder: pathlib.Path = pathlib.Path("/")


def of_text(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def tried(command, **settings):
    """What is wrong with a compilation; empty if nothing."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL,
                              timeout=LIMIT, **settings)
    except subprocess.TimeoutExpired:
        return f"more than {LIMIT} s"
    if done.returncode == 0:
        return ""
    lines = done.stderr.splitlines()
    telling = [line for line in lines if TELLING.search(line)] or lines or [f"exit {done.returncode}"]
    return "\n    ".join(line[:300] for line in telling[:6])


class Compiling:
    def __init__(self, build, verifying):
        self.verifying = verifying
        self.drivers = [pathlib.Path(build).resolve() / "bin" / name for name in ("omen-cc", "omen-c++")]

    def failure(self, source, way):
        """omen-cc's message; in brackets, that of the plain compiler, if it has one too; empty if omen-cc compiles the source."""
        is_cxx = source.path.suffix in CXX
        with tempfile.TemporaryDirectory(prefix="omen-compiling-") as scratch:
            words = [*source.words, *self.verifying[way.compiler], "-w", way.level, "-c", source.path, "-o", pathlib.Path(scratch) / "made.o"]
            environment = os.environ | dict(zip(("OMEN_CC", "OMEN_CXX"), way.compiler))
            message = tried([self.drivers[is_cxx], *way.words, *words], env=environment, cwd=source.folder)
            plain = tried([way.compiler[is_cxx], *words], cwd=source.folder) if message else ""
        return f"[{plain}]" if plain else message

    def messages(self, source, ways=WAYS):
        """{way: message}"""
        return {way.name: self.failure(source, way) for way in ways}


def is_failure(message):
    return message and not message.startswith("[")


def of_folder(folder):
    for path in sorted(folder.glob("*.c*")):
        build = re.search(r"^// BUILD: \S+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        yield Source(path, ("-g", *(build[1].split() if build else ())))


def random_sources(folder, seeds, count):
    """A file of each generator for each seed."""
    arrays = ("-std=c++20", "-g", "-I", str(HERE.parent / "golden"))
    for seed in seeds:
        some = range(seed * count, (seed + 1) * count)
        yield Source(of_text(folder / f"branching-{seed}.c", branching_functions.source(seed, count, False)), ("-g",))
        yield Source(of_text(folder / f"branching-{seed}.cpp", branching_functions.source(seed, count, True)), ("-g",))
        yield Source(of_text(folder / f"native-{seed}.c", random_functions.program(seed, count)), ("-g", "-fwrapv"))
        yield Source(of_text(folder / f"instrumentation-{seed}.cpp", functions.source(seed, count)[0]), ("-std=c++20", "-g"))
        yield Source(of_text(folder / f"arrays-{seed}.cpp", array_programs.source(some)[0]), arrays)
        yield Source(of_text(folder / f"handed_over-{seed}.cpp", handed_over.source(some)[0]), arrays)
        yield Source(of_text(folder / f"decided-{seed}.cpp", decided.source(some)[0]), arrays)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--random", type=int, default=1, help="random programs of each generator")
    parser.add_argument("--functions", type=int, default=12, help="of a random program")
    parser.add_argument("--seed", type=int, default=1, help="of the first of them")
    parser.add_argument("--only", default="", help="files whose name matches")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS", os.cpu_count())))
    options = parser.parse_args()
    compiling = Compiling(options.build, EACH_PASS)
    with tempfile.TemporaryDirectory(prefix="omen-compiling-") as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.random)
        sources = [*of_folder(HERE / "compiled"), *of_folder(HERE / "code"), *random_sources(pathlib.Path(work), seeds, options.functions)]
        sources = [source for source in sources if re.search(options.only, source.path.name)]
        found = [(source.path.name, way, message) for source, messages in zip(sources, pool.map(compiling.messages, sources)) for way, message in messages.items()]
    failures = [(name, way, message) for name, way, message in found if is_failure(message)]
    for name, way, message in failures:
        print(f"{name}: {way}: {message}")
    of_plain = sum(bool(message) for _, _, message in found) - len(failures)
    print(f"{len(sources)} files (random seeds {options.seed} to {options.seed + options.random - 1}), {len(found)} compilations: {len(failures)} failures, "
          f"{of_plain} that the plain compiler has too")
    return 1 if failures or not sources else 0


if __name__ == "__main__":
    sys.exit(main())

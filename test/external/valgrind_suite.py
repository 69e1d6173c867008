"""Helgrind's and DRD's test programs, from Debian's valgrind source package.

Their annotations are client requests of Valgrind, so the headers that define them are replaced by annotations.h. A program that
does not build or does not end without a detector is left out. tsan_unittest.cpp holds many programs, chosen by number.
"""
import os
import pathlib
import re
import shutil
import subprocess
import threading

from detectors import CLANG, execute, fresh_folder, run_program
from valgrind_expectations import PROGRAMS, UNIT_TESTS

PACKAGE = "valgrind"
TIMEOUT = 120
NATIVE_TIMEOUT = 30
NAME = "valgrind"
TITLE = "Helgrind's and DRD's test programs"
HERE = pathlib.Path(__file__).resolve().parent
REPORT = re.compile(r"Possible data race|Conflicting (load|store)")
CONFIG = "".join(f"#define HAVE_{name} 1\n" for name in (
    "PTHREAD_BARRIER", "PTHREAD_SPINLOCK", "PTHREAD_CONDATTR_SETCLOCK", "PTHREAD_MUTEX_ERRORCHECK_NP", "PTHREAD_MUTEX_RECURSIVE_NP",
    "PTHREAD_MUTEX_TIMEDLOCK", "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP", "PTHREAD_RWLOCK_TIMEDRDLOCK", "PTHREAD_RWLOCK_TIMEDWRLOCK",
    "TLS", "BUILTIN_ATOMIC", "BUILTIN_ATOMIC_CXX", "ASM_UNISTD_H"))


class Program:
    def __init__(self, source, arguments, expect, note=None):
        self.source = source        # the path of the .c or .cpp
        self.arguments = arguments  # words
        self.expect = expect
        self.note = note


def prepare(sources):
    root = sources.parts(PACKAGE, "helgrind/tests", "drd/tests", "include", "helgrind/helgrind.h", "drd/drd.h", "tests/*.h")
    if not (root / "config.h").exists():
        for header in (root / "drd" / "drd.h", root / "helgrind" / "helgrind.h"):
            original = header.with_name(header.stem + "_original.h")
            shutil.move(header, original)
            header.write_text(f'#include "{original.name}"\n#include "{HERE}/annotations.h"\n', encoding="utf-8")
        (root / "drd" / "tests" / "unified_annotations.h").write_text('#include "../../drd/drd.h"\n', encoding="utf-8")
        wrappers = root / "drd" / "tests" / "tsan_thread_wrappers_pthread.h"
        text = wrappers.read_text(encoding="utf-8")  # an expected race must not be a silenced one
        wrappers.write_text(text.replace('ANNOTATE_BENIGN_RACE_SIZED(addr, 4, "expected race")', "((void)(addr))"), encoding="utf-8")
        (root / "config.h").write_text(CONFIG, encoding="utf-8")
    return root


def vgtests(root):
    """(source, arguments) -> whether any test of it expects a race."""
    found = {}
    for test in [*sorted((root / "helgrind" / "tests").glob("*.vgtest")), *sorted((root / "drd" / "tests").glob("*.vgtest"))]:
        text = test.read_text(encoding="utf-8")
        fields = dict(re.findall(r"^(prog|args):[ \t]*(.*)$", text, re.MULTILINE))
        program, *more = fields["prog"].split()
        base = (test.parent / program).resolve()
        sources = [path for path in (base.with_name(base.name + end) for end in (".c", ".cpp")) if path.exists()]
        if not sources or base.name == "tsan_unittest":
            continue
        races = any(REPORT.search(path.read_text(encoding="utf-8", errors="replace")) for path in test.parent.glob(f"{test.stem}.stderr.exp*"))
        key = (sources[0], tuple(more + fields.get("args", "").split()))
        found[key] = found.get(key, False) or races
    return found


def unit_tests(root):
    """(number, race | none) of the unit tests that state their expectation, and run by default."""
    source = root / "drd" / "tests" / "tsan_unittest.cpp"
    text = source.read_text(encoding="utf-8")
    for heading in re.finditer(r"^// test(\d+)[:.]?(.*?)(?=^// test\d+[:. ].*\{\{\{1|\Z)", text, re.MULTILINE | re.DOTALL):
        number, body = int(heading[1]), heading[2]
        register = re.search(rf"^REGISTER_TEST2?\(Run, 0*{number}\b([^)]*)\)", body, re.MULTILINE)
        if not register or re.search(r"EXCLUDE_FROM_ALL|RACE_DEMO|STABILITY|PERFORMANCE|MEMORY_USAGE", register[1]):
            continue
        label = re.match(r"\s*(TP|TN|FP|FN)\b", body.splitlines()[0])
        expect = UNIT_TESTS.get(number) or (label and ("race" if label[1] in ("TP", "FN") else "none"))
        if expect:
            yield number, expect


def names(sources):
    root = prepare(sources)
    for (source, arguments), races in vgtests(root).items():
        expect = PROGRAMS.get((source.stem, " ".join(arguments))) or PROGRAMS.get(source.stem) or ("race" if races else "none")
        name = " ".join([f"{source.parents[1].name}/{source.stem}", *arguments])
        yield name, Program(source, arguments, expect)
    source = root / "drd" / "tests" / "tsan_unittest.cpp"
    for number, expect in unit_tests(root):
        yield f"drd/tsan_unittest {number}", Program(source, (str(number),), expect)


def build(program, cc, cxx, folder, env):
    """Builds a program with the given compilers; the command's exit code and output."""
    source, root = program.source, program.source.parents[2]
    compiler = cxx if source.suffix == ".cpp" else cc
    flags = f"-O0 -g -w -pthread -DVGO_linux=1 -DVGA_amd64=1 -DVGP_amd64_linux=1 -I{root} -I{root}/include -I{root}/helgrind -I{root}/drd -I{source.parent}"
    if source.stem == "tsan_unittest":
        flags += ' -std=gnu++11 -DTHREAD_WRAPPERS=\'"tsan_thread_wrappers_pthread.h"\''
    elif source.suffix == ".cpp":
        flags += " -std=c++14"
    line = f"{compiler} {flags} {source} -o {folder}/program -ldl -lm"
    if source.stem == "dlopen_main":
        line += f" && {cc} {flags} -fPIC -shared {source.parent}/dlopen_lib.c -o {folder}/dlopen_lib.so"
    code, output, _ = execute(["bash", "-c", line], TIMEOUT, cwd=folder, env=os.environ | env)
    if code != 0:
        (folder / "build.log").write_text(f"{line}\n{output}", encoding="utf-8")
    return code == 0


def stubs(work):
    """An object file with empty annotations, for builds without a detector."""
    path = work.parent / "no_annotations.o"
    if not path.exists():
        work.parent.mkdir(parents=True, exist_ok=True)
        names_in_header = sorted(set(re.findall(r"^void (Annotate\w+)\(", (HERE / "annotations.h").read_text(encoding="utf-8"), re.MULTILINE)))
        scratch = path.with_name(f"no_annotations.{os.getpid()}.c")
        scratch.write_text("".join(f"void {name}() {{}}\n" for name in names_in_header), encoding="utf-8")
        subprocess.run([f"clang-{CLANG}", "-w", "-c", scratch, "-o", path], check=True)
    return path


class Builds:
    """Each source is built once with each detector, however many programs it holds."""
    def __init__(self):
        self.lock = threading.Lock()
        self.locks = {}
        self.done = {}

    def get(self, program, name, cc, cxx, work, env):
        """The folder with the program; None if it does not build."""
        key = (name, program.source)
        with self.lock:
            lock = self.locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self.done:
                folder = fresh_folder(work / "built" / f"{name}_{program.source.parents[1].name}_{program.source.stem}")
                self.done[key] = folder if build(program, cc, cxx, folder, env) else None
            return self.done[key]


BUILDS = Builds()


def left_out(program, work):
    """Why a program cannot be used on this machine, without any detector; None if it can."""
    extra = stubs(work)
    folder = BUILDS.get(program, "native", f"clang-{CLANG} {extra}", f"clang++-{CLANG} {extra}", work, {})
    if not folder:
        return "does not build here"
    code, _, _ = execute([folder / "program", *program.arguments], NATIVE_TIMEOUT, cwd=folder)
    if code is None:
        return "does not end, also without a detector"
    if code < 0:
        return f"dies of signal {-code}, also without a detector"
    return None


def run_one(name, program, detector, work):
    expect = program.expect
    if expect in ("race", "none"):
        expect = left_out(program, work) or expect
    record = {"expect": expect, "outcome": "none", "sites": [], "seconds": 0}
    if expect not in ("race", "none"):
        return {name: record}
    built = BUILDS.get(program, detector.name, detector.cc, detector.cxx, work, detector.environment)
    if not built:
        return {name: record | {"outcome": "does not build"}}
    folder = fresh_folder(work / re.sub(r"\W", "_", name))
    for file in built.iterdir():
        (folder / file.name).symlink_to(file)
    run = run_program(detector, [folder / "program", *program.arguments], folder, TIMEOUT)
    (folder / "run.log").write_text(f"{run.output}\nexit {run.code}, expected {expect}, kinds {run.kinds}\n", encoding="utf-8")
    outcome = "race" if run.raced else run.trouble() or "none"
    return {name: record | {"outcome": outcome, "sites": run.sites, "seconds": run.seconds}}

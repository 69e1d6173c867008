"""ThreadSanitizer's own test programs, from the compiler-rt of Debian's llvm-toolchain source package."""
import os
import pathlib
import re
import subprocess
import threading

import lit
from detectors import CLANG, execute, fresh_folder, run_program

PACKAGE = f"llvm-toolchain-{CLANG}"
HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = ("", "Linux")
BARRIER_LOCK = threading.Lock()
TIMEOUT = 120
NAME = "tsan"
TITLE = "ThreadSanitizer's test programs"
# Expectations that the test's lines do not state; checked by hand.
EXPECTATIONS = {
    "debug_mutex_bad_unlock.cpp": "unlock of an unlocked mutex",
    "force_background_thread.cpp": "none",  # the program itself must fail
    "ignore_lib2.cpp": "a fatal message about suppressions",
    "ignore_lib3.cpp": "a fatal message about suppressions",
    "pthread_atfork_deadlock3.c": "none",  # pthread_kill comes after the write, and the handler after pthread_kill
    "race_on_barrier2.c": "none",  # POSIX: the thread that gets PTHREAD_BARRIER_SERIAL_THREAD may destroy the barrier
    "stack_sync_reuse.cpp": "race",  # its own comment: the race is there, ThreadSanitizer cannot see it
}


def names(sources):
    root = sources.parts(PACKAGE, "compiler-rt/test/tsan", "compiler-rt/test/sanitizer_common") / "compiler-rt" / "test" / "tsan"
    for folder in FOLDERS:
        for path in sorted((root / folder).iterdir()):
            if path.suffix in (".c", ".cpp"):
                source = path.read_text(encoding="utf-8", errors="replace")
                if lit.unavailable(source) is None and any(step.runs for step in lit.steps(source)):
                    yield str(path.relative_to(root)), path


def barrier_object(work):
    """The tests' barrier, which ThreadSanitizer's runtime holds, for the other detector."""
    path = work / "testonly_barrier.o"
    with BARRIER_LOCK:
        if not path.exists():
            work.mkdir(parents=True, exist_ok=True)
            subprocess.run([f"clang-{CLANG}", "-O1", "-fPIC", "-c", HERE / "testonly_barrier.c", "-o", path], check=True)
    return path


def substituted(text, detector, path, folder):
    root = path.parents[1] if path.parent.name == "tsan" else path.parents[2]
    flags = f"-Wall -gline-tables-only -I{root}"
    if detector.name != "tsan" and not re.search(r"\s-c\s", text):
        flags += f" {barrier_object(folder.parent)}"
    target = folder / f"{path.name}.tmp"
    for old, new in (("%clangxx_tsan", f"{detector.cxx} {flags} -std=c++11"), ("%clang_tsan", f"{detector.cc} {flags}"),
                     ("%env_tsan_opts=", "env TSAN_OPTIONS=atexit_sleep_ms=0:"), ("%link_libcxx_tsan", ""),
                     ("%darwin_min_target_with_tls_support", ""), ("%ld_flags_rpath_so", ""), ("%ld_flags_rpath_exe", "%t.dynamic.so"),
                     ("%dynamiclib", "%t.dynamic.so"), ("%run", "RUN"), ("%s", str(path)), ("%p", str(path.parent)),
                     ("%t", str(target)), ("%T", str(folder))):
        text = text.replace(old, new)
    return text


def run_one(name, path, detector, work):
    """Records by name: one for the racing part of the program, one for the race-free part."""
    source = path.read_text(encoding="utf-8", errors="replace")
    folder = fresh_folder(work / re.sub(r"\W", "_", name))
    verdicts = {}
    environment = os.environ | detector.environment | {"TSAN_OPTIONS": "atexit_sleep_ms=0"}
    trouble = None
    for step in lit.steps(source):
        line = substituted(step.text, detector, path, folder)
        if not step.runs:
            code, output, _ = execute(["bash", "-c", line], TIMEOUT, cwd=folder, env=environment)
            if code != 0:
                missing = re.search(r"undefined reference to `(\w+)'", output)
                trouble = f"does not link ({missing[1]})" if missing else "does not build"
                (folder / "build.log").write_text(f"{line}\n{output}", encoding="utf-8")
            continue
        expect = EXPECTATIONS.get(name) or lit.expectation(step.kinds)
        record = verdicts.setdefault(expect, {"expect": expect, "outcome": "race" if expect == "race" else "none", "sites": [], "seconds": 0})
        if trouble:
            record["outcome"] = trouble
            continue
        run = run_program(detector, line, folder, TIMEOUT, env={"TSAN_OPTIONS": "atexit_sleep_ms=0"}, shell=True)
        with (folder / "run.log").open("a", encoding="utf-8") as log:
            log.write(f"{line}\n{run.output}\nexit {run.code}, expected {expect}, kinds {run.kinds}\n\n")
        record["seconds"] += run.seconds
        record["sites"] += run.sites
        if run.trouble() and not run.raced and expect != "race":
            record["outcome"] = run.trouble()
        elif run.raced != (expect == "race"):
            record["outcome"] = "race" if run.raced else (run.trouble() or "none")
        elif step.wants_done and expect == "none" and not re.search(r"DONE|Done|done|PASS|OK", run.output):
            record["outcome"] = f"does not finish (exit {run.code})"
    return {name if index == 0 else f"{name}#{index + 1}": record for index, record in enumerate(verdicts.values())}

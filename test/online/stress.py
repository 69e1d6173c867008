#!/usr/bin/env python3
"""The runtime under another sanitizer: its own data races, and its own memory errors.

The runtime implements ThreadSanitizer's interface, so it cannot simply be compiled with ThreadSanitizer: the calls that the compiler puts
into it would be calls to itself. The names are told apart between the two halves of the compiler. The first half writes the runtime
as text of LLVM's language, with the marks that ask for the instrumentation but without it; in that text every function that the runtime
defines for others gets `omen_` in front of its name, what makes it part of a program (replaced functions of the C library, the start before
main) is taken out (other assembly stays), and what the driver has its own version of is made weak; the second half adds the instrumentation,
whose calls now mean the other sanitizer. The sources stay as they are.

stress.cpp then calls it from many threads, under `omen run --online` (or `omen record`), so that what it writes is read as well.

Usage: stress.py --omen O [--sanitize thread|address,undefined] [--analysis A,…] [--seeds N] [--clang clang++-19]
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
RUNTIME = ROOT / "capture" / "runtime"
REPLACED = ["system_call", "real_function", "real_function_or_null"]  # stress.cpp has its own
FLAGS = ["-std=c++23", "-O1", "-g", "-fPIC", "-ftls-model=initial-exec", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
         "-fno-builtin", "-fno-omit-frame-pointer", "-mcx16", "-U_FORTIFY_SOURCE", "-w", "-fconstexpr-steps=100000000", "-I", str(ROOT),
         # as capture/runtime/CMakeLists.txt has it
         '-DOMEN_ANALYSIS_MEMORY="capture/runtime/detector/arena.hpp"', "-D__throw_length_error=omen_throw_length_error",
         "-D__throw_bad_alloc=omen_throw_bad_alloc", "-D__throw_bad_array_new_length=omen_throw_bad_array_new_length"]
DEFINED = re.compile(r"^define (?!.*\b(?:internal|private)\b)[^@]*@([A-Za-z]\w*|__?[a-z]\w*)\(", re.MULTILINE)
# What interceptor.hpp has in assembly: the weak names under which a program finds the replaced functions.
WEAK_NAME = re.compile(r'^module asm "\.(?:weak|type|set) .*\n', re.MULTILINE)
CODE_OF_A_REPORT = 77
ANALYSES = ("none", "fto-hb", "st-wcp", "st-dc", "st-wdc")
# The intended races: capture/runtime/records/line_table.hpp says what they cost.
MEANT = "race:omen::rt::LineBytes\nrace:omen::rt::LineTable\nrace_top:omen::rt::Recorder::access_in_line\n"
# Both runtimes end a thread in the system's last round of destructors. The other one must come later.
EARLIER_END = "#include <limits.h>\n#undef PTHREAD_DESTRUCTOR_ITERATIONS\n#define PTHREAD_DESTRUCTOR_ITERATIONS 3\n"


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"stress: {' '.join(map(str, command))}\n{done.stderr[-3000:]}")


def first_half(options, source, folder):
    """The source as LLVM's text, not instrumented."""
    text = folder / f"{source.relative_to(RUNTIME).as_posix().replace('/', '_')}.ll"
    language = ["-x", "c", "-std=gnu11", "-O1", "-g", "-fPIC", "-fexceptions"] if source.suffix == ".c" else FLAGS
    run([options.clang, *language, "-include", folder / "earlier_end.h", f"-fsanitize={options.sanitize}", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", source,
         "-o", text])
    return text


def rename(texts):
    """The exported names of the runtime are `omen_…`."""
    contents = {text: text.read_text() for text in texts}
    names = set()
    for content in contents.values():
        names |= {name for name in DEFINED.findall(content) if not name.startswith(("_Z", "__omen_", "omen_"))}
    pattern = re.compile(r"@(" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + r")\b")
    for text, content in contents.items():
        content = WEAK_NAME.sub("", content)
        for name in REPLACED:
            content = re.sub(rf"^define (?=[^@]*@_ZN4omen2rt{len(name)}{name}E)", "define weak ", content, flags=re.MULTILINE)
        content = content.replace('section ".preinit_array"', 'section "omen_preinit"')
        text.write_text(pattern.sub(r"@omen_\1", content))


def build(options, folder):
    """The path of the driver."""
    sources = [s for s in sorted(RUNTIME.rglob("*")) if s.suffix in (".cpp", ".c")]
    (folder / "earlier_end.h").write_text(EARLIER_END)
    (folder / "meant").write_text(MEANT)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        texts = list(pool.map(lambda source: first_half(options, source, folder), sources))
        rename(texts)
        objects = [text.with_suffix(".o") for text in texts]
        common = [options.clang, "-O1", "-g", "-fPIC", f"-fsanitize={options.sanitize}", "-fno-omit-frame-pointer", "-w", "-c"]
        list(pool.map(lambda pair: run([*common, pair[0], "-o", pair[1]]), zip(texts, objects)))
    driver = folder / "stress"
    run([options.clang, "-std=c++23", "-O1", "-g", f"-fsanitize={options.sanitize}", "-w", "-pthread", "-rdynamic", "-I", ROOT,
         FOLDER / "stress.cpp", *objects, "-ldl", "-o", driver])
    return driver


def judge(options, driver, folder, analysis, seed):
    """The failure of one run, as text; empty if none."""
    log = folder / f"sanitizer.{analysis}.{seed}"
    settings = f"exitcode={CODE_OF_A_REPORT}:log_path={log}:halt_on_error=0:report_signal_unsafe=0:detect_leaks=0"
    environment = [f"ASAN_OPTIONS={settings}", f"UBSAN_OPTIONS={settings}", f"TSAN_OPTIONS={settings}:suppressions={folder / 'meant'}"]
    if analysis == "none":
        how = ["record", "-o", folder / f"{seed}.omen"]
    else:
        how = ["run", f"--online={analysis}", *(["--record", "--no-confirm"] if options.record else [])]
    command = [options.omen, *how, "--", "env", *environment, driver, seed, options.threads, options.operations, options.waves]
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        return "timeout"
    reports = "".join(path.read_text(errors="replace") for path in sorted(folder.glob(f"{log.name}.*")))
    if reports:
        return f"the sanitizer reports:\n{reports[: options.most]}"
    if done.returncode not in (0, 66):
        return f"exit {done.returncode}: {done.stderr[-2000:]}"
    return ""


def analyses(text):
    for name in text.split(","):
        if name not in ANALYSES:
            raise argparse.ArgumentTypeError(f"there is no {name}; there are {', '.join(ANALYSES)}")
    return text.split(",")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--omen", required=True)
    parser.add_argument("--sanitize", default="thread", choices=["thread", "address,undefined"])
    parser.add_argument("--analysis", default=list(ANALYSES), type=analyses, metavar="A,…", help=f"of {', '.join(ANALYSES)}; none: only record")
    parser.add_argument("--record", action="store_true", help="record as well")
    parser.add_argument("--clang", default="clang++-19")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=6)
    parser.add_argument("--operations", type=int, default=2000, help="of each thread")
    parser.add_argument("--waves", type=int, default=3, help="of threads, one after the other")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS", os.cpu_count())))
    parser.add_argument("--most", type=int, default=6000, help="characters of a sanitizer's report to show")
    parser.add_argument("--keep", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="omen-stress-"))
    start, bad = time.monotonic(), 0
    driver = build(options, folder)
    seeds = range(options.seed, options.seed + options.seeds)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for analysis in options.analysis:
            found = zip(seeds, pool.map(lambda seed, analysis=analysis: judge(options, driver, folder, analysis, seed), seeds))
            faults = [(seed, fault) for seed, fault in found if fault]
            for seed, fault in faults:
                print(f"{analysis}, seed {seed}: {fault}")
            bad += len(faults)
            print(f"{options.sanitize}, {analysis}: {options.seeds} runs (seeds {seeds[0]} to {seeds[-1]}), "
                  f"{len(faults)} faults, {time.monotonic() - start:.0f} s", flush=True)
    if options.keep:
        print(f"kept in {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the golden programs: each file of this folder (or of --folder) is a program, the command and the expected report.

Comment lines of a program, all optional except EXPECT:

  // BUILD: FLAGS          more flags for the compiler; "-std=c++20 -g -O1 -pthread" (C: gnu11) always come first; %lib is the
                           path of the library, for programs that are linked with it
  // LIBRARY: FLAGS        the same file is also built as a shared library, with these flags
  // ARCHIVE: FLAGS        the same file is also compiled with these flags, and linked from an archive
  // RUN: ARGUMENTS        run with these arguments; %lib is the library's path. Several lines: several runs with the same expectations
  // ENV: NAME=VALUE       in the environment of the program
  // EXPECT: none          no race is reported
  // EXPECT: race A B      a race between the lines that end in the comments `// A` and `// B` is reported, and happens-before
                           shows it in this schedule; `race A A` is one line in two threads; a mark
                           on several lines is any of them
  // EXPECT: race A B predicted    the same, but in this schedule happens-before orders the two accesses
  // ALLOW: race A B       may be reported, need not be; the line says why
  // CONFIRM: none         the search for a witness, among all pairs of conflicting accesses of a recorded run, also those that no analysis
                           predicts, confirms none
  // LOCKS: A read write   if a reported race contains the access A, it has these locks: one for reading, one for writing
  // BLOCK: A              if a reported race is in a heap block, the block was allocated in the line that ends in `// A`
  // EXIT: 3               the program's own exit code; `signal 6` if a signal ends it; 0 without this line
  // OUTPUT: TEXT          a line of standard output; without any OUTPUT line there is none
  // COMPILER: gcc         only for this compiler (gcc, clang); the line says why
  // ONLINE: misses A B WHY     an expected race that the online detector cannot find; only for --online
  // ONLINE: reports A B WHY    a pair that it predicts, and that the search for a witness excludes; only for --online
  // ONLINE: skip WHY           the program tests what only a recording can do; only for --online
  // ONLINE: prints TEXT        a line of standard output before the others; only for --online
  // PEER: [gcc|clang] misses|reports|skip WHY     where ThreadSanitizer is known to differ; only for --peer tsan

The set of reported pairs must be exactly the set of EXPECT lines (and some of the ALLOW lines). The position of an access is that of
the innermost frame in the program's own file, so that accesses inside library headers or intercepted functions count at
the program's call.

With --online ANALYSIS, programs run under `omen run --online=ANALYSIS`, with the same expectations. Only st-wdc has to find all
predictions; fto-hb must not predict; others may find any subset.

With --proved, every run keeps its trace, and all witnesses of its report go through `omen check --proved`.
So do certificates for all excluded pairs of each trace: each has one, and each is accepted.

With --peer tsan, the expectations themselves are judged: each program is built with the compilers' own ThreadSanitizer. It must be
silent on programs without a race, find the observed races in most runs, and never find the predicted ones.
With --peer native, programs run without instrumentation: only exit code and output are compared.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

FOLDER = pathlib.Path(__file__).resolve().parent
DIRECTIVE = re.compile(r"^// (BUILD|LIBRARY|ARCHIVE|RUN|ENV|EXPECT|ALLOW|CONFIRM|LOCKS|BLOCK|EXIT|OUTPUT|COMPILER|ONLINE|PEER):(?: (.*))?$")
MARK = re.compile(r"// ([A-Z][0-9]?)$")
COMPILERS = {"gcc": ("gcc", "g++"), "clang-19": ("clang-19", "clang++-19"), "clang-14": ("clang-14", "clang++-14")}
RACES = "data race|heap-use-after-free|use-after-free|vptr|signal-unsafe"


class Bad(Exception):
    """A program with invalid comments, or one that does not build."""


class Program:
    """One golden program: its build, runs and expectations."""

    def __init__(self, path):
        self.path = path
        self.name = path.name
        self.build, self.library, self.archive, self.runs, self.env = [], None, None, [], {}
        self.expected, self.allowed, self.compiler, self.peers, self.online = {}, {}, "", [], {}
        self.exit, self.output, self.locks, self.block = "0", [], {}, ""
        self.online_output = []
        self.marks, expectations, none = {}, [], False
        self.online_skips = False
        self.confirms_none = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = DIRECTIVE.match(line)
            if not match:
                mark = MARK.search(line)
                if mark:
                    self.marks[number] = mark.group(1)
                continue
            key, value = match.group(1), match.group(2) or ""
            if key == "BUILD":
                self.build += shlex.split(value)
            elif key == "LIBRARY":
                self.library = shlex.split(value)
            elif key == "ARCHIVE":
                self.archive = shlex.split(value)
            elif key == "RUN":
                self.runs.append(shlex.split(value))
            elif key == "ENV":
                name, _, text = value.partition("=")
                self.env[name] = text
            elif key in ("EXPECT", "ALLOW"):
                if value == "none":
                    none = True
                else:
                    expectations.append((key, number, value.split()))
            elif key == "CONFIRM":
                if value != "none":
                    raise Bad(f"{self.name}:{number}: there is only `CONFIRM: none`")
                self.confirms_none = True
            elif key == "LOCKS":
                mark, *modes = value.split()
                self.locks[mark] = sorted(modes)
            elif key == "BLOCK":
                self.block = value
            elif key == "EXIT":
                self.exit = value
            elif key == "OUTPUT":
                self.output.append(value)
            elif key == "COMPILER":
                self.compiler = value.split()[0]
            elif key == "ONLINE":
                words = value.split()
                if words[0] == "skip" and len(words) > 1:
                    self.online_skips = True
                    continue
                if words[0] == "prints":
                    self.online_output.append(value.removeprefix("prints "))
                    continue
                if len(words) < 4 or words[0] not in ("misses", "reports"):
                    raise Bad(f"{self.name}:{number}: ONLINE: misses|reports A B WHY")
                self.online[tuple(sorted(words[1:3]))] = words[0]
            elif key == "PEER":
                words = value.split()
                which = words.pop(0) if words[0] in ("gcc", "clang") else ""
                if words[0] not in ("misses", "reports", "skip") or len(words) < 2:
                    raise Bad(f"{self.name}:{number}: PEER: [gcc|clang] misses|reports|skip WHY")
                self.peers.append((which, words[0]))
        marks = set(self.marks.values())
        if self.block and self.block not in marks:
            raise Bad(f"{self.name}: BLOCK: A, which is marked")
        if not self.locks.keys() <= marks or any(set(modes) - {"read", "write"} for modes in self.locks.values()):
            raise Bad(f"{self.name}: LOCKS: A, which is marked, and read or write for each lock")
        for key, number, words in expectations:
            if words[0] != "race" or len(words) < 3 or words[1] not in marks or words[2] not in marks:
                raise Bad(f"{self.name}:{number}: expected `race A B`, with A and B marked")
            pair = tuple(sorted(words[1:3]))
            kind = "predicted" if words[3:4] == ["predicted"] else "observed"
            if key == "EXPECT" and words[3:] not in ([], ["predicted"]):
                raise Bad(f"{self.name}:{number}: there is only `predicted` after the marks")
            (self.expected if key == "EXPECT" else self.allowed)[pair] = kind
        for pair, what in self.online.items():
            if (what == "misses") != (pair in self.expected) or not set(pair) <= marks:
                raise Bad(f"{self.name}: ONLINE misses what is expected, and reports what is not")
        if none == bool(self.expected):
            raise Bad(f"{self.name}: needs EXPECT: none, or EXPECT lines for races")
        self.runs = self.runs or [[]]

    def peer_notes(self, compiler):
        return {what for which, what in self.peers if not which or compiler.startswith(which)}

    def wants(self, compiler):
        return not self.compiler or compiler.startswith(self.compiler)

    def place(self, frames):
        """The mark, else the line, of the innermost frame in the program's own file; frames are (file, line)."""
        for file, line in frames:
            if file and os.path.basename(file) == self.name:
                return self.marks.get(int(line), f"line {line}")
        return "elsewhere"


def text(pairs):
    return ", ".join(f"{a}-{b} {kind}" for (a, b), kind in sorted(pairs.items())) or "none"


class Run:
    """The result of one execution: its exit, its output, the reported pairs of lines, and the locks held there."""

    def __init__(self, exit_code, output, pairs, log, locks=(), confirmed="", proved="", blocks=()):
        self.exit, self.output, self.pairs, self.log, self.locks = exit_code, output, pairs, log, locks
        self.blocks = blocks  # where the heap blocks of the reported races were allocated
        self.confirmed = confirmed  # the result of the search among all pairs; empty if it did not run
        self.proved = proved  # the proved checker's message about the witnesses, if it does not accept all of them


def execute(command, env, folder, seconds):
    """Runs in a process group of its own, so that no process remains after a timeout."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", env=env, cwd=folder, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return "timeout", out, err
    code = process.returncode
    return (f"signal {-code}" if code < 0 else str(code)), out, err


class Omen:
    """Builds with omen-cc or omen-c++, and runs under `omen run`."""

    def __init__(self, options):
        self.omen, self.drivers, self.seconds = options.omen, (options.cc, options.cxx), options.timeout
        self.how = [f"--online={options.online}", "--fail-on=predicted"] if options.online else ["--no-deadlocks"]  # those: ../deadlock
        self.proved, self.accepted, self.certified = options.proved, 0, 0

    def command(self, program, compiler):
        return [self.drivers[program.path.suffix == ".cpp"]]

    def build_env(self, program, compiler):
        real = COMPILERS[compiler]
        return {"OMEN_CC": real[0], "OMEN_CXX": real[1]}

    def run(self, program, binary, arguments, folder, index):
        report = folder / f"report.{index}.json"
        env = os.environ | program.env
        trace = folder / f"kept.{index}.omen"
        keep = ["--keep", str(trace)] if self.proved else []
        command = [self.omen, "run", *self.how, *keep, "--json", str(report), "--", str(binary), *arguments]
        exit_code, out, err = execute(command, env, folder, self.seconds)
        if exit_code == "timeout":
            return Run(exit_code, out, {}, err)
        try:
            found = json.loads(report.read_text())
        except (OSError, ValueError) as error:
            return Run(f"{exit_code}, no report: {error}", out, {}, err)
        pairs, locks, blocks = {}, [], []
        for race in found["races"]:
            variable = race["variable"]
            if variable["kind"] == "heap":
                blocks.append(program.place([(f.get("file"), f.get("line")) for f in variable["stack"]]))
            places = [program.place([(f.get("file"), f.get("line")) for f in a["stack"]]) for a in race["accesses"]]
            locks += zip(places, (sorted(lock["mode"] for lock in a["locks"]) for a in race["accesses"]))
            pair = tuple(sorted(places))
            if race["observed"] or pair not in pairs:
                pairs[pair] = "observed" if race["observed"] else "predicted"
        own = found["exit"]
        code = f"signal {signal.Signals[own['signal']].value}" if "signal" in own else str(own["code"])
        outer = {code, "66"} if pairs else {code}
        if code.startswith("signal"):
            outer.add(str(128 + int(code.split()[1])))
        if (exit_code == "66") != bool(pairs) and code != "66" or exit_code not in outer:
            code = f"{code}, but omen's {exit_code}"
        confirmed = self.search(binary, arguments, env, folder, index) if program.confirms_none and not self.how else ""
        return Run(code, out, pairs, err, locks, confirmed, self.check_all(trace, report, found) if keep else "", blocks)

    def check_all(self, trace, report, found):
        """The rejections of the proved checkers."""
        return self.check(trace, report, found) + "".join(self.certify(kept) for kept in self.kept(trace))

    def kept(self, trace):
        """The trace, and the traces of forked processes."""
        return [path for path in sorted(trace.parent.glob(trace.name + "*")) if path.suffix not in (".certificates", ".json")]

    def certify(self, trace):
        """The proved checker's message about the certificates of the excluded pairs of a trace; empty if all exist and are accepted."""
        folder, document = f"{trace}.certificates", f"{trace}.json"
        shutil.rmtree(folder, ignore_errors=True)  # of a run with other arguments
        vindicate = [self.omen, "vindicate", "--candidates", "all", "--budget", "200", f"--certify={folder}", "--json", document, str(trace)]
        code, out, err = execute(vindicate, os.environ, trace.parent, self.seconds)
        counted = re.search(r"^(\d+) of (\d+) excluded candidates? certified", out, re.MULTILINE)
        if code not in ("0", "66") or not counted or counted[1] != counted[2]:
            return f"certificates: exit {code}: {out}{err}"
        if counted[1] == "0":
            return ""  # the checker reads the whole trace, which may have ten million events
        code, out, err = execute([self.omen, "check", str(trace), document, "--certificates", folder], os.environ, trace.parent, self.seconds)
        accepted = re.findall(r"^pair-\d+-\d+\.certificate: (\d+) of (\d+) certificates accepted$", out, re.MULTILINE)
        if code != "0" or len(accepted) != int(counted[1]) or any(a != b for a, b in accepted):
            return f"certificates: exit {code}: {out}{err}"
        self.certified += sum(int(a) for a, _ in accepted)
        return ""

    def check(self, trace, report, found):
        """The proved checker's message about the witnesses of a report; empty if it accepts all. A report omits long witnesses."""
        claimed = {n for n, race in enumerate(found["races"])
                   if race.get("verdict") == "race" and len(race["witness"]) == race["witness_events"]}
        if not claimed:
            return ""
        accepted, said = set(), ""
        for kept in self.kept(trace):
            code, out, err = execute([self.omen, "check", "--proved", str(kept), str(report)], os.environ, trace.parent, self.seconds)
            accepted |= {int(n) for n in re.findall(r"^race (\d+), .*: accepted, \d+ events$", out, re.MULTILINE)}
            said += f"exit {code}: {out}{err}"
        self.accepted += len(accepted)
        return "" if accepted == claimed else f"{len(accepted)} of {len(claimed)} witnesses accepted: {said}"

    def search(self, binary, arguments, env, folder, index):
        """The last line of the search for witnesses for all pairs of another run."""
        trace = folder / f"trace.{index}.omen"
        execute([self.omen, "record", "-o", str(trace), "--", str(binary), *arguments], env, folder, self.seconds)
        _, out, err = execute([self.omen, "vindicate", "--candidates", "all", "--every", str(trace)], env, folder, self.seconds)
        return (out.strip() or err.strip() or "nothing").splitlines()[-1]


class Tsan:
    """The compilers' own ThreadSanitizer."""

    SECTION = re.compile(r"^  (?:Previous )?(?:atomic )?(?:read|write) of size", re.IGNORECASE)
    FRAME = re.compile(r"^    #\d+ .*?(\S+?):(\d+)(?::\d+)? ")

    def __init__(self, options):
        self.seconds = options.timeout

    def command(self, program, compiler):
        return [COMPILERS[compiler][program.path.suffix == ".cpp"], "-fsanitize=thread", "-Wno-tsan"][
            : 2 if compiler != "gcc" else 3]

    def build_env(self, program, compiler):
        return {}

    def run(self, program, binary, arguments, folder, index):
        options = "exitcode=0 report_thread_leaks=0 detect_deadlocks=0 report_signal_unsafe=0 report_mutex_bugs=0"
        env = os.environ | program.env | {"TSAN_OPTIONS": options + " report_destroy_locked=0"}
        exit_code, out, err = execute([str(binary), *arguments], env, folder, self.seconds)
        pairs = {}
        for report in re.split(r"^WARNING: ThreadSanitizer: ", err, flags=re.MULTILINE)[1:]:
            if not re.match(RACES, report):
                continue
            sections, frames = [], None
            for line in report.splitlines():
                if self.SECTION.match(line):
                    frames = []
                    sections.append(frames)
                elif not line.strip():
                    frames = None
                elif frames is not None and (match := self.FRAME.match(line)):
                    frames.append(match.groups())
            pairs[tuple(sorted(program.place(s) for s in sections[:2]))] = "observed"
        return Run(exit_code, out, pairs, err)


class Native:
    """No instrumentation at all."""

    def __init__(self, options):
        self.seconds = options.timeout

    def command(self, program, compiler):
        return [COMPILERS[compiler][program.path.suffix == ".cpp"]]

    def build_env(self, program, compiler):
        return {}

    def run(self, program, binary, arguments, folder, index):
        exit_code, out, err = execute([str(binary), *arguments], os.environ | program.env, folder, self.seconds)
        return Run(exit_code, out, {}, err)


def build(tool, program, compiler, folder):
    """The paths of the program and its library."""
    language = ["-std=c++20"] if program.path.suffix == ".cpp" else ["-std=gnu11"]
    common = [*tool.command(program, compiler), *language, "-g", "-O1", "-pthread", "-I", str(FOLDER)]
    binary, library = folder / program.path.stem, folder / f"lib{program.path.stem}.so"
    commands = []
    if program.library is not None:
        commands.append([*common, *program.library, "-fPIC", "-shared", str(program.path), "-o", str(library)])
    flags = [word.replace("%lib", str(library)) for word in program.build]
    if program.archive is not None:
        part = folder / f"{program.path.stem}.o"
        archive = folder / f"lib{program.path.stem}.a"
        commands.append([*common, *program.archive, "-c", str(program.path), "-o", str(part)])
        commands.append(["ar", "rcs", str(archive), str(part)])
        flags.append(str(archive))
    commands.append([*common, str(program.path), "-o", str(binary), *flags])
    for command in commands:
        done = subprocess.run(command, env=os.environ | tool.build_env(program, compiler), capture_output=True, text=True,
                              check=False)
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines()
            error = next((line for line in lines if "error" in line), lines[-1] if lines else "no message")
            raise Bad(f"{program.name}: {' '.join(command)}\n    {error}")
    return binary, library


def common_faults(program, run, online=""):
    if run.exit != program.exit:
        yield f"exit: expected {program.exit}, found {run.exit}"
    output = (program.online_output if online else []) + program.output
    if run.output.splitlines() != output:
        yield f"output: expected {output}, found {run.output.splitlines()}"


def expectations(program, online):
    """The races that must be reported, and those that may be."""
    if not online:
        return program.expected, program.allowed
    expected = {pair: kind for pair, kind in program.expected.items() if program.online.get(pair) != "misses"}
    allowed = dict(program.allowed)
    if online != "st-wdc":
        predicted = {pair: kind for pair, kind in expected.items() if kind == "predicted"}
        expected = {pair: kind for pair, kind in expected.items() if pair not in predicted}
        allowed |= predicted if online != "fto-hb" else {}
    reports = {pair: "predicted" for pair, what in program.online.items() if what == "reports"}
    if online == "st-wdc":
        expected |= reports
    elif online != "fto-hb":
        allowed |= reports
    return expected, allowed


def judge(program, run, online):
    """The faults of a run under omen, one text each."""
    yield from common_faults(program, run, online)
    expected, allowed = expectations(program, online)
    found = {pair: kind for pair, kind in run.pairs.items() if pair in expected or pair not in allowed}
    if found != expected:
        yield f"races: expected {text(expected)}; found {text(found)}"
    if run.confirmed and not re.search(r": 0 races, \d+ excluded, 0 unknown$", run.confirmed):
        yield f"confirmed of all pairs: expected none; found {run.confirmed}"
    if run.proved:
        yield f"proved checker: {run.proved}"
    # With happens-before alone no calls are redirected: the stack begins in the C++ library.
    if program.block and online != "fto-hb" and set(run.blocks) != {program.block}:
        yield f"heap blocks: expected one of {program.block}, found {', '.join(run.blocks) or 'none'}"
    for mark, modes in run.locks:
        if modes != program.locks.get(mark, modes):
            yield f"locks at {mark}: expected {program.locks[mark]}, found {modes}"


def judge_peer(program, compiler, runs):
    """The faults of the expectations, as far as ThreadSanitizer's runs show them."""
    notes = program.peer_notes(compiler)
    yield from {fault for run in runs for fault in common_faults(program, run)}
    observed = {pair for pair, kind in program.expected.items() if kind == "observed"}
    extra = {p for run in runs for p in run.pairs if p not in observed and p not in program.allowed}
    if extra and "reports" not in notes:
        yield f"races: expected {text(program.expected)}; TSan found {text(dict.fromkeys(extra, 'observed'))}"
    for pair in sorted(observed):
        hits = sum(pair in run.pairs for run in runs)
        if 2 * hits <= len(runs) and "misses" not in notes:
            yield f"races: expected {'-'.join(pair)}; TSan found it in {hits} of {len(runs)} runs"


def test(tool, program, compiler, options):
    """All runs of one program with one compiler: a list of faults."""
    if options.online and program.online_skips:
        return []
    if options.peer == "tsan" and "skip" in program.peer_notes(compiler):
        return []
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{program.path.stem}-", dir=options.work))
    faults, log = [], []
    try:
        binary, library = build(tool, program, compiler, folder)
        for words in program.runs:
            arguments = [word.replace("%lib", str(library)) for word in words]
            runs = []
            for index in range(options.repeat):
                runs.append(tool.run(program, binary, arguments, folder, index))
                if runs[-1].exit == "timeout":
                    break
            where = f" [{' '.join(words)}]" if words else ""
            if options.peer == "tsan":
                found = list(judge_peer(program, compiler, runs))
            elif options.peer == "native":
                found = sorted({fault for run in runs for fault in common_faults(program, run)})
            else:
                counted = {}
                for run in runs:
                    for fault in judge(program, run, options.online):
                        counted[fault] = counted.get(fault, 0) + 1
                found = [f if n == len(runs) else f"{f} ({n} of {len(runs)} runs)" for f, n in counted.items()]
            faults += [f"{program.name}{where} {compiler}: {fault}" for fault in found]
            if found:
                log += [run.log for run in runs]
    except Bad as error:
        faults.append(f"{compiler}: {error}")
    if options.keep:
        (folder / "log").write_text("\n".join(log))
        if faults:
            faults.append(f"    kept in {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return faults


def compilers_of(program, choice):
    """The compilers for a program. A mixed run gives one half to GCC and the other half to clang, by a hash of the name: a new program does not
    change the compilers of the others."""
    if choice == "mixed":
        names = ["gcc" if zlib.crc32(program.name.encode()) % 2 == 0 else "clang-19"]
        names = names if program.wants(names[0]) else ["clang-19" if names[0] == "gcc" else "gcc"]
    else:
        names = ["gcc", "clang-19"] if choice == "both" else [choice]
    return [name for name in names if program.wants(name)]


def arguments():
    parser = argparse.ArgumentParser(description="runs the golden programs; the head of this file explains their comments")
    parser.add_argument("--omen", help="path of omen")
    parser.add_argument("--cc", help="path of omen-cc")
    parser.add_argument("--cxx", help="path of omen-c++")
    parser.add_argument("--compiler", default="mixed", choices=["mixed", "both", *COMPILERS])
    parser.add_argument("--peer", choices=["tsan", "native"], help="judge the expectations instead of omen")
    parser.add_argument("--online", metavar="ANALYSIS", choices=["fto-hb", "st-wcp", "st-dc", "st-wdc"],
                        help="under omen run --online=ANALYSIS")
    parser.add_argument("--proved", action="store_true", help="check every witness, and a certificate of every excluded pair, with the proved checkers")
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER, help="the programs (default: this script's folder)")
    parser.add_argument("--filter", default="", help="only programs whose name matches this regular expression")
    parser.add_argument("--repeat", type=int, help="runs of each program (1; 5 with --peer tsan)")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("OMEN_JOBS", os.cpu_count())))
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one run")
    parser.add_argument("--keep", action="store_true", help="keep the built programs and reports")
    options = parser.parse_args()
    if not options.peer and not (options.omen and options.cc and options.cxx):
        parser.error("--omen, --cc and --cxx are needed, or --peer")
    if options.proved and (options.peer or options.online):
        parser.error("--proved is for recorded runs")
    options.repeat = options.repeat or (5 if options.peer == "tsan" else 1)
    return options


def main():
    options = arguments()
    options.work = tempfile.mkdtemp(prefix="omen-golden-")
    tool = {"tsan": Tsan, "native": Native, None: Omen}[options.peer](options)
    start, failed, jobs = time.monotonic(), 0, []
    try:
        programs = [Program(p) for p in sorted(options.folder.iterdir()) if p.suffix in (".c", ".cpp")]
    except Bad as error:
        sys.exit(f"run_golden: {error}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program in programs:
            if re.search(options.filter, program.name):
                for compiler in compilers_of(program, options.compiler):
                    jobs.append(pool.submit(test, tool, program, compiler, options))
        for job in concurrent.futures.as_completed(jobs):
            faults = job.result()
            failed += bool(faults)
            for fault in faults:
                print(fault, flush=True)
    if not options.keep:
        shutil.rmtree(options.work, ignore_errors=True)
    print(f"{len(jobs) - failed} passed, {failed} failed, {time.monotonic() - start:.0f} s")
    if options.proved:
        print(f"{tool.accepted} witnesses and {tool.certified} certificates accepted by the proved checkers")
        failed += tool.accepted == 0 or tool.certified == 0
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())

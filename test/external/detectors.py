"""The two detectors that the suites compare: omen, and ThreadSanitizer of the same clang as the peer.

A detector builds a program with its compilers and runs it once. Both instrument with the same compiler, so only the
runtime and the analysis differ.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

CLANG = "19"
TSAN_KIND = re.compile(r"^WARNING: ThreadSanitizer: ([^(\n]*[^(\n ])", re.MULTILINE)
RACES = ("data race", "race on", "heap-use-after-free", "use of an invalid vptr", "Swift access race")
LIMIT = 4 << 20  # how much of a program's output is kept


def is_race(kind):
    return kind.startswith(RACES)


class Run:
    """How one run ended."""
    def __init__(self, code, output, seconds, kinds, sites, partial=None):
        self.code = code        # exit code; negative: the signal; None: ran out of time
        self.output = output    # standard output and standard error
        self.seconds = seconds
        self.kinds = kinds      # of the reports: "data race", "thread leak", …
        self.sites = sites      # where the races were, one line each
        self.partial = partial  # why the detector did not see all of the run; None if it did

    @property
    def raced(self):
        return any(map(is_race, self.kinds))

    def trouble(self):
        """Why the run is inconclusive about races; None if it is conclusive."""
        if self.code is None:
            return "timeout"
        for code in (self.code, self.code - 128 if self.code > 128 else 0):
            if -code in (4, 6, 7, 8, 11) or code in (4, 6, 7, 8, 11) and self.code > 128:
                return signal.Signals(abs(code)).name
        if self.code == 70:
            return "omen's own failure (70)"
        return self.partial


def execute(command, timeout, **settings):
    """(exit code or None, output, seconds); ends the whole process group when the time is over."""
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=settings.pop("stdin", subprocess.DEVNULL),
                          start_new_session=True, **settings) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            code = None
    return code, output[:LIMIT].decode("utf-8", "replace"), time.monotonic() - start


class Tsan:
    name = "tsan"
    title = "ThreadSanitizer"

    def __init__(self, _build):
        self.cc = f"clang-{CLANG} -fsanitize=thread"
        self.cxx = f"clang++-{CLANG} -fsanitize=thread"
        self.environment = {}
        self.fingerprint = subprocess.run([f"clang-{CLANG}", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]

    def prefix(self, _report):
        return []

    def partial(self, _report, _output=""):
        return None

    def recording(self):
        return self

    def reports(self, _report, output):
        kinds = TSAN_KIND.findall(output)
        sites = re.findall(r"^SUMMARY: ThreadSanitizer: (.*)", output, re.MULTILINE)
        return kinds, sorted({re.sub(r"(\S*/)", "", site) for site in sites})


class Omen:
    name = "omen"
    title = "omen"

    def __init__(self, build):
        build = pathlib.Path(build).resolve()
        self.cc, self.cxx, self.omen = (str(build / "bin" / name) for name in ("omen-cc", "omen-c++", "omen"))
        self.environment = {"OMEN_CC": f"clang-{CLANG}", "OMEN_CXX": f"clang++-{CLANG}"}
        files = [pathlib.Path(self.omen), build / "lib" / "libomen_rt.a"]
        missing = [str(path) for path in files if not path.exists()]
        if missing:
            raise FileNotFoundError(f"there is no {missing[0]}: build omen first")
        self.fingerprint = " ".join(f"{path.stat().st_size}.{path.stat().st_mtime_ns}" for path in files)

    def prefix(self, report):
        return [self.omen, "run", "--json", str(report), "--"]

    def recording(self):
        """The same, but runs are only recorded."""
        return Recording(self)

    def partial(self, report, _output=""):
        """An incomplete recording without a report is not a verdict."""
        if not report.exists() or not report.stat().st_size:
            return "no report"
        return None if json.loads(report.read_text(encoding="utf-8")).get("complete") is True else "recorded only in part"

    def reports(self, report, _output):
        if not report.exists() or not report.stat().st_size:
            return [], []
        races = json.loads(report.read_text(encoding="utf-8")).get("races", [])
        return ["data race"] * len(races), sorted({self.site(race) for race in races})

    @staticmethod
    def site(race):
        places = []
        for access in race.get("accesses", []):
            frame = next(iter(access.get("stack", [])), {})
            places.append(f"{pathlib.Path(frame.get('file') or '?').name}:{frame.get('line', '?')} {frame.get('function') or '?'}")
        return f"{'seen' if race.get('observed') else 'predicted'} {' / '.join(sorted(places))}"


class Recording:
    """Runs programs as omen does, without analysis."""
    def __init__(self, omen):
        self.omen = omen.omen
        self.environment = omen.environment

    def prefix(self, report):
        return [self.omen, "record", "-o", str(report.with_suffix(".omen")), "--"]

    def partial(self, report, output=""):
        trace = report.with_suffix(".omen")
        if not trace.exists():
            return "no trace"
        trace.unlink()
        return "recorded only in part" if "omen: recording stopped" in output else None

    def reports(self, _report, _output):
        return [], []


DETECTORS = {kind.name: kind for kind in (Omen, Tsan)}


def run_program(detector, command, folder, timeout, env=None, shell=False):
    """Runs a program under a detector. `command` is a list of words, or with `shell` a line in which RUN stands for the prefix."""
    report = pathlib.Path(folder) / "report.json"
    report.unlink(missing_ok=True)
    environment = os.environ | detector.environment | (env or {})
    if shell:
        words = ["bash", "-c", command.replace("RUN", " ".join(detector.prefix(report)))]
    else:
        words = [*detector.prefix(report), *map(str, command)]
    code, output, seconds = execute(words, timeout, cwd=folder, env=environment)
    kinds, sites = detector.reports(report, output)
    return Run(code, output, seconds, kinds, sites, detector.partial(report))


def fresh_folder(path):
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path

"""One run of a workload in one variant, and what it took.

Processor time is user and system time of all processes that the run started and waited for, by getrusage: of omen's variants it includes
the process `omen` itself. Wall time is that of the outermost process; of a server, from its start to its end. Peak memory is the largest
resident set of the program alone, as /usr/bin/time reports it, which is started innermost: a child's peak
begins with the size of the process that forked it, and that of the benchmark is not small.
"""
import os
import re
import resource
import shutil

from detectors import fresh_folder
from programs_suite import Context, Trouble
from recording import TIME, add

MEASURES = ("cpu", "wall", "memory")
# Neither waits at the end, races do not end the run, and the exit status is the program's own.
SETTINGS = {"TSAN_OPTIONS": "atexit_sleep_ms=0:exitcode=0:halt_on_error=0", "OMEN_OPTIONS": "exitcode=0"}
REPORT = re.compile(r"^WARNING: (?:ThreadSanitizer|OmenRaceDetector): ", re.MULTILINE)


class Measured(Context):
    """What a workload needs of its surroundings (programs_suite.Context), measured."""
    def __init__(self, folder, inputs, prefix, scale=1):
        super().__init__(fresh_folder(folder), None, scale)
        self.inputs = inputs  # files that workloads have in common
        self.prefix = prefix  # in front of the program: omen run --online …
        self.total = dict.fromkeys(MEASURES, 0.0)
        self.reports = 0

    def input(self, name, make):
        """A file or folder of the inputs, made once by make(path)."""
        path = self.inputs / name
        if not path.exists():
            self.inputs.mkdir(parents=True, exist_ok=True)
            scratch = self.inputs / f"{name}.new"
            if scratch.is_dir():
                shutil.rmtree(scratch)
            make(scratch)
            scratch.rename(path)
        return path

    def environment(self):
        return os.environ | SETTINGS

    def words(self, program):
        self.before = resource.getrusage(resource.RUSAGE_CHILDREN)
        return [*self.prefix, TIME, "-q", "-o", str(self.folder / "memory"), "-f", "%M", *map(str, program)]

    def take(self, name, code, log, seconds):
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        (self.folder / f"{name}.log").write_text(f"{log}\nexit {code}\n", encoding="utf-8")
        if code is None:
            raise Trouble(f"{name}: timeout")
        if code < 0:
            raise Trouble(f"{name}: ended by signal {-code}")
        self.outcome.append((name, code))
        self.reports += len(REPORT.findall(log))
        cpu = after.ru_utime - self.before.ru_utime + after.ru_stime - self.before.ru_stime
        add(self.total, cpu, seconds, float((self.folder / "memory").read_text(encoding="utf-8").split()[-1]) / 1024)

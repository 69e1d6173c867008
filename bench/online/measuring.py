"""One run of a workload in one variant, and its cost.

Processor time is user and system time of all processes that the run started and waited for, by getrusage: of omen's variants it includes
the process `omen` itself. Wall time is that of the outermost process; of a server, from its start to its end. Peak memory is the largest
resident set of the program alone, as usage.c reports it, which is started innermost: a child's peak
begins with the size of the process that forked it, and that of the benchmark is not small. Instructions are those of the program in user
mode, on machines that count them.
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess

from detectors import CLANG, fresh_folder
from programs_suite import Context, Trouble
from recording import add

MEASURES = ("cpu", "wall", "memory")
INSTRUCTIONS = "instructions"  # beside MEASURES in a run, where the machine counts them
# Neither waits at the end, races do not end the run, and the exit status is the program's own.
SETTINGS = {"TSAN_OPTIONS": "atexit_sleep_ms=0:exitcode=0:halt_on_error=0", "OMEN_OPTIONS": "exitcode=0"}
REPORT = re.compile(r"^WARNING: (?:ThreadSanitizer|OmenRaceDetector): ", re.MULTILINE)


def built_usage(folder):
    """usage.c as a program that needs no library: it also runs where a pack of programs was carried to."""
    folder.mkdir(parents=True, exist_ok=True)
    source = pathlib.Path(__file__).resolve().parent / "usage.c"
    subprocess.run([f"clang-{CLANG}", "-O2", "-static", str(source), "-o", str(folder / "usage")], check=True)
    return folder / "usage"


class Measured(Context):
    """What a workload needs of its surroundings (programs_suite.Context), measured."""
    threads = 4  # that a workload asks of its program

    def __init__(self, folder, inputs, prefix, usage, scale=1):
        super().__init__(fresh_folder(folder), None, scale)
        self.inputs = inputs  # files that workloads have in common
        self.prefix = prefix  # in front of the program: omen run --online …
        self.usage = usage    # usage.c, built
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
        return [*map(str, self.prefix), str(self.usage), str(self.folder / "usage"), *map(str, program)]

    def take(self, name, code, log, seconds):
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        (self.folder / f"{name}.log").write_text(f"{log}\nexit {code}\n", encoding="utf-8")
        if code is None:
            raise Trouble(f"{name}: timeout")
        if code < 0 or code > 128:
            raise Trouble(f"{name}: ended by signal {-code if code < 0 else code - 128}")
        self.outcome.append((name, code))
        self.reports += len(REPORT.findall(log))
        cpu = after.ru_utime - self.before.ru_utime + after.ru_stime - self.before.ru_stime
        microseconds, kilobytes, instructions = map(int, (self.folder / "usage").read_text(encoding="utf-8").split())
        add(self.total, cpu, seconds, kilobytes / 1024)
        if instructions:
            self.total[INSTRUCTIONS] = self.total.get(INSTRUCTIONS, 0) + instructions
        return microseconds / 1e6

"""Traces of the real programs: each built by omen-cc, run on a part of its workload and recorded.

The parts are chosen so that a trace has one to some millions of events: passes that load a whole trace take 40 bytes per event, and the unoptimised
analyses take a second for one or two million. For a workload that runs its program twice (packing, unpacking), the trace is that of the first run.
"""
import dataclasses
import json
import pathlib
import shutil

from building import Builder
from flavours import Toolchains, digest, of_file
from measuring import Measured, built_usage
from programs import PROGRAMS_MEASURED
from programs_suite import Trouble, execute

# The part of the workload of bench/online/programs.py, by program; the most informative first.
PARTS = {"leveldb": 0.01, "memcached": 0.005, "redis": 0.001, "sqlite3": 0.0008, "pigz": 0.02, "pbzip2": 0.04, "xz": 0.05, "zstd": 0.01,
         "x264": 0.02, "mksquashfs": 0.06}
TIMEOUT = 3600
HERE = pathlib.Path(__file__).resolve().parent
WORKLOADS = [HERE.parent / "online" / name for name in ("programs.py", "traffic.py")]


class NativeRun(Measured):
    """A run without omen. `program` is the processor time of the first program that ran."""
    def __init__(self, folder, inputs, usage, scale):
        super().__init__(folder, inputs, [], usage, scale)
        self.first = None

    def take(self, name, code, log, seconds):
        own = super().take(name, code, log, seconds)
        if self.first is None:
            self.first = {"cpu": own, "wall": seconds, "memory": self.total["memory"]}


class RecordRun(NativeRun):
    """A run under `omen record`; each program that runs writes its own trace, and the first one is kept."""
    def __init__(self, folder, inputs, omen, usage, scale):
        super().__init__(folder, inputs, usage, scale)
        self.omen = omen
        self.number = 0

    @property
    def trace(self):
        return self.folder / "trace0.omen"

    def words(self, program):
        self.prefix = [self.omen, "record", "-o", f"trace{self.number}.omen", "--"]
        self.number += 1
        return super().words(program)

    def take(self, name, code, log, seconds):
        if "recording stopped" in log:
            raise Trouble(f"{name}: recorded only in part")
        super().take(name, code, log, seconds)


@dataclasses.dataclass
class Recording:
    trace: pathlib.Path
    native: dict   # cpu, wall, memory of the program
    recorded: dict


class Recorder:
    """Builds the programs, natively and for omen, and records them; `user` has a folder of its own to run them in."""
    def __init__(self, build, folder, sources, scale, say, user):
        self.folder = folder / "traces"
        self.run_folder = self.folder / "run" / user
        self.toolchains = Toolchains(build, self.folder)
        self.omen = self.toolchains.omen.omen
        self.builder = Builder(self.folder / "work", sources, self.toolchains, say)
        self.usage = built_usage(self.folder)
        self.scale = scale
        self.sources = sources

    def part(self, name):
        return PARTS[name] * self.scale

    def version(self, name):
        package = PROGRAMS_MEASURED[name].packages[0]
        return f"{name} {self.sources.version(package)}"

    def built(self, name):
        """(native build, omen's build, the inputs that a trace depends on)"""
        program = PROGRAMS_MEASURED[name]
        flavours, runtime = self.toolchains.flavours, self.toolchains.runtimes["omen"]
        native = self.builder.program(program, flavours["native"])
        own = self.builder.program(program, flavours["omen"], runtime)
        stamps = [(own / "linked").read_text(encoding="utf-8"), of_file(self.omen), *map(of_file, WORKLOADS), str(self.part(name))]
        return native, own, digest(*stamps)

    def record(self, name):
        """One native run and one recorded run, with the same result."""
        native, own, _ = self.built(name)
        work, inputs = PROGRAMS_MEASURED[name].work, self.folder / "inputs"
        runs = (NativeRun(self.run_folder / name / "native", inputs, self.usage, self.part(name)),
                RecordRun(self.run_folder / name / "omen", inputs, self.omen, self.usage, self.part(name)))
        for run, folder in zip(runs, (native, own)):
            work(run, folder)
        if runs[0].outcome != runs[1].outcome:
            raise Trouble(f"{name}: the result of the recorded run is not that of the native run")
        if not runs[1].trace.exists():
            raise Trouble(f"{name}: omen record wrote no trace")
        return Recording(runs[1].trace, runs[0].first, runs[1].first)

    def kept_trace(self, name):
        """A trace, recorded again only if the program, the workload or omen has changed."""
        folder = self.folder / "kept"
        trace, stamp = folder / f"{name}.omen", folder / f"{name}.stamp"
        fingerprint = self.built(name)[2]
        if not trace.exists() or not stamp.exists() or stamp.read_text(encoding="utf-8") != fingerprint:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.record(name).trace, trace)
            stamp.write_text(fingerprint, encoding="utf-8")
        return trace


def measured_command(usage, folder, words, codes=(0, 66)):
    """{"cpu", "memory"} of an omen command, which may find races."""
    folder.mkdir(parents=True, exist_ok=True)
    code, log, _ = execute([str(usage), str(folder / "usage"), *map(str, words)], TIMEOUT, cwd=folder)
    if code not in codes:
        raise Trouble(f"{' '.join(map(str, words[1:3]))}: {'timeout' if code is None else f'exit {code}'}: {log[-300:]}")
    microseconds, kilobytes, _ = map(int, (folder / "usage").read_text(encoding="utf-8").split())
    return {"cpu": microseconds / 1e6, "memory": kilobytes / 1024}


def json_of(usage, folder, words, codes=(0, 66)):
    """(the output of `--json FILE`, the cost of the command)"""
    path = folder / "out.json"
    path.unlink(missing_ok=True)
    took = measured_command(usage, folder, [*words, "--json", path], codes)
    return json.loads(path.read_text(encoding="utf-8")), took

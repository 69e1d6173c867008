"""The workloads that are measured with a growing number of threads: kernels, workloads of locks and atomics, and three programs with as many threads.

Sizes are such that 16 threads under ThreadSanitizer take some tenths of a second: a round of everything is short enough for many rounds.
"""
import pathlib

from building import KERNELS
from programs import PROGRAMS_MEASURED

HERE = pathlib.Path(__file__).resolve().parent
LOCKS = {"own_locks": 1000000, "lock_pool": 600000, "atomic_flag": 1500000}
KERNEL_SIZES = {"hash_table": 400000, "histogram": 3000000, "list": 200000, "lu": 700, "matrix": 500, "sor": 600, "sort": 1500000,
                "sparse": 30000, "strings": 8000}
PROGRAM_PARTS = {"pigz": 0.25, "pbzip2": 0.2, "memcached": 0.1}


class Kernel:
    """A program of one file: SIZE THREADS are its arguments, a checksum is its output."""
    def __init__(self, name, size, folder):
        self.name, self.size, self.folder = name, size, folder
        self.binary = "kernel"

    def build(self, builder, flavour, runtime):
        return builder.kernel(self.name, flavour, runtime, self.folder)

    def work(self, context, built):
        log = context.run("kernel", built / "kernel", self.size, context.threads)
        context.outcome.append(("checksum", next((line for line in log.splitlines() if line.startswith(f"{self.name} ")), None)))


class Program:
    """A real program, on a part of its workload."""
    def __init__(self, name, part):
        self.name, self.part = name, part
        self.program = PROGRAMS_MEASURED[name]
        self.binary = self.program.binary

    def build(self, builder, flavour, runtime):
        return builder.program(self.program, flavour, runtime)

    def work(self, context, built):
        context.scale = self.part
        self.program.work(context, built)


WORKLOADS = {each.name: each for each in (
    *(Kernel(name, size, HERE) for name, size in LOCKS.items()),
    *(Kernel(name, size, KERNELS) for name, size in KERNEL_SIZES.items()),
    *(Program(name, part) for name, part in PROGRAM_PARTS.items()))}

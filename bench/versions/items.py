"""The items on which two versions are compared: programs, kernels, and micro-programs for the cost of a section, a thread and a start.

Sizes are chosen so that one run takes a few tenths of a second of processor time in most ways, far above the cost of starting. On a busy machine
many short interleaved runs give better estimates than a few long ones.
"""
import dataclasses

from building import KERNELS, MICRO
from programs import PROGRAMS_MEASURED

CLANG_BUILD, GCC_BUILD = "omen", "omen-gcc"  # flavours.py


@dataclasses.dataclass
class Item:
    name: str
    flavour: str
    size: float  # for a program: the part of its workload; for others: the first argument
    threads: int = 2  # for kernels and micro-programs

    @property
    def title(self):
        return f"{self.name} ({'clang' if self.flavour == CLANG_BUILD else 'GCC'})"

    @property
    def program(self):
        return PROGRAMS_MEASURED.get(self.name)

    @property
    def binary(self):
        return self.program.binary if self.program else "kernel"

    def build(self, builder, flavour, runtime):
        if self.program:
            return builder.program(self.program, flavour, runtime)
        return builder.kernel(self.name, flavour, runtime, KERNELS if (KERNELS / f"{self.name}.cpp").exists() else MICRO)

    def work(self, context, built):
        if self.program:
            context.scale = self.size
            self.program.work(context, built)
            return
        log = context.run("kernel", built / "kernel", self.size, self.threads)
        context.outcome.append(("checksum", next((line for line in log.splitlines() if line.startswith(f"{self.name} ")), None)))


PROGRAM_PARTS = {"zstd": 0.005, "xz": 0.04, "pbzip2": 0.02, "sqlite3": 0.003, "pigz": 0.03, "memcached": 0.01, "redis": 0.05, "leveldb": 0.005,
                 "x264": 0.02, "mksquashfs": 0.03}
KERNEL_SIZES = {"hash_table": 100000, "histogram": 500000, "list": 30000, "lu": 500, "matrix": 250, "sor": 300, "sort": 600000,
                "sparse": 10000, "strings": 4000}
SMALL = {"empty_sections": (500000, 1), "library_calls": (500000, 1), "virtual_calls": (200000, 1), "streams": (50000, 1),
         "small_threads": (800, 2), "start": (1, 1)}  # and the number of threads

FLAVOURS = (CLANG_BUILD, GCC_BUILD)
ITEMS = [Item(name, CLANG_BUILD, part) for name, part in PROGRAM_PARTS.items()]
ITEMS += [Item(name, flavour, size) for name, size in KERNEL_SIZES.items() for flavour in FLAVOURS]
ITEMS += [Item(name, flavour, size, threads) for name, (size, threads) in SMALL.items() for flavour in FLAVOURS]

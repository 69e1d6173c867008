#!/usr/bin/env python3
"""The savings of check placement: the tables of BigFoot's evaluation (Rhodes, Flanagan, Freund, PLDI 2017, Figure 8, Table 1) for omen's kernels.

  placement.py --build BUILD [--only NAME]… [--rounds N] [--compilations N] [--scale S] [--no-times] [--write]

Placements, by `omen-cc --omen-placement=`: none, redcard (redundant checks are taken away), bigfoot (all). They stand for BigFoot's SlimState, SlimCard and BigFoot: omen's runtime
always compresses the shadow, 64 bytes at a time, so there is nothing that FastTrack and RedCard could be.

Checks: a kernel is linked with callbacks that count themselves (placement/counting_callbacks.c); a check that the program would decide itself
counts too. The check ratio is that number by the accesses, which are the checks of a build without placement and without vectors.
Compile time: processor time of the compiler, by that of `clang -fsanitize=thread`. Overhead: processor time under `omen run --online=fto-hb`, with that of omen,
by that of the native build, less one. Both in interleaved rounds: the median, and between which values the middle half lies. Memory: what was resident at most of the
program alone, in a run of its own; less that of the native build it is the shadow, the log and the runtime. With --write the block of
bench/results/placement.md is replaced.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "bench" / "kernels"
DOCUMENT = ROOT / "bench" / "results" / "placement.md"
BLOCK = re.compile(r"(<!-- bench-placement -->\n)(.*?)(<!-- end -->)", re.DOTALL)
PLACEMENTS = ("none", "redcard", "bigfoot")
OPTIONS = ["-O2", "-g", "-std=c++20", "-pthread", "-I", str(KERNELS)]
SCALAR = ["-fno-vectorize", "-fno-slp-vectorize"]  # after -O2, which would turn them on again
SIZES = {"hash_table": 300000, "histogram": 8000000, "list": 200000, "lu": 500, "matrix": 350, "sor": 600, "sort": 1000000, "sparse": 30000,
         "strings": 8000}
COUNTED = re.compile(r"^checks: (\d+) single, (\d+) mask, (\d+) range, (\d+) strided; (\d+) lines", re.MULTILINE)


def say(words):
    print(f"placement: {words}", file=sys.stderr, flush=True)


def must(command, **settings):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **settings)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout + done.stderr


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.environment = os.environ | {"OMEN_CXX": "clang++-19"}
        self.driver = options.build / "bin" / "omen-c++"
        counting = folder / "counting"
        counting.mkdir()
        must(["clang-19", "-O2", "-fPIC", "-c", ROOT / "bench" / "placement" / "counting_callbacks.c", "-o", counting / "c.o"])
        must(["ar", "rcs", counting / "libomen_rt.a", counting / "c.o"])
        (counting / "omen_rt.syms").write_text("{ __tsan_*; __omen_*; };\n", encoding="utf-8")
        self.counting = self.environment | {"OMEN_RUNTIME": str(counting / "libomen_rt.a")}

        self.measurer = folder / "measured"
        must(["clang-19", "-O2", ROOT / "bench" / "placement" / "measured.c", "-o", self.measurer])

    def measured(self, command, **settings):
        """(processor seconds, resident MiB at most) of a command and what it starts."""
        must([self.measurer, self.folder / "measures", *command], **settings)
        seconds, resident = (self.folder / "measures").read_text(encoding="utf-8").split()
        return float(seconds), int(resident) / 1024

    def object(self, name, way, words):
        """(the object file, processor seconds of the compilation)"""
        made = self.folder / f"{name}-{way}.o"
        seconds, _ = self.measured([words[0], *OPTIONS, *words[1:], "-c", KERNELS / f"{name}.cpp", "-o", made], env=self.environment)
        return made, seconds

    def size(self, name):
        return str(max(16, int(SIZES[name] * self.options.scale)))

    def counts(self, name, words):
        """The checks of a build: their number, and how many lookups of a shadow line they make."""
        made, _ = self.object(name, "counted", [self.driver, *words])
        binary = self.folder / f"{name}-counted"
        must([self.driver, "-pthread", made, "-o", binary], env=self.counting)
        single, mask, ranges, strided, lines = map(int, COUNTED.search(must([binary, self.size(name)])).groups())
        return single + mask + ranges + strided, single + mask + lines

    def check_row(self, name):
        accesses, _ = self.counts(name, ["--omen-placement=none", *SCALAR])
        ways = [self.counts(name, [f"--omen-placement={way}"]) for way in PLACEMENTS]
        say(f"{name}: {accesses} accesses, checks {' '.join(str(checks) for checks, _ in ways)}")
        return accesses, ways

    def resident_alone(self, binary, name):
        """Of the program, without the process of omen, which is larger where a program is small."""
        with tempfile.TemporaryDirectory(dir=self.folder) as log:
            return self.measured([binary, self.size(name)], env=os.environ | {"OMEN_ONLINE": f"fto-hb:{log}"})[1]

    def times(self, names):
        """{name: {way: ([compile seconds], [run seconds], [resident MiB])}}, in rounds; the ways are native, tsan, and the placements."""
        compilers = {"native": ["clang++-19"], "tsan": ["clang++-19", "-fsanitize=thread"]}
        compilers |= {way: [self.driver, f"--omen-placement={way}"] for way in PLACEMENTS}
        found = {name: {way: ([], [], []) for way in compilers} for name in names}
        omen = [self.options.build / "bin" / "omen", "run", "--online=fto-hb", "--"]
        for number in range(self.options.rounds):
            for name in names:
                for way, words in compilers.items():
                    binary = self.folder / f"{name}-{way}"
                    if number < self.options.compilations:
                        made, seconds = self.object(name, way, words)
                        found[name][way][0].append(seconds)
                    if way == "tsan":
                        continue
                    if number == 0:
                        must([words[0], "-pthread", made, "-o", binary], env=self.environment)
                    command = [*([] if way == "native" else omen), binary, self.size(name)]
                    seconds, resident = self.measured(command)
                    found[name][way][1].append(seconds)
                    if way != "native" and number < self.options.compilations:
                        resident = self.resident_alone(binary, name)
                    if way == "native" or number < self.options.compilations:
                        found[name][way][2].append(resident)
            say(f"round {number + 1} of {self.options.rounds}")
        return found


def shown(values):
    """Median, and the middle half."""
    if len(values) < 2:
        return f"{values[0]:.2f}"
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:.2f} ({low:.2f}–{high:.2f})"


def checks_table(rows):
    lines = ["| kernel | accesses, M | none | redcard | bigfoot | lines looked at, bigfoot |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    ratios = {name: [checks / accesses for checks, _ in ways] + [ways[-1][1] / accesses] for name, (accesses, ways) in rows.items()}
    for name, (accesses, _) in rows.items():
        lines.append(f"| {name} | {accesses / 1e6:.1f} | " + " | ".join(f"{ratio:.4f}" if ratio < 0.01 else f"{ratio:.2f}" for ratio in ratios[name]) + " |")
    means = [statistics.mean(column) for column in zip(*ratios.values())]
    return lines + ["| arithmetic mean | | " + " | ".join(f"{mean:.2f}" for mean in means) + " |"]


def times_table(found):
    lines = ["| kernel | " + " | ".join(f"overhead, {way}" for way in PLACEMENTS) + " | bigfoot by none | "
             + " | ".join(f"compile, {way}" for way in PLACEMENTS) + " |", "| --- |" + " ---: |" * (2 * len(PLACEMENTS) + 1)]
    shares, compile_ratios = [], {way: [] for way in PLACEMENTS}
    for name, ways in found.items():
        overheads = {way: [run / native - 1 for run, native in zip(ways[way][1], ways["native"][1])] for way in PLACEMENTS}
        share = [big / none for big, none in zip(overheads["bigfoot"], overheads["none"])]
        shares.append(statistics.median(share))
        ratios = {way: [own / tsan for own, tsan in zip(ways[way][0], ways["tsan"][0])] for way in PLACEMENTS}
        for way in PLACEMENTS:
            compile_ratios[way].append(statistics.median(ratios[way]))
        compiles = [shown(ratios[way]) for way in PLACEMENTS]
        lines.append(f"| {name} | " + " | ".join(shown(overheads[way]) for way in PLACEMENTS) + f" | {shown(share)} | " + " | ".join(compiles) + " |")
    compiles = " | ".join(f"{statistics.geometric_mean(compile_ratios[way]):.2f}" for way in PLACEMENTS)
    return lines + [f"| geometric mean | | | | {statistics.geometric_mean(shares):.2f} | {compiles} |"]


def memory_table(found):
    lines = ["| kernel | MiB, native | " + " | ".join(f"MiB more, {way}" for way in PLACEMENTS) + " | bigfoot by none |", "| --- |" + " ---: |" * (len(PLACEMENTS) + 2)]
    shares = []
    for name, ways in found.items():
        native = statistics.median(ways["native"][2])
        more = {way: [resident - native for resident in ways[way][2]] for way in PLACEMENTS}
        share = [big / none for big, none in zip(more["bigfoot"], more["none"])]
        shares.append(statistics.median(share))
        lines.append(f"| {name} | {native:.1f} | " + " | ".join(shown(more[way]) for way in PLACEMENTS) + f" | {shown(share)} |")
    return lines + ["| geometric mean | |" + " |" * len(PLACEMENTS) + f" {statistics.geometric_mean(shares):.2f} |"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--only", action="append", choices=sorted(SIZES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compilations", type=int, default=3, help="rounds in which everything is compiled, and memory measured, the first ones")
    parser.add_argument("--scale", type=float, default=1, help="of the kernels' sizes")
    parser.add_argument("--no-times", action="store_true", help="count checks only")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.build = options.build.resolve()
    names = options.only or sorted(SIZES)
    with tempfile.TemporaryDirectory(prefix="omen-placement-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        tables = checks_table({name: bench.check_row(name) for name in names})
        if not options.no_times:
            found = bench.times(names)
            tables += ["", *times_table(found), "", *memory_table(found)]
    text = "\n" + "\n".join(tables) + "\n\n"
    print(text)
    if options.write:
        DOCUMENT.write_text(BLOCK.sub(lambda found: found[1] + text + found[3], DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

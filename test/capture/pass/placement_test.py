#!/usr/bin/env python3
"""The checks of functions, in the LLVM code that omen-cc generates with and without placement.

The files of code/ are C, or C++ with functions of C. For each function a comment says which checks it has, without placement and with it:

  // CHECKS NAME: read4:A@loop write8 -> read_range:A write8

Each word is a callback without its `__tsan_` or `__omen_`. `:A` says that it is for the line that ends in the comment `// A`. `@loop` says that
it is in a loop; `@look` that it is, and that the loop itself first decides whether a call is needed; without either it is not in a loop. The words are compared
in the order of the code, function entry and exit only if they are named. A line `// BUILD: FLAGS` gives additional flags for the compiler.

  // BIGFOOT NAME: 2 + 1n
  // BIGFOOT NAME: 2 + 0n, REASON

The checks that BigFoot leaves, outside of loops and in each iteration. With placement there are no more: exactly this many without a reason, more with one.

Usage: placement_test.py BUILD
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Without unrolling and vectorisation, which would change the checks.
FLAGS = ["-O2", "-g", "-fno-unroll-loops", "-fno-vectorize", "-fno-slp-vectorize", "-S", "-emit-llvm", "-o", "-"]
CALL = re.compile(r"call void @__(?:tsan|omen)_(\w+)\(.*?(?:!dbg !(\d+))?$")
LABEL = re.compile(r"^([\w.$-]+):")
TARGET = re.compile(r"label %([\w.$-]+)")
FRAMES = {"func_entry", "func_exit"}


class Block:
    def __init__(self):
        self.looks = False  # whether it reads the runtime's state inline
        self.calls = []  # (name, number of the debug location)
        self.next = []


def functions(text):
    """name -> {label: Block} of LLVM code."""
    result, blocks, block = {}, None, None
    for line in text.splitlines():
        begin = re.match(r"define .*@\"?([\w.]+)\"?\(", line)
        if begin:
            blocks = result[begin.group(1)] = {}
            block = blocks[""] = Block()
        elif line == "}":
            blocks = None
        elif blocks is not None:
            label = LABEL.match(line)
            if label:
                block = blocks[label.group(1)] = Block()
            call = CALL.search(line)
            if call:
                block.calls.append(call.groups())
            block.looks |= "@__omen_now" in line
            block.next += TARGET.findall(line)
    return result


def in_loop(blocks, label):
    seen, todo = set(), list(blocks[label].next)
    while todo:
        at = todo.pop()
        if at == label:
            return True
        if at not in seen:
            seen.add(at)
            todo += blocks[at].next
    return False


def place(blocks, label):
    if not in_loop(blocks, label):
        return ""
    before = [block for block in blocks.values() if label in block.next]
    return "@look" if any(block.looks for block in before) and len(blocks[label].calls) == 1 else "@loop"


def checks(blocks, lines):
    """The checks of a function: (name, source line, where)."""
    return [(name, lines.get(number), place(blocks, label)) for label, block in blocks.items() for name, number in block.calls]


def debug_lines(text):
    return {number: int(line) for number, line in re.findall(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+)", text, re.MULTILINE)}


class File:
    def __init__(self, path):
        self.path = path
        self.marks, self.expected, self.flags, self.bigfoot = {}, {}, [], {}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            expectation = re.match(r"// CHECKS ([\w.]+): ?(.*?) ?-> ?(.*)$", line)
            if expectation:
                self.expected[expectation.group(1)] = [words.split() for words in expectation.groups()[1:]]
            elif numbers := re.match(r"// BIGFOOT ([\w.]+): (\d+) \+ (\d+)n(?:, (.+))?$", line):
                self.bigfoot[numbers.group(1)] = (int(numbers.group(2)), int(numbers.group(3)), numbers.group(4))
            elif line.startswith("// BUILD: "):
                self.flags += line.split()[2:]
            elif mark := re.search(r"// ([A-Z])$", line):
                self.marks[mark.group(1)] = number

    def compiled(self, driver, *options):
        compiler = driver + ("c++" if self.path.suffix == ".cpp" else "cc")
        done = subprocess.run([compiler, *options, *FLAGS, *self.flags, str(self.path)], capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/bin:/bin", "OMEN_CC": "clang-19", "OMEN_CXX": "clang++-19"})
        if done.returncode or done.stderr:
            raise SystemExit(f"{self.path.name} does not compile: {done.stderr}")
        return functions(done.stdout), debug_lines(done.stdout)

    def fits(self, word, check):
        """True if a check matches a word."""
        name, line, where = check
        wanted = re.fullmatch(r"(\w+)(?::([A-Z]))?(@loop|@look|)", word)
        return (name == wanted.group(1) and wanted.group(3) == where
                and (not wanted.group(2) or self.marks[wanted.group(2)] == line))

    def shown(self, found):
        names = {line: mark for mark, line in self.marks.items()}
        return " ".join(name + (f":{names[line]}" if line in names else "") + where for name, line, where in found)

    def bigfoot_faults(self):
        """Compares the expected checks with placement with the actual ones."""
        for function, (straight, looped, reason) in self.bigfoot.items():
            words = self.expected[function][1]
            left = [sum("@" in word for word in words), sum("@" not in word for word in words)]
            more = left[0] > looped or left[1] > straight
            fewer = left[0] < looped or (left[1] < straight and left[0] == looped)
            if more != bool(reason) or fewer:
                yield f"{self.path.name}: {function}: {left[1]} + {left[0]}n checks; BigFoot's: {straight} + {looped}n, {reason or 'no reason for more'}"

    def faults(self, driver):
        yield from self.bigfoot_faults()
        ways = (("without", self.compiled(driver, "--omen-no-placement")), ("with", self.compiled(driver)))
        for function, both in self.expected.items():
            for words, (way, (code, lines)) in zip(both, ways):
                frames = FRAMES & set(words)
                found = [check for check in checks(code.get(function, {}), lines) if frames or check[0] not in FRAMES]
                if len(found) != len(words) or not all(map(self.fits, words, found)):
                    yield f"{self.path.name}: {function} {way} placement: {self.shown(found)}; expected: {' '.join(words)}"


def main():
    driver = str(pathlib.Path(sys.argv[1]) / "bin") + "/omen-"
    files = [File(path) for path in sorted((HERE / "code").glob("*.c*"))]
    faults = [fault for file in files for fault in file.faults(driver)]
    print(*faults, sep="\n", end="\n" if faults else "")
    beside = [(file.bigfoot[name][2], name) for file in files for name in file.bigfoot]
    print(f"{sum(len(file.expected) for file in files)} functions, {len(faults)} faults; of {len(beside)} as many checks as BigFoot in "
          f"{sum(reason is None for reason, _ in beside)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

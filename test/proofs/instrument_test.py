"""`omen mini instrument` against the proved instrumentation, on random programs of the core language.

The test reads the C++ program's text as core code, which must equal, instruction by instruction, the output of omen-proved-instrument.
Equality is up to three spellings, which `Reader` undoes:
- the C++ computes the number of a thread, vc_t or u32(N); the core code has it in the cells;
- mini has no maximum: where the core code stores max(tmp1, tmp2) into the cell that tmp2 was loaded from, the C++ stores
  vc_1 if it is greater;
- a load goes through a temporary variable, which is copied after the unlock.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import core_programs


class Mismatch(Exception):
    """The text is not the instrumentation of a core program."""


def expression(text):
    """Core spelling: temporaries renamed, spaces around brackets."""
    text = text.replace("vc_1", "tmp1").replace("vc_2", "tmp2")
    if "vc_" in text:
        raise Mismatch(f"a name of the instrumentation in an expression: {text}")
    return re.sub(r"([()])", r" \1 ", text).strip().replace("  ", " ")


class Reader:
    """Core code from the text of an instrumented mini program with `threads` threads."""

    def __init__(self, text, threads):
        self.threads = threads
        self.idioms = collections.Counter()
        heads = list(re.finditer(r"^void (\w+)\((.*)\) \{$", text, re.MULTILINE))
        if not heads:
            raise Mismatch("no function")
        self.check_declarations(text[: heads[0].start()])
        self.bodies = {}
        for head, after in zip(heads, [*heads[1:], None]):
            body = text[head.end() : after.start() if after else len(text)].strip()
            if not body.endswith("}"):
                raise Mismatch(f"{head.group(1)}: no end")
            self.bodies[head.group(1)] = (head.group(2), [line.strip() for line in body[:-1].splitlines() if line.strip()])

    def check_declarations(self, text):
        """Each clock has an entry for each thread; C[t][t] is 1 at first, and all else 0."""
        n = self.threads
        first = ", ".join("1" if t == u else "0" for t in range(n) for u in range(n))
        expected = [f"shared u32 vc_C[{n * n}] = {{{first}}};"]
        for name in re.findall(r"^shared u32 (x\d+);$", text, re.MULTILINE):
            expected += [f"shared u32 {name};", f"shared u32 vc_R_{name}[{n}];", f"shared u32 vc_W_{name}[{n}];", f"lock vc_X_{name};"]
        for name in re.findall(r"^lock (m\d+);$", text, re.MULTILINE):
            expected += [f"lock {name};", f"shared u32 vc_L_{name}[{n}];"]
        found = [line for line in text.splitlines() if line and not line.startswith("//")]
        if sorted(found) != sorted(expected):
            raise Mismatch("declarations:\n" + "\n".join(found))

    def code(self, function="main", thread=1):
        """`thread` counts from 1."""
        parameters, lines = self.bodies[function]
        names = {"vc_t": thread}
        local = [f"u32 a{a} = 0;" for a in range(1, core_programs.LOCALS + 1)]
        if function == "main":
            head = ["u32 vc_t = 0;", "u32 vc_1;", "u32 vc_2;", *local]
        else:
            head = ["u32 vc_1;", "u32 vc_2;", *local]
        if parameters != ("" if function == "main" else "u32 vc_t") or lines[: len(head)] != head:
            raise Mismatch(f"{function}: head")
        found = []
        rest = collections.deque(lines[len(head) :])
        while rest:
            found += self.instruction(rest, names)
        return found

    def thread(self, text, names):
        if text in names:
            return names[text]
        if not text.isdigit():
            raise Mismatch(f"not a thread: {text}")
        return int(text) + 1

    def cell(self, text, names):
        if match := re.fullmatch(r"vc_C\[(\w+) \* (\d+) \+ (\w+)\]", text):
            if int(match.group(2)) != self.threads:
                raise Mismatch(text)
            return f"C[{self.thread(match.group(1), names)},{self.thread(match.group(3), names)}]"
        if match := re.fullmatch(r"vc_([LRW])_[xm](\d+)\[(\w+)\]", text):
            return f"{match.group(1)}[{match.group(2)},{self.thread(match.group(3), names)}]"
        if re.fullmatch(r"x\d+", text):
            return text
        return None

    @staticmethod
    def mutex(text):
        return re.sub(r"^vc_X_x(\d+)$", r"X[\1]", text)

    def instruction(self, rest, names):
        line = rest.popleft()
        if match := re.fullmatch(r"u32 (vc_v\d+) = u32\((\d+)\);", line):
            names[match.group(1)] = int(match.group(2)) + 1
            return []
        if match := re.fullmatch(r"u32 (vc_v\d+) = (x\d+);", line):
            unlock, copy = rest.popleft(), rest.popleft()
            target = re.fullmatch(rf"(a\d+) = {match.group(1)};", copy)
            if not target or unlock != f"unlock vc_X_{match.group(2)};":
                raise Mismatch(f"{line} {unlock} {copy}")
            self.idioms["load"] += 1
            return [f"load {target.group(1)} {match.group(2)}", f"unlock {self.mutex(unlock[7:-1])}"]
        if match := re.fullmatch(r"(lock|unlock) (\w+);", line):
            return [f"{match.group(1)} {self.mutex(match.group(2))}"]
        if line == "if (vc_1 > vc_2) {":
            store, end = rest.popleft(), rest.popleft()
            match = re.fullmatch(r"(\S.*) = vc_1;", store)
            if not match or end != "}":
                raise Mismatch(f"{line} {store} {end}")
            self.idioms["max"] += 1
            return [f"store max ( tmp1 , tmp2 ) {self.cell(match.group(1), names)}"]
        if match := re.fullmatch(r"assert vc_1 <= vc_2;", line):
            return ["assert tmp1 tmp2"]
        if match := re.fullmatch(r"assert \((.*) <= (.*)\);", line):
            return [f"assert {expression(match.group(1))} {expression(match.group(2))}"]
        if match := re.fullmatch(r"spawn (f\d+)\((\w+)\) as (\d+);", line):
            thread = int(match.group(3)) + 1
            if self.thread(match.group(2), names) != thread:
                raise Mismatch(line)
            return [f"spawn {thread}", *self.code(match.group(1), thread), "end"]
        if match := re.fullmatch(r"wait (\d+);", line):
            return [f"wait {int(match.group(1)) + 1}"]
        if match := re.fullmatch(r"(\S.*?) = (\S.*);", line):
            return [self.assignment(match.group(1), match.group(2), names)]
        raise Mismatch(line)

    def assignment(self, to, value, names):
        if to in ("vc_1", "vc_2") and (cell := self.cell(value, names)):
            return f"load {expression(to)} {cell}"
        cell = self.cell(to, names)
        if value == "vc_1 + 1":
            value = "(vc_1 + 1)"
        if cell:
            return f"store {expression(value)} {cell}"
        if re.fullmatch(r"a\d+", to):
            return f"assign {to} {expression(value)}"
        raise Mismatch(f"{to} = {value}")


def check_stores_of_max(code):
    """Each stores into the cell that tmp2 was loaded from just before, as the interpretation of the C++'s condition assumes."""
    for before, line in zip(code, code[1:]):
        if line.startswith("store max ( tmp1 , tmp2 ) ") and before != "load tmp2 " + line.split()[-1]:
            raise Mismatch(f"{before}; {line}")


def proved(program, batch):
    """(well-formed?, number of threads, lines) for each program of the batch."""
    done = subprocess.run([program, "-"], input=batch, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program}: exit {done.returncode}: {done.stderr.strip()}")
    answers = []
    for part in done.stdout.split("---\n")[:-1]:
        head, *lines = part.splitlines()
        match = re.fullmatch(r"program (well|ill)-formed threads (\d+)", head)
        answers.append((match.group(1) == "well", int(match.group(2)), lines))
    return answers


def check_bad_input(program):
    """File, line and what was expected, and exit 65."""
    for text, expected in [("load a1 x1\nload b x1\n", "-:2: expected a local variable, found 'b'"),
                           ("spawn 2\nlock m1\n", "-:2: expected 'end', found the end of the input"),
                           ("store ( a1 + ) x1\n", "-:1: expected an expression, found ')'"),
                           ("lock m0\n", "-:1: expected a lock, found '0'"),
                           ("fly\n", "-:1: expected an instruction, found 'fly'")]:
        done = subprocess.run([program, "-"], input=text, capture_output=True, text=True, check=False)
        if done.returncode != 65 or expected not in done.stderr:
            sys.exit(f"bad input {text!r}: exit {done.returncode}: {done.stderr.strip()}, expected {expected}")


def instrument(omen, folder, number, source):
    path = pathlib.Path(folder) / f"p{number}.mini"
    path.write_text(source, encoding="utf-8")
    done = subprocess.run([omen, "mini", "instrument", str(path)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"omen mini instrument: exit {done.returncode}: {done.stderr.strip()}\n{source}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proved", required=True, help="path of omen-proved-instrument")
    parser.add_argument("--omen", required=True, help="path of omen")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--count", type=int, default=1000)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    check_bad_input(arguments.proved)

    programs = [core_programs.generate(arguments.seed + number) for number in range(arguments.count)]
    stray = [number % 10 == 9 for number in range(arguments.count)]
    programs = [core_programs.with_stray_unlock(p) if broken else p for p, broken in zip(programs, stray)]
    batch = "---\n".join("\n".join(core_programs.to_core(p)) + "\n" for p in programs)
    answers = proved(arguments.proved, batch)
    if len(answers) != len(programs):
        sys.exit(f"{len(programs)} programs, but {len(answers)} answers")

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(lambda item: instrument(arguments.omen, folder, *item),
                              enumerate(core_programs.to_mini(p) for p in programs)))

    chance = random.Random(arguments.seed)
    counts = {}
    idioms = collections.Counter()
    noticed = 0
    for number, (program, broken, text, (well_formed, threads, expected)) in enumerate(zip(programs, stray, texts, answers)):
        if well_formed == broken:
            sys.exit(f"program {number}: the proved check calls it {'well' if well_formed else 'ill'}-formed\n"
                     + core_programs.to_mini(program))
        try:
            reader = Reader(text, threads)
            found = reader.code()
            check_stores_of_max(found)
        except Mismatch as why:
            sys.exit(f"program {number}: {why}\n{text}")
        if found != expected:
            at = next((i for i, (f, e) in enumerate(zip(found, expected)) if f != e), min(len(found), len(expected)))
            sys.exit(f"program {number}, instruction {at}: C++ {found[at : at + 3]}, proved {expected[at : at + 3]}\n{text}")
        idioms += reader.idioms
        core_programs.count_kinds(program, counts)
        # The comparison notices when an instruction of the instrumentation is missing.
        lines = text.splitlines(keepends=True)
        candidates = [i for i, line in enumerate(lines) if line.startswith("  ") and "vc_" in line]
        if candidates:
            del lines[chance.choice(candidates)]
            try:
                noticed += Reader("".join(lines), threads).code() != expected
            except (Mismatch, IndexError):
                noticed += 1
            else:
                if Reader("".join(lines), threads).code() == expected:
                    sys.exit(f"program {number}: a missing line is not noticed\n{''.join(lines)}")

    print(f"{len(programs)} programs compared, {sum(stray)} of them ill-formed; "
          + ", ".join(f"{kind} {n}" for kind, n in sorted(counts.items()))
          + f"; {idioms['max']} maxima, {idioms['load']} loads; {noticed} of as many programs with a line missing noticed")
    kinds = {"assign", "load", "store", "lock", "unlock", "spawn", "wait", "assert"}
    if arguments.count >= 100 and (set(counts) != kinds or not idioms["max"] or not idioms["load"] or not noticed):
        sys.exit("not all kinds of instructions were compared")


if __name__ == "__main__":
    main()

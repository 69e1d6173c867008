"""Programs with the same meaning in the small language and in C: the same races in every model.

Usage: languages_test.py OMEN OMEN_CC FOLDER [PROGRAMS]. Random programs of two or three threads with shared integers of two types, an array, locks,
local variables, branches and loops are written in both languages, line by line. Both are run thread after thread: the small language by a schedule, C by
order.hpp. What `omen relax` predicts from either run is compared, as pairs of lines, in each model. The races of the last model must also be among those that
exploring all schedules of the small program finds. OMEN_LANGUAGES=N tries more; the seed of a failure is printed, and OMEN_SEED sets it.
"""

import json
import os
import pathlib
import random
import subprocess
import sys

MODELS = ["ca", "lw", "value", "control", "relax", "paths"]
ORDER = (pathlib.Path(__file__).parent / "programs" / "order.hpp").read_text().replace("inline ", "").replace("#pragma once", "")


class Pair:
    """A program as lines of both languages."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.mini, self.c = [], []
        self.shared = {"i32": ["x", "y"], "u8": ["b", "c"]}
        self.locals = {}
        self.count = 0
        self.loops = 0
        self.add("shared i32 x = 0;", "int32_t x;")
        self.add(f"shared i32 y = {self.initial(3)};", f"int32_t y = {self.last};")
        self.add("shared u8 b = 0;", "uint8_t b;")
        self.add(f"shared u8 c = {self.initial(200)};", f"uint8_t c = {self.last};")
        self.add("shared i32 a[4];", "int32_t a[4];")
        self.add("lock m;", "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;")
        self.add("lock n;", "pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;")
        self.threads = self.rng.choice([2, 2, 3])
        for thread in range(1, self.threads + 1):
            self.thread(thread)
        self.add("void main() {", "int main(void) { pthread_t t[8];")
        for thread in range(1, self.threads + 1):
            self.add(f"spawn f{thread}() as {thread};", f"pthread_create(&t[{thread}], 0, f{thread}, 0);")
        for thread in range(1, self.threads + 1):
            self.add(f"wait {thread};", f"pthread_join(t[{thread}], 0);")
        self.add("}", "}")

    def initial(self, limit):
        self.last = self.rng.randrange(limit)
        return self.last

    def add(self, mini, c):
        self.mini.append(mini)
        self.c.append(c)

    def thread(self, number):
        self.locals = {"i32": [], "u8": []}
        self.add(f"void f{number}() {{", f"void* f{number}(void* unused) {{ (void)unused; await({number - 1});")
        for _ in range(self.rng.randrange(2, 7)):
            self.statement(2, held=None)
        self.add("}", f"reach({number}); return 0; }}")

    def leaf(self, kind, shared=True):
        choices = [*self.locals[kind] * 2, str(self.rng.randrange(4))]
        if shared:
            choices += self.shared[kind]
        return (word := self.rng.choice(choices), word)

    def expression(self, kind, deep=2, shared=True):
        name = {"i32": "int32_t", "u8": "uint8_t"}[kind]
        choice = self.rng.randrange(6)
        if deep == 0 or choice < 2:
            return self.leaf(kind, shared)
        if choice == 2:
            other = "u8" if kind == "i32" else "i32"
            mini, c = self.expression(other, deep - 1, shared)
            return f"{kind}({mini})", f"(({name})({c}))"
        if choice == 3 and kind == "i32" and shared:
            mini, c = self.expression("i32", deep - 1, False)
            return f"a[({mini}) & 3]", f"a[({c}) & 3]"
        operator = self.rng.choice(["+", "-", "*", "&", "|", "^"])
        one, two = self.expression(kind, deep - 1, shared), self.expression(kind, deep - 1, shared)
        if one[0].isdigit() and two[0].isdigit():
            return one
        return f"({one[0]} {operator} {two[0]})", f"(({name})({one[1]} {operator} {two[1]}))"

    def statement(self, deep, held):
        choice = self.rng.randrange(12)
        kind = self.rng.choice(["i32", "i32", "u8"])
        mini, c = self.expression(kind)
        if mini.isdigit() and kind == "u8":
            mini = f"u8({mini})"
        if choice < 3:
            self.count += 1
            name = f"l{self.count}"
            self.add(f"{kind} {name} = {mini};", f"{'int32_t' if kind == 'i32' else 'uint8_t'} {name} = {c};")
            self.locals[kind].append(name)
        elif choice < 7 or deep == 0:
            target = self.rng.choice([*self.shared[kind], *self.locals[kind]])
            if kind == "i32" and self.rng.random() < 0.2:
                at = self.expression("i32", 1, False)
                self.add(f"a[({at[0]}) & 3] = {mini};", f"a[({at[1]}) & 3] = {c};")
            else:
                self.add(f"{target} = {mini};", f"{target} = {c};")
        elif choice < 9:
            names = [*self.locals[kind], *self.shared[kind]]
            if names:
                name = self.rng.choice(names)
                operator, limit = self.rng.choice(["<", ">", "==", "!="]), self.rng.randrange(3)
                self.add(f"if ({name} {operator} {limit}) {{", f"if ({name} {operator} {limit}) {{")
                self.block(deep, held)
                self.add("} else {", "} else {")
                self.block(deep, held)
                self.add("}", "}")
        elif choice < 11 and held is None:
            lock = self.rng.choice(["m", "n"])
            self.add(f"lock {lock};", f"pthread_mutex_lock(&{lock});")
            for _ in range(self.rng.randrange(1, 3)):
                self.statement(0, lock)
            self.add(f"unlock {lock};", f"pthread_mutex_unlock(&{lock});")
        else:
            self.loops += 1
            loop = f"k{self.loops}"
            self.add(f"i32 {loop} = 0;", f"int32_t {loop} = 0;")
            self.add(f"while ({loop} < 2) {{", f"while ({loop} < 2) {{")
            self.block(deep, held)
            self.add(f"{loop} = {loop} + 1;", f"{loop} = {loop} + 1;")
            self.add("}", "}")

    def block(self, deep, held):
        known = {kind: list(names) for kind, names in self.locals.items()}
        for _ in range(self.rng.randrange(1, 3)):
            self.statement(deep - 1, held)
        self.locals = known

    def text_of_c(self):
        head = "#include <pthread.h>\n#include <stdint.h>\n" + ORDER
        return head + "".join(f'#line {number} "p"\n{line}\n' for number, line in enumerate(self.c, 1))


def line_pairs(locations):
    """Pairs of lines: where in a line an access is, differs between the languages."""
    return {tuple(sorted(int(place.split(":")[1]) for place in pair)) for pair in locations}


def predicted(omen, trace, model):
    done = subprocess.run([omen, "relax", str(trace), "--model", model, "--json", "-"], capture_output=True, text=True)
    if done.returncode not in (0, 66):
        sys.exit(f"{trace} under {model}: code {done.returncode}\n{done.stderr}")
    candidates = json.loads(done.stdout)["candidates"]
    if any(c["verdict"] == "unknown" for c in candidates):
        return None
    return line_pairs(c["locations"] for c in candidates if c["verdict"] == "race" and all(p.startswith("p") for p in c["locations"]))


def main():
    omen, compiler, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    programs = int(os.environ.get("OMEN_LANGUAGES", sys.argv[4] if len(sys.argv) > 4 else "24"))
    first = int(os.environ.get("OMEN_SEED", "1"))
    folder.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, OMEN_CC="clang-19")
    total = dict.fromkeys(MODELS, 0)
    undecided, faults = 0, []
    for seed in range(first, first + programs):
        pair = Pair(seed)
        mini, c, binary = folder / "p.mini", folder / "p.c", folder / "program"
        mini.write_text("\n".join(pair.mini) + "\n")
        c.write_text(pair.text_of_c())
        in_c, in_mini = folder / "c.values", folder / "mini.values"
        subprocess.run([compiler, "--omen-values", "-g", "-O0", "-w", "-fwrapv", str(c), "-o", str(binary)], check=True, env=environment)
        done = subprocess.run([omen, "record", "--values", "-o", str(in_c), "--", str(binary)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"seed {seed}: code {done.returncode}\n{done.stderr}")
        schedule = f"0*{pair.threads}"
        done = subprocess.run([omen, "mini", "trace", str(mini), "--schedule", schedule, "--paths", "--values", str(in_mini), "-o", str(folder / "mini.std")],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"seed {seed}: code {done.returncode}\n{done.stderr}")
        races = set()
        for model in MODELS:
            one, other = predicted(omen, in_c, model), predicted(omen, in_mini, model)
            if one is None or other is None:
                undecided += 1
                continue
            if one != other:
                faults.append(f"seed {seed} under {model}: C {sorted(one - other)} more, the small language {sorted(other - one)} more")
            races = one
            total[model] += len(one)
        done = subprocess.run([omen, "mini", "explore", str(mini), "--json", "-"], capture_output=True, text=True)
        explored = json.loads(done.stdout)
        true = line_pairs([race["locations"] for race in explored["races"]])
        if explored["exhaustive"] and not races <= true:
            faults.append(f"seed {seed}: {sorted(races - true)} are races in no schedule")
    print(*faults, sep="\n")
    print(f"{programs} programs, seeds {first} to {first + programs - 1}: races {total}, {len(faults)} faults; {undecided} undecided")
    if faults:
        sys.exit(1)
    if total["paths"] <= total["relax"] or total["relax"] <= total["lw"] or total["lw"] == 0 or undecided > programs:
        sys.exit("the models find the same: the test says nothing")


main()

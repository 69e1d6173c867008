"""Random programs of the small language's core, in the syntax of the proved instrumentation and as mini programs.

An instruction is a tuple, as in Mini.v; ("spawn", thread, body) has the code of the new thread.  Expressions are numbers, names of
local variables, and ("+", left, right).  Threads are numbered from 1, the main thread; mini numbers them from 0.
"""

import random

LOCALS = 3


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.shared = self.random.randint(1, 3)
        self.locks = self.random.randint(1, 2)
        self.threads = self.random.randint(1, 4)
        self.spawned = 1

    def local(self):
        return f"a{self.random.randint(1, LOCALS)}"

    def expression(self, depth=0):
        kind = self.random.random()
        if depth < 3 and kind < 0.4:
            return ("+", self.expression(depth + 1), self.expression(depth + 1))
        return self.local() if kind < 0.7 else self.random.randint(0, 9)

    def body(self):
        """The code of one thread.  It spawns others while there are any left, so spawns nest."""
        code = []
        held = set()
        for _ in range(self.random.randint(1, 7)):
            kind = self.random.choice(["assign", "load", "load", "store", "store", "lock", "lock", "unlock", "spawn", "spawn", "wait",
                                       "assert"])
            if kind == "assign":
                code.append(("assign", self.local(), self.expression()))
            elif kind == "load":
                code.append(("load", self.local(), self.random.randint(1, self.shared)))
            elif kind == "store":
                code.append(("store", self.expression(), self.random.randint(1, self.shared)))
            elif kind == "lock":
                lock = self.random.randint(1, self.locks)
                held.add(lock)
                code.append(("lock", lock))
            elif kind == "unlock" and held:
                lock = self.random.choice(sorted(held))
                held.discard(lock)
                code.append(("unlock", lock))
            elif kind == "spawn" and self.spawned < self.threads:
                self.spawned += 1
                thread = self.spawned
                code.append(("spawn", thread, self.body()))
            elif kind == "wait" and self.threads > 1:
                code.append(("wait", self.random.randint(2, self.threads)))
            elif kind == "assert":
                code.append(("assert", self.expression(), self.expression()))
        return code

    def program(self):
        code = self.body()
        while self.spawned < self.threads:
            self.spawned += 1
            thread = self.spawned
            code.append(("spawn", thread, self.body()))
        return code


def generate(seed):
    """A well-formed program."""
    return Generator(seed).program()


def with_stray_unlock(code):
    """The program with an unlock of a lock that is not held before it: not well-formed."""
    return [("unlock", 1), *code]


def expression_text(expression):
    if isinstance(expression, tuple):
        return f"( {expression_text(expression[1])} + {expression_text(expression[2])} )"
    return str(expression)


def to_core(code):
    """Lines as omen-proved-instrument reads them."""
    lines = []
    for instruction in code:
        kind = instruction[0]
        if kind == "assign":
            lines.append(f"assign {instruction[1]} {expression_text(instruction[2])}")
        elif kind == "load":
            lines.append(f"load {instruction[1]} x{instruction[2]}")
        elif kind == "store":
            lines.append(f"store {expression_text(instruction[1])} x{instruction[2]}")
        elif kind in ("lock", "unlock"):
            lines.append(f"{kind} m{instruction[1]}")
        elif kind == "spawn":
            lines += [f"spawn {instruction[1]}", *to_core(instruction[2]), "end"]
        elif kind == "wait":
            lines.append(f"wait {instruction[1]}")
        else:
            lines.append(f"assert {expression_text(instruction[1])} {expression_text(instruction[2])}")
    return lines


def functions(code, function, found):
    """The statements of each thread's function, spawned threads first."""
    lines = []
    for instruction in code:
        kind = instruction[0]
        if kind == "assign":
            lines.append(f"{instruction[1]} = {expression_text(instruction[2])};")
        elif kind == "load":
            lines.append(f"{instruction[1]} = x{instruction[2]};")
        elif kind == "store":
            lines.append(f"x{instruction[2]} = {expression_text(instruction[1])};")
        elif kind in ("lock", "unlock"):
            lines.append(f"{kind} m{instruction[1]};")
        elif kind == "spawn":
            functions(instruction[2], f"f{instruction[1]}", found)
            lines.append(f"spawn f{instruction[1]}() as {instruction[1] - 1};")
        elif kind == "wait":
            lines.append(f"wait {instruction[1] - 1};")
        else:
            lines.append(f"assert {expression_text(instruction[1])} <= {expression_text(instruction[2])};")
    found.append((function, lines))


def to_mini(code, shared=3, locks=2):
    """The source of the mini program."""
    text = [f"shared u32 x{x};" for x in range(1, shared + 1)] + [f"lock m{m};" for m in range(1, locks + 1)]
    found = []
    functions(code, "main", found)
    for name, lines in found:
        text += [f"void {name}() {{", *(f"  u32 a{a} = 0;" for a in range(1, LOCALS + 1)), *(f"  {line}" for line in lines), "}"]
    return "\n".join(text) + "\n"


def count_kinds(code, counts):
    for instruction in code:
        counts[instruction[0]] = counts.get(instruction[0], 0) + 1
        if instruction[0] == "spawn":
            count_kinds(instruction[2], counts)

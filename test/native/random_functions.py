"""Random C functions for the interpreter of recorded programs: integers of all widths, memory that overlaps, structures,
pointers, loops, branches, switches, calls, and what is not modelled: floats.

Everything is defined: wrapping arithmetic (-fwrapv), bounded indices and shifts, divisors that are not zero. Arguments
are read from memory, so no compiler knows them.
"""

import random

UNSIGNED = ["uint8_t", "uint16_t", "uint32_t", "uint64_t"]
TYPES = [*UNSIGNED, "int8_t", "int16_t", "int32_t", "int64_t", "_Bool"]

HEADER = """#include <stdint.h>
#include <string.h>
union both { uint64_t whole; uint32_t halves[2]; uint16_t quarters[4]; uint8_t bytes[8]; };
struct record { uint8_t a; uint32_t b : 5; uint32_t c : 11; int64_t d; uint16_t e[4]; };
static uint64_t words[16];
static uint32_t numbers[16];
static int16_t shorts[16];
static union both mixed[4];
static struct record records[4];
static double reals[4];
volatile uint64_t given[8];
uint64_t results[1024];
"""


class Function:
    def __init__(self, rng, number):
        self.rng = rng
        self.number = number
        self.locals = []
        self.lines = []
        self.depth = 0

    def pick(self, *options):
        return self.rng.choice(options)

    def constant(self):
        return self.pick("0", "1", "2", "3", "7", "0x80", "255", "0x7fffffff", "0xffffffffu", "0x123456789abcdefull",
                         str(self.rng.randrange(1000)))

    def index(self, size):
        return f"(({self.expression(1)}) & {size - 1})"

    def place(self):
        return self.pick(lambda: f"words[{self.index(16)}]", lambda: f"numbers[{self.index(16)}]",
                         lambda: f"shorts[{self.index(16)}]", lambda: f"mixed[{self.index(4)}].whole",
                         lambda: f"mixed[{self.index(4)}].halves[{self.index(2)}]",
                         lambda: f"mixed[{self.index(4)}].quarters[{self.index(4)}]",
                         lambda: f"mixed[{self.index(4)}].bytes[{self.index(8)}]",
                         lambda: f"records[{self.index(4)}].{self.pick('a', 'b', 'c', 'd')}",
                         lambda: f"records[{self.index(4)}].e[{self.index(4)}]",
                         lambda: f"*(p + {self.index(4)})")()

    def leaf(self):
        kind = self.rng.random()
        if kind < 0.5 and self.locals:
            return self.rng.choice(self.locals)
        return self.place() if kind < 0.75 and self.depth < 2 else self.constant()

    def expression(self, deep=3):
        self.depth += 1
        try:
            if deep == 0 or self.rng.random() < 0.2:
                return self.leaf()
            a, b = self.expression(deep - 1), self.expression(deep - 1)
            kind = self.rng.randrange(9)
            if kind < 4:
                return f"(({self.rng.choice(TYPES[:8])})({a}) {self.pick('+', '-', '*', '&', '|', '^')} ({b}))"
            if kind == 4:
                return f"(({self.rng.choice(TYPES[:8])})({a}) {self.pick('/', '%')} (int32_t)((({b}) & 0x3f) + 1))"
            if kind == 5:
                return f"((uint{self.pick(32, 64)}_t)({a}) {self.pick('<<', '>>')} (({b}) & 31))"
            if kind == 6:
                return f"(({self.rng.choice(TYPES)})({a}))"
            if kind == 7:
                return f"({a} {self.pick('<', '<=', '==', '!=', '>')} {b})"
            return f"(({a}) ? ({b}) : ({self.leaf()}))"
        finally:
            self.depth -= 1

    def statement(self, deep):
        kind = self.rng.randrange(14)
        out = self.lines.append
        if kind < 3:
            name = f"v{len(self.locals)}_{len(self.lines)}"
            out(f"{self.rng.choice(TYPES)} {name} = {self.expression()};")
            self.locals.append(name)
        elif kind < 5 and self.locals:
            out(f"{self.rng.choice(self.locals)} {self.pick('=', '+=', '^=')} {self.expression()};")
        elif kind < 8 or deep == 0:
            out(f"{self.place()} = {self.expression()};")
        elif kind == 8:
            out(f"if ({self.expression()}) {{")
            self.block(deep - 1)
            out("} else {")
            self.block(deep - 1)
            out("}")
        elif kind == 9:
            loop = f"i{len(self.lines)}"
            out(f"for (uint32_t {loop} = 0; {loop} < (({self.expression(1)}) & 3); ++{loop}) {{")
            self.block(deep - 1)
            out("}")
        elif kind == 10:
            out(f"switch (({self.expression()}) & 7) {{")
            for case in self.rng.sample(range(8), 4):
                out(f"case {case}: {{")
                self.block(0)
                out("}" + self.pick("", " break;"))
            out("default: break; }")
        elif kind == 11 and self.number > 0:
            callee = self.rng.randrange(self.number)
            out(f"words[{self.index(16)}] ^= f{callee}({self.expression(1)}, {self.expression(1)});")
        elif kind == 12:
            out(self.pick("memcpy(&records[0], &records[2], sizeof records[0]);",
                          "memset(&mixed[1], 5, 12);",
                          "memmove(&words[1], &words[0], 24);",
                          f"memset((uint8_t*)words + {self.index(16)}, (int)({self.expression(1)}), {self.index(32)});",
                          f"memcpy((uint8_t*)numbers + {self.index(16)}, (uint8_t*)words + {self.index(16)}, {self.index(32)});",
                          "records[1] = records[3];",
                          f"p = {self.pick('words', 'words + 8', '&words[2]')};"))
        else:
            number = f"({self.pick('float', 'double')})({self.rng.choice(TYPES)})({self.expression(1)})"
            out(f"reals[{self.index(4)}] = {self.pick('', '-')}reals[{self.index(4)}] {self.pick('*', '/', '-')} "
                f"{self.pick('0.5', '3.0', '-0.7f')} + {self.pick('', '(double)')}{number};")
            out(f"if (reals[{self.index(4)}] {self.pick('>', '>=', '<', '<=', '==', '!=')} 3.5) numbers[2] ^= (uint32_t)(int64_t)(reals[1] > 1e9 ? 1.0 : 2.0);")

    def block(self, deep):
        known = len(self.locals)
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(deep)
        del self.locals[known:]

    def text(self):
        self.locals = ["x", "y"]
        for _ in range(self.rng.randrange(3, 9)):
            self.statement(2)
        if self.number == 0:  # more uses of a variable than the compiler looks at
            self.lines += ["x += y ^ (x >> 3);"] * 60
        body = "\n  ".join(self.lines)
        return (f"__attribute__((noinline)) uint64_t f{self.number}(uint64_t x, uint64_t y) {{\n"
                f"  uint64_t* p = words; (void)p;\n  {body}\n  return {self.expression()};\n}}\n")


def program(seed, functions):
    """A program in C whose main calls each of its functions once, and writes the sum of all results at the end."""
    rng = random.Random(seed)
    text = HEADER
    for number in range(functions):
        text += Function(rng, number).text()
    text += "int main(void) {\n"
    for i in range(8):
        text += f"  given[{i}] = {rng.getrandbits(64)}ull >> {rng.choice([0, 0, 32, 56])};\n"
    for number in range(functions):
        text += f"  results[{number}] = f{number}(given[{rng.randrange(8)}], given[{rng.randrange(8)}]);\n"
    return text + "  return 0;\n}\n"

#!/usr/bin/env python3
"""Marks where control leaves instrumented code: static code without instrumentation, indirect calls, no_sanitize functions,
inline assembly. The runtime here counts marks (stub_runtime.c); programs print the count at each step."""
import pathlib
import shutil
import sys
import unittest

import driver

driver.DriverTest.build = pathlib.Path(sys.argv.pop(1))

STATE = """
static int n;
static int add_inside(int x) { return n += x; }
typedef int (*F)(int);
F table[2] = {add_inside, add_inside};
int state_add(int x) { n += x; return n; }
int state_other(int) __attribute__((alias("state_add")));
F state_callback(void) { return add_inside; }
F state_self(void) { return state_add; }
__attribute__((weak)) int state_weak(void) { return n; }
int state_call(F f, int x) { return f(x); }
int unused_function(void) { extern int nowhere(void); return nowhere(); }
"""
ASSEMBLY = """
 .text
 .globl asm_typed
 .type asm_typed, @function
asm_typed:
 incl counter(%rip)
 ret
 .globl asm_untyped
asm_untyped:
 incl counter(%rip)
 ret
 .globl asm_bytes
asm_bytes: .byte 1,2,3,4
 .local counter
 .comm counter,4
 .section .note.GNU-stack,"",@progbits
"""
MAIN = """
#include <stdio.h>
typedef int (*F)(int);
long stub_marks(void);
int state_add(int), state_other(int), state_weak(void), state_call(F, int), asm_typed(void), asm_untyped(void);
F state_callback(void), state_self(void);
extern F table[2];
extern char asm_bytes[];
int mine;
static int own(int x) { return mine += x; }
F volatile pointer = own;
#define STEP(what) do { stub_marks(); what; printf("%ld ", stub_marks()); } while (0)
int main(void) {
  F inside = state_callback();
  int (*volatile self)(int) = state_self();
  int (*volatile known)(int) = state_add;
  STEP(state_add(3));
  STEP(state_weak());
  STEP(asm_typed());
  STEP(asm_untyped());
  STEP(inside(1));
  STEP(table[1](1));
  STEP(pointer(1));
  STEP(own(1));
  STEP(state_call(own, 1));
  printf("%d %d %d %d %d\\n", self == known, table[0] == inside, state_weak(), mine, asm_bytes[2]);
}
"""
# state_call has a mark at its own stub only; the function it calls back is instrumented.
MAIN_SAYS = "1 1 1 1 1 1 0 0 1 1 1 5 3 3\n"

INDIRECT = """
#include <cstdio>
#include <functional>
#include "foreign.h"
extern "C" long stub_marks();
struct Own : Base { int value = 0; int step(int x) override { return value += x; } };
#define STEP(what) do { stub_marks(); what; std::printf("%ld ", stub_marks()); } while (0)
int sum(int a, int b, int c, int d, int e, int f, int g, double h, long double i) { return a + b + c + d + e + f + g + static_cast<int>(h + i); }
int (*volatile many)(int, int, int, int, int, int, int, double, long double) = sum;
int caught;
[[gnu::noinline]] int choose(int x) {
  switch (x) { case 0: caught += 1; return 5; case 1: caught *= 3; return 9; case 2: caught -= 7; return 2; case 3: caught ^= 9; return 77;
               case 4: caught += 77; return 8; case 5: caught += 8; return 6; default: return 0; }
}
int main() {
  Own own;
  Base* volatile bases[2] = {&own, make_foreign()};
  STEP(bases[0]->step(1));
  STEP(bases[1]->step(1));
  std::function<int(int)> mine = [&](int x) { return own.value += x; };
  std::function<int(int)> others = foreign_function();
  STEP(mine(1));
  STEP(others(1));
  STEP(choose(3) + choose(5));
  int total = many(1, 2, 3, 4, 5, 6, 7, 8.5, 9.5L) + foreign_many()(1, 2, 3, 4, 5, 6, 7, 8.5, 9.5L);
  try { foreign_throws(); } catch (int x) { caught = x; }
  try { foreign_calls([] { throw 7; }); } catch (int x) { caught += x; }
  std::printf("%d %d\\n", total, caught);
}
"""
FOREIGN_H = """
struct Base { virtual ~Base() = default; virtual int step(int) = 0; };
Base* make_foreign();
int (*foreign_function())(int);
int (*foreign_many())(int, int, int, int, int, int, int, double, long double);
void foreign_throws();
void foreign_calls(void (*)());
"""
FOREIGN = """
#include "foreign.h"
namespace {
struct Foreign : Base { int value = 0; int step(int x) override { return value += x; } };
int state;
int bump(int x) { return state += x; }
int sum(int a, int b, int c, int d, int e, int f, int g, double h, long double i) { return state + a + b + c + d + e + f + g + static_cast<int>(h + i); }
}
Base* make_foreign() { return new Foreign; }
int (*foreign_function())(int) { return bump; }
int (*foreign_many())(int, int, int, int, int, int, int, double, long double) { return sum; }
void foreign_throws() { throw 5; }
void foreign_calls(void (*call)()) { call(); }
"""
INSIDE = """
#include <stdio.h>
long stub_marks(void);
int state;
static const int constants[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#define OUTSIDE __attribute__((noinline, no_sanitize("thread")))
OUTSIDE int hidden_state(int x) { return state += x; }
OUTSIDE int hidden_calls(int x) { state += x; return puts("") + x; }
OUTSIDE int hidden_nothing(int x) { return x * x + 1; }
OUTSIDE int hidden_frame(int x) { volatile int y = x; return y + 1; }
__attribute__((noinline, no_sanitize("thread"), section(".text.omen_harmless"))) int harmless(int x) { return state += x; }
__attribute__((noinline)) int pure(int x) { return constants[x & 7] + x; }
__attribute__((noinline)) int writes(void) { __asm__ volatile("incl %0" : "+m"(state)); return state; }
__attribute__((noinline)) int through_register(int* p) { __asm__ volatile("incl (%0)" : : "r"(p) : "memory"); return *p; }
__attribute__((noinline)) int barrier(int x) { state = x; __asm__ volatile("" ::: "memory"); __asm__ volatile("pause\\n\\tmfence" ::: "memory"); return state; }
__attribute__((noinline)) int swapped(int x) { __asm__("bswap %0" : "+r"(x)); return state = x; }
#define STEP(what) do { stub_marks(); what; printf("%ld ", stub_marks()); } while (0)
int main(int count, char** arguments) {
  (void)arguments;
  STEP(hidden_state(count));
  STEP(hidden_calls(count));
  STEP(hidden_nothing(count));
  STEP(hidden_frame(count));
  STEP(harmless(count));
  STEP(pure(count));
  STEP(writes());
  STEP(through_register(&state));
  STEP(barrier(count));
  STEP(swapped(count));
  printf("%d\\n", state);
}
"""
INLINE_H = "inline int& place() { static int n; return n; }\ninline int bump() { return ++place(); }\n"


class Leaving(driver.DriverTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.use_stub()

    def each(self):
        for cc, cxx in driver.compilers():
            self.environment |= {"OMEN_CC": cc, "OMEN_CXX": cxx}
            yield cc, self.program("omen-cc"), self.program("omen-c++")

    def linkers(self):
        return [name for name in ("bfd", "gold", "lld") if shutil.which(f"ld.{name}")]

    def make_state(self):
        """libstate.a, without instrumentation."""
        self.write("state.c", STATE)
        self.write("code.s", ASSEMBLY)
        self.must(["gcc", "-O1", "-fPIC", "-ffunction-sections", "-c", "state.c"])
        self.must(["gcc", "-c", "code.s"])
        self.must(["ar", "rcs", "libstate.a", "state.o", "code.o"])
        self.write("main.c", MAIN)

    def test_static_archive(self):
        self.make_state()
        scratch = self.folder / "scratch"
        scratch.mkdir()
        self.environment["TMPDIR"] = str(scratch)
        for _, cc, _ in self.each():
            self.must([cc, "-O1", "-c", "main.c"])
            for linker in self.linkers():
                for inputs in (["-L.", "-lstate"], ["libstate.a"], ["state.o", "code.o"], ["-L.", "-Wl,-Bstatic", "-lstate", "-Wl,-Bdynamic"],
                               ["-Wl,--whole-archive,libstate.a,--no-whole-archive"]):
                    whole = "whole" in inputs[0] or "state.o" in inputs
                    self.must([cc, f"-fuse-ld={linker}", "main.o", *inputs, "-Wl,--gc-sections", "-o", "p", *(["-Wl,--defsym,nowhere=0"] if whole else [])])
                    self.assertEqual(self.must(["./p"]), MAIN_SAYS, (linker, inputs))
                    self.assertEqual(list(scratch.iterdir()), [])

    def test_sections_that_are_dropped_stay_dropped(self):
        self.make_state()
        for _, cc, _ in self.each():
            for linker in self.linkers():  # unused_function() calls nowhere(), which is not defined
                self.must([cc, f"-fuse-ld={linker}", "-O1", "-ffunction-sections", "main.c", "libstate.a", "-Wl,--gc-sections", "-o", "p"])
                self.assertEqual(self.must(["./p"]), MAIN_SAYS)
                self.assertNotIn("unused_function.omen", self.symbols("p"))

    def test_thin_archive(self):
        self.make_state()
        self.must(["ar", "rcsT", "libthin.a", "state.o", "code.o"])
        for _, cc, _ in self.each():
            self.must([cc, "-O1", "main.c", "-L.", "-lthin", "-Wl,--gc-sections", "-o", "p"])
            self.assertEqual(self.must(["./p"]), MAIN_SAYS)

    def test_link_time_optimisation(self):
        self.make_state()
        for name, cc, _ in self.each():
            if "clang" in name:
                continue  # which needs its own linker, of the same version
            self.must([cc, "-O1", "-flto", "main.c", "libstate.a", "-Wl,--gc-sections", "-o", "p"])
            # The uses of an untyped assembly label are unknown before the link, so the label stays unchanged.
            self.assertEqual(self.must(["./p"]), "1 1 1 0" + MAIN_SAYS[7:])

    def test_without_foreign_code_nothing_is_copied(self):
        self.write("a.c", "int main(void) { return 0; }")
        self.write("b.c", "int b;")
        self.write("data.c", "int data = 7;")
        for _, cc, _ in self.each():
            self.must([cc, "-c", "a.c", "b.c"])
            self.must(["gcc", "-c", "data.c"])  # no code: nothing to mark
            trace = self.must([cc, "a.o", "b.o", "data.o", "-Wl,--trace", "-o", "p"])
            self.assertNotIn("omen-link", trace)

    def test_errors_are_those_of_the_linker(self):
        self.make_state()
        self.environment["TMPDIR"] = str(self.folder)
        for _, cc, _ in self.each():
            result = self.call([cc, "-O1", "main.c", "state.o", "-o", "p"])
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("asm_typed", result.stderr)
            self.assertIn("nowhere", result.stderr)
            self.assertEqual(list(self.folder.glob("omen-link*")), [])

    def test_partial_links_stay_as_they_are(self):
        self.make_state()
        for _, cc, _ in self.each():
            self.must([cc, "-r", "state.o", "code.o", "-o", "both.o"])
            self.assertNotIn("state_add.omen", self.symbols("both.o"))
            self.must([cc, "-O1", "main.c", "both.o", "-Wl,--defsym,nowhere=0", "-o", "p"])
            self.assertEqual(self.must(["./p"]), MAIN_SAYS)

    def test_shared_library(self):
        """A library with uninstrumented code and calls through pointers has its own thunks, and bound calls change no register."""
        self.make_state()
        self.write("user.c", "int state_add(int); typedef int (*F)(int, int, int, int, int, int, int, double);\n"
                             "int through(F f) { return f(1, 2, 3, 4, 5, 6, 7, 8.0); } int direct(int x) { return state_add(x); }\n")
        self.write("main2.c", """
#include <stdio.h>
long stub_marks(void);
typedef int (*F)(int, int, int, int, int, int, int, double);
int through(F), direct(int), mine;
static int sum(int a, int b, int c, int d, int e, int f, int g, double h) { mine = a; return a + b + c + d + e + f + g + (int)h; }
int main(void) { stub_marks(); int x = direct(4); long a = stub_marks(); int y = through(sum); printf("%d %ld %d %ld\\n", x, a, y, stub_marks()); }
""")
        for _, cc, _ in self.each():
            for linker in self.linkers():
                for how in ("-Wl,-z,lazy", "-Wl,-z,now"):
                    self.must([cc, "-O1", "-fPIC", "-shared", f"-fuse-ld={linker}", how, "user.c", "state.o", "-Wl,--defsym,nowhere=0", "-o", "libuser.so"])
                    self.must([cc, "-O1", "main2.c", f"-fuse-ld={linker}", how, "-L.", "-luser", "-Wl,-rpath,.", "-o", "p"])
                    # The library's call of the program's function is looked up, without a mark; main's calls of the library do not leave instrumented code.
                    self.assertEqual(self.must(["./p"]), "4 1 36 0\n", (linker, how))
                    self.assertNotIn(" T __x86_indirect_thunk", self.must(["nm", "-D", "libuser.so"]))

    def test_indirect_calls(self):
        self.write("foreign.h", FOREIGN_H)
        self.write("foreign.cpp", FOREIGN)
        self.write("main.cpp", INDIRECT)
        self.must(["g++", "-O1", "-c", "foreign.cpp"])
        for _, _, cxx in self.each():
            for options in (["-O0"], ["-O1"], ["-O2"], ["-O2", "-fcf-protection"], ["-O2", "-fno-plt"], ["-O2", "-fno-pie", "-no-pie"]):
                self.must([cxx, *options, "-g", "main.cpp", "foreign.o", "-o", "p"])
                # std::function's own invoker belongs to the program; it calls the pointer.
                self.assertEqual(self.must(["./p"]), "0 1 0 1 0 93 12\n", (self.environment["OMEN_CXX"], options))

    def test_inside_translation_units(self):
        self.write("inside.c", INSIDE)
        for name, cc, _ in self.each():
            for options in ("-O0", "-O1", "-O2", "-O2 -g -fno-omit-frame-pointer", "-O1 -pipe"):
                self.must([cc, *options.split(), "-w", "inside.c", "-o", "p"])
                self.assertEqual(self.must(["./p"]), f"1 \n1 0 0 0 0 1 1 0 0 {1 << 24}\n", (name, options))

    def test_top_level_assembly(self):
        """GCC's text contains it; with clang's plugin, it is not visible."""
        self.write("top.c", """
#include <stdio.h>
long stub_marks(void);
int bump(void);
int state;
__asm__(".text\\n.globl bump\\n.type bump, @function\\nbump:\\n incl state(%rip)\\n movl state(%rip), %eax\\n ret\\n.size bump, .-bump\\n");
int main(void) { stub_marks(); int x = bump(); long n = stub_marks(); printf("%d %ld\\n", x, n); }
""")
        for name, cc, _ in self.each():
            if "clang" in name:
                continue
            self.must([cc, "-O1", "top.c", "-o", "p"])
            self.assertEqual(self.must(["./p"]), "1 1\n", name)

    def test_inline_functions_in_both(self):
        """The linker takes one copy: a call has a mark exactly if that copy is not instrumented."""
        self.write("inline.h", INLINE_H)
        self.write("foreign.cpp", '#include "inline.h"\nint foreign() { return bump(); }\n')
        self.write("main.cpp", """
#include <cstdio>
#include "inline.h"
extern "C" long stub_marks();
int foreign();
int main() { stub_marks(); int x = bump(); long n = stub_marks(); int y = foreign(); std::printf("%d %d %ld\\n", x, y, n); }
""")
        self.must(["g++", "-O0", "-c", "foreign.cpp"])
        for name, _, cxx in self.each():
            self.must([cxx, "-O0", "-c", "main.cpp"])
            for linker in self.linkers():
                counts = {}
                for inputs in (("main.o", "foreign.o"), ("foreign.o", "main.o")):
                    self.must([cxx, f"-fuse-ld={linker}", *inputs, "-o", "p"])
                    x, y, marks = map(int, self.must(["./p"]).split())
                    self.assertEqual((x, y), (1, 2))
                    self.assertEqual(marks > 0, self.symbols("p").get("_Z4bumpv.omen", "w") in "tTW", (name, linker, inputs))
                    counts[inputs[0]] = marks
                self.assertEqual(counts["main.o"], 0, (name, linker))
                self.assertGreater(counts["foreign.o"], 0, (name, linker))

    def test_what_is_not_marked_is_told(self):
        """A module has the section .note.omen.unknown if one of its objects calls the runtime without declaring its marks."""
        self.write("main.c", "int x; int f(void); int main(void) { x = 1; return f(); }\n")
        self.write("f.c", "int y; int f(void) { y = 1; return 0; }\n")
        self.write("asm.s", ".globl both\n.text\nboth: ret\n.section .note.GNU-stack,\"\",@progbits\n")
        self.write("both.c", "void both(void); void* address = both; int f(void) { both(); return 0; }\n")
        for name, cc, _ in self.each():
            def unknown(*inputs):
                self.must([cc, *inputs, "-o", "p"])
                self.must(["./p"])
                return ".note.omen.unknown" in self.must(["readelf", "-SW", "p"])
            self.must([cc, "-O1", "-c", "main.c", "f.c"])
            self.assertFalse(unknown("main.o", "f.o"), name)
            self.must([cc, "-O1", "-S", "f.c"])
            self.must([cc, "-c", "f.s", "-o", "g.o"])
            self.assertEqual(unknown("main.o", "g.o"), name != "clang-19" or not (self.build / "lib" / "omen_placement.so").exists())
            self.must([name, "-O1", "-fsanitize=thread", "-c", "f.c", "-o", "g.o"])  # without omen-cc
            self.assertTrue(unknown("main.o", "g.o"), name)
            self.must(["ar", "rcs", "libg.a", "g.o"])
            for linker in self.linkers():
                self.assertTrue(unknown("main.o", "-L.", "-lg", f"-fuse-ld={linker}", "-Wl,--gc-sections", "-s"), name)
            self.must([cc, "-O1", "-c", "both.c"])
            self.must(["gcc", "-c", "asm.s"])
            self.assertTrue(unknown("main.o", "both.o", "asm.o"), name)  # called, and its address is used: no stub
            if "clang" in name:
                self.must([cc, "-O1", "-mretpoline", "-c", "f.c", "-o", "g.o"])
                self.assertEqual(unknown("main.o", "g.o"), name == "clang-19", name)

    def test_damaged_inputs_are_the_linkers(self):
        self.make_state()
        whole = (self.folder / "state.o").read_bytes()
        archive = (self.folder / "libstate.a").read_bytes()
        cc = self.program("omen-cc")
        for length in [16, 64, 200, *range(300, len(whole), 511)]:
            (self.folder / "cut.o").write_bytes(whole[:length])
            (self.folder / "cut.a").write_bytes(archive[:length])
            for name in ("cut.o", "cut.a"):
                result = self.call([cc, "main.c", name, "-o", "p"])
                self.assertEqual(result.returncode, 1, (name, length, result.stderr))


if __name__ == "__main__":
    unittest.main()

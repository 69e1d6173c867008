#!/usr/bin/env python3
"""Real compilers behind omen-cc and omen-c++: what comes out is instrumented, linked with omen's runtime, and runs."""
import pathlib
import re
import shutil
import sys
import unittest

import driver

driver.DriverTest.build = pathlib.Path(sys.argv.pop(1))

C = """
#include <stdio.h>
#include <string.h>
int counter;
int main(void) { char text[8]; memset(text, 0, sizeof text); counter++; printf("%d\\n", counter); return text[0]; }
"""
CXX = """
#include <atomic>
#include <cstdio>
#include <thread>
std::atomic<int> flag;
int data;
int main() {
  std::thread other([] { data = 1; std::atomic_thread_fence(std::memory_order_release); flag.store(1, std::memory_order_relaxed); });
  other.join();
  std::printf("%d\\n", data);
}
"""
LIBRARY = "int shared; void bump(void) { shared++; }\n"
USER = '#include <stdio.h>\nextern int shared; void bump(void); int main(void) { bump(); printf("%d\\n", shared); }\n'
LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  void* library = dlopen("./libbump.so", RTLD_NOW);
  if (!library) { puts(dlerror()); return 1; }
  ((void (*)(void))dlsym(library, "bump"))();
  printf("%d\\n", *(int*)dlsym(library, "shared"));
}
"""


class Compiling(driver.DriverTest):
    def each(self):
        """Once per compiler: its name, and commands for C and C++."""
        self.assertTrue(driver.compilers())
        for cc, cxx in driver.compilers():
            self.environment |= {"OMEN_CC": cc, "OMEN_CXX": cxx}
            yield cc, self.program("omen-cc"), self.program("omen-c++")

    def runs(self, program, output="1\n"):
        self.assert_instrumented(program)
        self.assertEqual(self.must([program]), output)

    def test_one_command(self):
        self.write("a.c", C)
        self.write("a.cpp", CXX)
        for _, cc, cxx in self.each():
            for options in ("-O0", "-O2", "-O1 -g -no-pie -fno-pie", "-O1 -pie -fPIE"):
                self.must([cc, *options.split(), "-Wall", "-Werror", "a.c", "-o", "a"])
                self.runs("./a")
                self.must([cxx, *options.split(), "-Wall", "-Werror", "-std=c++17", "-pthread", "a.cpp", "-o", "a"])
                self.runs("./a")
                self.assertIn("__tsan_atomic_thread_fence", self.must(["nm", "./a"]))

    def test_fences_are_instrumented(self):
        self.write("a.cpp", CXX)
        for _, _, cxx in self.each():
            self.must([cxx, "-O1", "-Wall", "-Werror", "-c", "a.cpp", "-o", "a.o"])
            self.assertIn("__tsan_atomic_thread_fence", self.must(["nm", "-u", "a.o"]))

    def test_steps(self):
        self.write("a.c", C)
        self.write("a.h", "")
        for _, cc, _ in self.each():
            self.must([cc, "-Werror", "-E", "a.c", "-o", "a.i"])
            self.must([cc, "-Werror", "-O1", "-S", "a.i", "-o", "a.s"])
            self.must([cc, "-Werror", "-c", "a.s", "-o", "a.o"])
            self.must([cc, "-Werror", "a.o", "-o", "a"])
            self.runs("./a")
            self.assertIn("a.h", self.must([cc, "-MM", "-include", "a.h", "a.c"]))
            with (self.folder / "a.c").open() as text:
                self.must([cc, "-x", "c", "-", "-o", "b"], stdin=text)
            self.runs("./b")

    def test_macros_say_that_it_is_instrumented(self):
        self.write("a.c", "#if defined(__SANITIZE_THREAD__)\nYES\n#elif defined(__has_feature)\n#if __has_feature(thread_sanitizer)\nYES\n#endif\n#endif\n")
        for _, cc, _ in self.each():
            self.assertIn("YES", self.must([cc, "-E", "a.c"]))
            self.assertNotIn("YES", self.must([cc, "-E", "-fno-sanitize=thread", "a.c"]))

    def test_a_file_without_instrumentation(self):
        self.write("a.c", USER)
        self.write("b.c", LIBRARY)
        for _, cc, _ in self.each():
            self.must([cc, "-c", "-fno-sanitize=thread", "b.c", "-o", "b.o"])
            self.assertNotIn("__tsan", self.must(["nm", "b.o"]))
            self.must([cc, "a.c", "b.o", "-o", "a"])
            self.runs("./a")
            self.must([cc, "-fno-sanitize=thread", "a.c", "b.c", "-o", "a"])
            self.assertNotIn("__tsan", self.must(["nm", "a"]))

    def test_shared_libraries(self):
        self.write("lib.c", LIBRARY)
        self.write("user.c", USER)
        self.write("loader.c", LOADER)
        for _, cc, _ in self.each():
            for options in ("", "-Wl,-z,defs", "-Wl,--no-undefined", "-fuse-ld=gold -Wl,-z,defs", "-fuse-ld=lld -Wl,-z,defs"):
                if not self.has_linker(options):
                    continue
                self.must([cc, "-O1", "-fPIC", "-shared", *options.split(), "lib.c", "-o", "libbump.so"])
                self.assert_calls_runtime("libbump.so")
                self.must([cc, "-O1", "user.c", "-L.", "-lbump", "-Wl,-rpath,$ORIGIN", *options.split()[:-1], "-o", "user"])
                self.runs("./user")
                self.must([cc, "-O1", "loader.c", "-ldl", *options.split()[:-1], "-o", "loader"])  # nothing of it is known at link time
                self.runs("./loader")

    def test_objects_of_another_version_do_not_link(self):
        """An object refers to a symbol that has the version in its name; a library that is loaded is refused by the loader."""
        version = re.compile("__omen_runtime_is_missing_v[0-9]+")
        self.write("a.c", C)
        self.write("lib.c", LIBRARY)
        self.write("loader.c", LOADER)
        for _, cc, _ in self.each():
            for options in ("", "-O2 -ffunction-sections -Wl,--gc-sections", "-O1 -no-pie -fno-pie"):
                self.must([cc, *options.split(), "-c", "a.c", "-o", "a.o"])
                data = (self.folder / "a.o").read_bytes()
                own = version.search(data.decode("latin-1"))[0]
                other = own[:-1] + chr(ord(own[-1]) + 1)
                (self.folder / "other.o").write_bytes(data.replace(own.encode(), other.encode()))
                self.must([cc, *options.split(), "a.o", "-o", "a"])
                self.runs("./a")
                refused = self.call([cc, *options.split(), "other.o", "-o", "other"])
                self.assertNotEqual(refused.returncode, 0, options)
                self.assertIn(f"undefined reference to `{other}'", refused.stderr)
            self.must([cc, "-O1", "-fPIC", "-shared", "lib.c", "-o", "libbump.so"])
            library = self.folder / "libbump.so"
            library.write_bytes(library.read_bytes().replace(own.encode(), other.encode()))
            self.must([cc, "-O1", "loader.c", "-ldl", "-o", "loader"])
            self.assertIn(f"undefined symbol: {other}", self.call(["./loader"]).stdout)

    def has_linker(self, options):
        name = options.partition("-fuse-ld=")[2].partition(" ")[0]
        return not name or shutil.which(f"ld.{name}")

    def test_linkers(self):
        self.write("a.c", C)
        for name, cc, _ in self.each():
            for linker in ("bfd", "gold", "lld"):
                if self.has_linker(f"-fuse-ld={linker}"):
                    self.must([cc, "-O1", f"-fuse-ld={linker}", "a.c", "-o", "a"])
                    self.runs("./a")

    def test_link_time_optimisation(self):
        self.write("a.c", USER)
        self.write("b.c", LIBRARY)
        for name, cc, _ in self.each():
            linker = [] if name.startswith("gcc") else ["-fuse-ld=lld"]
            if linker and name != "clang-14":
                continue  # Debian's lld reads the bitcode of its own clang
            self.must([cc, "-O2", "-flto", "-c", "a.c", "-o", "a.o"])
            self.must([cc, "-O2", "-flto", "-c", "b.c", "-o", "b.o"])
            self.must([cc, "-O2", "-flto", *linker, "a.o", "b.o", "-o", "a"])
            self.runs("./a")
            self.assertRegex(self.must(["objdump", "-d", "--no-show-raw-insn", "./a"]), r"<main>:[\s\S]*?<__tsan_func_entry")

    def test_undefined_behaviour_sanitizer_goes_along(self):
        if self.runtime.is_relative_to(self.build):
            self.skipTest("the runtime and UBSan's both define functions of sanitizer/common_interface_defs.h")
        self.write("a.c", '#include <stdio.h>\nint main(int n, char** v) { (void)v; int x = 0x7fffffff; x += n; printf("%d\\n", x); }\n')
        for name, cc, _ in self.each():
            native = self.call([name, "-fsanitize=undefined", "a.c", "-o", "native"])
            if native.returncode != 0:
                continue  # no runtime of it here
            self.must([cc, "-fsanitize=undefined", "a.c", "-o", "a"])
            self.assertIn("__tsan_func_entry", self.must(["nm", "a"]))
            self.assertIn("signed integer overflow", self.call(["./a"]).stderr)

    def test_errors_are_the_compilers(self):
        self.write("a.c", "int main(void) { return x; }\n")
        for name, cc, _ in self.each():
            result = self.call([cc, "a.c", "-o", "a"])
            self.assertEqual(result.returncode, 1)
            self.assertIn("a.c:1", result.stderr)
            self.assertEqual(self.must([cc, "--version"]), self.must([name, "--version"]))
            self.assertEqual(self.must([cc, "-dumpmachine"]), self.must([name, "-dumpmachine"]))


if __name__ == "__main__":
    unittest.main()

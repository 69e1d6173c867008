#!/usr/bin/env python3
"""omen-cc under build systems: make, an autoconf-like configure, CMake by toolchain file and by variables, pkg-config with clang."""
import pathlib
import shutil
import sys
import unittest

import driver

driver.DriverTest.build = pathlib.Path(sys.argv.pop(1))

MAIN = '#include <stdio.h>\nint answer(void); int main(void) { printf("%d\\n", answer()); return 0; }\n'
ANSWER = "int value = 42; int answer(void) { return value; }\n"


class BuildSystems(driver.DriverTest):
    def setUp(self):
        super().setUp()
        self.write("main.c", MAIN)
        self.write("answer.c", ANSWER)

    def runs(self, program):
        self.assert_instrumented(program)
        self.assertEqual(self.must([program]), "42\n")

    def test_make_with_implicit_rules(self):
        self.write("Makefile", "main: main.o answer.o\n")
        self.must(["make", f"CC={self.program('omen-cc')}", "CFLAGS=-g -O1 -Werror"])
        self.runs("./main")

    def test_the_tests_of_a_configure_script(self):
        """The compiler tests of autoconf's and libtool's scripts."""
        cc = self.program("omen-cc")
        self.write("conftest.c", "int main(void) { return 0; }\n")
        self.must([cc, "conftest.c"])  # "C compiler default output file name"
        self.must(["./a.out"])
        self.must([cc, "-o", "conftest", "-g", "-O2", "-Wl,--as-needed", "conftest.c", "-lm"])
        self.must(["./conftest"])
        for option in ("--version", "-v", "-print-prog-name=ld", "-print-search-dirs", "-print-multi-os-directory"):
            self.must([cc, option])
        self.assertNotEqual(self.call([cc, "-V"]).returncode, 0)
        self.must([cc, "-E", "conftest.c"])
        self.assertIn("ld", self.must([cc, "-print-prog-name=ld"]))
        self.assertIn("GNU ld", self.must([cc, "-Wl,--version"]) + self.must([cc, "-Wl,-v", "conftest.c"]))
        self.write("missing.c", "char no_such_function(); int main(void) { return no_such_function(); }\n")
        self.assertNotEqual(self.call([cc, "missing.c", "-o", "missing"]).returncode, 0)
        self.write("posix.c", "char pthread_create(); char dlopen(); char sqrt(); int main(void) { return pthread_create() + dlopen(); }\n")
        self.must([cc, "-w", "posix.c", "-o", "posix"])  # AC_CHECK_FUNC declares functions in its own way
        self.assertNotEqual(self.call([cc, "-static", "conftest.c"]).returncode, 0)  # "if static flag -static works": no

    @unittest.skipUnless(shutil.which("autoconf") and shutil.which("automake"), "no autotools")
    def test_autotools(self):
        self.write("configure.ac", "AC_INIT([t],[1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\nAC_CHECK_LIB([pthread],[pthread_create])\n"
                                   "AC_CHECK_FUNCS([malloc pthread_create dlopen])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n")
        self.write("Makefile.am", "bin_PROGRAMS = main\nmain_SOURCES = main.c answer.c\n")
        self.must(["autoreconf", "-fi"])
        self.must(["./configure", f"CC={self.program('omen-cc')}"])
        self.must(["make"])
        self.runs("./main")

    def cmake(self, *options):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(t C CXX)\nfind_package(Threads REQUIRED)\n"
                                     "add_library(answer SHARED answer.c)\ntarget_link_options(answer PRIVATE -Wl,--no-undefined)\n"
                                     "add_executable(main main.c)\ntarget_link_libraries(main answer Threads::Threads)\n"
                                     "add_executable(cxx cxx.cpp)\ntarget_link_libraries(cxx answer)\n")
        self.write("cxx.cpp", '#include <cstdio>\nextern "C" int answer(); int main() { std::printf("%d\\n", answer()); }\n')
        shutil.rmtree(self.folder / "b", ignore_errors=True)
        self.must(["cmake", "-G", "Ninja", "-B", "b", "-S", ".", *options])
        self.must(["cmake", "--build", "b"])
        self.runs("b/main")
        self.runs("b/cxx")
        self.assert_calls_runtime("b/libanswer.so")

    def test_cmake_by_toolchain_file(self):
        self.cmake(f"-DCMAKE_TOOLCHAIN_FILE={self.build}/share/omen/omen-toolchain.cmake")

    def test_cmake_by_variables(self):
        self.cmake(f"-DCMAKE_C_COMPILER={self.program('omen-cc')}", f"-DCMAKE_CXX_COMPILER={self.program('omen-c++')}",
                   "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON")

    def test_pkg_config_with_clang(self):
        prefix = self.folder / "prefix"
        (prefix / "lib" / "omen").mkdir(parents=True)
        (prefix / "lib" / "pkgconfig").mkdir()
        shutil.copy(self.runtime, prefix / "lib" / "omen")
        shutil.copy(self.runtime.parent / "omen_rt.syms", prefix / "lib" / "omen")
        shutil.copy(self.build / "share" / "omen" / "omen.pc", prefix / "lib" / "pkgconfig")
        self.environment["PKG_CONFIG_PATH"] = str(prefix / "lib" / "pkgconfig")
        flags = self.must(["pkg-config", "--cflags", "omen"]).split()
        libraries = self.must(["pkg-config", "--libs", "omen"]).split()
        for clang in [cc for cc, _ in driver.compilers() if cc.startswith("clang")]:
            self.must([clang, *flags, "-c", "main.c", "answer.c"])
            self.must([clang, "main.o", "answer.o", *libraries, "-o", "main"])
            self.runs("./main")


if __name__ == "__main__":
    unittest.main()

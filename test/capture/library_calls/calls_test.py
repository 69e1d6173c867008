#!/usr/bin/env python3
"""The intercepted functions of the C library: a program that calls them prints the same natively and under omen, recorded
and watched, with both compilers. Also the table: every intercepted function is in the runtime's list of exported names, exists in the C
library (a name that it lacks would mislead configure scripts), and is called by a test.

  calls_test.py BUILD_FOLDER
"""

import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
RUNTIME = FOLDER.parents[2] / "capture" / "runtime"
BUILD = pathlib.Path(sys.argv.pop()).resolve()

# Each macro defines one function, or a pair: the kind of definition, and the positions of the names.
TABLES = ("OMEN_CALL", "OMEN_STATE_CALL", "OMEN_NUMBER")
VOID_TABLES = ("OMEN_VOID_CALL", "OMEN_STATE_VOID_CALL")
# Covered by a similar function: the same table line except for the name, with another prefix or suffix.
SAME_SHAPE = re.compile(r"^__.*_chk$|^__open(64)?_2$|64(_r)?$|_unlocked$|^__isoc99_|^v?w(printf|scanf)$|^v?scanf$|^vfwscanf$|^[fl]+(get|list)xattr$")
# These change the system, need privileges or a terminal, or look up data that not every machine has.
NOT_CALLED = {
    "adjtime", "adjtimex", "clock_settime", "settimeofday", "sched_setparam", "sched_setscheduler", "tcsetattr", "getlogin_r", "ttyname_r",
    "ptsname_r", "getmntent_r", "ether_hostton", "ether_ntohost", "if_indextoname",
}


def table():
    """The names in the tables."""
    names = set()
    for source in sorted((RUNTIME / "interceptors").glob("*.cpp")):
        text = source.read_text()
        for macro in TABLES:
            names |= set(re.findall(rf"^\s*{macro}\([^,()]+, (\w+), \(", text, re.M))
        for macro in VOID_TABLES:
            names |= set(re.findall(rf"^\s*{macro}\((\w+), \(", text, re.M))
        for name, variadic in re.findall(r"^OMEN_(?:PRINTS|SCANS|PRINTS_PLAINLY|LOGS)\((?:Memory, |Elsewhere, )?(\w+), (\w+), ", text, re.M):
            names |= {name, variadic}
        for a, b in re.findall(r"^OMEN_(?:INTEGERS|REALS)\([\w ]+, (\w+), (\w+)\)", text, re.M):
            names |= {a, b}
        names |= set(re.findall(r"^ATTRIBUTES\((\w+), ", text, re.M))
    return names - {"name", "variadic", "wide"}


class Table(unittest.TestCase):
    def setUp(self):
        self.names = table()

    def test_is_found(self):
        self.assertGreater(len(self.names), 350)
        for name in ("snprintf", "printf", "__isoc99_sscanf", "strtol", "wcstold", "getaddrinfo", "globfree", "pthread_attr_getscope"):
            self.assertIn(name, self.names)

    def test_is_exported(self):
        exported = set(re.findall(r"^\s+(\w+);", (BUILD / "lib" / "omen_rt.syms").read_text(), re.M))
        self.assertEqual(sorted(self.names - exported), [])

    def test_is_of_the_c_library(self):
        libraries = [ctypes.CDLL("libc.so.6"), ctypes.CDLL("libm.so.6")]
        missing = [name for name in sorted(self.names) if not any(hasattr(library, name) for library in libraries)]
        self.assertEqual(missing, [])

    def test_is_tested(self):
        programs = [FOLDER / "calls.c", *sorted((FOLDER.parent / "golden").glob("*.c*"))]
        called = set()
        for program in programs:
            called |= set(re.findall(r"\b(\w+)\(", program.read_text()))
        untested = {name for name in self.names if name not in called and not SAME_SHAPE.search(name)}
        self.assertEqual(sorted(untested), sorted(NOT_CALLED))


class Behaviour(unittest.TestCase):
    def run_program(self, *command):
        result = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, errors="replace")
        return result.returncode, result.stdout, result.stderr

    def check(self, compiler, *more):
        with tempfile.TemporaryDirectory() as folder:
            flags = ["-std=gnu11", "-g", "-O1", "-w", *more, str(FOLDER / "calls.c"), "-lm"]
            native = f"{folder}/native"
            subprocess.run([compiler, *flags, "-o", native], check=True, capture_output=True)
            under = f"{folder}/under"
            subprocess.run([BUILD / "bin" / "omen-cc", *flags, "-o", under], check=True, capture_output=True,
                           env={**os.environ, "OMEN_CC": compiler})
            code, expected, _ = self.run_program(native)
            self.assertEqual(code, 0)
            self.assertGreater(expected.count("\n"), 300)
            for how in ([], [BUILD / "bin" / "omen", "run", "--"], [BUILD / "bin" / "omen", "run", "--online", "--"]):
                code, output, messages = self.run_program(*how, under)
                self.assertEqual((code, output), (0, expected), messages)
                if how:
                    self.assertIn("0 races", messages)

    def test_gcc(self):
        self.check("gcc")

    def test_gcc_with_checked_sizes(self):
        self.check("gcc", "-D_FORTIFY_SOURCE=2")

    def test_clang(self):
        self.check("clang-19")


if __name__ == "__main__":
    unittest.main(verbosity=2)

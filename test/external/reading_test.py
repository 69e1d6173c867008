#!/usr/bin/env python3
"""How the external suites read apt's configuration, lit's lines and their own results. Needs no network."""
import pathlib
import tempfile
import unittest

import document
import lit
import record_compiles
import tsan_suite
from detectors import Omen, Run
from results import Results, count, totals
from sources import deb822_entries, of_release, one_line_entries


class Apt(unittest.TestCase):
    def test_lines(self):
        text = ("# deb http://x.invalid bookworm main\n"
                "deb [arch=amd64 signed-by=/k.gpg] http://x.invalid/debian bookworm main contrib\n"
                "deb http://x.invalid/debian bookworm-updates main\n"
                "deb http://other.invalid/tools tools-stable main\n")
        self.assertEqual(list(one_line_entries(text, "bookworm")),
                         ["deb-src [ signed-by=/k.gpg] http://x.invalid/debian bookworm main contrib",
                          "deb-src http://x.invalid/debian bookworm-updates main"])

    def test_stanzas(self):
        text = ("Types: deb\n# a comment\nURIs: http://x.invalid/debian\nSuites: bookworm bookworm-updates other\nComponents: main\n"
                "Architectures: amd64\nSigned-By: /k.gpg\n\nTypes: deb\nURIs: http://y.invalid\nSuites: stable\nComponents: main\n")
        self.assertEqual(list(deb822_entries(text, "bookworm")),
                         ["Types: deb-src\nURIs: http://x.invalid/debian\nSuites: bookworm bookworm-updates\nComponents: main\nSigned-By: /k.gpg"])

    def test_later_release(self):
        lines = ["deb-src http://x.invalid/debian bookworm main", "deb-src http://x.invalid/debian bookworm-updates main"]
        stanzas = ["Types: deb-src\nSuites: bookworm bookworm-updates\nComponents: main", "Types: deb-src\nSuites: bookworm-security"]
        self.assertEqual(list(of_release(lines, stanzas, "bookworm", "stable")),
                         [("deb-src http://x.invalid/debian stable main", None), (None, "Types: deb-src\nSuites: stable\nComponents: main")])


class Lit(unittest.TestCase):
    def expectations(self, source):
        return [lit.expectation(step.kinds) for step in lit.steps(source) if step.runs]

    def test_race_and_none(self):
        self.assertEqual(self.expectations("// RUN: %clang_tsan %s -o %t && %deflake %run %t | FileCheck %s\n"
                                           "// CHECK: WARNING: ThreadSanitizer: data race\n"), ["race"])
        self.assertEqual(self.expectations("// RUN: %clang_tsan %s -o %t && %run %t 2>&1 | FileCheck %s\n"
                                           "// CHECK-NOT: WARNING: ThreadSanitizer\n// CHECK: DONE\n"), ["none"])
        self.assertEqual(self.expectations("// RUN: %clang_tsan %s -o %t && %deflake %run %t | FileCheck %s\n// CHECK: Location is\n"), ["race"])
        self.assertEqual(self.expectations("// RUN: %clang_tsan %s -o %t && not %deflake %run %t | FileCheck %s\n"), ["none"])
        self.assertEqual(self.expectations("// RUN: %run %t | FileCheck %s\n// CHECK: ThreadSanitizer: thread leak (pid={{.*}}\n"), ["thread leak"])

    def test_prefixes_and_continuation(self):
        source = ("// RUN: %clangxx_tsan %s -o %t\n// RUN: %run %t \\\n// RUN:   | FileCheck %s --check-prefix=CHECK-A\n"
                  "// RUN: %env_tsan_opts=x=1 %run %t | FileCheck %s --check-prefixes=CHECK-B,C\n"
                  "// CHECK-A: ThreadSanitizer: data race\n// CHECK-B: DONE\n")
        self.assertEqual(self.expectations(source), ["race", "none"])
        self.assertEqual([step.text for step in lit.steps(source)], ["%clangxx_tsan %s -o %t", "%run %t", "%env_tsan_opts=x=1 %run %t"])

    def test_unavailable(self):
        self.assertIsNotNone(lit.unavailable("// REQUIRES: system-darwin\n"))
        self.assertIsNone(lit.unavailable("// REQUIRES: linux, x86_64-target-arch\n// UNSUPPORTED: darwin\n"))


class Partial(unittest.TestCase):
    def test_silence_about_what_was_not_recorded_is_no_verdict(self):
        omen = object.__new__(Omen)
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            self.assertEqual(omen.partial(report), "no report")
            for text, partial in (('{"complete": true, "races": []}', None), ('{"complete": false, "races": []}', "recorded only in part"),
                                  ('{"races": []}', "recorded only in part")):
                report.write_text(text, encoding="utf-8")
                self.assertEqual(omen.partial(report), partial)
                self.assertEqual(Run(0, "", 0, [], [], partial).trouble(), partial)


class Written(unittest.TestCase):
    def test_lines_of_a_detector_without_results_stay(self):
        old = ["| omen | 1 of 2 | … |", "| ThreadSanitizer | 2 of 2 | … |", "- omen misses: `a`.", "- ThreadSanitizer misses: none."]
        lines = list(document.verdict_lines(tsan_suite, "1", {"omen": {"a": {"expect": "race", "outcome": "race"}}}, old))
        self.assertIn("| omen | 1 of 1 | 0 of 0 race-free | 0 | 0 |", lines)
        self.assertIn(old[1], lines)
        self.assertIn(old[3], lines)
        self.assertNotIn(old[2], lines)


class Kept(unittest.TestCase):
    def test_results_are_kept_until_the_detector_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "r.json"
            Results(path, "one", False).put("a", {"expect": "race", "outcome": "race"})
            self.assertIn("a", Results(path, "one", False))
            self.assertNotIn("a", Results(path, "two", False))
            self.assertNotIn("a", Results(path, "one", True))

    def test_counting(self):
        def record(expect, outcome):
            return {"expect": expect, "outcome": outcome}
        groups = count({"a": record("race", "race"), "b": record("race", "none"), "c": record("none", "race"), "d": record("none", "timeout"),
                        "e": record("thread leak", "none"), "f": record("race", "SIGSEGV")})
        self.assertEqual(totals(groups), {"racy": 3, "found": 1, "missed": 1, "free": 2, "false": 1, "broken": 2, "other": 1})


class Commands(unittest.TestCase):
    def test_compiling(self):
        words = "-DNAME=x.c -O2 -MD -MP -MF .deps/a.d -MT a.o -I include -c -o out/a.o a.c".split()
        self.assertEqual(record_compiles.split(words), (["a.c"], ["-DNAME=x.c", "-O2", "-I", "include"]))

    def test_compiling_and_linking(self):
        words = "-g -pthread one.cpp two.cc three.o -o program -lz".split()
        self.assertEqual(record_compiles.split(words), (["one.cpp", "two.cc"], ["-g", "-pthread", "three.o", "-lz"]))


if __name__ == "__main__":
    unittest.main()

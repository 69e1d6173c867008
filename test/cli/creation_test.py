#!/usr/bin/env python3
"""The creation sites of threads in reports: each frame of the program, even if libstdc++ is between the program and
pthread_create. The thread's later events have stacks without those frames.

Usage: creation_test.py PATH-OF-OMEN PATH-OF-OMEN-C++ [unittest options]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

OMEN, CXX = sys.argv.pop(1), sys.argv.pop(1)
PROGRAM = """#include <pthread.h>
#include <threads.h>
#include <future>
#include <thread>
int shared[6];
void* posix(void*) { shared[3] = 1; return nullptr; }
int standard(void*) { shared[4] = 1; return 0; }
__attribute__((noinline)) std::thread nested() {
  return std::thread([] { shared[1] = 1; });  // NESTED
}
__attribute__((noinline)) std::thread again(int depth) {
  std::thread one;
  if (depth == 0) {
    one = std::thread([] { shared[2] = 1; });  // DEEPEST
  } else {
    one = again(depth - 1);  // AGAIN
  }
  shared[5] += depth;
  return one;
}
int main() {
  std::thread direct([] { shared[0] = 1; });  // DIRECT
  shared[0] = 2;  // AFTER 0
  std::thread second = nested();  // CALL
  shared[1] = 2;  // AFTER 1
  std::thread third = again(2);  // FIRST
  shared[2] = 2;  // AFTER 2
  pthread_t fourth;
  pthread_create(&fourth, nullptr, posix, nullptr);  // POSIX
  shared[3] = 2;  // AFTER 3
  thrd_t fifth;
  thrd_create(&fifth, standard, nullptr);  // STANDARD
  shared[4] = 2;  // AFTER 4
  auto sixth = std::async(std::launch::async, [] { shared[5] = 1; });  // FUTURE
  shared[5] = 2;  // AFTER 5
  direct.join(), second.join(), third.join(), sixth.wait();
  pthread_join(fourth, nullptr), thrd_join(fifth, nullptr);
}
"""
LINES = {mark.strip(): number for number, line in enumerate(PROGRAM.splitlines(), 1)
         for _, _, mark in [line.partition("// ")] if mark}
CREATED = (["DIRECT"], ["NESTED", "CALL"], ["DEEPEST", "AGAIN", "AGAIN", "FIRST"], ["POSIX"], ["STANDARD"], ["FUTURE"])


class Creation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "prog.cpp").write_text(PROGRAM)

    def report(self, compiler, level, *options):
        environment = os.environ | {"OMEN_CXX": compiler}
        subprocess.run([CXX, "-std=c++20", "-g", level, "prog.cpp", "-o", "prog"], cwd=self.folder, env=environment, check=True)
        done = subprocess.run([OMEN, "run", *options, "--json", "r.json", "--", "./prog"], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 66, done.stderr)
        return json.loads((self.folder / "r.json").read_text())

    @staticmethod
    def lines(stack):
        """The program's own frames, the innermost first."""
        return [frame["line"] for frame in stack if frame["file"].endswith("/prog.cpp")]

    def judge(self, report):
        found = set()
        for race in report["races"]:
            by_main = [one for one in race["accesses"] if one["thread"] == 0]
            if not by_main:
                continue
            (mark,) = [i for i in range(6) if LINES[f"AFTER {i}"] == by_main[0]["stack"][0]["line"]]
            found.add(mark)
            self.assertEqual(self.lines(by_main[0]["stack"]), [LINES[f"AFTER {mark}"]])
            functions = [frame["function"] for frame in by_main[0]["stack"]]
            self.assertFalse([name for name in functions if "thread" in name or name.startswith("again")], functions)
            other = next(one for one in race["accesses"] if one["thread"] != 0)
            (thread,) = [one for one in race["threads"] if one["id"] == other["thread"]]
            self.assertEqual(self.lines(thread["stack"]), [LINES[name] for name in CREATED[mark]], race["variable"])
        self.assertEqual(found, set(range(6)))

    def test_recorded(self):
        for compiler in ("g++-12", "clang++-19"):
            if shutil.which(compiler):
                for level in ("-O1", "-O2"):
                    with self.subTest(compiler=compiler, level=level):
                        self.judge(self.report(compiler, level))

    def test_online(self):
        for compiler in ("g++-12", "clang++-19"):
            if shutil.which(compiler):
                with self.subTest(compiler=compiler):
                    self.judge(self.report(compiler, "-O1", "--online"))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The words of reports of programs of different kinds: what raced, where, how sure, and how to mend it.

Usage: reading_test.py PATH-OF-OMEN PATH-OF-OMEN-C++ [unittest options]
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

OMEN, CXX = sys.argv.pop(1), sys.argv.pop(1)
THREADS = "#include <mutex>\n#include <thread>\n"
STACK = THREADS + """int main() {
  int hits = 0;
  std::thread other([&] { hits = 1; });  // OTHER
  hits = 2;  // MAIN
  other.join();
}
"""
HEAP = THREADS + """struct Account { long balance = 0; long moves = 0; };
int main() {
  auto* account = new Account;
  std::thread other([=] { account->moves = 1; });  // OTHER
  account->moves = 2;  // MAIN
  other.join();
  delete account;
}
"""
MEMBER = THREADS + """struct Cache { std::mutex lock; long hits; long values[16]; } cache;
int main() {
  std::thread other([] { cache.hits = 1; });  // OTHER
  cache.hits = 2;  // MAIN
  other.join();
}
"""
CONTAINER = THREADS + """#include <vector>
std::vector<int> queue;
int main() {
  std::thread other([] { queue.push_back(1); });  // OTHER
  const bool empty = queue.empty();  // MAIN
  other.join();
  return empty ? 0 : 1;
}
"""
FREED = THREADS + """std::mutex log_lock;
int main() {
  int* message = new int(1);
  std::thread other([=] { { std::lock_guard guard(log_lock); } *message = 2; });  // OTHER
  { std::lock_guard guard(log_lock); }
  delete message;  // MAIN
  other.join();
}
"""
DEADLOCK = THREADS + """std::mutex alice, bob;
void transfer(std::mutex& from, std::mutex& to) {
  std::lock_guard one(from);
  std::lock_guard two(to);  // TWO
}
int main() {
  std::thread first([] { transfer(alice, bob); });
  first.join();
  std::thread second([] { transfer(alice, bob); });
  std::thread third([] { transfer(bob, alice); });
  second.join();
  third.join();
}
"""


class Reading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, source, *options):
        (self.folder / "prog.cpp").write_text(source)
        subprocess.run([CXX, "-std=c++20", "-g", "-O1", "prog.cpp", "-o", "prog"], cwd=self.folder, check=True)
        done = subprocess.run([OMEN, "run", *options, "--", "./prog"], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 66, done.stderr)
        return done.stderr

    def test_a_variable_on_the_stack_of_main(self):
        for mode in ((), ("--online",)):
            text = self.report(STACK, *mode)
            self.assertIn("\n  variable on the stack of main is written at prog.cpp:", text)
            self.assertIn("\n  Location is stack of main thread.\n", text)
        self.assertIn("#0 main::{lambda}::operator() prog.cpp:5:", self.report(STACK))

    def test_a_member_of_a_heap_block(self):
        text = self.report(HEAP)
        self.assertIn("\n  byte 8 of a heap block of 16 bytes is written at prog.cpp:", text)
        self.assertRegex(text, r"writes byte 8 of the heap block at prog\.cpp:\d+   <-- race\n")
        self.assertIn("or make both accesses atomic.", text)
        self.assertIn("\n  byte 8 of a heap block of 16 bytes is written", self.report(HEAP, "--online"))

    def test_a_member_of_a_global(self):
        text = self.report(MEMBER)
        self.assertIn("\n  'cache'+40 is written at prog.cpp:", text)
        self.assertNotIn("make 'cache'", text)  # it holds a mutex

    def test_inside_a_container(self):
        text = self.report(CONTAINER)
        self.assertRegex(text, r"(?m)^SUMMARY: OmenRaceDetector: data race prog\.cpp:[67]:\d+ in main")
        self.assertNotIn("atomic", text)

    def test_a_free(self):
        text = self.report(FREED)
        self.assertIn("heap block of 4 bytes is freed at prog.cpp:8 and ", text)
        self.assertRegex(text, r"(?m)^  (Previous f|F)ree at 0x[0-9a-f]+ by main thread:$")
        self.assertRegex(text, r"frees the heap block at prog\.cpp:8   <-- race\n")

    def test_a_deadlock(self):
        text = self.report(DEADLOCK)
        # First is the thread that came first in this run.
        locks = r"(M\d 'alice' and M\d 'bob'|M\d 'bob' and M\d 'alice')"
        self.assertRegex(text, rf"(?m)^  (T2 and T3|T3 and T2) wait for each other's locks, {locks}: predicted, confirmed$")
        self.assertNotIn("gthr-default.h", text)
        self.assertNotIn("left out", text)
        self.assertRegex(text, r"(?m)^      6 \|   std::lock_guard two\(to\);  // TWO$")
        self.assertRegex(text, rf"(?m)^  Fix: Lock {locks} in one order everywhere, or both at once \(std::scoped_lock\)\.$")
        self.assertIn("\n  Why: In this run the threads did not", text)


if __name__ == "__main__":
    unittest.main()

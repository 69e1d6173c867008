#!/usr/bin/env python3
"""Signals that omen's parent ignores: the program that omen runs ignores them too, and omen still learns how the program ends.

Usage: signals_test.py PATH-OF-OMEN PATH-OF-OMEN-CC [unittest options]
"""

import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

OMEN, CC = sys.argv.pop(1), sys.argv.pop(1)
PROGRAM = """#include <signal.h>
#include <stdio.h>
int main(void) {
  struct sigaction pipe, child;
  sigaction(SIGPIPE, 0, &pipe);
  sigaction(SIGCHLD, 0, &child);
  printf("%d %d\\n", pipe.sa_handler == SIG_IGN, child.sa_handler == SIG_IGN);
  return 3;
}
"""


def ignoring():
    for each in (signal.SIGPIPE, signal.SIGCHLD):
        signal.signal(each, signal.SIG_IGN)


class Signals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        source = pathlib.Path(cls.folder.name) / "program.c"
        source.write_text(PROGRAM, encoding="utf-8")
        cls.program = source.with_suffix("")
        subprocess.run([CC, source, "-o", cls.program], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def told(self, *how, **settings):
        done = subprocess.run([OMEN, "run", *how, "--", self.program], capture_output=True, text=True, check=False, restore_signals=True, **settings)
        return done.stdout, done.returncode

    def test_defaults(self):
        for how in ([], ["--online"]):
            self.assertEqual(("0 0\n", 3), self.told(*how))

    def test_ignored_by_the_parent(self):
        for how in ([], ["--online"]):
            self.assertEqual(("1 1\n", 3), self.told(*how, preexec_fn=ignoring))


if __name__ == "__main__":
    unittest.main()

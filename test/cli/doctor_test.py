#!/usr/bin/env python3
"""`omen doctor` on this machine, and on machines that lack something: no compiler, no omen-c++, no room, no runtime.

Usage: doctor_test.py BUILD [unittest options]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path()


class Doctor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def doctor(self, omen=None, code=0, **environment):
        done = subprocess.run([omen or BUILD / "bin" / "omen", "doctor"], capture_output=True, text=True, timeout=300, check=False,
                              env=os.environ | environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_here(self):
        text = self.doctor()
        self.assertRegex(text, r"^omen \S+\nbuilt with: GNU 12.*\ncheck placement: ")
        self.assertRegex(text, r"(?m)^ok +g\+\+ +.*12\.")
        self.assertRegex(text, r"(?m)^ok +runtime +.*libomen_rt\.a$")
        self.assertRegex(text, r"(?m)^omen works here\.$")
        if (BUILD / "lib" / "omen_placement.so").exists():
            self.assertRegex(text, r"(?m)^ok +clang\+\+-19 +.*with check placement$")

    def test_no_compiler(self):
        text = self.doctor(code=1, PATH=str(self.folder))
        self.assertRegex(text, r"(?m)^FAILS +compilers +none works\n +apt install g\+\+")

    def test_compiler_that_does_not_work(self):
        broken = self.folder / "g++"
        broken.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo 'g++ 99' && exit 0\nexit 1\n")
        broken.chmod(0o755)
        text = self.doctor(code=1, PATH=f"{self.folder}:/nowhere")
        self.assertRegex(text, r"(?m)^limited +g\+\+ +g\+\+ 99: omen-c\+\+ cannot build with it$")

    def test_parts_that_are_missing(self):
        shutil.copy(BUILD / "bin" / "omen", self.folder / "omen")
        self.assertRegex(self.doctor(self.folder / "omen", code=1, PATH="/nowhere"), r"(?m)^FAILS +omen-c\+\+ +is not beside omen$")
        (self.folder / "bin").mkdir()
        for name in ("omen", "omen-c++"):
            shutil.copy(BUILD / "bin" / name, self.folder / "bin" / name)
        self.assertRegex(self.doctor(self.folder / "bin" / "omen", code=1, PATH="/nowhere"), r"(?m)^FAILS +runtime +libomen_rt\.a is missing$")

    def test_folder_for_temporary_files(self):
        self.assertRegex(self.doctor(code=1, TMPDIR="/nowhere"), r"(?m)^FAILS +disk +cannot write")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()

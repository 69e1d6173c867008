#!/usr/bin/env python3
"""The recipes of docs/testing.md, executed unchanged: the racy test fails with its report, the other passes.

A recipe is the block of commands after `<!-- recipe NAME -->`. It runs in a copy of the folder of that name beside this
file, with racy.cpp and quiet.cpp; `counter` runs in a checkout, which is a folder with links to the built omen.

Usage: recipes_test.py BUILD [unittest options]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"<!-- recipe (\w+) -->\n```sh\n(.*?)```\n", PAGE, re.DOTALL))
REPORT = r"WARNING: OmenRaceDetector: data race"


class Recipes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="omen-recipes-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "project"

    def follow(self, name):
        """Types the commands, in a copy of the recipe's project: returns the exit code of the last one, and the output of all."""
        if not self.folder.exists():
            shutil.copytree(HERE / name, self.folder)
            for source in ("racy.cpp", "quiet.cpp"):
                shutil.copy(HERE / source, self.folder)
        commands = RECIPES[name].splitlines()
        script = "set -e\n" + "\n".join(commands)
        environment = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX", "OMEN_OPTIONS", "CFLAGS", "CXXFLAGS")}
        environment |= {"OMEN": str(BUILD), "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500, check=False)
        return done.returncode, done.stdout, commands

    def assert_is_snippet_of(self, language, path):
        """Each line of the page's blocks in this language that names the file's project occurs in the file."""
        blocks = re.findall(rf"```{language}\n(.*?)```\n", PAGE, re.DOTALL)
        text = path.read_text(encoding="utf-8")
        self.assertTrue(any(all(re.sub(r"\s*#.*", "", line) in text for line in block.splitlines()) for block in blocks), path)

    def test_counter(self):
        checkout = self.folder
        (checkout / "build").mkdir(parents=True)
        (checkout / "examples").symlink_to(ROOT / "examples")
        (checkout / "build" / "release").symlink_to(BUILD)
        (checkout / "omen").symlink_to(BUILD / "bin" / "omen")
        code, text, commands = self.follow("counter")
        self.assertLessEqual(len(commands), 5)
        self.assertEqual(len(list((ROOT / "examples" / "counter").iterdir())), 3)
        self.assertEqual(code, 8, text)  # CTest's own code for failed tests
        self.assertRegex(text, r"1/1 Test #1: counter \.+\*+Failed")
        self.assertRegex(text, REPORT + r"(.|\n)*#0 Counter::add\(int\) .*counter\.hpp:14")
        test = checkout.parent / "counter" / "build" / "counter_test"
        self.assertEqual(subprocess.run([test], check=False).returncode, 0)  # alone it passes
        self.assert_is_snippet_of("cmake", ROOT / "examples" / "counter" / "CMakeLists.txt")

    def test_ctest(self):
        code, text, _ = self.follow("ctest")
        self.assertEqual(code, 8, text)
        self.assertRegex(text, r"racy \.+\*+Failed")
        self.assertRegex(text, r"quiet \.+ +Passed")
        self.assertRegex(text, REPORT + r"(.|\n)*racy\.cpp:8")

    def test_catch2(self):
        code, text, _ = self.follow("catch2")
        self.assertEqual(code, 8, text)
        self.assertRegex(text, r"racy \.+\*+Failed")
        self.assertRegex(text, r"clean \.+ +Passed")
        self.assertRegex(text, REPORT)
        self.assert_is_snippet_of("cmake", HERE / "catch2" / "CMakeLists.txt")

    def test_googletest(self):
        code, text, _ = self.follow("googletest")
        self.assertNotEqual(code, 0, text)
        self.assertRegex(text, r"\[  FAILED  \] Counter\.Racy \(")
        self.assertRegex(text, r"\[       OK \] Counter\.Clean \(")
        self.assertRegex(text, REPORT + r"(.|\n)*tests\.cpp:10: Failure\n.*\n?omen reports a race")
        self.assert_is_snippet_of("cpp", HERE / "googletest" / "tests.cpp")

    @unittest.skipUnless(shutil.which("meson"), "no meson")
    def test_meson(self):
        code, text, _ = self.follow("meson")
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"racy +FAIL +.*exit status 66")
        self.assertRegex(text, r"quiet +OK")
        self.assertRegex(text, REPORT + r"(.|\n)*racy\.cpp:8")

    @unittest.skipUnless(shutil.which("automake"), "no automake")
    def test_automake(self):
        code, text, _ = self.follow("automake")
        self.assertEqual(code, 2, text)
        self.assertRegex(text, r"FAIL: racy")
        self.assertRegex(text, r"PASS: quiet")
        self.assertRegex((self.folder / "racy.log").read_text(), REPORT + r"(.|\n)*racy\.cpp:8")

    def test_every_recipe_has_a_test(self):
        tests = {name.removeprefix("test_") for name in dir(self) if name.startswith("test_")}
        self.assertEqual(set(RECIPES), tests - {"every_recipe_has_a_test"})


if __name__ == "__main__":
    unittest.main()

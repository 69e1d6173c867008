#!/usr/bin/env python3
"""Man pages and completions match `--help`: each command, each option.

Usage: shell_test.py PATH-OF-OMEN [unittest options]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

OMEN = ""


def omen(*arguments):
    return subprocess.run([OMEN, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=True).stdout


def commands():
    return re.findall(r"(?m)^  ([a-z]+) ", omen("--help").split("Subcommands:")[1].split("Examples:")[0])


def options(*command):
    """The names that the help of a command lists."""
    lines = re.findall(r"(?m)^  (-.*)$", omen(*command, "--help").split("Options:")[1])
    return {name for line in lines for name in re.findall(r"(?:^|,)(--?[a-z][a-z-]*)", line)}


class Shell(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_commands_are_known(self):
        self.assertLess({"run", "report", "doctor", "suppress", "completion"}, set(commands()))
        self.assertFalse({"watch", "record-alone"} & set(commands()))

    def test_man_pages(self):
        omen("manual", self.folder)
        pages = {path.name for path in self.folder.iterdir()}
        self.assertLessEqual({"omen.1", *(f"omen-{command}.1" for command in commands())}, pages)
        self.assertLessEqual(pages, {"omen.1", "omen-cc.1", "omen-c++.1", *(f"omen-{command}.1" for command in commands())})
        whole = (self.folder / "omen.1").read_text()
        for command in commands():
            self.assertIn(f"\\fB{command}\\fR", whole)
            page = (self.folder / f"omen-{command}.1").read_text()
            for option in options(command):
                self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", page, command)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_man_pages_are_roff(self):
        omen("manual", self.folder)
        for page in self.folder.glob("omen*.1"):
            if page.name != "omen-c++.1":  # it refers to another page
                done = subprocess.run(["groff", "-K", "utf8", "-man", "-ww", "-z", "-Tutf8", page], capture_output=True, text=True, check=True)
                self.assertEqual(done.stderr, "", page.name)

    def completed(self, *words):
        script = self.folder / "omen.bash"
        script.write_text(omen("completion", "bash"))
        line = " ".join(f"'{word}'" for word in words)
        return set(subprocess.run(
            ["bash", "-euc", f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _omen; printf '%s\\n' \"${{COMPREPLY[@]}}\""],
            capture_output=True, text=True, check=True).stdout.split())

    def test_bash(self):
        self.assertEqual(self.completed("omen", ""), set(commands()) | options())
        self.assertEqual(self.completed("omen", "re"), {command for command in commands() if command.startswith("re")})
        for command in commands():
            self.assertEqual(self.completed("omen", command, "-"), options(command), command)
        self.assertEqual(self.completed("omen", "run", "--no-c"), {"--no-confirm"})
        self.assertEqual(self.completed("omen", "run", "file"), set())  # the shell's own completion of files
        self.assertEqual(self.completed("omen", "run", "--", "prog", "--no"), set())  # the program's own

    def test_zsh_and_fish_know_each_option(self):
        for shell, form in (("zsh", "'{}["), ("fish", " -l {}")):
            script = omen("completion", shell)
            for command in commands():
                for option in options(command):
                    if option.startswith("--"):
                        self.assertIn(form.format(option if shell == "zsh" else option[2:]), script, (shell, command))
            if shutil.which(shell):
                path = self.folder / "script"
                path.write_text(script)
                subprocess.run([shell, "-n", path], check=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    OMEN = os.path.abspath(sys.argv.pop(1))
    unittest.main()

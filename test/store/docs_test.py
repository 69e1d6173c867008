#!/usr/bin/env python3
"""Runs the examples of docs/store.md in their order, and compares their output.

Dates and times match any. The output of `omen run` is not compared: it is a whole report, of which the page shows
nothing.

Usage: docs_test.py PATH-OF-OMEN PATH-OF-OMEN-CC [unittest options]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from stores import StoreCase, main

main(sys.argv, ("sqlite",))
CXX = pathlib.Path(sys.argv.pop(1)).absolute().with_name("omen-c++")
ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = ("add", "list", "show", "set", "trend", "export", "import")


def examples():
    """(command, output) of every console block."""
    for block in re.findall(r"```console\n(.*?)```\n", (ROOT / "docs/store.md").read_text(encoding="utf-8"), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def without_times(text):
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", text)
    return re.sub(r"\d{4}-\d\d-\d\d", "DATE", text)


class Docs(StoreCase):
    def test_the_examples(self):
        shutil.copy(ROOT / "examples/bank/bank.cpp", self.folder)
        self.write("CODEOWNERS", "* @bank-team\n")
        path = f"{pathlib.Path(self.omen_path).absolute().parent}:{CXX.parent}:{os.environ['PATH']}"
        environment = {**self.environment(), "PATH": path, "OMEN_CXX": "g++-12"}
        subprocess.run([CXX, "-std=c++20", "-g", "bank.cpp", "-o", "bank"], cwd=self.folder, env=environment, check=True)
        shown = set()
        for command, output in examples():
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True)
            if command.startswith("omen run"):
                self.assertEqual(done.returncode, 66, done.stderr)
                continue
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr}")
            self.assertEqual(without_times(done.stdout), without_times(output), command)
            shown.update(name for name in COMMANDS if command.startswith(f"omen store {name}"))
        self.assertEqual(shown, set(COMMANDS))


if __name__ == "__main__":
    unittest.main()

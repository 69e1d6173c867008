#!/usr/bin/env python3
"""`omen suppress`: the lines that it writes match the findings that they were made from, and no others.

Usage: suppress_test.py PATH-OF-OMEN [unittest options]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

OMEN = ""


def frame(function, file, line):
    return {"function": function, "file": file, "line": line, "column": 1, "module": "/src/prog", "offset": "0x10", "build_id": "",
            "inlined": False}


def race(number, variable):
    access = {"event": 1, "access": "write", "atomic": False, "size": 4, "address": "0x40", "locks": []}
    return {"kind": "data-race", "headline": "data race", "found_by": "hb", "observed": True, "online": False, "verdict": "race",
            "method": "", "model": "", "count": 1, "fingerprint": f"{number:032x}",
            "variable": {"kind": "global" if variable else "unknown", "name": variable, "address": "0x40", "size": 4, "module": "",
                         "offset": "0x0", "thread": None, "stack": []},
            "accesses": [access | {"thread": 1, "stack": [frame(f"Queue<int*>::push{number}(int*)", f"/src/queue{number}.hpp", 10)]},
                         access | {"thread": 2, "stack": [frame("reader()", "/src/reader.cpp", 20)]}],
            "threads": [], "witness_events": 0, "witness": [], "schedule": [], "hidden_by": []}


class Suppress(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.report = self.folder / "r.json"
        self.report.write_text(json.dumps({
            "omen": 1, "command": ["./prog"], "pid": 1, "exit": {"code": 0}, "threads": 2, "events": 2, "synchronisations": 0,
            "complete": True, "notes": [], "races": [race(1, "queue"), race(2, ""), race(3, "other")]}))

    def omen(self, *arguments, code=0):
        done = subprocess.run([OMEN, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def left(self, lines):
        """The remaining fingerprints of a report under these suppressions."""
        known = self.folder / "known.txt"
        known.write_text(lines)
        text = self.omen("report", self.report, "--suppressions", known, "--json", "-")
        return [int(one["fingerprint"], 16) for one in json.loads(text)["races"]]

    def test_each_way_covers_the_race_alone(self):
        for by in ("fingerprint", "function", "file"):
            for number in (1, 2, 3):
                lines = self.omen("suppress", self.report, "--race", number, "--by", by)
                self.assertRegex(lines, rf"^# data race: Queue<int\*>::push{number}\(int\*\) /src/queue{number}.hpp:10 and reader\(\) /src/reader.cpp:20\n")
                self.assertEqual(self.left(lines), [n for n in (1, 2, 3) if n != number], lines)
        self.assertEqual(self.left(self.omen("suppress", self.report, "--race", 3, "--by", "variable")), [1, 2])

    def test_several_and_all(self):
        self.assertEqual(self.left(self.omen("suppress", self.report, "--race", 1, "--race", 3)), [2])
        self.assertEqual(self.left(self.omen("suppress", self.report, "--all")), [])

    def test_to_a_file(self):
        known = self.folder / "list"
        known.write_text("race:nothing\n")
        self.assertEqual(self.omen("suppress", self.report, "--race", 2, "--to", known), "")
        self.assertEqual(self.left(known.read_text()), [1, 3])
        self.assertTrue(known.read_text().startswith("race:nothing\n"))
        self.assertIn("nowhere", self.omen("suppress", self.report, "--race", 2, "--to", self.folder / "nowhere" / "list", code=65))

    def test_what_is_not_there(self):
        self.assertIn("there is no race 4: it has 3", self.omen("suppress", self.report, "--race", 4, code=65))
        self.assertIn("there is no race 0", self.omen("suppress", self.report, "--race", 0, code=65))
        self.assertIn("there is no deadlock 1: it has 0", self.omen("suppress", self.report, "--deadlock", 1, code=65))
        self.assertIn("race 2", self.omen("suppress", self.report, "--race", 2, "--by", "variable", code=65))
        self.assertIn("--race N", self.omen("suppress", self.report, code=64))
        self.omen("suppress", self.folder / "none.json", "--all", code=65)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    OMEN = os.path.abspath(sys.argv.pop(1))
    unittest.main()

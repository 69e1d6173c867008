#!/usr/bin/env python3
"""The real `omen report`: text, SARIF and JSON from a report, suppressions, exit codes.

Usage: report_test.py PATH-OF-OMEN [unittest options]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

OMEN = sys.argv.pop(1)


def frame(function, line):
    return {"function": function, "file": "/src/bank/bank.cpp", "line": line, "column": 3, "module": "/src/bank/bank",
            "offset": "0x1234", "build_id": "ab12", "inlined": False}


REPORT = {
    "omen": 1, "command": ["./bank"], "pid": 77, "exit": {"code": 0}, "threads": 2, "events": 9, "synchronisations": 4,
    "complete": True, "notes": ["recording stopped"],
    "races": [{
        "kind": "data-race", "headline": "data race", "found_by": "wdc", "observed": False, "verdict": "race",
        "method": "graph", "model": "ca", "count": 2, "fingerprint": "0f",
        "variable": {"kind": "global", "name": "total", "address": "0x4010", "size": 4},
        "accesses": [
            {"event": 8, "access": "write", "atomic": False, "size": 4, "address": "0x4010", "thread": 1,
             "stack": [frame("deposit(int)", 26)], "locks": []},
            {"event": 3, "access": "read", "atomic": False, "size": 4, "address": "0x4010", "thread": 0,
             "stack": [frame("audit()", 48)], "locks": []}],
        "threads": [{"id": 0, "label": "main", "main": True}, {"id": 1, "label": "T1", "creator": 0}],
        "witness": [0, 1, 3, 8],
        "schedule": [{"step": "access", "thread": 0, "text": "reads 'total'", "file": "/src/bank/bank.cpp", "line": 48,
                      "first": 2, "last": 2},
                     {"step": "access", "thread": 1, "text": "writes 'total'", "file": "/src/bank/bank.cpp", "line": 26,
                      "first": 3, "last": 3}],
    }],
}


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.report = self.write("r.json", json.dumps(REPORT))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def omen(self, *arguments, code=0):
        done = subprocess.run([OMEN, "report", *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_text_is_the_default(self):
        out = self.omen(self.report).stdout
        self.assertIn("WARNING: OmenRaceDetector: data race (pid=77)", out)
        self.assertIn("SUMMARY: OmenRaceDetector: data race /src/bank/bank.cpp:26:3 in deposit(int)", out)
        self.assertIn("note: recording stopped", out)
        self.assertIn(" bank.cpp:26:3", self.omen(self.report, "--strip-path-prefix", "/src/bank/").stdout)

    def test_sarif_and_text_to_files(self):
        sarif, text = self.folder / "r.sarif", self.folder / "r.txt"
        out = self.omen(self.report, "--sarif", sarif, "--text", text, "--source-root", "/src").stdout
        self.assertEqual(out, "")
        run = json.loads(sarif.read_text())["runs"][0]
        self.assertEqual(run["results"][0]["partialFingerprints"], {"omenRace/v1": "0f"})
        location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        self.assertEqual(location, {"uri": "bank/bank.cpp", "uriBaseId": "%SRCROOT%"})
        self.assertIn("WARNING", text.read_text())

    def test_json_again_is_the_same(self):
        once = self.folder / "once.json"
        self.omen(self.report, "--json", once)
        self.assertEqual(self.omen(once, "--json", "-").stdout, once.read_text())
        self.assertEqual(self.omen(once).stdout, self.omen(self.report).stdout)

    def test_suppressions(self):
        done = self.omen(self.report, "--suppressions", self.write("s.txt", "race:^audit\nrace:other\n"))
        self.assertNotIn("WARNING", done.stdout)
        self.assertIn("2 race:^audit", done.stderr)
        self.assertIn("s.txt:2: unused suppression race:other", done.stderr)
        bad = self.omen(self.report, "--suppressions", self.write("s.txt", "race:x\nracy:y\n"), code=65)
        self.assertIn("s.txt:2: expected race:PATTERN", bad.stderr)

    def test_bad_input_is_65_bad_usage_64(self):
        self.assertIn("/races/0/accesses", self.omen(
            self.write("b.json", '{"omen": 1, "races": [{"kind": "data-race"}]}'), code=65).stderr)
        self.assertIn("offset", self.omen(self.write("b.json", "{]"), code=65).stderr)
        self.omen(self.folder / "missing.json", code=65)
        self.omen(self.folder, code=65)
        self.omen(code=64)
        self.omen(self.report, "--pdf", "x", code=64)


if __name__ == "__main__":
    unittest.main()

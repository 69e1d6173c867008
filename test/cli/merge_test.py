#!/usr/bin/env python3
"""The real `omen report` on several reports, with a baseline and with --fail-on; `omen diff`; traces in text as reports.

Usage: merge_test.py PATH-OF-OMEN [unittest options]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

OMEN = sys.argv.pop(1)


def race(line, fingerprint, observed=False, verdict="unknown"):
    stack = [{"function": "work()", "file": "/src/a.cpp", "line": line, "module": "/src/a", "offset": "0x1", "build_id": "b"}]
    access = {"access": "write", "size": 4, "address": "0x10", "stack": stack}
    return {"kind": "data-race", "found_by": "wdc", "observed": observed, "verdict": verdict, "fingerprint": fingerprint,
            "variable": {"kind": "global", "name": f"x{line}", "address": "0x10", "size": 4},
            "accesses": [access | {"thread": 1, "event": 9}, access | {"thread": 0, "event": 4}]}


def report(*races, pid=1, **more):
    return {"omen": 1, "command": ["./a"], "pid": pid, "threads": 2, "events": 10, "races": list(races)} | more


class Merge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def omen(self, *arguments, code=0):
        done = subprocess.run([OMEN, *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_reports_are_merged_by_fingerprint(self):
        files = [self.write("a.json", report(race(3, "f"), race(5, "g"))),
                 self.write("b.json", report(race(3, "f", observed=True), pid=2)),
                 self.write("c.json", report(pid=3))]
        merged = json.loads(self.omen("report", *files, "--json", "-").stdout)
        self.assertEqual((merged["runs"], merged["events"]), (3, 30))
        self.assertEqual([(r["fingerprint"], r["seen_in"], r["observed"], r["pid"]) for r in merged["races"]],
                         [("f", 2, True, 2), ("g", 1, False, 1)])
        text = self.omen("report", *files).stdout
        self.assertEqual(text.count("WARNING"), 2)
        self.assertIn("Seen in 2 of 3 runs.", text)
        self.assertIn("(pid=2)", text)
        # Merged reports can be merged again, and the order of files does not affect the numbers.
        once = self.write("ab.json", self.omen("report", *files[:2], "--json", "-").stdout)
        again = json.loads(self.omen("report", files[2], once, "--json", "-").stdout)
        self.assertEqual({(r["fingerprint"], r["seen_in"]) for r in again["races"]}, {("f", 2), ("g", 1)})
        self.assertEqual(again["runs"], 3)
        self.omen("report", files[0], self.folder / "missing.json", code=65)

    def test_baseline_and_what_fails(self):
        old = self.write("old.json", report(race(3, "f"), race(5, "g")))
        new = self.write("new.json", report(race(3, "f"), race(7, "h"), race(8, "i", observed=True)))
        found = json.loads(self.omen("report", new, "--baseline", old, "--json", "-").stdout)
        self.assertEqual([r["fingerprint"] for r in found["races"]], ["h", "i"])
        self.assertEqual([[r["fingerprint"] for r in found["baseline"][k]] for k in ("known", "gone")], [["f"], ["g"]])
        sarif = json.loads(self.omen("report", new, "--baseline", old, "--sarif", "-").stdout)
        self.assertEqual([r["baselineState"] for r in sarif["runs"][0]["results"]], ["new", "new", "unchanged", "absent"])
        for level, code in (("observed", 66), ("confirmed", 66), ("predicted", 66), ("new", 66)):
            self.omen("report", new, "--baseline", old, "--fail-on", level, code=code)
        for level, code in (("observed", 0), ("confirmed", 0), ("predicted", 66)):
            self.omen("report", old, "--fail-on", level, code=code)
        self.omen("report", old, "--baseline", old, "--fail-on", "new")
        self.assertIn("--baseline", self.omen("report", old, "--fail-on", "new", code=64).stderr)
        confirmed = self.write("c.json", report(race(3, "f", verdict="race")))
        self.omen("report", confirmed, "--fail-on", "observed")
        self.omen("report", confirmed, "--fail-on", "confirmed", code=66)
        self.omen("report", new, "--baseline", self.write("bad.json", "{}"), code=65)

    def test_diff(self):
        old = self.write("old.json", report(race(3, "f"), race(5, "g")))
        new = self.write("new.json", report(race(3, "f", observed=True), race(7, "h")))
        text = self.omen("diff", old, new, code=66).stdout
        self.assertIn("1 new, 1 gone, 1 in both", text)
        self.assertIn("new     data-race: 'x7' is written at a.cpp:7 by two threads at once (predicted, not confirmed)", text)
        self.assertIn("(observed; before: predicted, not confirmed)", text)
        found = json.loads(self.omen("diff", old, new, "--json", "-", code=66).stdout)
        self.assertEqual([[e["fingerprint"] for e in found[k]] for k in ("new", "gone", "common")], [["h"], ["g"], ["f"]])
        self.assertEqual(found["reports"], [str(old), str(new)])
        self.assertIn("0 new, 0 gone, 2 in both", self.omen("diff", new, new).stdout)
        self.omen("diff", old, code=64)
        self.omen("diff", old, self.write("bad.json", "{"), code=65)

    def test_a_trace_in_text_is_a_report_too(self):
        trace = self.write("t.std", "main|fork(a)|a.c:1\nmain|acq(m)|a.c:2\nmain|w(x)|a.c:3\nmain|rel(m)|a.c:4\n"
                                    "a|acq(m)|a.c:5\na|rel(m)|a.c:6\na|w(x)|a.c:7\n")
        text = self.omen("report", trace, code=66).stdout
        self.assertIn("'x' is written at a.c:7 and at a.c:3: predicted, confirmed", text)
        self.omen("report", trace, "--fail-on", "observed")
        self.omen("report", trace, "--analysis", "all", code=64)
        self.omen("report", self.write("quiet.std", "main|w(x)|a.c:1\n"))
        self.omen("report", self.write("bad.std", "main|rel(m)|a.c:1\n"), code=65)

    def test_help_and_mistakes(self):
        self.assertEqual(self.omen("help", "diff").stdout, self.omen("diff", "--help").stdout)
        self.assertEqual(self.omen("help").stdout, self.omen("--help").stdout)
        self.assertIn("there is no option --bogus\n", self.omen("run", "--bogus", "--", "./x", code=64).stderr)
        self.assertIn("expected observed, confirmed, predicted or new, not 'all'",
                      self.omen("run", "--fail-on", "all", "--", "./x", code=64).stderr)
        self.assertIn("expected --online=st-wcp, with '='", self.omen("run", "--online", "st-wcp", "--", "./x", code=64).stderr)


if __name__ == "__main__":
    unittest.main()

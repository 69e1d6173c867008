#!/usr/bin/env python3
"""A trace that `omen run --keep` kept: other commands describe it in terms of the source, and the report's witnesses pass
the checker.

Usage: kept_test.py OMEN OMEN-C++ [unittest options]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

OMEN, OMEN_CXX = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="omen-kept-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def omen(self, *arguments):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OMEN_", "TSAN_"))}
        return subprocess.run([OMEN, *map(str, arguments)], cwd=self.folder, env=env, capture_output=True, text=True,
                              check=False)

    def run_kept(self, program, *options):
        source = GOLDEN / program
        subprocess.run([OMEN_CXX, "-std=c++20", "-g", "-O1", "-pthread", source, "-o", self.folder / "program"], check=True)
        result = self.omen("run", "--folder", self.folder, "--keep", "t.omen", "--json", "r.json", *options, "--",
                           self.folder / "program")
        lines = {mark: n for n, line in enumerate(source.read_text().splitlines(), 1)
                 for mark in re.findall(r"// ([A-Z])$", line)}
        return result, json.loads((self.folder / "r.json").read_text()), lines

    def test_two_ways_to_one_place_are_one_race(self):
        result, report, lines = self.run_kept("access_two_contexts.cpp")
        self.assertEqual((result.returncode, len(report["races"])), (66, 1))
        place = f"access_two_contexts.cpp:{lines['A']}:"
        analysed = self.omen("analyze", "t.omen", "--analysis", "fto-hb", "--json", "a.json")
        self.assertEqual(analysed.stdout.count(place), 2, analysed.stdout)
        self.assertIn("1.", analysed.stdout)
        self.assertNotIn("2.", analysed.stdout.split("\n\n", 2)[-1].replace("0.", ""))
        [analysis] = json.loads((self.folder / "a.json").read_text())["results"]
        self.assertEqual(analysis["distinct_races"], 1)
        for location in analysis["races"][0]["locations"]:
            self.assertIn(place, location)
        vindicated = self.omen("vindicate", "t.omen")
        self.assertIn("1 candidate: 1 race", vindicated.stdout)
        self.assertIn(place, vindicated.stdout)

    def test_the_checker_takes_the_report(self):
        result, report, _ = self.run_kept("predict_behind_excluded.cpp")
        self.assertEqual((result.returncode, len(report["races"])), (66, 1))
        self.assertEqual(report["races"][0]["verdict"], "race")
        checked = self.omen("check", "t.omen", "r.json")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertIn("accepted", checked.stdout)
        report["races"][0]["witness"][0:1] = []
        (self.folder / "wrong.json").write_text(json.dumps(report))
        self.assertEqual(self.omen("check", "t.omen", "wrong.json").returncode, 1)

    def test_excluded_and_unknown(self):
        result, report, lines = self.run_kept("quiet_all_pairs_excluded.cpp", "--unconfirmed", "--sarif", "r.sarif")
        self.assertEqual((result.returncode, report["races"]), (0, []))
        self.assertEqual((report["excluded"], report["unknown"]), (1, 0))
        [excluded] = report["unconfirmed"]
        self.assertEqual((excluded["verdict"], excluded["count"], excluded["decided"]), ("no-race", 12, 12))
        self.assertEqual(sorted(a["stack"][0]["line"] for a in excluded["accesses"]), sorted(lines.values()))
        self.assertIn("excluded: data race", result.stderr)
        [run] = json.loads((self.folder / "r.sarif").read_text())["runs"]
        self.assertEqual([r["kind"] for r in run["results"]], ["pass"])
        result, report, _ = self.run_kept("quiet_all_pairs_excluded.cpp", "--pairs", "3")
        self.assertEqual((result.returncode, report["excluded"], report["unknown"]), (0, 0, 1))
        self.assertNotIn("unconfirmed", report)
        self.assertIn("0 excluded, 1 unknown", result.stderr)

    def test_what_the_record_excludes_is_no_race_online(self):
        result, report, _ = self.run_kept("quiet_all_pairs_excluded.cpp", "--online", "--record")
        self.assertIn("WARNING: OmenRaceDetector: data race", result.stderr)  # when it was predicted
        self.assertIn("excluded: data race", result.stderr)
        self.assertEqual((result.returncode, report["races"], report["excluded"]), (0, [], 1), result.stderr)
        undecided = ("--online", "--record", "--pairs", "3")
        self.assertEqual(self.run_kept("quiet_all_pairs_excluded.cpp", *undecided, "--fail-on", "predicted")[0].returncode, 66)
        result, report, _ = self.run_kept("quiet_all_pairs_excluded.cpp", *undecided)
        self.assertEqual(result.returncode, 0)
        [race] = report["races"]
        self.assertEqual((race["observed"], race["verdict"]), (False, "unknown"))
        self.assertIn("neither confirmed nor excluded", result.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The real `omen vindicate` and `omen check`: verdicts of the figures, witnesses that pass the checker, exit codes."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

OMEN = sys.argv.pop(1)
FIGURES = pathlib.Path(__file__).resolve().parent.parent / "conformance" / "figures"
GROUPS = FIGURES.parent / "groups"
DEADLOCKS = FIGURES.parent / "deadlocks"


def omen(*arguments):
    return subprocess.run([OMEN, *map(str, arguments)], capture_output=True, text=True, check=False)


class Vindicate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_figures(self):
        labels = json.loads((FIGURES / "expected.json").read_text())
        self.assertGreaterEqual(len(labels), 9)
        for name, label in labels.items():
            out = self.folder / "v.json"
            result = omen("vindicate", FIGURES / name, "--every", "--json", out)
            races = [c["pair"] for c in json.loads(out.read_text())["candidates"] if c["verdict"] == "race"]
            self.assertEqual(sorted(races), sorted(p for p in label["lw"] if p in label["pairs"]["wdc"]), name)
            self.assertEqual(result.returncode, 66 if races else 0, name)
            if races:
                self.assertEqual(omen("check", FIGURES / name, out).returncode, 0, name)

    def test_a_wrong_witness_is_refused_with_a_reason(self):
        figure = FIGURES / "vind_Figure1.std"
        self.assertEqual(omen("check", figure, self.write("w.json", "[0, 1, 6, 7, 8, 2, 9]")).returncode, 0)
        for wrong in ("[0, 1, 2, 9]", "[2, 9]", "[0, 1, 6, 7, 8, 9, 9]", "[0, 1, 99, 2, 9]", "[]"):
            result = omen("check", figure, self.write("w.json", wrong))
            self.assertEqual(result.returncode, 1, wrong)
            self.assertTrue((result.stdout + result.stderr).strip(), wrong)

    def test_an_excluded_first_race_of_wcp_names_its_deadlock(self):
        trace, out = DEADLOCKS / "wcp_race_or_deadlock.std", self.folder / "v.json"
        result = omen("vindicate", trace, "--analysis", "st-wcp", "--json", out)
        self.assertEqual(result.returncode, 66, result.stderr)
        self.assertIn("WCP's first race, events 3 and 10, is none: it stands for deadlock 1 below", result.stdout)
        document = json.loads(out.read_text())
        [candidate], [deadlock] = document["candidates"], document["deadlocks"]
        self.assertEqual((candidate["verdict"], candidate["deadlock"]), ("no-race", 0))
        self.assertEqual((deadlock["verdict"], deadlock["requests"], deadlock["method"]), ("deadlock", [1, 7], "closure"))
        self.assertEqual(deadlock["witness"], [0, 5, 6, 1, 7])
        self.assertEqual([(t["thread"], t["wants"], t["holds"]) for t in deadlock["threads"]],
                         [("T1", "m", "l"), ("T2", "l", "m")])
        checked = omen("check", trace, out)
        self.assertEqual((checked.returncode, checked.stdout), (0, "deadlock 0, requests 1,7: accepted, 5 events\n"))
        # Under WDC the pair is excluded too; the deadlock is still predicted, and the prediction can be turned off.
        self.assertEqual(omen("vindicate", trace).returncode, 66)
        quiet = omen("vindicate", trace, "--no-deadlocks", "--json", out)
        self.assertEqual(quiet.returncode, 0)
        self.assertNotIn("deadlocks", json.loads(out.read_text()))

    def test_a_wrong_witness_of_a_deadlock_is_refused_with_a_reason(self):
        trace = DEADLOCKS / "wcp_race_or_deadlock.std"
        self.assertEqual(omen("check", trace, self.write("w.json", "[0, 5, 6, 1, 7]"), "--requests", 2).returncode, 0)
        for wrong in ("[0, 5, 1, 7]", "[0, 1, 5, 6, 7]", "[1]", "[]", "[0, 5, 6, 1, 99]"):
            result = omen("check", trace, self.write("w.json", wrong), "--requests", 2)
            self.assertEqual(result.returncode, 1, wrong)
            self.assertIn("refused", result.stdout, wrong)

    def test_a_pair_of_places_is_no_race_only_if_all_its_pairs_are(self):
        out = self.folder / "v.json"
        result = omen("vindicate", GROUPS / "excluded_nine_times.std", "--json", out)
        self.assertEqual(result.returncode, 66)
        [candidate] = json.loads(out.read_text())["candidates"]
        self.assertEqual((candidate["verdict"], candidate["variable"], candidate["pairs"]), ("race", "z", 10))
        excluded = "".join(line for line in (GROUPS / "excluded_nine_times.std").read_text().splitlines(True)
                           if not line.startswith(("A|", "B|")))
        trace = self.write("excluded.std", excluded)
        result = omen("vindicate", trace, "--unconfirmed", "--json", out)
        self.assertEqual(result.returncode, 0)
        self.assertIn("all 9 candidate pairs at these locations are excluded", result.stdout)
        self.assertIn("1 candidate: 0 races, 1 excluded, 0 unknown", result.stdout)
        [candidate] = json.loads(out.read_text())["candidates"]
        self.assertEqual((candidate["verdict"], candidate["pairs"], candidate["decided"]), ("no-race", 9, 9))
        self.assertNotIn("no-race", omen("vindicate", trace).stdout)

    def test_out_of_budget_is_unknown(self):
        trace = self.write("excluded.std", "".join(
            line for line in (GROUPS / "excluded_nine_times.std").read_text().splitlines(True)
            if not line.startswith(("A|", "B|"))))
        out = self.folder / "v.json"
        result = omen("vindicate", trace, "--pairs", "3", "--json", out)
        self.assertEqual(result.returncode, 0)
        self.assertIn("3 of 9 candidate pairs at these locations are excluded\n  out of budget: pairs", result.stdout)
        self.assertIn("1 candidate: 0 races, 0 excluded, 1 unknown", result.stdout)
        [candidate] = json.loads(out.read_text())["candidates"]
        self.assertEqual((candidate["verdict"], candidate["pairs"], candidate["decided"], candidate["ran_out"]),
                         ("unknown", 9, 3, "pairs"))

    def test_the_report_of_a_run_is_checked(self):
        figure = FIGURES / "vind_Figure1.std"

        def report(witness, events=(9, 2), verdict="race", kept=None):
            races = [{"verdict": verdict, "accesses": [{"event": e} for e in events], "witness": witness,
                      "witness_events": len(witness) if kept is None else kept}]
            return self.write("r.json", json.dumps({"omen": 1, "races": races}))

        good = [0, 1, 6, 7, 8, 2, 9]
        accepted = ([0, 1, 6, 7, 2, 9], [6, 7, 8, 2, 9], [0, 1, 6, 7, 8, 2, 9])
        codes = [omen("check", figure, self.write("w.json", json.dumps(w))).returncode for w in accepted]
        self.assertEqual([omen("check", figure, report(w)).returncode for w in accepted], codes)
        self.assertEqual(omen("check", figure, report(good)).returncode, 0)
        self.assertEqual(omen("check", figure, report(good, events=(9, 3))).returncode, 1)
        self.assertEqual(omen("check", figure, report([], kept=200000)).returncode, 1)
        self.assertEqual(omen("check", figure, report([], verdict="unknown")).returncode, 0)
        self.assertEqual(omen("check", figure, report(good, events=(9,))).returncode, 65)
        self.assertEqual(omen("check", figure, report(good), "--candidate", "1").returncode, 65)
        self.assertEqual(omen("check", figure, self.write("r.json", '{"omen": 1}')).returncode, 65)

    def test_bad_input_and_usage(self):
        figure = FIGURES / "vind_Figure1.std"
        self.assertEqual(omen("check", figure, self.write("w.json", "{]")).returncode, 65)
        self.assertEqual(omen("vindicate", self.folder / "missing.std").returncode, 65)
        self.assertEqual(omen("vindicate", figure, "--candidates", "some").returncode, 64)
        self.assertEqual(omen("vindicate", figure, "--pair", "0,9").returncode, 64)


if __name__ == "__main__":
    unittest.main()

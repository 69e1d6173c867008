#!/usr/bin/env python3
"""The real `omen relax`: three kinds of input, exit codes, text and JSON, dumped queries, messages."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

OMEN = sys.argv.pop(1)
TESTS = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = TESTS / "mini" / "programs"
FIGURES = TESTS / "conformance" / "figures"

VALUES = """omen-values 1
cell x 32 = 0
cell y 32 = 0
T1|write y = 3:32 -> 3|1
T1|write x = 1:32 -> 1|2
T1|write y = 5:32 -> 5|3
T2|%y4 = read y -> 5|4
T2|branch (slt 2:32 %y4) -> 1|4b
T2|%x5 = read x -> 1|5
"""


def omen(*arguments, stdin=None):
    return subprocess.run([OMEN, *map(str, arguments)], capture_output=True, text=True, check=False, input=stdin)


class Relax(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def candidates(self, *arguments):
        result = omen("relax", *arguments, "--json", "-")
        document = json.loads(result.stdout)
        self.assertEqual(document["omen"], 1)
        races = [c for c in document["candidates"] if c["verdict"] == "race"]
        self.assertEqual(result.returncode, 66 if races else 0)
        return document["candidates"]

    def test_a_value_trace_under_two_models(self):
        path = self.write("t.values", VALUES)
        behind = {c["verdict"]: c for c in self.candidates(path, "--model", "control") if c["pair"] == [1, 5]}
        self.assertEqual(list(behind), ["no-race"])
        (race,) = [c for c in self.candidates(path) if c["pair"] == [1, 5]]
        self.assertEqual(race["verdict"], "race")
        self.assertEqual(race["model"], "relax")
        self.assertEqual(race["witness"], [0, 3, 1, 5])
        self.assertIn({"event": 3, "value": 3, "recorded": 5}, race["values"])
        self.assertEqual(race["locations"], ["2", "5"])
        self.assertTrue(race["window"]["whole"])

    def test_text_shows_schedule_and_values(self):
        result = omen("relax", self.write("t.values", VALUES))
        self.assertEqual(result.returncode, 66)
        self.assertIn("r(y) = 3 (recorded: 5)", result.stdout)
        self.assertIn("3 candidates under relax: 3 races, 0 impossible, 0 out of budget", result.stdout)

    def test_a_program_and_its_turned_branch(self):
        found = set()
        for seed in range(1, 30):
            for c in self.candidates(PROGRAMS / "figure1.mini", "--seed", seed):
                if c["verdict"] == "race" and "turned" in c:
                    self.assertEqual(c["model"], "paths")
                    self.assertTrue(c["turned"]["events"])
                    found.add(tuple(sorted(l.split(":", 1)[1] for l in c["locations"])))
        self.assertTrue(found & {("14:15", "7:3"), ("12:15", "7:3")})
        text = omen("relax", PROGRAMS / "figure1.mini", "--seed", 1)
        self.assertEqual(text.returncode, 66)

    def test_the_same_seed_gives_the_same_bytes(self):
        runs = {omen("relax", PROGRAMS / "pingpong.mini", "--json", "-", "-j", jobs).stdout for jobs in (1, 2, 2)}
        self.assertEqual(len(runs), 1)

    def test_plain_traces_as_the_labels_say(self):
        for name, label in json.loads((FIGURES / "expected.json").read_text()).items():
            for model in ("ca", "lw"):
                races = [c for c in self.candidates(FIGURES / name, "--model", model, "--every") if c["verdict"] == "race"]
                self.assertEqual(sorted(sorted(c["pair"]) for c in races), sorted(label[model]), name)
            out = self.folder / "r.json"
            if omen("relax", FIGURES / name, "--json", out).returncode == 66:
                self.assertEqual(omen("check", FIGURES / name, out).returncode, 0, name)

    def test_standard_input(self):
        self.assertEqual(omen("relax", "-", stdin=VALUES).returncode, 66)
        self.assertEqual(omen("relax", "-", stdin="T1|w(x)|a\nT2|w(x)|b\n").returncode, 66)
        self.assertEqual(omen("relax", "-", stdin="# nothing\n").returncode, 0)

    def test_queries_are_dumped(self):
        folder = self.folder / "queries"
        omen("relax", self.write("t.values", VALUES), "--dump-queries", folder)
        files = sorted(p.name for p in folder.iterdir())
        self.assertIn("relax-1-5-in-0-6.smt2", files)
        self.assertIn("(check-sat)", (folder / files[0]).read_text())

    def test_bad_usage(self):
        plain = self.write("t.std", "T1|w(x)|a\nT2|w(x)|b\n")
        values = self.write("t.values", VALUES)
        for arguments, message in (
            ((plain, "--model", "relax"), "only ca and lw can be asked"),
            ((values, "--model", "paths"), "needs a program"),
            ((values, "--model", "none"), "--model"),
            ((values, "--pair", "1"), "expected I,J"),
            ((values, "--pair", "0,1"), "do not conflict"),
            ((values, "--pair", "0,99"), "expected events below 6"),
            ((values, "--budget", "-1"), "--budget"),
            ((), "TRACE-OR-PROGRAM"),
        ):
            result = omen("relax", *arguments)
            self.assertEqual(result.returncode, 64, arguments)
            self.assertIn(message, result.stderr)

    def test_bad_input(self):
        for name, text, message in (
            ("t.values", VALUES + "T1|write x = 1:8 -> 1|9\n", "t.values:10: expected an expression of 32 bits"),
            ("t.values", VALUES.replace("read y -> 5", "read y -> 4"), "t.values:7: expected the recorded value 4"),
            ("t.std", "T1|rel(m)|a\n", "t.std:1: "),
            ("p.mini", "shared 7;\n", "p.mini:1"),
        ):
            result = omen("relax", self.write(name, text))
            self.assertEqual(result.returncode, 65, name + result.stderr)
            self.assertIn(message, result.stderr)
        self.assertEqual(omen("relax", self.folder / "missing.values").returncode, 65)
        self.assertEqual(omen("relax", self.folder / "missing.mini").returncode, 65)


if __name__ == "__main__":
    unittest.main()

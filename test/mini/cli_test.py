#!/usr/bin/env python3
"""The real `omen mini`: exit codes, messages, JSON, and that its traces pass `omen analyze`."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

OMEN = sys.argv.pop(1)
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"


def omen(*arguments):
    return subprocess.run([OMEN, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300)


class Mini(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_bad_usage_and_bad_programs(self):
        self.assertEqual(omen("mini").returncode, 64)
        self.assertEqual(omen("mini", "fly", "p.mini").returncode, 64)
        self.assertEqual(omen("mini", "run").returncode, 64)
        missing = omen("mini", "run", self.folder / "none.mini")
        self.assertEqual(missing.returncode, 65)
        self.assertIn("none.mini: cannot open", missing.stderr)
        bad = omen("mini", "explore", self.write("bad.mini", "void main() {\n  x = 1;\n}\n"))
        self.assertEqual(bad.returncode, 65)
        self.assertRegex(bad.stderr, r"bad\.mini:2:3: expected a variable, found 'x'")
        self.assertEqual(omen("mini", "run", "--help").returncode, 0)

    def test_run(self):
        good = omen("mini", "run", PROGRAMS / "widths.mini")
        self.assertEqual(good.returncode, 0)
        self.assertRegex(good.stdout, r"finished after \d+ steps")
        path = self.write("p.mini", "shared i8 x = 3;\nvoid main() {\n  print -x;\n  print x > 2;\n  x = x / (x - 3);\n}\n")
        bad = omen("mini", "run", path)
        self.assertEqual(bad.returncode, 66)
        self.assertEqual(bad.stdout, "main: -3\nmain: true\np.mini:5:9: main: division by zero\nfault after 5 steps\n")
        document = json.loads(omen("mini", "run", path, "--json", "-").stdout)
        self.assertEqual(document["fault"], {"thread": "main", "location": "p.mini:5:9", "what": "division by zero"})
        self.assertEqual(document["variables"], {"x": "3"})

    def test_schedules(self):
        program = PROGRAMS / "figure1.mini"
        one = omen("mini", "run", program, "--schedule", "0*2,1*2,2*2")
        self.assertEqual((one.returncode, one.stdout), (0, "T2: 1\nfinished after 7 steps\n"))
        other = omen("mini", "run", program, "--schedule", "0*2,2*3")
        self.assertEqual(other.returncode, 66)
        self.assertIn("figure1.mini:14:13: T2: division by zero", other.stdout)
        refused = omen("mini", "run", program, "--schedule", "1")
        self.assertEqual(refused.returncode, 64)
        self.assertIn("the thread of step 0 cannot run then", refused.stderr)
        for bad in ("x", "0,", "0*", "0;1", "999", "0*99999999"):
            self.assertEqual(omen("mini", "run", program, "--schedule", bad).returncode, 64, bad)
        again = [omen("mini", "run", program, "--seed", "7", "--json", "-").stdout for _ in range(2)]
        self.assertEqual(again[0], again[1])

    def test_explore(self):
        found = omen("mini", "explore", PROGRAMS / "figure1.mini", "--json", "-")
        self.assertEqual(found.returncode, 66)
        document = json.loads(found.stdout)
        self.assertTrue(document["exhaustive"])
        pairs = [race["locations"] for race in document["races"]]
        self.assertIn(["figure1.mini:7:3", "figure1.mini:14:15"], pairs)
        self.assertEqual(len(document["faults"]), 2)
        states = json.loads(omen("mini", "explore", PROGRAMS / "figure1.mini", "--method", "states", "--json", "-").stdout)
        self.assertEqual(pairs, [race["locations"] for race in states["races"]])
        self.assertEqual(omen("mini", "explore", PROGRAMS / "widths.mini").returncode, 0)
        spinning = omen("mini", "explore", PROGRAMS / "critical.mini")
        self.assertIn("all schedules (28 states", spinning.stdout)
        cut = omen("mini", "explore", PROGRAMS / "airline.mini", "--max-steps", "5", "--max-states", "5")
        self.assertIn("NOT EXHAUSTIVE", cut.stdout)

    def test_traces_pass_analyze(self):
        for program in sorted(PROGRAMS.glob("*.mini")):
            for seed in range(1, 4):
                std, values = self.folder / "t.std", self.folder / "t.values"
                made = omen("mini", "trace", program, "--seed", seed, "-o", std, "--values", values)
                self.assertEqual((made.returncode, made.stderr), (0, ""), program)
                analysed = omen("analyze", std, "--analysis", "unopt-hb", "--json", "-")
                self.assertIn(analysed.returncode, (0, 66), analysed.stderr)
                true = json.loads(omen("mini", "explore", program, "--json", "-").stdout)
                pairs = [sorted(race["locations"]) for race in true["races"]]
                first = json.loads(analysed.stdout)["results"][0]
                # The first happens-before race of a trace is a race of the program.
                if first["races"]:
                    locations = first["races"][0]["locations"]
                    self.assertIn(sorted([locations[0], locations[-1]]), pairs, program)
                self.assertTrue(values.read_text())

    def test_instrument(self):
        out = self.folder / "i.mini"
        for program, code in (("widths.mini", 0), ("airline.mini", 66)):
            self.assertEqual(omen("mini", "instrument", PROGRAMS / program, "-o", out).returncode, 0)
            self.assertEqual(omen("mini", "explore", out, "--max-steps", "100000").returncode, code, program)
        dynamic = omen("mini", "instrument", PROGRAMS / "case_sorting.mini")
        self.assertEqual(dynamic.returncode, 65)
        self.assertRegex(dynamic.stderr, r"case_sorting\.mini:\d+:\d+: expected a constant, or to be told how many")
        self.assertEqual(omen("mini", "instrument", PROGRAMS / "case_sorting.mini", "--threads", "8").returncode, 0)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The real `omen compare` on the figures of Vindicator, whose verdicts are known: tables, classes, distances, the plot.

Usage: compare_test.py PATH-OF-OMEN [unittest options]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

OMEN = sys.argv.pop(1)
FIGURES = pathlib.Path(__file__).resolve().parent.parent / "conformance/figures"


class Compare(unittest.TestCase):
    def compare(self, trace, *arguments, code):
        done = subprocess.run([OMEN, "compare", str(trace), *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_figures_have_their_classes_and_verdicts(self):
        expected = json.loads((FIGURES / "expected.json").read_text())
        confirmed = 0
        for name, figure in expected.items():
            if not name.startswith("vind_") or len(figure["pairs"]["wdc"]) != 1:
                continue
            with self.subTest(figure=name):
                [pair] = figure["pairs"]["wdc"]
                race = bool(figure["lw"])
                confirmed += race
                found = json.loads(self.compare(FIGURES / name, "--json", "-", code=66 if race else 0))
                self.assertEqual(len(found["relations"]), 4)
                for relation in found["relations"]:
                    self.assertEqual(relation["dynamic"], len(figure["pairs"][relation["relation"]]), relation)
                [one] = [r for r in found["races"] if r["class"] != "LW-only"]
                self.assertEqual((one["pair"], one["verdict"]), (pair, "confirmed" if race else "excluded"))
                self.assertEqual(one["distance"], [pair[1] - pair[0]] * 2)
                strongest = next(r for r in ("hb", "wcp", "dc", "wdc") if figure["pairs"][r])
                self.assertEqual(one["class"].lower().removesuffix("-only"), strongest)
        self.assertGreater(confirmed, 3)

    def test_text_has_the_tables(self):
        text = self.compare(FIGURES / "vind_Figure3.std", code=66)
        for line in ("races by relation: static (dynamic)", "  WCP         0 (0)", "  DC          1 (1)",
                     "VindicateRace on the dynamic races", "  DC-only   1 of 1 are races; constraints added (races): ",
                     "dynamic races with at least this distance, in percent"):
            self.assertIn(line, text)

    def test_distances_fall_and_are_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            # Eleven writers without a lock: each access races with those before it.
            trace = pathlib.Path(folder) / "t.std"
            trace.write_text("".join(f"T{n}|w(x)|a.c:{n}\n" for n in range(11)))
            plot = pathlib.Path(folder) / "p.svg"
            self.compare(trace, "--json", str(pathlib.Path(folder) / "c.json"), "--svg", str(plot), code=66)
            [hb] = [c for c in json.loads((pathlib.Path(folder) / "c.json").read_text())["classes"] if c["class"] == "HB"]
            steps = hb["distances"]["at_least"]
            self.assertEqual(steps[0], [1, 1.0])
            self.assertEqual([d for d, _ in steps], list(range(1, hb["distances"]["most"] + 1)))
            self.assertEqual(sorted((share for _, share in steps), reverse=True), [share for _, share in steps])
            self.assertEqual(hb["dynamic"], hb["static"])
            root = xml.etree.ElementTree.parse(plot).getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            self.assertEqual(len(root.findall("{http://www.w3.org/2000/svg}polyline")), 1)

    def test_no_race_and_bad_input(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "t.std"
            trace.write_text("A|w(x)|1\n")
            self.assertIn("  HB          0 (0)", self.compare(trace, code=0))
            trace.write_text("A|rel(m)|1\n")
            self.compare(trace, code=65)
            self.compare(pathlib.Path(folder) / "none", code=65)
        self.compare("-", "--most", "x", code=64)


if __name__ == "__main__":
    unittest.main()

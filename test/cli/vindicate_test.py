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

    def test_bad_input_and_usage(self):
        figure = FIGURES / "vind_Figure1.std"
        self.assertEqual(omen("check", figure, self.write("w.json", "{]")).returncode, 65)
        self.assertEqual(omen("vindicate", self.folder / "missing.std").returncode, 65)
        self.assertEqual(omen("vindicate", figure, "--candidates", "some").returncode, 64)
        self.assertEqual(omen("vindicate", figure, "--pair", "0,9").returncode, 64)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Unit tests of bench/scale.py that need neither compilers nor programs: ratios within rounds, their means, the table and the plot."""
import pathlib
import sys
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench" / name) for name in ("scale", "versions", "online")] + [str(ROOT / "bench"), str(ROOT / "test" / "external")]

from scale_tables import Scale, chart, section  # noqa: E402  (the path comes first)
from workloads import WORKLOADS  # noqa: E402


def run(wall):
    return {"wall": wall, "cpu": 2 * wall, "memory": 10}


RESULTS = {"a": {"1": {"native": [run(1), run(2)], "tsan": [run(2), run(4)], "fto-hb": [run(1), run(2)]},
                 "16": {"native": [run(1)], "tsan": [run(2)], "fto-hb": [run(4)], "st-dc": [{"wall": 20, "trouble": "stopped after 20 s"}]}},
           "b": {"1": {"native": [run(1)], "tsan": [run(1)], "fto-hb": [run(2)]}, "16": {"native": [run(1)], "tsan": [run(2)], "fto-hb": [run(1)]}}}


class Tables(unittest.TestCase):
    def test_ratios_are_taken_within_a_round(self):
        self.assertEqual(Scale(RESULTS).ratios("a", 1, "fto-hb", "wall"), [0.5, 0.5])
        self.assertEqual(Scale(RESULTS).mean(1, "fto-hb"), (1, 1, 1, 2))

    def test_a_run_that_was_stopped_counts_as_at_least_its_time(self):
        self.assertEqual(Scale(RESULTS).cell("a", 16, "st-dc"), "> 10.00 (10.00 to 10.00)")
        text = "\n".join(section(Scale(RESULTS)))
        self.assertIn("| a | 2.00 (2.00 to 2.00) | > 10.00 (10.00 to 10.00) |\n| b | 0.50 (0.50 to 0.50) |  |", text)
        self.assertIn("a, 16 threads, omen st-dc: stopped after 20 s.", text)

    def test_the_plot_has_a_line_for_each_analysis(self):
        root = xml.etree.ElementTree.fromstring(chart(Scale(RESULTS)))
        self.assertEqual([len(line.get("points").split()) for line in root.findall("{*}polyline")], [2, 1])

    def test_workloads_of_locks_have_sources(self):
        kernels = [each for each in WORKLOADS.values() if hasattr(each, "folder")]
        self.assertEqual(len(kernels), 12)
        for each in kernels:
            self.assertTrue((each.folder / f"{each.name}.cpp").exists(), each.name)


if __name__ == "__main__":
    unittest.main()

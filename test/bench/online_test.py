#!/usr/bin/env python3
"""Unit tests of bench/online.py that need neither compilers nor programs: stored results, printed tables, choice of repeated links."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench" / "online"), str(ROOT / "bench"), str(ROOT / "test" / "external")]

import tables  # noqa: E402  (the path comes first)
import traffic  # noqa: E402
from building import link_of  # noqa: E402
from plot import chart  # noqa: E402
from samples import Samples  # noqa: E402


def run(cpu, reports=0):
    return {"cpu": cpu, "wall": cpu, "memory": 10 * cpu, "reports": reports}


RECORDS = {"a": {"native": [run(1), run(9), run(1)], "tsan": [run(4)], "st-wdc": [run(2, 3)]},
           "b": {"native": [run(1)], "tsan": [run(9)], "st-wdc": [run(18), {"cpu": 0, "trouble": "timeout"}]}}


class Tables(unittest.TestCase):
    def test_medians_and_geometric_means(self):
        medians = tables.Medians(RECORDS, ["a", "b", "never measured"])
        self.assertEqual(medians.items, ["a", "b"])
        self.assertEqual(medians.variants, ["native", "tsan", "st-wdc"])
        self.assertEqual(medians.value("a", "native", "cpu"), 1)
        self.assertEqual(medians.mean("tsan", "cpu"), (6, 2))
        self.assertAlmostEqual(medians.mean("st-wdc", "cpu", "tsan")[0], 1)

    def test_means_have_an_interval_where_there_are_rounds(self):
        self.assertIsNone(tables.Medians({"a": {"native": [run(1)], "tsan": [run(4)]}}, ["a"]).interval("tsan", "cpu"))
        same = {"a": {"native": [run(1), run(2), run(4)], "tsan": [run(2), run(4), run(8)]}}
        self.assertEqual(tables.Medians(same, ["a"]).interval("tsan", "cpu"), (2, 2), "a slow round is slow for all of its runs")
        noisy = {"a": {"native": [run(1)] * 5, "tsan": [run(each) for each in (1, 2, 3, 4, 5)]}}
        low, high = tables.Medians(noisy, ["a"]).interval("tsan", "cpu")
        self.assertTrue(1 <= low < 3 < high <= 5, (low, high))
        self.assertIn(f"3.00 [{low:.2f} to {high:.2f}]", "\n".join(tables.means(tables.Medians(noisy, ["a"]))))

    def test_instructions_are_shown_where_they_were_counted(self):
        counted = {"a": {"native": [run(1) | {"instructions": 10}], "tsan": [run(4) | {"instructions": 50}]}}
        self.assertIn("| instructions, × native | 5.00 |", "\n".join(tables.means(tables.Medians(counted, ["a"]))))
        self.assertNotIn("instructions", "\n".join(tables.means(tables.Medians(RECORDS, ["a", "b"]))))

    def test_the_rule_marks_what_is_slower_than_tsan(self):
        text = "\n".join(tables.section(tables.Medians(RECORDS, ["a", "b"]), rule=True))
        self.assertIn("| a | 4.00 | 2.00 |\n| b | 9.00 | 18.00 ▲ |\n| geometric mean | 6.00 | 6.00 |", text)
        self.assertIn("Did not work: b, omen st-wdc: timeout.", text)
        self.assertNotIn("▲", "\n".join(tables.section(tables.Medians(RECORDS, ["a", "b"]), rule=False)))

    def test_the_plot_is_well_formed(self):
        root = xml.etree.ElementTree.fromstring(chart([("Programs", tables.Medians(RECORDS, ["a", "b"])), ("Kernels", tables.Medians({}, []))]))
        self.assertEqual(len(root.findall("{*}rect")), 1 + 2 + 3 * 2)  # background, legend, two items and the mean


class Kept(unittest.TestCase):
    def test_goes_on_where_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            first = self.loaded(folder)
            first.put("a", "tsan", "one", run(1))
            first.put("a", "native", "x", run(2) | {"trouble": "timeout"})
            again = self.loaded(folder)
            self.assertEqual(again.runs("a", "tsan", "one"), [run(1)])
            self.assertEqual(again.runs("a", "native", "x"), [], "what did not work is tried again")
            self.assertEqual(again.records(["tsan", "native"], 3), {"a": {"tsan": [run(1)]}})
            self.assertEqual(again.runs("a", "tsan", "two"), [], "another program")
            self.assertEqual(self.loaded(folder, fresh=True).kept, {"a": {}})

    @staticmethod
    def loaded(folder, fresh=False):
        samples = Samples(pathlib.Path(folder), fresh)
        samples.load("a")
        return samples


class Links(unittest.TestCase):
    def test_only_links_are_noted(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "links"
            for words in (["-c", "a.c", "-o", "a.o"], ["a.o", "-o", "a"], ["b.o", "-o", "sub/a"], ["-E", "a.c", "-o", "a.i"]):
                subprocess.run([sys.executable, "-B", ROOT / "bench/online/record_links.py", log, "true", *words], check=True, cwd=folder)
            self.assertEqual(len(log.read_text(encoding="utf-8").splitlines()), 2)
            self.assertIsNone(link_of(log, "a.o"))
            self.assertEqual(link_of(log, "a"), {"folder": folder, "driver": "true", "words": ["b.o", "-o", "sub/a"]})


class Traffic(unittest.TestCase):
    def test_connections_share_no_key(self):
        for batch in (traffic.memcached_batch, traffic.redis_batch):
            keys = [{request.split()[1] for request, answer in batch(number) if b"NOT_FOUND" not in answer} for number in (1, 2)]
            self.assertFalse(keys[0] & keys[1])


if __name__ == "__main__":
    unittest.main()

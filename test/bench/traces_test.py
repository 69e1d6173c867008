#!/usr/bin/env python3
"""Unit tests of bench/vindicator.py and bench/smarttrack.py that need neither compilers nor programs: merging rounds, shares, ratios, tables, the plot."""
import pathlib
import sys
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench" / name) for name in ("traces", "versions", "online")] + [str(ROOT / "bench"), str(ROOT / "test" / "external")]

import smarttrack_tables  # noqa: E402  (the path comes first)
import vindicator_tables as tables  # noqa: E402
from distance_plot import chart  # noqa: E402
from ratios import mean_of, of_values  # noqa: E402
from recorded import PARTS  # noqa: E402


def race(race_class, verdict, places, distance, dynamic=1):
    return {"class": race_class, "verdict": verdict, "variable": "x", "locations": list(places), "dynamic": dynamic, "distance": list(distance)}


def took(seconds, memory=10):
    return {"cpu": seconds, "memory": memory}


def one_round(races, relations, at_least, native=1.0):
    classes = {name: {"dynamic": sum(each["dynamic"] for each in races if each["class"] == name), "at_least": []} for name in tables.CLASSES}
    classes["DC-only"]["at_least"] = at_least
    classes["DC-only"]["vindicate_race"] = {"asked": 10, "races": 9, "constraints": {"0": 4, "3": 5, "200": 1}, "iterations": {"1": 9, "7": 1}}
    return {"part": 0.02, "events": 1000, "not_same_epoch": 400, "threads": 3, "mib": 1.5, "relations": relations, "classes": classes, "races": races,
            "native": took(native), "recorded": took(3 * native), "passes": {key: took(number + 1) for number, key in enumerate(tables.PASSES)}}


RELATIONS = {"hb": [0, 0], "wcp": [1, 1], "dc": [2, 5], "wdc": [2, 5]}
FIRST = one_round([race("WCP-only", "unknown", "ab", (700, 900)), race("DC-only", "confirmed", "cd", (40, 4000), 4)], RELATIONS, [[10, 1.0], [100, 0.25]])
SECOND = one_round([race("HB", "confirmed", "ba", (3, 3)), race("DC-only", "excluded", "ef", (5, 5))], RELATIONS | {"hb": [1, 2]}, [[5, 1.0]], native=2.0)
RESULTS = {"a": [FIRST, SECOND], "b": [FIRST]}


class Vindicator(unittest.TestCase):
    def test_rounds_are_put_together_by_place(self):
        merged = {tables.places(each): each for each in tables.merged_races([FIRST, SECOND])}
        self.assertEqual(sorted(merged), [("a", "b"), ("c", "d"), ("e", "f")])
        self.assertEqual((merged["a", "b"]["class"], merged["a", "b"]["verdict"], merged["a", "b"]["distance"]), ("HB", "confirmed", [3, 900]))
        self.assertEqual(merged["e", "f"]["verdict"], "excluded")
        self.assertEqual(FIRST["races"][0]["distance"], [700, 900], "what was measured stays as it is")

    def test_excluded_only_if_no_round_leaves_it_open(self):
        open_once = [one_round([race("DC-only", verdict, "ab", (1, 1))], RELATIONS, []) for verdict in ("excluded", "unknown")]
        self.assertEqual(tables.merged_races(open_once)[0]["verdict"], "unknown")

    def test_counts_are_means(self):
        text = "\n".join(tables.relations_table(RESULTS))
        self.assertIn("| a | 0.5 (1) | 1 (1) | 2 (5) | 2 (5) |", text)
        self.assertIn("| total | 0 (1) | 2 (2) | 4 (10) | 4 (10) |", text)
        self.assertIn("| a | 1 (1/0/0) | 0 | 2 (1/1/0) | 0 | 0 | 2 | 1 | 0 |", "\n".join(tables.verdicts_table(RESULTS)))

    def test_means_have_decimals_where_they_say_something(self):
        self.assertEqual([tables.mean(each) for each in ([3, 3], [3, 5], [1, 2], [10000, 10001])], ["3", "4", "1.5", "10,000"])

    def test_predicted_races_have_their_distances(self):
        text = "\n".join(tables.predicted_table(RESULTS, most=1))
        self.assertIn("| a | DC-only | confirmed | `c`, `d` | 4 | 40 to 4,000 |\n| a |  |  | and 1 more |  |  |", text)
        self.assertNotIn("`a`, `b` | 2", text, "happens-before shows it")

    def test_constraints_fall_into_the_paper_s_columns(self):
        self.assertEqual(tables.graph_counts({"a": [FIRST]}, "DC-only"), (10, 9, {"constraints": [4, 0, 5, 0, 0, 1], "iterations": [9, 0, 0, 0, 0, 1]}))
        self.assertEqual(tables.graph_counts(RESULTS, "WDC-only")[0], 0)
        self.assertIn("| DC-only | 30 | 27 | 12 | 0 | 15 | 0 | 0 | 3 |", "\n".join(tables.graph_table(RESULTS)))

    def test_shares_by_distance_are_weighted_by_races(self):
        self.assertEqual([tables.share_at_least([[10, 1.0], [100, 0.25]], each) for each in (1, 10, 11, 100, 101)], [1.0, 1.0, 0.25, 0.25, 0.0])
        parts = tables.distances({"a": [FIRST, SECOND]}, "DC-only")
        self.assertEqual(parts, [(4, [[10, 1.0], [100, 0.25]]), (1, [[5, 1.0]])])
        self.assertAlmostEqual(tables.at_least(parts, 50), 4 * 0.25 / 5)
        self.assertIsNone(tables.at_least([], 50))

    def test_a_window_holds_both_accesses(self):
        races = [race("HB", "confirmed", "ab", (499, 9000)), race("HB", "confirmed", "cd", (500, 500))]
        self.assertEqual(tables.recall(races, 500), 0.5)
        self.assertIsNone(tables.recall([], 500))
        self.assertIn("| confirmed | 3 | 100.0 % |", "\n".join(tables.recall_table(RESULTS)))

    def test_times_are_ratios_within_a_round(self):
        self.assertEqual(tables.ratio_values([FIRST, SECOND], "recorded", "cpu"), [3, 3])
        self.assertEqual(tables.ratio_values([FIRST, SECOND], "fto-hb", "cpu"), [1, 0.5])
        self.assertIn("| 3.0 (3.0 to 3.0) | 0.8 (0.5 to 1.0) |", "\n".join(tables.cost_table(RESULTS)))

    def test_all_tables_are_there(self):
        text = "\n".join(tables.section(RESULTS))
        for number in (1, 2, 3, 4):
            self.assertIn(f"Table {number} of the paper", text)
        self.assertIn("1 to 2 recorded runs", text)
        self.assertIn("(least and most)", text, "two rounds make no interval of 95 %")

    def test_the_plot_is_well_formed(self):
        root = xml.etree.ElementTree.fromstring(chart(RESULTS))
        lines = root.findall("{*}polyline")
        self.assertEqual(len(lines), 1, "of the classes that have distances")
        heights = [float(point.split(",")[1]) for point in lines[0].get("points").split()]
        self.assertEqual(heights, sorted(heights), "shares only fall")
        self.assertEqual(len(xml.etree.ElementTree.fromstring(chart({})).findall("{*}polyline")), 0)


def pass_of(seconds, memory=4):
    return [{"seconds": each, "peak_mib": memory, "events": 100, "races": 0} for each in seconds]


PASSES = {"read": pass_of([1, 2]), "read+check": pass_of([1, 2])} | {key: pass_of([4, 8], 8) for key in smarttrack_tables.ANALYSES}
PASSES["st-wdc"] = pass_of([8, 16], 12)
TRACE = {"part": 0.5, "mib": 2, "races": {key: [2, 1000 + number] for number, key in enumerate(smarttrack_tables.ANALYSES)}, "passes": PASSES,
         "counts": {"events": 12345, "threads": 5, "analysis": {"accesses": 10000, "not_same_epoch": 2000, "held_at_least": [1000, 1, 0],
                                                               "ancillary_checked": 20, "ancillary_used": 0}}}


class SmartTrack(unittest.TestCase):
    def test_shares_are_of_the_accesses_not_in_the_same_epoch(self):
        self.assertIn("| a | 50.000% | 5 | 12,345 | 10,000 | 2,000 (20.0 %) | 50.0 % | < 0.1 % | 0 | 1.0 % | 0 |",
                      "\n".join(smarttrack_tables.characteristics_table({"a": TRACE})))

    def test_ratios_are_taken_within_a_round(self):
        self.assertEqual(smarttrack_tables.ratios(PASSES, "st-wdc", "fto-hb", "seconds"), [2, 2])
        text = "\n".join(smarttrack_tables.means_table({"a": TRACE, "b": TRACE}, "seconds", "fto-hb"))
        self.assertIn("| WDC | 1.00 (1.00 to 1.00) |  | 1.00 (1.00 to 1.00) | 2.00 (2.00 to 2.00) |", text)
        self.assertIn("| HB | 2.00 (2.00 to 2.00) | 2.00", "\n".join(smarttrack_tables.means_table({"a": TRACE}, "peak_mib", "read")))

    def test_every_analysis_has_its_races(self):
        text = "\n".join(smarttrack_tables.races_table({"a": TRACE}))
        self.assertEqual(len(smarttrack_tables.ANALYSES), 12)
        self.assertIn("| a | 2 (1,000) | 2 (1,001) | 2 (1,002) |", text)
        self.assertIn("| WDC | Unopt | FTO | SmartTrack |", text)

    def test_all_tables_are_there(self):
        text = "\n".join(smarttrack_tables.section({"a": TRACE}))
        for number in (4, 5, 6):
            self.assertIn(f"Table {number} of the paper", text)
        self.assertIn("| a | 6.000 | 0.25 (0.25 to 0.25) |", text)


class Statistics(unittest.TestCase):
    def test_of_few_values_the_interval_is_all_of_them(self):
        few = of_values([3, 1, 2])
        self.assertEqual((few.median, few.low, few.high), (2, 1, 3))
        many = of_values(list(range(1, 101)))
        self.assertTrue(1 < many.low < many.median < many.high < 100)

    def test_the_mean_is_geometric(self):
        mean = mean_of([[1, 1, 1], [4, 4, 4]])
        self.assertAlmostEqual(mean.median, 2)
        self.assertAlmostEqual(mean.high, 2)
        noisy = mean_of([[1, 2, 3, 4, 5]])
        self.assertTrue(1 <= noisy.low < 3 < noisy.high <= 5)


class Programs(unittest.TestCase):
    def test_ten_programs_leveldb_and_memcached_first(self):
        self.assertEqual(len(PARTS), 10)
        self.assertEqual(list(PARTS)[:2], ["leveldb", "memcached"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The real `omen analyze` and `omen stats --analysis`: the JSON contract, exit codes, and that parallel passes give the same results."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

OMEN = sys.argv.pop(1)
DATA = pathlib.Path(__file__).resolve().parent.parent / "conformance"
ANALYSES = ("unopt-hb ft2-hb fto-hb unopt-wcp fto-wcp st-wcp unopt-dc fto-dc st-dc unopt-wdc fto-wdc st-wdc").split()


def omen(*arguments, stdin=None):
    return subprocess.run([OMEN, *map(str, arguments)], input=stdin, capture_output=True, text=True, check=False)


def analyze(path, *arguments):
    result = omen("analyze", path, "--analysis", "all", "--json", "-", *arguments)
    return result.returncode, json.loads(result.stdout)


class Analyze(unittest.TestCase):
    def test_figures_as_labelled(self):
        labels = json.loads((DATA / "figures" / "expected.json").read_text())
        self.assertGreaterEqual(len(labels), 9)
        for name, label in labels.items():
            code, document = analyze(DATA / "figures" / name)
            self.assertEqual(document["omen"], 1)
            self.assertEqual([r["analysis"] for r in document["results"]], ANALYSES)
            for result in document["results"]:
                relation = result["analysis"].split("-")[1]
                first = label["first"][relation]
                found = result["first_race"]
                self.assertEqual(found and found["event"], first, (name, result["analysis"]))
                if first is not None:
                    self.assertIn([found["with"], first], label["pairs"][relation], (name, result["analysis"]))
                self.assertEqual(result["racy_events"], len(result["races"]))
                self.assertGreaterEqual(result["seconds"], 0)
            self.assertEqual(code, 66)

    def test_one_entry_per_racy_access_with_all_fields(self):
        _, document = analyze(DATA / "figures" / "vind_Figure1.std")
        self.assertEqual(document["trace"]["events"], 12)
        self.assertEqual(document["trace"]["threads"], 3)
        (race,) = document["results"][3]["races"]
        expected = {"event": 9, "with": [2], "variable": "x", "kind": "write-read", "locations": ["3", "10"], "threads": ["T1", "T2"]}
        self.assertEqual(race, expected)

    def test_workers_do_not_change_the_result(self):
        line = (DATA / "traces.jsonl").read_text().splitlines()[1]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.std"
            path.write_text(json.loads(line)["std"])
            _, alone = analyze(path, "--jobs", "1")
            _, together = analyze(path, "--jobs", "4")
        for document in (alone, together):
            for result in document["results"]:
                result.pop("seconds")
        self.assertEqual(alone, together)

    def test_exit_codes_and_messages(self):
        quiet = omen("analyze", "-", stdin="T0|w(x)|a.c:1\nT0|r(x)|a.c:2\n")
        self.assertEqual(quiet.returncode, 0)
        self.assertIn("No races.", quiet.stdout)
        racy = omen("analyze", "-", "--analysis", "fto-hb,st-wdc", stdin="T0|w(x)|a.c:1\nT1|r(x)|b.c:2\n")
        self.assertEqual(racy.returncode, 66)
        self.assertIn("a.c:1", racy.stdout)
        self.assertIn("b.c:2", racy.stdout)
        unknown = omen("analyze", "-", "--analysis", "st-hb", stdin="")
        self.assertEqual(unknown.returncode, 64)
        self.assertIn("st-wdc", unknown.stderr)
        bad = omen("analyze", "-", stdin="T0|w(x)|1\nT0|rel(m)|2\n")
        self.assertEqual(bad.returncode, 65)
        self.assertRegex(bad.stderr, r":2: .*does not hold 'm'")
        self.assertEqual(bad.stdout, "")

    def test_names_that_need_escaping(self):
        result = omen("analyze", "-", "--json", "-", stdin='T"0|w(x\\y)|a\tb\nT1|w(x\\y)|c\n')
        (race,) = json.loads(result.stdout)["results"][0]["races"]
        self.assertEqual(race["variable"], "x\\y")
        self.assertEqual(race["locations"], ["a\tb", "c"])

    def test_a_file_for_json_appears_whole_and_text_is_still_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "r.json"
            result = omen("analyze", DATA / "figures" / "vind_Figure2.std", "--json", out)
            self.assertEqual(result.returncode, 66)
            self.assertIn("distinct races", result.stdout)
            self.assertEqual(json.loads(out.read_text())["results"][0]["first_race"]["event"], 14)

    def test_threads_that_come_and_go_cost_no_memory(self):
        # 20,000 threads, 64 at a time: memory depends on the 64. With an entry in every clock for each thread, it would be
        # gigabytes.
        threads, alive, limit = 20000, 64, 512 << 20
        lines = []
        for i in range(threads + alive):
            if i >= alive:
                lines.append(f"M|join(T{i - alive})")
            if i < threads:
                lines.append(f"M|fork(T{i})")
                t = f"T{i}"
                lines += [f"{t}|acq(m)", f"{t}|r(sum)", f"{t}|w(sum)", f"{t}|rel(m)", f"{t}|w(own{i % alive})",
                          f"{t}|acq(k{i % 7})", f"{t}|r(read{i % 7})", f"{t}|rel(k{i % 7})"]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        trace = pathlib.Path(folder.name) / "threads.std"
        trace.write_text("".join(f"{line}|0\n" for line in lines))
        # AddressSanitizer quarantines freed memory.
        environment = os.environ | {"ASAN_OPTIONS": "quarantine_size_mb=1:thread_local_quarantine_size_kb=64"}
        for analysis in ANALYSES:
            command = [str(OMEN), "analyze", str(trace), "--analysis", analysis, "-j", "1"]
            process = os.posix_spawn(OMEN, command, environment, file_actions=[
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
            _, status, usage = os.wait4(process, 0)
            self.assertEqual(os.waitstatus_to_exitcode(status), 0, analysis)
            self.assertLess(usage.ru_maxrss << 10, limit, analysis)

    def test_rule_counters(self):
        result = omen("stats", DATA / "figures" / "vind_Figure3.std", "--analysis", "fto-hb,st-wdc", "--json", "-")
        self.assertEqual(result.returncode, 0)
        document = json.loads(result.stdout)
        for counted in document["analyses"]:
            self.assertEqual(sum(counted["rules"].values()), document["accesses"])
            self.assertEqual(counted["accesses"], document["accesses"])
            self.assertLessEqual(counted["not_same_epoch"], counted["accesses"])


if __name__ == "__main__":
    unittest.main()

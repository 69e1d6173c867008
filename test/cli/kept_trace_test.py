#!/usr/bin/env python3
"""A recorded trace is self-contained: `omen report` makes the report that `omen run` printed from it, and the other commands show
functions, files and lines. Also `omen run` with a baseline, with --fail-on and with --runs.

Usage: kept_trace_test.py OMEN OMEN-C++ [unittest options]
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
# The second thread starts after the first is done: happens-before orders `hidden` through the lock, and nothing orders `open_`, which
# is not accessed if there is an argument.
PROGRAM = """#include <pthread.h>
#include <unistd.h>
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
int hidden, open_, quiet;
void section() { pthread_mutex_lock(&guard); pthread_mutex_unlock(&guard); }
void set_hidden(int value) { hidden = value; }
void set_open(int value) { open_ = value; }
void* first(void*) { set_hidden(1); section(); if (!quiet) set_open(1); return nullptr; }
void* second(void*) { usleep(100000); if (!quiet) set_open(2); section(); set_hidden(2); return nullptr; }
int main(int argc, char**) {
  quiet = argc > 1;
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, first, nullptr);
  pthread_create(&threads[1], nullptr, second, nullptr);
  pthread_join(threads[0], nullptr);
  pthread_join(threads[1], nullptr);
  return 3;
}
"""

# The pipe orders T2 after T1; T3 starts late.
PIPE = """#include <pthread.h>
#include <unistd.h>
int ends[2], x;
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
void* first(void*) { x = 1; return write(ends[1], "a", 1) == 1 ? ends : nullptr; }
void* second(void*) { char c; usleep(50000); if (read(ends[0], &c, 1) == 1) x = 2; return nullptr; }
void* third(void*) { usleep(100000); x = 3; return nullptr; }
int main() {
  if (pipe(ends) != 0) return 1;
  pthread_t threads[3];
  pthread_create(&threads[0], nullptr, first, nullptr);
  pthread_create(&threads[1], nullptr, second, nullptr);
  pthread_create(&threads[2], nullptr, third, nullptr);
  for (pthread_t& thread : threads) pthread_join(thread, nullptr);
}
"""


def places(report):
    return sorted(sorted(access["stack"][0]["function"] for access in race["accesses"]) for race in report["races"])


class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.TemporaryDirectory(prefix="omen-living-")
        cls.addClassCleanup(cls.built.cleanup)
        folder = pathlib.Path(cls.built.name).resolve()
        (folder / "two.cpp").write_text(PROGRAM)
        cls.program = folder / "two"
        subprocess.run([OMEN_CXX, "-g", "-O1", "-pthread", "two.cpp", "-o", "two"], cwd=folder, check=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="omen-living-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def omen(self, *arguments, code=0, options=None):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OMEN_", "TSAN_"))}
        env |= {"OMEN_OPTIONS": options} if options else {}
        done = subprocess.run([OMEN, *map(str, arguments)], cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def json(self, name):
        return json.loads((self.folder / name).read_text())


class Traces(Program):
    def setUp(self):
        super().setUp()
        self.ran = self.omen("run", "--keep", "t.omen", "--json", "run.json", "--", self.program, code=66)

    def test_a_report_of_the_trace_is_that_of_the_run(self):
        report = self.omen("report", "t.omen", code=66)
        self.assertEqual(report.stdout, self.ran.stderr)
        self.assertIn("hidden", report.stdout)
        self.omen("report", "t.omen", "--json", "again.json", "--sarif", "t.sarif", "--html", "t.html", "--junit", "t.xml", code=66)
        self.assertEqual(self.json("again.json"), self.json("run.json"))
        self.assertEqual(self.json("run.json")["exit"], {"code": 3})
        self.assertEqual(len(self.json("run.json")["races"]), 2)
        self.assertTrue(any(race.get("replay") for race in self.json("again.json")["races"]))
        results = self.json("t.sarif")["runs"][0]["results"]
        self.assertEqual({r["partialFingerprints"]["omenRace/v1"] for r in results},
                         {race["fingerprint"] for race in self.json("run.json")["races"]})
        self.assertIn(self.json("run.json")["races"][0]["fingerprint"], (self.folder / "t.html").read_text())
        self.assertIn('failures="2"', (self.folder / "t.xml").read_text())
        self.omen("report", "t.omen", "--fail-on", "observed", code=66)
        self.omen("report", "run.json")  # the run has judged it
        self.omen("report", "run.json", "--fail-on", "observed", code=66)

    def test_recorded_and_reported_later(self):
        self.omen("record", "-o", "r.omen", "--", self.program, code=3)
        report = self.omen("report", "r.omen", code=66).stdout
        for text in ("set_hidden(int)", "two.cpp:6", "predicted, confirmed", "set_open(int)", "two.cpp:7", "observed"):
            self.assertIn(text, report)

    def test_converting_to_omen_loses_nothing(self):
        self.omen("convert", "t.omen", "u.omen")
        self.omen("report", "u.omen", "--json", "again.json", code=66)
        self.assertEqual(self.json("again.json"), self.json("run.json"))

    def test_other_commands_show_the_source(self):
        dump = self.omen("dump", "t.omen").stdout
        self.assertRegex(dump, r"w\(0x[0-9a-f]+:4\) +\S+/two\.cpp:6:\d+ in set_hidden\(int\), hidden\n")
        self.assertRegex(dump, r"acq\(0x[0-9a-f]+\) +\S+/two\.cpp:5:\d+ in section\(\), guard\n")
        self.assertRegex(self.omen("dump", "t.omen", "--raw").stdout, r"w\(0x[0-9a-f]+:4\) +\d+\n")
        stats = self.omen("stats", "t.omen", "--json", "s.json").stdout
        self.assertIn(f"recorded from: {self.program}", stats)
        self.assertRegex(stats, r"2  \S+two\.cpp:6:\d+ in set_hidden\(int\)")
        self.assertIn("set_hidden(int)", {place["function"] for place in self.json("s.json")["accesses_by_place"]})
        self.omen("convert", "t.omen", "t.std")
        self.assertRegex((self.folder / "t.std").read_text(), r"\|w\(0x[0-9a-f]+:4\)\|\S+/two\.cpp:6:\d+\n")
        self.omen("stats", "t.std")
        self.omen("convert", "--raw", "t.omen", "raw.std")
        self.assertRegex((self.folder / "raw.std").read_text(), r"\|w\(0x[0-9a-f]+:4\)\|\d+\n")

    def test_analyses_and_verdicts_name_functions_and_variables(self):
        text = self.omen("analyze", "t.omen", "--json", "a.json", code=66).stdout
        self.assertRegex(text, r"write at \S+two\.cpp:6:\d+ in set_hidden\(int\) by thread")
        self.assertRegex(text, r"race on 0x[0-9a-f]+:4 \(hidden\)")
        race = next(r for r in self.json("a.json")["results"][0]["races"] if r["object"] == "hidden")
        self.assertEqual(race["functions"], ["set_hidden(int)"] * 2)
        self.assertTrue(all(re.search(r"/two\.cpp:6:\d+$", place) for place in race["locations"]))
        text = self.omen("vindicate", "t.omen", "--json", "v.json", code=66).stdout
        self.assertRegex(text, r"\(hidden\) by .* at \S+two\.cpp:6:\d+ in set_hidden\(int\) \(event")
        self.assertIn(["set_hidden(int)"] * 2, [c["functions"] for c in self.json("v.json")["candidates"]])
        refused = self.omen("check", "t.omen", self.witness(), code=1).stdout
        self.assertIn("two.cpp:", refused)

    def witness(self):
        """A witness that the checker rejects: it lacks the creation of the second thread."""
        race = next(c for c in self.json("v.json")["candidates"] if c["verdict"] == "race")
        path = self.folder / "w.json"
        path.write_text(json.dumps(race["pair"]))
        return path

    def test_perfetto(self):
        self.omen("convert", "t.omen", "t.perfetto.json")
        events = self.json("t.perfetto.json")["traceEvents"]
        open_slices = {}
        for event in events:
            stack = open_slices.setdefault(event["tid"], [])
            if event["ph"] == "B":
                stack.append(event)
            elif event["ph"] == "E":
                self.assertLessEqual(stack.pop()["ts"], event["ts"])
        self.assertEqual([stack for stack in open_slices.values() if stack], [])
        names = {event["args"]["name"] for event in events if event["name" if "name" in event else "ph"] == "thread_name"}
        self.assertEqual(names, {"main", "T1", "T2"})
        sections = [event for event in events if event["ph"] == "B" and event.get("cat") == "lock"]
        self.assertEqual(len(sections), 2)
        self.assertTrue(all("guard" in event["name"] and event["args"]["at"] == "two.cpp:5" for event in sections))
        marks = [event for event in events if event["ph"] == "i" and event.get("cat") == "race"]
        self.assertEqual(len(marks), 4)
        arrows = [(event["ph"], event["id"]) for event in events if event["ph"] in "sf" and event["cat"] == "race"]
        self.assertEqual(sorted(arrows), [("f", 0), ("f", 1), ("s", 0), ("s", 1)])

    def test_compare(self):
        text = self.omen("compare", "t.omen", "--json", "c.json", "--svg", "c.svg", code=66).stdout
        self.assertRegex(text, r"WCP-only +1 +1 +1 +0 +0")
        compared = self.json("c.json")
        self.assertEqual([(r["relation"], r["static"]) for r in compared["relations"]],
                         [("hb", 1), ("wcp", 2), ("dc", 2), ("wdc", 2)])
        self.assertEqual({(r["class"], r["variable"], r["verdict"]) for r in compared["races"]},
                         {("HB", "open_", "confirmed"), ("WCP-only", "hidden", "confirmed")})
        self.assertTrue((self.folder / "c.svg").read_text().startswith("<svg "))


class Runs(Program):
    def test_baseline(self):
        self.omen("run", "--json", "old.json", "--", self.program, code=66)
        for how in ([], ["--online"], ["--online", "--record"]):
            with self.subTest(how=how):
                text = self.omen("run", *how, "--baseline", "old.json", "--json", "now.json", "--sarif", "now.sarif", "--",
                                 self.program, code=3).stderr
                self.assertNotIn("WARNING", text)
                self.assertIn("2 findings of the baseline were seen again and not listed, 0 not seen", text)
                now = self.json("now.json")
                self.assertEqual((len(now["races"]), len(now["baseline"]["known"]), now["baseline"]["gone"]), (0, 2, []))
                self.assertEqual([r["baselineState"] for r in self.json("now.sarif")["runs"][0]["results"]], ["unchanged"] * 2)
        text = self.omen("run", "--baseline", "old.json", "--json", "less.json", "--sarif", "less.sarif", "--", self.program, "x", code=3).stderr
        self.assertIn("1 finding of the baseline was seen again and not listed, 1 not seen", text)
        self.assertEqual(sorted(r["baselineState"] for r in self.json("less.sarif")["runs"][0]["results"]), ["absent", "unchanged"])
        self.omen("diff", "less.json", "old.json", code=66)
        self.omen("diff", "old.json", "less.json")

    def test_unconfirmed_predictions_do_not_fail_a_run(self):
        """With an argument no race is observed: --online predicts only the hidden race, and has no witness."""
        online = ["run", "--online=st-wdc", "--json", "r.json"]
        text = self.omen(*online, "--", self.program, "x", code=3).stderr
        self.assertIn("1 race does not fail the run (--fail-on confirmed", text)
        self.assertIn("predicted, not confirmed", text)
        self.assertEqual(places(self.json("r.json")), [["set_hidden(int)"] * 2])
        self.omen(*online, "--fail-on", "predicted", "--", self.program, "x", code=66)
        self.omen(*online, "--fail-on", "new", "--baseline", "r.json", "--", self.program, "x", code=3)
        self.omen(*online, "--fail-on", "new", "--", self.program, code=64)
        self.omen(*online, "--record", "--", self.program, "x", code=66)  # the record confirms it
        self.omen("run", "--fail-on", "observed", "--", self.program, "x", code=3)
        self.omen("run", "--", self.program, "x", code=66)

    def test_several_runs_are_one_report(self):
        for how in ([], ["--online=st-wdc", "--fail-on", "predicted"]):
            with self.subTest(how=how):
                done = self.omen("run", "--runs", "3", *how, "--json", "r.json", "--", self.program, code=66)
                self.assertEqual(done.stderr.count("WARNING"), 2, done.stderr)
                self.assertEqual(done.stderr.count("3 of 3 runs: "), 2, done.stderr)
                report = self.json("r.json")
                self.assertEqual((report["runs"], [race["seen_in"] for race in report["races"]]), (3, [3, 3]))
                self.assertIn("Seen in 3 of 3 runs.", self.omen("report", "r.json").stdout)
        self.omen("run", "--runs", "0", "--", self.program, code=64)

    def test_statistics(self):
        self.assertRegex(self.omen("run", "--", self.program, code=66, options="stats=1").stderr, r"recorded bytes +\d+\n")

    def test_a_report_on_standard_output_is_alone_there(self):
        done = self.omen("run", "--json", "-", "--", "sh", "-c", f"echo out; {self.program}; exit 3", code=66)
        self.assertEqual(len(json.loads(done.stdout)["races"]), 2)
        self.assertIn("out\n", done.stderr)

    def test_destinations_are_looked_at_before_the_run(self):
        for option in ("--json", "--sarif", "--html", "--keep"):
            done = self.omen("run", option, "missing/r", "--", "touch", "ran", code=65)
            self.assertIn("missing/r", done.stderr)
            self.assertFalse((self.folder / "ran").exists())

    def test_processes_have_names(self):
        script = f'{self.program}; {self.program} x; exit 0'
        for how in ([], ["--online=st-wdc"]):
            text = self.omen("run", *how, "--json", "r.json", "--", "sh", "-c", script, code=66).stderr
            report = self.json("r.json")
            commands = [race["command"] for race in report["races"]]
            self.assertEqual(sorted(map(len, commands)), [1, 1, 2], report["command"])
            self.assertEqual(len({race["pid"] for race in report["races"]}), 2)
            self.assertIn(f"  In process: {self.program}", text)
            again = json.loads(self.omen("report", "r.json", "--json", "-").stdout)
            self.assertEqual([(r["pid"], r["command"]) for r in again["races"]], [(r["pid"], r["command"]) for r in report["races"]])

    def test_shadow_memory_is_left_out_of_cores(self):
        source = self.folder / "maps.cpp"
        source.write_text('#include <fstream>\n#include <iostream>\nint x;\n'
                          'int main() { x = 1; std::cout << std::ifstream("/proc/self/smaps").rdbuf(); }\n')
        subprocess.run([OMEN_CXX, "-g", "-O1", source, "-o", self.folder / "maps"], check=True)
        maps = self.omen("run", "--online", "--", self.folder / "maps").stdout
        sizes = [int(size) for size in re.findall(r"^Size: +(\d+) kB$", maps, re.MULTILINE)]
        flags = re.findall(r"^VmFlags: (.*)$", maps, re.MULTILINE)
        self.assertEqual(len(sizes), len(flags))
        dumped = sum(size for size, flag in zip(sizes, flags) if "dd" not in flag.split() and "rd" in flag.split())
        self.assertGreater(sum(sizes) - dumped, 1 << 22)  # the shadow, of more than 4 GiB
        self.assertLess(dumped, 1 << 20)

    def test_pipes_have_names(self):
        source = self.folder / "pipe.cpp"
        source.write_text(PIPE)
        subprocess.run([OMEN_CXX, "-g", "-O1", "-pthread", source, "-o", self.folder / "pipe"], check=True)
        text = self.omen("run", "--", self.folder / "pipe", code=66).stderr
        self.assertRegex(text, r"T1 +updates pipe or file \(release\) at pipe\.cpp:5")
        self.assertRegex(text, r"T2 +\w+ pipe or file \(acquire\) at pipe\.cpp:6")

    def test_folders_of_temporary_files(self):
        env = dict(os.environ, TMPDIR="/nonexistent")
        done = subprocess.run([OMEN, "run", "--online", "--", self.program], cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 66, done.stderr)


class Fingerprints(unittest.TestCase):
    SOURCE = """#include <thread>
int total;
namespace { struct Account { int value; void add(int n) { value += n; } } account; }
int main() {
  auto pay = [](int amount) { total += amount; account.add(amount); };
  std::thread one([&] { pay(1); }), two([&] { pay(2); });
  one.join();
  two.join();
}
"""

    def test_gcc_and_clang_builds_of_one_source_have_the_same(self):
        with tempfile.TemporaryDirectory(prefix="omen-living-") as name:
            folder = pathlib.Path(name)
            (folder / "account.cpp").write_text(self.SOURCE)
            found = []
            for compiler in ("gcc", "clang-19"):
                env = dict(os.environ, OMEN_CC=compiler)
                subprocess.run([OMEN_CXX, "-std=c++20", "-g", "-O1", "-pthread", "account.cpp", "-o", compiler], cwd=folder, env=env, check=True)
                report = folder / f"{compiler}.json"
                subprocess.run([OMEN, "run", "--json", report, "--", folder / compiler], capture_output=True, check=False)
                found.append(sorted(race["fingerprint"] for race in json.loads(report.read_text())["races"]))
            # GCC instruments the read and the write of `+=`, clang only one of them if the other is redundant.
            self.assertGreaterEqual(len(set(found[0]) & set(found[1])), 2, found)
            self.assertLessEqual(set(found[1]), set(found[0]))


if __name__ == "__main__":
    unittest.main()

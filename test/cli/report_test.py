#!/usr/bin/env python3
"""The real `omen report`: text, SARIF and JSON from a report, suppressions, exit codes.

Usage: report_test.py PATH-OF-OMEN [unittest options]
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
import xml.etree.ElementTree

OMEN = sys.argv.pop(1)


def frame(function, line):
    return {"function": function, "file": "/src/bank/bank.cpp", "line": line, "column": 3, "module": "/src/bank/bank",
            "offset": "0x1234", "build_id": "ab12", "inlined": False}


REPORT = {
    "omen": 1, "command": ["./bank"], "pid": 77, "exit": {"code": 0}, "threads": 2, "events": 9, "synchronisations": 4,
    "complete": True, "notes": ["recording stopped"],
    "races": [{
        "kind": "data-race", "headline": "data race", "found_by": "wdc", "observed": False, "verdict": "race",
        "method": "graph", "model": "ca", "count": 2, "fingerprint": "0f",
        "variable": {"kind": "global", "name": "total", "address": "0x4010", "size": 4},
        "accesses": [
            {"event": 8, "access": "write", "atomic": False, "size": 4, "address": "0x4010", "thread": 1,
             "stack": [frame("deposit(int)", 26)], "locks": []},
            {"event": 3, "access": "read", "atomic": False, "size": 4, "address": "0x4010", "thread": 0,
             "stack": [frame("audit()", 48)], "locks": []}],
        "threads": [{"id": 0, "label": "main", "main": True}, {"id": 1, "label": "T1", "creator": 0}],
        "witness": [0, 1, 3, 8],
        "schedule": [{"step": "access", "thread": 0, "text": "reads 'total'", "file": "/src/bank/bank.cpp", "line": 48,
                      "first": 2, "last": 2},
                     {"step": "access", "thread": 1, "text": "writes 'total'", "file": "/src/bank/bank.cpp", "line": 26,
                      "first": 3, "last": 3}],
    }],
}


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.report = self.write("r.json", json.dumps(REPORT))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def omen(self, *arguments, code=0):
        done = subprocess.run([OMEN, "report", *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_text_is_the_default(self):
        out = self.omen(self.report).stdout
        self.assertIn("WARNING: OmenRaceDetector: data race (pid=77)", out)
        self.assertIn("SUMMARY: OmenRaceDetector: data race /src/bank/bank.cpp:26:3 in deposit(int)", out)
        self.assertIn("note: recording stopped", out)
        self.assertIn(" bank.cpp:26:3", self.omen(self.report, "--strip-path-prefix", "/src/bank/").stdout)

    def test_sarif_and_text_to_files(self):
        sarif, text = self.folder / "r.sarif", self.folder / "r.txt"
        out = self.omen(self.report, "--sarif", sarif, "--text", text, "--source-root", "/src").stdout
        self.assertEqual(out, "")
        run = json.loads(sarif.read_text())["runs"][0]
        self.assertEqual(run["results"][0]["partialFingerprints"], {"omenRace/v1": "0f"})
        location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        self.assertEqual(location, {"uri": "bank/bank.cpp", "uriBaseId": "%SRCROOT%"})
        self.assertIn("WARNING", text.read_text())

    def test_html_is_one_file_that_holds_the_report(self):
        page = self.folder / "r.html"
        self.assertEqual(self.omen(self.report, "--html", page).stdout, "")
        html = page.read_text()
        self.assertTrue(html.startswith("<!doctype html>"))
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*)</script>\n<script>', html).group(1))
        self.assertEqual([f["id"] for f in data["findings"]], ["0f"])
        self.assertEqual(data["findings"][0]["title"], "'total' is written at bank.cpp:26 and read at bank.cpp:48")
        self.assertNotRegex(html, r"https?://|<link|<img|@import")
        self.assertEqual(self.omen(self.report, "--html", "-").stdout, html)
        self.omen(self.report, "--html", self.folder / "missing" / "r.html", code=65)

    def test_sarif_files_of_libraries_built_elsewhere_are_not_of_the_repository(self):
        report = json.dumps(REPORT).replace("/src/bank/bank.cpp", "../sysdeps/nptl/start.c")
        out = self.omen(self.write("libc.json", report), "--sarif", "-", "--source-root", self.folder).stdout
        (run,) = json.loads(out)["runs"]
        location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        self.assertEqual(location, {"uri": "sysdeps/nptl/start.c", "uriBaseId": "%ELSEWHERE%"})
        self.assertIn("description", run["originalUriBaseIds"]["%ELSEWHERE%"])
        self.assertEqual(run["originalUriBaseIds"]["%SRCROOT%"], {"uri": f"file://{self.folder}/"})
        help_texts = {rule["help"]["text"] for rule in run["tool"]["driver"]["rules"]}
        self.assertEqual(len(help_texts), len(run["tool"]["driver"]["rules"]))

    def test_text_has_colours_and_more_if_asked(self):
        plain = self.omen(self.report).stdout
        self.assertNotIn("\x1b", plain)
        self.assertNotIn("\x1b", self.omen(self.report, "--color", "auto").stdout)  # no terminal
        self.assertIn("\x1b[1;31mWARNING", self.omen(self.report, "--color=always").stdout)
        self.omen(self.report, "--color=sometimes", code=64)
        explained = self.omen(self.report, "--explain").stdout
        self.assertIn("\n  Confirmed: there is a schedule", explained)
        self.assertGreater(len(explained), len(plain))
        self.assertIn("  Fix: Hold one mutex at both accesses", plain)

    def test_colours_on_a_terminal_unless_refused(self):
        for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            self.assertEqual("\x1b[1;31mWARNING" in self.on_a_terminal(environment), coloured, environment.get("TERM"))

    def test_places_are_links_where_the_terminal_has_them(self):
        """Depends on the terminal, the variables that disable them, and the option; a file gets none, whatever the option."""
        link = f"\x1b]8;;file://{os.uname().nodename}/src/bank/bank.cpp\x1b\\/src/bank/bank.cpp:26:3\x1b]8;;\x1b\\"
        vte = {"VTE_VERSION": "7006"}
        for environment, options, linked in (
                (vte, [], True), ({}, [], False), (vte | {"NO_COLOR": "1"}, [], False), (vte, ["--color=never"], False),
                (vte, ["--color=always"], True), (vte | {"TERM": "dumb"}, [], False), (vte | {"TMUX": "x"}, [], False),
                ({"FORCE_HYPERLINK": "1"}, [], True), (vte | {"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, [], False)):
            out = self.on_a_terminal(environment, *options)
            self.assertEqual("\x1b]8;" in out, linked, (environment, options))
            if linked:
                self.assertIn(link, out)
        self.assertNotIn("\x1b]8;", self.omen(self.report, "--color=always").stdout)

    def test_lines_end_where_the_terminal_does(self):
        for columns in (60, 80, 120):
            out = self.on_a_terminal({"NO_COLOR": "1"}, columns=columns)
            # A source position is one word, however long.
            long = [line for line in out.splitlines() if len(line) > columns and not re.match(r" *(#\d|SUMMARY|WARNING)", line)]
            self.assertEqual(long, [])
        self.assertIn("  Fix: Hold one mutex at both accesses (neither holds any), or\n    make 'total' atomic.\n",
                      self.on_a_terminal({"NO_COLOR": "1"}, columns=64))

    def on_a_terminal(self, environment, *options, columns=0):
        """A report's output on a terminal with only these properties; 0 columns: unknown width."""
        known = ("NO_COLOR", "FORCE_HYPERLINK", "TMUX", "TERM_PROGRAM", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION")
        environment = {k: v for k, v in os.environ.items() if k not in known} | {"TERM": "xterm"} | environment
        main, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([OMEN, "report", self.report, *options], stdout=terminal, env=environment) as process:
            os.close(terminal)
            out = b""
            while chunk := self.read(main):
                out += chunk
            self.assertEqual(process.wait(), 0)
        os.close(main)
        return out.decode().replace("\r\n", "\n")

    @staticmethod
    def read(terminal):
        try:
            return os.read(terminal, 65536)
        except OSError:  # the other end is closed
            return b""

    def test_paths_are_relative_to_the_folder(self):
        report = json.loads(self.report.read_text().replace("/src/bank/", f"{self.folder.resolve()}/src/"))
        (self.folder / "src").mkdir()
        (self.folder / "src/bank.cpp").write_text("\n" * 25 + "  total += 1;\n")
        path = self.write("own.json", json.dumps(report))
        out = subprocess.run([OMEN, "report", path], cwd=self.folder.resolve(), capture_output=True, text=True, check=True).stdout
        self.assertIn("    #0 deposit(int) src/bank.cpp:26:3 (", out)
        self.assertIn("      26 |   total += 1;\n         |   ^\n", out)

    def test_paths_are_relative_to_the_folder_of_the_build(self):
        report = json.loads(self.report.read_text().replace("/src/bank/", f"{self.folder.resolve()}/project/"))
        path = self.write("own.json", json.dumps(report))
        build = self.folder.resolve() / "project" / "build"
        build.mkdir(parents=True)
        shown = lambda: subprocess.run([OMEN, "report", path], cwd=build, capture_output=True, text=True, check=True).stdout  # noqa: E731
        self.assertIn(f"#0 deposit(int) {build.parent}/bank.cpp:26:3 (", shown())
        (build.parent / "CMakeLists.txt").write_text("project(bank)\n")
        self.assertIn("#0 deposit(int) ../bank.cpp:26:3 (", shown())

    def test_junit_and_code_quality(self):
        hostile = self.write("h.json", json.dumps(REPORT).replace("total", "a<b]]>&\\\"\\u001b\\u0000"))
        for report, name in ((self.report, "'total'"), (hostile, "'a<b]]>&\"\\x1b\\x00'")):
            suite = xml.etree.ElementTree.fromstring(self.omen(report, "--junit", "-").stdout).find("testsuite")
            self.assertEqual((suite.get("tests"), suite.get("failures")), ("1", "1"))
            case = suite.find("testcase")
            self.assertEqual(case.get("name"), f"{name} is written at bank.cpp:26 and read at bank.cpp:48")
            self.assertEqual((case.get("file"), case.get("line")), ("/src/bank/bank.cpp", "26"))
            self.assertIn("WARNING: OmenRaceDetector", case.find("failure").text)
        (one,) = json.loads(self.omen(self.report, "--code-quality", "-", "--source-root", "/src/").stdout)
        self.assertEqual(one["location"], {"path": "bank/bank.cpp", "lines": {"begin": 26}})
        self.assertEqual((one["check_name"], one["severity"], one["fingerprint"]), ("data-race", "critical", "0f"))
        empty = self.write("e.json", json.dumps(REPORT | {"races": []}))
        suite = xml.etree.ElementTree.fromstring(self.omen(empty, "--junit", "-").stdout).find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("1", "0"))
        self.assertEqual(json.loads(self.omen(empty, "--code-quality", "-").stdout), [])

    def test_json_again_is_the_same(self):
        once = self.folder / "once.json"
        self.omen(self.report, "--json", once)
        self.assertEqual(self.omen(once, "--json", "-").stdout, once.read_text())
        self.assertEqual(self.omen(once).stdout, self.omen(self.report).stdout)

    def test_suppressions(self):
        done = self.omen(self.report, "--suppressions", self.write("s.txt", "race:^audit\nrace:other\n"))
        self.assertNotIn("WARNING", done.stdout)
        self.assertIn("2 race:^audit", done.stderr)
        self.assertIn("s.txt:2: unused suppression race:other", done.stderr)
        bad = self.omen(self.report, "--suppressions", self.write("s.txt", "race:x\nracy:y\n"), code=65)
        self.assertIn("s.txt:2: expected race:PATTERN", bad.stderr)

    def test_bad_input_is_65_bad_usage_64(self):
        self.assertIn("/races/0/accesses", self.omen(
            self.write("b.json", '{"omen": 1, "races": [{"kind": "data-race"}]}'), code=65).stderr)
        self.assertIn("offset", self.omen(self.write("b.json", "{]"), code=65).stderr)
        self.omen(self.folder / "missing.json", code=65)
        self.omen(self.folder, code=65)
        self.omen(code=64)
        self.omen(self.report, "--pdf", "x", code=64)


if __name__ == "__main__":
    unittest.main()

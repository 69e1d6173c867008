#!/usr/bin/env python3
"""The commands of `omen store` on one kind of database.

Usage: commands_test.py PATH-OF-OMEN sqlite|postgresql [unittest options]
"""

import csv
import io
import json
import sys
import unittest

from stores import StoreCase, main, race

main(sys.argv, ("sqlite", "postgresql"))


class Commands(StoreCase):
    def test_a_race_from_the_first_sighting_to_the_second(self):
        said = self.add([race("total"), race("flag", 40)], "--commit", "c1", "--branch", "main", "--label", "gcc", "--source-root",
                        "/src/bank", "--time", "2020-03-01")
        self.assertIn("2 races: 2 new, 0 reopened, 0 known", said)
        said = self.add([race("total")], "--commit", "c2", "--source-root", "/src/bank", "--time", "2020-03-02T08:00:00Z", pid=78)
        self.assertIn("1 race: 0 new, 0 reopened, 1 known", said)
        listed = {one["title"]: one for one in self.json("list")}
        self.assertEqual(set(listed), {"'total' is written at pool.cpp:10 and read at pool.cpp:11",
                                       "'flag' is written at pool.cpp:40 and read at pool.cpp:41"})
        total = listed["'total' is written at pool.cpp:10 and read at pool.cpp:11"]
        self.assertEqual({name: total[name] for name in ("status", "owner", "runs", "commits", "first_seen", "last_seen", "file", "line")},
                         {"status": "new", "owner": "", "runs": 2, "commits": ["c1", "c2"], "first_seen": "2020-03-01T00:00:00.000Z",
                          "last_seen": "2020-03-02T08:00:00.000Z", "file": "src/net/pool.cpp", "line": 10})
        self.assertEqual(self.query("SELECT COUNT(*) FROM omen_sightings"), [["3"]])
        text = self.store("list")
        self.assertRegex(text, r"(?m)^746f74616c00  new        -          2  2020-03-02  'total' is written")
        self.assertTrue(text.endswith("2 races\n"))

    def test_fixed_and_seen_again(self):
        self.add([race("total")])
        short = race("total")["fingerprint"][:8]
        self.store("set", short, "--status", "fixed", "--note", "lock added", "--author", "ann")
        self.assertEqual(self.json("list"), [])
        self.assertEqual(self.store("list"), "0 of 1 race\n")
        self.assertEqual([one["status"] for one in self.json("list", "--all")], ["fixed"])
        self.assertIn("1 reopened", self.add([race("total")], pid=78))
        one = self.json("show", short)
        self.assertEqual(one["status"], "reopened")
        self.assertEqual([(change["what"], change["value"], change["author"]) for change in one["changes"]],
                         [("status", "fixed", "ann"), ("note", "lock added", "ann"), ("status", "reopened", "omen")])
        text = self.store("show", short)
        self.assertRegex(text, r"(?m)^  status +reopened$")
        self.assertRegex(text, r"(?m)^  \S+ \S+  note   lock added \(ann\)$")
        self.assertRegex(text, r"(?m)^  \S+ \S+  observed  \./bank$")

    def test_a_report_counts_once(self):
        self.add([race("total")], "--commit", "c1")
        self.assertIn("is there already", self.add([race("total")], "--commit", "c1"))
        self.assertIn("1 known", self.add([race("total")], "--commit", "c2"))
        self.assertEqual(self.json("list")[0]["runs"], 2)

    def test_several_reports_and_one_that_is_none(self):
        good, bad = self.write("good.json", {"omen": 1, "races": []}), self.write("bad.json", "{}")
        said = self.store("add", good, bad, code=65)
        self.assertIn("bad.json:/omen: expected version 1", said)
        self.assertIn("there is no", self.store("list", code=65))
        self.assertIn("0 races", self.store("add", good))
        self.assertEqual(self.store("list"), "0 races\n")

    def test_owners(self):
        owners = self.write("CODEOWNERS", "* @all\n/src/net/ @net\n")
        self.add([race("total"), race("flag", 40, "/src/bank/main.cpp"), race("far", 9, "/other/far.cpp")], "--codeowners", owners,
                 "--source-root", "/src/bank")
        owner = lambda: {one["file"]: one["owner"] for one in self.json("list")}
        self.assertEqual(owner(), {"src/net/pool.cpp": "@net", "main.cpp": "@all", "/other/far.cpp": ""})
        self.store("set", race("flag")["fingerprint"], "--owner", "ann@example.org")
        self.assertEqual(owner()["main.cpp"], "ann@example.org")
        self.assertEqual([one["owner"] for one in self.json("list", "--owner", "@net")], ["@net"])
        self.assertEqual([one["file"] for one in self.json("list", "--folder", "src/")], ["src/net/pool.cpp"])
        self.assertEqual(self.json("list", "--folder", "sr"), [])
        self.store("set", race("flag")["fingerprint"], "--owner", "")
        self.assertEqual(owner()["main.cpp"], "")
        bad = self.write("bad", "* nobody\n")
        self.assertIn("bad:1: expected @NAME", self.store("add", "--codeowners", bad, self.folder / "report.json", code=65))

    def test_the_root_is_that_of_codeowners(self):
        (self.folder / ".github").mkdir()
        owners = self.write(".github/CODEOWNERS", "/lib/ @lib\n")
        self.add([race("total", file=str(self.folder / "lib/a.cpp"))], "--codeowners", owners)
        self.assertEqual([(one["file"], one["owner"]) for one in self.json("list")], [("lib/a.cpp", "@lib")])

    def test_status_filters(self):
        self.add([race("one"), race("two"), race("three")])
        self.store("set", race("one")["fingerprint"], "--status", "confirmed")
        self.store("set", race("two")["fingerprint"], "--status", "wontfix")
        status = lambda *words: sorted(one["status"] for one in self.json("list", *words))
        self.assertEqual(status(), ["confirmed", "new"])
        self.assertEqual(status("--all"), ["confirmed", "new", "wontfix"])
        self.assertEqual(status("--status", "wontfix"), ["wontfix"])
        self.assertEqual(status("--status", "new", "--status", "wontfix"), ["new", "wontfix"])

    def test_trend(self):
        self.add([race("one"), race("two")], "--time", "2020-03-01")
        self.add([race("one")], "--time", "2020-03-02", pid=78)
        self.add([race("three")], "--time", "2020-04-01", pid=79)
        rows = self.json("trend")
        self.assertEqual([(row["from"], row["runs"], row["seen"], row["new"], row["open"]) for row in rows],
                         [("2020-03-01", 1, 2, 2, 2), ("2020-03-02", 1, 1, 0, 2), ("2020-04-01", 1, 1, 1, 3)])
        self.assertEqual([row["from"] for row in self.json("trend", "--by", "month")], ["2020-03-01", "2020-04-01"])
        self.assertRegex(self.store("trend", "--by", "week"), r"(?m)^2020-02-24 +1 +2 +2 +0 +0 +2$")

    def test_csv_is_read_by_a_reader(self):
        self.add([race("=cmd|x"), race('say "hi"', 40)])
        self.store("set", race("=cmd|x")["fingerprint"], "--note", "@SUM(1,2)")
        rows = list(csv.DictReader(io.StringIO(self.store("export", "--csv", "-"))))
        self.assertEqual(len(rows), 2)
        self.assertEqual(sorted(row["notes"] for row in rows), ["", "'@SUM(1,2)"])
        self.assertIn("'say \"hi\"' is written", "".join(row["title"] for row in rows))
        for row in rows:
            for field in row.values():
                self.assertNotRegex(field, r"^\s*[=+\-@]")

    def test_texts_of_any_kind(self):
        """Text that one of the databases cannot store is replaced in both."""
        nasty = "x\0y\u202e' ; DROP TABLE omen_races; -- \u00e9\U0001F600 \x1b[31m"
        self.add([race(nasty, fingerprint="ab" * 16)], "--label", nasty.replace("\0", ""))
        self.store("set", "abab", "--note", "a\\b'c\"d%s$1")
        one = self.json("show", "abab")
        self.assertIn("x\\x00y\\u202e' ; DROP TABLE omen_races; -- \u00e9\U0001F600 \\x1b[31m", one["title"])
        self.assertIn("write_x\ufffdy\u202e' ; DROP TABLE omen_races; -- \u00e9\U0001F600 \x1b[31m", one["function"])
        self.assertEqual(one["changes"][0]["value"], "a\\b'c\"d%s$1")
        self.assertNotIn("\x1b", self.store("show", "abab") + self.store("list"))
        exported = json.loads(self.store("export", "--json", "-"))
        other = self.new_store()
        self.store("import", self.write("all.json", exported), db=other)
        self.assertEqual(json.loads(self.store("export", "--json", "-", db=other)), exported)

    def test_bad_usage_is_64(self):
        self.add([race("total")])
        for words, said in ((("set", "746f"), "expected --status, --owner or --note"),
                            (("set", "746f", "--status", "solved"), "expected new, confirmed, fixed"),
                            (("list", "--status", "solved"), "expected new, confirmed, fixed"),
                            (("trend", "--by", "hour"), "--by"),
                            (("export",), "expected --json, --csv or --html"),
                            (("add", "--time", "today", "report.json"), "expected a time such as"),
                            (("show",), "FINGERPRINT is required")):
            self.assertIn(said, self.store(*words, code=64))
        self.assertIn("omen store show --help", self.store("show", code=64))
        self.assertIn("omen store --help", self.omen("store", code=64))

    def test_races_that_are_not_there_are_65(self):
        self.add([race("total"), race("toast", 40)])
        self.assertIn("no race with the fingerprint 'ffff'", self.store("show", "ffff", code=65))
        self.assertIn("2 races have fingerprints that begin with '746f'", self.store("set", "746f", "--note", "x", code=65))

    def test_a_newer_schema_is_refused(self):
        self.add([race("total")])
        self.query("INSERT INTO omen_schema (version, applied) VALUES (7, 'later')")
        nothing = self.write("nothing.json", {"omen_store": 1, "runs": [], "races": [], "sightings": [], "changes": []})
        for words in (("list",), ("add", "report.json"), ("import", nothing), ("export", "--json", "-"), ("set", "746f", "--note", "x")):
            self.assertIn("the store has version 7: expected at most 1", self.store(*words, code=65))
        self.assertEqual(self.query("SELECT COUNT(*) FROM omen_runs"), [["1"]])

    def test_tables_that_are_not_whole_are_refused(self):
        self.add([race("total")])
        self.query("DROP TABLE omen_changes")
        self.assertIn("omen_changes", self.store("list", code=65))
        self.query("DELETE FROM omen_schema")
        self.assertIn("expected a version from 1 on in omen_schema, not '0'", self.store("list", code=65))

    def test_values_that_are_none_are_refused(self):
        self.add([race("total")])
        self.query("UPDATE omen_runs SET time = 'yesterday'")
        self.assertIn("the store is damaged: expected a time, not 'yesterday'", self.store("list", code=65))

    def test_there_is_no_store_yet(self):
        for words in (("list",), ("show", "746f"), ("set", "746f", "--note", "x"), ("trend",), ("export", "--json", "-")):
            self.assertRegex(self.store(*words, code=65), "there is no (such )?store( yet)?; `omen store add` makes one")


if __name__ == "__main__":
    unittest.main()

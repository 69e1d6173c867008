#!/usr/bin/env python3
"""Where the store is, and files that are not stores: damaged, truncated, of other kinds, not writable.

Usage: files_test.py PATH-OF-OMEN [unittest options]
"""

import os
import pathlib
import random
import sqlite3
import sys
import unittest

from stores import StoreCase, main, race, report

main(sys.argv, ("sqlite",))
SEED = int(os.environ.get("OMEN_SEED", random.SystemRandom().randrange(1 << 32)))


class Places(StoreCase):
    def add_without_db(self, environment):
        return self.omen("store", "add", self.write("report.json", report([race("total")])), environment=environment)

    def test_the_default_file(self):
        self.add_without_db({})
        self.assertTrue((self.folder / ".local/share/omen/races.db").is_file())

    def test_xdg_data_home(self):
        self.add_without_db({"XDG_DATA_HOME": str(self.folder / "data")})
        self.assertTrue((self.folder / "data/omen/races.db").is_file())
        self.assertFalse((self.folder / ".local").exists())
        self.add_without_db({"XDG_DATA_HOME": "relative"})
        self.assertTrue((self.folder / ".local/share/omen/races.db").is_file())

    def test_the_environment_names_it_and_db_wins(self):
        self.add_without_db({"OMEN_STORE": str(self.folder / "named.db")})
        self.assertTrue((self.folder / "named.db").is_file())
        self.omen("store", "add", "--db", "given.db", self.folder / "report.json", environment={"OMEN_STORE": "/nowhere/x.db"})
        self.assertTrue((self.folder / "given.db").is_file())

    def test_names_that_mean_something_to_sqlite(self):
        for name in ("file:x?mode=memory", ":memory:", "a b#c?.db"):
            self.add([race("total")], db=name)
            self.assertTrue((self.folder / name).is_file(), name)
            self.assertIn("1 race", self.store("list", db=name))

    def test_urls_that_are_none(self):
        self.assertIn("expected a file, or a URL that begins with postgresql://", self.store("list", db="mysql://h/x", code=65))
        if "no PostgreSQL" in self.omen("--version"):
            self.assertIn("without PostgreSQL (libpq)", self.store("list", db="postgresql://h/x", code=65))
            return
        for url in ("postgresql://u:secret@[h/x", "postgresql://u:secret@localhost:1/x?connect_timeout=1",
                    "postgresql://u:secret@%2Fnowhere/x"):
            said = self.store("list", db=url, code=65)
            self.assertNotIn("secret", said)


class Damage(StoreCase):
    def setUp(self):
        super().setUp()
        self.add([race(f"v{i}", 10 * i) for i in range(1, 40)])
        self.whole = pathlib.Path(self.db).read_bytes()

    def said_of(self, content):
        pathlib.Path(self.db).write_bytes(content)
        said = self.store("list", code=65)
        self.assertIn("races1.db: ", said)
        return said

    def test_no_database(self):
        self.assertIn("expected a SQLite database", self.said_of(b"this is a text, and a long one at that\n" * 100))
        self.assertIn("expected a SQLite database", self.said_of(bytes(5000)))
        self.assertIn("expected a SQLite database", self.store("add", self.folder / "report.json", code=65))

    def test_cut(self):
        self.assertIn("damaged", self.said_of(self.whole[: len(self.whole) // 2]))

    def test_empty(self):
        """The file of a program that was killed before it wrote anything."""
        self.assertIn("there is no store yet", self.said_of(b""))
        self.assertIn("39 new", self.store("add", self.folder / "report.json"))

    def test_another_programs(self):
        other = str(self.folder / "other.db")
        with sqlite3.connect(other) as connection:
            connection.execute("CREATE TABLE bookmarks (url TEXT)")
        for words in (("list",), ("add", self.folder / "report.json")):
            self.assertIn("expected a store of omen; these are another program's tables", self.store(*words, db=other, code=65))

    def test_a_folder(self):
        self.assertIn("cannot open the store", self.store("list", db=str(self.folder), code=65))

    def test_random_damage_never_crashes(self):
        """Whatever bytes are changed, the store is rejected or read, with one of omen's exit codes."""
        print(f"random damage (seed {SEED})")
        chance = random.Random(SEED)
        refused = 0
        for _ in range(40):
            content = bytearray(self.whole)
            for _ in range(chance.choice((1, 20, 400))):
                content[chance.randrange(len(content))] = chance.randrange(256)
            pathlib.Path(self.db).write_bytes(content)
            done = self.run_any("list", "--all")
            self.assertIn(done.returncode, (0, 65), done.stderr)
            refused += done.returncode == 65
            self.assertIn(self.run_any("add", self.folder / "report.json").returncode, (0, 65))
        self.assertGreater(refused, 5)

    def run_any(self, command, *words):
        import subprocess
        return subprocess.run([self.omen_path, "store", command, "--db", self.db, *map(str, words)], capture_output=True, text=True,
                              cwd=self.folder, env=self.environment())

    @unittest.skipIf(os.getuid() == 0 and not os.path.exists("/proc/self/ns/user"), "root may write everything")
    def test_a_file_that_cannot_be_written(self):
        """It is still read."""
        import subprocess
        os.chmod(self.db, 0o444)
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        run = lambda *words: subprocess.run([self.omen_path, "store", *map(str, words)], capture_output=True, text=True, cwd="/",
                                            env=self.environment(), **user)
        if user and run("--help").returncode != 0:
            self.skipTest("another user does not reach this omen")
        self.assertIn("39 races", run("list", "--db", self.db).stdout)
        done = run("add", "--db", self.db, "--label", "x", self.folder / "report.json")
        self.assertEqual(done.returncode, 65, done.stderr)
        self.assertIn("readonly database", done.stderr)


if __name__ == "__main__":
    unittest.main()

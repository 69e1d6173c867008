#!/usr/bin/env python3
"""Writers that are killed during a write, and concurrent writers.

A library that is loaded into omen (kill_at.cpp) ends it with SIGKILL at its n-th call that writes, syncs, removes or sends something.
The numbers are spread over all such calls of an undisturbed run, so the kills cover the whole transaction, at the same positions
each time. OMEN_STORE_TRIES is their number, 20 by default.

Usage: writers_test.py PATH-OF-OMEN sqlite|postgresql PATH-OF-KILL_AT [unittest options]
"""

import json
import os
import signal
import subprocess
import sys
import unittest

from stores import StoreCase, main, race, report

main(sys.argv, ("sqlite", "postgresql"))
KILL_AT = sys.argv.pop(1)
TRIES = int(os.environ.get("OMEN_STORE_TRIES", "20"))
WRITERS = 4


class Killed(StoreCase):
    def run_add(self, db, file, **environment):
        return subprocess.run([self.omen_path, "store", "add", "--db", db, "--time", "2020-03-02", file], cwd=self.folder,
                              capture_output=True, text=True,
                              env={**self.environment(), "LD_PRELOAD": KILL_AT, **environment})

    def prepared(self):
        """A store with a race that will be reopened. It is imported, so that it is always the same."""
        base = self.folder / "base.json"
        if not base.exists():
            first = self.new_store()
            self.add([race("old"), race("fixed", 40)], "--time", "2020-03-01", db=first)
            content = json.loads(self.exported(first))
            content["changes"].append({"race": race("fixed")["fingerprint"], "time": "2020-03-01T12:00:00.000Z", "author": "ann",
                                       "what": "status", "value": "fixed"})
            base.write_text(json.dumps(content))
        db = self.new_store()
        self.store("import", base, db=db)
        return db

    def exported(self, db):
        return self.store("export", "--json", "-", db=db)

    def tries(self, prepare):
        """Kills `add` at each position; the store is unchanged or complete, and adding again gives the result of a single run."""
        file = self.write("new.json", report([race("fixed", 40), *(race(f"v{i}", 100 + 10 * i) for i in range(60))], pid=78))
        db = prepare()
        count = self.folder / "count"
        self.assertEqual(self.run_add(db, file, OMEN_TEST_COUNT_INTO=str(count)).returncode, 0)
        after = self.exported(db)
        self.assertEqual(after.count('"reopened"'), prepare == self.prepared)
        calls = int(count.read_text())
        self.assertGreater(calls, 8, "too little to be killed in")
        states = {"before": 0, "after": 0, "hot": 0}
        for i in range(TRIES):
            at = 1 + i * calls // TRIES
            db = prepare()
            before = self.store("list", "--all", "--json", "-", db=db) if prepare == self.prepared else None
            done = self.run_add(db, file, OMEN_TEST_KILL_AT=str(at))
            self.assertEqual(done.returncode, -signal.SIGKILL, f"at {at} of {calls}: {done.stderr}")
            states["hot"] += os.path.exists(db + "-journal")
            if before is not None:
                now = self.store("list", "--all", "--json", "-", db=db)
                state = "before" if now == before else "after"
                states[state] += 1
                if state == "after":
                    self.assertEqual(self.exported(db), after, f"at {at} of {calls}: half of it is there")
            if self.database == "sqlite" and os.path.getsize(db) > 0:
                self.assertEqual(self.query("PRAGMA integrity_check", db), [["ok"]], f"at {at} of {calls}")
            again = self.run_add(db, file)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual(self.exported(db), after, f"at {at} of {calls}")
        return states

    def test_adding_to_a_store(self):
        states = self.tries(self.prepared)
        self.assertEqual(states["before"] + states["after"], TRIES)
        self.assertGreater(states["before"], 0)
        if self.database == "sqlite":
            self.assertGreater(states["hot"], TRIES // 2, "a transaction that was begun")

    def test_making_a_store(self):
        self.tries(self.new_store)


class Several(StoreCase):
    def start(self, words):
        return subprocess.Popen([self.omen_path, "store", *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=self.environment())

    def test_two_and_more_at_once(self):
        """Nothing is lost or counted twice, even while they create the tables."""
        reports = 6
        jobs = []
        for writer in range(WRITERS):
            files = [self.write(f"{writer}-{i}.json", report([race("shared"), race(f"w{writer}", 100 + 10 * writer)], pid=1000 * writer + i))
                     for i in range(reports)]
            jobs.append(self.start(["add", "--db", self.db, "--wait", "120", *files]))
        said = [job.communicate() for job in jobs]
        self.assertEqual([job.returncode for job in jobs], [0] * WRITERS, said)
        self.assertEqual(sum(out.count("1 new") for out, _ in said), WRITERS - 1, said)
        self.assertEqual(sum(out.count("2 new") for out, _ in said), 1, "one of them saw the shared race first")
        runs = {one["title"].split("'")[1]: one["runs"] for one in self.json("list")}
        self.assertEqual(runs, {"shared": WRITERS * reports, **{f"w{writer}": reports for writer in range(WRITERS)}})

    def test_one_of_them_reopens(self):
        self.add([race("shared")])
        self.store("set", race("shared")["fingerprint"], "--status", "fixed")
        files = [self.write(f"{i}.json", report([race("shared")], pid=i)) for i in range(WRITERS)]
        jobs = [self.start(["add", "--db", self.db, "--wait", "120", file]) for file in files]
        said = "".join(job.communicate()[0] for job in jobs)
        self.assertEqual(said.count("1 reopened"), 1, said)
        self.assertEqual([change["value"] for change in self.json("list")[0]["changes"]], ["fixed", "reopened"])

    def test_waiting_has_an_end(self):
        self.add([race("shared")])
        file = self.write("more.json", report([race("shared")], pid=5))
        with self.locked():
            said = self.store("add", "--wait", "0", file, code=65)
        self.assertIn("locked by another writer", said)
        self.assertIn("1 known", self.store("add", file))

    def locked(self):
        """Another session holds the writers' lock."""
        import contextlib
        import sqlite3

        @contextlib.contextmanager
        def in_file():
            with contextlib.closing(sqlite3.connect(self.db, isolation_level=None)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                yield

        @contextlib.contextmanager
        def on_server():
            statement = ("BEGIN; SELECT pg_advisory_xact_lock(7236831129512103790);\n\\echo locked\n")
            holder = subprocess.Popen([self.server.bin / "psql", "-X", "-q", "-A", "-t", self.db], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
            holder.stdin.write(statement)
            holder.stdin.flush()
            while "locked" not in (line := holder.stdout.readline()):
                self.assertTrue(line, "psql has ended")
            yield
            holder.communicate("COMMIT;\n")

        return in_file() if self.database == "sqlite" else on_server()


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""One history in SQLite and in PostgreSQL: an export from one, imported into the other, gives the same answers.

Usage: exchange_test.py PATH-OF-OMEN [unittest options]
"""

import random
import os
import sys
import unittest

from stores import Postgres, StoreCase, main, race, report

main(sys.argv, ("sqlite",))
SEED = int(os.environ.get("OMEN_SEED", random.SystemRandom().randrange(1 << 32)))
STATUSES = ("new", "confirmed", "fixed", "wontfix", "reopened")


class Exchange(StoreCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres()
        cls.addClassCleanup(cls.server.stop)

    def history(self, db, chance):
        """Several weeks of a team: reports by two compilers, owners, changes of status."""
        self.write("CODEOWNERS", "* @all\n/src/net/ @net\n/lib/ @Zoë @äb\n")
        names = [f"{chance.choice('aAzZöß_')}{i}" for i in range(12)]
        files = ["/p/src/net/pool.cpp", "/p/lib/ä.cpp", "/p/main.cpp", "/elsewhere/x.cpp"]
        pid = 0
        for day in range(1, 15):
            some = chance.sample(range(len(names)), chance.randrange(1, 6))
            compiler = chance.choice(("gcc", "clang"))
            races = [race(names[i], 10 * i, files[i % 4], chance.randbytes(16).hex() if chance.random() < 0.2 else None,
                          chance.choice(("observed", "confirmed", "predicted"))) for i in some]
            pid += 1
            self.add(races, "--time", f"2020-03-{day:02}", "--commit", f"c{day}", "--label", compiler, "--codeowners", "CODEOWNERS",
                     "--source-root", "/p", pid=pid, db=db)
            one = chance.choice(self.json("list", "--all", db=db))["fingerprint"]
            self.store("set", one, "--status", chance.choice(STATUSES), "--note", f"nöte {day}", "--author", "ann", db=db)
            if chance.random() < 0.3:
                self.store("set", one, "--owner", chance.choice(("@ann", "")), "--author", "ann", db=db)

    def answers(self, db):
        everything = [self.store("export", kind, "-", db=db) for kind in ("--json", "--csv", "--html")]
        everything += [self.store(*words, db=db) for words in (("list", "--all"), ("list",), ("trend",), ("trend", "--by", "week"),
                                                               ("list", "--owner", "@net"), ("list", "--folder", "lib"))]
        for one in self.json("list", "--all", db=db):
            everything.append(self.store("show", one["fingerprint"], db=db))
        return everything

    def test_there_and_back(self):
        print(f"a random history (seed {SEED})")
        for first_is_file in (True, False):
            first, second, third = (self.new_store() if is_file else self.server.database()
                                    for is_file in (first_is_file, not first_is_file, first_is_file))
            self.history(first, random.Random(SEED))
            wanted = self.answers(first)
            self.assertGreater(len(self.json("list", "--all", db=first)), 5)
            for source, target in ((first, second), (second, third)):
                exported = self.write("all.json", self.store("export", "--json", "-", db=source))
                self.assertRegex(self.store("import", exported, db=target), r"^imported: 14 runs, \d+ races, ")
                self.assertEqual(self.answers(target), wanted)
                self.assertEqual(self.store("import", exported, db=target), "imported: 0 runs, 0 races, 0 sightings, 0 changes\n")

    def test_the_same_commands_give_the_same_answers(self):
        file, server = self.new_store(), self.server.database()
        for db in (file, server):
            self.add([race("b"), race("B", 40), race("a", 70), race("_", 100), race("ä", 130)], "--time", "2020-03-01", db=db)
            self.add([race("b")], "--time", "2020-03-02", pid=78, db=db)
        self.assertEqual(self.answers(file), self.answers(server))

    def test_the_pages_policy_and_data_do_not_depend_on_the_database(self):
        file, server = self.new_store(), self.server.database()
        for db in (file, server):
            self.add([race("</script><img src=x>")], "--time", "2020-03-01", db=db)
        self.assertEqual(self.store("export", "--html", "-", db=file), self.store("export", "--html", "-", db=server))


if __name__ == "__main__":
    unittest.main()

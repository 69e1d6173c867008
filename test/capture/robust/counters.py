"""The detector's memory and its calls of the analysis, by its counters (`stats=1`)."""

from robust import OMEN, online_only, Robust


@online_only
class Counters(Robust):
    def test_shadow_of_freed_memory_is_given_back(self):
        touched = 2 * 8 << 20
        counters = {}
        for what in ("keep", "free"):
            self.same("takes_memory", what, env={"OMEN_OPTIONS": "stats=1"})
            counters[what] = self.reported()["counters"]
        self.assertGreaterEqual(counters["keep"]["bytes.shadow"], touched)  # a line of its own for each line
        self.assertLess(counters["keep"]["bytes.shadow"], 1.2 * touched)
        self.assertLess(counters["free"]["bytes.shadow"], 0.2 * touched)
        for kind in ("details", "thread_reads", "logs", "sections", "order"):
            self.assertLess(counters["keep"][f"bytes.{kind}"], 8 << 20, kind)
        self.assertGreater(counters["keep"]["bytes.logs"], 0)

    def counters_without_races(self, name, analysis):
        done = self.run_command([OMEN, "run", f"--online={analysis}", "--json", self.report, "--", self.program(name, True)],
                                env={"OMEN_OPTIONS": "stats=1"})
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(self.reported()["races"], [])
        return self.reported()["counters"]

    def test_memory_that_is_handed_over_needs_no_detail(self):
        for analysis in ("fto-hb", "st-wdc", "st-dc", "st-wcp"):
            self.assertLess(self.counters_without_races("hands_memory_over", analysis)["details"], 100, analysis)

    def test_threads_that_nobody_joins_give_their_places_away(self):
        for analysis in ("fto-hb", "st-wdc", "st-dc", "st-wcp"):
            for name in ("detached_threads", "joins_late"):
                counters = self.counters_without_races(name, analysis)
                self.assertEqual(counters["threads"], 701, (name, analysis))
                self.assertLess(counters["slots"], 300, (name, analysis))

    def test_of_what_barriers_order_no_sections_are_looked_up(self):
        for analysis in ("st-wdc", "st-dc", "st-wcp"):
            counters = self.counters_without_races("barrier_phases", analysis)
            self.assertLess(counters["analysed"], 500, analysis)  # of 400,000 writes that follow another thread's read
            self.assertGreater(counters["rule.write-shared"], 45000, analysis)  # the first of the eight in a line

    def test_what_is_read_again_without_its_lock_needs_detail_in_wcp_alone(self):
        lines = 10000
        for analysis, most in (("st-wdc", 100), ("st-dc", 100), ("st-wcp", lines + 100)):
            counters = self.counters_without_races("reads_again", analysis)
            self.assertLess(counters["details"], most, analysis)  # chunks; in WCP one for each line
            self.assertLess(counters["analysed"], 500, analysis)
            self.assertGreater(counters["rule.read-shared-owned"], 100000, analysis)

    def test_locks_held_at_accesses_are_counted(self):
        for analysis in ("fto-hb", "st-wdc", "st-dc", "st-wcp"):
            counters = self.counters_without_races("locks_held", analysis)
            # In each round a write, and a read of the memory of the acquired lock; the last is three and four locks.
            for locks, accesses in enumerate((1000, 2000, 2000, 4000)):
                self.assertGreaterEqual(counters[f"held.{locks}"], accesses, (analysis, locks))
                self.assertLess(counters[f"held.{locks}"], accesses + 100, (analysis, locks))

    def test_accesses_in_sections_that_are_open_yet_are_displaced(self):
        for analysis in ("st-wdc", "st-dc"):
            self.assertGreater(self.counters_without_races("nested_locks", analysis)["details"], 0, analysis)

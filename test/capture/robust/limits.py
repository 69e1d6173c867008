"""Limits of the online detector: it stops and says why, and the program continues."""

from robust import OMEN, online_only, Robust


@online_only
class Limits(Robust):
    def test_more_threads_than_places(self):
        done = self.same("threads_at_once", "300", env={"OMEN_OPTIONS": "most_threads=256"})
        self.assertRegex(done.err, r"more than 256 threads run at once")
        self.assertFalse(self.reported()["complete"])
        self.readable()

    def test_more_epochs_than_a_thread_may_have(self):
        for analysis in ("fto-hb", "st-wdc", "st-dc", "st-wcp"):
            done = self.run_command([OMEN, "run", f"--online={analysis}", "--json", self.report, "--",
                                     self.program("lock_operations", True), "100000"], env={"OMEN_OPTIONS": "most_epochs=5000"})
            self.assertEqual(done.code, self.run_command([self.program("lock_operations", False), "100000"]).code, done.err)
            self.assertRegex(done.err, r"a thread has had 5000 epochs")
            self.assertFalse(self.reported()["complete"])
            self.readable()

    def test_more_pairs_than_are_told_apart(self):
        done = self.watch([self.program("many_pairs", True)])
        self.assertEqual((done.code, done.out), (66, "done\n"))
        self.assertRegex(done.err, r"4096 pairs of places race: races between others are not reported")
        self.assertFalse(self.reported()["complete"])

    def test_memory_limit(self):
        done = self.same("lock_operations", "2000000", env={"OMEN_OPTIONS": "memory_limit_mb=1"})
        self.assertRegex(done.err, r"memory limit of 1 MiB is reached")
        self.readable()
        self.assertFalse(self.reported()["complete"])

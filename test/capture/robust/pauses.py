"""Threads pause after some of their releases, for a bounded time (capture/runtime/interceptors/pauses.hpp)."""

from robust import Robust


class Pauses(Robust):
    def sleeps(self, threads, rounds, pauses):
        done = self.watch([self.program("releases", True), str(threads), str(rounds)], env={"OMEN_OPTIONS": f"pauses={pauses}"})
        self.assertEqual(done.code, 0, done.err)
        return int(done.out)

    def test_a_thread_pauses_behind_releases(self):
        # 11 of 1024 releases are due. A thread also sleeps when the runtime enlarges its tables, in both runs.
        self.assertGreaterEqual(self.sleeps(1, 1024, 1) - self.sleeps(1, 1024, 0), 8)

    def test_pauses_are_bounded(self):
        # 64 threads with 10 pauses each would take 64 ms; 20 ms are always allowed, and a 64th of the run is short.
        self.assertLess(self.sleeps(64, 1000, 1) - self.sleeps(64, 1000, 0), 400)

"""Many threads, locks, signals and processes; deep stacks and large blocks; `omen run` on all of them."""

import os
import signal
import subprocess
import time

from robust import LONG, OMEN, ONLINE, Robust, SECONDS


class Load(Robust):
    def test_thousand_threads(self):
        self.same("thousand_threads")
        self.assertGreater(self.readable(), 3000)
        threads = str(self.reported()["threads"]) if ONLINE else self.run_command([OMEN, "stats", self.trace]).out
        self.assertRegex(threads, r"\b100[01]\b")

    def test_thread_that_needs_what_its_creator_holds(self):
        self.same("locks_own_malloc")
        self.readable()

    def test_lock_operations(self):
        self.same("lock_operations", "10000000" if LONG else "1000000")
        self.readable()

    def test_signal_storm(self):
        self.same("signal_storm")
        self.assertGreater(self.readable(), 90000)

    def test_faults_that_the_program_handles(self):
        self.same("fault_handler")
        self.readable()

    def test_deep_recursion(self):
        self.same("deep_recursion")
        self.readable()

    def test_linkage_table_stays_read_only(self):
        """Then the runtime cannot see which calls leave the program, and the summary says so."""
        how = ["--online"] if ONLINE else []
        done = self.run_command([self.program("refuses_mprotect", False), OMEN, "run", *how, "--",
                                 self.program("work", True, "-Wl,-z,relro,-z,now")])
        self.assertEqual(done.code, 7, done.err)  # the program's own
        self.assertIn("note: calls that leave the program cannot be seen", done.err)

    def test_large_allocations(self):
        start = time.monotonic()
        self.same("large_allocation")
        self.assertLess(time.monotonic() - start, 60)
        self.readable()


class Processes(Robust):
    def test_forks(self):
        self.same("forks")
        self.readable()
        if ONLINE:
            return
        children = [t for t in self.folder.glob("t.*.omen")]
        self.assertEqual(len(children), 3 + 9)
        for child in children:
            self.assertGreater(self.readable(child), 100, child)

    def test_other_ways_to_start_a_process(self):
        self.same("spawns")
        self.assertGreater(self.readable(), 500)

    def test_program_that_replaces_itself(self):
        self.same("executes", "itself")
        self.readable()
        if ONLINE:
            return
        others = list(self.folder.glob("t.*.omen"))
        self.assertEqual(len(others), 1)
        self.readable(others[0])

    def test_program_that_becomes_another(self):
        self.same("executes", "other")
        events = self.readable()
        self.assertTrue(ONLINE or events > 100)  # nothing counts the events

    def test_daemon(self):
        for recorded in (False, True):
            result = self.folder / f"result-{recorded}"
            command = [self.program("daemon", recorded), result]
            done = self.watch(command) if recorded else self.run_command(command)
            self.assertEqual(done.code, 0, done.err)
            for _ in range(600):
                if result.exists():
                    break
                time.sleep(0.1)
            self.assertEqual(result.read_text(), "120000\n")
        self.readable()
        self.assertEqual([p.name for p in self.folder.glob(".omen-recording*")], [])


class Reports(Robust):
    """`omen run` on the same programs: none of them has a race, and each ends as it does natively."""

    def setUp(self):
        super().setUp()
        if ONLINE:
            self.skipTest("the other tests compare this too")

    def test_no_program_has_a_race(self):
        for name, *arguments in (["work"], ["many_events"], ["thousand_threads"], ["forks"], ["spawns"], ["signal_storm"],
                                 ["fault_handler"], ["deep_recursion"], ["large_allocation"], ["executes", "itself"],
                                 ["executes", "other"], ["closes_all"], ["descriptors"], ["limits", "files"], ["stack_overflow"]):
            with self.subTest(name=name):
                native = self.run_command([self.program(name, False), *arguments])
                done = self.run_command([OMEN, "run", "--json", self.report, "--", self.program(name, True), *arguments])
                self.assertEqual((done.code, done.out), (native.code, native.out), done.err)
                self.assertEqual(self.reported()["races"], [])

    def test_killed(self):
        command = [OMEN, "run", "--json", self.report, "--", self.program("endless", True)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.kill(int(process.stdout.readline()), signal.SIGKILL)
        _, error = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL, error)
        self.assertEqual(self.reported()["exit"], {"signal": "SIGKILL"})

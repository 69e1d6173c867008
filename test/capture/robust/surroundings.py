"""Memory layouts, descriptors, system limits, other users."""

import os
import re
import unittest

from robust import can, ONLINE, Robust


class Surroundings(Robust):
    def test_layouts(self):
        wraps = [(), ("setarch", "-R")] if can(["setarch", "-R", "true"]) else [()]
        for flags in (("-pie", "-fPIE"), ("-no-pie", "-fno-pie")):
            for wrap in wraps:
                with self.subTest(flags=flags, wrap=wrap):
                    self.same("work", flags=flags, wrap=wrap)
                    self.readable()

    def test_layout_is_left_alone(self):
        """No call of personality, no second start of the program."""
        if not can(["strace", "-o", "/dev/null", "true"]):
            self.skipTest("strace cannot be used here")
        log = self.folder / "calls"
        self.run_command(["strace", "-f", "-e", "trace=personality,execve", "-o", log, self.program("work", True)],
                         env={"OMEN_ONLINE": f"st-wdc:{self.folder}"} if ONLINE else {"OMEN_RECORD": str(self.folder)})
        calls = log.read_text()
        self.assertNotIn("personality(", calls)
        self.assertEqual(calls.count("execve("), 1, calls)

    def test_little_address_space(self):
        wrap = ["sh", "-c", 'ulimit -v 2000000; exec "$0" "$@"']
        if not ONLINE:
            self.same("work", wrap=wrap)
            return
        native = self.run_command([*wrap, self.program("work", False)])
        done = self.watch([*wrap, self.program("work", True)])
        self.assertEqual((done.out, done.code), (native.out, 65), done.err)
        self.assertRegex(done.err, r"no memory to watch the program with; it runs unwatched")

    def test_closed_descriptors(self):
        for closing in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closing=closing):
                done = self.same("descriptors", wrap=["sh", "-c", f'exec "$0" "$@" {closing}'])
                self.assertNotEqual(done.code, 0)
                self.readable()

    def test_descriptors_are_not_taken(self):
        self.assertEqual(self.same("descriptors").code, 3 * 16 + 4)

    def test_program_that_closes_all_descriptors(self):
        self.same("closes_all")
        self.assertGreater(self.readable(), 100000)

    def test_fewer_descriptors(self):
        done = self.same("limits", "files")
        self.said_or_complete(done)

    def test_small_files_only(self):
        done = self.same("limits", "size")
        self.said_or_complete(done)

    def test_no_core_files(self):
        self.said_or_complete(self.same("limits", "processes"))

    def test_other_folder(self):
        done = self.same("limits", "folder")
        self.assertNotRegex(done.err, "stopped")
        self.assertGreater(self.readable(), 240000)

    @unittest.skipUnless(os.geteuid() == 0, "only the superuser can become somebody else")
    def test_other_user(self):
        self.said_or_complete(self.same("limits", "user"))

    def said_or_complete(self, done):
        """Either everything is recorded, or a message says where the recording stopped; in both cases the trace can be read."""
        events = self.readable()
        self.assertTrue(events > 240000 or re.search(r"recording stopped|not counted", done.err), f"{events} events; {done.err}")

"""However a program ends, its earlier accesses are seen."""

import os
import pathlib
import signal
import subprocess
import time

from robust import LONG, OMEN, ONLINE, online_only, recordings_only, Robust, SECONDS


class Ends(Robust):
    def ended_early(self, events):
        """A recording has at least this many events; the online detector may not be able to report its count, and then says so."""
        if not ONLINE:
            self.assertGreater(self.readable(), events)
            return
        self.readable()
        self.assertRegex(" ".join(self.reported()["notes"]), r"races up to there are reported")

    def test_threads_that_go_on(self):
        self.same("threads_go_on")
        self.assertGreater(self.readable(), 3 * 1000 * 10)  # their events count too

    @online_only
    def test_first_accesses_in_one_moment(self):
        """Whichever thread comes first to new memory, none of the races between two first accesses is lost."""
        self.assertEqual(self.watch([self.program("meets", True)]).code, 66)
        (race,) = self.reported()["races"]
        self.assertEqual(race["count"], 2000)

    @online_only
    def test_killed_after_a_race(self):
        process, pid = self.started("races_and_goes_on")
        os.kill(pid, signal.SIGKILL)
        error = process.stderr.read()
        self.assertEqual(process.wait(SECONDS), 66, error)
        self.assertRegex(error, r"WARNING: OmenRaceDetector: data race")
        report = self.reported()
        self.assertEqual(len(report["races"]), 1)
        self.assertEqual(report["exit"], {"signal": "SIGKILL"})

    def started(self, name, folder=None):
        """Starts a program that says its process number when it is ready: the process of omen, and that number."""
        process = subprocess.Popen(self.watched([self.program(name, True)], folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        return process, int(process.stdout.readline())

    def lasts(self, what, milliseconds):
        """Seconds that a program takes whose other threads do this when main returns."""
        start = time.monotonic()
        done = self.watch([self.program("ends_with_threads", True), what], env={"OMEN_OPTIONS": f"atexit_sleep_ms={milliseconds}"})
        self.assertEqual((done.code, done.out), (5, "done\n"), done.err)
        return time.monotonic() - start

    def test_end_does_not_wait_for_blocked_threads(self):
        self.assertLess(self.lasts("block", 100000), 60)

    def test_end_waits_as_long_as_it_is_told(self):
        for what in ("spin", "sleep"):
            self.assertGreater(self.lasts(what, 700), 0.7, what)
            self.assertLess(self.lasts(what, 0), 60, what)

    def test_asked_twice_to_end(self):
        """As `timeout` does: signals omen, and at once its process group, which contains the program."""
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            command = [OMEN, "run", *(["--online"] if ONLINE else []), "--json", self.report, "--", self.program("races_and_goes_on", True)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
                process.stdout.readline()
                process.send_signal(number)
                os.killpg(process.pid, number)
                _, error = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 66, error)
            self.assertRegex(error, r"WARNING: OmenRaceDetector: data race")
            self.assertEqual(self.reported()["exit"], {"signal": signal.Signals(number).name})
            self.assertEqual(len(self.reported()["races"]), 1)

    @recordings_only
    def test_asked_to_end_while_the_run_is_analysed(self):
        command = [OMEN, "run", "--json", self.report, "--", self.program("many_events", True), "4000" if LONG else "1000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
            for runs in (True, False):
                while bool(children.read_text()) != runs:
                    time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=SECONDS)
        self.assertRegex(error, r"the analysis was interrupted")
        self.assertEqual((process.returncode, self.reported()["complete"], self.reported()["races"]), (0, False, []))

    def test_what_a_killed_omen_left_behind(self):
        folder = self.folder / "records"
        folder.mkdir()
        leftovers = lambda: len(list(folder.glob(".omen-recording*")))  # noqa: E731
        (killed, program), (living, other) = (self.started("races_and_goes_on", folder) for _ in range(2))
        self.assertEqual(leftovers(), 2)
        killed.kill()
        killed.wait()
        os.kill(program, signal.SIGKILL)
        self.assertEqual(self.run_command(self.watched([self.program("work", True)], folder)).code, 7)
        self.assertEqual(leftovers(), 1)
        os.kill(other, signal.SIGTERM)
        living.stderr.read()
        self.assertIn(living.wait(SECONDS), (66, 128 + signal.SIGTERM))
        self.assertEqual(leftovers(), 0)

    def test_killed(self):
        process, pid = self.started("endless")
        os.kill(pid, signal.SIGKILL)
        error = process.stderr.read()
        self.assertEqual(process.wait(SECONDS), 128 + signal.SIGKILL, error)
        self.assertRegex(error, r"ended by SIGKILL" if ONLINE else r"signal 9")
        self.ended_early(1000)

    def test_terminated_through_omen(self):
        process, _ = self.started("waits_for_term")
        process.send_signal(signal.SIGTERM)
        error = process.stderr.read()
        self.assertEqual(process.wait(SECONDS), 9, error)
        self.assertGreater(self.readable(), 100)

    def test_stack_overflow(self):
        done = self.same("stack_overflow")
        self.assertEqual(done.code, 128 + signal.SIGSEGV)
        self.assertRegex(done.err, r"ended by SIGSEGV" if ONLINE else r"signal 11")
        self.ended_early(0)

    def test_exit_code_and_output(self):
        self.assertEqual(self.same("work").code, 7)
        self.assertGreater(self.readable(), 1000)

    def test_input_comes_through(self):
        self.assertEqual(self.same("copies_input", stdin=b"some text\n" * 10000).code, 6)

    def test_arguments_come_through(self):
        arguments = ["-q", "-j4", "-9", "in.txt", "--json", "other.json", "--", "--online", "-x"]
        told = "".join(f"[{a}]" for a in arguments) + "\n"
        self.assertEqual(self.same("tells_arguments", *arguments).out, told)
        command = self.watched([self.program("tells_arguments", True), *arguments])
        command.remove("--")  # the first one, which is omen's
        self.assertEqual(self.run_command(command).out, told)

#!/usr/bin/env python3
"""A program that omen watches behaves as it does natively, whatever happens to it, and what was seen can be read.

Every test runs a program of `programs/` twice, built by the plain compiler and by omen-cc, and compares exit code and output. Under
`omen record` the trace must then be readable by `omen stats` and `omen analyze`; under `omen run --online` the report must be
there and name no race, for none of the programs has one that is not asked for. Where the watching ended early a message must say why.

Usage: robust_test.py OMEN OMEN-CC [--online] [unittest options]
OMEN_COMPILER=clang-19 (or another) is the compiler behind; OMEN_LONG=1 runs the sizes of a real load.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
OMEN, OMEN_CC = (os.path.abspath(sys.argv.pop(1)) for _ in range(2)) if len(sys.argv) > 2 else ("", "")
ONLINE = "--online" in sys.argv
COMPILER = os.environ.get("OMEN_COMPILER", "gcc")
LONG = os.environ.get("OMEN_LONG") == "1"
SECONDS = 300


def can(command):
    """Whether this machine lets us do that."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0 if shutil.which(command[0]) else False


NAMESPACES = can(["unshare", "-rm", "true"])
recordings_only = unittest.skipIf(ONLINE, "about recordings")
online_only = unittest.skipUnless(ONLINE, "about detection in the running program")


class Done:
    """How a command ended: a code as a shell says it, and what it said."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = (128 - code if code < 0 else code), out, err


class Robust(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.TemporaryDirectory(prefix="omen-robust-")
        cls.addClassCleanup(cls.built.cleanup)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="omen-robust-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.trace = self.folder / "t.omen"
        self.report = self.folder / "report.json"

    def program(self, name, recorded, *flags):
        """The path of a program, built once."""
        path = os.path.join(self.built.name, "-".join([name, "omen" if recorded else "native", *flags]))
        if not os.path.exists(path):
            command = [OMEN_CC if recorded else COMPILER, "-g", "-O1", "-pthread", "-w", *flags, PROGRAMS / f"{name}.c", "-o", path]
            env = os.environ | {"OMEN_CC": COMPILER}
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def run_command(self, command, env=None, stdin=b""):
        done = subprocess.run([str(c) for c in command], input=stdin, capture_output=True, timeout=SECONDS, check=False,
                              cwd=self.folder, env=os.environ | (env or {}))
        return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def watched(self, command, folder=None):
        """The command that runs another under omen; `folder` is where omen writes while the program runs."""
        if ONLINE:
            return [OMEN, "run", "--online", "--json", self.report, *(["--folder", folder] if folder else []), "--", *command]
        return [OMEN, "record", "-o", f"{folder}/t.omen" if folder else self.trace, "--", *command]

    def watch(self, command, **options):
        return self.run_command(self.watched(command), **options)

    def readable(self, trace=None):
        """What was seen can be read to its end and has no race; how many events it has."""
        if ONLINE:
            report = self.reported()
            self.assertEqual(report["races"], [])
            return report["events"]
        trace = trace or self.trace
        stats = self.run_command([OMEN, "stats", trace])
        self.assertEqual(stats.code, 0, stats.err)
        analysed = self.run_command([OMEN, "analyze", trace, "--analysis", "fto-hb,st-wdc"])
        self.assertIn(analysed.code, (0, 66), analysed.err)
        dumped = self.run_command([OMEN, "dump", trace, "--from", "0"])
        self.assertEqual(dumped.code, 0, dumped.err)
        return dumped.out.count("\n")

    def reported(self):
        return json.loads(self.report.read_text())

    def same(self, name, *arguments, flags=(), wrap=(), **options):
        """Watches a run and compares it with a native one; what the watched one did."""
        native = self.run_command([*wrap, self.program(name, False, *flags), *arguments], **options)
        watched = self.watch([*wrap, self.program(name, True, *flags), *arguments], **options)
        self.assertEqual(watched.code, native.code, watched.err)
        self.assertEqual(watched.out, native.out, watched.err)
        return watched


class Ends(Robust):
    """However a program ends, what it did before is seen."""

    def ended_early(self, events):
        """A recording has at least as many events; a detector in the program could not say how many it saw, and says that."""
        if not ONLINE:
            self.assertGreater(self.readable(), events)
            return
        self.readable()
        self.assertRegex(" ".join(self.reported()["notes"]), r"races up to there are reported")

    def test_threads_that_go_on(self):
        self.same("threads_go_on")
        self.assertGreater(self.readable(), 3 * 1000 * 10)  # what they did counts too

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
        """Seconds that a program takes whose other threads do that when main returns."""
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
        """As `timeout` does: omen, and at once its process group, the program among it."""
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


class Space(Robust):
    """The recording ends early, the program does not."""

    @recordings_only
    def test_trace_limit(self):
        limit, rounds = (100, 1200) if LONG else (2, 8)
        done = self.same("many_events", str(rounds), env={"OMEN_OPTIONS": f"max_trace_mb={limit}"})
        self.assertRegex(done.err, r"max_trace_mb")
        self.assertGreater(self.readable(), 1000)

    @recordings_only
    def test_polling_is_recorded_once(self):
        self.same("polls")
        self.assertLess(self.readable(), 1000)  # of a million rounds

    @recordings_only
    @unittest.skipUnless(NAMESPACES, "cannot mount a small file system here")
    def test_some_of_the_disk_is_left(self):
        small = self.folder / "small"
        small.mkdir()
        script = f"mount -t tmpfs -o size=24m none {small} && {shlex.join(map(str, self.watched([], small)))} \"$0\" 600"
        done = self.run_command(["unshare", "-rm", "sh", "-c", script, self.program("many_events", True)])
        self.assertRegex(done.err, r"there is no space left on the disk but a reserve")
        self.assertEqual(done.out, self.run_command([self.program("many_events", False), "600"]).out)

    @online_only
    def test_more_threads_than_places(self):
        done = self.same("threads_at_once", "8300")
        if done.code == 9:
            self.skipTest("the system does not let a program have so many threads")
        self.assertRegex(done.err, r"more than 8192 threads run at once")
        self.assertFalse(self.reported()["complete"])
        self.readable()

    @online_only
    def test_more_epochs_than_a_thread_may_have(self):
        for analysis in ("fto-hb", "st-wdc", "st-dc", "st-wcp"):
            done = self.run_command([OMEN, "run", f"--online={analysis}", "--json", self.report, "--",
                                     self.program("lock_operations", True), "100000"], env={"OMEN_OPTIONS": "most_epochs=5000"})
            self.assertEqual(done.code, self.run_command([self.program("lock_operations", False), "100000"]).code, done.err)
            self.assertRegex(done.err, r"a thread has had 5000 epochs")
            self.assertFalse(self.reported()["complete"])
            self.readable()

    @online_only
    def test_more_pairs_than_are_told_apart(self):
        done = self.watch([self.program("many_pairs", True)])
        self.assertEqual((done.code, done.out), (66, "done\n"))
        self.assertRegex(done.err, r"4096 pairs of places race: races between others are not reported")
        self.assertFalse(self.reported()["complete"])

    def test_no_trace_limit(self):
        done = self.same("many_events")
        self.assertNotRegex(done.err, r"stopped")
        self.assertGreater(self.readable(), 500000)

    @online_only
    def test_memory_limit(self):
        done = self.same("lock_operations", "2000000", env={"OMEN_OPTIONS": "memory_limit_mb=1"})
        self.assertRegex(done.err, r"memory limit of 1 MiB is reached")
        self.readable()
        self.assertFalse(self.reported()["complete"])

    @online_only
    def test_shadow_of_freed_memory_is_given_back(self):
        touched = 2 * 8 << 20
        counters = {}
        for what in ("keep", "free"):
            self.same("takes_memory", what, env={"OMEN_OPTIONS": "stats=1"})
            counters[what] = self.reported()["counters"]
        self.assertGreaterEqual(counters["keep"]["bytes.shadow"], touched)  # a line of its own for each line
        self.assertLess(counters["keep"]["bytes.shadow"], 1.2 * touched)
        self.assertLess(counters["free"]["bytes.shadow"], 0.2 * touched)
        for kind in ("planes", "logs", "split", "vectors", "analysis"):
            self.assertLess(counters["keep"][f"bytes.{kind}"], 8 << 20, kind)
        self.assertGreater(counters["keep"]["bytes.logs"], 0)

    def counters_without_races(self, name, analysis):
        done = self.run_command([OMEN, "run", f"--online={analysis}", "--json", self.report, "--", self.program(name, True)],
                                env={"OMEN_OPTIONS": "stats=1"})
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(self.reported()["races"], [])
        return self.reported()["counters"]

    @online_only
    def test_memory_that_is_handed_over_stays_in_its_cells(self):
        for analysis in ("fto-hb", "st-wdc", "st-dc", "st-wcp"):
            self.assertLess(self.counters_without_races("hands_memory_over", analysis)["cells.split"], 100, analysis)

    @online_only
    def test_threads_that_nobody_joins_give_their_places_away(self):
        for analysis in ("fto-hb", "st-wdc", "st-dc", "st-wcp"):
            for name in ("detached_threads", "joins_late"):
                counters = self.counters_without_races(name, analysis)
                self.assertEqual(counters["threads"], 701, (name, analysis))
                self.assertLess(counters["slots"], 300, (name, analysis))

    @online_only
    def test_what_barriers_order_is_not_asked_of_the_analysis(self):
        for analysis in ("st-wdc", "st-dc", "st-wcp"):
            counters = self.counters_without_races("barrier_phases", analysis)
            asked = sum(counters[f"held.{locks}"] for locks in range(4))
            self.assertLess(asked, 500, analysis)  # of 400,000 writes that follow another thread's read
            self.assertGreater(counters["rule.write-shared"], 45000, analysis)  # the first of the eight in a line

    @online_only
    def test_what_is_read_again_without_its_lock_stays_in_its_cells(self):
        counters = self.counters_without_races("reads_again", "st-wcp")
        self.assertLess(counters["cells.split"], 100)  # of 80,000
        self.assertLess(sum(counters[f"held.{locks}"] for locks in range(4)), 500)
        self.assertGreater(counters["rule.read-shared-owned"], 100000)

    @online_only
    def test_sections_that_are_open_yet_are_set_aside(self):
        for analysis in ("st-wdc", "st-dc"):
            counters = self.counters_without_races("nested_locks", analysis)
            self.assertEqual(counters["ancillary.checked"], 0, analysis)  # what readers left is set aside in the cells
            self.assertGreater(counters["cells.split"], 0, analysis)

    @unittest.skipUnless(NAMESPACES, "cannot mount a small file system here")
    def test_full_disk(self):
        native = self.run_command([self.program("many_events", False)])
        small = self.folder / "small"
        small.mkdir()
        command = shlex.join(map(str, self.watched([], small)))
        script = f"mount -t tmpfs -o size=1m none {small} && {command} \"$0\"; code=$?; ls -a {small} >&2; exit $code"
        done = self.run_command(["unshare", "-rm", "sh", "-c", script, self.program("many_events", True)])
        self.assertEqual(done.out, native.out, done.err)
        if not ONLINE:  # which needs little room, and may have enough
            self.assertRegex(done.err, r"[Nn]o space")
        self.assertIn(done.code, (native.code, 65), done.err)
        self.assertNotRegex(done.err, r"(?m)^\.omen-recording")

    def test_file_size_limit_of_the_shell(self):
        done = self.same("many_events", wrap=["sh", "-c", 'ulimit -f 2048; exec "$0" "$@"'])
        if not ONLINE:
            self.assertRegex(done.err, r"space|limit")
        self.assertGreater(self.readable(), 1000)

    def test_folder_that_cannot_be_written(self):
        done = self.run_command(self.watched([self.program("work", True)], "/proc"))
        self.assertEqual(done.code, 65, done.err)
        self.assertEqual(done.out, "")
        self.assertRegex(done.err, r"/proc.*cannot record here")

    @unittest.skipUnless(NAMESPACES, "cannot mount a file system here")
    def test_file_system_that_is_read_only(self):
        fixed = self.folder / "fixed"
        fixed.mkdir()
        script = f"mount -t tmpfs -o ro none {fixed} && {shlex.join(map(str, self.watched([], fixed)))} \"$0\""
        done = self.run_command(["unshare", "-rm", "sh", "-c", script, self.program("work", True)])
        self.assertEqual(done.code, 65, done.err)
        self.assertRegex(done.err, r"Read-only file system")

    def test_recording_folder_that_is_not_there(self):
        native = self.run_command([self.program("work", False)])
        done = self.run_command([self.program("work", True)], env={"OMEN_RECORD": str(self.folder / "nowhere")})
        self.assertEqual((done.code, done.out), (native.code, native.out))
        self.assertRegex(done.err, r"cannot record to .*nowhere.*unrecorded")

    def test_without_omen(self):
        native = self.run_command([self.program("work", False)])
        done = self.run_command([self.program("work", True)])
        self.assertEqual((done.code, done.out, done.err), (native.code, native.out, native.err))

    def test_program_that_is_not_instrumented(self):
        done = self.watch([self.program("work", False)])
        self.assertEqual(done.out, "2000\n")
        self.assertEqual(done.code, 65)
        self.assertRegex(done.err, r"(recorded|said) nothing.*omen-cc")

    def test_program_that_is_not_there(self):
        done = self.watch(["./nothing"])
        self.assertEqual(done.code, 65)
        self.assertRegex(done.err, r"\./nothing.*[Nn]o such file")


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
        """Which calls leave the program cannot be seen then, and the summary says so."""
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
        self.assertTrue(ONLINE or events > 100)  # nobody is there to count what was seen

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
        """Either all is recorded, or a message says from where on not; in both cases the trace can be read."""
        events = self.readable()
        self.assertTrue(events > 240000 or re.search(r"recording stopped|not counted", done.err), f"{events} events; {done.err}")


if __name__ == "__main__":
    if not OMEN:
        sys.exit(__doc__)
    if ONLINE:
        sys.argv.remove("--online")
    unittest.main()

#!/usr/bin/env python3
"""A recorded program behaves as it does natively, whatever happens to it, and what was recorded can be read.

Every test runs a program of `programs/` twice, built by the plain compiler and by omen-cc, and compares exit code and output. Then
the trace must be readable by `omen stats` and `omen analyze`, and where the recording ended early a message must say why.

Usage: robust_test.py OMEN OMEN-CC [unittest options]
OMEN_COMPILER=clang-19 (or another) is the compiler behind; OMEN_LONG=1 runs the sizes of a real load.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
OMEN, OMEN_CC = (os.path.abspath(sys.argv.pop(1)) for _ in range(2)) if len(sys.argv) > 2 else ("", "")
COMPILER = os.environ.get("OMEN_COMPILER", "gcc")
LONG = os.environ.get("OMEN_LONG") == "1"
SECONDS = 300


def can(command):
    """Whether this machine lets us do that."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0 if shutil.which(command[0]) else False


NAMESPACES = can(["unshare", "-rm", "true"])


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

    def record(self, command, **options):
        return self.run_command([OMEN, "record", "-o", self.trace, "--", *command], **options)

    def readable(self, trace=None):
        """The trace can be read to its end and analysed; how many events it has."""
        trace = trace or self.trace
        stats = self.run_command([OMEN, "stats", trace])
        self.assertEqual(stats.code, 0, stats.err)
        analysed = self.run_command([OMEN, "analyze", trace, "--analysis", "fto-hb,st-wdc"])
        self.assertIn(analysed.code, (0, 66), analysed.err)
        dumped = self.run_command([OMEN, "dump", trace, "--from", "0"])
        self.assertEqual(dumped.code, 0, dumped.err)
        return dumped.out.count("\n")

    def same(self, name, *arguments, flags=(), wrap=(), **options):
        """Records a run and compares it with a native one; what the recorded one did."""
        native = self.run_command([*wrap, self.program(name, False, *flags), *arguments], **options)
        recorded = self.record([*wrap, self.program(name, True, *flags), *arguments], **options)
        self.assertEqual(recorded.code, native.code, recorded.err)
        self.assertEqual(recorded.out, native.out, recorded.err)
        return recorded


class Ends(Robust):
    """However a program ends, what it did before is in the trace."""

    def started(self, name):
        """Starts a program that says its process number when it is ready: the process of omen, and that number."""
        process = subprocess.Popen([OMEN, "record", "-o", self.trace, "--", self.program(name, True)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        return process, int(process.stdout.readline())

    def test_killed(self):
        process, pid = self.started("endless")
        os.kill(pid, signal.SIGKILL)
        error = process.stderr.read()
        self.assertEqual(process.wait(SECONDS), 128 + signal.SIGKILL, error)
        self.assertRegex(error, r"signal 9")
        self.assertGreater(self.readable(), 1000)

    def test_terminated_through_omen(self):
        process, _ = self.started("waits_for_term")
        process.send_signal(signal.SIGTERM)
        error = process.stderr.read()
        self.assertEqual(process.wait(SECONDS), 9, error)
        self.assertGreater(self.readable(), 100)

    def test_stack_overflow(self):
        done = self.same("stack_overflow")
        self.assertEqual(done.code, 128 + signal.SIGSEGV)
        self.assertRegex(done.err, r"signal 11")
        self.readable()

    def test_exit_code_and_output(self):
        self.assertEqual(self.same("work").code, 7)
        self.assertGreater(self.readable(), 1000)

    def test_input_comes_through(self):
        self.assertEqual(self.same("copies_input", stdin=b"some text\n" * 10000).code, 6)


class Space(Robust):
    """The recording ends early, the program does not."""

    def test_trace_limit(self):
        done = self.same("many_events", env={"OMEN_OPTIONS": "max_trace_mb=100" if LONG else "max_trace_mb=2"})
        self.assertRegex(done.err, r"max_trace_mb")
        self.assertGreater(self.readable(), 1000)

    def test_no_trace_limit(self):
        done = self.same("many_events")
        self.assertNotRegex(done.err, r"stopped")
        self.assertGreater(self.readable(), 500000)

    @unittest.skipUnless(NAMESPACES, "cannot mount a small file system here")
    def test_full_disk(self):
        native = self.run_command([self.program("many_events", False)])
        small = self.folder / "small"
        small.mkdir()
        script = f"mount -t tmpfs -o size=1m none {small} && {OMEN} record -o {small}/t.omen -- \"$0\"; code=$?; ls -a {small} >&2; exit $code"
        done = self.run_command(["unshare", "-rm", "sh", "-c", script, self.program("many_events", True)])
        self.assertEqual(done.out, native.out, done.err)
        self.assertRegex(done.err, r"[Nn]o space")
        self.assertIn(done.code, (native.code, 65), done.err)
        self.assertNotRegex(done.err, r"(?m)^\.omen-recording")

    def test_file_size_limit_of_the_shell(self):
        done = self.same("many_events", wrap=["sh", "-c", 'ulimit -f 2048; exec "$0" "$@"'])
        self.assertRegex(done.err, r"space|limit")
        self.assertGreater(self.readable(), 1000)

    def test_folder_that_cannot_be_written(self):
        done = self.run_command([OMEN, "record", "-o", "/proc/t.omen", "--", self.program("work", True)])
        self.assertEqual(done.code, 65, done.err)
        self.assertEqual(done.out, "")
        self.assertRegex(done.err, r"/proc.*cannot record here")

    @unittest.skipUnless(NAMESPACES, "cannot mount a file system here")
    def test_file_system_that_is_read_only(self):
        fixed = self.folder / "fixed"
        fixed.mkdir()
        script = f"mount -t tmpfs -o ro none {fixed} && {OMEN} record -o {fixed}/t.omen -- \"$0\""
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
        done = self.record([self.program("work", False)])
        self.assertEqual(done.out, "2000\n")
        self.assertEqual(done.code, 65)
        self.assertRegex(done.err, r"recorded nothing.*omen-cc")

    def test_program_that_is_not_there(self):
        done = self.record(["./nothing"])
        self.assertEqual(done.code, 65)
        self.assertRegex(done.err, r"\./nothing.*[Nn]o such file")


class Load(Robust):
    def test_thousand_threads(self):
        self.same("thousand_threads")
        self.assertGreater(self.readable(), 3000)
        self.assertRegex(self.run_command([OMEN, "stats", self.trace]).out, r"\b100[01]\b")

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

    def test_large_allocations(self):
        start = time.monotonic()
        self.same("large_allocation")
        self.assertLess(time.monotonic() - start, 60)
        self.readable()


class Processes(Robust):
    def test_forks(self):
        self.same("forks")
        self.readable()
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
        others = list(self.folder.glob("t.*.omen"))
        self.assertEqual(len(others), 1)
        self.readable(others[0])

    def test_program_that_becomes_another(self):
        self.same("executes", "other")
        self.assertGreater(self.readable(), 100)

    def test_daemon(self):
        for recorded in (False, True):
            result = self.folder / f"result-{recorded}"
            command = [self.program("daemon", recorded), result]
            done = self.record(command) if recorded else self.run_command(command)
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

    def test_no_program_has_a_race(self):
        for name, *arguments in (["work"], ["many_events"], ["thousand_threads"], ["forks"], ["spawns"], ["signal_storm"],
                                 ["fault_handler"], ["deep_recursion"], ["large_allocation"], ["executes", "itself"],
                                 ["executes", "other"], ["closes_all"], ["descriptors"], ["limits", "files"], ["stack_overflow"]):
            with self.subTest(name=name):
                native = self.run_command([self.program(name, False), *arguments])
                report = self.folder / "report.json"
                done = self.run_command([OMEN, "run", "--json", report, "--", self.program(name, True), *arguments])
                self.assertEqual((done.code, done.out), (native.code, native.out), done.err)
                self.assertEqual(json.loads(report.read_text())["races"], [])

    def test_killed(self):
        command = [OMEN, "run", "--json", self.folder / "report.json", "--", self.program("endless", True)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.kill(int(process.stdout.readline()), signal.SIGKILL)
        _, error = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL, error)
        self.assertEqual(json.loads((self.folder / "report.json").read_text())["exit"], {"signal": "SIGKILL"})


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
                         env={"OMEN_RECORD": str(self.folder)})
        calls = log.read_text()
        self.assertNotIn("personality(", calls)
        self.assertEqual(calls.count("execve("), 1, calls)

    def test_little_address_space(self):
        self.same("work", wrap=["sh", "-c", 'ulimit -v 2000000; exec "$0" "$@"'])

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
        self.assertTrue(events > 240000 or re.search(r"recording stopped", done.err), f"{events} events; {done.err}")


if __name__ == "__main__":
    if not OMEN:
        sys.exit(__doc__)
    unittest.main()

"""Programs started without omen, with `mode=record` in OMEN_OPTIONS: they write their own traces."""

import os
import pathlib
import re
import shutil
import signal
import subprocess

from robust import OMEN, Robust, SECONDS, recordings_only


@recordings_only
class AloneRecorded(Robust):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.environment = {"OMEN_OPTIONS": "mode=record:trace_path=t.omen", "TMPDIR": str(self.temporary)}

    def alone(self, name, *arguments, env=None):
        return self.run_command([self.program(name, True), *arguments], env=self.environment | (env or {}))

    def traces(self):
        return sorted(path.name for path in self.folder.glob("*.omen"))

    def assert_no_leftovers(self):
        self.assertEqual([path.name for path in self.folder.glob(".omen-recording-*")], [])

    def test_clean_program(self):
        native = self.run_command([self.program("work", False)])
        done = self.alone("work")
        self.assertEqual((done.code, done.out), (native.code, native.out), done.err)
        self.assertRegex(done.err, r"^omen: t\.omen: \d+ events")
        self.assertEqual(self.traces(), ["t.omen"])
        self.assert_no_leftovers()
        self.readable(self.trace)

    def test_the_trace_is_there_at_the_end_and_shows_the_race(self):
        done = self.alone("sees_itself", "race")
        self.assertEqual((done.code, done.out), (9, "-1 1 3\nnot flushed yet"), done.err)
        report = self.run_command([OMEN, "report", self.trace])
        self.assertEqual(report.code, 66, report.err)
        self.assertRegex(report.out + report.err, r"#0 work .*sees_itself\.c:14")
        self.assertEqual(self.run_command([OMEN, "vindicate", self.trace]).code, 66)

    def test_arguments_and_input(self):
        for arguments in ([], ["a", "", "b c", "--help", "--", "-o"]):
            self.assertEqual(self.alone("tells_arguments", *arguments).out, "".join(f"[{each}]" for each in arguments) + "\n")
        native = self.run_command([self.program("copies_input", False)], stdin=b"some\ninput")
        done = self.run_command([self.program("copies_input", True)], env=self.environment, stdin=b"some\ninput")
        self.assertEqual((done.code, done.out), (native.code, native.out), done.err)

    def test_names_of_traces(self):
        program = pathlib.Path(self.program("work", True))
        for options, wanted in (("mode=record:trace_path=a-%p.omen", r"a-\d+\.omen"), ("mode=record", r"omen-\d+\.omen")):
            with subprocess.Popen([program], env=os.environ | {"OMEN_OPTIONS": options}, cwd=self.folder, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                process.wait(SECONDS)
            self.assertEqual(len(self.traces()), 1)
            self.assertRegex(self.traces()[0], rf"^{wanted}$")
            self.assertIn(str(process.pid), self.traces()[0], "the process that was started")
            (self.folder / self.traces()[0]).unlink()

    def test_by_whatever_name_it_is_started(self):
        shutil.copy(self.program("work", True), self.folder / "here")
        for command in (["./here"], ["sh", "-c", "PATH=.:$PATH; exec here"]):
            done = self.run_command(command, env=self.environment)
            self.assertEqual(done.code, 7, (command, done.err))
            self.assertEqual(self.traces(), ["t.omen"])
            self.trace.unlink()

    def test_forked_children(self):
        native = self.run_command([self.program("forks", False)])
        done = self.alone("forks")
        self.assertEqual((done.code, done.out), (native.code, native.out), done.err)
        self.assertIn("t.omen", self.traces())
        self.assertTrue(all(re.fullmatch(r"t(\.\d+)?\.omen", name) for name in self.traces()), self.traces())
        self.assertGreater(len(self.traces()), 1)

    def test_preloaded_library(self):
        """It is loaded into the program, not into omen."""
        source, library = self.folder / "first.c", self.folder / "first.so"
        source.write_text('#include <unistd.h>\n__attribute__((constructor)) static void start(void) { write(2, "preloaded\\n", 10); }\n')
        subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
        done = self.alone("tells_arguments", "x", env={"LD_PRELOAD": str(library)})
        self.assertEqual((done.code, done.out, done.err.count("preloaded")), (0, "[x]\n", 1), done.err)

    def test_signals(self):
        """TERM to the process that was started; INT to both, as a terminal sends it."""
        for number, send in ((signal.SIGTERM, os.kill), (signal.SIGINT, os.killpg)):
            with subprocess.Popen([self.program("races_and_goes_on", True)], env=os.environ | self.environment, cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
                process.stdout.readline()
                send(process.pid, number)
                _, error = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 128 + number, error)
            self.assertEqual(self.run_command([OMEN, "report", self.trace]).code, 66)
            self.trace.unlink()
        self.assert_no_leftovers()

    def test_a_test_that_is_not_recorded_does_not_pass(self):
        for options, message in (("mode=record:nonsense=1", "there is no option 'nonsense'"), ("mode=record:trace_path=nowhere/t.omen", "nowhere")):
            done = self.run_command([self.program("work", True)], env={"OMEN_OPTIONS": options})
            self.assertEqual((done.code, done.out), (65, ""), done.err)
            self.assertRegex(done.err, message)
        done = self.alone("work", env={"OMEN_TOOL": "/nowhere/omen"})
        self.assertEqual((done.code, done.out), (65, ""))
        self.assertRegex(done.err, r"there is no omen .*OMEN_TOOL")

    def test_under_omen(self):
        """omen run and omen record work as usual, whatever the mode."""
        done = self.watch([self.program("work", True)], env={"OMEN_OPTIONS": "mode=record:trace_path=other.omen"})
        self.assertEqual(done.code, 7, done.err)
        self.assertEqual(self.traces(), ["t.omen"])

"""Programs started without omen, with `mode=online` in OMEN_OPTIONS: omen starts by itself and watches them."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from robust import OMEN, OMEN_CC, online_only, Robust, SECONDS

RACE = r"WARNING: OmenRaceDetector: data race"


@online_only
class Alone(Robust):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()

    def alone(self, name, *arguments, options="", env=None):
        """The result of the program, started alone. No temporary files may remain."""
        environment = {"OMEN_OPTIONS": f"mode=online:{options}", "TMPDIR": str(self.temporary)} | (env or {})
        done = self.run_command([self.program(name, True), *arguments], env=environment)
        self.assert_nothing_left()
        return done

    def assert_nothing_left(self):
        end = time.monotonic() + SECONDS
        while list(self.temporary.iterdir()) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_clean_program(self):
        native = self.run_command([self.program("work", False)])
        done = self.alone("work")
        self.assertEqual((done.code, done.out), (native.code, native.out))
        self.assertRegex(done.err, r"^OmenRaceDetector: 0 races .*in \d+ events")

    def test_race(self):
        for what in ("race", "race close", "race quick", "race immediately", "race borrows"):
            done = self.alone("sees_itself", what)
            self.assertEqual((done.code, done.out), (66, "-1 1 3\nnot flushed yet"), (what, done.err))
            self.assertEqual(done.err.count("WARNING"), 1, (what, done.err))
            self.assertRegex(done.err, r"#0 work .*sees_itself\.c:14")
            self.assertRegex(done.err, r"OmenRaceDetector: 1 race ")

    def test_exit_code_of_options(self):
        self.assertEqual(self.alone("sees_itself", "race", options="exitcode=23").code, 23)
        done = self.alone("sees_itself", "race", options="exitcode=0")
        self.assertEqual(done.code, 9)
        self.assertRegex(done.err, RACE)
        self.assertEqual(self.alone("sees_itself", "race", env={"TSAN_OPTIONS": "exitcode=24"}).code, 24)

    def test_prediction_without_a_witness(self):
        """It is printed, and affects the exit code only on request."""
        bank = pathlib.Path(__file__).resolve().parents[3] / "examples" / "bank" / "bank.cpp"
        program = self.folder / "bank"
        cxx = pathlib.Path(OMEN_CC).with_name("omen-c++")
        self.assertEqual(self.run_command([cxx, "-std=c++20", "-g", bank, "-o", program]).code, 0)
        for fail_on in ("observed", "predicted"):
            environment = {"OMEN_OPTIONS": f"mode=online:fail_on={fail_on}", "TMPDIR": str(self.temporary)}
            done = self.run_command([program], env=environment)
            self.assertRegex(done.err, RACE)
            observed = re.search(r"bank\.cpp:\d+: observed", done.err) is not None  # another schedule
            self.assertEqual(done.code, 66 if fail_on == "predicted" or observed else 0, done.err)

    def test_log_path(self):
        done = self.alone("sees_itself", "race", options="log_path=said")
        self.assertEqual((done.code, done.err), (66, ""))
        said = list(self.folder.glob("said.*"))
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0].read_text(), RACE)

    def test_suppressions(self):
        (self.folder / "known").write_text("race:^work$\n")
        done = self.alone("sees_itself", "race", options="suppressions=known")
        self.assertEqual(done.code, 9, done.err)
        self.assertNotRegex(done.err, RACE)
        self.assertRegex(done.err, r"Matched 1 suppression")

    def test_halt_on_error(self):
        done = self.alone("races_and_goes_on", options="halt_on_error=1:exitcode=5")
        self.assertEqual((done.code, done.out), (5, ""), done.err)
        self.assertRegex(done.err, RACE)

    def test_analysis(self):
        done = self.alone("work", options="analysis=fto-hb")
        self.assertEqual(done.code, 7, done.err)
        done = self.alone("work", options="analysis=st-xyz")
        self.assertEqual(done.code, 65, done.err)
        self.assertRegex(done.err, r"expected one of fto-hb, .* for analysis, not 'st-xyz'")

    def test_options_that_are_wrong(self):
        for options, message in (("nonsense=1", "there is no option 'nonsense'"), ("mode=other", "expected off, online or record for mode"),
                                 ("suppressions=nowhere", "nowhere.*No such file")):
            done = self.alone("work", options=options)
            self.assertEqual((done.code, done.out), (65, ""), done.err)
            self.assertRegex(done.err, message)

    def test_off(self):
        done = self.alone("sees_itself", "race", options="mode=off")
        self.assertEqual((done.code, done.err), (9, ""))

    def test_options_are_listed(self):
        done = self.run_command([self.program("work", True)], env={"OMEN_OPTIONS": "help=1"})
        self.assertEqual(done.code, 7)
        for name in ("mode", "suppressions", "history_size", "help"):
            self.assertRegex(done.err, rf"(?m)^  {name} ")

    def test_forked_children(self):
        done = self.alone("sees_itself", "fork in-child")
        self.assertEqual((done.code, done.out), (9, "-1 1 3\n66\nnot flushed yet"), done.err)
        self.assertEqual(done.err.count("WARNING"), 1)
        self.assertEqual(self.alone("forks").code, 3)
        self.assertEqual(self.alone("spawns").out, self.run_command([self.program("spawns", False)]).out)

    def test_program_that_becomes_another(self):
        """Each executed program has an omen of its own."""
        other = self.program("sees_itself", True)
        environment = {"OMEN_OPTIONS": "mode=online", "TMPDIR": str(self.temporary)}
        done = self.run_command(["sh", "-c", f"exec {self.program('executes', True)} {other} race"], env=environment)
        native = self.run_command([self.program("executes", False), other, "race"])
        self.assert_nothing_left()
        self.assertEqual(done.out, native.out, done.err)

    def test_daemon(self):
        result = self.folder / "result"
        done = self.alone("daemon", result)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(result.read_text(), "120000\n")  # watched to its end, because the folder has been removed

    def killed_by(self, number):
        environment = os.environ | {"OMEN_OPTIONS": "mode=online", "TMPDIR": str(self.temporary)}
        with subprocess.Popen([self.program("races_and_goes_on", True)], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
            self.assertEqual(int(process.stdout.readline()), process.pid)
            os.killpg(process.pid, number)
            _, error = process.communicate(timeout=SECONDS)
        self.assert_nothing_left()
        self.assertEqual(process.returncode, -number)
        self.assertRegex(error, RACE)
        self.assertRegex(error, r"OmenRaceDetector: 1 race ")

    def test_signals(self):
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.killed_by(number)

    def test_where_omen_is(self):
        done = self.alone("work", env={"OMEN_TOOL": "/nowhere/omen"})
        self.assertEqual((done.code, done.out), (65, ""))
        self.assertRegex(done.err, r"there is no omen .*OMEN_TOOL")
        self.assertEqual(self.alone("sees_itself", "race", env={"OMEN_TOOL": OMEN}).code, 66)

    def test_without_a_note_of_where_omen_is(self):
        program = self.folder / "without"
        self.run_command(["objcopy", "--remove-section", ".note.omen.tool", self.program("sees_itself", True), program])
        environment = {"OMEN_OPTIONS": "mode=online", "TMPDIR": str(self.temporary)}
        done = self.run_command([program, "race"], env=environment | {"PATH": "/usr/bin"})
        if shutil.which("omen", path="/usr/bin") is None:
            self.assertEqual(done.code, 65, done.err)
            self.assertRegex(done.err, r"there is no omen .*a folder of PATH")
        found = environment | {"PATH": f"/usr/bin:{pathlib.Path(OMEN).parent}"}
        self.assertEqual(self.run_command([program, "race"], env=found).code, 66)

    def test_callback(self):
        """__tsan_on_report is called after the report is printed, and before the program continues."""
        source = self.folder / "callback.c"
        source.write_text("""
#include <pthread.h>
#include <unistd.h>
int x;
void __tsan_on_report(void* report) { (void)report; write(2, "callback\\n", 9); }
static void* work(void* p) { x = 1; return p; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  write(2, "end\\n", 4);
}
""")
        program = self.folder / "callback"
        self.assertEqual(self.run_command([OMEN_CC, "-g", "-O1", source, "-o", program]).code, 0)
        for command, options in (([program], "mode=online"), ([OMEN, "run", "--online", "--", program], "")):
            done = self.run_command(command, env={"OMEN_OPTIONS": options})
            self.assertEqual(done.code, 66, done.err)
            self.assertRegex(done.err, r"(?s)data race.*\ncallback\nend\nOmenRaceDetector: 1 race ")

    def test_folder_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_command([self.program("work", True)], env={"OMEN_OPTIONS": "mode=online", "TMPDIR": f"{folder}/nowhere"})
        self.assertEqual((done.code, done.out), (65, ""), done.err)
        self.assertRegex(done.err, r"^omen: .*nowhere")

    def test_under_omen(self):
        """omen run works as usual, whatever the mode."""
        done = self.watch([self.program("sees_itself", True), "race"], env={"OMEN_OPTIONS": "mode=online"})
        self.assertEqual(done.code, 66, done.err)
        self.assertEqual(done.err.count("WARNING"), 1)

#!/usr/bin/env python3
"""The real `omen run --online` with hand-written logs: what is printed when, options, exit codes, bad input, remaining files.

The programs are shell scripts that write a prepared log where the runtime would have written it.

Usage: online_test.py PATH-OF-OMEN [unittest options]
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

OMEN = sys.argv.pop(1)
HEAD = ("omen-online 1 st-wdc\nprocess {pid} 0\nargument ./bank\nmodule 0x1000 0x1fff 0x0 ab12 /no/such/bank\n"
        "thread 0 0 {pid} :\nthread 1 0 12 : 0x1300\n")
END = "counter threads 2\ncounter accesses 40\ncounter synchronisations 2\nexit\n"


def race(number, finding="observed", earlier="0x1200"):
    return (f"race {number} {finding} 1\naccess now read 0x4010 4 thread 0 : 0x1100\n"
            f"access earlier write 0x4010 4 thread 1 : {earlier}\nend\n")


class Online(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.logs = self.folder / "logs"  # where omen makes its own folder
        self.logs.mkdir()
        self.log = ""

    def tearDown(self):
        self.assertEqual(list(self.logs.iterdir()), [], "something was left behind")

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def script(self, *steps):
        """`say TEXT` appends to the log; everything else is shell."""
        lines = ['analysis=${OMEN_ONLINE%%:*}', 'folder=${OMEN_ONLINE#*:}', 'log=$folder/online.$$',
                 'say() { sed "s/{pid}/$$/g" "$1" >>"$log"; }']
        for index, step in enumerate(steps):
            if step.startswith("say "):
                step = f"say {self.write(f'part.{index}', step[4:])}"
            lines.append(step)
        return ["sh", self.write("program.sh", "\n".join(lines) + "\n")]

    def start(self, program, *arguments, options="", tsan="", online="--online"):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OMEN_", "TSAN_"))}
        env |= {"OMEN_OPTIONS": options} if options else {}
        env |= {"TSAN_OPTIONS": tsan} if tsan else {}
        return subprocess.Popen([OMEN, "run", online, "--folder", str(self.logs), *arguments, "--", *program], env=env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_online(self, program, *arguments, code=0, **kwargs):
        with self.start(program, *arguments, **kwargs) as process:
            out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, out + err)
        return out, err


class Reports(Online):
    def test_summary_and_exit_codes(self):
        out, err = self.run_online(self.script(f"say {HEAD}{END}", "echo out", "exit 3"), code=3)
        self.assertEqual(out, "out\n")
        self.assertEqual(err, "OmenRaceDetector: 0 races in 42 events, 2 threads, 2 synchronisations\n")
        report = self.folder / "r.json"
        _, err = self.run_online(self.script(f"say {HEAD}{race(1)}{race(2, 'predicted', '0x1250')}{END}", "exit 3"), "--json",
                                 str(report), "--sarif", str(self.folder / "r.sarif"), code=66)
        self.assertEqual(err.count("WARNING: OmenRaceDetector: data race (pid="), 2)
        self.assertIn("Observed in this run (happens-before).", err)
        self.assertIn("Predicted by weak-doesn't-commute; not confirmed: no witness is looked for while", err)
        self.assertIn("2 races (1 observed, 1 predicted: 0 confirmed, 1 not) in 42 events", err)
        found = json.loads(report.read_text())
        self.assertEqual([r["online"] for r in found["races"]], [True, True])
        self.assertEqual([r["observed"] for r in found["races"]], [True, False])
        self.assertEqual(found["exit"], {"code": 3})
        self.assertEqual(found["counters"]["accesses"], 40)
        self.assertTrue((self.folder / "r.sarif").exists())
        self.run_online(self.script(f"say {HEAD}{race(1)}{END}", "exit 3"), options="exitcode=5", code=5)
        self.run_online(self.script(f"say {HEAD}{race(1)}{END}", "exit 3"), options="exitcode=0", code=3)
        self.run_online(self.script(f"say {HEAD}{race(1)}{END}", "exit 3"), options="report_bugs=0", code=3)

    def test_a_race_is_printed_while_the_program_runs(self):
        go = self.folder / "go"
        process = self.start(self.script(f"say {HEAD}{race(1)}", f"while [ ! -e {go} ]; do sleep 0.01; done", f"say {END}"))
        with process:
            line = ""
            while "SUMMARY" not in line:
                line = process.stderr.readline()
                self.assertTrue(line, "the race was not printed")
            go.touch()
            self.assertIn("1 race (1 observed", process.stderr.read())
        self.assertEqual(process.returncode, 66)

    def test_what_the_runtime_is_told(self):
        say = f"say {HEAD}{END}"
        out, _ = self.run_online(self.script(say, "echo $analysis $OMEN_RECORD $OMEN_OPTIONS; wc -c <$folder/control"))
        self.assertEqual(out.split(), ["st-dc", "4096"])
        out, _ = self.run_online(self.script(say, "echo $analysis $OMEN_OPTIONS"), online="--online=fto-hb",
                                 tsan="halt_on_error=1 exitcode=9", options="memory_limit_mb=7")
        self.assertEqual(out.split(), ["fto-hb", "memory_limit_mb=7:halt_on_error=1:exitcode=9:memory_limit_mb=7"])

    def test_log_path_and_stats(self):
        path = self.folder / "log"
        _, err = self.run_online(self.script(f"say {HEAD}{race(1)}{END}"), options=f"log_path={path}:stats=1", code=66)
        self.assertEqual(err, "")
        (log,) = self.folder.glob("log.[0-9]*")
        text = log.read_text()
        self.assertIn("WARNING", text)
        self.assertIn("1 race (", text)
        self.assertRegex(text, r"\n  accesses +40\n")

    def test_suppressions(self):
        rules = self.write("rules", "race:/no/such\nrace:unused\n")
        _, err = self.run_online(self.script(f"say {HEAD}{race(1)}repeat 1 6\n{END}"), "--suppressions", rules,
                                 options="print_unused_suppressions=1")
        self.assertNotIn("WARNING", err)
        self.assertIn("6 race:/no/such\n", err)
        self.assertIn(":2: unused suppression race:unused\n", err)
        bad = self.write("bad", "# fine\nnonsense\n")
        _, err = self.run_online(self.script(f"say {HEAD}{END}"), "--suppressions", bad, code=65)
        self.assertIn("bad:2: expected race:PATTERN", err)

    def test_processes(self):
        child = f"(folder=$folder sh -c 'log=$folder/online.$$; sed \"s/{{pid}}/$$/g\" {self.write('c', HEAD + race(1) + END)} >>$log')"
        _, err = self.run_online(self.script(f"say {HEAD}{END}", child), code=66)
        self.assertEqual(err.count("WARNING"), 1)
        self.assertEqual(err.count("OmenRaceDetector: 0 races"), 1)
        self.assertEqual(err.count("OmenRaceDetector: 1 race "), 1)

    def test_halt_on_error(self):
        wait = ("while set -- $(od -A n -t u8 -j 1032 -N 8 $folder/control); [ $1 = 0 ]; do sleep 0.01; done; echo $1; "
                "[ $1 = 6 ] && exit 66; exit 0")
        out, err = self.run_online(self.script(f"say {HEAD}{race(1)}", wait), options="halt_on_error=1", code=66)
        self.assertEqual(out, "6\n")
        self.assertEqual(err.count("WARNING"), 1)
        rules = self.write("rules", "race:bank\n")
        out, err = self.run_online(self.script(f"say {HEAD}{race(1)}", wait), "--suppressions", rules,
                                   options="halt_on_error=1")
        self.assertEqual(out, "4\n")

    def test_a_killed_program(self):
        _, err = self.run_online(self.script(f"say {HEAD}{race(1)}", "printf 'race 2 obs' >>$log", "kill -9 $$"), code=66)
        self.assertIn("note: the program was ended by SIGKILL", err)
        self.assertIn("note: the process was killed or goes on", err)
        self.run_online(self.script(f"say {HEAD}", "kill -9 $$"), code=137)


class BadInput(Online):
    def test_not_a_log(self):
        for text, said in (("nonsense\n", ":1: expected 'omen-online 1' and an analysis, not 'nonsense'"),
                           ("omen-online 2 st-wdc\n", ":1: expected version 1"),
                           ("omen-online 1 st-magic\n", ": there is no analysis 'st-magic'"),
                           (HEAD + "race 1 maybe 1\n", ":7: expected one of observed, predicted, not 'maybe'"),
                           (HEAD + "options exitcode=x\n", "expected a number from 0 to 255 for exitcode, not 'x'")):
            _, err = self.run_online(self.script(f"say {text}"), code=65)
            self.assertIn(said, err)

    def test_nobody_waits_for_ever(self):
        wait = "while [ $(od -A n -t u8 -j 1032 -N 8 $folder/control) = 0 ]; do sleep 0.01; done"
        _, err = self.run_online(self.script(f"say {HEAD}nonsense\n", wait), options="halt_on_error=1", code=65)
        self.assertIn("expected a message, not 'nonsense'", err)

    def test_no_log_at_all(self):
        _, err = self.run_online(["true"], code=65)
        self.assertIn("expected a program compiled with omen-cc", err)
        _, err = self.run_online(["/no/such/program"], code=65)
        self.assertIn("/no/such/program: cannot run it", err)

    def test_usage(self):
        program = self.script(f"say {HEAD}{END}")
        _, err = self.run_online(program, online="--online=unopt-wdc", code=64)
        self.assertIn("expected one of fto-hb, st-wcp, st-dc, st-wdc, not 'unopt-wdc'", err)
        _, err = self.run_online(program, "--analysis", "st-dc", code=64)
        self.assertIn("--online", err)
        _, err = self.run_online(program, "--keep", "t.omen", code=64)
        self.assertIn("there is a trace only with --record", err)
        done = subprocess.run([OMEN, "run", "--record", "--", *program], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 64, done.stderr)
        self.assertIn("belongs to --online", done.stderr)

    def test_bad_options_before_the_program_runs(self):
        out, err = self.run_online(self.script("echo ran"), options="frobnicate=1", code=65)
        self.assertEqual(out, "")
        self.assertIn("there is no option 'frobnicate'", err)


class Signals(Online):
    def wait_for_log(self):
        """Waits for the program's first lines: the file exists, empty, a moment before."""
        for _ in range(2000):
            if any(log.stat().st_size != 0 for log in self.logs.glob("*/online.*")):
                return
            time.sleep(0.01)
        self.fail("the program did not start")

    def test_a_request_to_end_is_passed_on(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            process = self.start(self.script(f"say {HEAD}", "exec sleep 60"))
            with process:
                self.wait_for_log()
                process.send_signal(number)
                _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, code, err)
            self.assertIn("0 races", err)

    def test_an_interrupt_is_for_the_program(self):
        process = self.start(self.script(f"say {HEAD}", "sleep 0.3", f"say {END}"))
        with process:
            self.wait_for_log()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)


if __name__ == "__main__":
    unittest.main()

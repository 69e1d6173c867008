"""Common code of this folder's tests: building a program, running it natively and watched, reading the result.

The command line is that of robust_test.py.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
OMEN, OMEN_CC = (os.path.abspath(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else ("", "")
ONLINE = "--online" in sys.argv
COMPILER = os.environ.get("OMEN_COMPILER", "gcc")
LONG = os.environ.get("OMEN_LONG") == "1"
SECONDS = 300


def can(command):
    """True if this machine permits it."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0 if shutil.which(command[0]) else False


NAMESPACES = can(["unshare", "-rm", "true"])
recordings_only = unittest.skipIf(ONLINE, "about recordings")
online_only = unittest.skipUnless(ONLINE, "about detection in the running program")


class Done:
    """The result of a command: an exit code as a shell reports it, and the output."""

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
        """Checks that the result can be read to its end and has no race; returns the number of events."""
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
        """Watches a run and compares it with a native one; returns the watched one's result."""
        native = self.run_command([*wrap, self.program(name, False, *flags), *arguments], **options)
        watched = self.watch([*wrap, self.program(name, True, *flags), *arguments], **options)
        self.assertEqual(watched.code, native.code, watched.err)
        self.assertEqual(watched.out, native.out, watched.err)
        return watched

"""Runs that cannot be watched, because of their folder or of the program."""

import shlex
import unittest

from robust import NAMESPACES, Robust


class Starts(Robust):
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

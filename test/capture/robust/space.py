"""No space for the recording: it ends early, the program does not."""

import shlex
import unittest

from robust import LONG, NAMESPACES, ONLINE, recordings_only, Robust


class Space(Robust):
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

    def test_core_dumps_stay_small(self):
        """The runtime's tables are not part of a core dump: the size of a dump, zeros included, is bounded."""
        watched = self.watch([self.program("dumped_memory", True)])
        self.assertEqual(watched.code, 0, watched.err)
        self.assertLess(int(watched.out), 512 << 10)  # KiB

    def test_no_trace_limit(self):
        done = self.same("many_events")
        self.assertNotRegex(done.err, r"stopped")
        self.assertGreater(self.readable(), 500000)

    @unittest.skipUnless(NAMESPACES, "cannot mount a small file system here")
    def test_full_disk(self):
        native = self.run_command([self.program("many_events", False)])
        small = self.folder / "small"
        small.mkdir()
        command = shlex.join(map(str, self.watched([], small)))
        script = f"mount -t tmpfs -o size=1m none {small} && {command} \"$0\"; code=$?; ls -a {small} >&2; exit $code"
        done = self.run_command(["unshare", "-rm", "sh", "-c", script, self.program("many_events", True)])
        self.assertEqual(done.out, native.out, done.err)
        if not ONLINE:  # which needs little space, and may have enough
            self.assertRegex(done.err, r"[Nn]o space")
        self.assertIn(done.code, (native.code, 65), done.err)
        self.assertNotRegex(done.err, r"(?m)^\.omen-recording")

    def test_file_size_limit_of_the_shell(self):
        done = self.same("many_events", wrap=["sh", "-c", 'ulimit -f 2048; exec "$0" "$@"'])
        if not ONLINE:
            self.assertRegex(done.err, r"space|limit")
        self.assertGreater(self.readable(), 1000)

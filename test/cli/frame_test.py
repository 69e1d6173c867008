#!/usr/bin/env python3
"""Runs the real `omen`: exit codes, messages, and what convert, dump and stats print.

Usage: frame_test.py PATH-OF-OMEN [unittest options]
"""

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

OMEN = ""
TRACE = "A|fork(B)|a.c:1\nA|acq(m)|a.c:2\nA|w(x)|a.c:3\nA|rel(m)|a.c:4\nB|r(x)|b.c:9\n"


class Frame(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.trace = self.write("t.std", TRACE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def omen(self, *arguments, code=0, stdin=b""):
        done = subprocess.run([OMEN, *arguments], input=stdin, capture_output=True, timeout=60)
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, f"omen {' '.join(arguments)}\n{out}{err}")
        return out, err


class Usage(Frame):
    def test_version_and_help(self):
        self.assertRegex(self.omen("--version")[0], r"^omen \S+\nbuilt with: \S+ [\d.]+\ncheck placement: .+\nplugin of GCC: .+\n"
                         r"store: SQLite \S+, (PostgreSQL \(libpq \S+\)|no PostgreSQL \(.*libpq.*\))\n$")
        out, _ = self.omen("--help")
        for command in ("convert", "dump", "stats"):
            self.assertIn(command, out)
            self.assertIn("Usage: omen " + command, self.omen(command, "--help")[0])

    def test_bad_usage_is_64_with_a_hint(self):
        for arguments, said, hint in (
            ([], "A subcommand is required", "omen --help"),
            (["frobnicate"], "there is no command 'frobnicate'", "omen --help"),
            (["convert", self.trace], "OUT is required", "omen convert --help"),
            (["convert", "a", "b", "c"], "c", "omen convert --help"),
            (["dump", self.trace, "--from", "x"], "--from: expected a number from 0 on, not 'x'", "omen dump --help"),
            (["dump", self.trace, "--from", "-1"], "--from: expected a number from 0 on, not '-1'", "omen dump --help"),
            (["dump", self.trace, "--count", "1x"], "--count: expected a number from 0 on", "omen dump --help"),
            (["stats", self.trace, "--format", "xml"], "--format: expected auto, std or omen, not 'xml'", "omen stats --help"),
            (["stats", self.trace, "--bogus"], "--bogus", "omen stats --help"),
        ):
            with self.subTest(arguments=arguments):
                out, err = self.omen(*arguments, code=64)
                self.assertEqual(out, "")
                self.assertIn(said, err)
                self.assertIn(f"Try '{hint}'.", err)


    def test_help_of_options_says_what_they_take(self):
        run = self.omen("run", "--help")[0]
        for words in ("-a,--analysis A=st-wdc ...", "--online[=A]  ", "--confirm[=N]  ", "--runs N  "):
            self.assertIn("  " + words, run)
        self.assertNotIn("Excludes", run)
        self.assertNotIn("Examples:", self.omen("demo", "--help")[0])  # those of `omen --help`
        self.assertIn("Exit code: 0; 65", self.omen("demo", "--help")[0])

    def test_help_fits_the_columns_of_a_terminal(self):
        for arguments in (["--help"], ["run", "--help"], ["store", "--help"], ["explore", "--help"]):
            for columns in (80, 120):
                shown = self.on_a_terminal(columns, *arguments)
                longest = max(shown.splitlines(), key=len)
                self.assertLessEqual(len(longest), columns, longest)
                self.assertEqual(shown.split(), self.omen(*arguments)[0].split())
        self.assertIn("\n  --no-confirm                    report what the analysis predicts without looking\n" + " " * 34 + "for",
                      self.on_a_terminal(83, "run", "--help"))

    def on_a_terminal(self, columns, *arguments):
        main, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([OMEN, *arguments], stdout=terminal) as process:
            os.close(terminal)
            out = b""
            while True:
                try:
                    chunk = os.read(main, 65536)
                except OSError:  # the other end is closed
                    break
                if not chunk:
                    break
                out += chunk
            self.assertEqual(process.wait(timeout=60), 0)
        os.close(main)
        return out.decode().replace("\r\n", "\n")


class Clean(Frame):
    def test_leftovers_are_removed_and_nothing_else(self):
        for name in (".omen-recording-dead", ".omen-recording-alive", "omen-recording-other"):
            os.mkdir(self.path(name))
            self.write(os.path.join(name, "record"), b"x" * (3 << 20))
        self.write(".omen-recording-file", "no folder")
        os.symlink(self.path("omen-recording-other"), self.path(".omen-recording-link"))
        alive = os.open(self.path(".omen-recording-alive"), os.O_RDONLY)
        self.addCleanup(os.close, alive)
        fcntl.flock(alive, fcntl.LOCK_EX)
        self.assertRegex(self.omen("clean", self.folder)[0], r"^removed 1 recording, 3\.\d MiB\n$")
        self.assertEqual(set(os.listdir(self.folder)), {"t.std", ".omen-recording-alive", "omen-recording-other",
                                                        ".omen-recording-file", ".omen-recording-link"})
        self.assertEqual(os.listdir(self.path("omen-recording-other")), ["record"])
        self.assertEqual(self.omen("clean", self.folder)[0], "there is nothing to remove\n")
        self.assertIn(f"{self.path('none')}: ", self.omen("clean", self.path("none"), code=65)[1])
        self.assertIn("expected a folder", self.omen("clean", self.trace, code=65)[1])


class BadInput(Frame):
    def test_text_errors_are_65_with_file_and_line(self):
        path = self.write("bad.std", "A|r(x)|1\n\nA|q(x)|2\n")
        for arguments in (["stats", path], ["convert", path, self.path("out.omen")], ["dump", path]):
            _, err = self.omen(*arguments, code=65)
            self.assertEqual(err, f"omen: {path}:3: expected an operation (r, w, acq, rel, fork, join, begin, end, …), not 'q'\n")
        self.assertFalse(os.path.exists(self.path("out.omen")))

    def test_ill_formed_traces_are_65_with_file_and_line(self):
        path = self.write("bad.std", "A|r(x)|1\nA|rel(m)|2\n")
        _, err = self.omen("stats", path, code=65)
        self.assertEqual(err, f"omen: {path}:2: expected a lock that thread 'A' holds; it does not hold 'm'\n")

    def test_dump_shows_ill_formed_traces(self):
        out, _ = self.omen("dump", self.write("bad.std", "A|rel(m)|2\n"))
        self.assertEqual(out.split(), ["0", "A", "rel(m)", "2"])

    def test_binary_errors_are_65_with_file_and_offset(self):
        self.omen("convert", self.trace, self.path("t.omen"))
        whole = self.read("t.omen")
        path = self.write("short.omen", whole[:-40])
        for arguments in (["stats", path], ["dump", path], ["dump", path, "--from", "1"]):
            _, err = self.omen(*arguments, code=65)
            self.assertIn(f"omen: {path}:offset {len(whole) - 40}: expected the rest of the index, but the file ends here", err)
            self.assertIn("the 5 events before are intact", err)
        path = self.write("flipped.omen", whole[:60] + bytes([whole[60] ^ 1]) + whole[61:])
        self.assertIn(f"omen: {path}:offset 16: ", self.omen("stats", path, code=65)[1])

    def test_missing_files_and_folders(self):
        _, err = self.omen("stats", self.path("none"), code=65)
        self.assertEqual(err, f"omen: {self.path('none')}: cannot open: No such file or directory\n")
        self.assertIn("Is a directory", self.omen("dump", self.folder, code=65)[1])
        self.assertIn("cannot create", self.omen("convert", self.trace, self.path("no/t.omen"), code=65)[1])

    def test_full_disks(self):
        self.assertIn("No space left", self.omen("convert", self.trace, "/dev/full", code=65)[1])
        for arguments in (["stats", self.trace], ["dump", self.trace], ["stats", self.trace, "--json", "-"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([OMEN, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(done.returncode, 65)
            self.assertIn(b"standard output: cannot write", done.stderr)


class Convert(Frame):
    def test_there_and_back(self):
        self.omen("convert", self.trace, self.path("t.omen"))
        self.assertEqual(self.read("t.omen")[:5], b"\x89OMEN")
        self.omen("convert", self.path("t.omen"), self.path("back.std"))
        self.assertEqual(self.read("back.std").decode(), TRACE)
        self.assertEqual(sorted(os.listdir(self.folder)), ["back.std", "t.omen", "t.std"])

    def test_pipes(self):
        out, _ = self.omen("convert", "-", "-", stdin=TRACE.encode())
        self.assertEqual(out, TRACE)
        binary = subprocess.run([OMEN, "convert", "-", "-", "--to", "omen"], input=TRACE.encode(), capture_output=True, check=True)
        self.assertEqual(self.omen("convert", "-", "-", stdin=binary.stdout)[0], TRACE)

    def test_formats_by_name(self):
        self.omen("convert", self.trace, self.path("t.bin"), "--to", "omen")
        self.assertEqual(self.read("t.bin")[:5], b"\x89OMEN")
        self.omen("convert", self.path("t.bin"), self.path("x.std"), "--from", "std", code=65)
        self.assertFalse(os.path.exists(self.path("x.std")))


class Dump(Frame):
    def setUp(self):
        super().setUp()
        self.many = self.write("many.std", "".join(f"T{i % 3}|w(v{i})|{i}\n" for i in range(150000)))
        self.omen("convert", self.many, self.path("many.omen"))

    def test_one_event_a_line(self):
        lines = [line.split() for line in self.omen("dump", self.trace)[0].splitlines()]
        self.assertEqual(lines[0], ["0", "A", "fork(B)", "a.c:1"])
        self.assertEqual(lines[4], ["4", "B", "r(x)", "b.c:9"])
        self.assertEqual(len(lines), 5)

    def test_ranges_are_the_same_in_both_formats(self):
        for start, count in ((0, 3), (65535, 3), (65536, 1), (131070, 5), (149999, 10), (150000, 1), (10**18, 1), (5, 0)):
            arguments = ["--from", str(start), "--count", str(count)]
            text, _ = self.omen("dump", self.many, *arguments)
            binary, _ = self.omen("dump", self.path("many.omen"), *arguments)
            self.assertEqual(text, binary)
            self.assertEqual(len(text.splitlines()), max(0, min(count, 150000 - start)))
            if text:
                self.assertEqual(text.split()[:3], [str(start), f"T{start % 3}", f"w(v{start})"])

    def test_a_reader_that_has_seen_enough(self):
        with subprocess.Popen([OMEN, "dump", self.many], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            error = process.stderr.read()
            self.assertEqual(process.wait(timeout=60), -signal.SIGPIPE)
        self.assertEqual(error, b"")


class Stats(Frame):
    def test_text(self):
        out, _ = self.omen("stats", self.trace)
        self.assertRegex(out, r"events +5\n")
        self.assertRegex(out, r"threads +2\n")
        self.assertRegex(out, r"synchronisation +3 +60\.0 %\n")

    def test_json(self):
        out, _ = self.omen("stats", self.trace, "--json", "-")
        stats = json.loads(out)
        self.assertEqual(stats["omen"], 1)
        self.assertEqual(
            stats["trace"],
            {"path": self.trace, "events": 5, "threads": 2, "locks": 1, "variables": 1, "barriers": 0, "atomics": 0, "locations": 5},
        )
        self.assertEqual(stats["operations"], {"r": 1, "w": 1, "acq": 1, "rel": 1, "fork": 1})
        self.assertEqual(stats["most_held_locks"], 1)
        text, _ = self.omen("stats", self.trace, "--json", self.path("s.json"))
        self.assertIn("events", text)
        self.assertEqual(json.loads(self.read("s.json")), stats)

    def test_an_empty_trace(self):
        self.assertRegex(self.omen("stats", self.write("e.std", ""))[0], r"events +0\n")
        self.assertIn("not an empty file", self.omen("stats", self.write("e.omen", ""), code=65)[1])


if __name__ == "__main__":
    OMEN = sys.argv.pop(1)
    unittest.main()

"""`omen check --proved`: the same exit codes and texts as `omen check`; a clear message if the program is missing; `omen-proved-checker` by itself.
`omen vindicate --certify` and `omen check --certificates`: each excluded candidate has valid certificates; damaged or missing ones are rejected.

    check_proved_test.py --omen OMEN --checker OMEN_PROVED_CHECKER
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CONFORMANCE = pathlib.Path(__file__).resolve().parent.parent / "conformance"
FIGURE = CONFORMANCE / "figures" / "vind_Figure1.std"
OPTIONS = None


def run(*arguments, text=None):
    return subprocess.run([*map(str, arguments)], input=text, capture_output=True, text=True, check=False)


class CheckProved(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def same(self, trace, witness, *more):
        plain = run(OPTIONS.omen, "check", trace, witness, *more)
        proved = run(OPTIONS.omen, "check", "--proved", trace, witness, *more)
        self.assertEqual((proved.returncode, proved.stdout, proved.stderr), (plain.returncode, plain.stdout, plain.stderr))
        return plain.returncode

    def test_documents_of_vindicate(self):
        codes = []
        for trace in sorted(CONFORMANCE.rglob("*.std")):
            out = self.folder / "v.json"
            if run(OPTIONS.omen, "vindicate", trace, "--candidates", "all", "--every", "--json", out).returncode == 66:
                codes.append(self.same(trace, out))
        self.assertGreater(len(codes), 5)
        self.assertEqual(set(codes), {0})

    def test_witnesses(self):
        witnesses = [[0, 1, 6, 7, 8, 2, 9], [0, 1, 6, 7, 8, 9, 2], [0, 1, 2, 9], [2, 9], [0, 1, 6, 7, 8, 9, 9], [0, 1, 99, 2, 9], [],
                     [2], [0, 1, 6, 1, 2, 9], [6, 0, 7, 2, 9], [0, 1, 2**40, 2, 9], [0, 6]]
        codes = [self.same(FIGURE, self.write("w.json", json.dumps(witness))) for witness in witnesses]
        self.assertEqual(codes[:2], [0, 0])
        self.assertGreater(codes.count(1), 5)
        race = {"verdict": "race", "accesses": [{"event": 9}, {"event": 3}], "witness": witnesses[0]}
        self.assertEqual(self.same(FIGURE, self.write("r.json", json.dumps({"races": [race]}))), 1)
        self.assertEqual(self.same(FIGURE, self.write("r.json", json.dumps({"races": [race]})), "--candidate", "1"), 65)

    def certify(self, trace, *more):
        """The certificates' folder and the document of the excluded candidates of a trace."""
        folder, document = self.folder / "certificates", self.folder / "v.json"
        shutil.rmtree(folder, ignore_errors=True)
        done = run(OPTIONS.omen, "vindicate", trace, "--candidates", "all", *more, f"--certify={folder}", "--json", document)
        self.assertIn(done.returncode, (0, 66), done.stderr)
        entries = json.loads(document.read_text())["candidates"]
        return done.stdout, folder, document, [entry for entry in entries if entry["verdict"] == "no-race"]

    def test_certificates(self):
        files = 0
        for trace in sorted(CONFORMANCE.rglob("*.std")):
            for more in ((), ("--every",)):
                out, folder, document, excluded = self.certify(trace, *more)
                self.assertIn(f"{len(excluded)} of {len(excluded)} excluded candidate", out)
                self.assertEqual([entry["certified"] for entry in excluded], [entry["pairs"] for entry in excluded])
                done = run(OPTIONS.omen, "check", trace, document, "--certificates", folder)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertEqual(done.stdout.count("certificates accepted"), len(excluded))
                files += len(excluded)
        self.assertGreater(files, 2)

    def test_certificates_that_do_not_hold(self):
        trace = CONFORMANCE / "figures" / "vind_Figure4a.std"
        out, folder, document, excluded = self.certify(trace)
        self.assertEqual(len(excluded), 1, out)
        path = folder / excluded[0]["certificate"]
        good = path.read_text()

        def check(text=good, where=folder, of=trace, code=0, says=""):
            path.write_text(text)
            done = run(OPTIONS.omen, "check", of, "--certificates", where)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn(says, done.stdout + done.stderr)

        check(says="1 of 1 certificates accepted")
        check(where=path, says="1 of 1 certificates accepted")
        check(text=good.replace("rivals 3 7", "rivals 0 7"), code=1, says="pair 4,16: refused")
        check(text=good + good.replace("thread 4 6", "assumed 4 6"), code=1, says="1 of 2 certificates accepted")
        check(of=FIGURE, code=1, says="refused")
        check(text="", says="no certificate to check")
        check(text=good.replace("cycle", "circle", 1), code=65, says=":5: expected a step of a certificate")
        check(text="# a comment\npair 1\n", code=65, says=":2: expected 'pair' and two events")
        check(text="".join(good.splitlines(True)[:-1]), code=65, says=":7: expected 1 more branches")
        check(text=good.replace("rivals 3 7", "rivals 3 7 9"), code=65, says=":4: expected a step")
        check(text=good.replace("rivals 3 7", "rivals 3 99999999999"), code=65, says=":4: expected a step")
        check(where=self.folder / "nowhere", code=65, says="cannot read")

        path.unlink()
        done = run(OPTIONS.omen, "check", trace, document, "--certificates", folder)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("candidate 0, pair 4,16: no race, not certified: there is no certificate file", done.stdout)
        self.assertEqual(run(OPTIONS.omen, "check", trace).returncode, 64)

    def test_candidates_without_certificate(self):
        out, folder, document, excluded = self.certify(CONFORMANCE / "figures" / "vind_Figure4a.std", "--methods", "graph")
        self.assertEqual({entry["model"] for entry in excluded}, {"ca"})
        self.assertEqual(out.count("0 of 1 pairs have a certificate; excluded under ca only"), len(excluded))
        self.assertEqual({entry["certified"] for entry in excluded}, {0})
        done = run(OPTIONS.omen, "check", CONFORMANCE / "figures" / "vind_Figure4a.std", document, "--certificates", folder)
        self.assertEqual(done.returncode, 1, done.stdout)

    def test_bad_input(self):
        self.assertEqual(self.same(FIGURE, self.write("w.json", "{]")), 65)
        self.assertEqual(self.same(self.write("t.std", "A|rel(m)\n"), self.write("w.json", "[0, 1]")), 65)

    def test_a_program_that_is_missing(self):
        alone = self.folder / "omen"
        shutil.copy(OPTIONS.omen, alone)
        done = run(alone, "check", "--proved", FIGURE, self.write("w.json", "[2, 9]"))
        self.assertEqual(done.returncode, 64)
        self.assertIn("omen-proved-checker", done.stderr)
        done = run(alone, "check", FIGURE, "--certificates", self.folder)
        self.assertEqual(done.returncode, 64)
        self.assertIn("omen-proved-checker", done.stderr)

    def test_the_program_by_itself(self):
        trace = "A|w(x)|a.c:1\nA|acq(m)\nA|rel(m)\nB|acq(m)\nB|rel(m)\n# a comment\n\nB|load.acquire(f)|b.c:2\nB|r(x)\n"
        done = run(OPTIONS.checker, "-", text=trace + "@ 3 4 5 0 6\n@ 3 0 6\n@\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[:2] for line in done.stdout.splitlines()],
                         [["accepted"], ["refused", "2"], ["refused", "0"]])
        for text, where in ((trace + "B|jump(x)\n", ":10:"), (trace + "B|load(f)\n", ":10:"), (trace + "B|r.relaxed(f)\n", ":10:"),
                            (trace + "A|rel(m)\n", "event 7"), (trace + "B|load.release(f)\n", "event 7"),
                            (trace + "@ 1 x\n", ":10:"), (trace + "@ 0 6\nA|w(y)\n", ":11:"), ("A\n", ":1:"), ("|r(x)\n", ":1:")):
            done = run(OPTIONS.checker, "-", text=text)
            self.assertEqual((done.returncode, done.stderr.count(where)), (65, 1), f"{text}{done.stderr}")
        common = "A|acq(m)\nA|w(x)\nA|rel(m)\nB|acq(m)\nB|w(x)\nB|rel(m)\n"
        proof = "rivals 0 3\n# a comment\ncycle thread 1 2 pair 2 1\ncycle thread 4 5 pair 5 4\n"
        done = run(OPTIONS.checker, "-", text=f"{common}pair 1 4\n{proof}@ 0 1 4\npair 1 5\n{proof}pair 1 4\nimpossible\n")
        self.assertEqual((done.returncode, [line.split()[0] for line in done.stdout.splitlines()]),
                         (0, ["excluded", "refused", "refused", "refused"]), done.stderr)
        for text, where in (("pair 1 4\nrivals 0 3\nimpossible\n", ":10:"), ("pair 1 x\n", ":7:"), ("pair 1 4\nrivals 0\n", ":8:"),
                            ("pair 1 4\ncycle thread 1\n", ":8:"), ("pair 1 4\ncycle hope 1 2\n", ":8:"),
                            ("pair 1 4\nimpossible\nA|w(y)\n", ":9:")):
            done = run(OPTIONS.checker, "-", text=common + text)
            self.assertEqual((done.returncode, done.stderr.count(where)), (65, 1), f"{text}{done.stderr}")
        self.assertEqual(run(OPTIONS.checker).returncode, 64)
        self.assertEqual(run(OPTIONS.checker, self.folder / "missing").returncode, 65)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omen", required=True)
    parser.add_argument("--checker", required=True)
    OPTIONS = parser.parse_args()
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()

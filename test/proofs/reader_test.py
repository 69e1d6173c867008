"""What omen-proved accepts and rejects: exit codes, and messages with file, line and what was expected."""

import argparse
import json
import pathlib
import sys
import tempfile

import judge as judge_program

# text of a trace -> first race
ACCEPTED = {
    "": None,
    "# only a comment\n\n": None,
    "T1|w(x)|a.c:1\nT2|r(x)|a.c:2\n": 1,
    "# lines that hold no event do not count\n\nT1|w(x)|1\n\n# so this is event 1\nT2|w(x)|2\n": 1,
    "T1|w(x)|1\r\nT2|w(x)|2\r\n": 1,
    "T1|w(x)\nT2|w(x)\n": 1,
    "main thread|w(a b)|1\nT 2|w(a b)|2": 1,
    "T1|begin|1\nT1|fork(T2)|2\nT2|begin|3\nT2|w(x)|4\nT2|end|5\nT1|join(T2)|6\nT3|join(T2)|7\nT1|r(x)|8\nT3|r(x)|9\n": None,
    "T1|acq(m)|1\nT1|acq(m)|2\nT1|w(x)|3\nT1|rel(m)|4\nT1|rel(m)|5\nT2|acq(m)|6\nT2|w(x)|7\nT2|rel(m)|8\n": None,
    "T1|w(x)|1\nT1|fork(T2)|2\nT3|join(T2)|3\nT3|w(x)|4\n": None,
}

# text of a trace -> line, and a part of the message
REFUSED = {
    "T1 w(x)\n": (1, "expected THREAD|OP(OPERAND)|LOCATION"),
    "T1|w(x)|1|2\n": (1, "expected THREAD|OP(OPERAND)|LOCATION"),
    "T1|w(x|1\n": (1, "expected OP(OPERAND)"),
    "T1|w|1\n": (1, "expected the name of a variable"),
    "T1|acq()|1\n": (1, "expected the name of a lock"),
    "|w(x)|1\n": (1, "expected a thread name"),
    "T1|w(x)|1\nT1|store(x)|2\n": (2, "expected one of r w acq rel fork join begin end"),
    "T1|acq(m)|1\n\nT2|acq(m)|2\n": (3, "expected an acquire of a lock that is free"),
    "T1|acq(m)|1\nT2|rel(m)|2\n": (2, "expected a release of a lock that this thread holds"),
    "T1|acq(m)|1\nT1|rel(m)|2\nT1|rel(m)|3\n": (3, "expected a release of a lock that this thread holds"),
    "T1|fork(T2)|1\nT1|join(T2)|2\nT2|w(x)|3\n": (3, "expected no event of a thread that has been joined"),
    "T2|w(x)|1\nT1|fork(T2)|2\n": (2, "expected a fork of a thread that has not run"),
    "T1|fork(T2)|1\nT1|fork(T2)|2\n": (2, "expected a fork of a thread that has not run"),
    "T1|fork(T1)|1\n": (1, "expected a fork of another thread"),
    "T1|join(T1)|1\n": (1, "expected a join of another thread"),
}

BAD_USAGE = [[], ["--batch"], ["--no-such-option"], ["a", "b"], ["--batch", "a", "b"]]

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", required=True, help="path of omen-proved")
    judge = parser.parse_args().judge

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.std"
        for text, first in ACCEPTED.items():
            path.write_bytes(text.encode())
            done = judge_program.run(judge, [str(path)])
            check(done.returncode == 0, f"{text!r}: exit {done.returncode}, {done.stderr}")
            report = json.loads(done.stdout)
            check(report["trace"]["path"] == str(path), f"{text!r}: path {report['trace']['path']}")
            events = sum(1 for line in text.splitlines() if line and not line.startswith("#"))
            check(report["trace"]["events"] == events, f"{text!r}: {report['trace']['events']} events")
            for result in report["results"]:
                found = judge_program.event_of(result["first_race"])
                check(found == first, f"{text!r}: {result['analysis']} found {found}, expected {first}")
            check(judge_program.run(judge, ["-"], text).returncode == 0, f"{text!r}: refused from standard input")
        for text, (line, part) in REFUSED.items():
            path.write_bytes(text.encode())
            done = judge_program.run(judge, [str(path)])
            check(done.returncode == 65, f"{text!r}: exit {done.returncode}")
            check(done.stdout == "", f"{text!r}: printed {done.stdout}")
            check(f"{path}:{line}: " in done.stderr and part in done.stderr, f"{text!r}: said {done.stderr}")
        missing = judge_program.run(judge, [str(path) + ".missing"])
        check(missing.returncode == 65 and "trace.std.missing" in missing.stderr, f"missing file: {missing}")

        # A batch: an empty trace between separators counts, nothing after the last separator does not.
        batch = "T1|w(x)|1\n---\n---\nT1|w(x)|1\nT2|w(x)|2\n---\n"
        check(judge_program.run_batch(judge, batch) == [(None, []), (None, []), (1, [1])], "batch")
        broken = judge_program.run(judge, ["--batch", "-"], "T1|w(x)|1\n---\nT1|rel(m)|1\n")
        check(broken.returncode == 65 and "-:3: " in broken.stderr, f"broken batch: {broken}")

    for arguments in BAD_USAGE:
        done = judge_program.run(judge, arguments)
        check(done.returncode == 64, f"{arguments}: exit {done.returncode}")

    for failure in failures:
        print(failure)
    print(f"{len(ACCEPTED)} traces accepted, {len(REFUSED)} refused, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""`omen run --online --confirm`: a predicted race whose threads can meet is demonstrated; one whose threads are too far
apart stays predicted; a wait does not delay a program that cannot continue meanwhile; the program ends with its own code.

  confirm_test.py --omen O --cxx CXX
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

# The first thread writes x before its section, the second after it: in the recorded order the section is
# between the two, and nothing in it conflicts.
PROGRAM = """
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void section() { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
void* first(void*) { x = 1; section(); return nullptr; }
void* second(void*) { usleep(DELAY); section(); x = 2; return nullptr; }
int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, first, nullptr);
  pthread_create(&threads[1], nullptr, second, nullptr);
  pthread_join(threads[0], nullptr);
  pthread_join(threads[1], nullptr);
}
"""


def confirm(options, folder, name, delay):
    source, binary, report = folder / f"{name}.cpp", folder / name, folder / f"{name}.json"
    source.write_text(PROGRAM.replace("DELAY", str(delay)))
    subprocess.run([options.cxx, "-g", "-O1", str(source), "-o", str(binary)], check=True)
    begin = time.monotonic()
    command = [options.omen, "run", "--online=st-wdc", "--confirm=2", "--fail-on=predicted", "--json", str(report), "--sarif", str(folder / "s"), "--", str(binary)]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    races = json.loads(report.read_text())["races"]
    if ended.returncode != 66 or len(races) != 1:
        sys.exit(f"{name}: exit code {ended.returncode}, {len(races)} races: {ended.stderr}")
    sarif = json.loads((folder / "s").read_text())["runs"][0]["results"][0]["properties"]
    return races[0], ended.stderr, sarif, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    options.omen = str(pathlib.Path(options.omen).absolute())
    faults = []
    with tempfile.TemporaryDirectory(prefix="omen-confirm-") as name:
        folder = pathlib.Path(name)
        race, text, sarif, _ = confirm(options, folder, "near", 2000)
        if not race["demonstrated"]["met"] or "Demonstrated: " not in text or not sarif["demonstrated"]["met"]:
            faults.append(f"near: {race['demonstrated']}, {sarif}: {text}")
        # The second thread starts long after the first has given up waiting.
        race, text, sarif, seconds = confirm(options, folder, "far", 1500000)
        if race["demonstrated"] != {"met": False, "runs": 2} or "Predicted only: 2 runs" not in text or sarif["demonstrated"]["met"]:
            faults.append(f"far: {race['demonstrated']}, {sarif}: {text}")
        if seconds > 100:
            faults.append(f"far: took {seconds:.0f} s")
    for wrong in (["--confirm", "--", "true"], ["--online", "--confirm=0", "--", "true"]):
        ended = subprocess.run([options.omen, "run", *wrong], capture_output=True, text=True, check=False)
        if ended.returncode != 64 or "--confirm" not in ended.stderr:
            faults.append(f"{wrong}: {ended.returncode}: {ended.stderr}")
    print("\n".join(faults) or "demonstrated and predicted only, as they should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Reports and gdb output about replayed races.

- `omen run --replay` marks each race as replayed or not, in text, JSON and SARIF: one that every run reaches, and one
  that no run reaches.
- A thread that a wait for several descriptors wakes more often than in the recording is still controlled.
- `omen replay` prints the memory before and after each access, in both orders.
- `omen replay --gdb`: both threads stop before their accesses; `omen race` shows them and the memory, `omen step`
  lets one of them execute its access, in either order.

  marks_test.py --omen O --cxx CXX
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"  # has invisible.h
# The accesses of `total` are ordered by the lock in the recorded run. In a replayed run of the second program the writer
# leaves before it writes.
PROGRAM = """
#include <pthread.h>
#include <cstdlib>
#include "invisible.h"
int total;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void* add(void*) {
  if (LEAVES && getenv("OMEN_REPLAY") != nullptr) return nullptr;
  total = 5;  // write
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  reach(1);
  return nullptr;
}
void* look(void*) {
  await(1);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return reinterpret_cast<void*>(static_cast<long>(total));  // read
}
int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, add, nullptr);
  pthread_create(&threads[1], nullptr, look, nullptr);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}
"""

# In the recorded run both descriptors are ready when the thread polls first; in a replayed run they become ready one
# after the other, so it wakes twice.
POLLS = """
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cstdlib>
#include "invisible.h"
int total;
int set;
void* handle(void*) {
  reach(1);
  await(2);
  for (int handled = 0; handled < 2;) {
    epoll_event events[2];
    const int count = epoll_wait(set, events, 2, -1);
    for (int i = 0; i < count; ++i) {
      eventfd_t value;
      eventfd_read(events[i].data.fd, &value);
      ++handled;
    }
  }
  total = 5;  // write
  return nullptr;
}
int main() {
  set = epoll_create1(0);
  int files[2];
  for (int& file : files) {
    file = eventfd(0, 0);
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = file;
    epoll_ctl(set, EPOLL_CTL_ADD, file, &event);
  }
  pthread_t thread;
  pthread_create(&thread, nullptr, handle, nullptr);
  await(1);
  eventfd_write(files[0], 1);
  if (getenv("OMEN_REPLAY") != nullptr) usleep(300000);
  eventfd_write(files[1], 1);
  reach(2);
  const int seen = total;  // read
  pthread_join(thread, nullptr);
  return seen == 7;
}
"""


class Programs:
    def __init__(self, options, folder):
        self.omen, self.cxx, self.folder = options.omen, options.cxx, folder

    def build(self, name, leaves, text=PROGRAM):
        source = self.folder / f"{name}.cpp"
        source.write_text(text.replace("LEAVES", leaves))
        subprocess.run([self.cxx, "-g", "-O1", "-pthread", f"-I{GOLDEN}", str(source), "-o", str(self.folder / name)], check=True)

    def report(self, name):
        """The text, and the race in JSON and in SARIF."""
        json_file, sarif_file = self.folder / f"{name}.json", self.folder / f"{name}.sarif"
        command = [self.omen, "run", "--replay", "--json", str(json_file), "--sarif", str(sarif_file), "--", str(self.folder / name)]
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        races = json.loads(json_file.read_text())["races"]
        results = json.loads(sarif_file.read_text())["runs"][0]["results"]
        if ended.returncode != 66 or len(races) != 1 or len(results) != 1 or races[0]["verdict"] != "race":
            sys.exit(f"{name}: exit code {ended.returncode}: {ended.stderr}")
        return ended.stderr, races[0], results[0]["properties"]

    def gdb(self, name, commands):
        words = [word for command in commands for word in ("--gdb-command", command)]
        command = [self.omen, "replay", str(self.folder / f"{name}.json"), "--gdb", *words, "--", str(self.folder / name)]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)


def marks(programs):
    faults = []
    text, race, sarif = programs.report("comes")
    if race["replayed"] != {"runs": 3, "reached": 3, "diverged": ""} or sarif["replayed"] != {"runs": 3, "reached": 3}:
        faults.append(f"comes: {race['replayed']}, {sarif}")
    if "predicted, confirmed, replayed" not in text or "\n  Replayed in 3 of 3 runs of the program.\n" not in text:
        faults.append(f"comes: {text}")
    text, race, sarif = programs.report("leaves")
    replayed = race["replayed"]
    if replayed["runs"] != 3 or replayed["reached"] != 0 or not replayed["diverged"] or sarif["replayed"] != replayed:
        faults.append(f"leaves: {replayed}, {sarif}")
    if "confirmed, replayed" in text or "\n  Replayed in 0 of 3 runs of the program.\n  A run " not in text:
        faults.append(f"leaves: {text}")
    return faults


def polls(programs):
    _, race, _ = programs.report("polls")
    if race["replayed"] != {"runs": 3, "reached": 3, "diverged": ""}:
        return [f"polls: {race['replayed']}"]
    return []


def values(programs):
    command = [programs.omen, "replay", str(programs.folder / "comes.json"), "--", str(programs.folder / "comes")]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    orders = re.findall(r"^    (T[12]) first: (.*)$", ended.stdout, flags=re.MULTILINE)
    expected = [("T1", "before: 0; after the write by T1: 5; after the read by T2: 5"),
                ("T2", "before: 0; after the read by T2: 0; after the write by T1: 5")]
    if ended.returncode != 66 or orders != expected or "\nReplayed in 3 of 3 runs.\n" not in ended.stdout:
        return [f"values: exit code {ended.returncode}: {ended.stdout}{ended.stderr}"]
    return []


def with_gdb(programs):
    """Both orders. The first thread of the recorded run is the writer, unless another thread is named."""
    faults = []
    ended = programs.gdb("comes", ["omen race", "omen step", "omen step", "continue"])
    threads = re.findall(r"^Thread (\d+) \(LWP \d+\): (write|read) of 4 bytes at 0x[0-9a-f]+\n    #0 (add|look) at .*comes\.cpp:(\d+)$",
                         ended.stdout, flags=re.MULTILINE)
    lines = {kind: next(n for n, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith(f"// {kind}")) for kind in ("write", "read")}
    expected = [("write", "add", str(lines["write"])), ("read", "look", str(lines["read"]))]
    if ended.returncode != 66 or [thread[1:] for thread in threads] != expected * 2:  # at the stop, and by `omen race`
        return [f"gdb: exit code {ended.returncode}, {threads}: {ended.stdout}\n{ended.stderr}"]
    writer, reader = threads[0][0], threads[1][0]
    said = [f"Thread {writer} has made its write: before 0, now 5", f"Thread {reader} has made its read: before 5, now 5"]
    if [line for line in ended.stdout.splitlines() if "has made its" in line] != said:
        faults.append(f"gdb, the writer first: {ended.stdout}")
    ended = programs.gdb("comes", [f"omen step {reader}", "omen step", "continue"])
    said = [f"Thread {reader} has made its read: before 0, now 0", f"Thread {writer} has made its write: before 0, now 5"]
    if [line for line in ended.stdout.splitlines() if "has made its" in line] != said:
        faults.append(f"gdb, the reader first: {ended.stdout}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    options.omen = str(pathlib.Path(options.omen).absolute())
    with tempfile.TemporaryDirectory(prefix="omen-marks-") as name:
        programs = Programs(options, pathlib.Path(name))
        programs.build("comes", "false")
        programs.build("leaves", "true")
        programs.build("polls", "", POLLS)
        faults = marks(programs) + polls(programs) + values(programs) + with_gdb(programs)
    print("\n".join(faults) or "replayed, not replayed, values, and both orders in gdb")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

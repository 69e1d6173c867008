#!/usr/bin/env python3
"""--preload: instrumented libraries in a program that omen-cc did not link. The races of the libraries are found, and what
the program guards with locks of its own is no race. A program with a runtime of its own keeps that one.

Usage: preload_test.py PATH-OF-OMEN PATH-OF-OMEN-C++ [unittest options]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

OMEN, CXX = sys.argv.pop(1), sys.argv.pop(1)
RUNTIME = pathlib.Path(OMEN).parent.parent / "lib" / "libomen_rt.so"
# Calls `work` of a library from two threads, which guard their own state by a lock and a condition variable.
HOST = """#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int* box;
static int done;
static int* (*make)(int);
static int (*use)(int*);
static void* consumer(void* unused) {
  (void)unused;
  long sum = 0;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (!box && !done) pthread_cond_wait(&changed, &lock);
    int* taken = box;
    box = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    if (!taken) return (void*)sum;
    sum += use(taken);
  }
}
int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
  if (!library) return fprintf(stderr, "host: %s\\n", dlerror()), 2;
  make = (int* (*)(int))dlsym(library, "make");
  use = (int (*)(int*))dlsym(library, "use");
  pthread_t thread;
  pthread_create(&thread, 0, consumer, 0);
  for (int i = 0; i < 30; ++i) {
    int* item = make(i);
    pthread_mutex_lock(&lock);
    while (box) pthread_cond_wait(&changed, &lock);
    box = item;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_lock(&lock);
  while (box) pthread_cond_wait(&changed, &lock);
  done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  void* sum;
  pthread_join(thread, &sum);
  printf("%ld\\n", (long)sum);
  return 0;
}
"""
# `made` is written by one thread and read by the other: a race, unless only the items are touched.
LIBRARY = """#include <unistd.h>
#include <list>
#include <mutex>
static std::mutex lock;
static std::list<int> seen;
int made;
extern "C" int* make(int number) {
  { std::lock_guard guard(lock); seen.push_back(number); }
  COUNT
  return new int[2]{number, 0};
}
extern "C" int use(int* item) {
  item[1] = SIZE;
  const int number = item[0];
  delete[] item;
  return number;
}
"""
PYTHON = """import ctypes, sys, threading
library = ctypes.CDLL(sys.argv[1])
library.make.restype = ctypes.c_void_p
library.use.argtypes = [ctypes.c_void_p]
meet = threading.Barrier(2)
def run():
    meet.wait()
    for i in range(20): library.use(library.make(i))
threads = [threading.Thread(target=run) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
MODES = ((), ("--online",))


class Preload(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("host.c", HOST)
        self.write("racy.cpp", LIBRARY.replace("COUNT", "usleep(300), ++made;  // MADE: outside of an interpreter's lock for a while").replace("SIZE", "made"))
        self.write("clean.cpp", LIBRARY.replace("COUNT", "").replace("SIZE", "1"))
        self.run_program("gcc", "-g", "host.c", "-o", "host", "-pthread", "-ldl")

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_program(self, *words, code=0, **environment):
        done = subprocess.run(words, cwd=self.folder, env=os.environ | environment, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def libraries(self):
        """Once for each compiler that is there."""
        for compiler in ("g++", "clang++-19"):
            if shutil.which(compiler) is None:
                continue
            for name in ("racy", "clean"):
                self.run_program(CXX, "-g", "-O1", "-fPIC", "-shared", name + ".cpp", "-o", name + ".so", OMEN_CXX=compiler)
            yield compiler

    def test_a_library_alone_says_what_is_missing(self):
        for compiler in self.libraries():
            with self.subTest(compiler):
                done = self.run_program("./host", "./racy.so", code=2)
                self.assertIn("undefined symbol: __omen_runtime_is_missing_v", done.stderr)
                for mode in MODES:
                    done = self.run_program(OMEN, "run", *mode, "--", "./host", "./racy.so", code=65)
                    self.assertIn("--preload", done.stderr)

    def test_races_of_a_library(self):
        line = next(number for number, text in enumerate((self.folder / "racy.cpp").read_text().splitlines(), 1) if "// MADE" in text)
        for compiler in self.libraries():
            for mode in MODES:
                with self.subTest(compiler, mode=mode):
                    done = self.run_program(OMEN, "run", *mode, "--preload", "--json", "r.json", "--", "./host", "./racy.so", code=66)
                    self.assertEqual(done.stdout, "435\n")
                    races = json.loads((self.folder / "r.json").read_text())["races"]
                    self.assertEqual({race["variable"]["name"] for race in races}, {"made"})
                    places = {frame["line"] for race in races for access in race["accesses"] for frame in access["stack"][:1]}
                    self.assertIn(line, places)

    def test_what_the_program_guards_is_no_race(self):
        for compiler in self.libraries():
            for mode in MODES:
                with self.subTest(compiler, mode=mode):
                    done = self.run_program(OMEN, "run", *mode, "--preload", "--", "./host", "./clean.so")
                    self.assertEqual(done.stdout, "435\n")
                    self.assertIn("0 races", done.stderr)
                    self.assertNotIn("nothing that the program loaded", done.stderr)

    def test_traces_and_replay(self):
        for _ in self.libraries():
            self.run_program(OMEN, "record", "--preload", "-o", "t.omen", "--", "./host", "./racy.so")
            self.assertIn("'made'", self.run_program(OMEN, "report", "t.omen", code=66).stdout)
            done = self.run_program(OMEN, "run", "--preload", "--replay", "--", "./host", "./racy.so", code=66)
            self.assertRegex(done.stderr, r"Replayed in [1-3] of 3 runs")

    def test_without_omen_run(self):
        for _ in self.libraries():
            environment = {"LD_PRELOAD": str(RUNTIME), "OMEN_OPTIONS": "mode=online", "OMEN_TOOL": OMEN}
            done = self.run_program("./host", "./racy.so", code=66, **environment)
            self.assertIn("'made'", done.stderr)
            self.run_program("./host", "./clean.so", **environment)

    def test_an_interpreter(self):
        self.write("use.py", PYTHON)
        python = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable
        for _ in self.libraries():
            for mode in MODES:
                self.run_program(OMEN, "run", *mode, "--preload", "--", python, "use.py", "./clean.so")
                done = self.run_program(OMEN, "run", *mode, "--preload", "--json", "-", "--", python, "use.py", "./racy.so", code=66)
                self.assertIn("'made'", done.stderr)

    def test_a_program_with_its_own_runtime_keeps_it(self):
        self.write("own.cpp", "#include <thread>\nint x;\nint main() {\n  std::thread a([] { x = 1; });\n  x = 2;\n  a.join();\n}\n")
        self.run_program(CXX, "-g", "own.cpp", "-o", "own")
        for mode in MODES:
            done = self.run_program(OMEN, "run", *mode, "--preload", "--", "./own", code=66)
            self.assertEqual(done.stderr.count("WARNING"), 1, done.stderr)
        self.run_program("./own", LD_PRELOAD=str(RUNTIME))

    def test_nothing_to_watch(self):
        for mode in MODES:
            done = self.run_program(OMEN, "run", *mode, "--preload", "--", "true")
            self.assertIn("note: nothing that the program loaded was compiled with omen-cc", done.stderr)


if __name__ == "__main__":
    unittest.main()

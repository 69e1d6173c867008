#!/usr/bin/env python3
"""The races of one source, built by GCC and by clang, at several levels, are one row each in the store.

The program has races in lambdas, nested lambdas, local classes, templates and functions of one file, which the compilers name
differently. So fingerprints differ, and the store has to recognise that the races are the same.

Usage: compilers_test.py PATH-OF-OMEN PATH-OF-OMEN-CC [unittest options]
"""

import json
import pathlib
import subprocess
import sys
import unittest

from stores import StoreCase, main

main(sys.argv, ("sqlite",))
CXX = pathlib.Path(sys.argv.pop(1)).absolute().with_name("omen-c++")

SOURCE = """\
#include <functional>
#include <thread>
#include <vector>

int in_lambda, in_other_lambda, in_inner_lambda, in_template, in_static, in_member, in_local, in_function;

template <class F>
void twice(F f) {
  f();
  f();
}
template <class T>
void add(T& to) {
  to = to + 1;
}
static void quiet() {
  in_static++;
}
namespace {
struct Counter {
  int* where;
  void go() {
    std::thread other([this] {
      (*where)++;
    });
    (*where)++;
    other.join();
  }
};
}  // namespace

void other() {
  std::thread b([] {
    in_other_lambda++;
  });
  in_other_lambda++;
  b.join();
}

int main() {
  struct Local {
    void go() {
      in_local++;
    }
  };
  std::thread a([] {
    in_lambda++;
  });
  in_lambda++;
  a.join();
  other();
  std::thread c([] {
    twice([] {
      in_inner_lambda++;
    });
  });
  twice([&] {
    in_inner_lambda += 2;
  });
  c.join();
  std::thread d(add<int>, std::ref(in_template));
  add(in_template);
  d.join();
  std::thread e(quiet);
  quiet();
  e.join();
  Counter{&in_member}.go();
  Local one, two;
  std::thread f(&Local::go, &one);
  two.go();
  f.join();
  std::function<void(int)> by = [&](int n) {
    in_function += n;
  };
  std::thread g(by, 3);
  by(4);
  g.join();
}
"""
VARIABLES = ("in_lambda", "in_other_lambda", "in_inner_lambda", "in_template", "in_static", "in_member", "in_local", "in_function")


class Compilers(StoreCase):
    def report_of(self, compiler, level):
        name = f"{compiler}{level}"
        self.write("prog.cpp", SOURCE)
        environment = {**self.environment(), "OMEN_CXX": {"gcc": "g++-12", "clang": "clang++-19"}[compiler]}
        done = subprocess.run([CXX, "-std=c++20", "-g", level, "-pthread", "prog.cpp", "-o", name], cwd=self.folder, env=environment,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.folder / f"{name}.json"
        self.omen("run", "--json", report, "--", f"./{name}", code=66)
        return report

    def test_gcc_and_clang(self):
        rows = {}
        fingerprints = set()
        order = [(compiler, level) for level in ("-O1", "-O0") for compiler in ("gcc", "clang")]
        for compiler, level in order:
            report = self.report_of(compiler, level)
            races = json.loads(report.read_text())["races"]
            names = {race["variable"]["name"] for race in races}
            self.assertEqual(names, set(VARIABLES), f"{compiler} {level}")
            fingerprints.update(race["fingerprint"] for race in races)
            print(compiler, level, self.store("add", "--label", f"{compiler} {level}", report).strip())
            rows[compiler, level] = len(self.json("list"))
        listed = self.json("list")
        titles = "\n".join(sorted(one["title"] for one in listed))
        self.assertEqual(rows, dict.fromkeys(order, len(VARIABLES)), titles)
        for name in VARIABLES:
            self.assertEqual([one["runs"] for one in listed if f"'{name}'" in one["title"]], [len(order)], f"{name}\n{titles}")
        known = {name for one in listed for name in (one["fingerprint"], *one["aliases"])}
        self.assertEqual(known, fingerprints)
        self.assertGreater(len(fingerprints), len(listed), "the compilers' fingerprints are the same: this tests nothing")


if __name__ == "__main__":
    unittest.main()

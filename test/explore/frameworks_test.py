#!/usr/bin/env python3
"""The recipes of docs/explore.md for CTest, GoogleTest and Catch2, on a test with a rare bug: the framework's own
report of a failed test is a finding.

  frameworks_test.py --omen O --cxx CXX
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BODY = """
#include <mutex>
#include <thread>
static std::mutex m;
static int balance;
static int get() { std::lock_guard guard(m); return balance; }
static void set(int value) { std::lock_guard guard(m); balance = value; }
static int deposit_twice() {
  balance = 0;
  std::thread a([] { set(get() + 1); });
  std::thread b([] { set(get() + 1); });
  a.join();
  b.join();
  return balance;
}
"""
GTEST = "#include <gtest/gtest.h>\n" + BODY + """
TEST(Bank, Deposits) { EXPECT_EQ(deposit_twice(), 2); }
TEST(Bank, Nothing) { EXPECT_EQ(1 + 1, 2); }
"""
CATCH = "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n" + BODY + """
TEST_CASE("deposits") { CHECK(deposit_twice() == 2); }
TEST_CASE("nothing") { CHECK(1 + 1 == 2); }
"""
PLAIN = BODY + "int main() { return deposit_twice() == 2 ? 0 : 1; }\n"


def build(options, folder, name, text, libraries=()):
    source = folder / f"{name}.cpp"
    source.write_text(text)
    command = [options.cxx, "-std=c++20", "-g", "-O1", str(source), "-o", str(folder / name), *libraries]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return str(folder / name)


def explore(options, folder, command, found, runs=200):
    report = folder / "report.json"
    arguments = [options.omen, "explore", "--seed", "1", "--runs", str(runs), "--stop", "--json", str(report), "--", *command]
    ended = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)
    kinds = [f["kind"] for f in json.loads(report.read_text())["failures"]] if report.exists() else None
    if ended.returncode != (66 if found else 0) or kinds != (["exit-code"] if found else []):
        return [f"{' '.join(command)}: exit code {ended.returncode}, {kinds}: {ended.stderr[-600:]}"]
    return []


def ctest(options, folder, program):
    """As in the recipe: the test's command is `omen explore`."""
    (folder / "CTestTestfile.cmake").write_text(
        f'add_test(explored "{options.omen}" explore --seed 1 --runs 100 --stop -- "{program}")\n')
    ended = subprocess.run(["ctest", "--output-on-failure"], cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if ended.returncode == 0 or "failed run" not in ended.stdout or "--runs 1 -- " not in ended.stdout:
        return [f"ctest: {ended.returncode}: {ended.stdout[-800:]}"]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    options.omen = str(pathlib.Path(options.omen).absolute())
    faults, ran = [], ["CTest"]
    with tempfile.TemporaryDirectory(prefix="omen-frameworks-") as name:
        folder = pathlib.Path(name)
        faults += ctest(options, folder, build(options, folder, "plain", PLAIN))
        if os.path.exists("/usr/include/gtest/gtest.h"):
            tests = build(options, folder, "gtests", GTEST, ["-lgtest", "-lgtest_main"])
            faults += explore(options, folder, [tests, "--gtest_filter=Bank.Deposits"], True)
            faults += explore(options, folder, [tests, "--gtest_filter=Bank.Nothing"], False, 5)
            ran.append("GoogleTest")
        if os.path.exists("/usr/include/catch2/catch.hpp"):
            tests = build(options, folder, "catches", CATCH)
            faults += explore(options, folder, [tests, "deposits"], True)
            faults += explore(options, folder, [tests, "nothing"], False, 5)
            ran.append("Catch2")
    print("\n".join(faults) or f"{', '.join(ran)}: found what is there, and nothing else")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

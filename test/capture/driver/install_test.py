#!/usr/bin/env python3
"""`cmake --install` and the Debian package: the right files, and a moved tree still compiles."""
import pathlib
import shutil
import sys
import unittest

import driver

driver.DriverTest.build = pathlib.Path(sys.argv.pop(1))

FILES = {"bin/omen", "bin/omen-cc", "bin/omen-c++", "lib/omen/omen-gcc.specs", "lib/omen/omen-incomplete.h", "lib/omen/tools/as", "lib/omen/tools/ld", "lib/pkgconfig/omen.pc", "share/omen/omen-toolchain.cmake",
         "share/man/man1/omen.1", "share/man/man1/omen-run.1", "share/man/man1/omen-check.1", "share/man/man1/omen-cc.1", "share/man/man1/omen-c++.1",
         "share/bash-completion/completions/omen", "share/zsh/vendor-completions/_omen", "share/fish/vendor_completions.d/omen.fish",
         "lib/cmake/Omen/OmenConfig.cmake", "share/doc/omen/README.md", "share/doc/omen/copyright", "share/doc/omen/docs/design.md"}
RUNTIME = {"lib/omen/libomen_rt.a", "lib/omen/libomen_thunks.a", "lib/omen/omen_rt.syms"}
PRELOADED = "lib/omen/libomen_rt.so"  # no program is linked with it


class Install(driver.DriverTest):
    def setUp(self):
        super().setUp()
        self.environment.pop("OMEN_RUNTIME")
        self.built = self.runtime.is_relative_to(self.build)

    def expected(self):
        built = (self.build / "lib" / "omen_placement.so").exists()
        plugins = {"lib/omen/omen_placement.so", "lib/omen/omen_instrumentation.so"} if built else set()
        if (self.build / "lib" / "omen_gcc.so").exists():
            plugins.add("lib/omen/omen_gcc.so")
        return FILES | plugins | (RUNTIME | {PRELOADED} if self.built else set())

    def add_stub(self, prefix):
        """The runtime of the tests, where the build tree has none to install."""
        if not self.built:
            shutil.copy(self.runtime, prefix / "lib" / "omen")
            shutil.copy(self.runtime.parent / "omen_rt.syms", prefix / "lib" / "omen")

    def compiles(self, prefix):
        self.write("a.c", '#include <stdio.h>\nint x = 7; int main(void) { printf("%d\\n", x); return 0; }\n')
        self.write("a.cpp", '#include <cstdio>\nint x = 7; int main() { std::printf("%d\\n", x); }\n')
        for program, source in (("omen-cc", "a.c"), ("omen-c++", "a.cpp")):
            self.must([prefix / "bin" / program, "-O1", source, "-o", "a"])
            self.assert_instrumented("./a")
            self.assertEqual(self.must(["./a"]), "7\n")
        self.must([prefix / "bin" / "omen", "--help"])

    @unittest.skipUnless(shutil.which("strip"), "no strip")
    def test_the_runtime_is_small(self):
        """An empty program, linked with what is installed: 3 MiB at the most, though it has all of the runtime."""
        if not self.built:
            self.skipTest("no runtime")
        prefix = self.folder / "small"
        self.must(["cmake", "--install", self.build, "--prefix", prefix])
        self.write("empty.c", "int main(void) { return 0; }\n")
        self.must([prefix / "bin" / "omen-cc", "empty.c", "-o", "empty"])
        self.assert_instrumented("./empty")
        self.assertLess((self.folder / "empty").stat().st_size, 3 << 20)
        self.assertIn("__omen_call_main", self.must(["nm", "empty"]))  # its own frames are known by name

    def test_an_installed_tree_can_be_moved(self):
        self.must(["cmake", "--install", self.build, "--prefix", self.folder / "first"])
        for name in self.expected():
            self.assertTrue((self.folder / "first" / name).is_file(), name)
        moved = self.folder / "second place"
        shutil.move(self.folder / "first", moved)
        self.add_stub(moved)
        self.compiles(moved)
        link = self.folder / "omen-c++"  # a link from a folder of PATH
        link.symlink_to(moved / "bin" / "omen-c++")
        self.must([link, "a.cpp", "-o", "a"])

    def test_without_a_runtime_the_message_names_both_places(self):
        self.must(["cmake", "--install", self.build, "--prefix", self.folder / "p"])
        shutil.rmtree(self.folder / "p" / "lib" / "omen")
        result = self.call([self.folder / "p" / "bin" / "omen-cc", "a.o"], env={"OMEN_CC": "clang-19"})
        self.assertEqual(result.returncode, 69)
        self.assertIn("p/lib/libomen_rt.a nor ", result.stderr)
        self.assertIn("p/lib/omen/libomen_rt.a", result.stderr)

    @unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"), "no dpkg")
    def test_debian_package(self):
        self.must(["cpack", "-G", "DEB", "--config", self.build / "CPackConfig.cmake", "-B", self.folder / "cpack"])
        packages = {path.name.split("_")[0]: path for path in (self.folder / "cpack").glob("*.deb")}
        self.assertEqual(set(packages), {"omen", "omen-runtime", "omen-dev"})
        names = {}
        for package, path in packages.items():
            listing = self.must(["dpkg-deb", "-c", path])
            names[package] = {line.split(" ./usr/", 1)[1].split(" -> ")[0] for line in listing.splitlines()
                              if " ./usr/" in line and not line.split(" -> ")[0].endswith("/")}
            self.must(["dpkg-deb", "-x", path, self.folder / "root"])
        everything = set.union(*names.values())
        self.assertEqual(sum(map(len, names.values())), len(everything))  # no file is in two
        self.assertLessEqual(self.expected(), everything)
        self.assertFalse([name for name in everything if name.startswith("include") or "test" in name.lower() and "docs" not in name])
        self.assertIn("bin/omen", names["omen"])
        self.assertIn("bin/omen-c++", names["omen-dev"])
        if self.built:
            self.assertEqual(names["omen-runtime"], RUNTIME)
            self.assertIn(PRELOADED, names["omen"])
        field = lambda package, name: self.must(["dpkg-deb", "-f", packages[package], name]).strip()  # noqa: E731
        self.assertRegex(field("omen", "Depends"), r"libc6 .*libstdc\+\+6")
        self.assertRegex(field("omen-dev", "Depends"), r"omen \(= [\d.]+\), omen-runtime \(= [\d.]+\)")
        self.assertRegex(field("omen-dev", "Recommends"), r"g\+\+ .*clang")
        self.add_stub(self.folder / "root" / "usr")
        self.compiles(self.folder / "root" / "usr")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The commands that omen-cc makes of command lines, by --omen-show."""
import pathlib
import shlex
import sys
import unittest

import driver

driver.DriverTest.build = pathlib.Path(sys.argv.pop(1))


class Arguments(driver.DriverTest):
    def show(self, line, cc="gcc", cxx="g++", program="omen-cc"):
        env = {"OMEN_CC": cc, "OMEN_CXX": cxx}
        words = shlex.split(line) if isinstance(line, str) else line
        return self.call([self.program(program), "--omen-show", *words], env=env)

    def words(self, line, **settings):
        result = self.show(line, **settings)
        self.assertEqual(result.returncode, 0, f"{line}\n{result.stderr}")
        return shlex.split(result.stdout)

    def has_runtime(self, words):
        return str(self.runtime) in words

    def instruments(self, words):
        return "-fsanitize=thread" in words or any(word.startswith("-specs=") and "omen" in word for word in words)

    def test_compiling_only(self):
        for line in ("-c a.c", "-S a.c", "-E a.c", "-M a.c", "-MM a.c", "-c -MD -MF a.d a.c -o a.o", "-fsyntax-only a.c", "-c -x c -",
                     "-xc -E -", "-c a.c -static", "-c -flto a.c", "-c a.S", "-c -nostdlib a.c"):
            for cc in ("gcc", "clang-19"):
                words = self.words(line, cc=cc)
                self.assertIn("-fsanitize=thread", words, line)
                self.assertFalse(self.has_runtime(words), line)
                self.assertNotIn("-fno-sanitize-link-runtime", words, line)  # unused options are warnings, or errors
                self.assertNotIn("-ldl", words)

    def test_assembling(self):
        for line in ("-c a.s", "-c -x assembler a.txt"):  # clang calls an unused -fsanitize=thread a warning
            self.assertEqual(self.words(line), ["gcc", *shlex.split(line)])

    def test_linking_a_program(self):
        for line in ("a.c", "a.c -o a", "a.o b.o -o a", "-o a a.o", "-x c - -o a", "-pie a.o", "-no-pie a.o", "-v a.c", "-### a.c",
                     "-flto a.o", "-fuse-ld=gold a.o", "-fuse-ld=lld a.o", "-MD a.c", "-static-libgcc a.o", "-rdynamic a.o", "-nostdlib a.o",
                     "-Wl,-Bstatic -lz -Wl,-Bdynamic a.o", "-Wl,-z,defs a.o", "-g3 -O2 -I x -D Y a.c -L z -l w", "-include a.h a.c",
                     "a.c -T script.ld", "--param x=1 a.c", "lib/libz.a", "liby.so.1"):
            gcc, clang = self.words(line), self.words(line, cc="clang-19")
            for words in (gcc, clang):
                self.assertTrue(self.has_runtime(words), line)
                self.assertTrue(self.instruments(words), line)
                self.assertIn("--dynamic-list=" + str(self.runtime.parent / "omen_rt.syms"), words)
                self.assertLess(words.index("--whole-archive"), words.index("--no-whole-archive"))
            self.assertNotIn("-fsanitize=thread", gcc)  # with it GCC's driver would link libtsan
            self.assertIn("-fno-sanitize-link-runtime", clang)

    def test_default_libraries(self):
        self.assertEqual(self.words("a.o")[-2:], ["-lpthread", "-ldl"])
        for option in ("-nostdlib", "-nodefaultlibs"):
            self.assertNotIn("-ldl", self.words(f"{option} a.o"))

    def test_shared_libraries_have_no_runtime(self):
        for line in ("-shared a.o -o a.so", "--shared a.c", "-Wl,-shared a.o", "-Xlinker -shared a.o", "-shared -fPIC -static a.c"):
            for cc in ("gcc", "clang-19"):
                words = self.words(line, cc=cc)
                self.assertFalse(self.has_runtime(words), line)
                self.assertTrue(self.instruments(words), line)

    def test_shared_libraries_may_leave_symbols_undefined(self):
        for option in ("-Wl,-z,defs", "-Wl,--no-undefined", "-Wl,-z -Wl,defs", "-z defs", "-Xlinker -z -Xlinker defs", "-Wl,-z -Xlinker defs",
                       "-Wl,-zdefs", "-Wl,-no-undefined", "-Xlinker --no-undefined"):
            words = self.words(f"-shared {option} a.o")
            self.assertNotIn("defs", " ".join(words), option)
            self.assertNotIn("undefined", " ".join(words), option)
            self.assertNotIn("-z", words, option)
        words = self.words("-shared -Wl,-z,relro,-z,defs,-z,now,-soname,defs a.o -Wl,-soname -Wl,-z")
        self.assertIn("-Wl,-z,relro,-z,now,-soname,defs", words)
        self.assertEqual(words[-2:], ["-Wl,-soname", "-Wl,-z"])
        self.assertIn("-Wl,-z,defs", self.words("-Wl,-z,defs a.o"))  # a program must define all symbols

    def test_partial_links_and_headers(self):
        for line in ("-r a.o b.o -o c.o", "-Wl,-r a.o", "-nostdlib -r a.o"):
            self.assertEqual(self.words(line), ["gcc", *shlex.split(line)])
        for line in ("a.h", "-x c++-header a.hpp -o a.gch"):
            words = self.words(line)
            self.assertFalse(self.has_runtime(words), line)
            self.assertIn("-fsanitize=thread", words)

    def test_questions_go_through_unchanged(self):
        for line in ("--version", "-v", "-dumpversion", "-dumpmachine", "-print-search-dirs", "-print-file-name=libc.so", "--help",
                     "--print-prog-name=ld", "-Q --help=warnings", "-dumpspecs", "-print-multi-os-directory", "", "-pthread -v", "-V 3 -o x"):
            self.assertEqual(self.words(line), ["gcc", *shlex.split(line)], line)
        self.assertEqual(self.words("-cc1 -help a.c", cc="clang-19"), ["clang-19", "-cc1", "-help", "a.c"])

    def test_sanitizers(self):
        self.assertEqual(self.words("-c -fsanitize=thread a.c").count("-fsanitize=thread"), 1)
        self.assertNotIn("-fsanitize=thread", self.words("-fsanitize=thread -static-libtsan a.c -o a"))
        self.assertNotIn("-static-libtsan", self.words("-fsanitize=thread -static-libtsan a.c -o a"))
        self.assertIn("-fsanitize=undefined", self.words("-fsanitize=thread,undefined a.c"))
        self.assertEqual(self.words("-c -fno-sanitize=thread a.c"), ["gcc", "-c", "a.c"])
        self.assertEqual(self.words("-fno-sanitize=thread a.c"), ["gcc", "a.c"])
        self.assertEqual(self.words("-fno-sanitize=all a.c"), ["gcc", "-fno-sanitize=all", "a.c"])
        self.assertIn("-fsanitize=thread", self.words("-c -fno-sanitize=thread -fsanitize=thread a.c"))
        self.assertNotIn("-fsanitize=thread", self.words("-c -fsanitize=thread -fno-sanitize=thread a.c"))
        words = self.words("-fsanitize=undefined a.c", cc="clang-19")
        self.assertNotIn("-fno-sanitize-link-runtime", words)  # UBSan's own runtime is needed
        self.assertIn("-Xclang", words)
        self.assertNotIn("-Xclang", self.words("-fsanitize=undefined a.o", cc="clang-19"))

    def test_refusals(self):
        for line, part in (("-fsanitize=address a.c", "-fsanitize=address"), ("-c -fsanitize=memory a.c", "memory"),
                           ("-fsanitize=undefined,leak -c a.c", "leak"), ("-static a.c", "-static"), ("-static-pie a.o", "-static"),
                           ("-m32 a.c", "-m32")):
            result = self.show(line)
            self.assertEqual(result.returncode, 64, line)
            self.assertIn("omen-cc: error: ", result.stderr)
            self.assertIn(part, result.stderr)
            self.assertEqual(result.stdout, "")
        self.words("-fsanitize=address -fno-sanitize=address -c a.c")
        self.words("-fsanitize=address -fno-sanitize=thread a.c")
        self.words("-static -fno-sanitize=thread a.c")
        self.words("-m32 -m64 a.c")

    def test_response_files(self):
        self.write("inner", "-DX='a b' \"-DY=c d\" -DZ=e\\ f ''")
        self.write("outer", "-c\n@inner\n-fsanitize=thread")
        words = self.words("@outer a.c @missing")
        self.assertEqual([word for word in words if word != "-Wno-tsan" and not word.startswith(("-B", "-fplugin=", "-fno-builtin-"))],
                         ["gcc", "-fsanitize=thread", "-c", "-DX=a b", "-DY=c d", "-DZ=e f", "", "a.c", "@missing"])
        self.write("loop", "-c @loop")
        self.assertIn("-fsanitize=thread", self.words("@loop a.c"))
        self.write("a b/long.c", "int f(void) { return 0; }\n")
        self.must([self.program("omen-cc"), "-c", "a b/long.c", "-o", "a b/long.o"])
        self.must(["ar", "rcs", "a b/long.a", "a b/long.o"])
        self.write("long", "\n".join(["'a b/long.a'", "a\\ b/../a\\ b/long.a"] * 8000))  # 200 kB
        self.write("a.c", "int f(void); int main(void) { return f(); }\n")
        self.must([self.program("omen-cc"), "a.c", "@long", "-o", "a"])
        self.must(["./a"])

    def test_choosing_the_compiler(self):
        self.assertEqual(self.words("-c a.c", cc="", cxx="")[0], "gcc")
        self.assertEqual(self.words("-c a.cc", cc="", cxx="", program="omen-c++")[0], "g++")
        self.assertEqual(self.words("-c a.cc", cc="clang-19", cxx="", program="omen-c++")[0], "clang++-19")
        self.assertEqual(self.words("-c a.c", cc="", cxx="g++-12")[0], "gcc-12")
        self.assertEqual(self.words("-c a.c", cc="  env   gcc -m64 ")[:3], ["env", "gcc", "-m64"])
        self.assertIn("-Wno-tsan", self.words("-c a.c", cc="cc"))
        for cc, code, part in (("no-such-gcc", 69, "no-such-gcc"), ("true", 69, "neither GCC nor clang"),
                               (self.program("omen-cc"), 69, "own driver")):
            result = self.show("a.c", cc=cc)
            self.assertEqual(result.returncode, code, cc)
            self.assertIn(part, result.stderr)

    def test_prefixes(self):
        self.write("bin/ccache", "#!/bin/sh\nexec \"$@\"\n").chmod(0o755)
        path = f"{self.folder}/bin:{self.environment['PATH']}"
        result = self.call([self.program("omen-cc"), "--omen-show", "a.c"], env={"OMEN_CC": "ccache clang-19", "PATH": path})
        self.assertEqual(shlex.split(result.stdout)[:3], ["ccache", "clang-19", "-fsanitize=thread"])

    def placed(self, line, env=None, **settings):
        """The plugins for check placement in the command."""
        self.environment |= env or {}
        plugins = [word for word in self.words(line, **settings) if word.startswith("-fpass-plugin=")]
        for name in env or {}:
            del self.environment[name]
        return plugins

    def test_placement(self):
        plugin = self.build / "lib" / "omen_placement.so"
        expected = [f"-fpass-plugin={plugin}"] if plugin.exists() else []
        for line in ("-c a.c", "a.c -o a", "-S -O0 a.c", "-c -fsanitize=undefined a.c"):
            self.assertEqual(self.placed(line, cc="clang-19"), expected, line)
        self.assertEqual(self.placed("-c a.cc", cxx="clang++-19", program="omen-c++"), expected)
        # Nothing is compiled, nothing is instrumented, or something else follows the plugin.
        for line in ("a.o -o a", "-c a.s", "-c -fno-sanitize=thread a.c", "-c -fsanitize-coverage=trace-pc-guard a.c"):
            self.assertEqual(self.placed(line, cc="clang-19"), [], line)
        # All checks, each at its access.
        whole = [word.replace("placement.so", "instrumentation.so") for word in expected]
        self.assertEqual(self.placed("--omen-no-placement -c a.c", cc="clang-19"), whole)
        self.assertEqual(self.placed("-c a.c", cc="clang-19", env={"OMEN_PLACEMENT": "off"}), whole)
        self.assertEqual(self.placed("-c a.c", cc="clang-19", env={"OMEN_PLACEMENT": "on"}), expected)
        for other in ("gcc", "clang-14"):
            self.assertEqual(self.placed("-c a.c", cc=other), [], other)

    def test_placement_options(self):
        plugin = self.build / "lib" / "omen_placement.so"
        here = plugin.exists()

        def options(line):
            return [word for word in self.words(line, cc="clang-19") if word.startswith("-omen-") or word == "-load"]
        for line, expected in (("-c a.c", []), ("--omen-placement=bigfoot -c a.c", []), ("--omen-placement=none -c a.c", []),
                               ("--omen-placement=redcard -c a.c", ["-load", "-omen-placement=redcard"]),
                               ("--omen-placement=redcard -c -fno-sanitize=thread a.c", []),
                               ("--omen-placement=none --omen-verify-placement -c a.c", [])):
            self.assertEqual(options(line), expected if here else [], line)
        if here:
            self.assertEqual(options("--omen-verify-placement -c a.c"), ["-load", "-omen-verify-placement"])
        without = ["instrumentation" in word for word in self.placed("--omen-placement=none -c a.c", cc="clang-19")]
        self.assertEqual(without, [True] if here else [])
        for line, cc, said in (("-c a.c", "clang-19", "bigfoot" if here else "none, it needs clang 19 and omen_placement.so"),
                               ("--omen-no-placement -c a.c", "clang-19", "none, as was asked for"), ("a.o", "clang-19", None),
                               ("-c -fsanitize-coverage=trace-pc a.c", "clang-19", "none, together with coverage"),
                               ("-c a.c", "gcc", "none, it needs clang 19 and omen_placement.so")):
            self.assertEqual(self.show(line, cc=cc).stderr, f"placement: {said}\n" if said else "", line)
        refused = self.call([self.program("omen-cc"), "--omen-show", "--omen-placement=most", "-c", "a.c"])
        self.assertEqual((refused.returncode, refused.stdout), (64, ""))
        self.assertIn("--omen-placement=most", refused.stderr)
        for name, same in (("slimstate", "none"), ("slimcard", "redcard")):  # BigFoot's, which differ from these in the shadow alone
            refused = self.call([self.program("omen-cc"), "--omen-show", f"--omen-placement={name}", "-c", "a.c"])
            self.assertEqual((refused.returncode, refused.stdout), (64, ""))
            self.assertIn(f"ask for {same}", refused.stderr)
        for compiler in ("gcc", "clang-14"):
            refused = self.call([self.program("omen-cc"), "--omen-show", "--omen-verify-placement", "-c", "a.c"], env={"OMEN_CC": compiler})
            self.assertEqual(refused.returncode, 69, compiler)
            self.assertIn("needs clang 19", refused.stderr)

    def test_code_with_accesses_left_out_says_so(self):
        header = ["-include", f"{self.build}/lib/omen-incomplete.h"]

        def says(line, **settings):
            words = self.words(line, **settings)
            return any(words[at : at + 2] == header for at in range(len(words)))
        plugin = (self.build / "lib" / "omen_placement.so").exists()
        self.assertTrue(says("-c a.c", cc="clang-14"))
        self.assertTrue(says("-c -fsanitize-coverage=trace-pc-guard a.c", cc="clang-19"))
        self.assertEqual(says("-c a.c", cc="clang-19"), not plugin)
        self.assertEqual(says("--omen-no-placement -c a.c", cc="clang-19"), not plugin)
        for line, settings in (("-c a.c", {"cc": "gcc"}), ("a.o -o a", {"cc": "clang-14"}), ("-c -fno-sanitize=thread a.c", {"cc": "clang-14"})):
            self.assertFalse(says(line, **settings), line)
        newer = self.write("b/clang", "#!/bin/sh\necho '#define __clang_major__ 21'\n")
        newer.chmod(0o755)
        self.assertFalse(says("-c a.c", cc=str(newer)))

    def test_placement_by_the_folder_of_the_compiler_or_by_asking_it(self):
        plugin = self.build / "lib" / "omen_placement.so"
        expected = [f"-fpass-plugin={plugin}"] if plugin.exists() else []
        fails = "#!/bin/sh\nexit 1\n"  # when it is called
        for name, says, wanted in (("llvm-19/bin/clang", fails, expected), ("llvm-18/bin/clang", fails, []),
                                   ("a/clang", "#!/bin/sh\necho '#define __clang_major__ 19'\n", expected),
                                   ("b/clang", "#!/bin/sh\necho '#define __clang_major__ 20'\n", [])):
            compiler = self.write(name, says)
            compiler.chmod(0o755)
            self.assertEqual(self.placed("-c a.c", cc=str(compiler)), wanted, name)

    def test_plugin_of_gcc(self):
        plugin = self.build / "lib" / "omen_gcc.so"
        expected = [f"-fplugin={plugin}"] if plugin.exists() else []

        def loaded(line, **settings):
            return [word for word in self.words(line, **settings) if word.startswith("-fplugin=")]

        for line in ("-c a.c", "a.c -o a", "-S -O0 a.c", "-flto a.o", "--omen-no-placement -c a.c"):
            self.assertEqual(loaded(line, cc="gcc-12"), expected, line)
        for line in ("-fno-sanitize=thread -c a.c", "-c a.s", "-fsanitize-coverage=trace-pc -c a.c"):
            self.assertEqual(loaded(line, cc="gcc-12"), [], line)
        self.assertEqual(loaded("-c a.c", cc="clang-19"), [])
        for name, says, wanted in (("a/gcc", "#!/bin/sh\necho '#define __GNUC__ 12'\n", expected), ("a/gcc-13", "#!/bin/sh\nexit 1\n", []),
                                   ("b/gcc", "#!/bin/sh\necho '#define __GNUC__ 14'\n", [])):
            compiler = self.write(name, says)
            compiler.chmod(0o755)
            self.assertEqual(loaded("-c a.c", cc=str(compiler)), wanted, name)

    def test_ccache_looks_at_the_plugin_or_at_the_assembler(self):
        plugin = self.build / "lib" / "omen_placement.so"
        self.write("clang-19", "#!/bin/sh\necho \"$CCACHE_EXTRAFILES\"\n").chmod(0o755)
        environment = {"OMEN_CC": str(self.folder / "clang-19"), "CCACHE_EXTRAFILES": "mine"}
        files = self.must([self.program("omen-cc"), "-c", "a.c"], env=environment).strip()
        driver_file = pathlib.Path(self.program("omen-cc")).resolve()
        self.assertEqual(files, f"{plugin if plugin.exists() else driver_file}:mine")
        files = self.must([self.program("omen-cc"), "--omen-no-placement", "-c", "a.c"], env=environment).strip()
        self.assertEqual(files, f"{self.build}/lib/omen_instrumentation.so:mine" if plugin.exists() else f"{driver_file}:mine")

    def test_tools(self):
        """omen-cc replaces the compiler's assembler and linker: GCC's always, clang's if the plugin does not mark."""
        tools = f"-B{self.build / 'lib' / 'tools'}/"
        for line in ("-c a.c", "a.c", "a.o", "-shared a.o"):
            self.assertIn(tools, self.words(line), line)
        for line in ("a.c", "a.o", "-shared a.o"):
            self.assertIn(tools, self.words(line, cc="clang-19"), line)
        for line in ("-r a.o", "-c a.s", "-fno-sanitize=thread a.c", "-fno-sanitize=thread a.o", "-print-prog-name=ld", "--version"):
            self.assertNotIn(tools, self.words(line), line)
        without = self.words("-fsanitize-coverage=trace-pc -c a.c", cc="clang-19")
        self.assertIn("-fno-integrated-as", without)
        self.assertIn(tools, without)
        self.assertNotIn("-fno-integrated-as", self.words("-fsanitize-coverage=trace-pc -fintegrated-as -c a.c", cc="clang-19"))

    def test_thunks_of_clang(self):
        def asks(line):
            return "+retpoline-indirect-calls" in self.words(line, cc="clang-19")
        self.assertTrue(asks("-c a.c"))
        self.assertFalse(asks("a.o"))
        self.assertFalse(asks("-c -mretpoline a.c"))
        self.assertFalse(asks("-c -mcmodel=large a.c"))

    def test_old_compilers_are_refused_when_linking(self):
        old = self.write("gcc-4", "#!/bin/sh\necho '#define __GNUC__ 4'\n")
        old.chmod(0o755)
        result = self.show("a.o", cc=str(old))
        self.assertEqual(result.returncode, 69)
        self.assertIn("GCC 4", result.stderr)

    def test_a_missing_runtime_is_named(self):
        self.environment["OMEN_RUNTIME"] = str(self.folder / "nowhere")
        result = self.show("a.c")
        self.assertEqual(result.returncode, 69)
        self.assertIn(str(self.folder / "nowhere"), result.stderr)
        self.assertEqual(self.show("-c a.c").returncode, 0)

    def test_help(self):
        text = self.must([self.program("omen-cc"), "--omen-help"])
        for word in ("OMEN_CC", "OMEN_RUNTIME", "OMEN_PLACEMENT", "--omen-show", "--omen-no-placement", "-static"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()

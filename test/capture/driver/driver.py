"""Common code of the driver's tests: calling it, and a runtime to link: the built one, or a stub if there is none."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
RUNTIME = HERE.parents[2] / "capture" / "runtime" / "foreign"


class DriverTest(unittest.TestCase):
    """A test of one BUILD tree, the first argument of the test program."""
    build = None

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.runtime = cls.build / "lib" / "libomen_rt.a"
        if not cls.runtime.exists():
            cls.use_stub()

    @classmethod
    def use_stub(cls):
        """A runtime that only counts how often control leaves instrumented code; its thunks are the real ones."""
        folder = pathlib.Path(cls.shared.name)
        cls.runtime = folder / "libomen_rt.a"
        subprocess.run(["gcc", "-O1", "-fPIC", "-c", HERE / "stub_runtime.c", "-o", folder / "stub.o"], check=True)
        subprocess.run(["g++", "-O1", "-fPIC", "-c", RUNTIME / "thunks.cpp", "-o", folder / "thunks.o"], check=True)
        subprocess.run(["ar", "rcs", cls.runtime, folder / "stub.o", folder / "thunks.o"], check=True)
        subprocess.run(["g++", "-O1", "-fPIC", "-DOMEN_OWN_THUNKS", "-c", RUNTIME / "thunks.cpp", "-o", folder / "own.o"], check=True)
        subprocess.run(["ar", "rcs", folder / "libomen_thunks.a", folder / "own.o"], check=True)
        (folder / "omen_rt.syms").write_text("{ __tsan_*; __omen_*; __x86_indirect_thunk_*; stub_marks; };\n")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("OMEN_")}
        self.environment["OMEN_RUNTIME"] = str(self.runtime)

    def program(self, name):
        return str(self.build / "bin" / name)

    def call(self, command, **settings):
        environment = self.environment | {name: value for name, value in settings.pop("env", {}).items()}
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=self.folder,
                              env=environment, stdin=settings.pop("stdin", subprocess.DEVNULL), **settings)

    def must(self, command, **settings):
        result = self.call(command, **settings)
        self.assertEqual(result.returncode, 0, f"{command} (OMEN_CC={self.environment.get('OMEN_CC')})\n{result.stdout}{result.stderr}")
        return result.stdout

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def symbols(self, file):
        """The symbols of a program or library: name -> type letter of nm."""
        lines = [line.split() for line in self.must(["nm", "--format=posix", file]).splitlines()]
        return {words[0]: words[1] for words in lines if len(words) > 1}

    def assert_instrumented(self, program):
        """Checks that the program is instrumented, contains and exports omen's runtime, and does not use libtsan."""
        symbols = self.symbols(program)
        self.assertIn(symbols.get("__tsan_init"), ("T", "t", "W"), program)
        exported = self.must(["nm", "-D", "--defined-only", program])
        self.assertIn("__tsan_func_entry", exported)
        self.assertNotIn("tsan", self.must(["ldd", program]))

    def assert_calls_runtime(self, file):
        self.assertIn("__tsan_func_entry", self.must(["nm", "-u", file]))


def compilers():
    """(OMEN_CC, OMEN_CXX) of every supported compiler on this machine."""
    pairs = [(f"gcc{v}", f"g++{v}") for v in ("", *(f"-{n}" for n in range(12, 20)))]
    pairs += [(f"clang{v}", f"clang++{v}") for v in (f"-{n}" for n in range(14, 30))]
    return [pair for pair in pairs if all(map(shutil.which, pair))]

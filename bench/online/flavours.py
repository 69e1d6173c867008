"""The builds of a program: with which compilers, and what has to be equal for a build that is there to be used again.

A flavour is a way of compiling. The programs of one flavour, omen's, are linked twice: with omen's runtime, and with callbacks
that do nothing. When only the runtime has changed they are linked again, not compiled again.
"""
import hashlib
import os
import pathlib
import shlex
import subprocess
import sys

from detectors import CLANG, Omen

HERE = pathlib.Path(__file__).resolve().parent
GCC = "12"


def output(*command, env=None):
    return subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout


def digest(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def of_file(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:20]


class Flavour:
    """`fingerprint` changes with whatever changes the code that is made; `environment` is for the compilers."""
    def __init__(self, name, cc, cxx, options=""):
        self.name = name
        self.cc, self.cxx = (f"{each} {options}".strip() for each in (cc, cxx))
        self.environment = {}
        self.fingerprint = digest(output(cc, "--version"), self.cc)

    def compilers(self, _log):
        return {"CC": self.cc, "CXX": self.cxx}


class OmenFlavour:
    """Compiled by omen-cc, with the clang of the other flavours or with the compilers given. The build's own link is with callbacks that
    do nothing: what matters is the command."""
    def __init__(self, omen, empty, name="omen", compilers=(f"clang-{CLANG}", f"clang++-{CLANG}")):
        self.name = name
        self.cc, self.cxx = omen.cc, omen.cxx
        wishes = {name: os.environ[name] for name in ("OMEN_PLACEMENT",) if name in os.environ}
        self.environment = dict(zip(("OMEN_CC", "OMEN_CXX"), compilers)) | wishes | {"OMEN_RUNTIME": str(empty.archive)}
        shown = output(omen.cc, "--omen-show", "-c", "x.c", env={"PATH": "/usr/bin:/bin", **self.environment})
        plugins = [of_file(word.partition("=")[2]) for word in shlex.split(shown) if word.startswith("-fpass-plugin=")]
        self.fingerprint = digest(output(compilers[0], "--version"), shown, *plugins)

    def compilers(self, log):
        recorder = f"{sys.executable} -B {HERE / 'record_links.py'} {log}"
        return {"CC": f"{recorder} {self.cc}", "CXX": f"{recorder} {self.cxx}"}


class Runtime:
    """What omen's flavour is linked with: an archive, and beside it the list of the symbols that it exports."""
    def __init__(self, name, archive, driver):
        self.name = name
        self.archive = pathlib.Path(archive)
        self.fingerprint = digest(of_file(self.archive), of_file(driver))


def empty_runtime(folder, driver):
    """Compiles empty_callbacks.c to an archive."""
    folder.mkdir(parents=True, exist_ok=True)
    source, archive = HERE / "empty_callbacks.c", folder / "libempty.a"
    stamp = folder / "source"
    if not archive.exists() or not stamp.exists() or stamp.read_text(encoding="utf-8") != of_file(source):
        output(f"clang-{CLANG}", "-O2", "-fPIC", "-c", str(source), "-o", str(folder / "empty.o"))
        archive.unlink(missing_ok=True)
        output("ar", "rcs", str(archive), str(folder / "empty.o"))
        (folder / "omen_rt.syms").write_text("{ __tsan_*; __omen_*; };\n", encoding="utf-8")
        stamp.write_text(of_file(source), encoding="utf-8")
    return Runtime("empty", archive, driver)


class Toolchains:
    """All flavours and runtimes, for an omen that was built in `build`; `folder` is for what is made here."""
    def __init__(self, build, folder):
        self.omen = Omen(build)
        driver = self.omen.cc
        self.runtimes = {"empty": empty_runtime(folder / "empty", driver),
                         "omen": Runtime("omen", pathlib.Path(build) / "lib" / "libomen_rt.a", driver)}
        clang = (f"clang-{CLANG}", f"clang++-{CLANG}")
        self.flavours = {"native": Flavour("native", *clang), "tsan": Flavour("tsan", *clang, "-fsanitize=thread"),
                         "gcc-tsan": Flavour("gcc-tsan", f"gcc-{GCC}", f"g++-{GCC}", "-fsanitize=thread"),
                         "omen": OmenFlavour(self.omen, self.runtimes["empty"]),
                         "omen-gcc": OmenFlavour(self.omen, self.runtimes["empty"], "omen-gcc", (f"gcc-{GCC}", f"g++-{GCC}"))}

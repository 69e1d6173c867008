"""Builds the programs and the kernels in every flavour, each once: a build is used again as long as the source's version, the commands
and the compiler are the same."""
import json
import os
import pathlib
import shlex
import shutil

from detectors import execute
from flavours import digest, of_file

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "bench" / "kernels"
MICRO = ROOT / "bench" / "micro"
KERNEL_OPTIONS = "-std=c++20 -O2 -g -pthread"
TIMEOUT = 3600
JOBS = f"-j{os.environ.get('OMEN_JOBS') or os.cpu_count()}"


class BuildError(Exception):
    """A program could not be built; the text names the log."""


def link_of(log, name):
    """The last noted command that linked a file of this name; a build system may link it in one folder and copy it to another."""
    links = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return next((link for link in reversed(links) if pathlib.Path(link["words"][link["words"].index("-o") + 1]).name == name), None)


class Builder:
    def __init__(self, folder, sources, toolchains, say):
        self.folder = folder          # of all builds
        self.sources = sources        # test/external/sources.py
        self.toolchains = toolchains
        self.say = say

    def program(self, program, flavour, runtime=None):
        """The folder below which the program is, at the path that its own build system gives it. With `runtime`, one that holds just
        the program, linked with it."""
        trees = [(package, self.sources.tree(package)) for package in program.packages]
        versions = [f"{package} {self.sources.version(package)}" for package, _ in trees]
        extra = [of_file(path) for path in program.files]
        built = self.compiled(program.name, flavour, digest(*versions, *extra, program.build, flavour.fingerprint),
                              lambda tree: self.make_program(program, trees, tree, flavour))
        return self.linked(program.name, built, flavour, runtime, program.binary) if runtime else built

    def make_program(self, program, trees, tree, flavour):
        shutil.copytree(trees[0][1], tree, symlinks=True)
        for package, other in trees[1:]:  # libraries that are to be instrumented too
            shutil.copytree(other, tree / package, symlinks=True)
        return program.build

    def kernel(self, name, flavour, runtime=None, folder=KERNELS):
        """The same, of a kernel, or of another program of one file."""
        source = folder / f"{name}.cpp"
        headers = sorted({*KERNELS.glob("*.hpp"), *folder.glob("*.hpp")})
        command = f"$CXX {KERNEL_OPTIONS} -c {shlex.quote(str(source))} -o kernel.o && $CXX -pthread kernel.o -o kernel"
        fingerprint = digest(of_file(source), *map(of_file, headers), command, flavour.fingerprint)

        def make(tree):
            tree.mkdir(parents=True)
            return command
        built = self.compiled(f"kernel-{name}", flavour, fingerprint, make)
        return self.linked(f"kernel-{name}", built, flavour, runtime, "kernel") if runtime else built

    def compiled(self, name, flavour, fingerprint, make):
        """make(tree) fills the folder and returns the commands that build there."""
        folder = self.folder / flavour.name / name
        tree, stamp = folder / "tree", folder / "built"
        if stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint:
            return tree
        self.say(f"{name}: building ({flavour.name})")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        commands = make(tree)
        environment = os.environ | {"MAKEFLAGS": JOBS} | flavour.environment | flavour.compilers(folder / "links")
        code, log, seconds = execute(["bash", "-e", "-o", "pipefail", "-c", commands], TIMEOUT, cwd=tree, env=environment)
        (folder / "log").write_text(log, encoding="utf-8")
        if code != 0:
            raise BuildError(f"{name} does not build ({flavour.name}); the log is {folder / 'log'}")
        stamp.write_text(fingerprint, encoding="utf-8")
        self.say(f"{name}: built ({flavour.name}) in {seconds:.0f} s")
        return tree

    def linked(self, name, tree, flavour, runtime, binary):
        folder = self.folder / "linked" / runtime.name / flavour.name / name
        stamp, result = folder / "linked", folder / binary
        fingerprint = digest((tree.parent / "built").read_text(encoding="utf-8"), runtime.fingerprint)
        if stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint:
            return folder
        link = link_of(tree.parent / "links", pathlib.Path(binary).name)
        if link is None:
            raise BuildError(f"{name}: the build did not link {binary}")
        shutil.rmtree(folder, ignore_errors=True)
        result.parent.mkdir(parents=True)
        words = list(link["words"])
        words[words.index("-o") + 1] = str(result)
        code, log, _ = execute([link["driver"], *words], TIMEOUT, cwd=link["folder"],
                               env=os.environ | flavour.environment | {"OMEN_RUNTIME": str(runtime.archive)})
        if code != 0:
            (folder / "log").write_text(log, encoding="utf-8")
            raise BuildError(f"{name} cannot be linked with {runtime.name}; the log is {folder / 'log'}")
        stamp.write_text(fingerprint, encoding="utf-8")
        return folder

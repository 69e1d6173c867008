"""A pack: a folder with everything that measuring needs, to be carried to a machine where nothing can be installed.

  code/bench, code/test/external    this benchmark and what it imports
  omen/bin, omen/lib, omen/run      omen, the libraries that it is linked with, a script that starts it with them
  programs/FLAVOUR/NAME/…           the programs
  usage                             usage.c, built
  inputs/, run/, results.json       made by measuring
"""
import json
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CODE = ("bench/*.py", "bench/online", "bench/scale", "bench/versions", "bench/kernels", "bench/micro", "test/external/*.py", "test/external/workloads")


class Pack:
    def __init__(self, folder):
        self.folder = folder.resolve()
        self.omen = self.folder / "omen" / "run"
        self.usage = self.folder / "usage"
        self.results = self.folder / "results.json"

    def program(self, flavour, name):
        """The folder below which the program is."""
        return self.folder / "programs" / flavour / name

    def add_program(self, flavour, name, built, binary):
        target = self.program(flavour, name) / binary
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy2(built / binary, target)
        subprocess.run(["strip", "--strip-debug", str(target)], check=True)

    def add_omen(self, omen):
        binary, libraries = self.omen.parent / "bin" / "omen", self.omen.parent / "lib"
        for folder in (binary.parent, libraries):
            folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(omen, binary)
        listed = subprocess.run(["ldd", str(omen)], capture_output=True, text=True, check=True).stdout
        for name, path in re.findall(r"^\s*(\S+) => (\S+)", listed, re.MULTILINE):
            if not re.match(r"(libc|libm|libpthread|libdl|librt|ld-linux.*)\.so", name):  # of the C library, which the machine has
                shutil.copy2(path, libraries / name)
        self.omen.write_text('#!/bin/sh\nhere=$(dirname "$0")\nLD_LIBRARY_PATH=$here/lib exec "$here/bin/omen" "$@"\n', encoding="utf-8")
        self.omen.chmod(0o755)

    def add_code(self):
        for pattern in CODE:
            for path in ROOT.glob(pattern):
                target = self.folder / "code" / path.relative_to(ROOT)
                if path.is_dir():
                    shutil.copytree(path, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path, target)

    def load(self):
        """{workload: {threads: {variant: [run…]}}}; a run that did not work has `trouble`."""
        return json.loads(self.results.read_text(encoding="utf-8")) if self.results.exists() else {}

    def store(self, results):
        scratch = self.results.with_suffix(".new")
        scratch.write_text(json.dumps(results, indent=1), encoding="utf-8")
        scratch.replace(self.results)

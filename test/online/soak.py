#!/usr/bin/env python3
"""Programs that run for long under `omen run --online`, and their memory meanwhile: it must not grow after the beginning.

  soak.py --omen O --cxx OMEN-C++ [--analysis A]… [--seconds N] [--only locks|threads]

The programs are in soak/. Their memory is looked at every second; a line is printed every minute. What the last half of the run takes at
most must be within a tenth (and 2 MiB) of what the first quarter took at most. The program's end and an empty report are asked for too.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent / "soak"
ANALYSES = ["fto-hb", "st-wcp", "st-dc", "st-wdc"]
MIB = 1 << 20


def resident(program):
    """In bytes, of the process that runs this program; 0 if there is none."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "exe").resolve() == program:
                return int((folder / "statm").read_text(encoding="ascii").split()[1]) * 4096
        except (OSError, IndexError):
            continue
    return 0


def soak(omen, analysis, name, program, seconds):
    process = subprocess.Popen([omen, "run", f"--online={analysis}", "--", program, str(seconds)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    begin = time.monotonic()
    sizes = []
    with process:
        while process.poll() is None:
            time.sleep(1)
            if size := resident(program):
                sizes.append((time.monotonic() - begin, size))
                if len(sizes) % 60 == 0:
                    print(f"soak: {name}, {analysis}: {sizes[-1][0]:.0f} s, {size / MIB:.1f} MiB", flush=True)
        out, err = process.communicate()
    first = max((size for when, size in sizes if when <= seconds / 4), default=0)
    last = max((size for when, size in sizes if seconds / 2 <= when), default=0)
    flat = 0 < last <= first * 1.1 + 2 * MIB
    clean = process.returncode == 0 and "0 races" in err
    print(f"soak: {name}, {analysis}: {seconds} s, {out.strip()}; at most {first / MIB:.1f} MiB in the first quarter, {last / MIB:.1f} MiB in the "
          f"last half: {'flat' if flat else 'GROWS'}{'' if clean else f'; exit {process.returncode}: {err[-500:]}'}", flush=True)
    return flat and clean


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omen", required=True)
    parser.add_argument("--cxx", required=True, help="path of omen-c++")
    parser.add_argument("--analysis", action="append", choices=ANALYSES)
    parser.add_argument("--seconds", type=int, default=1800)
    parser.add_argument("--only", choices=["locks", "threads"])
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name in [options.only] if options.only else ["locks", "threads"]:
            program = pathlib.Path(folder).resolve() / name
            subprocess.run([options.cxx, "-std=c++20", "-O2", "-g", "-pthread", FOLDER / f"{name}.cpp", "-o", program], check=True)
            for analysis in options.analysis or ["st-wdc"]:
                good &= soak(options.omen, analysis, name, program, options.seconds)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

"""Common code of bench/vindicator.py and bench/smarttrack.py: options, stored results, resuming an interrupted call, and the page."""
import argparse
import pathlib
import re
import sys
import time

from building import BuildError
from flavours import digest
from programs_suite import Trouble
from recorded import PARTS, Recorder
from samples import Samples
from sources import FetchError, Sources

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"(<!-- tables -->\n)(.*?)(<!-- end -->)", re.DOTALL)


class Session:
    def __init__(self, name, description, rounds):
        self.name = name
        self.parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        add = self.parser.add_argument
        add("--only", action="extend", type=self.programs, metavar="NAME,…", help=f"of {', '.join(PARTS)}; may be repeated")
        add("--rounds", type=int, default=rounds, help=f"{rounds} unless told")
        add("--scale", type=float, default=1, metavar="F", help="multiplies the part of its workload that each program does; traces grow with it")
        add("--fresh", action="store_true", help="forget earlier results")
        add("--build-only", action="store_true", help="build the programs, measure nothing")
        add("--show", action="store_true", help="build and measure nothing: print what there is, of whatever omen")
        add("--write", action="store_true", help=f"put the tables into bench/results/{name}.md")
        add("--build", type=pathlib.Path, default=ROOT / "build" / "check", help="omen's build tree")
        add("--folder", type=pathlib.Path, default=ROOT / "build" / "external", help="where sources, builds and results are kept")
        self.wrong = 0

    @staticmethod
    def programs(text):
        for word in text.split(","):
            if word not in PARTS:
                raise argparse.ArgumentTypeError(f"there is no {word}; there are {', '.join(PARTS)}")
        return text.split(",")

    def say(self, words):
        print(f"{self.name}: {time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)

    def begin(self):
        self.options = options = self.parser.parse_args()
        options.only = options.only or list(PARTS)
        options.folder = options.folder.resolve()
        options.folder.mkdir(parents=True, exist_ok=True)
        self.samples = Samples(options.folder / "traces" / self.name, options.fresh and not options.show)
        self.recorder = None
        if not options.show:
            self.recorder = Recorder(options.build.resolve(), options.folder, Sources(options.folder, self.say), options.scale, self.say, self.name)
        return options

    def results(self, measure, rounds, depends=""):
        """{program: [round…]}. measure(program) is one round; rounds are kept until the program, omen or an input in `depends` changes. Every program has
        its first round before one has its second."""
        for name in self.options.only:
            self.samples.load(name)
        fingerprints = self.fingerprints(depends) if self.recorder else {}
        if not self.options.build_only:
            for number in range(rounds):
                for name in [name for name, each in fingerprints.items() if len(self.samples.runs(name, "rounds", each)) <= number]:
                    self.add_round(name, fingerprints, measure, f"{number + 1} of {rounds}")
        results = {name: self.samples.kept[name].get("rounds", {"runs": []})["runs"][:rounds] for name in self.options.only}
        return {name: runs for name, runs in results.items() if runs}

    def fingerprints(self, depends):
        """The results of the programs that can be built."""
        known = {}
        for name in self.options.only:
            try:
                known[name] = digest(self.recorder.built(name)[2], depends)
            except (BuildError, FetchError) as error:
                self.failed(name, error)
        return known

    def failed(self, name, error):
        self.say(f"{name}: {error}")
        self.wrong += 1

    def add_round(self, name, fingerprints, measure, words):
        """A program that fails is skipped from then on."""
        started = time.monotonic()
        try:
            self.samples.put(name, "rounds", fingerprints[name], measure(name))
            self.say(f"{name}: {words}, {time.monotonic() - started:.0f} s")
        except Trouble as error:
            self.failed(name, error)
            del fingerprints[name]

    def finish(self, text):
        """Prints the tables, and with --write inserts them between the markers of the page."""
        print(text)
        if self.options.write:
            page = ROOT / "bench" / "results" / f"{self.name}.md"
            page.write_text(BLOCK.sub(lambda match: f"{match[1]}\n{text}\n\n{match[3]}", page.read_text(encoding="utf-8")), encoding="utf-8")
        return 1 if self.wrong else 0

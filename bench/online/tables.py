"""The results as Markdown: ratios to the native run, means, and the numbers that they come from.

A ratio is one of medians over the rounds. The interval of a geometric mean is by resampling the rounds: all variants of a round together, for
what slows the machine in a round slows all of them.
"""
import math
import random
import statistics

from measuring import INSTRUCTIONS, MEASURES
from variants import NATIVE, TSAN, VARIANTS

UNITS = {"cpu": "processor time", "wall": "wall time", "memory": "peak memory", INSTRUCTIONS: "instructions"}
RESAMPLES = 1000
CONFIDENCE = 0.95


class Medians:
    """Medians over the rounds, by item, variant and measure; `items` are those that were measured natively."""
    def __init__(self, records, items):
        self.records = records
        self.items = [item for item in items if records.get(item, {}).get(NATIVE.name)]
        self.variants = [name for name in VARIANTS if any(records[item].get(name) for item in self.items)]

    def value(self, item, variant, measure):
        return self.median(self.numbers(item, variant, measure))

    def numbers(self, item, variant, measure):
        """Of each round; None where it has none."""
        return [run.get(measure) if "trouble" not in run else None for run in self.records[item].get(variant, [])]

    @staticmethod
    def median(numbers):
        known = [each for each in numbers if each is not None]
        return statistics.median(known) if known else None

    def ratio(self, item, variant, measure, base=NATIVE.name):
        value, reference = self.value(item, variant, measure), self.value(item, base, measure)
        return value / max(reference, 1e-3) if value is not None and reference is not None else None

    def mean(self, variant, measure, base=NATIVE.name):
        """Geometric, over the items that have both."""
        ratios = [self.ratio(item, variant, measure, base) for item in self.items]
        ratios = [each for each in ratios if each]
        return (math.prod(ratios) ** (1 / len(ratios)), len(ratios)) if ratios else (None, 0)

    def interval(self, variant, measure, base=NATIVE.name):
        """Of the mean; None where there is but one round."""
        rows = [(self.numbers(item, variant, measure), self.numbers(item, base, measure)) for item in self.items]
        rows = [list(zip(own, reference)) for own, reference in rows if self.median(own) and self.median(reference)]
        if not rows or max(map(len, rows)) < 2:
            return None
        chance, means = random.Random(1), []
        for _ in range(RESAMPLES):
            logs = []
            for rounds in rows:
                own, reference = (self.median(each) for each in zip(*chance.choices(rounds, k=len(rounds))))
                if own and reference:
                    logs.append(math.log(own / max(reference, 1e-3)))
            if logs:
                means.append(math.exp(statistics.fmean(logs)))
        means.sort()
        cut = round((1 - CONFIDENCE) / 2 * len(means))
        return means[cut], means[-1 - cut]

    def reports(self, item, variant):
        runs = [run for run in self.records[item].get(variant, []) if "trouble" not in run]
        return max((run["reports"] for run in runs), default=None)

    def rounds(self, item):
        return {len(self.records[item].get(name, [])) for name in self.variants if self.records[item].get(name)}

    def trouble(self):
        for item in self.items:
            for name, runs in self.records[item].items():
                for text in sorted({run["trouble"] for run in runs if "trouble" in run}):
                    yield f"{item}, {VARIANTS[name].title}: {text}"


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def heading(first, names):
    yield row([first, *(VARIANTS[name].title for name in names)])
    yield row(["---", *("---:" for _ in names)])


def ratios(medians, measure, mark=None):
    """To the native run: a row for each item, then the geometric mean. mark(item, variant) is put behind a cell."""
    names = [name for name in medians.variants if name != NATIVE.name]
    yield from heading(f"× {UNITS[measure]}", names)
    for item in medians.items:
        yield row([item, *(number(medians.ratio(item, name, measure)) + (mark(item, name) if mark else "") for name in names)])
    yield mean_row(medians, "geometric mean", names, measure, NATIVE.name)


def mean_row(medians, title, names, measure, base):
    """A mean that is not over all items says over how many; with its interval, where there were several rounds."""
    cells = []
    for name in names:
        mean, count = medians.mean(name, measure, base)
        between = medians.interval(name, measure, base) if mean and name != base else None
        cells.append(number(mean) + (f" ({count})" if 0 < count < len(medians.items) else "") +
                     (f" [{between[0]:.2f} to {between[1]:.2f}]" if between else ""))
    return row([title, *cells])


def means(medians):
    """Of all measures, to the native run and to clang's ThreadSanitizer."""
    names = [name for name in medians.variants if name != NATIVE.name]
    yield from heading("geometric mean", names)
    for base in (NATIVE.name, TSAN.name):
        if base in medians.variants:
            for measure in (*MEASURES, INSTRUCTIONS):
                if measure == INSTRUCTIONS and not any(medians.mean(name, measure, base)[1] for name in names):
                    continue  # the machine does not count them
                yield mean_row(medians, f"{UNITS[measure]}, × {VARIANTS[base].title}", names, measure, base)


def measured(medians):
    yield row(["", "variant", "processor s", "wall s", "peak MiB", "reports"])
    yield row(["---", "---", "---:", "---:", "---:", "---:"])
    for item in medians.items:
        for index, name in enumerate(medians.variants):
            if medians.value(item, name, "cpu") is None:
                continue
            cpu, wall, memory = (medians.value(item, name, measure) for measure in MEASURES)
            reports = "" if name in ("native", "empty") else str(medians.reports(item, name))
            yield row([item if index == 0 else "", VARIANTS[name].title, number(cpu), number(wall), number(memory, 0), reports])


def section(medians, rule):
    """All tables of the programs or the kernels. With `rule`, cells above clang's ThreadSanitizer are marked."""
    def above(item, name):
        ratio = medians.ratio(item, name, "cpu", TSAN.name)
        return " ▲" if rule and VARIANTS[name].analysis and ratio and ratio > 1 else ""

    yield from ratios(medians, "cpu", above)
    yield ""
    yield from ratios(medians, "memory")
    yield ""
    yield from means(medians)
    yield ""
    rounds = set().union(*(medians.rounds(item) for item in medians.items))
    many = f"{min(rounds)} to {max(rounds)}" if len(rounds) > 1 else str(max(rounds))
    yield "The numbers, of one round:" if rounds == {1} else f"The numbers, medians of {many} interleaved rounds:"
    yield ""
    yield from measured(medians)
    for line in medians.trouble():
        yield ""
        yield f"Did not work: {line}."

"""The results as Markdown: ratios to the native run, means, and the numbers that they come from."""
import math
import statistics

from measuring import MEASURES
from variants import NATIVE, TSAN, VARIANTS

UNITS = {"cpu": "processor time", "wall": "wall time", "memory": "peak memory"}


class Medians:
    """Medians over the rounds, by item, variant and measure; `items` are those that were measured natively."""
    def __init__(self, records, items):
        self.records = records
        self.items = [item for item in items if records.get(item, {}).get(NATIVE.name)]
        self.variants = [name for name in VARIANTS if any(records[item].get(name) for item in self.items)]

    def value(self, item, variant, measure):
        runs = [run for run in self.records[item].get(variant, []) if "trouble" not in run]
        return statistics.median(run[measure] for run in runs) if runs else None

    def ratio(self, item, variant, measure, base=NATIVE.name):
        value, reference = self.value(item, variant, measure), self.value(item, base, measure)
        return value / max(reference, 1e-3) if value is not None and reference is not None else None

    def mean(self, variant, measure, base=NATIVE.name):
        """Geometric, over the items that have both."""
        ratios = [self.ratio(item, variant, measure, base) for item in self.items]
        ratios = [each for each in ratios if each]
        return (math.prod(ratios) ** (1 / len(ratios)), len(ratios)) if ratios else (None, 0)

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
    """A mean that is not over all items says over how many."""
    means = [medians.mean(name, measure, base) for name in names]
    return row([title, *(number(mean) + (f" ({count})" if 0 < count < len(medians.items) else "") for mean, count in means)])


def means(medians):
    """Of all measures, to the native run and to clang's ThreadSanitizer."""
    names = [name for name in medians.variants if name != NATIVE.name]
    yield from heading("geometric mean", names)
    for base in (NATIVE.name, TSAN.name):
        if base in medians.variants:
            for measure in MEASURES:
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

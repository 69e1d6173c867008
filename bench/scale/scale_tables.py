"""The results of bench/scale.py as Markdown and as a plot: wall time with a growing number of threads, as a multiple of ThreadSanitizer's.

A round runs a workload once in every variant, so a ratio is taken within a round. A ratio is the median over the rounds, a mean the geometric
mean over the workloads; intervals of means are by resampling the rounds. A run that did not end in time counts with that time: its ratio is at
least so high, and marked.
"""
import math
import random
import statistics

from ratios import interval
from variants import NATIVE, TSAN, VARIANTS

RESAMPLES = 1000
COLOURS = {"fto-hb": "#54a24b", "st-wdc": "#e45756", "st-dc": "#f58518", "st-wcp": "#b279a2"}


class Scale:
    def __init__(self, results):
        self.results = results
        self.workloads = list(results)
        self.threads = sorted({int(threads) for each in results.values() for threads in each})
        seen = {variant for each in results.values() for runs in each.values() for variant in runs}
        self.variants = [name for name in VARIANTS if name in seen]
        self.analyses = [name for name in self.variants if VARIANTS[name].analysis]

    def runs(self, workload, threads, variant):
        return self.results.get(workload, {}).get(str(threads), {}).get(variant, [])

    def ratios(self, workload, threads, variant, measure, base=TSAN.name):
        """One for each round that has both."""
        return [run[measure] / max(reference[measure], 1e-3) for run, reference in
                zip(self.runs(workload, threads, variant), self.runs(workload, threads, base)) if measure in run and measure in reference]

    def stopped(self, workload, threads, variant):
        return any("trouble" in run for run in self.runs(workload, threads, variant))

    def cell(self, workload, threads, variant, measure="wall"):
        values = self.ratios(workload, threads, variant, measure)
        if not values:
            return ""
        low, high = interval(values)
        least = "> " if self.stopped(workload, threads, variant) else ""
        return f"{least}{statistics.median(values):.2f} ({low:.2f} to {high:.2f})"

    def mean(self, threads, variant, measure="wall"):
        """(mean, low, high, how many workloads), or None."""
        values = [each for each in (self.ratios(name, threads, variant, measure) for name in self.workloads) if each]
        if not values:
            return None
        chance = random.Random(1)
        mean = lambda samples: math.exp(statistics.fmean(math.log(max(statistics.median(each), 1e-3)) for each in samples))
        means = sorted(mean([chance.choices(each, k=len(each)) for each in values]) for _ in range(RESAMPLES))
        cut = round(0.025 * RESAMPLES)
        return mean(values), means[cut], means[-1 - cut], len(values)

    def rounds(self):
        return {len(runs) for each in self.results.values() for variants in each.values() for runs in variants.values()}


def row(cells):
    return "| " + " | ".join(cells) + " |"


def heading(first, names):
    yield row([first, *names])
    yield row(["---", *("---:" for _ in names)])


def section(scale):
    titles = [VARIANTS[name].title for name in scale.analyses]
    rounds = scale.rounds()
    many = f"{min(rounds)} to {max(rounds)}" if len(rounds) > 1 else f"{max(rounds)}"
    yield f"Geometric mean over {len(scale.workloads)} workloads, × clang TSan with as many threads; {many} interleaved rounds, intervals of 95 %."
    for measure, words in (("wall", "wall time"), ("cpu", "processor time"), ("memory", "peak memory")):
        yield ""
        yield from heading(f"{words}, threads", titles)
        for threads in scale.threads:
            means = [scale.mean(threads, name, measure) for name in scale.analyses]
            yield row([str(threads), *(f"{each[0]:.2f} ({each[1]:.2f} to {each[2]:.2f})" if each else "" for each in means)])
    most = max(scale.threads)
    yield ""
    yield f"Each workload with {most} threads, wall time × clang TSan; `>`: stopped when the time for a run was over."
    yield ""
    yield from heading("workload", titles)
    for workload in scale.workloads:
        yield row([workload, *(scale.cell(workload, most, name) for name in scale.analyses)])
    yield ""
    yield f"The numbers: wall seconds, medians (processor seconds, MiB) with {most} threads."
    yield ""
    yield from heading("workload", [VARIANTS[name].title for name in scale.variants])
    for workload in scale.workloads:
        cells = []
        for name in scale.variants:
            middle = {}
            for measure in ("wall", "cpu", "memory"):
                values = [run[measure] for run in scale.runs(workload, most, name) if measure in run]
                middle[measure] = statistics.median(values) if values else math.nan
            cells.append("" if math.isnan(middle["wall"]) else f"{middle['wall']:.2f} ({middle['cpu']:.1f}, {middle['memory']:.0f})")
        yield row([workload, *cells])
    for workload, each in scale.results.items():
        for threads, variants in each.items():
            for name, runs in variants.items():
                for trouble in sorted({run["trouble"] for run in runs if "trouble" in run}):
                    yield ""
                    yield f"{workload}, {threads} threads, {VARIANTS[name].title}: {trouble}."


WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 420, 60, 50, 110, 50


def chart(scale):
    """Lines of the geometric mean of wall time, × clang TSan, over the number of threads; both axes logarithmic."""
    means = {name: [(threads, scale.mean(threads, name)) for threads in scale.threads] for name in scale.analyses}
    values = [each[0] for points in means.values() for _, each in points if each] or [1]
    low, high = min(0.5, *values) / 1.2, max(2.0, *values) * 1.2
    across = lambda threads: LEFT + (WIDTH - LEFT - RIGHT) * (math.log2(threads) / max(math.log2(max(scale.threads)), 1))
    down = lambda value: TOP + (HEIGHT - TOP - BOTTOM) * (math.log(high) - math.log(value)) / (math.log(high) - math.log(low))
    text = lambda x, y, words, anchor="start", size=12: f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{words}</text>'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             'fill="#222">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             text(LEFT, 22, f"Wall time as a multiple of {VARIANTS[TSAN.name].title}'s, geometric mean of {len(scale.workloads)} workloads", size=14)]
    for value in (0.125, 0.25, 0.5, 1, 2, 4, 8, 16):
        if low <= value <= high:
            width = 2 if value == 1 else 1
            parts.append(f'<line x1="{LEFT}" y1="{down(value):.1f}" x2="{WIDTH - RIGHT}" y2="{down(value):.1f}" stroke="#ccc" stroke-width="{width}"/>')
            parts.append(text(LEFT - 8, down(value) + 4, f"{value:g}", "end"))
    for threads in scale.threads:
        parts.append(text(across(threads), HEIGHT - BOTTOM + 20, threads, "middle"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "threads", "middle"))
    for name, points in means.items():
        shown = [(across(threads), down(each[0])) for threads, each in points if each]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in shown)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[name]}"/>' for x, y in shown]
    # Names beside the lines' ends, moved apart where they would cover each other.
    at = -math.inf
    for y, name in sorted((down(points[-1][1][0]), name) for name, points in means.items() if points and points[-1][1]):
        at = max(y + 4, at + 15)
        parts.append(f'<text x="{WIDTH - RIGHT + 10}" y="{at:.1f}" font-size="12" fill="{COLOURS[name]}">{VARIANTS[name].title}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"

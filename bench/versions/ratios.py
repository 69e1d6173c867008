"""Ratios of interleaved runs, with confidence intervals.

A round is old, new, new, old; so it has two pairs of neighbouring runs, and a drift of the machine's speed cancels. The ratio of an item is the
median over the pairs. The ends of its interval are two order statistics: whatever the distribution, it contains the median with a probability of
at least 95 %, if the pairs are independent.
"""
import math
import random
import statistics

RESAMPLES = 2000
CONFIDENCE = 0.95


def pairs(rounds, measure):
    for first_old, first_new, second_new, second_old in rounds:
        yield first_new[measure] / max(first_old[measure], 1e-6)
        yield second_new[measure] / max(second_old[measure], 1e-6)


def interval(values):
    """The narrowest pair of symmetric order statistics that is wide enough."""
    ordered, count = sorted(values), len(values)
    outside, rank = 0.0, 0
    while rank < count // 2:
        outside += 2 * math.comb(count, rank) / 2**count
        if outside > 1 - CONFIDENCE:
            break
        rank += 1
    rank = max(rank - 1, 0)
    return ordered[rank], ordered[count - 1 - rank]


class Ratio:
    def __init__(self, median, low, high):
        self.median, self.low, self.high = median, low, high

    def __str__(self):
        return f"{self.median:.3f} ({self.low:.3f} to {self.high:.3f})"


def of_values(values):
    return Ratio(statistics.median(values), *interval(values))


def of_rounds(rounds, measure):
    return of_values(list(pairs(rounds, measure)))


def geometric_mean(items, measure):
    """The ratio of the medians of several items, each a list of rounds."""
    return mean_of([list(pairs(rounds, measure)) for rounds in items])


def mean_of(values):
    """The geometric mean of the medians of several items, each a list of ratios; the interval by resampling the ratios of each."""
    chance = random.Random(1)
    mean = lambda samples: math.exp(statistics.fmean(math.log(statistics.median(each)) for each in samples))
    means = sorted(mean([chance.choices(each, k=len(each)) for each in values]) for _ in range(RESAMPLES))
    cut = round((1 - CONFIDENCE) / 2 * RESAMPLES)
    return Ratio(mean(values), means[cut], means[-1 - cut])

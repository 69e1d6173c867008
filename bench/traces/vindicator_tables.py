"""The results of bench/vindicator.py as Markdown: Tables 1 to 4 of the paper on Vindicator, and recall against window sizes.

`results` is {program: [round…]}. A round is one recorded run of the program: the output of `omen compare` on its trace, and the cost of each pass.
Counts are means over the rounds. A race is identified by its two source positions, and merged over the rounds: its class is the first of any
round, and it is confirmed if a witness of one round confirms it. Times are ratios within a round; the value is the median, the interval that of ratios.py.
"""
import statistics

from ratios import mean_of, of_values
from tables import row
from titled_tables import heading, titled

RELATIONS = {"hb": "HB", "wcp": "WCP", "dc": "DC", "wdc": "WDC"}
CLASSES = ("HB", "WCP-only", "DC-only", "WDC-only", "LW-only")
VERDICTS = ("confirmed", "excluded", "unknown")
PASSES = {"fto-hb": "fto-hb", "st-wcp": "st-wcp", "st-dc": "st-dc", "st-wdc": "st-wdc", "vindicate": "vindicate", "compare": "compare"}
WINDOWS = (500, 1000, 2000, 5000, 10000)
BUCKETS = {"constraints": ((0, 0), (1, 1), (2, 3), (4, 7), (8, 15), (16, None)), "iterations": ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, None))}


def mean(values):
    """With a decimal only if it is not 0."""
    value = statistics.fmean(values)
    return f"{value:,.0f}" if value == round(value) or value >= 1000 else f"{value:,.1f}"


def places(race):
    return tuple(sorted(race["locations"]))


def merged_races(rounds):
    """One entry for each pair of source positions, over all rounds."""
    known = {}
    for each in rounds:
        for race in each["races"]:
            entry = known.setdefault(places(race), {**race, "distance": list(race["distance"]), "dynamic": 0, "verdicts": set()})
            entry["class"] = min(entry["class"], race["class"], key=CLASSES.index)
            entry["dynamic"] += race["dynamic"]
            entry["distance"] = [min(entry["distance"][0], race["distance"][0]), max(entry["distance"][1], race["distance"][1])]
            entry["verdicts"].add(race["verdict"])
    for entry in known.values():
        seen = entry.pop("verdicts")
        entry["verdict"] = "confirmed" if "confirmed" in seen else "unknown" if "unknown" in seen else "excluded"
    return list(known.values())


def relations_table(results):
    """Table 1."""
    yield from heading(["program", *(f"{title}-races" for title in RELATIONS.values())])
    for name, rounds in results.items():
        yield row([name, *(f"{mean(each['relations'][key][0] for each in rounds)} ({mean(each['relations'][key][1] for each in rounds)})" for key in RELATIONS)])
    if len(results) > 1:
        total = lambda key, which: f"{sum(statistics.fmean(each['relations'][key][which] for each in rounds) for rounds in results.values()):,.0f}"
        yield row(["total", *(f"{total(key, 0)} ({total(key, 1)})" for key in RELATIONS)])


def verdicts_table(results):
    """The number of confirmed, excluded and unknown static races by class."""
    yield from heading(["program", *CLASSES, *VERDICTS])
    sums = dict.fromkeys((*CLASSES, *VERDICTS), 0)
    counts = {name: merged_races(rounds) for name, rounds in results.items()}
    for name, races in counts.items():
        cells = []
        for race_class in CLASSES:
            own = [race["verdict"] for race in races if race["class"] == race_class]
            sums[race_class] += len(own)
            cells.append(str(len(own)) + (f" ({'/'.join(str(own.count(verdict)) for verdict in VERDICTS)})" if own else ""))
        for verdict in VERDICTS:
            own = sum(race["verdict"] == verdict for race in races)
            sums[verdict] += own
            cells.append(str(own))
        yield row([name, *cells])
    if len(results) > 1:
        yield row(["total", *map(str, sums.values())])


def predicted_table(results, most):
    """Table 2: static races that happens-before does not show; the weakest relation first."""
    yield from heading(["program", "class", "verdict", "places", "dynamic", "event distance"], 4)
    for name, rounds in results.items():
        races = [race for race in merged_races(rounds) if race["class"] != "HB"]
        races.sort(key=lambda race: (-CLASSES.index(race["class"]), VERDICTS.index(race["verdict"]), places(race)))
        for race in races[:most]:
            near, far = race["distance"]
            first, second = places(race)
            yield row([name, race["class"], race["verdict"], f"`{first}`, `{second}`", f"{race['dynamic']:,}", f"{near:,}" + (f" to {far:,}" if far != near else "")])
        if len(races) > most:
            yield row([name, "", "", f"and {len(races) - most} more", "", ""])


def bucket_of(value, buckets):
    return next(index for index, (low, high) in enumerate(buckets) if value >= low and (high is None or value <= high))


def graph_counts(results, race_class):
    """The results of VindicateRace, over all programs and rounds: (asked, races, {"constraints": by bucket, "iterations": by bucket})."""
    asked = races = 0
    sums = {kind: [0] * len(buckets) for kind, buckets in BUCKETS.items()}
    for rounds in results.values():
        for each in rounds:
            graph = each["classes"][race_class].get("vindicate_race")
            if not graph:
                continue
            asked += graph["asked"]
            races += graph["races"]
            for kind, buckets in BUCKETS.items():
                for value, count in graph[kind].items():
                    sums[kind][bucket_of(max(int(value), buckets[0][0]), buckets)] += count
    return asked, races, sums


def graph_table(results):
    """Table 3."""
    words = lambda buckets: [f"{low}" if low == high else f"{low} and more" if high is None else f"{low} to {high}" for low, high in buckets]
    for kind, title in (("constraints", "constraints added"), ("iterations", "iterations")):
        yield from heading([title, "asked", "races", *words(BUCKETS[kind])])
        for race_class in CLASSES[1:4]:
            asked, races, sums = graph_counts(results, race_class)
            yield row([race_class, f"{asked:,}", f"{races:,}", *(f"{count:,}" for count in sums[kind])])
        yield ""


def ratio_values(rounds, key, measure):
    """The cost of a pass, as a multiple of the native run of the same round."""
    taken = lambda each: each["recorded"] if key == "recorded" else each["passes"][key]
    return [taken(each)[measure] / max(each["native"][measure], 1e-4) for each in rounds]


def short(ratio):
    digits = 1 if ratio.high < 100 else 0
    return f"{ratio.median:,.{digits}f} ({ratio.low:,.{digits}f} to {ratio.high:,.{digits}f})"


def cost_table(results):
    """Table 4."""
    keys = ["recorded", *PASSES]
    titles = ["recording", *PASSES.values()]
    yield from heading(["program", "part", "events", "not in the same epoch", "threads", "native s", *titles])
    for name, rounds in results.items():
        native = of_values([each["native"]["cpu"] for each in rounds])
        yield row([name, f"{rounds[0]['part']:.3%}", mean(each["events"] for each in rounds), mean(each["not_same_epoch"] for each in rounds),
                   mean(each["threads"] for each in rounds), f"{native.median:.3f} ({native.low:.3f} to {native.high:.3f})",
                   *(short(of_values(ratio_values(rounds, key, "cpu"))) for key in keys)])
    if len(results) > 1:
        yield row(["geometric mean", "", "", "", "", "", *(short(mean_of([ratio_values(rounds, key, "cpu") for rounds in results.values()])) for key in keys)])
    yield ""
    yield from heading(["peak memory, MiB", "trace on disk", "native", *titles])
    for name, rounds in results.items():
        taken = lambda each, key: each[key] if key in each else each["passes"][key]
        yield row([name, f"{statistics.median(each['mib'] for each in rounds):.1f}",
                   *(f"{statistics.median(taken(each, key)['memory'] for each in rounds):,.0f}" for key in ("native", *keys))])


def share_at_least(steps, distance):
    """`steps` are ascending distances, each with the share of races with at least this many events between their accesses."""
    return next((share for step, share in steps if step >= distance), 0.0)


def distances(results, race_class):
    """[(dynamic races, steps)] of one class, over all programs and rounds."""
    return [(own["dynamic"], own["at_least"]) for rounds in results.values() for own in (each["classes"][race_class] for each in rounds) if own["at_least"]]


def at_least(parts, distance):
    """The same for the races of all parts together."""
    total = sum(count for count, _ in parts)
    return sum(count * share_at_least(steps, distance) for count, steps in parts) / total if total else None


def percent(value):
    return "" if value is None else f"{100 * value:.1f} %"


def distance_table(results):
    """Figure 6 in numbers."""
    decades = [10**power for power in range(8)]
    yield from heading(["at least so many events apart", "dynamic races", *(f"{each:,}" for each in decades)])
    for race_class in CLASSES[:4]:
        parts = distances(results, race_class)
        if parts:
            yield row([race_class, f"{sum(count for count, _ in parts):,}", *(percent(at_least(parts, each)) for each in decades)])


def recall(races, window):
    """The share of static races with a pair that fits into some window of this many events."""
    return sum(race["distance"][0] < window for race in races) / len(races) if races else None


def recall_table(results):
    confirmed = [race for rounds in results.values() for race in merged_races(rounds) if race["verdict"] == "confirmed"]
    kinds = {"confirmed": confirmed, "confirmed, and ordered by happens-before": [race for race in confirmed if race["class"] != "HB"]}
    yield from heading(["static races", "number", *(f"{window:,} events" for window in WINDOWS)])
    for title, races in kinds.items():
        yield row([title, str(len(races)), *(percent(recall(races, window)) for window in WINDOWS)])
    for name, rounds in results.items():
        own = [race for race in merged_races(rounds) if race["verdict"] == "confirmed"]
        if own:
            yield row([f"{name}, confirmed", str(len(own)), *(percent(recall(own, window)) for window in WINDOWS)])
    for race_class in CLASSES[:4]:
        parts = distances(results, race_class)
        if parts:
            shares = [1 - at_least(parts, window) for window in WINDOWS]
            yield row([f"dynamic, {race_class}", f"{sum(count for count, _ in parts):,}", *map(percent, shares)])


def section(results, most=30):
    """All tables."""
    rounds = {len(each) for each in results.values()}
    many = f"{min(rounds)} to {max(rounds)}" if len(rounds) > 1 else str(max(rounds))
    runs = "one recorded run" if rounds == {1} else f"{many} recorded runs"
    parts = ((f"Races by relation: static (dynamic), means of {runs} of each program. Table 1 of the paper.", relations_table(results)),
             ("Static races by the first relation that shows them (confirmed/excluded/unknown), and what became of them; the runs together.", verdicts_table(results)),
             ("Static races that happens-before does not show. Table 2 of the paper, for all classes.", predicted_table(results, most)),
             ("VindicateRace alone, on dynamic races that happens-before does not show. Table 3 of the paper.", graph_table(results)),
             (f"Processor time, × the native run's, with intervals ({'95 %' if min(rounds) >= 6 else 'least and most'}). Table 4 of the paper.", cost_table(results)),
             ("Event distances of dynamic races. Figure 6 of the paper.", distance_table(results)),
             ("Upper bound of the recall of a predictor that sees windows of the trace: a race counts if some window contains both of its accesses.", recall_table(results)))
    yield from titled(parts)

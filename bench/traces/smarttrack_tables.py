"""The results of bench/smarttrack.py as Markdown: Tables 4 to 6 of the paper on SmartTrack.

`results` is {program: {"part", "mib", "counts", "races", "passes"}}: what `omen stats` counts in one recorded trace, what each analysis reports, and what
each pass of `omen-bench` took, round by round: {pass: [{"seconds", "peak_mib", …}…]}. A ratio is one of passes of the same round; its value is the median over
the rounds, its interval that of ratios.py.
"""
from ratios import mean_of, of_values
from tables import row
from titled_tables import heading, titled

READ, BASE = "read", "fto-hb"
LEVELS = {"unopt": "Unopt", "ft2": "FT2", "fto": "FTO", "st": "SmartTrack"}
RELATIONS = {"hb": "HB", "wcp": "WCP", "dc": "DC", "wdc": "WDC"}
ANALYSES = ("unopt-hb", "ft2-hb", "fto-hb", "unopt-wcp", "fto-wcp", "st-wcp", "unopt-dc", "fto-dc", "st-dc", "unopt-wdc", "fto-wdc", "st-wdc")
MEASURES = {"seconds": "processor time", "peak_mib": "peak memory"}


def percent(part, whole):
    share = 100 * part / whole if whole else 0
    return "0" if part == 0 else "< 0.1 %" if share < 0.1 else f"{share:.1f} %"


def characteristics_table(results):
    """Table 4."""
    yield from heading(["program", "part", "threads", "events", "accesses", "not in the same epoch", "≥ 1 lock", "≥ 2", "≥ 3", "ancillary checked", "used"])
    for name, each in results.items():
        counts = each["counts"]
        own = counts["analysis"]
        rest = own["not_same_epoch"]
        yield row([name, f"{each['part']:.3%}", str(counts["threads"]), f"{counts['events']:,}", f"{own['accesses']:,}",
                   f"{rest:,} ({percent(rest, own['accesses'])})", *(percent(held, rest) for held in own["held_at_least"]),
                   percent(own["ancillary_checked"], rest), percent(own["ancillary_used"], rest)])


def ratios(passes, key, base, measure):
    return [own[measure] / max(reference[measure], 1e-6) for own, reference in zip(passes[key], passes[base])]


def short(ratio):
    digits = 2 if ratio.high < 10 else 1 if ratio.high < 100 else 0
    return f"{ratio.median:,.{digits}f} ({ratio.low:,.{digits}f} to {ratio.high:,.{digits}f})"


def means_table(results, measure, base):
    """Table 5: a row for each relation, a column for each level."""
    yield from heading([f"{MEASURES[measure]}, × {base}", *LEVELS.values()])
    for relation, title in RELATIONS.items():
        cells = []
        for level in LEVELS:
            key = f"{level}-{relation}"
            known = key in ANALYSES and all(key in each["passes"] for each in results.values())
            cells.append(short(mean_of([ratios(each["passes"], key, base, measure) for each in results.values()])) if known else "")
        yield row([title, *cells])


def programs_table(results, measure):
    """Each program, with the cost of reading; the appendix of the paper."""
    keys = [key for key in ANALYSES if all(key in each["passes"] for each in results.values())]
    unit = "s" if measure == "seconds" else "MiB"
    yield from heading([f"{MEASURES[measure]}, × {BASE}", f"{BASE}, {unit}", READ, *(key for key in keys if key != BASE)])
    for name, each in results.items():
        own = of_values([run[measure] for run in each["passes"][BASE]])
        yield row([name, f"{own.median:,.3f}" if unit == "s" else f"{own.median:,.0f}", short(of_values(ratios(each["passes"], READ, BASE, measure))),
                   *(short(of_values(ratios(each["passes"], key, BASE, measure))) for key in keys if key != BASE)])


def races_table(results):
    """Table 6."""
    for relation, title in RELATIONS.items():
        keys = [key for key in ANALYSES if key.endswith(f"-{relation}")]
        yield from heading([title, *(LEVELS[key.partition("-")[0]] for key in keys)])
        for name, each in results.items():
            yield row([name, *(f"{each['races'][key][0]:,} ({each['races'][key][1]:,})" for key in keys)])
        yield ""


def section(results):
    """All tables."""
    rounds = {len(runs) for each in results.values() for runs in each["passes"].values()}
    many = f"{min(rounds)} to {max(rounds)}" if len(rounds) > 1 else str(max(rounds))
    sure = "95 %" if min(rounds) >= 6 else "least and most of a program; of means by resampling"
    parts = [("The traces. Shares of locks held and of ancillary metadata are of the accesses not in the same epoch, in `st-wdc`. Table 4 of the paper.",
              characteristics_table(results))]
    for measure, title in MEASURES.items():
        for base in (BASE, READ):
            parts.append((f"Geometric means over {len(results)} programs of {title}, × {'reading' if base == READ else '`' + base + '`'}; {many} interleaved rounds, "
                          f"intervals ({sure}). Table 5 of the paper.", means_table(results, measure, base)))
    parts += [(f"{title.capitalize()} of each program, × `{BASE}`.", programs_table(results, measure)) for measure, title in MEASURES.items()]
    parts.append(("Races reported: static (dynamic). A static race is a place at which a race is detected, a dynamic one an access. Table 6 of the paper.",
                  races_table(results)))
    yield from titled(parts)

"""docs/conformance.md: rewrites the part between its markers from the existing results. The section of a suite
without results stays unchanged, and so do a detector's lines in the section of a suite that has results of the other one only."""
import json
import re

from detectors import DETECTORS
from results import count, totals
import programs_suite
import tsan_suite
import valgrind_suite

BEGIN, END = "<!-- results: written by ./check external -->", "<!-- end of results -->"
DEFAULT = f"# Conformance with other projects' programs\n\n{BEGIN}\n{END}\n"


def load(folder, suite):
    """Detector -> records, of those detectors that have results."""
    found = {}
    for name in DETECTORS:
        path = folder / f"{suite.NAME}-{name}.json"
        if path.exists():
            found[name] = json.loads(path.read_text(encoding="utf-8"))["records"]
    return found


def listed(names):
    return ", ".join(f"`{name}`" for name in names) if names else "none"


def kept(old, records, begin):
    """The lines of an old section about detectors that have no results; `begin(title)` is a pattern for such a line."""
    titles = [kind.title for name, kind in DETECTORS.items() if name not in records]
    return [line for line in old for title in titles if re.match(begin(re.escape(title)), line)]


def verdict_lines(suite, version, records, old):
    yield f"## {suite.TITLE}"
    yield ""
    yield f"Debian source package {suite.PACKAGE} {version}, each program run once per detector."
    yield ""
    yield "| | races found | false reports | no verdict | left out |"
    yield "| --- | --- | --- | --- | --- |"
    groups = {name: count(each) for name, each in records.items()}
    for name, each in groups.items():
        numbers = totals(each)
        yield (f"| {DETECTORS[name].title} | {numbers['found']} of {numbers['racy']} | {numbers['false']} of {numbers['free']} race-free "
               f"| {numbers['broken']} | {numbers['other']} |")
    yield from kept(old, records, lambda title: rf"\| {title} \|")
    yield ""
    for name, each in groups.items():
        yield f"- {DETECTORS[name].title} misses: {listed(each['missed'])}."
        yield f"- {DETECTORS[name].title} reports falsely: {listed(each['false'])}."
        if each["broken-race"] or each["broken-none"]:
            yield f"- {DETECTORS[name].title} gives no verdict: {listed(each['broken-race'] + each['broken-none'])}."
    yield from kept(old, records, lambda title: rf"- {title} (misses|reports|gives)")
    yield ""
    by_reason = {}
    for name, record in sorted(next(iter(records.values())).items()):
        if record["expect"] not in ("race", "none"):
            by_reason.setdefault(record["expect"], []).append(name)
    if by_reason:
        yield "Left out, because something other than a data race is expected, or nothing can be:"
        yield ""
        for reason, names in sorted(by_reason.items()):
            yield f"- {reason}: {listed(names)}"
        yield ""


def runs(record):
    analysed = record.get("analysed", record["runs"])
    return f"{record['runs']}" if analysed == record["runs"] else f"{record['runs']}, {analysed} analysed"


def program_lines(suite, version_of, records, old):
    yield f"## {suite.TITLE}"
    yield ""
    yield "Built by their own build systems, run on a workload; result and exit status compared with a build without a detector."
    yield "Runs that are not analysed are recorded all the same, and compared. Times are of one analysed run, in seconds, on the machine that"
    yield "ran the check."
    yield ""
    yield "| program | detector | runs | result | without | with | reports | places |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for package in suite.PROGRAMS:
        for name in DETECTORS:
            record = records.get(name, {}).get(package)
            if not record:
                yield from (line for line in old if re.match(rf"\| {package} .*\| {DETECTORS[name].title} \|", line))
            else:
                outcome = re.sub(r"/\S+", "…", record["outcome"])
                yield (f"| {package} {version_of(package)} | {DETECTORS[name].title} | {runs(record)} | {outcome} | {record['native_seconds']:.1f} "
                       f"| {record['seconds']:.1f} | {record['reports']} | {len(record['sites'])} |")
    yield ""
    for package in suite.PROGRAMS:
        for name in DETECTORS:
            if package not in records.get(name, {}):
                yield from (line for line in old if line.startswith(f"- {package}, {DETECTORS[name].title}: "))
            sites = records.get(name, {}).get(package, {}).get("sites", [])
            if sites:
                yield f"- {package}, {DETECTORS[name].title}: {listed(sites[:8])}{f' and {len(sites) - 8} more' if len(sites) > 8 else ''}"
    yield ""


def section(text, title):
    """The lines of a section, from its heading on; none if there is none."""
    found = re.search(rf"^## {re.escape(title)}$.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return [*found[0].rstrip("\n").split("\n"), ""] if found else []


def write(path, results, sources):
    def version_of(package):
        try:
            return sources.version(package) if (sources.folder / "download" / package / ".complete").exists() else ""
        except Exception:  # not fetched: no version to tell
            return ""
    text = path.read_text(encoding="utf-8") if path.exists() else DEFAULT
    before, _, rest = text.partition(BEGIN)
    old, _, after = rest.partition(END)
    lines = []
    for suite in (tsan_suite, valgrind_suite, programs_suite):
        records = load(results, suite)
        if not records:
            lines += section(old, suite.TITLE)
        elif suite is programs_suite:
            lines += program_lines(suite, version_of, records, section(old, suite.TITLE))
        else:
            lines += verdict_lines(suite, version_of(suite.PACKAGE), records, section(old, suite.TITLE))
    path.write_text(f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"{END}{after}", encoding="utf-8")

"""The subset of LLVM's lit and FileCheck that ThreadSanitizer's tests need: the steps of the RUN lines, and the kinds of reports that the
CHECK lines expect of each run. The format of a report is not compared."""
import re

from detectors import is_race

OTHER_MESSAGES = ("reported", "called_from_lib", "library", "Matched", "starting", "memory flush")
UNAVAILABLE = ("system-darwin", "osx-autointerception", "disabled", "sunrpc")


class Step:
    """One command of a RUN line."""
    def __init__(self, text, kinds, wants_done):
        self.text = text              # with lit's % words
        self.kinds = kinds            # expected kinds of reports; None if the step runs no program
        self.wants_done = wants_done  # the output has to hold DONE

    @property
    def runs(self):
        return self.kinds is not None


def run_lines(source):
    joined = ""
    for line in source.splitlines():
        match = re.search(r"(?://|/\*|#|;)\s*RUN:\s?(.*)", line)
        if match:
            text = match[1].strip()
            if text.endswith("\\"):
                joined += text[:-1] + " "
            else:
                yield joined + text
                joined = ""


def unavailable(source):
    """Why lit would not run the test here; None if it would."""
    for requirement in re.findall(r"//\s*REQUIRES:\s*(.*)", source):
        for word in UNAVAILABLE:
            if word in requirement:
                return f"requires {word}"
    if re.search(r"//\s*XFAIL:\s*\*", source):
        return "fails everywhere (XFAIL)"
    return None


def split_outside_quotes(text, separator):
    parts, quote, begin, at = [], None, 0, 0
    while at < len(text):
        if quote:
            quote = None if text[at] == quote else quote
        elif text[at] in "'\"`":
            quote = text[at]
        elif text.startswith(separator, at):
            parts.append(text[begin:at])
            begin = at = at + len(separator)
            continue
        at += 1
    return [part.strip() for part in [*parts, text[begin:]]]


def expected(source, check):
    """(kinds, wants DONE) of one FileCheck command."""
    prefixes = [name for group in re.findall(r"-check-prefix(?:es)?[= ](\S+)", check) for name in group.split(",")] or ["CHECK"]
    prefixes = [prefix.replace("%os", "Linux") for prefix in prefixes]
    kinds, done = [], False
    for prefix in prefixes:
        for text in re.findall(rf"{re.escape(prefix)}(?:-NEXT|-SAME|-DAG|-EMPTY|-COUNT-\d+)?:\s*(.*)", source):
            done = done or text.strip() in ("DONE", "Done", "done.", "PASS", "OK")
            match = re.search(r"(?<!SUMMARY: )ThreadSanitizer: (?P<kind>.*)", text)
            if match and not match["kind"].startswith(OTHER_MESSAGES):
                kinds.append(match["kind"].strip())
    return kinds, done


def steps(source):
    """The steps of a test, in order."""
    found = []
    for line in run_lines(source):
        for command in split_outside_quotes(line, "&&"):
            parts = split_outside_quotes(command, "|")
            if "%run" not in command:
                if len(parts) == 1 and not parts[0].startswith(("FileCheck", "llvm-")):
                    found.append(Step(parts[0], None, False))
                continue
            checks = [part for part in parts if part.startswith("FileCheck")]
            kinds, done = expected(source, checks[0]) if checks else ([], False)
            failing = re.findall(r"(?<!\S)(not|%deflake)(?=\s)", parts[0])
            if not kinds and len(failing) == 1:  # "not %deflake" is: does not fail
                kinds = ["data race"]  # the CHECK lines are about the report's body
            text = re.sub(r"(?<!\S)(not|%deflake)\s+(--crash\s+)?", "", parts[0])
            found.append(Step(text, kinds, done))
    return found


def expectation(kinds):
    """race, none, or the name of another kind of report."""
    if not kinds:
        return "none"
    if any(is_race(re.sub(r"^\{\{\(?", "", kind)) or kind == "" for kind in kinds):
        return "race"
    return re.sub(r"\s*[({,].*", "", kinds[0]) or kinds[0]

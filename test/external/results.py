"""Results of a suite, stored per detector in a file of the build tree: an interrupted run continues where it was. They are
discarded when the detector changes."""
import collections
import json
import pathlib
import threading


class Results:
    def __init__(self, path, fingerprint, fresh):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.lock = threading.Lock()
        self.fingerprint = fingerprint
        self.records = {}
        if self.path.exists() and not fresh:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            if kept["fingerprint"] == fingerprint:
                self.records = kept["records"]

    def __contains__(self, name):
        return name in self.records

    def put(self, name, record):
        with self.lock:
            self.records[name] = record
            text = json.dumps({"fingerprint": self.fingerprint, "records": self.records}, indent=0)
            scratch = self.path.with_suffix(".new")
            scratch.write_text(text, encoding="utf-8")
            scratch.replace(self.path)


# A record is {"expect": "race" | "none" | KIND, "outcome": "race" | "none" | WHY-NOT, "sites": […], "seconds": S}. Its name may end in
# "#2" for a second expectation of the same program.

def count(records):
    """Names by outcome: found, missed, clean, false; broken-race and broken-none (no verdict); other (no race expected)."""
    groups = collections.defaultdict(list)
    for name, record in sorted(records.items()):
        expect, outcome = record["expect"], record["outcome"]
        if expect not in ("race", "none"):
            groups["other"].append(f"{name}: {expect}")
        elif outcome not in ("race", "none"):
            groups[f"broken-{expect}"].append(f"{name}: {outcome}")
        else:
            groups[{("race", "race"): "found", ("race", "none"): "missed", ("none", "none"): "clean",
                    ("none", "race"): "false"}[expect, outcome]].append(name)
    return groups


def totals(groups):
    racy = len(groups["found"]) + len(groups["missed"]) + len(groups["broken-race"])
    free = len(groups["clean"]) + len(groups["false"]) + len(groups["broken-none"])
    return {"racy": racy, "found": len(groups["found"]), "missed": len(groups["missed"]), "free": free, "false": len(groups["false"]),
            "broken": len(groups["broken-race"]) + len(groups["broken-none"]), "other": len(groups["other"])}

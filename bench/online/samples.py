"""The measurements, kept in a folder, a file for each item: {variant: {"fingerprint": …, "runs": [run…]}}. A run of the benchmark that was
interrupted goes on where it was. The runs of a variant are thrown away when its program has changed."""
import json


class Samples:
    def __init__(self, folder, fresh):
        self.folder = folder
        self.fresh = fresh
        self.kept = {}

    def load(self, item):
        """Before an item is measured; with `fresh`, drops its earlier measurements."""
        path = self.folder / f"{item}.json"
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() and not self.fresh else {}
        for own in kept.values():  # what did not work is tried again
            own["runs"] = [run for run in own["runs"] if "trouble" not in run]
        self.kept[item] = kept

    def runs(self, item, variant, fingerprint):
        own = self.kept[item].setdefault(variant, {"fingerprint": fingerprint, "runs": []})
        if own["fingerprint"] != fingerprint:
            own["fingerprint"], own["runs"] = fingerprint, []
        return own["runs"]

    def put(self, item, variant, fingerprint, run):
        self.runs(item, variant, fingerprint).append(run)
        self.folder.mkdir(parents=True, exist_ok=True)
        scratch = self.folder / f"{item}.new"
        scratch.write_text(json.dumps(self.kept[item], indent=1), encoding="utf-8")
        scratch.replace(self.folder / f"{item}.json")

    def records(self, variants, rounds):
        """For tables.py: of these variants, at most so many runs of each."""
        return {item: {name: own["runs"][:rounds] for name, own in kept.items() if own["runs"] and name in variants}
                for item, kept in self.kept.items()}

"""What was measured, kept in a file of the build folder: {item: {variant: {"fingerprint": …, "runs": [run…]}}}. A run of the benchmark that was
interrupted goes on where it was. The runs of a variant are thrown away when its program has changed."""
import json


class Samples:
    def __init__(self, path, fresh):
        self.path = path
        self.kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() and not fresh else {}
        for variants in self.kept.values():
            for own in variants.values():  # what did not work is tried again
                own["runs"] = [run for run in own["runs"] if "trouble" not in run]

    def runs(self, item, variant, fingerprint):
        own = self.kept.setdefault(item, {}).setdefault(variant, {"fingerprint": fingerprint, "runs": []})
        if own["fingerprint"] != fingerprint:
            own["fingerprint"], own["runs"] = fingerprint, []
        return own["runs"]

    def put(self, item, variant, fingerprint, run):
        self.runs(item, variant, fingerprint).append(run)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.path.with_suffix(".new")
        scratch.write_text(json.dumps(self.kept, indent=1), encoding="utf-8")
        scratch.replace(self.path)

    def records(self, rounds):
        """For tables.py: at most so many runs of each."""
        return {item: {variant: own["runs"][:rounds] for variant, own in variants.items() if own["runs"]}
                for item, variants in self.kept.items()}

"""omen-proved against the recorded answers of test/conformance: the first HB race and all racy events of every trace."""

import argparse
import json
import pathlib
import sys

import judge as judge_program


def load(folder):
    """(name, STD text, first HB race, racy events or None) for every recorded trace."""
    with open(folder / "traces.jsonl", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            yield f"trace {entry['id']}", entry["std"], entry["first"]["hb"], entry["racy_events"]["hb"]
    expected = json.loads((folder / "figures" / "expected.json").read_text(encoding="utf-8"))
    for name, entry in sorted(expected.items()):
        racy = sorted({pair[1] for pair in entry["pairs"]["hb"]})
        yield name, (folder / "figures" / name).read_text(encoding="utf-8"), entry["first"]["hb"], racy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", required=True, help="path of omen-proved")
    default = pathlib.Path(__file__).resolve().parent.parent / "conformance"
    parser.add_argument("--traces", type=pathlib.Path, default=default, help="folder with traces.jsonl and figures/")
    arguments = parser.parse_args()

    recorded = list(load(arguments.traces))
    if not recorded:
        sys.exit("no traces were compared")
    batch = "---\n".join(text if text.endswith("\n") else text + "\n" for _, text, _, _ in recorded)
    answers = judge_program.run_batch(arguments.judge, batch)
    if len(answers) != len(recorded):
        sys.exit(f"{len(recorded)} traces, but {len(answers)} answers")
    wrong = 0
    for (name, _, first, racy), answer in zip(recorded, answers):
        if answer != (first, racy):
            print(f"{name}: expected first {first} of {racy}, found {answer[0]} of {answer[1]}")
            wrong += 1
    print(f"{len(recorded)} traces compared, {sum(1 for r in recorded if r[2] is not None)} with a race, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

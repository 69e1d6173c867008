"""omen-proved against happens-before by its definition, on random traces."""

import argparse
import sys

import judge as judge_program
import traces


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", required=True, help="path of omen-proved")
    parser.add_argument("--seed", type=int, default=20160831)
    parser.add_argument("--count", type=int, default=3000)
    arguments = parser.parse_args()

    print(f"seed {arguments.seed}")
    generated = traces.generate_many(arguments.seed, arguments.count)
    answers = judge_program.run_batch(arguments.judge, traces.to_batch(generated))
    if len(answers) != len(generated):
        sys.exit(f"{len(generated)} traces, but {len(answers)} answers")
    racy_traces = 0
    for number, (trace, (first, racy)) in enumerate(zip(generated, answers)):
        expected_first, expected_racy = traces.first_and_racy(trace)
        racy_traces += expected_first is not None
        if (first, racy) != (expected_first, expected_racy):
            sys.exit(
                f"trace {number}: expected first {expected_first} of {expected_racy}, found {first} of {racy}\n"
                + traces.to_std(trace)
            )
    print(f"{len(generated)} traces compared, {racy_traces} with a race")
    if not generated:
        sys.exit("no traces were compared")

    # A few long ones: the definition would take too long, but both detectors must agree.
    long_ones = traces.generate_many(arguments.seed, 40, max_events=20000)
    long_answers = judge_program.run_batch(arguments.judge, traces.to_batch(long_ones))
    print(f"{len(long_answers)} long traces, up to {max(map(len, long_ones))} events")
    if len(long_answers) != len(long_ones):
        sys.exit(f"{len(long_ones)} long traces, but {len(long_answers)} answers")


if __name__ == "__main__":
    main()

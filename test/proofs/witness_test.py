"""The proved witness checker against the definition, on random traces and random schedules of them.

A candidate is a schedule that mostly keeps program order and locks, ending in a conflicting pair; some are then
mutated.  This file implements the definition again, event by event.  With --omen, it also tests `omen check`.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import judge as judge_program
import traces


def well_formed(events):
    holder, depth, joined, forked, ran = {}, {}, set(), set(), set()
    for thread, op, operand in events:
        if thread in joined:
            return False
        if op == "acq":
            if holder.get(operand, thread) != thread:
                return False
            holder[operand] = thread
            depth[operand] = depth.get(operand, 0) + 1
        elif op == "rel":
            if holder.get(operand) != thread:
                return False
            depth[operand] -= 1
            if depth[operand] == 0:
                del holder[operand]
        elif op == "fork":
            if operand == thread or operand in ran | forked | joined:
                return False
            forked.add(operand)
        elif op == "join":
            if operand == thread:
                return False
            joined.add(operand)
        ran.add(thread)
    return True


def conflict(e, f):
    return e[0] != f[0] and e[1] in "rw" and f[1] in "rw" and e[2] == f[2] and "w" in (e[1], f[1])


def hard_before(trace, i, j):
    (ti, opi, xi), (tj, opj, xj) = trace[i], trace[j]
    return (
        (i < j and ti == tj)
        or (opi == "fork" and (xi == tj or (opj == "join" and xi == xj)))
        or (opj == "join" and ti == xj)
    )


def last_writer(trace, indices, variable):
    for i in reversed(indices):
        if trace[i][1] == "w" and trace[i][2] == variable:
            return i
    return None


def in_order(trace, witness):
    if len(witness) < 2 or len(set(witness)) != len(witness) or max(witness) >= len(trace):
        return False
    for at, j in enumerate(witness):
        done = set(witness[:at])
        if any(hard_before(trace, i, j) and i not in done for i in range(len(trace))):
            return False
    return well_formed([trace[i] for i in witness])


def accepts_lw(trace, witness):
    if not in_order(trace, witness) or not conflict(trace[witness[-2]], trace[witness[-1]]):
        return False
    for at, k in enumerate(witness[:-2]):
        if trace[k][1] == "r" and last_writer(trace, witness[:at], trace[k][2]) != last_writer(trace, range(k), trace[k][2]):
            return False
    return True


def accepts_ca(trace, witness):
    if not in_order(trace, witness) or not conflict(trace[witness[-2]], trace[witness[-1]]):
        return False
    ordered = witness[:-2] + sorted(witness[-2:])
    for at, j in enumerate(ordered):
        done = set(ordered[:at])
        if any(conflict(trace[i], trace[j]) and i not in done for i in range(j)):
            return False
    return True


def candidate(rng, trace):
    """A random schedule that ends in a conflicting pair, or None."""
    of_thread = {}
    for i, (thread, _, _) in enumerate(trace):
        of_thread.setdefault(thread, []).append(i)
    done = []
    steps = rng.randint(0, len(trace))
    for _ in range(steps):
        enabled = [q[0] for q in of_thread.values() if q]
        enabled = [i for i in enabled if all(not hard_before(trace, k, i) or k in done for k in range(len(trace)))]
        enabled = [i for i in enabled if well_formed([trace[k] for k in done + [i]])]
        if rng.random() < 0.7:  # mostly keep the last writer
            enabled = [i for i in enabled if trace[i][1] != "r"
                       or last_writer(trace, done, trace[i][2]) == last_writer(trace, range(i), trace[i][2])]
        if not enabled:
            break
        # Mostly in the order of the trace, so that the order of conflicting accesses is often kept.
        i = min(enabled) if rng.random() < 0.6 else rng.choice(enabled)
        done.append(i)
        of_thread[trace[i][0]].pop(0)
    ready = [q[0] for q in of_thread.values() if q]
    pairs = [(i, j) for i in ready for j in ready if conflict(trace[i], trace[j])]
    return done + list(rng.choice(pairs)) if pairs else None


def damaged(rng, trace, witness):
    witness = list(witness)
    what = rng.random()
    if what < 0.35 and len(witness) > 2:
        del witness[rng.randrange(len(witness) - 2)]
    elif what < 0.8:
        i, j = rng.randrange(len(witness)), rng.randrange(len(witness))
        witness[i], witness[j] = witness[j], witness[i]
    else:
        witness[rng.randrange(len(witness))] = rng.randrange(len(trace) + 2)
    return witness


def omen_accepts(omen, folder, trace, witness):
    """Exit code 0 of `omen check`: accepted; 1: refused."""
    path = pathlib.Path(folder) / "trace.std"
    path.write_text(traces.to_std(trace), encoding="utf-8")
    done = subprocess.run([omen, "check", str(path), "-"], input=json.dumps(witness),
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"omen check: exit {done.returncode}: {done.stderr}")
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", required=True, help="path of omen-proved")
    parser.add_argument("--omen", help="path of omen: compare its checker, too")
    parser.add_argument("--seed", type=int, default=20180618)
    parser.add_argument("--count", type=int, default=4000)
    arguments = parser.parse_args()

    print(f"seed {arguments.seed}")
    rng = random.Random(arguments.seed)
    generated = [traces.generate(rng, max_events=24) for _ in range(arguments.count)]
    text, expected = [], []
    for trace in generated:
        lines = [traces.to_std(trace)]
        for _ in range(6):
            witness = candidate(rng, trace)
            if witness is None:
                continue
            for w in (witness, damaged(rng, trace, witness)):
                lines.append("@ " + " ".join(map(str, w)) + "\n")
                expected.append((trace, w, accepts_lw(trace, w), accepts_ca(trace, w)))
        text.append("".join(lines))
    done = judge_program.run(arguments.judge, ["--witnesses", "-"], "---\n".join(text))
    if done.returncode != 0:
        sys.exit(f"omen-proved: exit {done.returncode}: {done.stderr}")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(expected):
        sys.exit(f"{len(expected)} witnesses, but {len(answers)} answers")
    for answer, (trace, witness, lw, ca) in zip(answers, expected):
        if (answer["witness"], answer["lw"], answer["ca"]) != (witness, lw, ca):
            sys.exit(f"{witness}: expected lw {lw}, ca {ca}, found {answer}\n{traces.to_std(trace)}")
    if arguments.omen:
        with tempfile.TemporaryDirectory() as folder:
            for trace, witness, lw, _ in expected:
                if omen_accepts(arguments.omen, folder, trace, witness) != lw:
                    sys.exit(f"omen check {witness}: expected {'accepted' if lw else 'refused'}\n{traces.to_std(trace)}")
    accepted = sum(e[2] for e in expected), sum(e[3] for e in expected)
    print(f"{len(expected)} witnesses compared, {accepted[0]} accepted with lw, {accepted[1]} with ca")
    if min(accepted) == 0 or accepted[0] == len(expected):
        sys.exit("the witnesses do not tell the notions apart")


if __name__ == "__main__":
    main()

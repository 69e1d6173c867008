"""Random well-formed traces, and happens-before by its definition.

The traces have forks, joins (several threads may join one), children without events, recursive locks, and begin/end.
About half of them have a race.  A trace is a list of (thread, operation, operand) with names as text.
"""

import random


def generate(rng, max_events=60):
    """One random well-formed trace."""
    style = rng.choice(["guarded", "mostly", "mostly", "loose", "loose"])
    unguarded = {"guarded": 0.0, "mostly": 0.2, "loose": 0.7}[style]
    locks = [f"L{i}" for i in range(rng.randint(1, 3))]
    variables = [f"V{i}" for i in range(rng.randint(1, 4))]
    guard = {x: rng.choice(locks) for x in variables}
    roots = rng.choice([1, 1, 2, 3])
    max_threads = rng.randint(roots, 6)
    marks = rng.random() < 0.3  # begin and end
    target = rng.randint(2, max_events)

    threads = [f"T{i}" for i in range(roots)]
    live = list(threads)
    stopped = []  # may be joined, by several threads
    started = set()  # threads with an event
    holder = {}  # lock -> [thread, depth]
    stack = {t: [] for t in threads}
    readonly = {x: rng.random() < 0.2 for x in variables}
    trace = []

    def emit(thread, op, operand=""):
        if marks and thread not in started and op != "begin":
            trace.append((thread, "begin", ""))
        started.add(thread)
        trace.append((thread, op, operand))

    def free(lock, thread):
        return lock not in holder or holder[lock][0] == thread

    def acquire(thread, lock):
        holder.setdefault(lock, [thread, 0])[1] += 1
        stack[thread].append(lock)
        emit(thread, "acq", lock)

    def release(thread):
        lock = stack[thread].pop()
        holder[lock][1] -= 1
        if holder[lock][1] == 0:
            del holder[lock]
        emit(thread, "rel", lock)

    def touch(thread, x):
        emit(thread, "r" if readonly[x] or rng.random() < 0.5 else "w", x)

    while len(trace) < target and live:
        thread = rng.choice(live)
        choice = rng.random()
        if choice < 0.50:
            x = rng.choice(variables)
            if guard[x] in stack[thread] or readonly[x] or rng.random() < unguarded:
                touch(thread, x)
            elif free(guard[x], thread):
                acquire(thread, guard[x])
                touch(thread, x)
        elif choice < 0.62:
            lock = rng.choice(locks)
            if free(lock, thread) and len(stack[thread]) < 4:
                acquire(thread, lock)
        elif choice < 0.84:
            if stack[thread]:
                release(thread)
        elif choice < 0.90:
            if len(threads) < max_threads:
                child = f"T{len(threads)}"
                threads.append(child)
                stack[child] = []
                emit(thread, "fork", child)
                if rng.random() < 0.15:
                    stopped.append(child)  # a child without events
                else:
                    live.append(child)
        elif choice < 0.94:
            if len(live) > 1 and not stack[thread]:
                live.remove(thread)
                if marks:
                    emit(thread, "end")
                stopped.append(thread)
        elif stopped:
            emit(thread, "join", rng.choice(stopped))
    return trace


def generate_many(seed, count, max_events=60):
    rng = random.Random(seed)
    return [generate(rng, max_events) for _ in range(count)]


def to_std(trace):
    """The trace as STD text."""
    lines = []
    for i, (thread, op, operand) in enumerate(trace):
        lines.append(f"{thread}|{op}({operand})|{i}" if operand else f"{thread}|{op}|{i}")
    return "\n".join(lines) + "\n"


def to_batch(traces):
    return "---\n".join(to_std(t) for t in traces)


def first_and_racy(trace):
    """The first racy event (or None) and all racy events, by the definition: an edge from every event to every later
    one that it is directly ordered before, closed transitively; a race is a conflicting pair that is not ordered."""
    before = []
    racy = []
    for j, (tj, opj, xj) in enumerate(trace):
        mask = 0
        for i in range(j):
            ti, opi, xi = trace[i]
            if (
                ti == tj
                or (opi == "fork" and xi == tj)
                or (opj == "join" and (ti == xj or (opi == "fork" and xi == xj)))
                or (opi == "rel" and opj == "acq" and xi == xj)
            ):
                mask |= before[i] | (1 << i)
        before.append(mask)
        if opj in "rw":
            for i in range(j):
                ti, opi, xi = trace[i]
                if opi in "rw" and xi == xj and ti != tj and "w" in (opi, opj) and not mask >> i & 1:
                    racy.append(j)
                    break
    return (racy[0] if racy else None), racy

"""Random programs with arrays and loops, one source for many of them, with a fixed schedule, and the races in them.

As the programs of test/online, they run step by step: a thread is drawn, and a few lines that it executes while the others wait, which no detector
sees. Nothing here is volatile, so the compiler and check placement treat them like real programs. Every line declares the
bytes that it reads and writes, so the races follow from the definition of happens-before, without any detector.
"""

import random

PRELUDE = """\
#include <pthread.h>
#include <cstdlib>
#include "invisible.h"
struct Point { int x, y, z; };
static unsigned char bytes[64];
static int ints[64];
static double reals[64];
static Point points[16];
static long grid[8][8];
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_t threads[4];
static char ends[96];  // only the 40th is not 0
// A number that the compiler does not know.
static inline long hidden(long number) {
  __asm__("" : "+r"(number));
  return number;
}
"""
SIZES = {"bytes": 1, "ints": 4, "reals": 8, "points": 12, "grid": 64}


def touched(array, begin, end, offset=0, size=None):
    """The bytes of elements begin to end, or of one member of each."""
    whole = SIZES[array]
    return {(array, whole * i + offset + byte) for i in range(begin, end) for byte in range(size or whole)}


class Line:
    def __init__(self, text, reads=(), writes=()):
        self.text, self.reads, self.writes = text, set(reads), set(writes)
        self.mutex = None

    def conflicts(self, other):
        return bool(self.writes & (other.writes | other.reads) or self.reads & other.writes)


def one(r):
    i = r.randrange(24)
    return r.choice([Line(f"ints[{i}] = 7;", writes=touched("ints", i, i + 1)), Line(f"sum += ints[{i}];", touched("ints", i, i + 1)),
                     Line(f"ints[hidden({i})] += 3;", touched("ints", i, i + 1), touched("ints", i, i + 1))])


def members(r):
    i = r.randrange(6)
    x, y, z = (touched("points", i, i + 1, offset, 4) for offset in (0, 4, 8))
    return r.choice([Line(f"sum += points[hidden({i})].x * 3 + points[hidden({i})].z;", x | z),
                     Line(f"{{ Point* p = points + hidden({i}); p->x = 1, p->y = 2, p->z = 3; }}", writes=x | y | z),
                     Line(f"{{ Point* p = points + hidden({i}); p->y += p->x; }}", x | y, y)])


def neighbours(r):
    i, n = r.randrange(24), r.choice([2, 3, 4, 8, 16])
    terms = " + ".join(f"p[{k}] * {k + 3}" for k in range(n))
    return Line(f"{{ unsigned char* p = bytes + hidden({i}); sum += {terms}; }}", touched("bytes", i, i + n))


def bounds(r, limit):
    begin = r.randrange(limit)
    return begin, r.randint(begin, limit)


def loop(r):
    begin, end = bounds(r, 32)
    head = f"for (long i = hidden({begin}), end = hidden({end}); i < end; ++i)"
    ints, reals, each = touched("ints", begin, end), touched("reals", begin, end), range(begin, end)
    ahead = touched("reals", begin + 32, end + 32)
    return r.choice([
        Line(f"{head} ints[i] = (int)i;", writes=ints),
        Line(f"{head} sum += ints[i];", ints),
        Line(f"{head} ints[i] += 5;", ints, ints),
        Line(f"{head} reals[i] -= 2 * reals[i + 32];", reals | ahead, reals),
        Line(f"for (long i = hidden({end}), end = hidden({begin}); i-- > end;) ints[i] = (int)(3 * i);", writes=ints),
        Line(f"{head} if (i % 3 == 0) ints[i] = 9;", writes=set().union(*(touched("ints", i, i + 1) for i in each if i % 3 == 0))),
        Line(f"{head} sum += points[i / 2].y;", set().union(*(touched("points", i // 2, i // 2 + 1, 4, 4) for i in each))),
        Line(f"{head} bytes[i] = (unsigned char)(bytes[i] * 3);", touched("bytes", begin, end), touched("bytes", begin, end)),
        Line(f"{head} {{ sum += bytes[2 * i] + 3 * bytes[2 * i + 1]; }}", touched("bytes", 2 * begin, 2 * end)),
        Line(f"{head} sum += reals[hidden({begin})] + ints[i];", (touched("reals", begin, begin + 1) if each else set()) | ints)])


def left_early(r):
    begin, end = bounds(r, 32)
    stop = r.randrange(32)
    head = f"for (long i = hidden({begin}), end = hidden({end}), stop = hidden({stop}); i < end; ++i) "
    before, behind = (min(end, stop + more) if begin <= stop else end for more in (0, 1))
    same = touched("reals", 40, 41) if before > begin else set()
    return r.choice([Line(head + "{ ints[i] = 4; if (i == stop) break; }", writes=touched("ints", begin, behind)),
                     Line(head + "{ if (i == stop) break; ints[i] = 4; }", writes=touched("ints", begin, before)),
                     Line(head + "{ if (i == stop) break; reals[hidden(40)] = (double)i; }", writes=same)])


def left_by_data(r):
    begin, end = bounds(r, 32)
    head = f"for (long i = hidden({begin}), skip = hidden({40 - end}); !ends[i + skip]; ++i) "
    down = f"for (long i = hidden({end}), skip = hidden({41 - begin}); !ends[skip + i - 2 * (i - {begin}) - 1]; --i) "
    ints, bytes_, reals = (touched(array, begin, end) for array in ("ints", "bytes", "reals"))
    upper = touched("ints", begin + 1, end + 1)
    every_third = set().union(*(touched("ints", i, i + 1) for i in range(begin, end) if i % 3 == 0))
    return r.choice([Line(head + "ints[i] = 4;", writes=ints),
                     Line(head + "sum += ints[i];", ints),
                     Line(head + "ints[i] += 3;", ints, ints),
                     Line(head + "{ bytes[i] = 4; reals[i] = 2; }", writes=bytes_ | reals),
                     Line(head + "{ sum += bytes[i]; ints[i] = (int)sum; }", bytes_, ints),
                     Line(head + "{ if (ints[i] == 777777) break; reals[i] = 3; }", ints, reals),
                     Line(head + "if (i % 3 == 0) ints[i] = 9; else sum += bytes[i];",
                          set().union(set(), *(touched("bytes", i, i + 1) for i in range(begin, end) if i % 3)), every_third),
                     Line(f"{{ int *p = ints + hidden({begin}), *q = ints + hidden({end}); while (p != q && *p != 777777) ++p; sum += p - ints; }}", ints),
                     Line(f"for (double *p = reals + hidden({begin}), *q = reals + hidden({end}); p != q; ++p) {{ *p = 1; if (ends[p - q + 90]) break; }}", writes=reals),
                     Line(down + "ints[i] = 5;", writes=upper)])


def members_of_all(r):
    begin, end = bounds(r, 16)
    head = f"for (long i = hidden({begin}), end = hidden({end}); i < end; ++i)"
    x, y, z = (touched("points", begin, end, offset, 4) for offset in (0, 4, 8))
    return r.choice([Line(f"{head} sum += points[i].y;", y), Line(f"{head} points[i].x = (int)i;", writes=x),
                     Line(f"{head} points[i].z += points[i].y;", y | z, z),
                     Line(f"{head} points[i].x = points[i].y = points[i].z = (int)i;", writes=x | y | z)])


def columns(r):
    begin, end = bounds(r, 8)
    column = r.randrange(8)
    cells = {("grid", 64 * row + 8 * column + byte) for row in range(begin, end) for byte in range(8)}
    down = f"for (long i = hidden({begin}), end = hidden({end}); i < end; ++i) "
    up = f"for (long i = hidden({end}), end = hidden({begin}); i-- > end;) "
    one, two = begin // 4, end // 4
    seconds = {("bytes", 16 * i + byte) for i in range(one, two) for byte in (0, 5)}
    by_two = f"for (long i = hidden({one}), end = hidden({two}), step = hidden(16L); i < end; ++i) "
    return r.choice([Line(f"{down}grid[i][{column}] = i;", writes=cells), Line(f"{up}sum ^= grid[i][{column}];", cells),
                     Line(f"{down}(&grid[0][0])[i * hidden(8L) + {column}] += 3;", cells, cells),
                     Line(f"{by_two}bytes[i * step] = bytes[i * step + 5] = 4;", writes=seconds)])


def rows(r):
    begin, end = bounds(r, 8)
    columns = r.choice([8, r.randrange(1, 9)])
    cells = {("grid", 64 * row + byte) for row in range(begin, end) for byte in range(8 * columns)}
    text = f"for (long i = hidden({begin}), end = hidden({end}); i < end; ++i) for (long j = 0; j < {columns}; ++j) "
    return r.choice([Line(text + "grid[i][j] = i ^ j;", writes=cells), Line(text + "sum ^= grid[i][j];", cells)])


class Program:
    """Threads, each with its lines of source, and the accesses in the order of the schedule."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.seed = seed
        self.lines = [[] for _ in range(r.randint(2, 4))]  # of (text, Line or None)
        self.events = []  # (thread, "lock" | "unlock" | "create", number) or (thread, Line)
        disciplined = r.choice([0.3, 0.8, 1])
        step = 0
        for thread in range(1, len(self.lines)):
            self.lines[0].append((f"pthread_create(&threads[{thread}], nullptr, array_{seed}_{thread}, nullptr);", None))
            self.events.append((0, "create", thread))
        for _ in range(r.randint(4, 12)):
            thread = r.randrange(len(self.lines))
            mutex = r.randrange(2) if r.random() < disciplined else None
            self.say(thread, f"await_turn({step});")
            if mutex is not None:
                self.say(thread, f"pthread_mutex_lock(&mutexes[{mutex}]);")
                self.events.append((thread, "lock", mutex))
            self.say(thread, "sum = 0;")
            for _ in range(r.choice([1, 1, 2, 3])):
                line = r.choice([one, members, neighbours, members_of_all, loop, loop, loop, left_early, left_early, left_by_data, left_by_data, left_by_data, rows, columns])(r)
                self.lines[thread].append((line.text, line))
                self.events.append((thread, line))
                line.mutex = mutex
            self.say(thread, "use(sum);")
            if mutex is not None:
                self.say(thread, f"pthread_mutex_unlock(&mutexes[{mutex}]);")
                self.events.append((thread, "unlock", mutex))
            self.say(thread, f"end_turn({step});")
            step += 1

    def say(self, thread, text):
        self.lines[thread].append((text, None))

    def races(self, numbers):
        """Pairs of line numbers (later access, earlier one) that conflict and that happens-before leaves unordered; and for each line its
        thread and local time. A detector may not distinguish the accesses of a thread between two releases."""
        clocks = [[int(i == j) for j in range(len(self.lines))] for i in range(len(self.lines))]
        released, done, found = {}, [], set()
        for thread, what, *number in self.events:
            clock = clocks[thread]
            if what == "create":
                clocks[number[0]] = [max(a, b) for a, b in zip(clocks[number[0]], clock)]
                clock[thread] += 1
            elif what == "lock":
                clocks[thread] = [max(a, b) for a, b in zip(clock, released.get(number[0], clock))]
            elif what == "unlock":
                released[number[0]] = list(clock)
                clock[thread] += 1
            else:
                for other, time, earlier in done:
                    if other != thread and time > clock[other] and what.conflicts(earlier):
                        found.add((numbers[what], numbers[earlier]))
                done.append((thread, clock[thread], what))
        return found, {numbers[line]: (thread, time) for thread, time, line in done}, self.possible(numbers)

    def possible(self, numbers):
        """Pairs of lines, smaller first, that race in some schedule: they conflict, in two threads, and hold no common mutex. Nothing else
        orders them, because no value that is read decides about an access, and no thread takes two mutexes."""
        done = [(thread, what) for thread, what, *_ in self.events if isinstance(what, Line)]
        return {tuple(sorted((numbers[a], numbers[b]))) for one, a in done for other, b in done
                if one < other and a.conflicts(b) and (a.mutex is None or a.mutex != b.mutex)}


def source(seeds):
    """(A program that runs the one of its argument, {seed: the result of `races`})."""
    lines, cases, races = PRELUDE.splitlines(), [], {}
    for seed in seeds:
        program, numbers = Program(seed), {}
        for thread in reversed(range(len(program.lines))):
            lines += [f"static void* array_{seed}_{thread}(void*) {{", "  long sum = 0;"]
            for text, line in program.lines[thread]:
                lines.append("  " + text)
                if line:
                    numbers[line] = len(lines)
            if thread == 0:
                lines += [f"  pthread_join(threads[{i}], nullptr);" for i in range(1, len(program.lines))]
            lines += ["  return nullptr;", "}"]
        races[seed] = program.races(numbers)
        cases.append(f"    case {seed}: array_{seed}_0(nullptr); break;")
    lines += ["int main(int, char** arguments) {", "  ends[hidden(40)] = 1;", "  switch (atoi(arguments[1])) {", *cases, "    default: return 2;", "  }", "}"]
    return "\n".join(lines) + "\n", races

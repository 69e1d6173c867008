#!/usr/bin/env python3
"""Programs in which a value read decides: no witness may be found, with placement and without.

One thread writes x and then, under a lock, one element of an array. Another one drains the array under the lock, with random loops and lines
that read and write overlapping memory through several pointers (it only writes 0), and writes x if it has read a value other than 0. So no schedule
has a race. The trace shows that only if it contains the read of the element before the writes of the same memory: `omen vindicate
--candidates all` has to confirm nothing. The twin of each program passes nothing on, and always writes x: there it has to confirm the race.

Usage: handed_over.py --omen O --cxx C [--programs N] [--seed N] [--level -O2]
"""

import random
import sys

sys.dont_write_bytecode = True
import twins  # noqa: E402

PRELUDE = """\
#include <pthread.h>
#include <cstdlib>
#include "invisible.h"
struct Pair { int x, y; };
static int values[96], other;
int x;
static char flag[96];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
template <class T> static inline T hidden(T value) { __asm__("" : "+r"(value)); return value; }
using Drain = long(int* p, int* q, const char* flag, long n);
__attribute__((noinline)) static long take(const int* from, const char* flag) { return *flag ? *from : 0; }
static Drain* drain;
static int element;
static bool is_twin;
static void* fills(void*) {
  x = 1;
  pthread_mutex_lock(&m);
  (is_twin ? other : values[element]) = 1;
  pthread_mutex_unlock(&m);
  reach(1);
  return nullptr;
}
static void* drains(void* argument) {
  await(1);
  pthread_mutex_lock(&m);
  const long found = drain(values, hidden(values + (long)argument), flag, hidden(64L));
  pthread_mutex_unlock(&m);
  if (found != 0 || is_twin) x = 2;
  return (void*)found;
}
"""
# p and q point into the same array.
LINES = [
    "for (long i = 0; i < n; ++i) { if (flag[i]) sum += p[i]; p[i] = 0; }",
    "for (long i = 0; i < n; ++i) { sum += p[i]; p[i] = 0; }",
    "for (long i = 0; i < n; ++i) { p[i] = 0; sum += p[i + 1]; }",
    "for (long i = 0; i < n; ++i) { p[i] = 0; if (flag[i]) sum += q[i]; }",
    "for (long i = 0; i < n; ++i) { if (flag[i]) sum += q[0]; *p = 0; }",
    "for (long i = n; i-- > 0;) { if (flag[i]) sum += q[i]; p[i] = 0; }",
    "for (long i = 0; i < n; ++i) { long t = q[i]; p[i] = 0; q[i] = 0; sum += t; }",
    "for (long i = 0; i < 8; ++i) for (long j = 0; j < 8; ++j) { if (flag[8 * i + j]) sum += q[8 * i + j]; p[8 * i + j] = 0; }",
    "for (long i = 0; i < n / 2; ++i) { p[2 * i] = 0; sum += q[2 * i]; p[2 * i + 1] = 0; }",
    "for (long i = 0; i < n; ++i) { sum += take(q + i, flag + i); p[i] = 0; }",
    "for (long i = 0; i < n; ++i) { p[i] = 0; sum += take(p + i + 1, flag + i + 1); }",
    "p[A] = 0, sum += take(q + B, flag), p[A + 1] = 0;",
    "p[A] = 0, sum += *q, p[A + 1] = 0;",
    "p[A] = 0, sum += q[B], p[A + 1] = 0, p[A + 2] = 0, sum += q[B + 1];",
    "for (long i = 0; i < n / 3; ++i) { if (flag[i]) sum += q[i]; p[3 * i] = 0; }",
    "for (long i = 0; i < n / 2; ++i) { sum += take(q + 2 * i, flag + i); p[2 * i] = 0; }",
    "{ int t = p[A]; q[B] = 0; p[A] = 0; sum += t; }",
    "{ Pair* one = (Pair*)(p + A); Pair* two = (Pair*)(q + B); one->x = 0, sum += two->y, one->y = 0; }",
    "{ int* at = q; do { sum += *at; *p = 0; } while (flag[at++ - q]); }",
]


def source(seeds):
    """(the program, {seed: its arguments})"""
    lines, cases, arguments = [PRELUDE], [], {}
    for seed in seeds:
        r = random.Random(seed)
        lines.append(f"__attribute__((noinline)) static long drain_{seed}(int* p, int* q, const char* flag, long n) {{\n  long sum = 0;\n  (void)flag, (void)n;")
        distance, place = r.randint(0, 6), r.randint(0, 20)
        for _ in range(r.randint(1, 2)):
            lines.append("  " + r.choice(LINES).replace("A", str(place)).replace("B", str(max(0, place - distance + r.randint(0, 2)))))
        lines.append("  return sum;\n}")
        cases.append(f"    case {seed}: drain = drain_{seed}; break;")
        # The element is where the lines read: near `place`, or where q points.
        arguments[seed] = [str(word) for word in (seed, distance, r.choice([distance, place, place + 1, place + 2, r.randint(0, 63)]), r.choice([0, 1, 3]))]
    lines += ["int main(int count, char** arguments) {", "  if (count < 5) return 2;", "  switch (atoi(arguments[1])) {", *cases, "    default: return 2;", "  }",
              "  element = atoi(arguments[3]), is_twin = count > 5;", "  for (int i = 0; i < 96; ++i) flag[i] = (char)(i < 70 && (i * atoi(arguments[4]) % 2 == 0));",
              "  pthread_t a, b;", "  void* found = nullptr;", "  pthread_create(&a, nullptr, fills, nullptr);",
              "  pthread_create(&b, nullptr, drains, (void*)atol(arguments[2]));", "  pthread_join(a, nullptr);", "  pthread_join(b, &found);",
              "  return found != nullptr ? 7 : 0;", "}"]
    return "\n".join(lines) + "\n", arguments


def vacuous(result):
    if result.handed < result.programs or result.calls < max(1, result.programs // 4):
        return "too few programs hand something over, or too few checks of loops were moved over reads"
    return None


if __name__ == "__main__":
    builds = {"placed": twins.PLACED, "plain": twins.PLAIN, "gcc": twins.GCC}
    sys.exit(twins.main(__doc__, source, builds, "-O1", "__omen_read_write_range", vacuous))

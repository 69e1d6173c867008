#!/usr/bin/env python3
"""Programs in which a value read decides whether the racing access happens: no witness may be found, with placement and without.

One thread writes one element of `data` and then, under a lock, opens a gate. Another one walks under the lock, in random loops that end at a
closed gate, and reaches that element only after the open gate. So no schedule has a race. The trace shows that only if the read of the
gate comes before the access that it decides about, although the checks of a loop come after it, array by array, and those of neighbouring
members together: `omen vindicate --candidates all` has to confirm nothing. In the twin of each program the gate is open from the start; there it
has to confirm the race.

Usage: decided.py --omen O --cxx C [--programs N] [--seed N] [--level -O2]
"""

import random
import sys

sys.dont_write_bytecode = True
import twins  # noqa: E402

PRELUDE = """\
#include <pthread.h>
#include <cstdlib>
#include "invisible.h"
struct Node { Node* next; long key; long value; Node* behind; long last; };
static long gate[96], far[96], other;
static Node nodes[48];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
template <class T> static inline T hidden(T value) { __asm__("" : "+r"(value)); return value; }
using Walk = long(const long* g, long* d, long n, Node* list);
static Walk* walk;
static long* opened;   // the gate
static long* element;  // what lies behind it
static void* fills(void*) {
  *element = hidden(*element);
  pthread_mutex_lock(&m);
  *opened = 1;
  pthread_mutex_unlock(&m);
  reach(1);
  return nullptr;
}
static void* walks(void* data) {
  await(1);
  pthread_mutex_lock(&m);
  const long found = walk(gate, (long*)data, hidden(64L), nodes);
  pthread_mutex_unlock(&m);
  return (void*)found;
}
"""
# (code, the gate of step K, the data after it, whether `data` may be the gates shifted by one). The gates of the steps before K are open.
ARRAY, DOWN, LIST = "array", "down", "list"
LINES = [
    ("for (long i = 0; i < n && g[i]; ++i) sum += d[i];", ARRAY, True),
    ("for (long i = 0; i < n && g[i]; ++i) d[i] = 0;", ARRAY, False),
    ("for (long i = 0; i < n && g[i]; ++i) ++d[i];", ARRAY, False),
    ("for (long i = 0; i < n && g[i]; ++i) { if (d[i] == 99) break; ++sum; }", ARRAY, True),
    ("{ const long* at = g; while (*at) sum += *d++, ++at; }", ARRAY, True),
    ("{ long i = 0; while (g[i]) ++i; sum += i; }", ARRAY, None),
    ("{ const long* at = g; do sum += *at; while (*at++); }", ARRAY, None),
    ("for (long i = 0; g[i]; ++i) { sum += d[i]; if (sum == 99) break; }", ARRAY, True),
    ("for (long i = 0; g[i]; ++i) { d[i] = 0; if (far[i]) break; }", ARRAY, False),
    ("for (long i = 0; g[i]; ++i) { if (d[i] != 77) continue; sum = 5; }", ARRAY, True),
    ("if (g[K]) sum += d[K];", ARRAY, True),
    ("{ const long* at = g + 60; while (*at) --at, ++sum; }", DOWN, None),
    ("for (const long* at = g + 60; *at; --at) sum += d[at - g];", DOWN, True),
    ("{ long i = 60; while (g[i]) { d[i] = 0; --i; } }", DOWN, False),
    ("{ const long* at = g; for (long i = 0; at[i] && at[i + 1]; i += 2) ++sum; }", ARRAY, None),
    ("for (Node* p = list; p->G; p = p->D) ++sum;", LIST, ("Node", ["next", "behind"])),
    ("for (Node* p = list; p && p->G; p = p->D) ++sum;", LIST, ("Node", ["next", "behind"])),
    ("for (Node* p = list; p && p->G; p = p->next) sum += p->D;", LIST, ("long", ["value", "last"])),
    ("for (Node* p = list; p->G; p = p->behind) { if (p->D == 99) break; ++sum; }", LIST, ("long", ["value", "last"])),
    ("if (list[K].G) sum += list[K].D;", LIST, ("long", ["value", "last"])),
    ("{ Node* p = list + K; sum += p->G ? p->D * 3 : 1; }", LIST, ("long", ["value", "last"])),
]


class Program:
    def __init__(self, seed):
        r = random.Random(seed)
        code, kind, how = r.choice(LINES)
        self.seed, step = seed, r.randint(0, 12)
        if kind == LIST:
            key = r.choice(["key", "last", "value"])
            member = r.choice([each for each in how[1] if each != key])
            code = code.replace("G", key).replace("D", member)
            gate, element = f"&nodes[{step}].{key}", f"(long*)&nodes[{step}].{member}"
            data, gates = "far", [f"nodes[i].{key} = i < {step};"]
        else:
            aliased = how is None or (how and r.random() < 0.4)
            place, further = (f"60 - {step}", "gate - 1") if kind == DOWN else (str(step), "gate + 1")
            gate, data = f"&gate[{place}]", further if aliased else "far"
            element = f"{data} + {place}"
            gates = [f"gate[{'60 - i' if kind == DOWN else 'i'}] = i < {step};"]
        self.code = code.replace("K", f"hidden({step})")
        self.setting = " ".join(gates) + f" opened = {gate}; element = {element}; data = {data};"


def source(seeds):
    """(the program, {seed: its arguments})"""
    lines, cases = [PRELUDE], []
    for seed in seeds:
        program = Program(seed)
        lines += [f"__attribute__((noinline)) static long walk_{seed}(const long* g, long* d, long n, Node* list) {{",
                  "  long sum = 0;\n  (void)g, (void)d, (void)n, (void)list;", "  " + program.code, "  return sum;\n}"]
        cases.append(f"    case {seed}: walk = walk_{seed}; for (long i = 0; i < 48; ++i) {{ {program.setting} }} break;")
    lines += ["int main(int count, char** arguments) {", "  long* data = nullptr;", "  for (int i = 0; i < 47; ++i) nodes[i].next = nodes[i].behind = nodes + i + 1;",
              "  switch (atoi(arguments[1])) {", *cases, "    default: return 2;", "  }", "  if (count > 2) *opened = 1, opened = &other;",
              "  pthread_t a, b;", "  pthread_create(&a, nullptr, fills, nullptr);", "  pthread_create(&b, nullptr, walks, data);",
              "  pthread_join(a, nullptr);", "  pthread_join(b, nullptr);", "  return 0;", "}"]
    return "\n".join(lines) + "\n", {seed: [str(seed)] for seed in seeds}


def vacuous(result):
    return None if result.calls >= max(1, result.programs // 4) else "too few checks of ranges: too little was deferred"


if __name__ == "__main__":
    builds = {"placed": twins.PLACED, "plain": twins.PLAIN}
    sys.exit(twins.main(__doc__, source, builds, "-O2", "__omen_(?:read|write|read_write)_range", vacuous))

"""Random C++ functions with accesses to memory that other threads can reach, each with one kind of access.

A function has a local object whose address escapes, and accesses it, a global and one on the heap with random statements of its
kind. `note` tells events.c from when on memory is shared; only bytes of shared memory are judged.
"""

import random

PRELUDE = r"""
extern "C" {
void judged_begin(unsigned long), judged_end(), judged_call();
void judged_share(const volatile void*, unsigned long), judged_unshare(const volatile void*), judged_write(const char*);
void* malloc(unsigned long);
void* memcpy(void*, const void*, unsigned long);
void* memmove(void*, const void*, unsigned long);
void* memset(void*, int, unsigned long);
}
#ifdef __clang__  // GCC has no such functions
#define FETCH_MAX(p, n) __atomic_fetch_max(p, n, __ATOMIC_ACQ_REL)
#define FETCH_ADD(p, n) __atomic_fetch_add(p, n, __ATOMIC_RELAXED)
#else
#define FETCH_MAX(p, n) __atomic_fetch_add(p, n, __ATOMIC_ACQ_REL)
#define FETCH_ADD(p, n) 0
#endif
inline void* operator new(unsigned long, void* place) noexcept { return place; }
#define OWN __attribute__((noinline))
typedef int Four __attribute__((vector_size(16)));
typedef int Eight __attribute__((vector_size(32), aligned(8)));
struct Small { int x, y, z; };
struct Large { long numbers[17]; };
struct __attribute__((packed)) Packed { char c; int i; long l; short s; };
struct Shape {
  int sides = 3;
  virtual ~Shape() = default;
  virtual OWN int area(int n) { return sides * n; }
};
struct Second { int more = 1; virtual OWN int size(int n) { return more + n; } };
struct Square : Shape, Second { OWN int area(int n) override { return sides + n; } OWN int size(int n) override { return more - n; } };
struct Object {
  Object* next;
  char c; short s; int i; long l; float f; double d; bool flag;
  long double extended;
  __int128 wide;
  Four four;
  Eight eight;
  int a[24];
  unsigned char index[24];
  unsigned b1 : 3, b2 : 7, b3 : 12;
  unsigned long b4 : 40;
  Packed packed;
  Small small;
  Large large;
  volatile int v;
  volatile long double v_extended;
  volatile unsigned vb1 : 5, vb2 : 9;
  char bytes[72];
  alignas(16) char room[sizeof(Square)];
};
static Object global;
static Object* heap;
template <class T> static inline T hidden(T value) { __asm__("" : "+r"(value)); return value; }
OWN long take(Large large) { __asm__ volatile("" ::"r"(&large) : "memory"); return large.numbers[3] + large.numbers[16]; }
OWN long take_small(Small small) { return small.x + small.z; }
OWN Large make(long n) { Large large; for (long& number : large.numbers) number = n++; return large; }
OWN Small make_small(int n) { return {n, n + 1, n + 2}; }
template <class F> OWN long apply(F&& function) { return function(3); }
"""

KINDS = {
    "scalar": ["O.i = 7 + n;", "sum += O.l;", "O.i += 3;", "++O.c;", "O.s = (short)(O.s * 3);", "O.d = O.d * 2 + P.d;", "O.f += P.f;",
               "sum += O.flag ? O.i : P.i;", "O.a[hidden(5)] ^= P.a[hidden(6)];", "if (O.flag) O.l = P.l; else O.l += n;", "O.flag = P.i > 3;",
               "sum += *(n > 2 ? &O.i : &P.i);"],
    # A copy of an object to itself copies nothing.
    "copy": ["if (&O != &P) O.small = P.small;", "if (&O != &P) O.large = P.large;", "if (&O != &P) O.packed = P.packed;", "if (&O != &P) O.four = P.four;",
             "if (&O != &P) O = P;", "{ Small mine = O.small; mine.y = n; P.small = mine; }", "{ Large mine = O.large; sum += mine.numbers[n & 7]; }"],
    "memory": [f"memcpy(&O.large, &P.bytes, {n});" for n in (3, 7, 8, 12, 16, 24, 40, 64)] +
              ["memset(O.bytes, n, 72);", "memset(&O.large, 0, sizeof O.large);", "memset(O.bytes + 1, 3, 11);",
               "memmove(O.bytes + 4, O.bytes, 33);", "memcpy(O.bytes, P.bytes, hidden(20ul));", "memmove(O.bytes, O.bytes + 2, 8);"],
    # The compiler may expand these inline, whatever the flags about the functions.
    "memory_builtin": [f"__builtin_memcpy(&O.large, &P.bytes, {n});" for n in (3, 12, 24, 40)] + ["__builtin_memset(O.bytes, n, 72);", "__builtin_memset(O.bytes + 1, 3, 11);"],
    "bit_field_read": ["sum += O.b1;", "sum += O.b3 + P.b2;", "sum += (long)O.b4;"],
    "bit_field_write": ["O.b1 = 5;", "O.b2 += 1;", "O.b3 = (unsigned)n & 0xfff;", "O.b4 = (unsigned long)n & 0xffff;", "O.b1 = P.b2 & 7;"],
    "volatile": ["O.v = n;", "sum += O.v;", "O.v = O.v + 1;", "sum += O.v + P.v;"],
    "volatile_wide": ["O.v_extended = n;", "sum += (long)O.v_extended;"],
    "unaligned": ["O.packed.i = n;", "sum += O.packed.l;", "O.packed.s = (short)(O.packed.s + 1);", "{ long t; __builtin_memcpy(&t, O.bytes + 3, 8); sum += t; }",
                  "{ int t = n; __builtin_memcpy(O.bytes + 61, &t, 4); }", "++O.packed.l;"],
    "wide": ["O.extended += 1;", "sum += (long)P.extended;", "O.wide += 5;", "sum += (long)(P.wide >> 64);", "O.four += P.four;", "O.eight = P.eight * 3;",
             "O.eight += P.eight;", "sum += O.eight[2];"],
    "by_value": ["sum += take(O.large);", "sum += take_small(O.small);"],
    "returned": ["O.large = make(n);", "O.small = make_small(n);"],
    "lambda": ["{ auto add = [&](int by) { L.i += by; return L.l + (long)sum; }; sum += apply(add); }",
               "{ auto set = [&O = O, n](int by) { O.a[n & 7] = by; O.flag = true; return O.s; }; sum += apply(set); }",
               "{ int count = n; share(&count, sizeof count); auto more = [&] (int by) { count += by; return (long)count; }; sum += apply(more); sum += count; unshare(&count); }"],
    "array_on_stack": ["values[hidden(3)] = n;", "sum += values[9];", "values[1] += values[2];", "for (int& value : values) value += n;", "values[11] = O.i;"],
    "alloca": ["block[hidden(2)] = n;", "sum += block[1];", "block[3] += block[hidden(4)];", "for (int i = 0; i < 8 + (n & 1); ++i) block[i] = i;"],
    "loop": ["for (int i = 0; i < m; ++i) O.a[i] = i;", "for (int i = 0; i < m; ++i) sum += O.a[i];", "for (int i = 0; i < m; ++i) O.a[i] += P.a[i];",
             "for (int i = 0; i < m; ++i) if (P.index[i] & 1) O.a[i] = 0;", "for (int i = 0; i < m; ++i) { if (P.index[i]) sum += P.a[i]; O.a[i] = (int)sum; }",
             "for (int i = 0; i < m; ++i) sum += O.a[P.index[i]];", "for (int i = 0; i < m; ++i) O.bytes[i] = P.bytes[i];", "for (int i = 0; i < m; ++i) { O.a[i] = 7; sum ^= P.a[i + 1]; }",
             "for (int i = m; i-- > 0;) O.large.numbers[i & 15] += P.a[i];", "for (int i = 0; i < m; ++i) O.index[i] = O.index[i] & 15;",
             "for (int i = 0; i < m; ++i) { sum += O.i; P.i = (int)sum; }"],
    "read_then_write": ["{ Object* first = O.next; first->i = n; O.next = first->next; }", "{ long old; __builtin_memcpy(&old, O.bytes + 8, 8); sum += old >> 40; int t = n; __builtin_memcpy(O.bytes + 8, &t, 4); }",
                        "{ int old = O.a[1]; P.a[2] = n; O.a[1] = old + 1; }", "O.a[1] = 7, sum += *Q, O.a[2] = 0;", "{ int t = O.i; O.l = 4; judged_call(); O.i = t + 1; }"],
    "virtual": ["sum += shape->area(n);", "shape = new (O.room) Square;", "{ Second* second = static_cast<Second*>(static_cast<Square*>(shape)); sum += second->size(n); }"],
    "atomic": ["__atomic_fetch_add(&O.i, 3, __ATOMIC_RELAXED);", "__atomic_store_n(&O.l, n, __ATOMIC_RELEASE);", "sum += __atomic_load_n(&P.s, __ATOMIC_ACQUIRE);",
               "sum += __atomic_exchange_n(&O.c, (char)n, __ATOMIC_ACQ_REL);", "{ int t = O.i; __atomic_store_n(&P.flag, true, __ATOMIC_RELEASE); O.i = t + 1; }",
               "sum += FETCH_MAX(&O.i, n);", "sum += (long)FETCH_ADD(&O.f, 1.5f);", "sum += (long)FETCH_ADD(&O.d, 2.0);"],
}


class Function:
    def __init__(self, number, kind, r):
        self.number, self.kind = number, kind
        self.text = []
        say = self.text.append
        say(f"OWN long function_{number}(int n, int m) {{  // {kind}")
        say("  long sum = 0;")
        say("  Object L = {};")
        say("  L.next = &global;")
        say("  share(&L, sizeof L);")
        if kind == "array_on_stack":
            say("  int values[12] = {};")
            say("  share(values, sizeof values);")
        if kind == "alloca":
            say("  int* block = (int*)__builtin_alloca((unsigned long)n * 4 + 40);")
            say("  share(block, (unsigned long)n * 4 + 40);")
            say("  __builtin_memset(block, 0, (unsigned long)n * 4 + 40);")
        if kind == "virtual":
            say("  Shape* shape = new (heap->room) Square;")
        for _ in range(r.randint(2, 6)):
            objects = [r.choice(["L", "global", "(*heap)"]) for _ in range(2)]
            statement = r.choice(KINDS[kind])
            say(f"  {{ auto& O = {objects[0]}; auto& P = {objects[1]}; auto* Q = hidden(O.a + {r.randint(1, 3)}); (void)O, (void)P, (void)Q; {statement} }}")
            if r.random() < 0.4:
                say("  judged_call();")
        for name in {"array_on_stack": ["values"], "alloca": ["block"]}.get(kind, []) + ["&L"]:
            say(f"  unshare({name});")
        say("  return sum;")
        say("}")


def source(seed, count):
    """(the program, {number: (kind, its lines)}): each kind occurs equally often."""
    r = random.Random(seed)
    kinds = list(KINDS)
    functions = [Function(number, kinds[number % len(kinds)], r) for number in range(count)]
    lines = [PRELUDE, "static void share(const volatile void* p, unsigned long bytes) { judged_share(p, bytes); }",
             "static void unshare(const volatile void* p) { judged_unshare(p); }"]
    for function in functions:
        lines += function.text
    lines += ["int main(int, char** arguments) {", "  heap = new (malloc(sizeof(Object))) Object();", "  global.next = heap, heap->next = &global;",
              "  judged_share(&global, sizeof global), judged_share(heap, sizeof *heap);", "  long sum = 0;"]
    for function in functions:
        n, m = r.randint(1, 6), r.randint(1, 20)
        lines.append(f"  judged_begin({function.number}); sum += function_{function.number}(hidden({n}), hidden({m})); judged_end();")
    lines += ["  judged_write(arguments[1]);", "  return sum == 12345;", "}"]
    return "\n".join(lines) + "\n", {function.number: (function.kind, function.text) for function in functions}

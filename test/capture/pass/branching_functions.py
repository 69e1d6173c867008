"""Random functions to be compiled, not run: any control flow around accesses to members of structures and to arrays.

Branches, switches that fall through, loops of all kinds, goto into loops and out of them, also computed and from assembly, returns anywhere, calls that synchronise, return twice or throw,
atomic and volatile accesses, blocks that are copied, and in C++ destructors, exceptions and virtual calls. So the compiler's graphs have edges of every
sort between neighbouring checks: critical ones, several between the same two blocks, loops with several entries.
"""
import random
import re

PRELUDE = """\
#include <setjmp.h>
#include <string.h>
struct S { struct S* next; int a, b, c, d; long x[8]; unsigned bits : 5, more : 11; volatile int v; char text[24]; struct { int y, z; } in; double r; };
#ifdef __cplusplus
extern "C" {
#endif
void outside(void*);
int asks(struct S*, long);
#ifdef __cplusplus
}
struct Guard { struct S* s; explicit Guard(struct S* of) : s(of) {} ~Guard() { s->a = 0; outside(s); } };
struct Shape { virtual int area(int) = 0; int sides, sizes[4]; };
#endif
static int counts[64];
static struct S all[16];
static jmp_buf place;
"""
MEMBERS = ["a", "b", "c", "d", "in.y", "in.z", "x[I]", "text[I]", "bits", "more", "v", "x[3]", "text[2]"]
PARTS = {"P": "pppq", "Q": "pq", "I": ["i & 7", "1", "2"],
         "L": ["i", "j", "n", "(long)P->M", "2"], "C": ["P->M", "P->M > E", "*w", "i < n", "P != Q", "E == 3", "P"],
         "E": ["1", "(int)n", "P->M", "(P->M + Q->M)", "counts[L & 63]", "w[L]", "sum", "((C) ? 1 : 2)"]}
LETTER = re.compile(rf"\b[M{''.join(PARTS)}]\b")
LABEL = re.compile(r"\bJ\b")
STATEMENTS = [
    "P = P->next;", "i++;", "i += L;", "*w++ = E;", "*w = *w + E;", "sum += *w++;", "counts[L & 63] = E;", "counts[L & 63]++;", "all[L & 15].M = E;", "outside(P);",
    "sum += asks(P, L);", "sum += __atomic_load_n(&P->a, __ATOMIC_RELAXED);", "__atomic_fetch_add(&P->b, 1, __ATOMIC_SEQ_CST);",
    "__atomic_store_n(&P->x[0], L, __ATOMIC_RELEASE);", "*P = *Q;", "memcpy(P->text, Q->text, 1 + (E & 15));", "memset(P->x, 0, sizeof P->x);", "P->r = P->r * 2 + E;",
    "local = *P; outside(&local);", "local.M = E;", "numbers[L & 7] = E;", "sum += numbers[L & 7];", "return sum + E;", "break;", "continue;", "if (C) break;",
    "if (C) continue;", "goto J;", "if (C) goto J;", "if (C) return E;", "J:;", '__asm__ volatile("" : : : "memory");', "if (setjmp(place)) P->a = E;"]
OF_C = ["{ static void* const ways[] = {&&J, &&J}; goto *ways[L & 1]; }", '__asm__ goto("" : : : : J);']
OF_CXX = ["Guard guard{P};", "throw 7;", "sum += shape->area(E);", "sum += shape->sizes[L & 3];", "delete shape;", "P->next = new S(*Q);"]


class Function:
    def __init__(self, rng, number, is_cxx):
        self.rng, self.number, self.is_cxx, self.labels, self.wanted, self.loops = rng, number, is_cxx, set(), set(), 0
        # Of few kinds: with all of them in each function, nearly every pair of checks would have something between that keeps them apart.
        self.statements = rng.sample(STATEMENTS + (OF_CXX if is_cxx else OF_C), rng.randint(2, 8))
        self.members = rng.sample(MEMBERS, rng.randint(2, len(MEMBERS)))

    def filled(self, text):
        """Each single capital letter stands for something random."""
        def made(letter):
            if letter[0] == "E" and len(text) > 200:
                return "sum"
            return self.rng.choice(self.members if letter[0] == "M" else PARTS[letter[0]])
        while LETTER.search(text):
            text = LETTER.sub(made, text)
        return text

    def simple(self):
        r = self.rng
        text = f"{r.choice('pq')}->M {r.choice(['=', '=', '+=', '|='])} E;" if r.random() < 0.5 else r.choice(self.statements)
        if text.endswith(("break;", "continue;")) and not self.loops:
            text = "sum += P->M;"
        while LABEL.search(text):
            label = f"at{r.randrange(4)}"
            is_label = text == "J:;"
            if is_label and (label in self.labels or self.is_cxx):
                return "sum += 1;"
            (self.labels if is_label else self.wanted).add(label)
            text = LABEL.sub(label, text, count=1)
        if text.startswith("Guard"):
            text = f"{{ {text} {self.simple()} }}"
        return self.filled(text)

    def block(self, depth):
        return "\n".join(self.statement(depth) for _ in range(self.rng.randint(1, 3)))

    def loop(self, depth, text):
        self.loops += 1
        body = self.block(depth)
        self.loops -= 1
        return text.replace("BODY", body)

    def statement(self, depth):
        r, kind = self.rng, self.rng.random()
        if depth == 0 or kind < 0.4:
            return self.simple()
        if kind < 0.6:
            other = f" else {{\n{self.block(depth - 1)}\n}}" if r.random() < 0.5 else ""
            return f"if ({self.filled('C')}) {{\n{self.block(depth - 1)}\n}}{other}"
        if kind < 0.7:
            cases = "\n".join(f"case {value}: {{\n{self.block(depth - 1)}\n}}" + (" break;" if r.random() < 0.6 else "") for value in r.sample(range(9), r.randint(2, 5)))
            return f"switch ({self.filled('E')}) {{\n{cases}\n" + ("default: sum++;\n}" if r.random() < 0.5 else "}")
        if self.is_cxx and kind < 0.78:
            return f"try {{\n{self.block(depth - 1)}\n}} catch (...) {{\n{self.block(depth - 1)}\n}}"
        head = r.choice(["for (i = 0; i < n; ++i) {\nBODY\n}", "for (j = n; j-- > 0;) {\nBODY\n}", "while (C) {\nBODY\n}", "do {\nBODY\n} while (C);",
                         "for (; p; p = p->next) {\nBODY\n}", "for (long k = 0; k < 8; ++k) {\np->x[k] = E;\nBODY\n}", "while (*w++) {\nBODY\n}"])
        return self.loop(depth - 1, self.filled(head.replace("BODY", "@")).replace("@", "BODY"))

    def text(self):
        body = "\n".join(self.statement(3) for _ in range(3))
        labels = "\n".join(f"{label}: sum += p->a;" for label in sorted(self.wanted - self.labels))
        shape = ", struct Shape* shape" if self.is_cxx else ""
        head = ("" if self.is_cxx else "__attribute__((noinline)) ") + f"int f{self.number}(struct S* p, struct S* q, int* w, long n{shape})"
        locals_of = "int sum = 0, numbers[8] = {0};\nlong i = 0, j = 0;\nstruct S local = all[0];\n(void)i, (void)j, (void)local, (void)numbers;"
        return f"{head} {{\n{locals_of}\n{body}\n{labels}\nreturn sum + local.a;\n}}"


def source(seed, count, is_cxx):
    rng = random.Random(seed)
    return PRELUDE + "\n".join(Function(rng, number, is_cxx).text() for number in range(count)) + "\n"

// A loop of which several ways lead to the same check: as one of them was split, LLVM gave the loop exits of its own, which split the others too.
#include <setjmp.h>

struct S {
  int a;
  volatile int v;
  char text[24];
  int z;
};
static jmp_buf place;

void loop_exits(struct S* p, struct S* q, int* w, long n) {
  while (*w++) {
    for (long i = 0; i < n; ++i) {
      while (*w++) {
        if (setjmp(place)) p->a = p->v ? 1 : 2;
      }
      for (long j = n; j-- > 0;) {
        if (p->text[2]) break;
        p->text[2] |= 1;
      }
      p->z = (int)n;
    }
    if (p->v > 1) {
      do {
      } while (q);
    }
  }
}
